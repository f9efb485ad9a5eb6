/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle`: RATTLE on the rotation group, solved in multiplier space over the tree. It
 * is symmetric and symplectic, of order 2: what turns keeps turning (H. C. Andersen, Rattle: a
 * velocity version of the Shake algorithm, 1983; E. Hairer, C. Lubich, G. Wanner, Geometric
 * Numerical Integration, VII.1.4).
 *
 * The state is pose and velocity. Half a kick at q_n, with multipliers that close the positions at
 * q_n+1, then half a kick at q_n+1, with multipliers that close the velocities there. With s =
 * h^2/4, W = M^-1, u = x - x_n, R = R_n exp(theta), and the Jacobian of q_n in all places,
 *
 *     g_x  = 2/h m (u/h - v_n) - Q_x + (Phi_q^T lambda)_x
 *     g_th = 2/h (D(theta) J theta/h - J w_n) - Q_th + (Phi_q^T lambda)_th
 *     (E + s Phi_q W Phi_q^T) dlambda = Phi/2 - s Phi_q W g
 *     dq = -2 s W (Phi_q^T dlambda + g),     lambda += dlambda
 *
 * D(theta) is the transposed inverse of the tangent of exp, so that angular momentum is carried
 * over exactly (N. Bou-Rabee, J. E. Marsden, Hamilton-Pontryagin Integrators on Lie Groups, Part I,
 * 2009); it contains the gyroscopic term. The factor of the pose that the iterations end at closes
 * the positions, projects the velocities, gives accelerations and reactions of the new state, and
 * is the factor of the next step. That pose differs from the closed one by round-off or little
 * more; it is part of the state, so that a step finds the same bits after a reset.
 *
 * What depends on time alone acts in both half kicks with its value at t_n + h/2, as the laws of
 * compliant rows do: a light body between springs would ring with the difference of two values.
 *
 * A compliant row has one multiplier in both half kicks, its law over the step (lk_law_step()), and
 * is in the matrix of the iterations alone: a model that has such rows needs a factor more, and the
 * other one, with all solves after the iterations, is of the rigid rows only. Hard
 * end stops are multipliers beside those of the rows, see elements/stops.c. */
#include "step/scripts/rattle.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/scripts/extrapolate.h"
#include <string.h>

static double drive_power(struct lk_system *sys, struct lk_rattle *r, double t,
                          const double *inputs)
{
    /* from the multipliers of the state, whoever asked before */
    memcpy(sys->next.lambda, sys->now.lambda, (size_t)sys->n_rows * sizeof(double));
    lk_rattle_loads(sys, t, inputs, r->load);
    lk_rattle_accelerate(sys, r, &sys->now);
    return lk_loads_drive_power(sys, &sys->next);
}

bool lk_rattle_may_jump(const struct lk_system *sys)
{
    bool jumps = false;

    for (int i = 0; i < sys->n_inputs; i++)
        jumps |= sys->input[i].type != LK_INPUT_DRIVE;
    return jumps && sys->n_drives > 0;
}

/* Drives push against a jump of the inputs from the beginning of the step, not from half of it.
 * Hard stops, whose forces are not among the loads, count in neither power. */
static void book_jump(struct lk_system *sys, struct lk_rattle *r, double t, const double *inputs)
{
    double before;

    if (!lk_rattle_may_jump(sys))
        return;
    before = r->stops.n > 0 ? drive_power(sys, r, t, sys->now.inputs)
                            : lk_loads_drive_power(sys, &sys->now);
    sys->next.balance->work_drive += 0.5 * sys->h * (drive_power(sys, r, t, inputs) - before);
}

static int rattle_step(struct lk_system *sys, const double *inputs)
{
    struct lk_rattle *r = sys->formulation_data;
    double t = lk_system_time(sys);
    bool turns_are_small;

    book_jump(sys, r, t, inputs);
    lk_rattle_loads(sys, t + 0.5 * sys->h, inputs, r->load);
    for (int i = 0; i < sys->n_laws; i++) {
        double rate;

        if (sys->law[i].n_terms > 0)
            r->value[i] = lk_loads_law_place(sys, &sys->now, &sys->law[i], &rate);
    }
    lk_tyres_begin(sys);
    memcpy(sys->next.lambda, sys->now.lambda, (size_t)sys->n_rows * sizeof(double));
    lk_rattle_look_at_stops(sys, r, inputs);
    lk_rattle_count_gaps_anew(sys);
    if (sys->n_massless == 0)
        lk_rattle_forget_rigid(sys);
    lk_rattle_sum_forces(sys, sys->next.lambda, r->load);
    lk_sways_take(sys, r->value);
    lk_rattle_take_tension(sys, r);
    lk_drives_advance(sys, inputs);
    lk_rattle_predict(sys, r);
    turns_are_small = lk_rattle_iterate(sys, r);
    lk_rattle_leave_tension(sys, r);
    lk_rattle_close(sys);
    lk_rattle_book_tension(sys, r);
    lk_tyres_end(sys);
    lk_rattle_loads(sys, t + 0.5 * sys->h, inputs, r->load);
    lk_rattle_return_pushes(sys, r);
    lk_sways_turn(sys);
    lk_rattle_turn_laws(sys, r->value);
    lk_rattle_kick(sys, r);
    if (sys->n_laws > 0)
        lk_keep_coordinates(sys);
    if (r->stops.n > 0)
        lk_rattle_bounce(sys, r);
    if (r->has_clock)
        lk_rattle_loads(sys, t + sys->h, inputs, r->load);
    lk_rattle_accelerate(sys, r, &sys->next);
    lk_rattle_rest(sys, r);
    lk_rattle_book_laws(sys, r);
    return turns_are_small ? 0 : LK_E_TURN;
}

const struct lk_formulation lk_formulation_rattle = {
    .name = "rattle",
    .step = rattle_step,
    .layout = lk_rattle_layout,
    .own_size = lk_rattle_own_size,
    .begin = lk_rattle_begin,
    .renew = lk_rattle_renew,
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
