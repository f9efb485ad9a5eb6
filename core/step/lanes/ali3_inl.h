/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3` on batches: loads, sweeps, the step. The method is that of
 * step/scripts/ali3.c, equation by equation. Without include guard on purpose, see lanes_inl.h. */

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

/* a += W dQ for the jump of the inputs as the step begins, and what it leaves of soft rows */
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

/* where there is no inertia accelerations do not follow from forces, and stay as they are */
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

/* rows of stops that are hit, or rest: like rigid ones, see impact_rates() in step/one/evaluate.c
 */
static void seek_impacts(const struct run *run, int block, enum sought sought)
{
    const struct lk_batch_joints *j = &run->p->joints[block];
    lanes_t rate[ROWS_MAX];

    if (!lk_lane_is_soft(j->kind))
        return;
    rates_of_single(run->p, j, LK_BODY_V, rate);
    lk_singles_hold(run->sys, run->p, block, sought == SEEK_ACCELERATIONS, (const double *)rate);
}

/* what stops change of velocities, into V: world, body axes */
static void bounce_bodies(const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    lanes_t *f = block_at(p, b->at), change[6];

    correction(p, b, f, change);
    for (int i = 0; i < 3; i++)
        f[LK_BODY_V + i] = change[i];
    rotate_back(f + LK_BODY_R, change + 3, f + LK_BODY_V + 3);
}

/* Phi or what laws want, and Phi_q^T lambda at the present pose; @is_first: at the predicted one,
 * whose Jacobian is kept */
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
        memset(now, 0, sizeof(now)); /* lanes without a joint */
        lk_singles_turn_to(sys, p, block, (double *)now);
    }
    if (lk_lane_is_soft(j->kind))
        lk_singles_follow_pose(sys, p, block, is_first);
    else
        lk_singles_violate(sys, p, block, false);
    scatter_load(k, J, f + lk_kind_lambda(k), f + lk_kind_scatter(k));
}

static void evaluate_rows(const struct run *run, int block, bool is_first)
{
    if (__builtin_expect(run->p->joints[block].kind >= LK_KIND_SINGLE, 0))
        evaluate_single(run, block, is_first);
    else
        evaluate_joints(run->p, block, is_first);
}

/* ---- sweeps ---- */

/* poses, and twists where laws ask for them */
LK_INLINE void show_iterate_in(const struct run *run, int block, int field)
{
    if (__builtin_expect(run->p->bodies[block].shown == 0, 1))
        return;
    lk_singles_show_pose(run->sys, run->p, block, field);
    if (run->sys->needs_twists)
        show_twists_of_turn(run->sys, run->p, block);
}

LK_INLINE void ali3_bodies_up(const struct run *run, enum ali3_up up, int t, int block)
{
    const struct lk_batches *p = run->p;

    switch (up) {
    case ALI3_PREDICT:
        predict_bodies(run->sys, p, block, &run->watch[t]);
        show_iterate_in(run, block, LK_BODY_X);
        break;
    case ALI3_EVALUATE:
        show_iterate_in(run, block, LK_BODY_NOW_X);
        break;
    case ALI3_SETTLE:
        show_field(run, block, LK_BODY_X);
        show_twist_in(run, block, LK_BODY_OLD_V);
        break;
    case ALI3_RATES:
        show_twist_in(run, block, LK_BODY_OLD_V);
        break;
    case ALI3_FIRST:
        weigh_residual(p, block, LK_BODY_X);
        break;
    case ALI3_ITERATE:
        weigh_residual(p, block, LK_BODY_NOW_X);
        break;
    case ALI3_PROJECT_ACCELERATIONS:
        show_motion(p, block, LK_BODY_OLD_A);
        break;
    case ALI3_STORE:
        store_bodies(run, block, &run->watch[t]);
        break;
    case ALI3_RELOAD:
        load_bodies(&run->sys->next, p, block);
        show_unclosed_pose(block_at(p, p->bodies[block].at));
        show_twist_in(run, block, LK_BODY_OLD_V);
        break;
    case ALI3_OPEN:
        show_field(run, block, LK_BODY_NOW_X);
        break;
    case ALI3_FREE:
        accelerate_freely(run->sys, p, block, true);
        if (p->rare)
            keep_massless(p, block);
        break;
    case ALI3_REST:
    case ALI3_PROJECT_VELOCITIES:
    case ALI3_FACTOR:
    case ALI3_BOUNCE:
        break;
    }
}

LK_INLINE void ali3_joints_up(const struct run *run, enum ali3_up up, int t, int block)
{
    const struct lk_batches *p = run->p;
    struct watch *watch = &run->watch[t];

    switch (up) {
    case ALI3_PREDICT:
        evaluate_rows(run, block, true);
        break;
    case ALI3_FIRST:
    case ALI3_ITERATE:
        seek(run, block, SEEK_POSES, run->sys->progress->leaks);
        break;
    case ALI3_EVALUATE:
        evaluate_rows(run, block, false);
        break;
    case ALI3_SETTLE:
        settle_all(run, block, false, watch);
        break;
    case ALI3_PROJECT_VELOCITIES:
        seek(run, block, SEEK_VELOCITIES, 0);
        if (run->sys->n_stops > 0)
            seek_impacts(run, block, SEEK_VELOCITIES);
        break;
    case ALI3_RATES:
        rates_of_state(run, block, watch);
        break;
    case ALI3_RELOAD:
        load_multipliers_of(run->sys, &run->sys->next, p, block);
        break;
    case ALI3_OPEN:
        open_joints(run, block);
        break;
    case ALI3_PROJECT_ACCELERATIONS:
    case ALI3_FREE:
        seek(run, block, SEEK_ACCELERATIONS, 0);
        if (run->sys->n_stops > 0 && !run->sys->progress->jumps)
            seek_impacts(run, block, SEEK_ACCELERATIONS);
        break;
    case ALI3_STORE:
        store_multipliers(run, block, 1, false, watch);
        break;
    case ALI3_REST:
    case ALI3_FACTOR:
    case ALI3_BOUNCE:
        break;
    }
}

static void ali3_up(const struct run *run, int t, int what)
{
    const enum ali3_up up = (enum ali3_up)what;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];
    bool factors = up == ALI3_FIRST || up == ALI3_PROJECT_VELOCITIES || up == ALI3_FREE;
    bool solves = factors || up == ALI3_ITERATE || up == ALI3_PROJECT_ACCELERATIONS ||
                  up == ALI3_OPEN || up == ALI3_BOUNCE;
    enum front_work work = factors ? FACTOR_AND_ASSEMBLE : up == ALI3_FACTOR ? FACTOR : ASSEMBLE;

    if (up == ALI3_REST)
        return;
    EACH_UP(task, ali3_bodies_up(run, up, t, index), ali3_joints_up(run, up, t, index),
            if (solves || up == ALI3_FACTOR) upward(p, index, work, block_at(p, task->scratch)))
}

LK_INLINE void ali3_bodies_down(const struct run *run, enum ali3_down down, int t, int block)
{
    const struct lk_batches *p = run->p;

    switch (down) {
    case ALI3_INCREMENT:
    case ALI3_LAST_INCREMENT:
        apply_increment(run->sys, p, block, down == ALI3_LAST_INCREMENT, &run->watch[t]);
        break;
    case ALI3_VELOCITIES:
        project_bodies(p, block, LK_BODY_OLD_V);
        break;
    case ALI3_ACCELERATIONS:
        project_bodies(p, block, LK_BODY_OLD_A);
        break;
    case ALI3_CLOSE:
    case ALI3_CLOSE_LAST:
        close_poses(p, block, down == ALI3_CLOSE_LAST, &run->watch[t]);
        break;
    case ALI3_BOUNCED:
        bounce_bodies(p, block);
        break;
    case ALI3_STAY:
        break;
    }
}

static void ali3_down(const struct run *run, int t, int what)
{
    const enum ali3_down down = (enum ali3_down)what;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];
    bool adds = down == ALI3_INCREMENT || down == ALI3_LAST_INCREMENT;
    double scale = down == ALI3_ACCELERATIONS ? run->sys->s : adds ? 1 : 0;

    if (down == ALI3_STAY)
        return;
    EACH_DOWN(task, ali3_bodies_down(run, down, t, index), take_solution(p, index, scale),
              downward(p, index, block_at(p, task->scratch)))
}

#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/lanes/ali3_stops_inl.h"

static void ali3_begin(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
}

static void ali3_sweep(struct lk_system *sys, int down, int up)
{
    const struct lk_batches *p = sys->batches;
    struct run run = new_run(sys, ali3_down, ali3_up);

    if (up == ALI3_PROJECT_VELOCITIES || up == ALI3_FACTOR)
        lk_singles_regularise(sys, p);
    if (up == ALI3_BOUNCE)
        find_bounces(sys, p);
    sweep(&run, down, up);
    if (down == ALI3_VELOCITIES && up == ALI3_REST)
        show_motions(sys, p, LK_BODY_OLD_V);
    if (down == ALI3_BOUNCED)
        give_bounce(sys, &run);
}

/* the pose of the iterate is in X at first, then in NOW_X */
static void ali3_loads(struct lk_system *sys, double t, const double *inputs)
{
    subtract_loads(sys, sys->batches, t, inputs,
                   sys->progress->done == 0 ? LK_BODY_X : LK_BODY_NOW_X);
}

static void ali3_jump(struct lk_system *sys, const double *inputs, int leaving)
{
    const struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys, ali3_down, ali3_up);

    if (sys->n_stops > 0)
        restore_accelerations(sys, p);
    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int b = 0; b < p->n_joints; b++)
        rates_of_state(&run, b, run.watch);
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

/* accelerations of the bodies that loads act on */
static void ali3_give(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int i = 0; i < p->n_loaded; i++)
        read_six(p, p->loaded[i], LK_BODY_OLD_A, &sys->next.motion[p->loaded[i]].a);
}

/* the scratch that a step begins with, from sys->now */
static void ali3_renew(struct lk_system *sys)
{
    const struct lk_batches *p = sys->batches;

    for (int b = 0; b < sys->n_bodies && p->rare; b++)
        lk_rare_body(sys, p, b);
    renew_factor(sys);
}

/* ---- higher orders, see step/scripts/ali3_extrapolate.c ---- */

/* sys->now has the accelerations and multipliers in lanes */
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

/* pose, Jacobians and weights are those that the last step left */
static void ali3_settle(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    const struct run run = new_run(sys, ali3_down, ali3_up);

    if (p->n_soft > 0)
        lk_loads_law_multipliers(sys, &sys->now, 1, sys->now.lambda);
    load_multipliers(sys, &sys->now, p);
    sum_loads(sys, p, lk_time(sys), inputs, LK_BODY_X);
    put_sums(sys, p, LK_FREE_LOAD);
    lk_singles_decouple(p);
    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int b = 0; b < p->n_joints; b++) {
        rates_of_state(&run, b, run.watch);
        begin_multipliers(p, b, false);
    }
    ali3_sweep(sys, ALI3_STAY, ALI3_FREE);
    ali3_sweep(sys, ALI3_ACCELERATIONS, ALI3_REST);
    lk_singles_regularise(sys, p);
    keep_accelerations(sys, p);
}
