/* SPDX-License-Identifier: Apache-2.0 */
/* One step of any formulation: check the inputs, update the energy balance, accept or refuse the
 * result. */
#include "step/scripts/step.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/lines.h"
#include "step/elements/loads.h"
#include "step/elements/ports.h"
#include "step/elements/wind_up.h"
#include "step/kinematics.h"
#include "step/lanes/batch.h"
#include "step/one/evaluate.h"
#include "step/outputs/mobility.h"
#include "step/scripts/extrapolate.h"
#include "step/system.h"
#include <string.h>

/* Return the sum of x * 0 over a block: 0 if all x are finite, else NaN. Four sums of four
 * lanes, so that the additions do not wait for each other. */
static double finite_probe(const double *block, size_t n)
{
    lk_four sum[4] = {{0}};
    double total = 0;
    size_t i = 0;

    for (; i + 16 <= n; i += 16)
        for (size_t k = 0; k < 4; k++)
            sum[k] += *(const lk_four *)&block[i + 4 * k] * 0.0;
    for (; i < n; i++)
        total += block[i] * 0;
    for (size_t k = 0; k < 4; k++)
        for (int lane = 0; lane < 4; lane++)
            total += sum[k][lane];
    return total;
}

/* compute the largest violation of a rigid row at the final pose, and of its rate after the
 * projection */
static void keep_residuals(struct lk_system *sys)
{
    double position = 0, velocity = 0;
    bool knows_gaps = sys->gap && !sys->rows_are_independent;

    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double phi[LK_ROWS_MAX], rates[LK_ROWS_PAD];

        if (lk_is_compliant(j))
            continue;
        if (!knows_gaps)
            lk_evaluate_violation(sys, i, phi);
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
        if (j->kind == LK_ROWS_DRIVEN)
            rates[0] -= sys->drive[j->drive].rate;
        for (int r = 0; r < lk_rigid_rows(j); r++) {
            position = lk_max(position, fabs(knows_gaps ? sys->gap[j->row + r] : phi[r]));
            velocity = lk_max(velocity, fabs(rates[r]));
        }
    }
    sys->next.balance->residual_position = position;
    sys->next.balance->residual_velocity = velocity;
}

/* compute the largest |Phi_q a + d2Phi/dt2| after the projection; called only if an output
 * needs it */
static void keep_acceleration_residual(struct lk_system *sys)
{
    double largest = 0;

    lk_evaluate_acceleration_violation(sys, &sys->next, NULL);
    for (int r = 0; r < sys->n_rows; r++)
        largest = lk_max(largest, fabs(sys->solution[r]));
    sys->next.balance->residual_acceleration = largest;
}

void lk_script_renew(struct lk_system *sys)
{
    sys->executor->renew(sys);
}

void lk_start_resume(struct lk_system *sys)
{
    lk_elements_refer(sys, &sys->now);
    if (sys->formulation->renew)
        sys->formulation->renew(sys);
    else
        lk_start_renew(sys);
}

void lk_start_begin(struct lk_system *sys)
{
    if (sys->formulation->begin)
        sys->formulation->begin(sys);
    if (sys->formulation->renew)
        lk_start_resume(sys);
    lk_ports_show(sys, &sys->now);
}

void lk_system_decouple_laws(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->now.tangent[i] = LK_DECOUPLED;
    lk_start_renew(sys);
}

void lk_step_swap(struct lk_system *sys)
{
    struct lk_state old = sys->now;

    sys->now = sys->next;
    sys->next = old;
}

/* Book the dissipation of an impact. The force of an impact is not resolved, so the dissipation is
 * the energy missing in the step after all other elements are accounted for. */
static void book_impact(struct lk_system *sys, double half, const struct lk_powers *before,
                        const struct lk_powers *after)
{
    const struct lk_balance *now = sys->now.balance;
    struct lk_balance *next = sys->next.balance;
    double gained = next->kinetic + next->potential - now->kinetic - now->potential;
    double put_in = next->work_input - now->work_input + next->work_drive - now->work_drive +
                    next->work_applied - now->work_applied -
                    half * (before->damping + after->damping) - (next->taken - now->taken);

    next->dissipated += lk_max(put_in - gained, 0);
}

/* compute coordinates, residuals and energies of system->next */
static void account(struct lk_system *sys)
{
    struct lk_balance *balance = sys->next.balance;

    lk_keep_coordinates(sys);
    lk_elements_keep(sys);
    if (sys->formulation->keeps_balance) {
        balance->potential += lk_loads_potential(sys, &sys->next);
    } else {
        keep_residuals(sys);
        lk_loads_energies(sys, &sys->next, &balance->kinetic, &balance->potential);
    }
    if (sys->shows_condition)
        keep_acceleration_residual(sys);
    lk_ports_show(sys, &sys->next);
}

int lk_step_account(struct lk_system *sys)
{
    account(sys);
    return finite_probe(sys->next.block, sys->state_size) != 0 ? LK_E_NOT_FINITE : 0;
}

/* Return the beginning of the part of a state block that a step updates in place; updated_to()
 * returns its end. The step overwrites motions, and in lanes also multipliers and lk_state.own.
 * These are not copied, so that their cache lines do not move between cores. */
static size_t updated_from(const struct lk_system *sys)
{
    return (size_t)((sys->batches ? sys->now.coordinate : sys->now.lambda) - sys->now.block);
}

static size_t updated_to(const struct lk_system *sys)
{
    return sys->state_size - (sys->batches ? (size_t)sys->n_own : 0);
}

void lk_step_begin(struct lk_system *sys, const double *inputs, struct lk_powers *before)
{
    size_t first = updated_from(sys);

    memcpy(sys->next.block + first, sys->now.block + first,
           (updated_to(sys) - first) * sizeof(double));
    lk_elements_follow(sys, inputs);
    lk_loads_powers(sys, &sys->now, lk_time(sys), inputs, before);
    lk_elements_begin(sys, inputs);
    for (int i = 0; i < sys->input_size + sys->net.n_blocks; i++)
        sys->next.inputs[i] = inputs[i];
}

int lk_step_end(struct lk_system *sys, const double *inputs, const struct lk_powers *before,
                int result)
{
    struct lk_balance *balance = sys->next.balance;
    struct lk_powers after;
    double half = 0.5 * sys->h;
    size_t first;

    if (sys->is_part)
        lk_keep_coordinates(sys);
    else
        account(sys);
    lk_elements_book(sys, inputs);
    lk_loads_powers(sys, &sys->next, lk_time(sys) + sys->h, inputs, &after);
    balance->work_input += half * (before->input + after.input);
    if (sys->n_contacts == 0) /* contacts book it from their impulses */
        balance->work_drive += half * (before->drive + after.drive);
    balance->work_applied += half * (before->applied + after.applied);
    balance->dissipated += half * (before->damping + after.damping);
    if (lk_loads_impacts(sys)) {
        balance->closing = sys->now.balance->closing; /* book_impact() includes this energy */
        book_impact(sys, half, before, &after);
    }
    balance->steps += 1;
    /* executors in lanes check their own results, but not the changes by stops */
    first = sys->batches && sys->n_stops == 0 ? updated_from(sys) : 0;
    if (result == 0 && !sys->is_part &&
        finite_probe(sys->next.block + first, updated_to(sys) - first) != 0)
        result = LK_E_NOT_FINITE;
    return result;
}

bool lk_step_inputs_are_finite(const struct lk_system *sys, const double *inputs)
{
    return finite_probe(inputs, (size_t)sys->input_size) == 0;
}

int lk_system_step(struct lk_system *sys, const double *inputs)
{
    LK_ARITHMETIC;
    struct lk_powers before;
    int r;

    if (!lk_step_inputs_are_finite(sys, inputs))
        return LK_E_NOT_FINITE;
    if (sys->net.n_blocks > 0)
        inputs = lk_blocks_begin(sys, inputs);
    if (sys->batches)
        sys->batches->n_phases = 0;
    lk_step_begin(sys, inputs, &before);
    r = lk_step_end(sys, inputs, &before, sys->formulation->step(sys, inputs));
    if (r == 0 && sys->order > 2)
        r = lk_extrapolate(sys, inputs);
    if (r == 0)
        lk_step_swap(sys);
    else
        lk_start_resume(sys);
    return r;
}

void lk_system_reset(struct lk_system *sys)
{
    LK_ARITHMETIC;

    memcpy(sys->now.block, sys->start.block, sys->state_size * sizeof(double));
    lk_start_resume(sys);
}
