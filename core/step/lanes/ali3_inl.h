/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3` on batches: loads, sweeps, the step. The equations are the same as in
 * step/scripts/ali3.c. There is no include guard, see lanes_inl.h. */

/* ---- loads and multipliers ---- */

static void subtract_loads(struct lk_system *sys, const struct lk_batches *p, double t,
                           const double *inputs, int field)
{
    sum_loads(sys, p, t, inputs, field);
    for (int i = 0; i < p->n_loaded; i++) {
        double *f = p->values + p->place[p->loaded[i]] + LK_BODY_V * LK_LANES;
        const struct lk_twist *wrench = &sys->residual[p->loaded[i]];

        for (int k = 0; k < 3; k++) {
            f[k * LK_LANES] += wrench->v[k];
            f[(3 + k) * LK_LANES] += wrench->w[k];
        }
    }
}

/* add W dQ of the jump of the inputs at the start of a step to a, and Phi_q of this change
 * to the right-hand side of soft rows */
static void add_jumps(struct lk_system *sys, const struct lk_batches *p, const double *inputs,
                      int leaving)
{
    for (int b = 0; b < sys->n_bodies && p->n_soft > 0; b++)
        sys->correction[b] = (struct lk_twist){0};
    for (int i = 0; i < p->n_loaded; i++)
        sys->correction[p->loaded[i]] = (struct lk_twist){0};
    lk_loads_subtract_jumps(sys, inputs, sys->correction);
    if (sys->n_stops > 0) {
        lk_loads_subtract_stops(sys, leaving, sys->correction);
        lk_singles_take_multipliers(sys, p);
    }
    for (int i = 0; i < p->n_loaded; i++) {
        int b = p->loaded[i];
        double *a = p->values + p->place[b] + LK_BODY_OLD_A * LK_LANES, turn[3];
        struct lk_twist *jump = &sys->correction[b];

        lk_sym_mul(sys->W[b].inertia, jump->w, turn);
        for (int k = 0; k < 3; k++) {
            jump->v[k] *= -sys->W[b].mass;
            jump->w[k] = -turn[k];
            a[k * LK_LANES] += jump->v[k];
            a[(3 + k) * LK_LANES] += jump->w[k];
        }
    }
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int b = 0; b < p->n_joints; b++)
        if (lk_lane_is_soft(p->joints[b].kind))
            lk_singles_jump(sys, p, b);
}

/* keep the old accelerations in directions without inertia, where forces do not determine them */
static void keep_massless(const struct lk_batches *p, int block)
{
    lanes_t *f = block_at(p, p->bodies[block].at), turn[3];
    const lanes_t *massless = f + p->rare + LK_RARE_MASSLESS, *a = f + LK_BODY_OLD_A;

    rotate(f + LK_BODY_R, a + 3, turn);
    for (int i = 0; i < 3; i++) {
        f[LK_BODY_V + i] += massless[0] * (a[i] - f[LK_BODY_V + i]);
        f[LK_BODY_V + 3 + i] += massless[1] * (turn[i] - f[LK_BODY_V + 3 + i]);
    }
}

/* compute the changes of velocities by the stops that were hit, into V: world, body axes */
static void bounce_bodies(const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), change[6];

    correction(p, b, f, change);
    for (int i = 0; i < 3; i++)
        f[LK_BODY_V + i] = change[i];
    rotate_back(f + LK_BODY_R, change + 3, f + LK_BODY_V + 3);
}

/* compute Phi, or (f - lambda) E of laws, and Phi_q^T lambda at the present pose; @is_first:
 * at the predicted pose, whose Jacobian is stored */
static void evaluate_single(const struct run *run, int block, bool is_first)
{
    struct lk_system *sys = run->sys;
    const struct lk_batches *p = run->p;
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(p, j->at), now[9 * LK_SINGLE_ROWS], *J = now;

    if (is_first) {
        J = f + lk_kind_jacobian(k);
        lk_singles_turn(sys, p, block, false);
    } else {
        memset(now, 0, sizeof(now)); /* zeros for lanes without a joint */
        lk_singles_turn_to(sys, p, block, (double *)now);
    }
    if (lk_lane_is_soft(j->kind))
        lk_singles_follow_pose(sys, p, block, is_first);
    else
        lk_singles_violate(sys, p, block, false);
    scatter_load(k, J, f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

ROWS_FN(predict_rows)
{
    evaluate_kind(k, run->p, joints_at(run, block), true);
}

STAGE_FN(predict_single)
{
    evaluate_single(run, block, true);
}

#define WORK predict
#include "step/lanes/each_kind_inl.h"

ROWS_FN(evaluate_again_rows)
{
    evaluate_kind(k, run->p, joints_at(run, block), false);
}

STAGE_FN(evaluate_again_single)
{
    evaluate_single(run, block, false);
}

#define WORK evaluate_again
#include "step/lanes/each_kind_inl.h"

/* ---- sweeps ---- */

/* copy the poses of an iterate, and its twists if rows depend on velocities */
LK_INLINE void show_iterate_in(const struct run *run, int block, int field)
{
    if (__builtin_expect(run->p->bodies[block].shown == 0, 1))
        return;
    lk_singles_show_pose(run->sys, run->p, block, field);
    if (run->sys->needs_twists)
        show_twists_of_turn(run->sys, run->p, block);
}

STAGE_FN(predicted_bodies)
{
    predict_bodies(run->sys, run->p, block, &run->watch[t]);
    show_iterate_in(run, block, LK_BODY_X);
}

STAGE_FN(evaluated_bodies)
{
    show_iterate_in(run, block, LK_BODY_NOW_X);
}

/* weigh the residual; stage->what: field of the present pose */
STAGE_FN(weighed_bodies)
{
    weigh_residual(run->p, block, stage->what);
}

STAGE_FN(settled_motion)
{
    show_field(run, block, LK_BODY_X);
    show_twist_in(run, block, LK_BODY_OLD_V);
}

STAGE_FN(shown_twists)
{
    show_twist_in(run, block, LK_BODY_OLD_V);
}

STAGE_FN(shown_accelerations)
{
    show_motion(run->p, block, LK_BODY_OLD_A);
}

STAGE_FN(stored_motion)
{
    store_bodies(run, block, &run->watch[t]);
}

STAGE_FN(reloaded_motion)
{
    load_bodies(&run->sys->next, run->p, block);
    show_unclosed_pose(block_at(run->p, run->p->bodies[block].at));
    show_twist_in(run, block, LK_BODY_OLD_V);
}

STAGE_FN(reload_rows)
{
    load_multipliers_of(run->sys, &run->sys->next, run->p, block);
}

static const struct joint_work reload_work = {.any = reload_rows};

STAGE_FN(opened_bodies)
{
    show_field(run, block, LK_BODY_NOW_X);
}

STAGE_FN(freed_bodies)
{
    accelerate_freely(run->sys, run->p, block, true);
    if (run->p->rare)
        keep_massless(run->p, block);
}

static const struct stage ali3_ups[ALI3_UPS] = {
    [ALI3_PREDICT] = {predicted_bodies, &predict_work},
    [ALI3_FIRST] = {weighed_bodies, &seek_poses_work, FACTOR_AND_ASSEMBLE, LK_BODY_X},
    [ALI3_ITERATE] = {weighed_bodies, &seek_poses_work, ASSEMBLE, LK_BODY_NOW_X},
    [ALI3_EVALUATE] = {evaluated_bodies, &evaluate_again_work},
    [ALI3_SETTLE] = {settled_motion, &settle_work, .what = false},
    [ALI3_PROJECT_VELOCITIES] = {NULL, &seek_velocities_work, FACTOR_AND_ASSEMBLE},
    [ALI3_RATES] = {shown_twists, &rate_work, .what = JUST_RATES},
    [ALI3_PROJECT_ACCELERATIONS] = {shown_accelerations, &seek_accelerations_work, ASSEMBLE},
    [ALI3_STORE] = {stored_motion, &store_work, .what = SCALE_ONE},
    [ALI3_RELOAD] = {reloaded_motion, &reload_work},
    [ALI3_OPEN] = {opened_bodies, &open_work, ASSEMBLE},
    [ALI3_FREE] = {freed_bodies, &seek_accelerations_work, FACTOR_AND_ASSEMBLE},
    [ALI3_FACTOR] = {.fronts = FACTOR},
    [ALI3_BOUNCE] = {.fronts = ASSEMBLE},
};

STAGE_FN(incremented_bodies)
{
    apply_increment(run->sys, run->p, block, false, &run->watch[t]);
}

STAGE_FN(last_incremented_bodies)
{
    apply_increment(run->sys, run->p, block, true, &run->watch[t]);
}

STAGE_FN(projected_velocities)
{
    project_bodies(run->p, block, LK_BODY_OLD_V);
}

STAGE_FN(projected_accelerations)
{
    project_bodies(run->p, block, LK_BODY_OLD_A);
}

STAGE_FN(closed_poses)
{
    close_poses(run->p, block, false, &run->watch[t]);
}

STAGE_FN(last_closed_poses)
{
    close_poses(run->p, block, true, &run->watch[t]);
}

STAGE_FN(bounced_bodies)
{
    bounce_bodies(run->p, block);
}

static const struct stage ali3_downs[ALI3_DOWNS] = {
    [ALI3_INCREMENT] = {incremented_bodies, &take_solution_work, SOLVE, SCALE_ONE},
    [ALI3_LAST_INCREMENT] = {last_incremented_bodies, &take_solution_work, SOLVE, SCALE_ONE},
    [ALI3_VELOCITIES] = {projected_velocities, &take_solution_work, SOLVE, SCALE_NONE},
    [ALI3_ACCELERATIONS] = {projected_accelerations, &take_solution_work, SOLVE, SCALE_S},
    [ALI3_CLOSE] = {closed_poses, &take_solution_work, SOLVE, SCALE_NONE},
    [ALI3_CLOSE_LAST] = {last_closed_poses, &take_solution_work, SOLVE, SCALE_NONE},
    [ALI3_BOUNCED] = {bounced_bodies, &take_solution_work, SOLVE, SCALE_NONE},
};

#include "step/lanes/ali3_stops_inl.h"

static void ali3_begin(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
}

static void ali3_sweep(struct lk_system *sys, int down, int up)
{
    const struct lk_batches *p = sys->batches;

    if (up == ALI3_PROJECT_VELOCITIES || up == ALI3_FACTOR)
        lk_singles_regularise(sys, p);
    if (up == ALI3_BOUNCE)
        find_bounces(sys, p);
    sweep(sys, down == ALI3_STAY ? NULL : &ali3_downs[down],
          up == ALI3_REST ? NULL : &ali3_ups[up]);
    if (down == ALI3_VELOCITIES && up == ALI3_REST)
        show_motions(sys, p, LK_BODY_OLD_V);
    if (down == ALI3_BOUNCED)
        give_bounce(sys);
}

/* compute the loads of `ali3`. The pose of the iterate is first in X, later in NOW_X */
static void ali3_loads(struct lk_system *sys, double t, const double *inputs)
{
    subtract_loads(sys, sys->batches, t, inputs,
                   sys->progress->done == 0 ? LK_BODY_X : LK_BODY_NOW_X);
}

static void ali3_jump(struct lk_system *sys, const double *inputs, int leaving)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);

    if (sys->n_stops > 0)
        restore_accelerations(sys, p);
    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    do_all_joints(&run, &rate_work, JUST_RATES);
    add_jumps(sys, p, inputs, leaving);
}

static void ali3_fetch(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int b = 0; b < p->n_bodies; b++) {
        load_bodies(&sys->next, p, b);
        show_motion(p, b, LK_BODY_OLD_V);
    }
}

/* copy the accelerations of the bodies that loads act on */
static void ali3_give(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int i = 0; i < p->n_loaded; i++)
        read_six(p, p->loaded[i], LK_BODY_OLD_A, &sys->next.motion[p->loaded[i]].a);
}

/* compute the scratch at the start of a step from sys->now */
static void ali3_renew(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int b = 0; b < sys->n_bodies && p->rare; b++)
        lk_rare_body(sys, p, b);
    renew_factor(sys);
}

/* ---- higher orders, see step/scripts/ali3_extrapolate.c ---- */

/* copy the accelerations and multipliers from the lanes to sys->now */
static void keep_accelerations(struct lk_system *sys, const struct lk_batches *p)
{
    for (int b = 0; b < sys->n_bodies; b++)
        read_six(p, b, LK_BODY_OLD_A, &sys->now.motion[b].a);
    for (int b = 0; b < p->n_joints; b++) {
        const struct lk_batch_joints *j = &p->joints[b];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        const lanes_t *lambda = block_at(p, j->at + lk_kind_lambda(k));

        for (int l = 0; l < LK_LANES; l++)
            for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
                sys->now.lambda[j->row[l] + r] = ((const double *)&lambda[r])[l];
    }
}

/* compute accelerations and multipliers with the pose, Jacobians and weights of the last
 * step */
static void ali3_settle(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);

    if (p->n_soft > 0)
        lk_loads_law_multipliers(sys, &sys->now, 1, sys->now.lambda);
    load_multipliers(sys, &sys->now, p);
    sum_loads(sys, p, lk_time(sys), inputs, LK_BODY_X);
    put_sums(sys, p, LK_FREE_LOAD);
    lk_singles_decouple(p);
    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    do_all_joints(&run, &rate_work, GO_ON);
    ali3_sweep(sys, ALI3_STAY, ALI3_FREE);
    ali3_sweep(sys, ALI3_ACCELERATIONS, ALI3_REST);
    lk_singles_regularise(sys, p);
    keep_accelerations(sys, p);
}
