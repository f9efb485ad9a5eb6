/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle`: RATTLE on the rotation group, solved in multiplier space over the tree. It
 * is symmetric and symplectic, of order 2: it does not damp rotation (H. C. Andersen, Rattle: a
 * velocity version of the Shake algorithm, 1983; E. Hairer, C. Lubich, G. Wanner, Geometric
 * Numerical Integration, VII.1.4).
 *
 * The state is pose and velocity. A step consists of two half kicks: one at q_n, with multipliers
 * that close the positions at q_n+1, and one at q_n+1, with multipliers that close the velocities
 * at q_n+1. With s = h^2/4, W = M^-1, u = x - x_n, R = R_n exp(theta), and the Jacobian of q_n
 * throughout,
 *
 *     g_x  = 2/h m (u/h - v_n) - Q_x + (Phi_q^T lambda)_x
 *     g_th = 2/h (D(theta) J theta/h - J w_n) - Q_th + (Phi_q^T lambda)_th
 *     (E + s Phi_q W Phi_q^T) dlambda = Phi/2 - s Phi_q W g
 *     dq = -2 s W (Phi_q^T dlambda + g),     lambda += dlambda
 *
 * D(theta) is the transposed inverse of the tangent of exp, so that angular momentum is transported
 * exactly (N. Bou-Rabee, J. E. Marsden, Hamilton-Pontryagin Integrators on Lie Groups, Part I,
 * 2009); it contains the gyroscopic term. The factor at the pose of the last iterate closes the
 * positions, projects the velocities, yields accelerations and reactions of the new state, and is
 * also the factor of the next step. That pose differs from the closed pose by little more than
 * round-off. The pose of the factor is part of the state, so that a step computes the same bits
 * after a reset.
 *
 * Loads that depend only on time act in both half kicks with their value at t_n + h/2, as the laws
 * of compliant rows do. With two different values, a light body between springs would oscillate.
 *
 * A compliant row has the same multiplier in both half kicks, its law over the step
 * (lk_law_step()). Only the matrix of the iterations contains such rows, so a model with compliant
 * rows needs one more factor. The other factor, for all solves after the iterations, contains rigid
 * rows only. Hard end stops have additional multipliers, see elements/stops.c. If bodies lack
 * inertia, the multipliers of rigid rows are kept from step to step, because such bodies transmit
 * forces. */
#include "step/scripts/rattle.h"
#include "maths/vec.h"
#include "step/elements/bearing.h"
#include "step/elements/contacts.h"
#include "step/elements/drives.h"
#include "step/elements/elements.h"
#include "step/elements/loads.h"
#include "step/executor.h"
#include "step/kinematics.h"
#include "step/lanes/engines.h"
#include "step/one/rattle.h"
#include "step/rattle_state.h"
#include "step/scripts/convergence.h"
#include "step/scripts/extrapolate.h"
#include "step/scripts/step.h"
#include "step/stages.h"

static void sweep(struct lk_system *sys, enum rattle_down down, enum rattle_up up)
{
    sys->executor->sweep(sys, (int)down, (int)up);
}

/* ---- positions: first half kick, at q_n ---- */

/* Decide, after a sweep up, whether the last increment is discarded. Near a singular pose, the
 * matrix of q_n may not approximate the Newton matrix. Then an iterate with a larger violation is
 * discarded, and the iterations end. */
static void judge_iterate(struct lk_system *sys, struct lk_convergence *of)
{
    struct lk_progress *p = sys->progress;
    double violation = sys->executor->violation(sys);

    p->goes_back = !p->ends && lk_rattle_grows(p->done, violation, of->violation);
    p->ends |= p->goes_back;
    of->since = lk_rattle_leaks(p->done, violation, of->violation) ? 1 : of->since;
    of->violation = p->ends ? of->violation : violation;
    lk_stops_keep(&sys->elements->stops, p->ends);
}

static void multiply(struct lk_system *sys, int last)
{
    if (sys->executor->multiply)
        sys->executor->multiply(sys, last);
}

/* correct the increment, after a sweep down */
static void judge_increment(struct lk_system *sys, struct lk_convergence *of)
{
    struct lk_stops *stops = &sys->elements->stops;
    struct lk_progress *p = sys->progress;
    int last = p->found - 1;
    double part;

    multiply(sys, last);
    part = lk_rattle_look_back(of, p, last);
    for (int i = 1; i < last; i++)
        lk_stops_blend(stops, last, i, p->alpha[i - 1]);
    p->part = p->ends ? 0 : part;
    lk_stops_add(stops, last, p->part);
    if (last < sys->iterations - 1)
        lk_rattle_remember(of, p, last, p->part);
    p->done++;
}

/* compute the predicted iterate, and the compliance of hard stops with the factor of q_n */
static void begin_positions(struct lk_system *sys, struct lk_convergence *of)
{
    struct lk_progress *p = sys->progress;

    p->found = p->done = 0;
    p->ends = p->goes_back = false;
    of->violation = INFINITY;
    of->since = 0;
    sweep(sys, RATTLE_STAY, RATTLE_PREDICTION);
    if (sys->elements->stops.n > 0) {
        lk_stops_find_yields(sys);
        if (!sys->executor->keeps_right_side)
            sweep(sys, RATTLE_STAY, RATTLE_PREDICTION);
    }
    judge_iterate(sys, of);
}

/* apply the first increment, which is not corrected, and judge its iterate */
static void take_first(struct lk_system *sys, struct lk_convergence *of, enum rattle_up up)
{
    struct lk_progress *p = sys->progress;

    p->found = p->done = 1;
    p->part = 1;
    sweep(sys, RATTLE_INCREMENT, up);
    multiply(sys, 0);
    lk_rattle_remember(of, p, 0, 1);
    judge_iterate(sys, of);
}

/* find, correct and apply an increment, and judge its iterate */
static void take_next(struct lk_system *sys, struct lk_convergence *of, enum rattle_up up)
{
    struct lk_progress *p = sys->progress;

    p->found = p->done + 1;
    sweep(sys, RATTLE_INCREMENT, RATTLE_REST);
    if (sys->elements->stops.n > 0 && !sys->executor->push(sys, p->found - 1)) {
        of->since = p->found - 1;
        of->violation = INFINITY;
    }
    judge_increment(sys, of);
    sweep(sys, RATTLE_STAY, up);
    judge_iterate(sys, of);
}

/* compute the pose of q_n+1 from the last iterate, with its factor */
static void close_joints(struct lk_system *sys)
{
    sweep(sys, RATTLE_STAY, RATTLE_UNCLOSE);
    sweep(sys, RATTLE_STAY, RATTLE_MATRIX);
    sweep(sys, RATTLE_CLOSE, RATTLE_REST);
}

static int rounds(const struct lk_system *sys)
{
    return sys->contact_rounds > 1 ? sys->contact_rounds : 1;
}

/* Compute the positions of a model with contacts: full increments, each with its own factor,
 * because contacts open and close from iterate to iterate. So earlier increments say nothing about
 * the error of the matrix, and none is discarded. */
static void close_positions_in_contact(struct lk_system *sys)
{
    struct lk_progress *p = sys->progress;
    int n = sys->iterations, left = n * rounds(sys);

    p->found = p->done = 0;
    p->ends = p->goes_back = false;
    p->part = 1;
    for (int i = 0; i < n; i++)
        p->alpha[i] = 0;
    sweep(sys, RATTLE_STAY, RATTLE_PREDICTION);
    while (left-- > 0) {
        p->found = p->done = n - (left < n ? left : n - 1);
        sweep(sys, RATTLE_INCREMENT, left > 0 ? RATTLE_ITERATION : RATTLE_CHECK);
    }
    close_joints(sys);
}

static void close_positions(struct lk_system *sys)
{
    struct lk_convergence of;
    const struct lk_progress *p = sys->progress;
    int n = sys->iterations;

    if (sys->n_contacts > 0) {
        close_positions_in_contact(sys);
        return;
    }
    begin_positions(sys, &of);
    if (sys->elements->stops.n == 0)
        take_first(sys, &of, n > 1 ? RATTLE_ITERATION : RATTLE_CHECK);
    while (p->done < n)
        take_next(sys, &of, p->done + 1 < n ? RATTLE_ITERATION : RATTLE_CHECK);
    lk_stops_take_kept(&sys->elements->stops);
    close_joints(sys);
}

/* ---- velocities: second half kick, at q_n+1; accelerations ---- */

/* if rows may depend on each other: store the first part of a solution, and compute the right-hand
 * side of the second one */
static void solve_again(struct lk_system *sys)
{
    if (!sys->rows_are_independent)
        sweep(sys, RATTLE_REFINE, RATTLE_AGAIN);
}

static bool carries(const struct lk_system *sys)
{
    return sys->n_massless > 0;
}

/* compute the multipliers that balance the forces on bodies without inertia */
static void balance_massless(struct lk_system *sys)
{
    if (!carries(sys))
        return;
    sweep(sys, RATTLE_PULL, RATTLE_BALANCE);
    sweep(sys, RATTLE_CARRY, RATTLE_REST);
}

/* Compute accelerations and reactions, from system->n_least solves if rows may depend on each
 * other. Each further solve of E x reduces the error of E by q = E / (E + s Phi_q W Phi_q^T): the
 * sum of n solves has the error q^n. A start near a singular pose takes four solves. Redundant rows
 * may contradict each other by round-off. Division by E amplifies this contradiction (to 1e-5 of
 * the reactions for a loop 10 km from the origin), and it has q = 1. The sum of two solves less
 * twice the third is free of the contradiction, with an error of 3 q^2. */
static void close_accelerations(struct lk_system *sys, enum rattle_up then)
{
    solve_again(sys);
    for (int part = 2; part < sys->n_least; part++)
        sweep(sys, RATTLE_REFINE_MORE, RATTLE_AGAIN_MORE);
    sweep(sys, sys->is_redundant ? RATTLE_LEAST_ACCELERATIONS : RATTLE_ACCELERATIONS, then);
}

/* Compute free accelerations with the loads at the end of the step, at the final velocities. */
static void free_accelerations(struct lk_system *sys, const double *inputs)
{
    lk_elements_settle(sys, &sys->next);
    sys->executor->loads(sys, lk_time(sys) + sys->h, inputs);
    balance_massless(sys);
    sweep(sys, RATTLE_STAY, RATTLE_FREE);
}

/* Let contacts act on the velocities, pass by pass: each one projects the velocities with a factor
 * that contains the contacts which touch, see elements/contacts.h. */
static void touch(struct lk_system *sys)
{
    for (int k = 0; k < LK_CONTACT_PASSES * rounds(sys) && sys->n_contacts > 0; k++) {
        sweep(sys, RATTLE_VELOCITIES, RATTLE_TOUCH);
        solve_again(sys);
    }
}

/* add the second part of the velocities, and compute free accelerations with the loads at the end
 * of the step; laws need the final velocities first */
static void close_velocities(struct lk_system *sys, const double *inputs)
{
    if (sys->n_laws == 0 && !carries(sys)) {
        sys->executor->loads(sys, lk_time(sys) + sys->h, inputs);
        sweep(sys, RATTLE_VELOCITIES, RATTLE_FREE);
        return;
    }
    sweep(sys, RATTLE_VELOCITIES, sys->n_contacts > 0 ? RATTLE_LEAVE : RATTLE_REST);
    lk_keep_coordinates(sys);
    lk_elements_kick(sys);
    free_accelerations(sys, inputs);
}

/* Let friction follow the normal forces of contacts and bearings. The multipliers of the positions
 * equal these forces to order 1 in h only; those of the accelerations at both ends of the step give
 * their mean over the step to order 2. So the velocities are corrected with the first accelerations
 * of the new state, and these computed again. One correction is enough, because a normal force
 * depends on creep by the friction coefficient only. The normal force of a bearing may depend on
 * the friction of another bearing, for example of a pin that tilts a slider in its guide. With
 * bearings, the accelerations are therefore computed twice before the correction. */
static void follow_loads(struct lk_system *sys, const double *inputs)
{
    if (sys->n_by_load == 0)
        return;
    if (sys->has_bearings) {
        close_accelerations(sys, RATTLE_REST);
        lk_bearings_refer(sys, &sys->next);
        free_accelerations(sys, inputs);
    }
    close_accelerations(sys, RATTLE_FOLLOW);
    solve_again(sys);
    sweep(sys, RATTLE_VELOCITIES, RATTLE_REST);
    free_accelerations(sys, inputs);
    sys->elements->keeps_loads = false;
}

/* ---- the work of drives ---- */

bool lk_rattle_may_jump(const struct lk_system *sys)
{
    bool jumps = false;

    for (int i = 0; i < sys->n_inputs; i++)
        jumps |= sys->input[i].type != LK_INPUT_DRIVE;
    return jumps && sys->n_drives > 0 && sys->n_contacts == 0;
}

/* return the power of the drives with @inputs in the state at the start of a step,
 * recomputed from the state only */
static double drive_power(struct lk_system *sys, const double *inputs)
{
    sys->executor->carry(sys);
    lk_elements_settle(sys, &sys->now);
    sys->executor->loads(sys, lk_time(sys), inputs);
    balance_massless(sys);
    sweep(sys, RATTLE_STAY, RATTLE_FREE);
    close_accelerations(sys, RATTLE_REST);
    if (sys->executor->give_multipliers)
        sys->executor->give_multipliers(sys);
    return lk_loads_drive_power(sys, sys->next.lambda, 0);
}

/* Book the work of drives at a jump of the inputs. Drives resist the jump from the start of the
 * step on, not from its middle. The forces of hard stops are not loads, so neither power contains
 * them. */
static void book_jump(struct lk_system *sys, const double *inputs)
{
    double before;

    if (!lk_rattle_may_jump(sys))
        return;
    before = sys->elements->stops.n > 0 ? drive_power(sys, sys->now.inputs)
                                        : lk_loads_drive_power(sys, sys->now.lambda, 0);
    sys->next.balance->work_drive += 0.5 * sys->h * (drive_power(sys, inputs) - before);
}

/* ---- the step ---- */

static int rattle_step(struct lk_system *sys, const double *inputs)
{
    const struct lk_executor *x = sys->executor;
    double middle = lk_time(sys) + 0.5 * sys->h;
    int result;

    book_jump(sys, inputs);
    x->begin(sys);
    lk_elements_start(sys, inputs);
    x->carry(sys);
    x->take(sys);
    x->loads(sys, middle, inputs);
    if (carries(sys))
        sweep(sys, RATTLE_PULL, RATTLE_REST);
    lk_drives_advance(sys, inputs);
    close_positions(sys);
    lk_elements_close(sys);
    x->loads(sys, middle, inputs);
    if (carries(sys))
        sweep(sys, RATTLE_STAY, RATTLE_SETTLE);
    balance_massless(sys);
    sweep(sys, RATTLE_STAY, RATTLE_KICK);
    solve_again(sys);
    touch(sys);
    close_velocities(sys, inputs);
    follow_loads(sys, inputs);
    close_accelerations(sys, RATTLE_STORE);
    lk_elements_rest(sys);
    result = x->store(sys);
    lk_elements_end(sys);
    return result;
}

void lk_rattle_finish(struct lk_system *sys, const double *inputs)
{
    double increment = sys->next.balance->increment;

    sys->executor->begin(sys);
    sweep(sys, RATTLE_STAY, RATTLE_RELOAD);
    sweep(sys, RATTLE_STAY, RATTLE_MATRIX);
    for (int i = 1; i < LK_EXTRAPOLATE_ROUNDS; i++)
        sweep(sys, RATTLE_CLOSE_STATE, RATTLE_VIOLATION);
    sweep(sys, RATTLE_CLOSE_STATE, sys->n_laws > 0 ? RATTLE_REST : RATTLE_RATES);
    if (sys->n_laws > 0)
        sweep(sys, RATTLE_STAY, RATTLE_RATES);
    solve_again(sys);
    close_velocities(sys, inputs);
    close_accelerations(sys, RATTLE_STORE);
    sys->executor->store(sys);
    sys->next.balance->increment = increment;
}

const struct lk_formulation lk_formulation_rattle = {
    .name = "rattle",
    .script = LK_SCRIPT_RATTLE,
    .step = rattle_step,
    .layout = lk_one_rattle_layout,
    .own_size = lk_rattle_own_size,
    .begin = lk_one_rattle_begin,
    .renew = lk_script_renew,
    .keeps_rows = 1,
    .extrapolation = &lk_extrapolation_rattle,
    .stops_at_any_pose = 1,
    .in_lanes = &lk_formulation_rattle_lanes,
    .iterations = LK_RATTLE_ITERATIONS,
    .regularisation = LK_RATTLE_REGULARISATION,
    .solves_once = 1,
    .leaves_laws = 1,
    .steps_in_plane = 1,
};

const struct lk_formulation lk_formulation_rattle_lanes = {
    .name = "rattle",
    .script = LK_SCRIPT_RATTLE,
    .step = rattle_step,
    .keeps_balance = 1,
    .own_size = lk_rattle_own_size,
    .begin = lk_lanes_rattle_begin,
    .renew = lk_script_renew,
    .stops_at_any_pose = 1,
    .keeps_rows = 1,
    .extrapolation = &lk_extrapolation_rattle,
    .effort = {1, LK_RATTLE_ITERATIONS + 6, 2 * LK_RATTLE_ITERATIONS + 8, LK_RATTLE_INCREMENTS, 12,
               6, 2.7, 5, 1.13},
    .iterations = LK_RATTLE_ITERATIONS,
    .regularisation = LK_RATTLE_REGULARISATION,
    .solves_once = 1,
    .steps_in_plane = 1,
};
