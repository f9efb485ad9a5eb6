/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle` on batches: what a task does in each stage, and sweeps over all tasks.
 * Without include guard on purpose, see lanes_inl.h. */

/** enum down, enum up - what a sweep is for. Down: the increment of an iteration, the closed pose,
 * the first and a middle part of a refined solution,
 * velocities, accelerations, and those of redundant rows, see lk_evaluate_least(); what holds
 * against a motion, see struct lk_engine, also refined; forces that are carried on; a state that
 * extrapolation has made, to its closed pose. Up: the
 * prediction, the next iterate, the last one, the pose of the factor, the factor, which needs the
 * Jacobians of all tasks and the top, velocities after the kick, the second part of a refined
 * solution, and where it has a middle one, accelerations, a motion to hold against, Jacobians of
 * the closed pose, forces on bodies without inertia; of a state that extrapolation has made the
 * pose of the factor, rows where it is being closed, and rates where it is; STORE: the new state.
 * Nothing is solved with CHECK, UNCLOSE, RELOAD and STORE.
 */
enum down {
    STAY,
    INCREMENT,
    CLOSE,
    REFINE,
    REFINE_MORE,
    VELOCITIES,
    ACCELERATIONS,
    LEAST_ACCELERATIONS,
    HOLD,
    HOLD_REFINED,
    PULL,
    CARRY,
    CLOSE_STATE
};
enum up {
    REST,
    PREDICTION,
    ITERATION,
    CHECK,
    UNCLOSE,
    MATRIX,
    KICK,
    AGAIN,
    AGAIN_MORE,
    FREE,
    SHOVE,
    SETTLE,
    BALANCE,
    RELOAD,
    VIOLATION,
    RATES,
    STORE
};

/** struct rattle_run - a step under way. @newton changes from sweep to sweep: on lines of its own
 */
struct rattle_run {
    struct run run;
    struct sums *sums;
    alignas(LK_CACHE_LINE) struct lk_convergence newton;
};

/* ---- a task ---- */

LK_INLINE void show_iterate(const struct run *run, int block)
{
    if (run->p->bodies[block].shown)
        lk_singles_show_iterate(run->sys, run->p, block);
}

LK_INLINE void bodies_up(const struct rattle_run *now, enum up up, int t, int block)
{
    struct lk_system *sys = now->run.sys;
    const struct lk_batches *p = now->run.p;
    struct watch *watch = &now->run.watch[t];

    switch (up) {
    case PREDICTION:
        if (p->bodies[block].tense)
            lk_rare_take_tension(now->run.sys, now->run.p, block);
        predict_motion(sys, p, block);
        show_iterate(&now->run, block);
        break;
    case ITERATION:
        iterate_bodies(sys, p, block, &now->newton);
        show_iterate(&now->run, block);
        break;
    case CHECK:
        finish_bodies(p, block, &now->newton, watch);
        find_left(sys, p, &p->bodies[block], &now->newton, block_at(p, p->bodies[block].at));
        show_iterate(&now->run, block);
        break;
    case UNCLOSE:
        if (p->bodies[block].tense)
            lk_rare_leave_tension(now->run.sys, now->run.p, block);
        unclose_bodies(p, block, &now->newton, watch);
        show_field(&now->run, block, LK_BODY_NOW_X);
        break;
    case KICK:
        kick_bodies(sys, p, block);
        show_field(&now->run, block, LK_BODY_X);
        break;
    case FREE:
        accelerate_bodies(sys, p, block);
        show_twist_in(&now->run, block, LK_BODY_OLD_V);
        break;
    case RELOAD:
        reload_bodies(&sys->next, p, block);
        show_field(&now->run, block, LK_BODY_NOW_X);
        break;
    case RATES:
        show_motion(p, block, LK_BODY_OLD_V);
        /* fall through */
    case VIOLATION:
        show_field(&now->run, block, LK_BODY_X);
        break;
    case STORE:
        store_bodies(&now->run, block, watch);
        store_own(&now->run, block, watch);
        break;
    case REST:
    case MATRIX:
    case AGAIN:
    case AGAIN_MORE:
    case SHOVE:
        break;
    case SETTLE:
        show_field(&now->run, block, LK_BODY_X);
        break;
    case BALANCE:
        shove_massless(sys, p, block);
        break;
    }
}

LK_INLINE void joints_up(const struct rattle_run *now, enum up up, int t, int block)
{
    const struct run *run = &now->run;
    const struct lk_batches *p = run->p;
    struct watch *watch = &run->watch[t];

    switch (up) {
    case PREDICTION:
    case ITERATION:
    case CHECK:
        iterate_joints(run, block, &now->newton, &now->sums[t]);
        break;
    case UNCLOSE:
        unclose_joints(run, block, &now->newton);
        break;
    case RELOAD:
        unclose_joints(run, block, NULL);
        break;
    case VIOLATION:
        violate_joints(run, block);
        break;
    case KICK:
    case RATES:
        kick_joints(run, block, watch);
        break;
    case AGAIN:
    case AGAIN_MORE:
        refine_joints(p, block, up == AGAIN_MORE);
        break;
    case FREE:
        accelerate_joints(run, block, watch);
        break;
    case SHOVE:
    case BALANCE:
        shove_joints(p, block);
        break;
    case SETTLE:
        settle_all(run, block, true, watch);
        break;
    case STORE:
        store_multipliers(run, block, run->sys->s, true, watch);
        break;
    case REST:
    case MATRIX:
        break;
    }
}

static void rattle_up(const struct run *run, int t, int what)
{
    const enum up up = (enum up)what;
    const struct rattle_run *now = (const struct rattle_run *)run;
    const struct lk_batches *p = now->run.p;
    const struct lk_batch_task *task = &p->tasks[t];
    lanes_t *scratch = block_at(p, task->scratch);
    int solves = up != CHECK && up != UNCLOSE && up != RELOAD && up != STORE && up != SETTLE;
    int factors = up == MATRIX || (up == PREDICTION && p->factors_twice);

    if (up == REST)
        return;
    if (up == PREDICTION || up == ITERATION || up == CHECK)
        now->sums[t].violation = (lanes_t){0};
    EACH_UP(task, bodies_up(now, up, t, index), joints_up(now, up, t, index),
            if (solves) upward(p, index, factors ? FACTOR_AND_ASSEMBLE : ASSEMBLE, scratch))
}

LK_INLINE void bodies_down(const struct rattle_run *now, enum down down, int t, int block)
{
    const struct lk_batches *p = now->run.p;

    switch (down) {
    case INCREMENT:
        find_increments(p, block, now->newton.found - 1, &now->sums[t]);
        break;
    case CLOSE:
        if (now->run.sys->books_closing)
            book_closing(now->run.sys, p, block, &now->newton, &now->sums[t]);
        close_bodies(now->run.sys, p, block);
        break;
    case CLOSE_STATE:
        close_state(p, block);
        break;
    case VELOCITIES:
        project_motion(p, block);
        break;
    case ACCELERATIONS:
    case LEAST_ACCELERATIONS:
        project_accelerations(p, block);
        break;
    case HOLD:
    case HOLD_REFINED:
        hold_bodies(p, block, down == HOLD_REFINED);
        break;
    case PULL:
    case CARRY:
        add_pull(p, block);
        break;
    case STAY:
    case REFINE:
    case REFINE_MORE:
        break;
    }
}

LK_INLINE void joints_down(const struct rattle_run *now, enum down down, int block,
                           enum solved solved)
{
    const struct lk_batches *p = now->run.p;
    int iteration = down == INCREMENT ? now->newton.found - 1 : -1;

    if (down == PULL)
        pull_carried(p, block);
    else if (down == CARRY)
        carry_solution(&now->run, block);
    else
        solved_joints(p, block, solved, iteration);
}

static void rattle_down(const struct run *run, int t, int what)
{
    const enum down down = (enum down)what;
    const struct rattle_run *now = (const struct rattle_run *)run;
    const struct lk_batches *p = now->run.p;
    const struct lk_batch_task *task = &p->tasks[t];
    lanes_t *scratch = block_at(p, task->scratch);
    enum solved part = now->run.sys->rows_are_independent ? WHOLE : BOTH_PARTS;
    const enum solved solved[] = {
        [STAY] = ONCE,
        [INCREMENT] = ONCE,
        [CLOSE] = ONCE,
        [REFINE] = FIRST_PART,
        [REFINE_MORE] = MIDDLE_PART,
        [VELOCITIES] = part,
        [ACCELERATIONS] = part,
        [LEAST_ACCELERATIONS] = LESS_TWICE,
        [HOLD] = ONCE,
        [HOLD_REFINED] = part,
        [CLOSE_STATE] = ONCE,
    };

    if (down == STAY)
        return;
    if (down == INCREMENT || down == CLOSE)
        clear_sums(&now->sums[t], down == INCREMENT ? now->newton.found : 0);
    EACH_DOWN(task, bodies_down(now, down, t, index), joints_down(now, down, index, solved[down]),
              if (down != PULL) downward(p, index, scratch))
}

static void rattle_sweep(struct rattle_run *now, enum down down, enum up up)
{
    sweep(&now->run, (int)down, (int)up);
}
