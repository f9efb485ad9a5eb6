/* SPDX-License-Identifier: Apache-2.0 */
/* The step on batches, for one kind of processor: a file that defines LK_LANES and LK_ENGINE
 * includes this once. The method is that of step/ali3.c, equation by equation. */
#include "linkage/pool.h"
#include "maths/lanes_inl.h"
#include "step/batch/batch.h"
#include <string.h>

#include "step/batch/bodies_inl.h"
#include "step/batch/joints_inl.h"

#include "step/batch/fronts_inl.h"

/* ---- a task ---- */

/* @leaks: multipliers of rigid rows are forgotten in this pass, see leak() in step/ali3.c */
LK_INLINE void sweep_up(const struct lk_batches *p, const struct lk_batch_task *task,
                        enum pass pass, int leaks)
{
    lanes_t *scratch = block_at(p, task->scratch);

    for (int i = task->first_op; i < task->first_op + task->n_ops; i++) {
        const struct lk_batch_op *op = &p->ops[i];

        switch (op->what) {
        case LK_BATCH_BODIES:
            if (pass == FIRST)
                weigh_residual(p, op->index, LK_BODY_X);
            else if (pass == ITERATE)
                weigh_residual(p, op->index, LK_BODY_NOW_X);
            else if (pass == ACCELERATION)
                show_motion(p, op->index, LK_BODY_OLD_A);
            break;
        case LK_BATCH_JOINTS:
            if (pass != FACTOR)
                right_side(p, op->index, pass, leaks);
            break;
        case LK_BATCH_FRONT:
            upward(p, op->index, pass, scratch);
            break;
        }
    }
}

/* @is_last: iteration, after which the new state is accepted */
LK_INLINE void sweep_down(const struct lk_system *sys, const struct lk_batches *p,
                          const struct lk_batch_task *task, enum pass pass, int is_last,
                          struct watch *watch)
{
    lanes_t *scratch = block_at(p, task->scratch);
    double scale = pass == VELOCITY ? 0 : pass == ACCELERATION ? sys->s : 1;

    for (int i = task->first_op + task->n_ops - 1; i >= task->first_op; i--) {
        const struct lk_batch_op *op = &p->ops[i];

        switch (op->what) {
        case LK_BATCH_BODIES:
            if (pass == VELOCITY)
                project_bodies(p, op->index, LK_BODY_OLD_V);
            else if (pass == ACCELERATION)
                project_bodies(p, op->index, LK_BODY_OLD_A);
            else
                apply_increment(sys, p, op->index, is_last, watch);
            break;
        case LK_BATCH_JOINTS:
            take_solution(p, op->index, scale);
            break;
        case LK_BATCH_FRONT:
            downward(p, op->index, scratch);
            break;
        }
    }
}

/* @call for every block of @what in @task */
#define EACH(what_, task, call)                                                                    \
    for (int i_ = (task)->first_op; i_ < (task)->first_op + (task)->n_ops; i_++) {                 \
        int index = p->ops[i_].index;                                                              \
        if (p->ops[i_].what == (what_))                                                            \
            call;                                                                                  \
    }

/* ---- what is outside of lanes: loads ---- */

/* the pose of body @b, one body of its block; @field: X or NOW_X */
LK_INLINE void show_pose(struct lk_system *sys, const struct lk_batches *p, int b, int field)
{
    const double *f = p->values + p->place[b] + field * LK_LANES;

    for (int i = 0; i < 3; i++)
        sys->pose[b].x[i] = f[i * LK_LANES];
    for (int i = 0; i < 9; i++)
        sys->pose[b].R[i] = f[(3 + i) * LK_LANES];
}

/* add a wrench (force: world, torque: body axes) to the residual of a body */
LK_INLINE void add_wrench(const struct lk_batches *p, int b, const struct lk_twist *wrench)
{
    double *f = p->values + p->place[b] + LK_BODY_V * LK_LANES;

    for (int i = 0; i < 3; i++) {
        f[i * LK_LANES] += wrench->v[i];
        f[(3 + i) * LK_LANES] += wrench->w[i];
    }
}

static void subtract_loads(struct lk_system *sys, const struct lk_batches *p, const double *inputs,
                           int field)
{
    double t = (sys->now.balance->steps + 1) * sys->h;

    if (p->n_loaded == 0)
        return;
    for (int i = 0; i < p->n_loaded; i++) {
        show_pose(sys, p, p->loaded[i], field);
        sys->residual[p->loaded[i]] = (struct lk_twist){0};
    }
    lk_loads_subtract_applied(sys, t, inputs, sys->residual);
    for (int i = 0; i < p->n_loaded; i++)
        add_wrench(p, p->loaded[i], &sys->residual[p->loaded[i]]);
}

/* a += W dQ for the jump of the inputs as the step begins */
static void add_jumps(struct lk_system *sys, const struct lk_batches *p, const double *inputs)
{
    for (int i = 0; i < p->n_loaded; i++)
        sys->correction[p->loaded[i]] = (struct lk_twist){0};
    lk_loads_subtract_jumps(sys, inputs, sys->correction);
    for (int i = 0; i < p->n_loaded; i++) {
        int b = p->loaded[i];
        double *a = p->values + p->place[b] + LK_BODY_OLD_A * LK_LANES, turn[3];

        lk_sym_mul(sys->W[b].inertia, sys->correction[b].w, turn);
        for (int k = 0; k < 3; k++) {
            a[k * LK_LANES] -= sys->W[b].mass * sys->correction[b].v[k];
            a[(3 + k) * LK_LANES] -= turn[k];
        }
    }
}

/* ---- multipliers, one joint after another in the state ---- */

/* also in empty lanes, where a step that overflowed may have left NaN */
static void load_multipliers(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int b = 0; b < p->n_joints; b++) {
        const struct lk_batch_joints *j = &p->joints[b];
        const struct lk_joint_kind *k = &lk_joint_kinds[j->kind];
        double *f = p->values + (j->at + lk_kind_lambda(k)) * LK_LANES;

        for (int l = 0; l < LK_LANES; l++)
            for (int r = 0; r < lk_kind_rows(k); r++)
                f[r * LK_LANES + l] =
                    j->joint[l] < 0 ? 0 : sys->now.lambda[sys->joint[j->joint[l]].row + r];
    }
}

LK_INLINE void store_multipliers(struct lk_system *sys, const struct lk_batches *p, int block,
                                 struct watch *watch)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = &lk_joint_kinds[j->kind];
    const lanes_t *lambda = block_at(p, j->at + lk_kind_lambda(k));
    int rows = lk_kind_rows(k);

    for (int r = 0; r < rows; r++)
        watch->finite += lambda[r] * 0.0;
    for (int l = 0; l < LK_LANES; l++) {
        double *to = sys->next.lambda + j->row[l];

        for (int r = 0; r < rows && j->joint[l] >= 0; r++)
            to[r] = ((const double *)&lambda[r])[l];
    }
}

/* ---- the step ---- */

/** struct run - a step under way. Each task collects into a struct watch of its own.
 * @phase, @pass, @leaks, @is_last: current phase and its parameters;  @n_phases: done so far */
struct run {
    struct lk_system *sys;
    const struct lk_batches *p;
    struct watch *watch;
    enum phase {
        PREDICT,
        EVALUATE,
        UP,
        DOWN,
        DOWN_EVALUATE,
        DOWN_SETTLE,
        DOWN_GAMMA,
        DOWN_STORE
    } phase;
    enum pass pass;
    int leaks;
    int is_last;
    int n_phases;
};

static void predict(const struct run *run, int t)
{
    const struct lk_batches *p = run->p;

    EACH(LK_BATCH_BODIES, &p->tasks[t], predict_bodies(run->sys, p, index, &run->watch[t]))
}

static void evaluate(const struct run *run, int t, int keep)
{
    const struct lk_batches *p = run->p;

    EACH(LK_BATCH_JOINTS, &p->tasks[t], evaluate_joints(p, index, keep))
}

static void up(const struct run *run, int t, enum pass pass, int leaks)
{
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];

    switch (pass) {
    case FIRST:
        sweep_up(p, task, FIRST, leaks);
        break;
    case ITERATE:
        sweep_up(p, task, ITERATE, leaks);
        break;
    case VELOCITY:
        sweep_up(p, task, VELOCITY, 0);
        break;
    case ACCELERATION:
        sweep_up(p, task, ACCELERATION, 0);
        break;
    case FACTOR:
        sweep_up(p, task, FACTOR, 0);
        break;
    }
}

static void down(const struct run *run, int t, enum pass pass, int is_last)
{
    struct lk_system *sys = run->sys;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];

    switch (pass) {
    case FIRST:
    case ITERATE:
    case FACTOR:
        sweep_down(sys, p, task, ITERATE, is_last, &run->watch[t]);
        break;
    case VELOCITY:
        sweep_down(sys, p, task, VELOCITY, 0, &run->watch[t]);
        break;
    case ACCELERATION:
        sweep_down(sys, p, task, ACCELERATION, 0, &run->watch[t]);
        break;
    }
}

static void settle_task(const struct run *run, int t)
{
    const struct lk_batches *p = run->p;

    EACH(LK_BATCH_JOINTS, &p->tasks[t], settle_joints(p, index, &run->watch[t]))
}

static void gamma_of(const struct run *run, int t)
{
    const struct lk_batches *p = run->p;

    EACH(LK_BATCH_JOINTS, &p->tasks[t], gamma_joints(p, index, &run->watch[t]))
}

static void store(const struct run *run, int t)
{
    const struct lk_batches *p = run->p;

    EACH(LK_BATCH_BODIES, &p->tasks[t], store_bodies(run->sys, p, index, &run->watch[t]))
    EACH(LK_BATCH_JOINTS, &p->tasks[t], store_multipliers(run->sys, p, index, &run->watch[t]))
}

/* one task's part of a phase */
static void do_phase(const struct run *run, int t)
{
    switch (run->phase) {
    case PREDICT:
        predict(run, t);
        break;
    case EVALUATE:
        evaluate(run, t, run->pass == FIRST);
        break;
    case UP:
        up(run, t, run->pass, run->leaks);
        break;
    case DOWN:
    case DOWN_EVALUATE:
    case DOWN_SETTLE:
    case DOWN_GAMMA:
    case DOWN_STORE:
        down(run, t, run->pass, run->is_last);
        if (run->phase == DOWN_EVALUATE)
            evaluate(run, t, 0);
        else if (run->phase == DOWN_SETTLE)
            settle_task(run, t);
        else if (run->phase == DOWN_GAMMA)
            gamma_of(run, t);
        else if (run->phase == DOWN_STORE)
            store(run, t);
        break;
    }
}

/* a worker's share: consecutive tasks, so that their memory stays with one core */
static void do_share(void *context, int worker)
{
    const struct run *run = context;
    int n = run->p->n_tasks - 1, size = lk_pool_size(run->sys->pool);

    for (int t = n * worker / size; t < n * (worker + 1) / size; t++)
        do_phase(run, t);
}

/* progress of a step without a pool, see lk_probe */
LK_INLINE void tell(const struct run *run, int t)
{
    if (__builtin_expect(run->sys->probe != NULL, 0))
        run->sys->probe(run->sys->probe_context, run->n_phases, t);
}

/* all tasks but the top; the order among them does not matter */
static void share_out(struct run *run, enum phase phase)
{
    int n = run->p->n_tasks - 1;

    run->phase = phase;
    if (n > 1 && run->sys->pool && lk_pool_size(run->sys->pool) > 1) {
        lk_pool_run(run->sys->pool, do_share, run);
        return;
    }
    tell(run, -1);
    for (int t = 0; t < n; t++) {
        do_phase(run, t);
        tell(run, t);
    }
    run->n_phases++;
}

/* All tasks execute every phase; the top, which joins them, is last on the way up and first on the
 * way down. */
static void solve(struct run *run, enum pass pass, enum phase after)
{
    int top = run->p->n_tasks - 1;

    run->pass = pass;
    share_out(run, UP);
    do_phase(run, top);
    down(run, top, pass, run->is_last);
    share_out(run, after);
    /* what comes after, of the top */
    run->phase = after;
    switch (after) {
    case DOWN_EVALUATE:
        evaluate(run, top, 0);
        break;
    case DOWN_SETTLE:
        settle_task(run, top);
        break;
    case DOWN_GAMMA:
        gamma_of(run, top);
        break;
    case DOWN_STORE:
        store(run, top);
        break;
    default:
        break;
    }
}

/* Carry the accelerations and multipliers of the last step over a jump of the inputs; see
 * absorb_jumps() in step/ali3.c. Pose, Jacobian and factor are those that the last step left. */
static void absorb_jumps(struct run *run, const double *inputs)
{
    const struct lk_batches *p = run->p;

    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int t = 0; t < p->n_tasks; t++)
        gamma_of(run, t);
    add_jumps(run->sys, p, inputs);
    solve(run, ACCELERATION, DOWN);
}

static double largest(lanes_t x)
{
    double most = 0;

    for (int l = 0; l < LK_LANES; l++)
        most = lk_max(most, LANE(x, l));
    return most;
}

static double total(lanes_t x)
{
    double sum = 0;

    for (int l = 0; l < LK_LANES; l++)
        sum += LANE(x, l);
    return sum;
}

static void keep_balance(const struct run *run)
{
    struct lk_balance *balance = run->sys->next.balance;

    balance->increment = balance->residual_position = balance->residual_velocity = 0;
    balance->kinetic = balance->potential = 0;
    for (int t = 0; t < run->p->n_tasks; t++) {
        const struct watch *w = &run->watch[t];

        balance->increment = lk_max(balance->increment, largest(w->increment));
        balance->residual_position = lk_max(balance->residual_position, largest(w->position));
        balance->residual_velocity = lk_max(balance->residual_velocity, largest(w->velocity));
        balance->kinetic += total(w->kinetic);
        balance->potential += total(w->potential);
    }
}

/* poses and twists of the watched bodies into those of the system */
static void show_watched(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_watched; i++) {
        int b = p->watched[i];

        show_pose(sys, p, b, LK_BODY_X);
        sys->twist[b] = sys->next.motion[b].v;
    }
}

/* poses, then rows, of all bodies and joints */
static void begin(struct run *run)
{
    int top = run->p->n_tasks - 1;

    run->pass = FIRST;
    share_out(run, PREDICT);
    predict(run, top);
    share_out(run, EVALUATE);
    evaluate(run, top, 1);
}

static int step(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    struct watch *watch = (struct watch *)p->watch;
    struct run all = {.sys = sys, .p = p, .watch = watch}, *run = &all;
    int last = sys->iterations - 1;
    double widest = 0, finite = 0;

    if (sys->n_jumps > 0)
        absorb_jumps(run, inputs);
    memset(watch, 0, (size_t)p->n_tasks * sizeof(*watch));
    begin(run);
    for (int i = 0; i <= last; i++) {
        run->leaks = i == 0 || sys->leak_always;
        run->is_last = i == last;
        subtract_loads(sys, p, inputs, i == 0 ? LK_BODY_X : LK_BODY_NOW_X);
        solve(run, i == 0 ? FIRST : ITERATE, i == last ? DOWN_SETTLE : DOWN_EVALUATE);
    }
    solve(run, VELOCITY, DOWN_GAMMA);
    solve(run, ACCELERATION, DOWN_STORE);
    keep_balance(run);
    show_watched(sys, p);
    for (int t = 0; t < p->n_tasks; t++) {
        widest = lk_max(widest, largest(watch[t].widest));
        finite += total(watch[t].finite);
    }
    if (!(widest < M_PI * M_PI))
        return LK_E_TURN;
    return finite == 0 ? 0 : LK_E_NOT_FINITE;
}

/* the scratch that a step begins with, from sys->now */
static void renew(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;
    struct run all = {.sys = sys, .p = p, .watch = (struct watch *)p->watch}, *run = &all;

    for (int b = 0; b < p->n_bodies; b++)
        load_bodies(&sys->now, p, b);
    load_multipliers(sys, p);
    for (int t = 0; t < p->n_tasks; t++)
        settle_task(run, t);
    for (int t = 0; t < p->n_tasks; t++)
        up(run, t, FACTOR, 0);
    for (int i = 0; i < p->n_watched; i++) {
        show_pose(sys, p, p->watched[i], LK_BODY_X);
        sys->twist[p->watched[i]] = sys->now.motion[p->watched[i]].v;
    }
}

const struct lk_engine LK_ENGINE = {
    .name = LK_ENGINE_NAME,
    .lanes = LK_LANES,
    .is_supported = LK_ENGINE_SUPPORTED,
    .step = step,
    .renew = renew,
};
