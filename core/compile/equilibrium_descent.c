/* SPDX-License-Identifier: Apache-2.0 */
/* Descent steps, see equilibrium.c. Each descent step is a step of implicit Euler over the
 * time t. t^2 is chosen such that the matrix is positive definite and the energy does not grow.
 * Laws are linearised at the end of the step, which is found by iteration. So an end stop acts if
 * the position at the end of the step is beyond it. */
#include "compile/dense.h"
#include "compile/equilibrium_work.h"
#include "maths/vec.h"
#include "step/elements/loads.h"
#include "step/kinematics.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TINY_TIME2 1e-24 /* t^2 so short that the energy decreases in any step */
#define LAW_ROUNDS 30    /* largest number of iterations of find_step() */
#define ALIKE      1e-3  /* relative change of a tangent at which find_step() has converged */

/* Write the forces of loads and inputs on the bodies to @ret. */
static void find_loads(struct lk_equilibrium_work *w, struct lk_twist *ret)
{
    const struct lk_system *sys = w->sys;

    memset(ret, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*ret));
    lk_loads_subtract(sys, 0, sys->now.inputs, ret);
}

/* Return the energy that law @i absorbs from @x to the present pose: the difference of its
 * potential if it has a stop, else the mean force times the distance, because friction and motors
 * have no potential. */
static double taken_by_law(const struct lk_equilibrium_work *w, int i, double x, double *size)
{
    const struct lk_law *law = &w->sys->law[i];
    double force[2], potential[2];
    bool has_kink = w->sys->joint[law->joint].type == LK_JOINT_CONTACT;

    lk_equilibrium_force_at(w, i, x, &force[0], &potential[0]);
    lk_equilibrium_force_at(w, i, w->place[i], &force[1], &potential[1]);
    for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
        has_kink |= w->sys->term[k].kind == LK_TERM_STOP;
    if (!has_kink) {
        potential[0] = 0;
        potential[1] = 0.5 * (force[0] + force[1]) * (w->place[i] - x);
    }
    *size += fabs(potential[0]) + fabs(potential[1]);
    return potential[1] - potential[0];
}

/* Return the elastic energy that the modes absorb in the step. */
static double taken_by_modes(const struct lk_equilibrium_work *w, double *size)
{
    const struct lk_system *sys = w->sys;
    const struct lk_mode_state *then =
        (const struct lk_mode_state *)(w->start + ((const double *)sys->now.mode - sys->now.block));
    double sum = 0;

    for (int i = 0; i < sys->n_modals; i++)
        for (int k = 0; k < sys->modal[i].n; k++) {
            double now = sys->now.mode[sys->modal[i].at + k].q, was = then[sys->modal[i].at + k].q;
            double energy = 0.5 * sys->modal[i].stiffness[k] * (now - was) * (now + was);

            sum += energy;
            *size += fabs(energy);
        }
    return sum;
}

/** struct descent - a descent step. @place: values of laws at the start of the step;  @pull,
 * @tangent: laws, linearised at the end of the step;  @load: loads on bodies at the start of the
 * step */
struct descent {
    double *place;
    double *pull;
    double *tangent;
    struct lk_twist *load;
};

/* Return whether the step from @d to the present pose decreases the energy. The work of loads is
 * computed with their mean over the step, and the work of multipliers with the change of the
 * violation of their rows. */
static bool leads_down(struct lk_equilibrium_work *w, const struct descent *d)
{
    struct lk_system *sys = w->sys;
    double sum = 0, size = w->force * w->reach;

    find_loads(w, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b], *then = &w->moves.motion[b];
        const double back[4] = {then->q[0], -then->q[1], -then->q[2], -then->q[3]};
        double turned[4], turn[3];

        lk_quat_mul(back, m->q, turned);
        if (turned[0] < 0)
            for (int k = 0; k < 4; k++)
                turned[k] = -turned[k];
        lk_rotation_log(turned, turn);
        for (int k = 0; k < 3; k++) {
            double v = 0.5 * (d->load[b].v[k] + sys->residual[b].v[k]) * (m->x[k] - then->x[k]);
            double t = 0.5 * (d->load[b].w[k] + sys->residual[b].w[k]) * turn[k];

            sum += v + t;
            size += fabs(v) + fabs(t);
        }
    }
    for (int i = 0; i < sys->n_laws; i++)
        sum += taken_by_law(w, i, d->place[i], &size);
    sum += taken_by_modes(w, &size);
    for (int i = 0, n = 0; i < sys->n_joints; i++) {
        double phi[LK_ROWS_MAX];

        lk_evaluate_violation(sys, i, phi);
        for (int r = 0; r < lk_rigid_rows(&sys->joint[i]); r++, n++)
            sum += sys->now.lambda[w->row[n]] * (phi[r] - w->g[w->n_moves + n]);
    }
    return sum <= LK_EQUILIBRIUM_ROUNDOFF * size;
}

/* Linearise the laws at the end of the step w->x. Return: whether the tangent of any law differs
 * from its tangent in @d. */
static bool follow_laws(const struct lk_equilibrium_work *w, struct descent *d)
{
    bool is_other = false;

    for (int i = 0; i < w->sys->n_laws; i++) {
        const double *slope = w->slope + (size_t)i * (size_t)w->n_moves;
        double x = d->place[i], force, potential, tangent;

        for (int c = 0; c < w->n_moves; c++)
            x += slope[c] * w->x[c];
        tangent = lk_max(0, lk_equilibrium_force_at(w, i, x, &force, &potential));
        is_other |= fabs(tangent - d->tangent[i]) > ALIKE * (tangent + d->tangent[i]);
        d->tangent[i] = tangent;
        /* value of this linear law at the start of the step */
        d->pull[i] = force - tangent * (x - d->place[i]);
    }
    return is_other;
}

/* compute the step with the matrix w->copy and the linearised laws of @d */
static int solve_laws(struct lk_equilibrium_work *w, const struct descent *d)
{
    memcpy(w->A, w->copy, (size_t)w->n * (size_t)w->n * sizeof(double));
    for (int i = 0; i < w->n; i++)
        w->x[i] = -w->g[i];
    for (int i = 0; i < w->sys->n_laws; i++) {
        const double *slope = w->slope + (size_t)i * (size_t)w->n_moves;

        lk_equilibrium_add_tangent(w, i, d->tangent[i] - lk_max(0, w->tangent[i]));
        for (int c = 0; c < w->n_moves; c++)
            w->x[c] -= slope[c] * (d->pull[i] - w->pull[i]);
    }
    return lk_dense_solve(w->n, w->A, w->x);
}

/* compute the step, with laws linearised at its end, by repeated solutions */
static int find_step(struct lk_equilibrium_work *w, struct descent *d)
{
    int r = 0;

    for (int i = 0; i < w->sys->n_laws; i++) {
        d->tangent[i] = lk_max(0, w->tangent[i]);
        d->pull[i] = w->pull[i];
    }
    for (int k = 0; k < LAW_ROUNDS && r == 0; k++) {
        r = solve_laws(w, d);
        if (r != 0 || !follow_laws(w, d))
            break;
    }
    return r;
}

/* change t in the matrix w->copy */
static void change_time(struct lk_equilibrium_work *w, double time2)
{
    double *A = w->A;

    w->A = w->copy;
    lk_equilibrium_add_masses(w, 1 / time2 - 1 / w->time2);
    for (int r = 0; r < w->n_rows; r++)
        w->A[((size_t)w->n_moves + (size_t)r) * ((size_t)w->n + 1)] *= time2 / w->time2;
    w->A = A;
    w->time2 = time2;
}

/* Shorten t until K + W^-1 / t^2, in w->copy, is positive definite on the motions that the rows
 * allow. */
static int shorten_time(struct lk_equilibrium_work *w)
{
    bool is_valley = false;
    int r = 0;

    for (;;) {
        memcpy(w->A, w->copy, (size_t)w->n * (size_t)w->n * sizeof(double));
        r = lk_equilibrium_ask_curvature(w, &is_valley);
        if (!w->sys->rows_are_independent) /* the test has filled w->A again, without self-stress */
            memcpy(w->copy, w->A, (size_t)w->n * (size_t)w->n * sizeof(double));
        if (r != 0 || is_valley || w->time2 < TINY_TIME2)
            return r;
        change_time(w, 0.25 * w->time2);
    }
}

/* Make one descent step and find its t. Return: 0, LK_E_ASSEMBLY if no step decreases the energy.
 */
static int step_down(struct lk_equilibrium_work *w, struct descent *d)
{
    struct lk_system *sys = w->sys;
    size_t size = sys->state_size * sizeof(double);
    int r = lk_equilibrium_fill(w);

    if (r != 0)
        return r;
    memcpy(w->copy, w->A, (size_t)w->n * (size_t)w->n * sizeof(double));
    lk_equilibrium_set_poses(w);
    r = shorten_time(w);
    lk_equilibrium_set_poses(w);
    lk_equilibrium_set_laws(w);
    find_loads(w, d->load);
    memcpy(d->place, w->place, (size_t)sys->n_laws * sizeof(double));
    memcpy(w->start, sys->now.block, size);
    while (r == 0) {
        r = find_step(w, d);
        if (r != 0)
            return r;
        lk_equilibrium_follow(w);
        lk_equilibrium_set_poses(w);
        lk_equilibrium_set_laws(w);
        if (leads_down(w, d))
            return 0;
        memcpy(sys->now.block, w->start, size);
        lk_equilibrium_set_poses(w);
        lk_equilibrium_set_laws(w);
        if (w->time2 < TINY_TIME2)
            return LK_E_ASSEMBLY;
        change_time(w, 0.125 * w->time2);
    }
    return r;
}

/* Make descent steps until the forces are in balance, at a minimum of the energy below the start.
 */
static int go_down(struct lk_equilibrium_work *w, struct descent *d, struct lk_error *ret_error)
{
    struct lk_equilibrium *e = &w->sys->equilibrium;
    struct lk_equilibrium_left left = {.best = INFINITY};
    int r;

    w->time2 = LK_EQUILIBRIUM_FIRST_TIME2;
    w->way = INFINITY;
    for (e->iterations = 0;; e->iterations++) {
        lk_equilibrium_look(w, &left);
        if (lk_equilibrium_is_balanced(w, &left))
            return 0;
        if (e->iterations >= LK_EQUILIBRIUM_ITERATIONS)
            return lk_equilibrium_refuse(w, left.at, ret_error);
        r = step_down(w, d);
        if (r == LK_E_ASSEMBLY)
            return lk_equilibrium_refuse(w, left.at, ret_error);
        if (r != 0)
            return r;
        w->time2 = fmin(8 * w->time2, LK_EQUILIBRIUM_MOST_TIME2);
    }
}

int lk_equilibrium_descend(struct lk_equilibrium_work *w, struct lk_error *ret_error)
{
    size_t n = (size_t)w->sys->n_laws, bodies = (size_t)(w->sys->n_bodies + 1 + w->sys->n_frames);
    double *values = calloc(3 * n + 1, sizeof(*values));
    struct descent d = {values, values + n, values + 2 * n, calloc(bodies, sizeof(*d.load))};
    int r = values && d.load ? go_down(w, &d, ret_error) : -ENOMEM;

    free(values);
    free(d.load);
    return r;
}
