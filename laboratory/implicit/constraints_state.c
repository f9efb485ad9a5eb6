/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/coordinates.h"
#include "laboratory/implicit/constraints.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BAUMGARTE 1 /* value of alpha_0 h in index-2-baumgarte */

const char *const lk_dae_variants[] = {"ggl",     "index-2", "index-2-baumgarte",
                                       "index-3", "index-1", NULL};

/* ---- accepted states ---- */

static void mark_kept(struct lk_dae_motion *c)
{
    memset(c->is_kept, 0, (size_t)c->nr * sizeof(int));
    for (int i = 0; i < c->rows->n; i++)
        c->is_kept[c->rows->row[i]] = 1;
}

/* Choose independent rows again, and transform lambda in @y to the new rows. The mechanics must be
 * evaluated at the accepted state. */
static int choose_rows(struct lk_dae_motion *c, double *y)
{
    double *lambda = y + c->nq + c->nv;
    int r;

    if (c->rows->n == c->nr)
        return 0;
    r = lk_independent_rows_keep(c->rows, lk_dae_motion_mechanics(c));
    if (r <= 0)
        return r;
    mark_kept(c);
    c->dae.is_new = 1;
    if (c->level == LK_DAE_GGL)
        memset(lambda + c->nr, 0, (size_t)c->nr * sizeof(double));
    return lk_independent_rows_gather(c->rows, c->nv, c->G, lambda);
}

/* Set row_weight to the square root of the diagonal of Phi_q W Phi_q^T, so that multipliers of
 * redundant rows share a load as in the daemon's step. */
static void weigh_rows(struct lk_dae_motion *c)
{
    for (int r = 0; r < c->nr; r++) {
        double sum = 0;

        lk_dae_motion_weigh(c, &c->G[r * c->nv], c->u);
        for (int k = 0; k < c->nv; k++)
            sum += c->G[r * c->nv + k] * c->u[k];
        c->row_weight[r] = sum > 0 ? sqrt(sum) : 1;
    }
}

/* Convert rates @a of v to accelerations in body axes (for LK_ORIENTATION_RESAL). @slope contains
 * q'. */
static void leave_axes(struct lk_dae_motion *c, const double *y, const double *slope, double *a)
{
    if (c->dae.problem->orientation != LK_ORIENTATION_RESAL)
        return;
    memset(c->u, 0, (size_t)c->nv * sizeof(double));
    lk_dae_motion_add_turn(c, slope, y + c->nq, 0, c->u);
    for (int b = 0; b < c->nv / 6; b++) {
        for (int i = 0; i < 6; i++)
            a[6 * b + i] -= c->u[6 * b + i];
        lk_coordinates_turn_back(&y[6 * b + 3], &a[6 * b + 3]);
    }
}

static int accept_state(struct lk_dae *dae, double t, double *y, const double *slope,
                        struct lk_error *ret_error)
{
    struct lk_dae_motion *c = (struct lk_dae_motion *)dae;
    struct lk_problem *p = dae->problem;
    struct lk_motion *motion = lk_mechanics_motion(p->mechanics);
    double *lambda = c->lambda;
    int r;

    lk_coordinates_normalise(p->orientation, p->mechanics->n_bodies, y);
    lk_dae_motion_evaluate(c, t, y);
    p->mechanics->n_evaluations--; /* acceptance is no evaluation of the method */
    memcpy(c->force, &slope[c->nq], (size_t)c->nv * sizeof(double));
    leave_axes(c, y, slope, c->force);
    for (int b = 0; b < p->mechanics->n_bodies; b++)
        memcpy(&motion[b].a, &c->force[6 * b], sizeof(motion[b].a));
    memcpy(lambda, y + c->nq + c->nv, (size_t)c->nr * sizeof(double));
    weigh_rows(c);
    r = lk_independent_rows_share(c->rows, c->nv, c->G, c->row_weight, lambda);
    if (r == 0 && !p->is_showing)
        r = choose_rows(c, y);
    if (r == 0)
        r = lk_mechanics_accept(p->mechanics, t, lambda);
    if (r == LK_E_NOT_FINITE)
        lk_error_set(ret_error,
                     "t = %.9g s: the state is not finite, expected a smaller step or tolerance",
                     t);
    if (r == 0 && p->accepted && !p->is_showing)
        p->accepted(p->context);
    return r;
}

/* ---- allocation ---- */

static void close_constrained(struct lk_dae *dae)
{
    struct lk_dae_motion *c = (struct lk_dae_motion *)dae;

    lk_independent_rows_free(c->rows);
    free(c->is_kept);
    free(c->W);
    free(c->G);
    free(c);
}

static int has_inertia(const struct lk_body *body)
{
    return body->inertia[0] > 0 && body->inertia[1] > 0 && body->inertia[2] > 0;
}

/* Compute the inverse masses. The inverse masses of the daemon's step include an artificial mass
 * for massless bodies. Its inverse would be a far too large weight for a correction. */
static void invert_masses(struct lk_dae_motion *c)
{
    const struct lk_system *sys = lk_dae_motion_mechanics(c)->system;
    double mass = 0, inertia = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        c->W[b] = sys->W[b];
        if (sys->body[b].mass > 0)
            mass = fmax(mass, c->W[b].mass);
        for (int i = 0; i < 3 && has_inertia(&sys->body[b]); i++)
            inertia = fmax(inertia, c->W[b].inertia[i]);
    }
    mass = mass > 0 ? mass : 1;
    inertia = inertia > 0 ? inertia : mass;
    for (int b = 0; b < sys->n_bodies; b++) {
        if (!(sys->body[b].mass > 0))
            c->W[b].mass = mass;
        for (int i = 0; i < 6 && !has_inertia(&sys->body[b]); i++)
            c->W[b].inertia[i] = i < 3 ? inertia : 0;
    }
}

static int take_memory(struct lk_dae_motion *c)
{
    struct lk_mechanics *m = lk_dae_motion_mechanics(c);
    size_t nv = (size_t)c->nv, nr = (size_t)c->nr;
    double *numbers = calloc(nr * nv + 3 * nv + 2 * nr + 1, sizeof(double));

    c->is_kept = calloc(nr + 1, sizeof(int));
    c->W = calloc(nv / 6 + 1, sizeof(*c->W));
    c->G = numbers;
    if (!numbers || !c->is_kept || !c->W ||
        lk_dae_take(&c->dae, c->nq + c->nv + (c->level == LK_DAE_GGL ? 2 : 1) * c->nr, 1) < 0)
        return -ENOMEM;
    c->force = numbers + nr * nv;
    c->pull = c->force + nv;
    c->u = c->pull + nv;
    c->lambda = c->u + nv;
    c->row_weight = c->lambda + nr;
    lk_mechanics_evaluate(m, m->time);
    if (lk_independent_rows_new(m, &c->rows) < 0)
        return -ENOMEM;
    mark_kept(c);
    invert_masses(c);
    return 0;
}

/* Set the index of every variable, and B except for M. */
static void describe_variables(struct lk_dae_motion *c)
{
    struct lk_dae *dae = &c->dae;
    int before = c->nq + c->nv;

    for (int i = 0; i < c->nq; i++)
        dae->mass[(size_t)i * (size_t)dae->n + (size_t)i] = 1;
    for (int i = c->nq; i < before && c->level == LK_DAE_INDEX_3; i++)
        dae->index[i] = 2;
    for (int i = before; i < dae->n; i++) {
        dae->index[i] = c->level == LK_DAE_INDEX_1 ? 1 : c->level == LK_DAE_INDEX_3 ? 3 : 2;
        dae->is_algebraic[i] = 1;
    }
}

/* Solve ( M Phi_q^T ; Phi_q 0 ) (a ; lambda) = (Q - w x J w ; -gamma), column-major. Dependent rows
 * get lambda = 0.
 * @matrix: scratch, (nv + nr)^2
 * @x:      a and lambda, nv + nr numbers */
static int solve_start(struct lk_dae_motion *c, const double *y, double *matrix, int *pivot,
                       double *x)
{
    struct lk_mechanics *m = lk_dae_motion_mechanics(c);
    size_t nv = (size_t)c->nv, n = nv + (size_t)c->nr;

    for (size_t i = 0; i < nv; i++)
        for (size_t k = 0; k < nv; k++)
            matrix[k * n + i] =
                c->dae.mass[((size_t)c->nq + k) * (size_t)c->dae.n + (size_t)c->nq + i];
    lk_dae_motion_forces(c, y, x);
    lk_mechanics_gamma(m, x + nv);
    for (size_t r = 0; r < (size_t)c->nr; r++) {
        x[nv + r] = c->is_kept[r] ? -x[nv + r] : 0;
        matrix[(nv + r) * (n + 1)] = c->is_kept[r] ? 0 : 1;
        for (size_t k = 0; k < nv && c->is_kept[r]; k++)
            matrix[(nv + r) * n + k] = matrix[k * n + nv + r] = c->G[r * nv + k];
    }
    return LAPACKE_dgesv(LAPACK_COL_MAJOR, (int)n, 1, matrix, (int)n, pivot, x, (int)n);
}

/* Compute consistent y and y' from positions and velocities of the mechanics, and from the a and
 * lambda that belong to them. */
static int start_consistent(struct lk_dae_motion *c, double *y, double *slope,
                            struct lk_error *ret_error)
{
    struct lk_problem *p = c->dae.problem;
    size_t nv = (size_t)c->nv, n = nv + (size_t)c->nr;
    double *matrix = calloc(n * n + n + 1, sizeof(double)), *x = matrix ? matrix + n * n : NULL;
    int *pivot = calloc(n + 1, sizeof(int)), r = -ENOMEM;

    if (matrix && pivot) {
        lk_coordinates_read(p->mechanics, p->orientation, y, y + c->nq);
        lk_dae_motion_evaluate(c, p->mechanics->time, y);
        r = solve_start(c, y, matrix, pivot, x);
        memcpy(slope + c->nq, x, nv * sizeof(double));
        memcpy(y + c->nq + nv, x + nv, (size_t)c->nr * sizeof(double));
        if (r == 0)
            r = lk_dae_motion_position_rates(c, y, y + c->nq, slope);
        if (r == 0)
            lk_dae_motion_add_turn(c, slope, y + c->nq, 0, slope + c->nq);
        if (r != 0) {
            lk_error_set(ret_error,
                         "the start does not determine accelerations and multipliers (a body "
                         "without mass that only compliant rows hold, or angles in their "
                         "singularity), expected formulation recursive or orientation lie");
            r = LK_E_MODEL;
        }
    }
    free(matrix);
    free(pivot);
    return r;
}

/* Copy M to its place in B. M is row-major and B column-major; this is correct because M is
 * symmetric. */
static int fill_mass(struct lk_dae_motion *c)
{
    size_t nq = (size_t)c->nq, nv = (size_t)c->nv;
    double *M = calloc(nv * nv + 1, sizeof(double));

    if (!M)
        return -ENOMEM;
    lk_mechanics_mass(lk_dae_motion_mechanics(c), M);
    for (size_t k = 0; k < nv; k++)
        memcpy(&c->dae.mass[(nq + k) * (size_t)c->dae.n + nq], &M[k * nv], nv * sizeof(double));
    free(M);
    return 0;
}

static int level_of(const char *variant)
{
    for (int i = 0; lk_dae_variants[i]; i++)
        if (strcmp(lk_dae_variants[i], variant) == 0)
            return i;
    return LK_DAE_GGL;
}

static int check_problem(const struct lk_problem *p, const char *integrator,
                         struct lk_error *ret_error)
{
    const struct lk_system *sys = p->mechanics->system;

    if (p->stabilisation != LK_STABILISATION_NONE) {
        lk_error_set(ret_error,
                     "integrator %s: what stabilises it is its variant ggl, expected stabilisation "
                     "none",
                     integrator);
        return LK_E_MODEL;
    }
    for (int b = 0; b < sys->n_bodies && p->orientation == LK_ORIENTATION_RESAL; b++) {
        const double *J = sys->body[b].inertia;

        if (fabs(J[1] - J[2]) + fabs(J[3]) + fabs(J[4]) + fabs(J[5]) <= 1e-12 * J[1])
            continue;
        lk_error_set(
            ret_error,
            "body %s has other inertia about its y axis than about z, or products of inertia; "
            "expected one that is symmetric about x with orientation resal",
            sys->body_name[sys->body[b].of]);
        return LK_E_MODEL;
    }
    for (int b = 0; b < sys->n_bodies && level_of(p->variant) == LK_DAE_INDEX_1; b++) {
        if (sys->body[b].mass > 0 && has_inertia(&sys->body[b]))
            continue;
        lk_error_set(ret_error,
                     "integrator %s:index-1: body %s has no mass or no inertia, expected variant "
                     "ggl, index-2 or index-3",
                     integrator, sys->body_name[sys->body[b].of]);
        return LK_E_MODEL;
    }
    return 0;
}

int lk_dae_over_constraints(struct lk_problem *p, const char *integrator, struct lk_dae **ret,
                            double **ret_y, double **ret_slope, struct lk_error *ret_error)
{
    struct lk_dae_motion *c;
    double *y = NULL, *slope = NULL;
    int r = check_problem(p, integrator, ret_error);

    if (r != 0)
        return r;
    c = calloc(1, sizeof(*c));
    if (!c)
        return -ENOMEM;
    c->dae = (struct lk_dae){.problem = p,
                             .rate = lk_dae_motion_rate,
                             .jacobian = lk_dae_motion_jacobian,
                             .accept = accept_state,
                             .close = close_constrained};
    c->level = (enum lk_dae_level)level_of(p->variant);
    if (c->level == LK_DAE_INDEX_2_BAUMGARTE)
        c->decay = BAUMGARTE / p->step;
    c->nq = lk_coordinates_size(p->orientation, p->mechanics->n_bodies);
    c->nv = p->mechanics->n_velocities;
    c->nr = p->mechanics->n_rows;
    r = take_memory(c);
    if (r == 0) {
        describe_variables(c);
        r = fill_mass(c);
        y = calloc((size_t)c->dae.n + 1, sizeof(double));
        slope = calloc((size_t)c->dae.n + 1, sizeof(double));
    }
    if (r == 0)
        r = y && slope ? start_consistent(c, y, slope, ret_error) : -ENOMEM;
    if (r != 0) {
        free(y);
        free(slope);
        lk_dae_free(&c->dae);
        return r;
    }
    *ret = &c->dae;
    *ret_y = y;
    *ret_slope = slope;
    return 0;
}
