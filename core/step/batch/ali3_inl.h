/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3` on batches: loads, sweeps, the step. The method is that of step/ali3.c,
 * equation by equation. Without include guard on purpose, see lanes_inl.h. */

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

/* ---- sweeps ---- */

/** enum ali3_down, enum ali3_up - what a sweep is for, see sweep(). Down: an increment, that of the
 * last iteration, projected velocities and accelerations. Up: the prediction and its rows, the
 * first iteration, which factors, a further one, the rows of an iterate, those of the accepted
 * pose, the projection of velocities, which factors, rates of those, the projection of
 * accelerations, the new state. A factor needs the Jacobians of all tasks and the top: a meeting
 * lies between. */
enum ali3_down {
    ALI3_STAY,
    ALI3_INCREMENT,
    ALI3_LAST_INCREMENT,
    ALI3_VELOCITIES,
    ALI3_ACCELERATIONS
};
enum ali3_up {
    ALI3_REST,
    ALI3_PREDICT,
    ALI3_FIRST,
    ALI3_ITERATE,
    ALI3_EVALUATE,
    ALI3_SETTLE,
    ALI3_PROJECT_VELOCITIES,
    ALI3_RATES,
    ALI3_PROJECT_ACCELERATIONS,
    ALI3_STORE
};

/** struct ali3_run - a step under way. @leaks: multipliers of rigid rows are forgotten in this
 * iteration, see leak() in step/ali3.c; on a line of its own, as it changes */
struct ali3_run {
    struct run run;
    alignas(LK_CACHE_LINE) int leaks;
};

LK_INLINE void ali3_bodies_up(const struct ali3_run *now, enum ali3_up up, int t, int block)
{
    const struct lk_batches *p = now->run.p;

    switch (up) {
    case ALI3_PREDICT:
        predict_bodies(now->run.sys, p, block, &now->run.watch[t]);
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
        store_bodies(&now->run, block, &now->run.watch[t]);
        break;
    case ALI3_REST:
    case ALI3_EVALUATE:
    case ALI3_SETTLE:
    case ALI3_PROJECT_VELOCITIES:
    case ALI3_RATES:
        break;
    }
}

LK_INLINE void ali3_joints_up(const struct ali3_run *now, enum ali3_up up, int t, int block)
{
    const struct lk_batches *p = now->run.p;
    struct watch *watch = &now->run.watch[t];

    switch (up) {
    case ALI3_PREDICT:
        evaluate_joints(p, block, 1);
        break;
    case ALI3_FIRST:
    case ALI3_ITERATE:
        right_side(p, block, SEEK_POSES, now->leaks);
        break;
    case ALI3_EVALUATE:
        evaluate_joints(p, block, 0);
        break;
    case ALI3_SETTLE:
        settle_joints(p, block, watch);
        break;
    case ALI3_PROJECT_VELOCITIES:
        right_side(p, block, SEEK_VELOCITIES, 0);
        break;
    case ALI3_RATES:
        gamma_joints(p, block, watch);
        break;
    case ALI3_PROJECT_ACCELERATIONS:
        right_side(p, block, SEEK_ACCELERATIONS, 0);
        break;
    case ALI3_STORE:
        store_multipliers(&now->run, block, 1, watch);
        break;
    case ALI3_REST:
        break;
    }
}

static void ali3_up(const struct run *run, int t, int what)
{
    const enum ali3_up up = (enum ali3_up)what;
    const struct ali3_run *now = (const struct ali3_run *)run;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];
    bool factors = up == ALI3_FIRST || up == ALI3_PROJECT_VELOCITIES;
    bool solves = factors || up == ALI3_ITERATE || up == ALI3_PROJECT_ACCELERATIONS;

    if (up == ALI3_REST)
        return;
    EACH_UP(task, ali3_bodies_up(now, up, t, index), ali3_joints_up(now, up, t, index),
            if (solves) upward(p, index, factors ? FACTOR_AND_ASSEMBLE : ASSEMBLE,
                               block_at(p, task->scratch)))
}

LK_INLINE void ali3_bodies_down(const struct ali3_run *now, enum ali3_down down, int t, int block)
{
    const struct lk_batches *p = now->run.p;

    switch (down) {
    case ALI3_INCREMENT:
    case ALI3_LAST_INCREMENT:
        apply_increment(now->run.sys, p, block, down == ALI3_LAST_INCREMENT, &now->run.watch[t]);
        break;
    case ALI3_VELOCITIES:
        project_bodies(p, block, LK_BODY_OLD_V);
        break;
    case ALI3_ACCELERATIONS:
        project_bodies(p, block, LK_BODY_OLD_A);
        break;
    case ALI3_STAY:
        break;
    }
}

static void ali3_down(const struct run *run, int t, int what)
{
    const enum ali3_down down = (enum ali3_down)what;
    const struct ali3_run *now = (const struct ali3_run *)run;
    const struct lk_batches *p = run->p;
    const struct lk_batch_task *task = &p->tasks[t];
    double scale = down == ALI3_VELOCITIES ? 0 : down == ALI3_ACCELERATIONS ? run->sys->s : 1;

    if (down == ALI3_STAY)
        return;
    EACH_DOWN(task, ali3_bodies_down(now, down, t, index), take_solution(p, index, scale),
              downward(p, index, block_at(p, task->scratch)))
}

static void ali3_sweep(struct ali3_run *now, enum ali3_down down, enum ali3_up up)
{
    sweep(&now->run, (int)down, (int)up);
}

/* ---- the step ---- */

/* Carry the accelerations and multipliers of the last step over a jump of the inputs; see
 * absorb_jumps() in step/ali3.c. Pose, Jacobian and factor are those that the last step left. */
static void absorb_jumps(struct ali3_run *now, const double *inputs)
{
    const struct run *run = &now->run;
    const struct lk_batches *p = run->p;

    for (int b = 0; b < p->n_bodies; b++)
        show_motion(p, b, LK_BODY_OLD_V);
    for (int b = 0; b < p->n_joints; b++)
        gamma_joints(p, b, run->watch);
    add_jumps(run->sys, p, inputs);
    ali3_sweep(now, ALI3_STAY, ALI3_PROJECT_ACCELERATIONS);
    ali3_sweep(now, ALI3_ACCELERATIONS, ALI3_REST);
}

static int ali3_step(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    struct ali3_run now = {.run = new_run(sys, ali3_down, ali3_up)};
    int last = sys->iterations - 1;

    if (sys->n_jumps > 0)
        absorb_jumps(&now, inputs);
    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
    ali3_sweep(&now, ALI3_STAY, ALI3_PREDICT);
    for (int i = 0; i <= last; i++) {
        now.leaks = i == 0 || sys->leak_always;
        subtract_loads(sys, p, inputs, i == 0 ? LK_BODY_X : LK_BODY_NOW_X);
        ali3_sweep(&now, ALI3_STAY, i == 0 ? ALI3_FIRST : ALI3_ITERATE);
        if (i < last)
            ali3_sweep(&now, ALI3_INCREMENT, ALI3_EVALUATE);
    }
    ali3_sweep(&now, ALI3_LAST_INCREMENT, ALI3_SETTLE);
    ali3_sweep(&now, ALI3_STAY, ALI3_PROJECT_VELOCITIES);
    ali3_sweep(&now, ALI3_VELOCITIES, ALI3_RATES);
    ali3_sweep(&now, ALI3_STAY, ALI3_PROJECT_ACCELERATIONS);
    ali3_sweep(&now, ALI3_ACCELERATIONS, ALI3_STORE);
    keep_balance(&now.run, 0);
    show_watched(sys, p, &sys->next);
    return judge(&now.run, 0);
}
