/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4`: the classical Runge-Kutta method of order 4 on the same coordinates, with the
 * same rows, tree and projections as `ali3`. Intended for smooth motion without stiff springs and
 * without bodies that lack inertia; lk_extrapolate_check() refuses other models.
 *
 * At every stage the accelerations are the solution of M a + Phi_q^T lambda = Q, Phi_q a +
 * d2Phi/dt2 = 0. They are computed from the forces with the last multipliers, then by the
 * projection. The projection also corrects the multipliers, which are then exact up to E. Springs
 * and dampers are applied forces; their rows are not in the factor. Orientations are R_old
 * exp(theta), theta' = w + theta x w / 2 + theta x (theta x w) / 12 (H. Munthe-Kaas, High order
 * Runge-Kutta methods on manifolds, 1999), so that quaternions are never added. Stages violate the
 * rows by O(h^2), so that redundant rows contradict each other; the corresponding multipliers are
 * removed. The step violates the rows by O(h^5). Projections remove this violation: positions with
 * the factor of the last stage, then velocities with a new factor, which also serves the
 * accelerations and multipliers of the new state and the start of the next step.
 *
 * A step takes four factors and seven solves (fifteen if rows are redundant), hardly more than a
 * step of `ali3`, which has order 2. */
#include "step/one/rk4.h"
#include "step/elements/drives.h"
#include "step/elements/loads.h"
#include "step/executor.h"
#include "step/lanes/fields.h"
#include "step/one/evaluate.h"
#include "step/scripts/rk4.h"
#include "step/scripts/step.h"
#include "step/stages.h"
#include <stdbool.h>
#include <string.h>

static void sweep(struct lk_system *sys, enum rk4_down down, enum rk4_up up)
{
    sys->executor->sweep(sys, (int)down, (int)up);
}

/* Add @share [s] times the powers of inputs, loads, drives and dampers at time @t to the energy
 * balance of system->next, at its poses and twists. This corrects the difference between Kutta's
 * rule and the trapezoidal rule of lk_step_end(). @laws: powers of laws at these poses and twists,
 * or NULL to evaluate them here */
static void correct_balance(struct lk_system *sys, double t, double share, const double *inputs,
                            const struct lk_law_powers *laws)
{
    struct lk_balance *balance = sys->next.balance;
    struct lk_powers p;

    if (sys->n_inputs + sys->n_loads + sys->n_laws + sys->n_drives == 0)
        return;
    if (laws)
        lk_loads_powers_with(sys, &sys->next, t, inputs, laws, &p);
    else
        lk_loads_powers(sys, &sys->next, t, inputs, &p);
    balance->work_input += share * p.input;
    balance->work_drive += share * p.drive;
    balance->work_applied += share * p.applied;
    balance->dissipated += share * p.damping;
}

/* set drives and frames to the time @part of a step after its start */
static void place_drives(struct lk_system *sys, double part)
{
    if (sys->n_drives == 0)
        return;
    sys->next.balance->steps = sys->now.balance->steps + part;
    lk_drives_evaluate(sys, &sys->next);
}

static void give_multipliers(struct lk_system *sys)
{
    if (sys->executor->give_multipliers)
        sys->executor->give_multipliers(sys);
}

/* Begin the stages. The first stage is the state, with the accelerations that result from @inputs.
 * The work of drives is computed from multipliers, which inputs may change. */
static void begin_stages(struct lk_system *sys, const double *inputs)
{
    double t = lk_time(sys), first = lk_rk4_weight[0] * sys->h;
    bool jumps = sys->n_inputs > 0;
    bool apart = jumps && (sys->n_drives > 0 || sys->executor->knows_multipliers);
    /* both expressions are equal up to round-off, which differs between the executors */
    double share =
        sys->executor->knows_multipliers ? (lk_rk4_weight[0] - 0.5) * sys->h : first - 0.5 * sys->h;
    struct lk_law_powers laws;

    if (sys->n_drives > 0) /* lanes write the multipliers of all rows */
        memcpy(sys->next.lambda, sys->now.lambda, (size_t)sys->n_rows * sizeof(double));
    correct_balance(sys, t, apart ? -0.5 * sys->h : share, inputs, NULL);
    if (sys->executor->begin)
        sys->executor->begin(sys);
    sys->progress->is_stage = false;
    if (jumps) {
        if (sys->executor->take)
            sys->executor->take(sys);
        laws = sys->executor->follow(sys, t, inputs);
        sweep(sys, RK4_STAY, RK4_NEW);
        sweep(sys, RK4_ACCELERATIONS, RK4_REST);
    }
    if (apart) {
        give_multipliers(sys);
        correct_balance(sys, t, first, inputs, &laws);
    }
    place_drives(sys, lk_rk4_when[1]);
    sweep(sys, RK4_STAY, RK4_BEGIN);
}

/* compute the accelerations of a stage, except the way down of the last solve */
static void accelerate_stage(struct lk_system *sys)
{
    sweep(sys, RK4_STAY, RK4_STAGE);
    for (int part = 1; part < LK_LEAST_SOLVES && sys->is_redundant; part++)
        sweep(sys, RK4_ACCELERATIONS,
              part == LK_LEAST_SOLVES - 1 ? RK4_CONTRADICTION_LAST : RK4_CONTRADICTION);
}

/* compute the accelerations of stage @k, and advance to the next stage or to the new state */
static void take_stage(struct lk_system *sys, int k, const double *inputs)
{
    double t = (sys->now.balance->steps + lk_rk4_when[k]) * sys->h;
    enum rk4_up then = k < LK_RK4_STAGES - 1 ? RK4_ROWS : RK4_OPEN;
    struct lk_law_powers laws;

    sys->progress->stage = k;
    sys->progress->is_stage = true;
    laws = sys->executor->follow(sys, t, inputs);
    if (sys->n_drives == 0) {
        correct_balance(sys, t, lk_rk4_weight[k] * sys->h, inputs, &laws);
        accelerate_stage(sys);
        sweep(sys, RK4_ADVANCE, then);
        return;
    }
    accelerate_stage(sys);
    sweep(sys, RK4_ADVANCE, RK4_REST);
    give_multipliers(sys);
    correct_balance(sys, t, lk_rk4_weight[k] * sys->h, inputs, &laws);
    place_drives(sys, k < LK_RK4_STAGES - 1 ? lk_rk4_when[k + 1] : 1);
    sweep(sys, RK4_STAY, then);
}

/* Compute accelerations and multipliers of the new state. If rows are redundant, multipliers start
 * from 0: corrections of the last multipliers would let the multipliers of redundant rows drift
 * with the poses. The multipliers thus have minimum norm, as after the three iterations of `ali3`;
 * refinement removes the effect of E. If rows are independent, E is at round-off, and the
 * correction of the multipliers of the last stage is exact. */
static struct lk_law_powers accelerate_anew(struct lk_system *sys, double t, const double *inputs)
{
    int solves = sys->rows_are_independent ? 1 : LK_RK4_REFINEMENTS;
    struct lk_law_powers laws;

    sys->progress->is_stage = false;
    laws = sys->executor->follow(sys, t, inputs);
    sweep(sys, RK4_STAY, RK4_NEW);
    for (int i = 1; i < solves; i++) {
        sweep(sys, RK4_ACCELERATIONS, RK4_RATES_AGAIN);
        sweep(sys, RK4_STAY, RK4_AGAIN);
    }
    sweep(sys, RK4_ACCELERATIONS, RK4_STORE);
    return laws;
}

static int rk4_step(struct lk_system *sys, const double *inputs)
{
    double end = (sys->now.balance->steps + 1) * sys->h;
    struct lk_law_powers laws;

    begin_stages(sys, inputs);
    for (int k = 1; k < LK_RK4_STAGES; k++)
        take_stage(sys, k, inputs);
    for (int i = 1; i < LK_RK4_ROUNDS; i++) /* the pose of the last factor differs from this pose by
                                             * O(h^3) */
        sweep(sys, RK4_CLOSE, RK4_OPEN);
    sweep(sys, RK4_CLOSE_LAST, RK4_SETTLE);
    sweep(sys, RK4_STAY, RK4_PROJECT);
    sweep(sys, RK4_TWISTS, RK4_RATES);
    laws = accelerate_anew(sys, end, inputs);
    correct_balance(sys, end, -0.5 * sys->h, inputs, &laws);
    sys->next.balance->steps = sys->now.balance->steps; /* the caller counts the step */
    return sys->executor->store(sys);
}

static int prepare(struct lk_system *sys, const char *name, struct lk_error *ret_error)
{
    (void)name;
    (void)ret_error;
    lk_system_decouple_laws(sys);
    return 0;
}

const struct lk_formulation lk_formulation_rk4 = {
    .name = "rk4",
    .script = LK_SCRIPT_RK4,
    .step = rk4_step,
    .in_lanes = &lk_formulation_rk4_lanes,
    .layout = lk_one_rk4_layout,
    .prepare = prepare,
    .renew = lk_script_renew,
    .is_explicit = 1,
    .order = 4,
    .regularisation = LK_RK4_REGULARISATION,
    .solves_once = 1,
    .leaves_laws = 1,
    .steps_in_plane = 1,
};

const struct lk_formulation lk_formulation_rk4_lanes = {
    .name = "rk4",
    .script = LK_SCRIPT_RK4,
    .step = rk4_step,
    .keeps_balance = 1,
    .prepare = prepare,
    .renew = lk_script_renew,
    .effort = {LK_RK4_STAGES, LK_RK4_STAGES + 1 + LK_RK4_ROUNDS,
               2 * LK_RK4_STAGES + LK_RK4_ROUNDS + 3, LK_RK4_SIZE, 0, 6, 1.12, 1.07, 1.07},
    .is_explicit = 1,
    .order = 4,
    .regularisation = LK_RK4_REGULARISATION,
    .solves_once = 1,
    .laws_are_loads = 1,
    .steps_in_plane = 1,
};
