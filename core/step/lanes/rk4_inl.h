/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4` in lanes: bodies, joints, sweeps, the step. The equations are the same as in
 * step/scripts/rk4.c. Forces of laws act on bodies like loads. There is no include guard,
 * see lanes_inl.h. */

/* ---- bodies ---- */

/* add the derivatives of the present stage to the weighted sum, and return them in @rate.
 * @is_first: the stage at the start of the step */
LK_INLINE void add_rates(lanes_t *f, double weight, bool is_first, lanes_t rate[12])
{
    const lanes_t *v = f + (is_first ? LK_BODY_OLD_V : LK_RK4_STAGE_V);

    lk_rk4_rates_lanes(f + LK_RK4_THETA, is_first, v, f + LK_BODY_OLD_A, rate);
    for (int i = 0; i < 12; i++) {
        lanes_t before = is_first ? (lanes_t){0} : f[LK_RK4_SUM + i];

        f[LK_RK4_SUM + i] = before + weight * rate[i];
    }
}

/* compute pose, weights and twist of the stage, after the time @h with the derivatives @by */
LK_INLINE void show_stage(lanes_t *f, const lanes_t by[12], double h)
{
    lanes_t turn[4], u[3];

    lk_rk4_advance_lanes(h, by, f + LK_BODY_OLD_V, u, f + LK_RK4_THETA, f + LK_RK4_STAGE_V);
    lk_rotation_exp_lanes(f + LK_RK4_THETA, turn);
    place(f, u, turn, f + LK_BODY_X);
    turn_symmetric(f + LK_BODY_R, f + LK_BODY_SJ, f + LK_BODY_A);
    for (int i = 0; i < 3; i++)
        f[LK_BODY_V + i] = f[LK_RK4_STAGE_V + i];
    rotate(f + LK_BODY_R, f + LK_RK4_STAGE_V + 3, f + LK_BODY_V + 3);
}

/* set the new state, not yet projected; W in world axes is still that of the last stage */
LK_INLINE void take_sum(lanes_t *f, double h)
{
    lanes_t turn[4], u[3], v[6];

    lk_rk4_advance_lanes(h, f + LK_RK4_SUM, f + LK_BODY_OLD_V, u, f + LK_RK4_THETA, v);
    lk_rotation_exp_lanes(f + LK_RK4_THETA, turn);
    lk_moved_state_lanes(f + LK_BODY_OLD_X, f + LK_BODY_OLD_Q, u, turn, f + LK_BODY_OLD_X,
                         f + LK_BODY_OLD_Q);
    for (int i = 0; i < 6; i++)
        f[LK_BODY_OLD_V + i] = v[i];
    show_unclosed_pose(f);
}

/* advance from stage @k, whose accelerations are known, to the next stage or to the new
 * state */
static __attribute__((noinline)) void advance_bodies(const struct lk_system *sys,
                                                     const struct lk_batches *p, int block, int k,
                                                     struct watch *watch)
{
    lanes_t *f = block_at(p, p->bodies[block].at), rate[12];
    const lanes_t *theta = f + LK_RK4_THETA;

    add_rates(f, lk_rk4_weight[k], k == 0, rate);
    if (k < LK_RK4_STAGES - 1)
        show_stage(f, rate, lk_rk4_when[k + 1] * sys->h);
    else
        take_sum(f, sys->h);
    watch->widest = lk_max_lanes(watch->widest, lk_inner_lanes(theta, theta));
}

/* ---- joints ---- */

/* compute Jacobian and gamma at the pose of the stage, and forces of the multipliers */
LK_INLINE void stage_kind(const struct lk_joint_kind *k, const struct lk_batches *p,
                          const struct lk_batch_joints *j)
{
    lanes_t *f = block_at(p, j->at), buffer[2][18];
    const lanes_t *const body[2] = {view(p, &j->body[0], 0, 18, buffer[0]),
                                    view(p, &j->body[1], 0, 18, buffer[1])};
    const lanes_t *const twist[2] = {body[0] + LK_BODY_V, body[1] + LK_BODY_V};
    struct place_of at;

    locate(k, f, body, &at);
    jacobian(k, &at, f + lk_kind_jacobian(k));
    gamma_rows(k, &at, twist, f + lk_kind_x(k));
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

ROWS_FN(stage_rows_rows)
{
    stage_kind(k, run->p, joints_at(run, block));
}

STAGE_FN(stage_rows_single)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(run->p, j->at);

    lk_singles_turn(run->sys, run->p, block, false);
    lk_singles_gamma(run->sys, run->p, block);
    scatter_load(k, f + lk_kind_jacobian(k), f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

#define WORK stage_rows
#include "step/lanes/each_kind_inl.h"

/* ---- sweeps ---- */

static void show_stage_motion(const struct run *run, int block)
{
    show_field(run, block, LK_BODY_X);
    show_twist_in(run, block, LK_RK4_STAGE_V);
}

STAGE_FN(begun_bodies)
{
    advance_bodies(run->sys, run->p, block, 0, &run->watch[t]);
    show_stage_motion(run, block);
}

STAGE_FN(stage_bodies)
{
    show_stage_motion(run, block);
}

STAGE_FN(unclosed_motion)
{
    show_field(run, block, LK_BODY_NOW_X);
    show_twist_in(run, block, LK_BODY_OLD_V);
}

STAGE_FN(settled_poses)
{
    show_field(run, block, LK_BODY_X);
}

STAGE_FN(stage_accelerations)
{
    accelerate_freely(run->sys, run->p, block, false);
}

STAGE_FN(new_accelerations)
{
    accelerate_freely(run->sys, run->p, block, true);
}

STAGE_FN(shown_velocities)
{
    show_motion(run->p, block, LK_BODY_OLD_V);
}

/* compute the right-hand side of the next solve: @what times E times the solution */
STAGE_FN(contradict_rows)
{
    const struct lk_batch_joints *j = joints_at(run, block);
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    lanes_t *f = block_at(run->p, j->at);
    double weight = stage->what;

    for (int r = 0; r < lk_kind_rows(k); r++)
        f[lk_kind_x(k) + r] *= weight * f[lk_kind_regular(k) + r];
}

static const struct joint_work contradict_work = {.any = contradict_rows};

static const struct stage rk4_ups[RK4_UPS] = {
    [RK4_BEGIN] = {begun_bodies, &stage_rows_work},
    [RK4_ROWS] = {stage_bodies, &stage_rows_work},
    [RK4_STAGE] = {stage_accelerations, &seek_accelerations_work, FACTOR_AND_ASSEMBLE},
    [RK4_CONTRADICTION] = {NULL, &contradict_work, ASSEMBLE, 1},
    [RK4_CONTRADICTION_LAST] = {NULL, &contradict_work, ASSEMBLE, 1 - LK_LEAST_SOLVES},
    [RK4_OPEN] = {unclosed_motion, &open_work, ASSEMBLE},
    [RK4_SETTLE] = {settled_poses, &settle_work, .what = true},
    [RK4_PROJECT] = {NULL, &seek_velocities_work, FACTOR_AND_ASSEMBLE},
    [RK4_RATES] = {shown_twists, &rate_work, .what = FORGET},
    [RK4_NEW] = {new_accelerations, &seek_accelerations_work, ASSEMBLE},
    [RK4_RATES_AGAIN] = {shown_velocities, &rate_work, .what = JUST_RATES},
    [RK4_AGAIN] = {shown_accelerations, &seek_accelerations_work, ASSEMBLE},
    [RK4_STORE] = {stored_motion, &store_work, .what = SCALE_ONE},
};

STAGE_FN(advanced_bodies)
{
    project_bodies(run->p, block, LK_BODY_OLD_A);
    advance_bodies(run->sys, run->p, block, run->sys->progress->stage, &run->watch[t]);
}

static const struct stage rk4_downs[RK4_DOWNS] = {
    [RK4_ADVANCE] = {advanced_bodies, &take_solution_work, SOLVE, SCALE_S},
    [RK4_CLOSE] = {closed_poses, &take_solution_work, SOLVE, SCALE_NONE},
    [RK4_CLOSE_LAST] = {last_closed_poses, &take_solution_work, SOLVE, SCALE_NONE},
    [RK4_TWISTS] = {projected_velocities, &take_solution_work, SOLVE, SCALE_NONE},
    [RK4_ACCELERATIONS] = {projected_accelerations, &take_solution_work, SOLVE, SCALE_S},
};

/* copy the motion of the state; its accelerations may change with the inputs */
static void rk4_take(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys);

    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    do_all_joints(&run, &rate_work, GO_ON);
}

/* run a sweep; clears the struct watch of each task at the first stage */
static void rk4_sweep(struct lk_system *sys, int down, int up)
{
    const struct lk_batches *p = sys->batches;

    if (up == RK4_BEGIN)
        memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
    sweep(sys, down == RK4_STAY ? NULL : &rk4_downs[down], up == RK4_REST ? NULL : &rk4_ups[up]);
}

/* compute -Q of the bodies on which loads or laws act. @field: field of the twists.
 * Return: powers of the laws */
static struct lk_law_powers take_stage_loads(struct lk_system *sys, const struct lk_batches *p,
                                             double t, const double *inputs, int field)
{
    struct lk_law_powers laws;

    if (p->n_soft > 0) /* laws depend on coordinates, so all coordinates are evaluated */
        show_motions(sys, p, field);
    for (int i = 0; i < p->n_loaded && p->n_soft == 0; i++)
        show_twist(sys, p, p->loaded[i], field);
    laws = lk_singles_follow(sys, p);
    put_loads(sys, p, t, inputs, LK_FREE_LOAD);
    return laws;
}

static struct lk_law_powers rk4_follow(struct lk_system *sys, double t, const double *inputs)
{
    return take_stage_loads(sys, sys->batches, t, inputs,
                            sys->progress->is_stage ? LK_RK4_STAGE_V : LK_BODY_OLD_V);
}
