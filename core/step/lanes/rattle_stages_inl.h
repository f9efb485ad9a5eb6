/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle` in lanes: functions of its stages (step/stages.h) for bodies, joints,
 * fronts. There is no include guard, see lanes_inl.h. */

LK_INLINE void show_iterate(const struct run *run, int block)
{
    if (run->p->bodies[block].shown)
        lk_singles_show_iterate(run->sys, run->p, block);
}

STAGE_FN(prediction_bodies)
{
    if (run->p->bodies[block].tense)
        lk_rare_take_tension(run->sys, run->p, block);
    predict_motion(run->sys, run->p, block);
    show_iterate(run, block);
}

STAGE_FN(iteration_bodies)
{
    iterate_bodies(run->sys, run->p, block, run->sys->progress);
    show_iterate(run, block);
}

STAGE_FN(check_bodies)
{
    const struct lk_batch_bodies *b = &run->p->bodies[block];

    finish_bodies(run->p, block, run->sys->progress, &run->watch[t]);
    find_left(run->sys, run->p, b, run->sys->progress, block_at(run->p, b->at));
    show_iterate(run, block);
}

STAGE_FN(unclose_all_bodies)
{
    if (run->p->bodies[block].tense)
        lk_rare_leave_tension(run->sys, run->p, block);
    unclose_bodies(run->p, block, run->sys->progress, &run->watch[t]);
    show_field(run, block, LK_BODY_NOW_X);
}

STAGE_FN(kicked_bodies)
{
    kick_bodies(run->sys, run->p, block);
    show_field(run, block, LK_BODY_X);
}

STAGE_FN(free_bodies)
{
    accelerate_bodies(run->sys, run->p, block);
    show_twist_in(run, block, LK_BODY_OLD_V);
}

STAGE_FN(reloaded_bodies)
{
    reload_bodies(&run->sys->next, run->p, block);
    show_field(run, block, LK_BODY_NOW_X);
}

STAGE_FN(rated_bodies)
{
    show_motion(run->p, block, LK_BODY_OLD_V);
    show_field(run, block, LK_BODY_X);
}

STAGE_FN(stored_bodies)
{
    store_bodies(run, block, &run->watch[t]);
    store_own(run, block, &run->watch[t]);
}

STAGE_FN(balance_bodies)
{
    shove_massless(run->sys, run->p, block);
}

STAGE_FN(settled_bodies)
{
    show_field(run, block, LK_BODY_X);
}

static const struct stage rattle_ups[RATTLE_UPS] = {
    [RATTLE_PREDICTION] = {prediction_bodies, &iterate_work, ASSEMBLE},
    [RATTLE_ITERATION] = {iteration_bodies, &iterate_work, ASSEMBLE},
    [RATTLE_CHECK] = {check_bodies, &iterate_work},
    [RATTLE_UNCLOSE] = {unclose_all_bodies, &unclose_work, .what = true},
    [RATTLE_MATRIX] = {.fronts = FACTOR_AND_ASSEMBLE},
    [RATTLE_KICK] = {kicked_bodies, &kick_work, ASSEMBLE},
    [RATTLE_AGAIN] = {NULL, &refine_work, ASSEMBLE},
    [RATTLE_AGAIN_MORE] = {NULL, &refine_work, ASSEMBLE, .what = true},
    [RATTLE_FREE] = {free_bodies, &accelerate_work, ASSEMBLE},
    [RATTLE_SHOVE] = {NULL, &shove_work, ASSEMBLE},
    [RATTLE_SETTLE] = {settled_bodies, &settle_work, .what = true},
    [RATTLE_BALANCE] = {balance_bodies, &shove_work, ASSEMBLE},
    [RATTLE_RELOAD] = {reloaded_bodies, &unclose_work, .what = false},
    [RATTLE_VIOLATION] = {settled_bodies, &violate_work, ASSEMBLE},
    [RATTLE_RATES] = {rated_bodies, &kick_work, ASSEMBLE},
    [RATTLE_STORE] = {stored_bodies, &store_work, .what = SCALE_S_MORE},
};

/* replaces the prediction stage if the iterations have a separate factor */
static const struct stage rattle_prediction_factors = {prediction_bodies, &iterate_work,
                                                       FACTOR_AND_ASSEMBLE};

STAGE_FN(increment_bodies)
{
    find_increments(run->p, block, run->sys->progress->found - 1, sums_of(run, t));
}

STAGE_FN(closed_bodies)
{
    if (run->sys->books_closing)
        book_closing(run->sys, run->p, block, run->sys->progress, sums_of(run, t));
    close_bodies(run->sys, run->p, block);
}

STAGE_FN(closed_state)
{
    close_state(run->p, block);
}

STAGE_FN(velocity_bodies)
{
    project_motion(run->p, block);
}

STAGE_FN(acceleration_bodies)
{
    project_accelerations(run->p, block);
}

/* compute the response to the motion in SHOVE; stage->what: enum solved of the solution */
STAGE_FN(held_bodies)
{
    hold_bodies(run->p, block, stage->what == LAST_PART);
}

STAGE_FN(pulled_bodies)
{
    add_pull(run->p, block);
}

static const struct stage rattle_downs[RATTLE_DOWNS] = {
    [RATTLE_INCREMENT] = {increment_bodies, &solved_work, SOLVE, INCREMENT},
    [RATTLE_CLOSE] = {closed_bodies, &solved_work, SOLVE, ONCE},
    [RATTLE_REFINE] = {NULL, &solved_work, SOLVE, FIRST_PART},
    [RATTLE_REFINE_MORE] = {NULL, &solved_work, SOLVE, MIDDLE_PART},
    [RATTLE_VELOCITIES] = {velocity_bodies, &solved_work, SOLVE, LAST_PART},
    [RATTLE_ACCELERATIONS] = {acceleration_bodies, &solved_work, SOLVE, LAST_PART},
    [RATTLE_LEAST_ACCELERATIONS] = {acceleration_bodies, &solved_work, SOLVE, LESS_TWICE},
    [RATTLE_HOLD] = {held_bodies, &solved_work, SOLVE, ONCE},
    [RATTLE_HOLD_REFINED] = {held_bodies, &solved_work, SOLVE, LAST_PART},
    [RATTLE_PULL] = {pulled_bodies, &pull_work},
    [RATTLE_CARRY] = {pulled_bodies, &carry_work, SOLVE},
    [RATTLE_CLOSE_STATE] = {closed_state, &solved_work, SOLVE, ONCE},
};
