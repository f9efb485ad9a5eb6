/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle` on batches: what a task does in each stage, and sweeps over all tasks.
 * Without include guard on purpose, see lanes_inl.h. */

/** struct rattle_run - a sweep under way. */
struct rattle_run {
    struct run run;
    struct sums *sums;
    const struct lk_progress *newton;
};

/* ---- a task ---- */

LK_INLINE void show_iterate(const struct run *run, int block)
{
    if (run->p->bodies[block].shown)
        lk_singles_show_iterate(run->sys, run->p, block);
}

LK_INLINE void bodies_up(const struct rattle_run *now, enum rattle_up up, int t, int block)
{
    struct lk_system *sys = now->run.sys;
    const struct lk_batches *p = now->run.p;
    struct watch *watch = &now->run.watch[t];

    switch (up) {
    case RATTLE_PREDICTION:
        if (p->bodies[block].tense)
            lk_rare_take_tension(now->run.sys, now->run.p, block);
        predict_motion(sys, p, block);
        show_iterate(&now->run, block);
        break;
    case RATTLE_ITERATION:
        iterate_bodies(sys, p, block, now->newton);
        show_iterate(&now->run, block);
        break;
    case RATTLE_CHECK:
        finish_bodies(p, block, now->newton, watch);
        find_left(sys, p, &p->bodies[block], now->newton, block_at(p, p->bodies[block].at));
        show_iterate(&now->run, block);
        break;
    case RATTLE_UNCLOSE:
        if (p->bodies[block].tense)
            lk_rare_leave_tension(now->run.sys, now->run.p, block);
        unclose_bodies(p, block, now->newton, watch);
        show_field(&now->run, block, LK_BODY_NOW_X);
        break;
    case RATTLE_KICK:
        kick_bodies(sys, p, block);
        show_field(&now->run, block, LK_BODY_X);
        break;
    case RATTLE_FREE:
        accelerate_bodies(sys, p, block);
        show_twist_in(&now->run, block, LK_BODY_OLD_V);
        break;
    case RATTLE_RELOAD:
        reload_bodies(&sys->next, p, block);
        show_field(&now->run, block, LK_BODY_NOW_X);
        break;
    case RATTLE_RATES:
        show_motion(p, block, LK_BODY_OLD_V);
        /* fall through */
    case RATTLE_VIOLATION:
        show_field(&now->run, block, LK_BODY_X);
        break;
    case RATTLE_STORE:
        store_bodies(&now->run, block, watch);
        store_own(&now->run, block, watch);
        break;
    case RATTLE_REST:
    case RATTLE_MATRIX:
    case RATTLE_AGAIN:
    case RATTLE_AGAIN_MORE:
    case RATTLE_SHOVE:
        break;
    case RATTLE_SETTLE:
        show_field(&now->run, block, LK_BODY_X);
        break;
    case RATTLE_BALANCE:
        shove_massless(sys, p, block);
        break;
    }
}

LK_INLINE void joints_up(const struct rattle_run *now, enum rattle_up up, int t, int block)
{
    const struct run *run = &now->run;
    const struct lk_batches *p = run->p;
    struct watch *watch = &run->watch[t];

    switch (up) {
    case RATTLE_PREDICTION:
    case RATTLE_ITERATION:
    case RATTLE_CHECK:
        iterate_joints(run, block, now->newton, &now->sums[t]);
        break;
    case RATTLE_UNCLOSE:
        unclose_joints(run, block, now->newton);
        break;
    case RATTLE_RELOAD:
        unclose_joints(run, block, NULL);
        break;
    case RATTLE_VIOLATION:
        violate_joints(run, block);
        break;
    case RATTLE_KICK:
    case RATTLE_RATES:
        kick_joints(run, block, watch);
        break;
    case RATTLE_AGAIN:
    case RATTLE_AGAIN_MORE:
        refine_joints(p, block, up == RATTLE_AGAIN_MORE);
        break;
    case RATTLE_FREE:
        accelerate_joints(run, block, watch);
        break;
    case RATTLE_SHOVE:
    case RATTLE_BALANCE:
        shove_joints(p, block);
        break;
    case RATTLE_SETTLE:
        settle_all(run, block, true, watch);
        break;
    case RATTLE_STORE:
        store_multipliers(run, block, run->sys->s, true, watch);
        break;
    case RATTLE_REST:
    case RATTLE_MATRIX:
        break;
    }
}

static void rattle_up(const struct run *run, int t, int what)
{
    const enum rattle_up up = (enum rattle_up)what;
    const struct rattle_run *now = (const struct rattle_run *)run;
    const struct lk_batches *p = now->run.p;
    const struct lk_batch_task *task = &p->tasks[t];
    lanes_t *scratch = block_at(p, task->scratch);
    int solves = up != RATTLE_CHECK && up != RATTLE_UNCLOSE && up != RATTLE_RELOAD &&
                 up != RATTLE_STORE && up != RATTLE_SETTLE;
    int factors = up == RATTLE_MATRIX || (up == RATTLE_PREDICTION && p->factors_twice);

    if (up == RATTLE_REST)
        return;
    if (up == RATTLE_PREDICTION || up == RATTLE_ITERATION || up == RATTLE_CHECK)
        now->sums[t].violation = (lanes_t){0};
    EACH_UP(task, bodies_up(now, up, t, index), joints_up(now, up, t, index),
            if (solves) upward(p, index, factors ? FACTOR_AND_ASSEMBLE : ASSEMBLE, scratch))
}

LK_INLINE void bodies_down(const struct rattle_run *now, enum rattle_down down, int t, int block)
{
    const struct lk_batches *p = now->run.p;

    switch (down) {
    case RATTLE_INCREMENT:
        find_increments(p, block, now->newton->found - 1, &now->sums[t]);
        break;
    case RATTLE_CLOSE:
        if (now->run.sys->books_closing)
            book_closing(now->run.sys, p, block, now->newton, &now->sums[t]);
        close_bodies(now->run.sys, p, block);
        break;
    case RATTLE_CLOSE_STATE:
        close_state(p, block);
        break;
    case RATTLE_VELOCITIES:
        project_motion(p, block);
        break;
    case RATTLE_ACCELERATIONS:
    case RATTLE_LEAST_ACCELERATIONS:
        project_accelerations(p, block);
        break;
    case RATTLE_HOLD:
    case RATTLE_HOLD_REFINED:
        hold_bodies(p, block, down == RATTLE_HOLD_REFINED);
        break;
    case RATTLE_PULL:
    case RATTLE_CARRY:
        add_pull(p, block);
        break;
    case RATTLE_STAY:
    case RATTLE_REFINE:
    case RATTLE_REFINE_MORE:
        break;
    }
}

LK_INLINE void joints_down(const struct rattle_run *now, enum rattle_down down, int block,
                           enum solved solved)
{
    const struct lk_batches *p = now->run.p;
    int iteration = down == RATTLE_INCREMENT ? now->newton->found - 1 : -1;

    if (down == RATTLE_PULL)
        pull_carried(p, block);
    else if (down == RATTLE_CARRY)
        carry_solution(&now->run, block);
    else
        solved_joints(p, block, solved, iteration);
}

static void rattle_down(const struct run *run, int t, int what)
{
    const enum rattle_down down = (enum rattle_down)what;
    const struct rattle_run *now = (const struct rattle_run *)run;
    const struct lk_batches *p = now->run.p;
    const struct lk_batch_task *task = &p->tasks[t];
    lanes_t *scratch = block_at(p, task->scratch);
    enum solved part = now->run.sys->rows_are_independent ? WHOLE : BOTH_PARTS;
    const enum solved solved[] = {
        [RATTLE_STAY] = ONCE,
        [RATTLE_INCREMENT] = ONCE,
        [RATTLE_CLOSE] = ONCE,
        [RATTLE_REFINE] = FIRST_PART,
        [RATTLE_REFINE_MORE] = MIDDLE_PART,
        [RATTLE_VELOCITIES] = part,
        [RATTLE_ACCELERATIONS] = part,
        [RATTLE_LEAST_ACCELERATIONS] = LESS_TWICE,
        [RATTLE_HOLD] = ONCE,
        [RATTLE_HOLD_REFINED] = part,
        [RATTLE_CLOSE_STATE] = ONCE,
    };

    if (down == RATTLE_STAY)
        return;
    if (down == RATTLE_INCREMENT || down == RATTLE_CLOSE)
        clear_sums(&now->sums[t], down == RATTLE_INCREMENT ? now->newton->found : 0);
    EACH_DOWN(task, bodies_down(now, down, t, index), joints_down(now, down, index, solved[down]),
              if (down != RATTLE_PULL) downward(p, index, scratch))
}
