/* SPDX-License-Identifier: Apache-2.0 */
/* Work of closing, bodies side by side: lk_rattle_book_closing() of step/rattle.h. Without include
 * guard on purpose, see lanes_inl.h. */

/* s W g of the last iterate; that of linear bodies is 0 after the first one */
LK_INLINE void find_left(const struct lk_system *sys, const struct lk_batches *p,
                         const struct lk_batch_bodies *b, const struct newton *newton, lanes_t *f)
{
    if (!sys->books_closing || b->are_linear)
        return;
    take_rest(newton, f, f + LK_RATTLE_G, 9);
    momentum_residual(sys, p, f);
}

/* g . u / 2, where g is not 0: of rotations. It lacks what massless bodies leave in translation. */
LK_INLINE lanes_t work_of_left(const struct lk_system *sys, const struct lk_batches *p,
                               const struct lk_batch_bodies *b, const lanes_t *f)
{
    const lanes_t *theta = f + LK_RATTLE_ITERATE + 3;
    lanes_t torque[3], more[3];

    if (b->are_linear)
        return (lanes_t){0};
    lk_sym_mul_lanes(f + LK_BODY_J, f + LK_RATTLE_G, torque);
    if (p->rare) {
        lk_sym_mul_lanes(f + p->rare + LK_RARE_TENSION, f + LK_RATTLE_G, more);
        for (int i = 0; i < 3; i++)
            torque[i] += sys->s * more[i];
    }
    return 0.5 / sys->s * lk_inner_lanes(torque, theta);
}

/* before the bodies are closed; into sums->inner[0] */
static __attribute__((noinline)) void book_closing(const struct lk_system *sys,
                                                   const struct lk_batches *p, int block,
                                                   const struct newton *newton, struct sums *sums)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    const lanes_t *f = block_at(p, b->at), *u = f + LK_RATTLE_ITERATE;
    lanes_t change[6], push[6], a[6];

    weigh_pull(p, b, f, f + LK_BODY_NOW_R, 0, change);
    times_mass(f, b->are_balls, change, push);
    for (int i = 0; i < 6; i++)
        a[i] = 2 / sys->h * (1 / sys->h * u[i] - f[LK_BODY_OLD_V + i]);
    sums->inner[0] += inner_six(push, a);
    sums->inner[0] += lk_select_lanes(newton->ends, (lanes_t){0}, work_of_left(sys, p, b, f));
}
