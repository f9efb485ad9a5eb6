/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities of `rattle`: half a kick at q_n+1; accelerations and reactions of the new state. */
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/scripts/rattle.h"
#include <string.h>

/* Velocities @v, or accelerations, of four bodies by differences of positions where there is no
 * inertia: those of @thin turns, too. Their difference from that into system->correction. */
LK_INLINE void see_positions(const struct lk_system *sys, const struct lk_lanes *l,
                             const struct lk_quad *quad, bool is_acceleration,
                             const lk_four thin[3], lk_four v[6])
{
    const struct lk_rattle_own *next = lk_rattle_own(&sys->next), *now = lk_rattle_own(&sys->now);
    lk_four moved[6], bent[6], last[6], rest[6], seen[2][6];

    lk_gather(l, next->moved, LK_STRIDE(struct lk_rattle_own), 6, moved);
    lk_gather(l, next->bent, LK_STRIDE(struct lk_rattle_own), 6, bent);
    lk_gather(l, now->bent, LK_STRIDE(struct lk_rattle_own), 6, last);
    lk_rattle_differences_four(sys->h, moved, bent, last, seen[0], seen[1]);
    lk_rattle_replace_four(quad->massless, thin, seen[is_acceleration], v);
    for (int i = 0; i < 6; i++)
        rest[i] = v[i] - seen[is_acceleration][i];
    lk_scatter(l, rest, LK_STRIDE(struct lk_twist), 6, sys->correction[0].v);
}

/* what dampers leave of the differences in system->correction, into system->solution */
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

static void kick_velocities(struct lk_system *sys, struct lk_rattle *r)
{
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        const struct lk_quad *quad = &sys->quad[k];
        const struct lk_half_kicks *half = &r->quad[k];
        lk_four sum[6], sm, bent[6], v[6], more[3], pull[3];

        lk_gather(&l, sys->residual[0].v, LK_STRIDE(struct lk_twist), 6, sum);
        lk_gather(&l, &sys->sW[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &sm);
        lk_gather(&l, lk_rattle_own(&sys->next)->bent, LK_STRIDE(struct lk_rattle_own), 6, bent);
        for (int i = 0; i < 3; i++)
            more[i] = sys->h * sys->h * bent[3 + i];
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

void lk_rattle_sum_forces(struct lk_system *sys, const double *lambda, const struct lk_twist *load)
{
    /* but for bodies without inertia those of rigid rows are 0, by lk_rattle_forget_rigid() */
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

/* Multipliers of the rows in the last factor that hold the forces on bodies without inertia at the
 * present pose: artificial masses hardly count beside the others. Other rows solve to 0. */
static void balance_massless(struct lk_system *sys, const struct lk_rattle *r)
{
    if (sys->n_massless == 0)
        return;
    lk_rattle_sum_forces(sys, sys->next.lambda, r->load);
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
    lk_evaluate_reduce(sys);
    lk_evaluate_solve(sys, sys->solution);
    for (int row = 0; row < sys->n_rows; row++)
        sys->next.lambda[row] += sys->solution[row];
}

void lk_rattle_loads(struct lk_system *sys, double t, const double *inputs, struct lk_twist *ret)
{
    memset(ret, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*ret));
    lk_loads_subtract(sys, t, inputs, ret);
}

/* ---- accelerations and reactions; nothing but the state enters ---- */

void lk_rattle_settle_laws(struct lk_system *sys, const struct lk_state *state)
{
    lk_loads_law_multipliers(sys, state, 0, sys->next.lambda);
    lk_tyres_settle(sys, state, &sys->next);
}

/* those of rigid rows begin at 0, but where bodies without inertia pass forces on: there the
 * balance of forces is that of the half kick */
static void start_multipliers(struct lk_system *sys, const struct lk_state *state)
{
    if (sys->n_massless == 0)
        lk_rattle_forget_rigid(sys);
    lk_rattle_settle_laws(sys, state);
}

static void free_accelerations(struct lk_system *sys, const struct lk_rattle *r)
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

/* @which: where the velocities or accelerations of the bodies of system->next begin */
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

static void project_accelerations(struct lk_system *sys, struct lk_rattle *r)
{
    lk_evaluate_acceleration_violation(sys, &sys->next, NULL);
    violate_dampers(sys);
    lk_evaluate_least(sys, r->lambda);
    subtract_corrections(sys, sys->next.motion[0].a.v);
    for (int row = 0; row < sys->n_rows; row++)
        sys->next.lambda[row] += sys->s * sys->solution[row];
}

/* the right-hand side is in system->solution */
static void close_velocities(struct lk_system *sys, struct lk_rattle *r)
{
    lk_evaluate_refined(sys, r->lambda);
    subtract_corrections(sys, sys->next.motion[0].v.v);
    lk_evaluate_twists(sys, &sys->next);
}

void lk_rattle_project_velocities(struct lk_system *sys, struct lk_rattle *r)
{
    lk_evaluate_twists(sys, &sys->next);
    lk_evaluate_velocity_violation(sys);
    close_velocities(sys, r);
}

void lk_rattle_accelerate(struct lk_system *sys, struct lk_rattle *r, const struct lk_state *state)
{
    start_multipliers(sys, state);
    balance_massless(sys, r);
    lk_rattle_sum_forces(sys, sys->next.lambda, r->load);
    free_accelerations(sys, r);
    project_accelerations(sys, r);
}

/* rates of the rows of laws by the half kick alone */
static void keep_rates(struct lk_system *sys, const struct lk_rattle *r)
{
    for (int i = 0; i < sys->n_joints && sys->closes_dampers; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (!lk_is_compliant(j))
            continue;
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
        for (int row = 0; row < j->n_rows; row++)
            r->rate[j->law + row] = rates[row];
    }
}

void lk_rattle_kick(struct lk_system *sys, struct lk_rattle *r)
{
    if (sys->n_massless == 0)
        lk_rattle_forget_rigid(sys);
    balance_massless(sys, r);
    lk_rattle_sum_forces(sys, sys->next.lambda, r->load);
    kick_velocities(sys, r);
    lk_evaluate_twists(sys, &sys->next);
    keep_rates(sys, r);
    lk_evaluate_velocity_violation(sys);
    violate_dampers(sys);
    close_velocities(sys, r);
    lk_rattle_book_damping(sys, r, sys->solution);
}
