/* SPDX-License-Identifier: Apache-2.0 */
/* Factor, solves and projections for executor `one`. */
#include "step/one/evaluate.h"
#include "step/elements/drives.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/kinematics_inl.h"
#include "step/one/modal.h"
#include "step/system.h"
#include <stdbool.h>
#include <string.h>

LK_INLINE void jacobian_of_joint(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);

    if (lk_is_compliant(j) || j->of[1]) {
        const struct lk_pose *const all[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);

        lk_joint_jacobian(j, all, sys->jacobian[i]);
    } else {
        lk_joint_ops(j->type)->jacobian(j, pose, sys->jacobian[i]);
    }
}

void lk_evaluate_jacobians(struct lk_system *sys)
{
    lk_tyres_place(sys);
    lk_modal_jacobians(sys);
    for (int i = 0; i < sys->n_joints; i++)
        jacobian_of_joint(sys, i);
}

void lk_evaluate_factor(struct lk_system *sys)
{
    lk_fronts_factor(&sys->fronts, sys->regular, sys->sW_now);
    sys->laws_are_left = false;
}

void lk_evaluate_rigid_factor(struct lk_system *sys)
{
    if (!sys->leaves_laws) {
        lk_evaluate_factor(sys);
        return;
    }
    lk_fronts_factor(&sys->rigid_fronts, sys->regular, sys->sW_now);
    sys->laws_are_left = true;
}

void lk_evaluate_rigid(struct lk_system *sys)
{
    if (sys->leaves_laws) {
        lk_modal_jacobians(sys);
        for (int i = 0; i < sys->n_joints; i++)
            if (!lk_is_compliant(&sys->joint[i]))
                jacobian_of_joint(sys, i);
    } else {
        lk_evaluate_jacobians(sys);
    }
    lk_evaluate_rigid_factor(sys);
}

void lk_evaluate_solve(struct lk_system *sys, double *x)
{
    lk_fronts_solve(sys->laws_are_left ? &sys->rigid_fronts : &sys->fronts, x);
}

void lk_evaluate_reduce(struct lk_system *sys, const struct lk_twist *motion)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (sys->laws_are_left && lk_is_compliant(j))
            continue;
        rates_of_joint(sys, i, motion, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] -= rates[r];
    }
}

void lk_evaluate_correction(struct lk_system *sys)
{
    lk_evaluate_solve(sys, sys->solution);
    lk_evaluate_spread(sys);
}

void lk_evaluate_refined(struct lk_system *sys, double *scratch)
{
    lk_evaluate_solve(sys, sys->solution);
    if (!sys->rows_are_independent) {
        for (int r = 0; r < sys->n_rows; r++) {
            scratch[r] = sys->solution[r];
            sys->solution[r] *= sys->rigid[r];
        }
        lk_evaluate_solve(sys, sys->solution);
        for (int r = 0; r < sys->n_rows; r++)
            sys->solution[r] += scratch[r];
    }
    lk_evaluate_spread(sys);
}

/* compute the correction of bodies with modes, of which the nodes have no inverse mass */
static void spread_modal(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_modals; i++) {
        const struct lk_modal *m = &sys->modal[i];

        for (int a = -1; a < m->n_nodes; a++) {
            int b = a < 0 ? m->body : m->node[a].body;
            double sum[6];

            transpose_of_body(sys, sys->first_side[b],
                              sys->laws_are_left ? sys->first_law_side[b] : sys->first_side[b + 1],
                              sys->solution, sum);
            memcpy(&sys->correction[b], sum, sizeof(sum));
        }
        lk_modal_collect(m, sys->correction);
        lk_flexible_weigh(m->flexible, m->force);
        lk_modal_spread(m, m->force, sys->correction);
    }
}

void lk_evaluate_spread(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_inverse_mass *sW = &sys->sW_now[b];
        struct lk_twist *c = &sys->correction[b];
        double sum[6];

        transpose_of_body(sys, sys->first_side[b],
                          sys->laws_are_left ? sys->first_law_side[b] : sys->first_side[b + 1],
                          sys->solution, sum);
        for (int i = 0; i < 3; i++)
            c->v[i] = sW->mass * sum[i];
        lk_sym_mul(sW->inertia, sum + 3, c->w);
    }
    spread_modal(sys);
}

static void subtract_correction(const struct lk_system *sys, int b, struct lk_twist *t)
{
    for (int i = 0; i < 3; i++) {
        t->v[i] -= sys->correction[b].v[i];
        t->w[i] -= sys->correction[b].w[i];
    }
}

void lk_evaluate_rebounds(struct lk_system *sys)
{
    for (int r = 0; r < sys->n_rows; r++)
        sys->solution[r] = 0;
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        if (law->now->stop.is_impact)
            sys->solution[sys->joint[law->joint].row + law->row] = law->now->stop.rate;
    }
}

/* make rows that rest on a hard stop rigid in the projection of accelerations */
static void rest_on_stops(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_stops > 0 && !sys->laws_are_left; i++) {
        const struct lk_law *law = &sys->law[i];
        double rates[LK_ROWS_PAD], gamma[LK_ROWS_MAX];

        if (!law->now->stop.is_impact || law->now->stop.rate != 0)
            continue;
        rates_of_joint(sys, law->joint, sys->residual, rates);
        gamma_of_joint(sys, law->joint, gamma);
        sys->solution[sys->joint[law->joint].row + law->row] = rates[law->row] + gamma[law->row];
    }
}

/* write the rates of the rows of stops that are hit, as for rigid rows, so that the projection
 * removes these rates; lk_evaluate_rebounds() adds the restitution */
static void impact_rates(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_stops > 0 && !sys->laws_are_left; i++) {
        const struct lk_law *law = &sys->law[i];
        double rates[LK_ROWS_PAD];

        if (!law->now->stop.is_impact)
            continue;
        rates_of_joint(sys, law->joint, sys->twist, rates);
        sys->solution[sys->joint[law->joint].row + law->row] = rates[law->row];
    }
}

void lk_evaluate_velocity_violation(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD] = {0};

        if (!lk_is_compliant(j))
            rates_of_joint(sys, i, sys->twist, rates);
        if (j->kind == LK_ROWS_DRIVEN)
            rates[0] -= sys->drive[j->drive].rate;
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = rates[r];
    }
    impact_rates(sys);
}

void lk_evaluate_rigid_violations(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        lk_evaluate_violation(sys, i, sys->solution + j->row);
        for (int r = lk_rigid_rows(j); r < j->n_rows; r++)
            sys->solution[j->row + r] = 0;
    }
}

double lk_correct_positions(struct lk_system *sys, struct lk_state *state)
{
    double largest = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *c = &sys->correction[b];
        const double theta[3] = {-c->w[0], -c->w[1], -c->w[2]};
        struct lk_motion *m = &state->motion[b];
        double q[4];

        lk_turn_on(m->q, theta, q);
        for (int i = 0; i < 3; i++) {
            m->x[i] -= c->v[i];
            largest = lk_max(largest, lk_max(fabs(c->v[i]), fabs(c->w[i])));
        }
        for (int i = 0; i < 4; i++)
            m->q[i] = q[i];
    }
    for (int i = 0; i < sys->n_modals; i++)
        for (int k = 0; k < sys->modal[i].n; k++)
            state->mode[sys->modal[i].at + k].q -= sys->modal[i].force->q[k];
    lk_modal_settle(sys, state);
    return largest;
}

void lk_correct_velocities(struct lk_system *sys, struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        subtract_correction(sys, b, &sys->twist[b]);
        state->motion[b].v = sys->twist[b];
    }
    lk_one_modal_subtract(sys, state, false);
}

void lk_project_velocities(struct lk_system *sys, struct lk_state *state)
{
    lk_evaluate_velocity_violation(sys);
    lk_evaluate_correction(sys);
    lk_correct_velocities(sys, state);
}

void lk_evaluate_acceleration_violation(struct lk_system *sys, const struct lk_state *state,
                                        const struct lk_twist *jump)
{
    lk_evaluate_accelerations(sys, state);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD] = {0}, gamma[LK_ROWS_MAX] = {0};

        if (!lk_is_compliant(j)) {
            rates_of_joint(sys, i, sys->residual, rates);
            gamma_of_joint(sys, i, gamma);
        } else if (jump) {
            rates_of_joint(sys, i, jump, rates);
        }
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = rates[r] + gamma[r];
    }
    if (!jump)
        rest_on_stops(sys);
}

void lk_correct_accelerations(struct lk_system *sys, struct lk_state *state)
{
    lk_evaluate_spread(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        subtract_correction(sys, b, &state->motion[b].a);
    lk_one_modal_subtract(sys, state, true);
    for (int r = 0; r < sys->n_rows; r++)
        state->lambda[r] += sys->s * sys->solution[r];
}

void lk_project_accelerations(struct lk_system *sys, struct lk_state *state,
                              const struct lk_twist *jump)
{
    lk_evaluate_acceleration_violation(sys, state, jump);
    lk_evaluate_solve(sys, sys->solution);
    lk_correct_accelerations(sys, state);
}

void lk_start_take_tangents(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = sys->now.tangent[i];
}

void lk_start_renew(struct lk_system *sys)
{
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_drives_evaluate(sys, &sys->now);
    lk_start_take_tangents(sys);
    lk_evaluate_jacobians(sys);
    lk_evaluate_factor(sys);
}
