/* SPDX-License-Identifier: Apache-2.0 */
/* `rattle` in lanes: the executor of step/scripts/rattle.c, with the sweeps of
 * rattle_stages_inl.h. There is no include guard, see lanes_inl.h. */

#include "step/lanes/rattle_stages_inl.h"

static void rattle_begin(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;

    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
}

/* keep the multipliers of rigid rows from step to step, if there are bodies without inertia */
static void rattle_carry(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int b = 0; b < p->n_joints && p->carries; b++) {
        const struct lk_batch_joints *j = &p->joints[b];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        lanes_t *lambda = block_at(p, j->at) + lk_soft_lambda(k);

        for (int l = 0; l < LK_LANES && !lk_lane_is_soft(j->kind); l++)
            for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
                LANE(lambda[r], l) = sys->now.lambda[j->row[l] + r];
    }
    for (int b = 0; b < p->n_bodies && lk_rattle_has_differences(sys); b++)
        reset_last_curvature(p, b);
}

static void rattle_take(struct lk_system *sys)
{
    const struct run run = new_run(sys);

    lk_singles_take_laws(sys, sys->batches);
    find_gaps_of_singles(&run);
}

/* compute Phi_q^T lambda of soft rows - Q at the pose of the state in OLD_* */
static void rattle_loads(struct lk_system *sys, double t, const double *inputs)
{
    const struct lk_batches *p = sys->batches;

    for (int b = 0; b < sys->n_bodies && p->carries; b++)
        for (int k = 0; k < 6; k++)
            p->values[p->place[b] + (LK_RATTLE_LOAD + k) * LK_LANES] = 0;
    put_loads(sys, p, t, inputs, LK_RATTLE_LOAD);
}

/* ---- sums over tasks, the same for any number of workers ---- */

static void book_all_closing(struct lk_system *sys)
{
    const struct sums *sums = (const struct sums *)sys->batches->sums;
    double sum = 0;

    for (int t = 0; t < sys->batches->n_tasks; t++)
        sum += total(sums[t].closing);
    sys->next.balance->closing += sum;
}

static void rattle_multiply(struct lk_system *sys, int last)
{
    const struct sums *sums = (const struct sums *)sys->batches->sums;

    for (int k = 0; k <= last; k++) {
        lk_measures *product = &sys->progress->product[k];

        *product = (lk_measures){0};
        for (int t = 0; t < sys->batches->n_tasks; t++)
            for (int m = 0; m < LK_MEASURES; m++)
                (*product)[m] += total(sums[t].inner[k][m]);
    }
}

static double rattle_violation(const struct lk_system *sys)
{
    const struct sums *sums = (const struct sums *)sys->batches->sums;
    double violation = 0;

    for (int t = 0; t < sys->batches->n_tasks; t++)
        violation = lk_max(violation, largest(sums[t].violation));
    return violation;
}

/* add the pushes of hard stops to the last increment, and compute its products again */
static bool rattle_push(struct lk_system *sys, int iteration)
{
    const struct lk_batches *p = sys->batches;
    struct sums *sums = (struct sums *)p->sums;
    bool is_settled = lk_singles_push(sys, p, iteration);

    for (int t = 0; t < p->n_tasks; t++)
        clear_sums(&sums[t], iteration + 1);
    for (int b = 0; b < p->n_bodies; b++)
        multiply_increment(p, b, iteration, increment_of(block_at(p, p->bodies[b].at), iteration),
                           sums);
    return is_settled;
}

/* ---- sweeps ---- */

/* copy the poses of the state in OLD_* to the system */
static void show_loaded(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_loaded && p->n_soft > 0; i++)
        show_pose(sys, p, p->loaded[i], LK_BODY_X);
}

/* copy the closed poses and the Jacobians that elements need, after the way down */
static void show_closed_state(struct lk_system *sys, const struct lk_batches *p)
{
    show_loaded(sys, p);
    lk_singles_turn_soft(sys, p);
}

static void clear_all_sums(struct lk_system *sys, int down, int up)
{
    struct sums *sums = (struct sums *)sys->batches->sums;
    bool judges = up == RATTLE_PREDICTION || up == RATTLE_ITERATION || up == RATTLE_CHECK;
    bool adds = down == RATTLE_INCREMENT || down == RATTLE_CLOSE;

    for (int t = 0; t < sys->batches->n_tasks; t++) {
        if (judges)
            sums[t].violation = (lanes_t){0};
        if (adds)
            clear_sums(&sums[t], down == RATTLE_INCREMENT ? sys->progress->found : 0);
    }
}

static void rattle_sweep(struct lk_system *sys, int down, int up)
{
    const struct lk_batches *p = sys->batches;
    bool factors = up == RATTLE_PREDICTION && p->factors_twice;

    if (up == RATTLE_PREDICTION)
        lk_rare_share_tension(sys, p);
    clear_all_sums(sys, down, up);
    sweep(sys, down == RATTLE_STAY ? NULL : &rattle_downs[down],
          up == RATTLE_REST ? NULL
          : factors         ? &rattle_prediction_factors
                            : &rattle_ups[up]);
    if (down == RATTLE_CLOSE && sys->books_closing)
        book_all_closing(sys);
    if ((down == RATTLE_CLOSE || down == RATTLE_CLOSE_STATE) && up == RATTLE_REST)
        show_closed_state(sys, p);
    if (up == RATTLE_KICK)
        lk_rare_book_tension(sys, p);
    if (down == RATTLE_VELOCITIES && up == RATTLE_REST) {
        show_motions(sys, p, LK_BODY_OLD_V);
        lk_singles_give_damping(sys, p);
    }
}

static void rattle_hold(struct lk_system *sys, const struct lk_twist *shove, bool is_refined)
{
    const struct lk_batches *p = sys->batches;

    lk_singles_shove(sys, p, shove);
    rattle_sweep(sys, RATTLE_STAY, RATTLE_SHOVE);
    if (is_refined && !sys->rows_are_independent)
        rattle_sweep(sys, RATTLE_REFINE, RATTLE_AGAIN);
    rattle_sweep(sys, is_refined ? RATTLE_HOLD_REFINED : RATTLE_HOLD, RATTLE_REST);
    lk_singles_held(sys, p, is_refined);
}

/* ---- between lanes and the state ---- */

static void rattle_give(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);
    struct watch unused = {0};

    for (int b = 0; b < p->n_bodies; b++) {
        store_bodies(&run, b, &unused);
        store_own(&run, b, &unused);
    }
}

static void rattle_fetch(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int b = 0; b < p->n_bodies; b++) {
        load_bodies(&sys->next, p, b);
        load_own(&sys->next, p, b);
        show_motion(p, b, LK_BODY_OLD_V);
    }
}

/* copy the multipliers to the state, and, if tensions are included, the accelerations for the next
 * prediction to the lanes */
static void rattle_give_multipliers(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);

    do_all_joints(&run, &store_work, SCALE_S_MORE);
    for (int b = 0; b < p->n_bodies && p->n_tense > 0; b++)
        load_bodies(&sys->now, p, b);
}

/* Compute the scratch at the start of a step from sys->now: the factor of the pose at which the
 * iterations ended, and the Jacobians of the closed pose. */
static void rattle_renew(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);

    lk_drives_evaluate(sys, &sys->now);
    memcpy(sys->next.tangent, sys->now.tangent, (size_t)sys->n_laws * sizeof(double));
    for (int b = 0; b < p->n_bodies; b++) {
        lanes_t *f = block_at(p, p->bodies[b].at);

        load_bodies(&sys->now, p, b);
        load_own(&sys->now, p, b);
        show_unclosed(&p->bodies[b], f);
        show_closed(f);
        show_motion(p, b, LK_BODY_OLD_V);
        lk_singles_show_pose(sys, p, b, LK_BODY_NOW_X);
        lk_singles_show_twist(sys, p, b, LK_BODY_OLD_V);
    }
    do_all_joints(&run, &unclose_work, false);
    factor_all(p);
    show_watched(sys, p, &sys->now);
    lk_singles_turn_soft(sys, p);
    do_all_joints(&run, &settle_work, true);
}
