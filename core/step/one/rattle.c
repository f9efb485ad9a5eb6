/* SPDX-License-Identifier: Apache-2.0 */
/* Executor `one` of `rattle`: the stages, for all bodies and rows. */
#include "step/one/rattle.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/one/evaluate.h"
#include "step/one/executors.h"
#include "step/stages.h"
#include <string.h>

static void (*const downs[RATTLE_DOWNS])(struct lk_system *) = {
    [RATTLE_INCREMENT] = lk_one_find_increment,
    [RATTLE_CLOSE] = lk_one_close,
    [RATTLE_REFINE] = lk_one_refine,
    [RATTLE_REFINE_MORE] = lk_one_refine_more,
    [RATTLE_VELOCITIES] = lk_one_project_velocities,
    [RATTLE_ACCELERATIONS] = lk_one_project_accelerations,
    [RATTLE_LEAST_ACCELERATIONS] = lk_one_project_accelerations,
    [RATTLE_CARRY] = lk_one_carry,
    [RATTLE_CLOSE_STATE] = lk_one_close_state,
};

static void (*const ups[RATTLE_UPS])(struct lk_system *) = {
    [RATTLE_PREDICTION] = lk_one_predict, [RATTLE_ITERATION] = lk_one_iterate,
    [RATTLE_CHECK] = lk_one_check,        [RATTLE_UNCLOSE] = lk_one_unclose,
    [RATTLE_MATRIX] = lk_one_matrix,      [RATTLE_KICK] = lk_one_kick,
    [RATTLE_TOUCH] = lk_one_touch,        [RATTLE_LEAVE] = lk_one_leave,
    [RATTLE_AGAIN] = lk_one_again,        [RATTLE_AGAIN_MORE] = lk_one_again,
    [RATTLE_FOLLOW] = lk_one_follow,      [RATTLE_FREE] = lk_one_free,
    [RATTLE_BALANCE] = lk_one_balance,    [RATTLE_RELOAD] = lk_one_reload,
    [RATTLE_VIOLATION] = lk_one_violate,  [RATTLE_RATES] = lk_one_rate,
};

static void sweep(struct lk_system *sys, int down, int up)
{
    if (downs[down])
        downs[down](sys);
    if (ups[up])
        ups[up](sys);
}

static void begin_step(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    r->inputs = NULL;
}

/* initialise the multipliers of rigid rows: 0, unless bodies without inertia transmit forces */
static void carry(struct lk_system *sys)
{
    bool goes_on = sys->n_massless > 0;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int row = j->row; row < j->row + j->n_rows && !lk_is_compliant(j); row++)
            sys->next.lambda[row] = goes_on ? sys->now.lambda[row] : 0;
    }
}

static double violation(const struct lk_system *sys)
{
    const struct lk_one_rattle *r = sys->formulation_data;

    return r->violation;
}

static bool push(struct lk_system *sys, int iteration)
{
    bool is_settled = lk_stops_push(sys, iteration);

    lk_one_multiply_increment(sys, iteration);
    return is_settled;
}

static void hold(struct lk_system *sys, const struct lk_twist *shove, bool is_refined)
{
    memset(sys->solution, 0, (size_t)sys->n_rows * sizeof(double));
    lk_evaluate_reduce(sys, shove);
    if (is_refined)
        lk_evaluate_refined(sys, sys->elements->stops.force);
    else
        lk_evaluate_correction(sys);
}

/* compute the loads, unless the loads at the present poses are known and no load depends on time */
static void loads(struct lk_system *sys, double t, const double *inputs)
{
    struct lk_one_rattle *r = sys->formulation_data;

    if (r->inputs && r->inputs == inputs && !r->has_clock)
        return;
    r->inputs = inputs;
    memset(r->load, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*r->load));
    lk_loads_subtract(sys, t, inputs, r->load);
}

static int store(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    r->inputs = NULL; /* the next step has other inputs */
    if (!sys->progress->is_small)
        return LK_E_TURN;
    return lk_modal_is_small(sys) ? 0 : LK_E_BENT;
}

const struct lk_executor lk_one_rattle = {
    .renew = lk_one_rattle_renew,
    .begin = begin_step,
    .carry = carry,
    .take = lk_one_count_gaps_anew,
    .sweep = sweep,
    .violation = violation,
    .push = push,
    .hold = hold,
    .keeps_right_side = true,
    .loads = loads,
    .store = store,
};
