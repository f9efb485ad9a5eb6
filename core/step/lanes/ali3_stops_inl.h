/* SPDX-License-Identifier: Apache-2.0 */
/* Stops of `ali3` on batches. Their rows are soft rows. Whether stops act is decided before the
 * step, and impacts after it; see absorb_jumps() and ali3_step() in step/scripts/ali3.c. There is
 * no include guard, see lanes_inl.h. */

/* restore the accelerations and multipliers of the state, before a jump is tried */
static void restore_accelerations(struct lk_system *sys, const struct lk_batches *p)
{
    for (int b = 0; b < p->n_bodies; b++)
        load_bodies(&sys->now, p, b);
    load_multipliers(sys, &sys->now, p);
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_joint *j = &sys->joint[p->soft[i].joint];

        for (int r = j->row; r < j->row + j->n_rows; r++)
            sys->next.lambda[r] = sys->now.lambda[r];
    }
}

/* copy all motions to system->next, and V (world, body axes) to system->correction */
static void give_bounce(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);
    struct watch unused = {0};

    for (int b = 0; b < p->n_bodies; b++)
        store_bodies(&run, b, &unused);
    for (int b = 0; b < sys->n_bodies; b++)
        read_six(p, b, LK_BODY_V, &sys->correction[b]);
}

/* write the rates of restitution at stops that were hit into the right-hand side; 0 for other rows
 */
static void find_bounces(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int b = 0; b < p->n_joints; b++) {
        const struct lk_batch_joints *j = &p->joints[b];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);

        for (int r = 0; r < lk_kind_rows(k); r++)
            block_at(p, j->at)[lk_kind_x(k) + r] = (lanes_t){0};
        if (lk_lane_is_soft(j->kind))
            lk_singles_bounce(sys, p, b);
    }
}
