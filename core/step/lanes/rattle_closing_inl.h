/* SPDX-License-Identifier: Apache-2.0 */
/* Work of closing the joints, for bodies in lanes; see lk_one_book_closing() in step/one/rattle.h.
 * There is no include guard, see lanes_inl.h. */

/* compute s W g of the last iterate; 0 for linear bodies after the first iteration */
LK_INLINE void find_left(const struct lk_system *sys, const struct lk_batches *p,
                         const struct lk_batch_bodies *b, const struct lk_progress *newton,
                         lanes_t *f)
{
    if (!sys->books_closing || b->are_linear)
        return;
    take_rest(newton, f, f + LK_RATTLE_G, 9);
    momentum_residual(sys, p, f);
}

/* return g . u / 2 of rotations, because g of translations is 0, except for massless bodies, which
 * are neglected */
LK_INLINE lanes_t work_of_left(const struct lk_system *sys, const struct lk_batches *p,
                               const struct lk_batch_bodies *b, const lanes_t *f)
{
    const lanes_t *K = p->rare ? f + p->rare + LK_RARE_TENSION : NULL;

    if (b->are_linear)
        return (lanes_t){0};
    return lk_rattle_left_work_lanes(sys->s, f + LK_BODY_J, K, f + LK_RATTLE_G,
                                     f + LK_RATTLE_ITERATE + 3);
}

/* add the work of closing the joints to sums->closing, before the poses change */
static __attribute__((noinline)) void book_closing(const struct lk_system *sys,
                                                   const struct lk_batches *p, int block,
                                                   const struct lk_progress *newton,
                                                   struct sums *sums)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    const lanes_t *f = block_at(p, b->at);
    lanes_t change[6];

    weigh_pull(p, b, f, f + LK_BODY_NOW_R, 0, change);
    sums->closing +=
        lk_rattle_closing_work_lanes(sys->h, b->are_balls, f[LK_BODY_MASS], f + LK_BODY_J, change,
                                     f + LK_RATTLE_ITERATE, f + LK_BODY_OLD_V);
    if (!newton->ends)
        sums->closing += work_of_left(sys, p, b, f);
}
