/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3`: index-3 augmented Lagrangian with the trapezoidal rule and mass-orthogonal
 * projections of velocities and accelerations, solved in multiplier space over the tree.
 *
 * Method: the index-3 divide-and-conquer paper ("index-3 DCA", Nonlinear Dynamics, 2018) expressed
 * in the constraint directions of the joints, on the rotation group. With s = h^2/4, W = M^-1 and
 * the dynamic residual g = M a + gyroscopic + Phi_q^T lambda - Q, one Newton iteration is
 *
 *     (E + s Phi_q W Phi_q^T) dlambda = Phi - s Phi_q W g
 *     dq = -s W (Phi_q^T dlambda + g),     lambda += dlambda
 *
 * One factor, at the predicted pose and with the Jacobian of that pose, serves all iterations; a
 * second factor, at the final pose, serves both projections (stops need more factors, see
 * absorb_jumps()). E of a rigid row is a small relative regularisation; a compliant row lambda =
 * f(Phi, dPhi/dt) has E = 1 / (k + 2 c / h) with the tangent of its law at the predicted pose, and
 * (f - lambda) E in place of Phi.
 *
 * Trapezoidal rule, from x_old with u = x - x_old and theta = log(R_old^T R):
 *
 *     v = 2/h u - v_old,          a  = 4/h^2 u - 4/h v_old - a_old        (world)
 *     w = 2/h theta - w_old,      al = 4/h^2 theta - 4/h w_old - al_old   (body axes)
 *
 * Increments rotate the body, R := R exp(dtheta), so that Phi_q is the exact derivative. u and
 * R_old^T R are stored and updated separately from x and R. If they were computed as differences,
 * they would contain the round-off of large numbers, which the factor 4/h^2 would amplify to noise
 * of the accelerations. */
#include "step/scripts/ali3.h"
#include "step/elements/drives.h"
#include "step/elements/loads.h"
#include "step/executor.h"
#include "step/kinematics.h"
#include "step/lanes/fields.h"
#include "step/scripts/extrapolate.h"
#include "step/scripts/step.h"
#include "step/stages.h"
#include <stdbool.h>

static void sweep(struct lk_system *sys, enum ali3_down down, enum ali3_up up)
{
    sys->executor->sweep(sys, (int)down, (int)up);
}

/* ---- jumps of the inputs, and stops ---- */

/* compute accelerations and multipliers after a jump of the inputs, and of stops whose
 * contact ends: the projection of a + W dQ, with the present factor; @leaving: see
 * lk_loads_subtract_stops() */
static void take_jumps(struct lk_system *sys, const double *inputs, int leaving)
{
    sys->executor->jump(sys, inputs, leaving);
    sys->progress->jumps = true;
    sweep(sys, ALI3_STAY, ALI3_PROJECT_ACCELERATIONS);
    sweep(sys, ALI3_ACCELERATIONS, ALI3_REST);
    sys->progress->jumps = false;
}

/* decide the state of the stops from the accelerations after a jump, and compute the factor
 * with these stops */
static void decide_stops(struct lk_system *sys, int again)
{
    if (sys->executor->give)
        sys->executor->give(sys);
    lk_loads_decide_stops(sys, again);
    sweep(sys, ALI3_STAY, ALI3_FACTOR);
}

/* An input is constant over [t, t + h] and may jump at t. A contact that ends in the step ends at
 * t. Update the accelerations and multipliers of the last step for the jump: M da + Phi_q^T dlambda
 * = dQ, Phi_q da = 0 (E dlambda / s for compliant rows). This update is the projection of a + W dQ
 * with the factor of the final pose, which is still valid, or recomputed if there are stops.
 * Without this update a jump would act half a step late. */
static void absorb_jumps(struct lk_system *sys, const double *inputs)
{
    if (sys->n_stops > 0) {
        lk_loads_release_stops(sys, 0);
        sweep(sys, ALI3_STAY, ALI3_FACTOR);
        take_jumps(sys, inputs, 0);
        decide_stops(sys, 0);
    }
    if (sys->n_stops > 1) {
        take_jumps(sys, inputs, 1);
        decide_stops(sys, 1);
    }
    take_jumps(sys, inputs, 1);
    if (sys->n_drives == 0)
        return;
    /* drives resist a jump from the start of the step on, not from its middle */
    if (sys->executor->give_multipliers)
        sys->executor->give_multipliers(sys);
    sys->next.balance->work_drive += 0.5 * sys->h *
                                     (lk_loads_drive_power(sys, sys->next.lambda, 0) -
                                      lk_loads_drive_power(sys, sys->now.lambda, 0));
}

/* compute the restitution of the stops that were hit */
static void bounce(struct lk_system *sys)
{
    sweep(sys, ALI3_VELOCITIES, ALI3_REST);
    lk_keep_coordinates(sys);
    sweep(sys, ALI3_STAY, ALI3_BOUNCE);
    sweep(sys, ALI3_BOUNCED, ALI3_REST);
    lk_bounce_back(sys, &sys->next);
    sys->executor->fetch(sys);
    sweep(sys, ALI3_STAY, ALI3_RATES);
}

/* ---- the step ---- */

/* Perform both projections at the new pose, and complete the new state. The multipliers of the
 * iterations belong to accelerations that differ from those of the new state by h/3 of their
 * derivative, which is large for a body that spins. So creep that follows a normal force follows
 * the multiplier of the projected accelerations, which depend on it by the friction coefficient
 * only: one correction of accelerations and velocities keeps order 2. */
static int project_motion(struct lk_system *sys)
{
    sweep(sys, ALI3_STAY, ALI3_PROJECT_VELOCITIES);
    if (sys->n_stops > 0)
        bounce(sys);
    else
        sweep(sys, ALI3_VELOCITIES, ALI3_RATES);
    sweep(sys, ALI3_STAY, ALI3_PROJECT_ACCELERATIONS);
    sweep(sys, ALI3_ACCELERATIONS, sys->n_by_load > 0 ? ALI3_FOLLOW : ALI3_STORE);
    if (sys->n_by_load > 0)
        sweep(sys, ALI3_FOLLOWED, ALI3_STORE);
    return sys->executor->store(sys);
}

static void begin(struct lk_system *sys)
{
    if (sys->executor->begin)
        sys->executor->begin(sys);
}

static int ali3_step(struct lk_system *sys, const double *inputs)
{
    double end = (sys->now.balance->steps + 1) * sys->h;
    int last = sys->iterations - 1;

    if (sys->n_jumps > 0)
        absorb_jumps(sys, inputs);
    lk_drives_advance(sys, inputs);
    begin(sys);
    sweep(sys, ALI3_STAY, ALI3_PREDICT);
    for (int i = 0; i <= last; i++) {
        sys->progress->done = i;
        sys->progress->leaks = i == 0 || sys->leak_always;
        sys->executor->loads(sys, end, inputs);
        sweep(sys, ALI3_STAY, i == 0 ? ALI3_FIRST : ALI3_ITERATE);
        if (i < last)
            sweep(sys, ALI3_INCREMENT, ALI3_EVALUATE);
    }
    sweep(sys, ALI3_LAST_INCREMENT, ALI3_SETTLE);
    /* at the final pose: a new factor, then both projections */
    lk_loads_slide(sys);
    if (sys->n_stops > 0)
        lk_loads_release_stops(sys, 1);
    return project_motion(sys);
}

/* the factor is still the factor of the first sequence; it is accurate enough for Newton iterations
 */
void lk_ali3_finish(struct lk_system *sys)
{
    double increment = sys->next.balance->increment;

    begin(sys);
    sweep(sys, ALI3_STAY, ALI3_RELOAD);
    sweep(sys, ALI3_STAY, ALI3_OPEN);
    for (int i = 1; i < LK_EXTRAPOLATE_ROUNDS; i++)
        sweep(sys, ALI3_CLOSE, ALI3_OPEN);
    sweep(sys, ALI3_CLOSE_LAST, ALI3_SETTLE);
    project_motion(sys);
    sys->next.balance->increment = increment;
}

const struct lk_formulation lk_formulation_ali3 = {
    .name = "ali3",
    .script = LK_SCRIPT_ALI3,
    .step = ali3_step,
    .extrapolation = &lk_extrapolation_ali3,
    .in_lanes = &lk_formulation_ali3_lanes,
    .steps_in_plane = 1,
};

const struct lk_formulation lk_formulation_ali3_lanes = {
    .name = "ali3",
    .script = LK_SCRIPT_ALI3,
    .step = ali3_step,
    .keeps_balance = 1,
    .renew = lk_script_renew,
    .extrapolation = &lk_extrapolation_ali3,
    .effort = {2, LK_ITERATIONS + 2, 2 * LK_ITERATIONS + 5, LK_ALI3_SIZE, 0, 3.2, 1, 1, 1},
    .steps_in_plane = 1,
};
