/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptance of a state: computes its accelerations and multipliers, and the work and dissipation
 * of the step that ends at this state. */
#include "maths/vec.h"
#include "methods/mechanics/mechanics.h"
#include "step/elements/loads.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include <string.h>

#define REFINEMENTS 3 /* number of solutions for the multipliers if rows are redundant */

/* Solve M a = Q - Phi_q^T lambda, where lambda are the multipliers of compliant rows only. The
 * projection adds the effect of the rigid rows. */
static void accelerate_freely(struct lk_mechanics *m)
{
    struct lk_system *sys = m->system;
    struct lk_twist *force = sys->correction;

    lk_mechanics_forces(m, force);
    for (int b = 0; b < m->n_bodies; b++) {
        struct lk_twist *a = &sys->next.motion[b].a;

        for (int i = 0; i < 3; i++)
            a->v[i] = sys->W[b].mass * force[b].v[i];
        lk_sym_mul(sys->W[b].inertia, force[b].w, a->w);
    }
}

void lk_mechanics_complete(struct lk_mechanics *m)
{
    struct lk_system *sys = m->system;

    accelerate_freely(m);
    lk_evaluate_factor(sys);
    for (int i = 0; i < (sys->rows_are_independent ? 1 : REFINEMENTS); i++)
        lk_project_accelerations(sys, &sys->next, NULL);
}

/* Compute the midpoint of the cubic Hermite interpolant between two states. The interpolant applies
 * to x, and to theta in R = R_begin exp(theta), theta' = w + theta x w / 2 + theta x (theta x w) /
 * 12.
 * @ret: position, orientation and velocities at the midpoint; may be @end */
static void find_midpoint(const struct lk_motion *begin, const struct lk_motion *end, double h,
                          struct lk_motion *ret)
{
    const double back[4] = {begin->q[0], -begin->q[1], -begin->q[2], -begin->q[3]};
    double turn[4], theta[3], rate[3], once[3], twice[3], half[3], slope[3];

    lk_quat_mul(back, end->q, turn);
    lk_rotation_log(turn, theta);
    lk_cross(theta, end->v.w, once);
    lk_cross(theta, once, twice);
    for (int i = 0; i < 3; i++) {
        double x = end->x[i] - begin->x[i], v0 = begin->v.v[i], v1 = end->v.v[i];

        rate[i] = end->v.w[i] + 0.5 * once[i] + twice[i] / 12;
        half[i] = 0.5 * theta[i] + h / 8 * (begin->v.w[i] - rate[i]);
        slope[i] = 1.5 * theta[i] / h - 0.25 * (begin->v.w[i] + rate[i]);
        ret->x[i] = begin->x[i] + 0.5 * x + h / 8 * (v0 - v1);
        ret->v.v[i] = 1.5 * x / h - 0.25 * (v0 + v1);
    }
    lk_rotation_exp(half, turn);
    lk_quat_mul(begin->q, turn, ret->q);
    lk_cross(half, slope, once);
    lk_cross(half, once, twice);
    for (int i = 0; i < 3; i++)
        ret->v.w[i] = slope[i] - 0.5 * once[i] + twice[i] / 6;
}

void lk_mechanics_book(struct lk_mechanics *m, double t, const struct lk_powers *before)
{
    struct lk_system *sys = m->system;
    struct lk_balance *balance = sys->next.balance;
    double start = sys->now.balance->steps * sys->h, h = t - start;
    size_t bytes = (size_t)m->n_bodies * sizeof(*m->end);
    struct lk_powers half, after;

    if (sys->n_inputs + sys->n_loads + sys->n_laws == 0 || h <= 0)
        return;
    lk_loads_powers(sys, &sys->next, t, m->inputs, &after);
    memcpy(m->end, sys->next.motion, bytes);
    for (int b = 0; b < m->n_bodies; b++)
        find_midpoint(&sys->now.motion[b], &m->end[b], h, &sys->next.motion[b]);
    lk_mechanics_evaluate(m, start + 0.5 * h);
    /* creep that follows its load reads multipliers: in the middle, those halfway */
    for (int r = 0; r < sys->n_rows; r++) {
        sys->solution[r] = sys->next.lambda[r];
        sys->next.lambda[r] = 0.5 * (sys->now.lambda[r] + sys->solution[r]);
    }
    lk_loads_powers(sys, &sys->next, start + 0.5 * h, m->inputs, &half);
    memcpy(sys->next.lambda, sys->solution, (size_t)sys->n_rows * sizeof(double));
    memcpy(sys->next.motion, m->end, bytes);
    lk_mechanics_evaluate(m, t);
    /* the two evaluations above do not count as evaluations of a method */
    m->n_evaluations -= 2;
    balance->work_input += h / 3 * (2 * half.input - before->input - after.input);
    balance->work_applied += h / 3 * (2 * half.applied - before->applied - after.applied);
    balance->dissipated += h / 3 * (2 * half.damping - before->damping - after.damping);
}

int lk_mechanics_accept(struct lk_mechanics *m, double t, const double *lambda)
{
    struct lk_system *sys = m->system;
    struct lk_balance *balance = sys->next.balance;
    double half = 0.5 * (t - sys->now.balance->steps * sys->h);
    struct lk_powers after;
    int r;

    lk_mechanics_evaluate(m, t);
    m->n_evaluations--; /* acceptance does not count as an evaluation of the method */
    if (lambda)
        lk_mechanics_take_multipliers(m, lambda);
    else
        lk_mechanics_complete(m);
    r = lk_step_account(sys);
    if (r != 0)
        return r;
    lk_loads_powers(sys, &sys->next, t, m->inputs, &after);
    balance->work_input += half * (m->powers.input + after.input);
    balance->work_drive += half * (m->powers.drive + after.drive);
    balance->work_applied += half * (m->powers.applied + after.applied);
    balance->dissipated += half * (m->powers.damping + after.damping);
    lk_mechanics_book(m, t, &m->powers);
    m->powers = after;
    lk_step_swap(sys);
    lk_mechanics_start(m);
    return 0;
}
