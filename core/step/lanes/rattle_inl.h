/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle` on batches: the step, by sweeps of rattle_sweeps_inl.h. The method is that
 * of step/scripts/rattle.c, equation by equation. Without include guard on purpose, see
 * lanes_inl.h. */

#include "step/lanes/rattle_sweeps_inl.h"

/* ---- the iterations as a whole, the same for any number of workers ---- */

static double sum_closing(const struct rattle_run *now)
{
    double sum = 0;

    for (int t = 0; t < now->run.p->n_tasks; t++)
        sum += total(now->sums[t].closing);
    return sum;
}

/* the products of the last increment with increment @k */
static lk_measures sum_inner(const struct rattle_run *now, int k)
{
    lk_measures sum = {0};

    for (int t = 0; t < now->run.p->n_tasks; t++)
        for (int m = 0; m < LK_MEASURES; m++)
            sum[m] += total(now->sums[t].inner[k][m]);
    return sum;
}

/* after a sweep up: whether the last increment is taken back */
static void judge_iterate(struct rattle_run *now)
{
    struct lk_convergence *of = &now->newton;
    double violation = 0;

    for (int t = 0; t < now->run.p->n_tasks; t++)
        violation = lk_max(violation, largest(now->sums[t].violation));
    of->goes_back = !of->ends && lk_rattle_grows(of->done, violation, of->violation);
    of->ends |= of->goes_back;
    of->since = lk_rattle_leaks(of->done, violation, of->violation) ? 1 : of->since;
    of->violation = of->ends ? of->violation : violation;
    lk_rattle_keep_pushes(now->run.sys->formulation_data, of->ends);
}

/* after a sweep down: the increment is corrected */
static void judge_increment(struct rattle_run *now)
{
    struct lk_convergence *of = &now->newton;
    struct lk_rattle *rattle = now->run.sys->formulation_data;
    int last = of->found - 1;
    lk_measures found[LK_ITERATIONS_MAX];
    double part;

    for (int i = 0; i <= last; i++)
        found[i] = sum_inner(now, i);
    part = lk_rattle_look_back(&of->past, last, of->since, found);
    for (int i = 1; i < last; i++)
        lk_rattle_blend_pushes(rattle, last, i, of->past.alpha[i - 1]);
    of->part = of->ends ? 0 : part;
    lk_rattle_add_pushes(rattle, last, of->part);
    if (last < now->run.sys->iterations - 1)
        lk_rattle_remember(&of->past, last, of->part, found);
    of->done++;
}

/* ---- the step ---- */

/* Phi_q^T lambda of soft rows - Q at the pose of the state in OLD_*; @after: the start of the step,
 * in steps */
static void take_loads(const struct run *run, double after, const double *inputs)
{
    struct lk_system *sys = run->sys;
    const struct lk_batches *p = run->p;

    for (int b = 0; b < sys->n_bodies && p->carries; b++)
        for (int k = 0; k < 6; k++)
            p->values[p->place[b] + (LK_RATTLE_LOAD + k) * LK_LANES] = 0;
    put_loads(sys, p, lk_system_time(sys) + after * sys->h, inputs, LK_RATTLE_LOAD);
}

/* hard stops push, see lk_rattle_push(): the last increment and its products change */
static void push(struct rattle_run *now)
{
    const struct lk_batches *p = now->run.p;
    int iteration = now->newton.found - 1;

    if (!lk_singles_push(now->run.sys, p, iteration)) {
        now->newton.since = iteration;
        now->newton.violation = INFINITY;
    }
    for (int t = 0; t < p->n_tasks; t++)
        clear_sums(&now->sums[t], iteration + 1);
    for (int b = 0; b < p->n_bodies; b++)
        multiply_increment(p, b, iteration, increment_of(block_at(p, p->bodies[b].at), iteration),
                           now->sums);
}

static void predict(struct rattle_run *now)
{
    lk_rare_share_tension(now->run.sys, now->run.p);
    rattle_sweep(now, STAY, PREDICTION);
}

/* the prediction; what hard stops yield is found with its factor */
static void begin_positions(struct rattle_run *now)
{
    struct lk_rattle *rattle = now->run.sys->formulation_data;

    lk_rattle_begin_convergence(&now->newton);
    predict(now);
    if (rattle->stops.n > 0) {
        lk_rattle_find_yields(now->run.sys, rattle);
        predict(now);
    }
    judge_iterate(now);
}

/* the first increment, which nothing corrects, and the iterate that it leads to */
static void take_first(struct rattle_run *now, enum up up)
{
    struct lk_convergence *newton = &now->newton;
    lk_measures found;

    newton->found = newton->done = 1;
    newton->part = 1;
    rattle_sweep(now, INCREMENT, up);
    found = sum_inner(now, 0);
    lk_rattle_remember(&newton->past, 0, 1, &found);
    judge_iterate(now);
}

/* an increment, and the iterate that it leads to once it is corrected */
static void take_next(struct rattle_run *now, enum up up)
{
    struct lk_convergence *newton = &now->newton;
    bool has_stops = ((struct lk_rattle *)now->run.sys->formulation_data)->stops.n > 0;

    newton->found = newton->done + 1;
    rattle_sweep(now, INCREMENT, REST);
    if (has_stops)
        push(now);
    judge_increment(now);
    rattle_sweep(now, STAY, up);
    judge_iterate(now);
}

static void close_positions(struct rattle_run *now)
{
    struct lk_rattle *rattle = now->run.sys->formulation_data;
    int n = now->run.sys->iterations;

    begin_positions(now);
    if (rattle->stops.n == 0)
        take_first(now, n > 1 ? ITERATION : CHECK);
    while (now->newton.done < n)
        take_next(now, now->newton.done + 1 < n ? ITERATION : CHECK);
    lk_rattle_take_kept_pushes(rattle);
    rattle_sweep(now, STAY, UNCLOSE);
    rattle_sweep(now, STAY, MATRIX);
    rattle_sweep(now, CLOSE, REST);
    if (now->run.sys->books_closing)
        now->run.sys->next.balance->closing += sum_closing(now);
}

/* the poses of the state in OLD_* */
static void show_loaded(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_loaded && p->n_soft > 0; i++)
        show_pose(sys, p, p->loaded[i], LK_BODY_X);
}

/* the first part of a solution, and for the second one, where rows may depend on each other */
static void solve_again(struct rattle_run *now)
{
    if (!now->run.sys->rows_are_independent)
        rattle_sweep(now, REFINE, AGAIN);
}

/* multipliers that hold the forces on bodies without inertia, among what acts on all */
static void balance_massless(struct rattle_run *now)
{
    if (!now->run.p->carries)
        return;
    rattle_sweep(now, PULL, BALANCE);
    rattle_sweep(now, CARRY, REST);
}

/* the multipliers of @state are carried on */
static void carry_on(const struct lk_batches *p, const struct lk_state *state)
{
    for (int b = 0; b < p->n_joints && p->carries; b++) {
        const struct lk_batch_joints *j = &p->joints[b];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        lanes_t *lambda = block_at(p, j->at) + lk_soft_lambda(k);

        for (int l = 0; l < LK_LANES && !lk_lane_is_soft(j->kind); l++)
            for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
                LANE(lambda[r], l) = state->lambda[j->row[l] + r];
    }
}

/* accelerations and reactions, see lk_evaluate_least() */
static void close_accelerations(struct rattle_run *now, enum up then)
{
    bool is_redundant = now->run.sys->is_redundant;

    solve_again(now);
    for (int part = 2; part < now->run.sys->n_least; part++)
        rattle_sweep(now, REFINE_MORE, AGAIN_MORE);
    rattle_sweep(now, is_redundant ? LEAST_ACCELERATIONS : ACCELERATIONS, then);
}

/* by lanes, what elements/stops.c asks for; see struct lk_engine */
static void rattle_hold(struct lk_system *sys, const struct lk_twist *shove, bool is_refined)
{
    struct lk_batches *p = sys->batches;
    struct rattle_run now = {.run = new_run(sys, rattle_down, rattle_up),
                             .sums = (struct sums *)p->sums};

    lk_singles_shove(sys, p, shove);
    rattle_sweep(&now, STAY, SHOVE);
    if (is_refined)
        solve_again(&now);
    rattle_sweep(&now, is_refined ? HOLD_REFINED : HOLD, REST);
    lk_singles_held(sys, p, is_refined);
}

/* all bodies into system->next, and back after it was changed */
static void give_motion(struct lk_system *sys, const struct lk_batches *p)
{
    const struct run run = {.sys = sys, .p = p};
    struct watch unused = {0};

    for (int b = 0; b < p->n_bodies; b++) {
        store_bodies(&run, b, &unused);
        store_own(&run, b, &unused);
    }
}

static void take_motion(struct lk_system *sys, const struct lk_batches *p)
{
    for (int b = 0; b < p->n_bodies; b++) {
        load_bodies(&sys->next, p, b);
        load_own(&sys->next, p, b);
        show_motion(p, b, LK_BODY_OLD_V);
    }
}

/* impulses of the stops that pushed */
static void bounce(struct rattle_run *now)
{
    struct lk_system *sys = now->run.sys;
    struct lk_rattle *rattle = sys->formulation_data;

    if (rattle->stops.n == 0)
        return;
    give_motion(sys, now->run.p);
    lk_rattle_bounce(sys, rattle);
    take_motion(sys, now->run.p);
}

/* reactions of the stops that are at rest */
static void rest(struct rattle_run *now)
{
    struct lk_system *sys = now->run.sys;
    struct lk_rattle *rattle = sys->formulation_data;

    if (rattle->stops.n == 0)
        return;
    lk_rattle_rest(sys, rattle);
    take_motion(sys, now->run.p);
}

/* the second part of the velocities, and free accelerations with the loads at the end of the step;
 * laws ask for the velocities first */
static void close_velocities(struct rattle_run *now, const double *inputs)
{
    const struct lk_batches *p = now->run.p;

    if (p->n_soft == 0 && !p->carries) {
        take_loads(&now->run, 1, inputs);
        rattle_sweep(now, VELOCITIES, FREE);
        return;
    }
    rattle_sweep(now, VELOCITIES, REST);
    show_motions(now->run.sys, now->run.p, LK_BODY_OLD_V);
    lk_keep_coordinates(now->run.sys);
    lk_singles_book_damping(now->run.sys, now->run.p);
    bounce(now);
    lk_singles_settle(now->run.sys, now->run.p);
    take_loads(&now->run, 1, inputs);
    balance_massless(now);
    rattle_sweep(now, STAY, FREE);
}

/* power of the drives with @inputs at the state that a step begins with */
static double drive_power(struct rattle_run *now, const double *inputs)
{
    struct lk_system *sys = now->run.sys;
    const struct lk_batches *p = now->run.p;

    if (p->n_soft > 0)
        lk_rattle_settle_laws(sys, &sys->now);
    carry_on(p, &sys->now);
    take_loads(&now->run, 0, inputs);
    balance_massless(now);
    rattle_sweep(now, STAY, FREE);
    close_accelerations(now, REST);
    for (int b = 0; b < p->n_joints; b++)
        store_multipliers(&now->run, b, sys->s, true, now->run.watch);
    for (int b = 0; b < p->n_bodies && p->n_tense > 0; b++) /* they predict by accelerations */
        load_bodies(&sys->now, p, b);
    return lk_loads_drive_power(sys, &sys->next);
}

/* see book_jump() in step/scripts/rattle.c */
static void book_jump(struct rattle_run *now, const double *inputs)
{
    struct lk_system *sys = now->run.sys;
    const struct lk_rattle *rattle = sys->formulation_data;
    double before;

    if (!lk_rattle_may_jump(sys))
        return;
    for (int b = 0; b < now->run.p->n_bodies && lk_rattle_has_differences(sys); b++)
        forget_last_bent(now->run.p, b);
    before = rattle->stops.n > 0 ? drive_power(now, sys->now.inputs)
                                 : lk_loads_drive_power(sys, &sys->now);
    sys->next.balance->work_drive += 0.5 * sys->h * (drive_power(now, inputs) - before);
}

static void take_step(struct rattle_run *now, const double *inputs)
{
    struct run *run = &now->run;
    const struct lk_batches *p = run->p;

    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
    lk_singles_begin(run->sys, run->p, inputs);
    find_gaps_of_singles(run);
    take_loads(run, 0.5, inputs);
    if (p->carries) {
        carry_on(p, &run->sys->now);
        rattle_sweep(now, PULL, REST);
    }
    lk_drives_advance(run->sys, inputs);
    close_positions(now);
    show_loaded(run->sys, run->p);
    lk_singles_close_laws(run->sys, run->p);
    take_loads(run, 0.5, inputs);
    if (p->carries)
        rattle_sweep(now, STAY, SETTLE);
    balance_massless(now);
    rattle_sweep(now, STAY, KICK);
    lk_rare_book_tension(run->sys, run->p);
    solve_again(now);
    close_velocities(now, inputs);
    close_accelerations(now, STORE);
    rest(now);
    keep_balance(run);
    show_watched(run->sys, run->p, &run->sys->next);
    lk_rattle_book_laws(run->sys, run->sys->formulation_data);
}

static int rattle_step(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    struct rattle_run now = {.run = new_run(sys, rattle_down, rattle_up),
                             .sums = (struct sums *)p->sums};

    book_jump(&now, inputs);
    take_step(&now, inputs);
    return judge(&now.run);
}

/* The combination of a higher order; as finish_combination() in step/scripts/rattle_extrapolate.c.
 */
static void rattle_finish(struct lk_system *sys, const double *inputs)
{
    struct lk_batches *p = sys->batches;
    struct rattle_run now = {.run = new_run(sys, rattle_down, rattle_up),
                             .sums = (struct sums *)p->sums};
    double increment = sys->next.balance->increment;

    memset(p->watch, 0, (size_t)p->n_tasks * sizeof(struct watch));
    rattle_sweep(&now, STAY, RELOAD);
    rattle_sweep(&now, STAY, MATRIX);
    for (int i = 1; i < LK_EXTRAPOLATE_ROUNDS; i++)
        rattle_sweep(&now, CLOSE_STATE, VIOLATION);
    rattle_sweep(&now, CLOSE_STATE, p->n_soft > 0 ? REST : RATES);
    if (p->n_soft > 0) {
        show_loaded(sys, p);
        lk_singles_turn_soft(sys, p);
        rattle_sweep(&now, STAY, RATES);
    }
    solve_again(&now);
    close_velocities(&now, inputs);
    close_accelerations(&now, STORE);
    keep_balance(&now.run);
    sys->next.balance->increment = increment;
    show_watched(sys, p, &sys->next);
}

/* The scratch that a step begins with, from sys->now: the factor of the pose that the iterations
 * ended at, Jacobians of the closed one. */
static void rattle_renew(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;
    struct watch *watch = (struct watch *)p->watch;
    const struct run run = {.sys = sys, .p = p, .watch = watch};

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
    for (int b = 0; b < p->n_joints; b++)
        unclose_joints(&run, b, NULL);
    for (int t = 0; t < p->n_tasks; t++)
        for (int i = p->tasks[t].first_op; i < p->tasks[t].first_op + p->tasks[t].n_ops; i++)
            if (p->ops[i].what == LK_BATCH_FRONT)
                upward(p, p->ops[i].index, FACTOR, block_at(p, p->tasks[t].scratch));
    show_watched(sys, p, &sys->now);
    lk_singles_turn_soft(sys, p);
    for (int b = 0; b < p->n_joints; b++)
        settle_all(&run, b, true, watch);
}
