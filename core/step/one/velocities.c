/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of `rattle`: second half kick, at q_n+1; accelerations and reactions of the new state.
 */
#include "step/elements/bearing.h"
#include "step/elements/contacts.h"
#include "step/elements/law_steps.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/one/modal.h"
#include "step/one/rattle.h"
#include <string.h>

/* Replace velocities @v, or accelerations, of four bodies by differences of positions in directions
 * without inertia, including rotations about @thin. Write the velocities minus the differences to
 * system->correction. */
LK_INLINE void see_positions(const struct lk_system *sys, const struct lk_lanes *l,
                             const struct lk_quad *quad, bool is_acceleration,
                             const lk_four thin[3], lk_four v[6])
{
    const struct lk_rattle_own *next = lk_rattle_own(&sys->next), *now = lk_rattle_own(&sys->now);
    lk_four moved[6], curvature[6], last[6], rest[6], seen[2][6];

    lk_gather(l, next->moved, LK_STRIDE(struct lk_rattle_own), 6, moved);
    lk_gather(l, next->curvature, LK_STRIDE(struct lk_rattle_own), 6, curvature);
    lk_gather(l, now->curvature, LK_STRIDE(struct lk_rattle_own), 6, last);
    lk_rattle_differences_four(sys->h, moved, curvature, last, seen[0], seen[1]);
    lk_rattle_replace_four(quad->massless, thin, seen[is_acceleration], v);
    for (int i = 0; i < 6; i++)
        rest[i] = v[i] - seen[is_acceleration][i];
    lk_scatter(l, rest, LK_STRIDE(struct lk_twist), 6, sys->correction[0].v);
}

/* write the rates of the rows of dampers, for the motion in system->correction, into
 * system->solution */
static void violate_dampers(struct lk_system *sys)
{
    if (!sys->closes_dampers)
        return;
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (!lk_is_compliant(j))
            continue;
        lk_evaluate_row_rates(sys, i, sys->correction, rates);
        for (int row = 0; row < j->n_rows; row++)
            sys->solution[j->row + row] = rates[row];
    }
}

static void kick_velocities(struct lk_system *sys, struct lk_one_rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        const struct lk_half_kicks *half = &r->quad[k];
        lk_four sum[6], sm, curvature[6], v[6], more[3], pull[3];

        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
        lk_gather(&l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &sm);
        lk_gather(&l, lk_rattle_own(&sys->next)->curvature, LK_STRIDE(struct lk_rattle_own), 6,
                  curvature);
        for (int i = 0; i < 3; i++)
            more[i] = sys->h * sys->h * curvature[3 + i];
        lk_rattle_tension_end_four(half->tension, quad->theta, more, pull);
        for (int i = 0; i < 3; i++)
            sum[3 + i] -= pull[i];
        lk_rattle_kick_body_four(sys->h, sys->s, false, false, quad->inertia, sm, half->sW, quad->u,
                                 quad->theta, sum, v);
        if (lk_rattle_has_differences(sys))
            see_positions(sys, &l, quad, false, quad->thin, v);
        lk_scatter(&l, v, LK_STRIDE(struct lk_motion), 6, sys->next.motion[0].v.v);
    }
}

void lk_one_sum_forces(struct lk_system *sys)
{
    const struct lk_one_rattle *r = sys->formulation_data;
    const struct lk_twist *load = r->load;
    const double *lambda = sys->next.lambda;

    /* multipliers of rigid rows are 0 after lk_one_forget_rigid(), unless there are bodies without
     * inertia */
    if (sys->n_laws + sys->n_massless == 0) {
        memcpy(sys->residual, load, (size_t)sys->n_bodies * sizeof(*load));
    } else {
        if (sys->n_massless == 0)
            lk_evaluate_law_forces(sys, lambda, sys->residual);
        else
            lk_evaluate_transpose(sys, lambda, sys->residual);
        for (int b = 0; b < sys->n_bodies; b++)
            for (int i = 0; i < 3; i++) {
                sys->residual[b].v[i] += load[b].v[i];
                sys->residual[b].w[i] += load[b].w[i];
            }
    }
    lk_evaluate_clear_frames(sys, sys->residual);
}

void lk_one_balance(struct lk_system *sys)
{
    lk_one_sum_forces(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        struct lk_twist *g = &sys->residual[b];
        double turn[3];

        lk_sym_mul(sys->sW[b].inertia, g->w, turn);
        for (int i = 0; i < 3; i++) {
            g->v[i] *= quad->massless[0][b % 4] * sys->sW[b].mass;
            g->w[i] = quad->massless[1][b % 4] * turn[i];
        }
    }
    memset(sys->solution, 0, (size_t)sys->n_rows * sizeof(double));
    lk_evaluate_reduce(sys, sys->residual);
}

void lk_one_carry(struct lk_system *sys)
{
    lk_evaluate_solve(sys, sys->solution);
    for (int row = 0; row < sys->n_rows; row++)
        sys->next.lambda[row] += sys->solution[row];
}

/* ---- accelerations and reactions, functions of the state only ---- */

static void free_accelerations(struct lk_system *sys, const struct lk_one_rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        static const lk_four no_axis[3];
        lk_four sum[6], sm, w[3], a[6];

        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
        lk_gather(&l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &sm);
        lk_gather(&l, sys->twist[0].w, LK_STRIDE(struct lk_twist), 3, w);
        lk_free_acceleration_four(sys->s, false, false, quad->inertia, sm, r->quad[k].sW, w, sum,
                                  a);
        if (lk_rattle_has_differences(sys))
            see_positions(sys, &l, quad, true, no_axis, a);
        lk_drop_along_four(quad->thin, a + 3);
        lk_scatter(&l, a, LK_STRIDE(struct lk_motion), 6, sys->next.motion[0].a.v);
    }
}

/* subtract system->correction. @which: velocities or accelerations of the first body of
 * system->next */
static void subtract_corrections(const struct lk_system *sys, double *which)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *t = (struct lk_twist *)(which + (size_t)b * LK_STRIDE(struct lk_motion));

        for (int i = 0; i < 3; i++) {
            t->v[i] -= sys->correction[b].v[i];
            t->w[i] -= sys->correction[b].w[i];
        }
    }
}

/* compute the last part of system->solution, and add the other parts */
static void end_solution(struct lk_system *sys, int n, double weight)
{
    const struct lk_one_rattle *r = sys->formulation_data;

    lk_evaluate_solve(sys, sys->solution);
    for (int row = 0; row < sys->n_rows && n > 1; row++)
        sys->solution[row] = r->lambda[row] + weight * sys->solution[row];
    lk_evaluate_spread(sys);
}

void lk_one_refine(struct lk_system *sys)
{
    const struct lk_one_rattle *r = sys->formulation_data;

    lk_evaluate_solve(sys, sys->solution);
    memcpy(r->lambda, sys->solution, (size_t)sys->n_rows * sizeof(double));
}

void lk_one_refine_more(struct lk_system *sys)
{
    const struct lk_one_rattle *r = sys->formulation_data;

    lk_evaluate_solve(sys, sys->solution);
    for (int row = 0; row < sys->n_rows; row++)
        r->lambda[row] += sys->solution[row];
}

void lk_one_again(struct lk_system *sys)
{
    for (int row = 0; row < sys->n_rows; row++)
        sys->solution[row] *= sys->rigid[row];
}

void lk_one_project_velocities(struct lk_system *sys)
{
    end_solution(sys, sys->rows_are_independent ? 1 : 2, 1);
    subtract_corrections(sys, sys->next.motion[0].v.v);
    lk_one_modal_subtract(sys, &sys->next, false);
    lk_evaluate_twists(sys, &sys->next);
}

void lk_one_project_accelerations(struct lk_system *sys)
{
    end_solution(sys, sys->rows_are_independent ? 1 : 2, sys->is_redundant ? 1 - sys->n_least : 1);
    subtract_corrections(sys, sys->next.motion[0].a.v);
    lk_one_modal_subtract(sys, &sys->next, true);
    for (int row = 0; row < sys->n_rows; row++)
        sys->next.lambda[row] += sys->s * sys->solution[row];
}

void lk_one_follow(struct lk_system *sys)
{
    const struct lk_one_rattle *r = sys->formulation_data;
    struct lk_state mean = sys->next;

    for (int row = 0; row < sys->n_rows; row++)
        r->lambda[row] = 0.5 * (sys->now.lambda[row] + sys->next.lambda[row]);
    mean.lambda = r->lambda;
    for (int b = 0; b <= sys->n_bodies + sys->n_frames; b++)
        sys->residual[b] = (struct lk_twist){0};
    lk_bearings_refer(sys, &sys->next);
    lk_law_steps_change(sys, &mean, sys->residual);
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_evaluate_weigh(sys, sys->W, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *v = &sys->next.motion[b].v;

        for (int i = 0; i < 3; i++) {
            v->v[i] -= sys->h * sys->residual[b].v[i];
            v->w[i] -= sys->h * sys->residual[b].w[i];
        }
    }
    lk_one_modal_add(sys, -sys->h);
    lk_evaluate_twists(sys, &sys->next);
    lk_evaluate_velocity_violation(sys);
}

void lk_one_free(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    lk_one_forget_rigid(sys);
    lk_one_sum_forces(sys);
    free_accelerations(sys, r);
    lk_one_modal_free(sys);
    lk_evaluate_acceleration_violation(sys, &sys->next, NULL);
    violate_dampers(sys);
}

void lk_one_kick(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    lk_one_forget_rigid(sys);
    lk_one_sum_forces(sys);
    kick_velocities(sys, r);
    lk_one_modal_velocities(sys);
    lk_evaluate_twists(sys, &sys->next);
    lk_law_steps_keep_rates(sys);
    lk_evaluate_velocity_violation(sys);
    violate_dampers(sys);
}

void lk_one_touch(struct lk_system *sys)
{
    lk_contacts_add(sys);
    lk_evaluate_velocity_violation(sys);
    lk_contacts_touch(sys);
    lk_evaluate_factor(sys);
}

void lk_one_leave(struct lk_system *sys)
{
    lk_contacts_add(sys);
    lk_contacts_decouple(sys);
    if (sys->leaves_laws)
        sys->laws_are_left = true; /* this factor has not changed since the positions were closed */
    else
        lk_evaluate_factor(sys);
}

/* ---- the state of a higher order ---- */

void lk_one_reload(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    r->inputs = NULL;
    for (int i = 0; i < sys->n_laws; i++)
        sys->next.tangent[i] = LK_DECOUPLED;
    lk_one_place_unclosed(sys, &sys->next);
    lk_evaluate_twists(sys, &sys->next);
}

void lk_one_close_state(struct lk_system *sys)
{
    lk_evaluate_correction(sys);
    lk_correct_positions(sys, &sys->next);
    lk_evaluate_poses(sys, &sys->next);
}

void lk_one_violate(struct lk_system *sys)
{
    lk_one_violations(sys, 1);
}

void lk_one_rate(struct lk_system *sys)
{
    lk_evaluate_jacobians(sys);
    lk_one_find_gaps(sys);
    lk_evaluate_velocity_violation(sys);
}
