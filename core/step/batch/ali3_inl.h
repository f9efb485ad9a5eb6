/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3` on batches: tasks, phases, the step. The method is that of step/ali3.c,
 * equation by equation. Without include guard on purpose, see lanes_inl.h. */

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

/* ---- loads and multipliers ---- */

static void subtract_loads(struct lk_system *sys, const struct lk_batches *p, const double *inputs,
                           int field)
{
    sum_loads(sys, p, (sys->now.balance->steps + 1) * sys->h, inputs, field);
    for (int i = 0; i < p->n_loaded; i++) {
        double *f = p->values + p->place[p->loaded[i]] + LK_BODY_V * LK_LANES;
        const struct lk_twist *wrench = &sys->residual[p->loaded[i]];

        for (int k = 0; k < 3; k++) {
            f[k * LK_LANES] += wrench->v[k];
            f[(3 + k) * LK_LANES] += wrench->w[k];
        }
    }
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

/* also in empty lanes, where a step that overflowed may have left NaN */
static void load_multipliers(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int b = 0; b < p->n_joints; b++) {
        const struct lk_batch_joints *j = &p->joints[b];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        double *f = p->values + (j->at + lk_kind_lambda(k)) * LK_LANES;

        for (int l = 0; l < LK_LANES; l++)
            for (int r = 0; r < lk_kind_rows(k); r++)
                f[r * LK_LANES + l] =
                    j->joint[l] < 0 ? 0 : sys->now.lambda[sys->joint[j->joint[l]].row + r];
    }
}

/* ---- phases ---- */

/** struct ali3_run - a step under way. @phase, @pass, @leaks, @is_last: current phase and its
 * parameters */
struct ali3_run {
    struct run run;
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

    EACH(LK_BATCH_BODIES, &p->tasks[t], store_bodies(run, index, &run->watch[t]))
    EACH(LK_BATCH_JOINTS, &p->tasks[t], store_multipliers(run, index, 1, &run->watch[t]))
}

/* one task's part of a phase */
static void do_phase(const struct run *run, int t)
{
    const struct ali3_run *now = (const struct ali3_run *)run;

    switch (now->phase) {
    case PREDICT:
        predict(run, t);
        break;
    case EVALUATE:
        evaluate(run, t, now->pass == FIRST);
        break;
    case UP:
        up(run, t, now->pass, now->leaks);
        break;
    case DOWN:
    case DOWN_EVALUATE:
    case DOWN_SETTLE:
    case DOWN_GAMMA:
    case DOWN_STORE:
        down(run, t, now->pass, now->is_last);
        if (now->phase == DOWN_EVALUATE)
            evaluate(run, t, 0);
        else if (now->phase == DOWN_SETTLE)
            settle_task(run, t);
        else if (now->phase == DOWN_GAMMA)
            gamma_of(run, t);
        else if (now->phase == DOWN_STORE)
            store(run, t);
        break;
    }
}

static void share_phase(struct ali3_run *now, enum phase phase)
{
    now->phase = phase;
    share_out(&now->run);
}

/* All tasks execute every phase; the top, which joins them, is last on the way up and first on the
 * way down. */
static void solve(struct ali3_run *now, enum pass pass, enum phase after)
{
    struct run *run = &now->run;
    int top = run->p->n_tasks - 1;

    now->pass = pass;
    share_phase(now, UP);
    do_phase(run, top);
    down(run, top, pass, now->is_last);
    share_phase(now, after);
    /* what comes after, of the top */
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
static void absorb_jumps(struct ali3_run *now, const double *inputs)
{
    const struct run *run = &now->run;
    const struct lk_batches *p = run->p;

    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int t = 0; t < p->n_tasks; t++)
        gamma_of(run, t);
    add_jumps(run->sys, p, inputs);
    solve(now, ACCELERATION, DOWN);
}

/* poses, then rows, of all bodies and joints */
static void begin(struct ali3_run *now)
{
    int top = now->run.p->n_tasks - 1;

    now->pass = FIRST;
    share_phase(now, PREDICT);
    predict(&now->run, top);
    share_phase(now, EVALUATE);
    evaluate(&now->run, top, 1);
}

static int ali3_step(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    struct watch *watch = (struct watch *)p->watch;
    struct ali3_run now = {{.sys = sys, .p = p, .watch = watch, .do_task = do_phase}};
    int last = sys->iterations - 1;

    if (sys->n_jumps > 0)
        absorb_jumps(&now, inputs);
    memset(watch, 0, (size_t)p->n_tasks * sizeof(*watch));
    begin(&now);
    for (int i = 0; i <= last; i++) {
        now.leaks = i == 0 || sys->leak_always;
        now.is_last = i == last;
        subtract_loads(sys, p, inputs, i == 0 ? LK_BODY_X : LK_BODY_NOW_X);
        solve(&now, i == 0 ? FIRST : ITERATE, i == last ? DOWN_SETTLE : DOWN_EVALUATE);
    }
    solve(&now, VELOCITY, DOWN_GAMMA);
    solve(&now, ACCELERATION, DOWN_STORE);
    keep_balance(&now.run, 0);
    show_watched(sys, p, &sys->next);
    return judge(&now.run, 0);
}

/* the scratch that a step begins with, from sys->now */
static void ali3_renew(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;
    struct run all = {.sys = sys, .p = p, .watch = (struct watch *)p->watch}, *run = &all;

    for (int b = 0; b < p->n_bodies; b++) {
        load_bodies(&sys->now, p, b);
        show_state(block_at(p, p->bodies[b].at));
    }
    load_multipliers(sys, p);
    for (int t = 0; t < p->n_tasks; t++)
        settle_task(run, t);
    for (int t = 0; t < p->n_tasks; t++)
        up(run, t, FACTOR, 0);
    show_watched(sys, p, &sys->now);
}
