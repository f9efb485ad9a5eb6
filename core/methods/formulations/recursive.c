/* SPDX-License-Identifier: Apache-2.0 */
/* The formulation `recursive`: joint coordinates and three sweeps over the tree. Bodies without
 * inertia are treated with pseudo-inverses and balances of forces (M. Arnold, A recursive multibody
 * formalism for systems with small mass and inertia terms, 2013). y = [q, nu], see
 * methods/relative/relative.h and recursive.h. */
#include "methods/formulations/recursive.h"
#include "methods/registry.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {"pseudo-inverse", "full-rank", "projected", NULL};

/* ---- open and close ---- */

static void close_recursive(void *self)
{
    struct lk_recursive *r = self;

    if (!r)
        return;
    lk_relative_free(r->relative);
    free(r->body);
    free(r->force);
    free(r->row);
    free(r->cluster);
    free(r->memory);
    free(r->null_memory);
    free(r->block_of);
    free(r);
}

static double *next_numbers(double **place, int n)
{
    double *taken = *place;

    *place += n;
    return taken;
}

static int take_memory(struct lk_recursive *r)
{
    int cut = r->n_cut_rows, rows = r->mechanics->n_rows, joints = r->mechanics->system->n_joints;
    int n = 3 * r->n_q + 5 * r->n_v + cut * (cut + 2) + 2 * rows;
    double *place = r->memory = calloc((size_t)n + 1, sizeof(double));

    r->body = calloc((size_t)r->n_bodies + 1, sizeof(*r->body));
    r->force = calloc((size_t)r->n_bodies + 1, sizeof(*r->force));
    r->row = calloc((size_t)cut + 1, sizeof(*r->row));
    r->block_of = calloc((size_t)joints + (size_t)cut + 1, sizeof(int));
    if (!place || !r->body || !r->force || !r->row || !r->block_of)
        return -ENOMEM;
    r->y = next_numbers(&place, r->n_q + r->n_v);
    r->q_moved = next_numbers(&place, r->n_q);
    r->q_rate = next_numbers(&place, r->n_q);
    r->nu = next_numbers(&place, r->n_v);
    r->trial = next_numbers(&place, r->n_v);
    r->nu_rate = next_numbers(&place, r->n_v);
    r->response = next_numbers(&place, r->n_v);
    r->S = next_numbers(&place, cut * cut);
    r->row_scale = next_numbers(&place, cut);
    r->cut_lambda = next_numbers(&place, cut);
    r->all_rows = next_numbers(&place, rows);
    r->lambda = next_numbers(&place, rows);
    r->order = r->block_of + joints;
    for (int i = 0; i < r->mechanics->n_blocks; i++)
        r->block_of[r->mechanics->block[i]] = i;
    return 0;
}

static int take_null_memory(struct lk_recursive *r)
{
    int n = r->n_null;
    size_t doubles = (size_t)n * (size_t)n + 5 * (size_t)n, ints = 2 * (size_t)n;
    double *place = r->null_memory = calloc(1, (doubles + 1) * sizeof(double) + ints * sizeof(int));

    r->cluster = calloc((size_t)n + 1, sizeof(*r->cluster));
    if (!place || !r->cluster)
        return -ENOMEM;
    r->gamma = next_numbers(&place, n);
    r->gamma_moved = next_numbers(&place, n);
    r->zeta = next_numbers(&place, n);
    r->lu.rows = next_numbers(&place, n);
    r->lu.columns = next_numbers(&place, n);
    r->G = next_numbers(&place, n * n);
    r->lu.pivot = (int *)place;
    r->null_of = r->lu.pivot + n;
    return 0;
}

static int size_recursive(const void *self)
{
    const struct lk_recursive *r = self;

    return r->n_q + r->n_v;
}

/* Read the state, with rates along null directions for which the forces balance. If no such rates
 * exist, rate() returns the error. */
static void read_recursive(void *self, double *y)
{
    struct lk_recursive *r = self;
    double *nu = y + r->n_q;

    lk_relative_read(r->relative, y, nu);
    if (r->lacks_inertia)
        lk_recursive_fit_rates(r, y, nu);
    if (r->n_null > 0 && lk_recursive_balance(r, r->mechanics->time, y, nu) == 0)
        memcpy(nu, r->nu, (size_t)r->n_v * sizeof(double));
}

/* Return whether a body has mass and a moment of inertia about every axis. Then the projected mass
 * of its joint has full rank. */
static int has_inertia(const struct lk_body *body)
{
    double J[6][6], X[6][6];
    const double *I = body->inertia;
    const double full[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};

    for (int i = 0; i < 3; i++)
        memcpy(J[i], full[i], sizeof(full[i]));
    lk_small_eigen(3, J, X);
    for (int i = 0; i < 3; i++)
        if (!(J[i][i] > 1e-13 * (I[0] + I[1] + I[2])))
            return 0;
    return body->mass > 0;
}

static int refuse_rank(const struct lk_recursive *r, struct lk_error *ret_error)
{
    const struct lk_system *sys = r->mechanics->system;
    int b = 0;

    while (b < r->n_bodies - 1 && has_inertia(&sys->body[b]))
        b++;
    lk_error_set(
        ret_error,
        "formulation recursive:full-rank: the projected mass matrix of a joint has no full "
        "rank, and body '%s' lacks mass or inertia, expected formulation recursive",
        sys->body_name[b]);
    return LK_E_MODEL;
}

/* Determine ranks and null directions at the present state, and refuse unsupported models. */
static int check_ranks(struct lk_recursive *r, struct lk_error *ret_error)
{
    const struct lk_system *sys = r->mechanics->system;
    int result;

    for (int b = 0; b < r->n_bodies; b++)
        r->body[b].may_lack = !r->full_rank && !has_inertia(&sys->body[b]);
    for (int b = 0; b < r->n_bodies; b++)
        r->lacks_inertia |= r->body[b].may_lack;
    lk_relative_read(r->relative, r->y, r->y + r->n_q);
    lk_recursive_place(r, r->mechanics->time, r->y, r->y + r->n_q);
    lk_recursive_list_rows(r);
    if (lk_recursive_ranks(r) != 0)
        return refuse_rank(r, ret_error);
    result = take_null_memory(r);
    if (result == 0)
        result = lk_recursive_clusters(r);
    if (result == 0) {
        read_recursive(r, r->y);
        result = lk_recursive_refuse(r, r->y, r->y + r->n_q, ret_error);
    }
    return result;
}

static int open_recursive(struct lk_mechanics *mechanics,
                          const struct lk_equations_options *options, void **ret,
                          struct lk_error *ret_error)
{
    struct lk_recursive *r = calloc(1, sizeof(*r));
    int result = r ? lk_relative_new(mechanics, &r->relative, ret_error) : -ENOMEM;

    if (result == 0) {
        r->mechanics = mechanics;
        r->stabilisation = options->stabilisation;
        memcpy(r->baumgarte, options->baumgarte, sizeof(r->baumgarte));
        r->full_rank = strcmp(options->variant, "full-rank") == 0;
        if (strcmp(options->variant, "projected") == 0)
            r->stabilisation = LK_STABILISATION_PROJECTION;
        r->n_bodies = mechanics->n_bodies;
        r->n_q = r->relative->n_q;
        r->n_v = r->relative->n_v;
        r->n_cut_rows = r->relative->n_cut_rows;
        result = take_memory(r);
    }
    if (result == 0)
        result = check_ranks(r, ret_error);
    if (result == 0)
        *ret = r;
    else
        close_recursive(r);
    return result;
}

/* ---- y' = f(t, y) ---- */

static int evaluate_rates(struct lk_recursive *r, double t, const double *q, const double *raw,
                          double *ret_nu_rate)
{
    int result = lk_recursive_balance(r, t, q, raw);

    if (result != 0)
        return result;
    lk_recursive_accelerate(r, 1, ret_nu_rate);
    lk_recursive_close(r, raw, ret_nu_rate);
    return 0;
}

static int rate_recursive(void *self, double t, const double *y, double *ret)
{
    struct lk_recursive *r = self;
    int result = evaluate_rates(r, t, y, y + r->n_q, ret + r->n_q);

    lk_relative_rates(r->relative, y, r->nu, ret);
    return result;
}

/* Add the accelerations along null directions to nu_rate. Then compute condensed forces and
 * accelerations again, because the multipliers need them. */
static int accelerate_massless(struct lk_recursive *r, double t, const double *q)
{
    int result;

    lk_relative_rates(r->relative, q, r->nu, r->q_rate);
    result = lk_recursive_null_rates(r, t, q, r->q_rate, r->nu_rate);
    if (result != 0)
        return result;
    lk_recursive_accelerate(r, 1, r->response);
    lk_recursive_close(r, r->nu, r->response);
    return 0;
}

static int write_recursive(void *self, double t, const double *y)
{
    struct lk_recursive *r = self;
    int result = evaluate_rates(r, t, y, y + r->n_q, r->nu_rate);

    if (result == 0 && r->n_null > 0)
        result = accelerate_massless(r, t, y);
    if (result != 0)
        return result;
    lk_recursive_multipliers(r, r->lambda);
    lk_relative_accelerate(r->relative, r->nu_rate);
    return 0;
}

static int settle_recursive(void *self, double t, double *y)
{
    struct lk_recursive *r = self;
    double *nu = y + r->n_q;
    int result = 0;

    lk_relative_normalise(r->relative, y);
    if (r->stabilisation == LK_STABILISATION_PROJECTION && r->n_cut_rows > 0)
        result = lk_relative_project(r->relative, t, y, nu);
    if (result == 0 && r->n_null > 0) {
        result = lk_recursive_balance(r, t, y, nu);
        memcpy(nu, r->nu, (size_t)r->n_v * sizeof(double));
    }
    return result;
}

/* Return what settle_recursive() changes. Rates along null directions are in y, but their
 * derivatives have no effect. */
static int settles_recursive(const void *self)
{
    const struct lk_recursive *r = self;
    int is_projected = r->stabilisation == LK_STABILISATION_PROJECTION && r->n_cut_rows > 0;

    return (is_projected ? LK_SETTLES_ROWS : 0) | (r->n_null > 0 ? LK_SETTLES_IDLE : 0);
}

static void lambda_recursive(void *self, double *ret)
{
    struct lk_recursive *r = self;

    memcpy(ret, r->lambda, (size_t)r->mechanics->n_rows * sizeof(double));
}

/* ---- the residual ---- */

/* Compute q' - K(q) nu, and M nu' - h by inverse dynamics. The components of M nu' - h along null
 * directions are the force balances (25), (28b). With cut rows compute y' - f instead, because the
 * multipliers are not unknowns of y. */
static int residual_recursive(void *self, double t, const double *y, const double *rate,
                              double *ret)
{
    struct lk_recursive *r = self;
    const double *nu = y + r->n_q;
    int result;

    if (r->n_cut_rows > 0) {
        result = rate_recursive(r, t, y, ret);
        for (int i = 0; i < r->n_q + r->n_v; i++)
            ret[i] = rate[i] - ret[i];
        return result;
    }
    lk_recursive_place(r, t, y, nu);
    lk_recursive_load(r, nu);
    lk_recursive_inverse(r, rate + r->n_q, ret + r->n_q);
    lk_relative_rates(r->relative, y, nu, ret);
    for (int i = 0; i < r->n_q; i++)
        ret[i] = rate[i] - ret[i];
    return 0;
}

/* Mark the rates of joint directions without inertia, because their derivatives do not occur in the
 * residual. */
static void is_algebraic_recursive(void *self, int *ret)
{
    struct lk_recursive *r = self;

    memset(ret, 0, (size_t)(r->n_q + r->n_v) * sizeof(int));
    for (int b = 0; b < r->n_bodies && r->n_cut_rows == 0; b++) {
        const struct lk_relative_joint *on = &r->relative->on[b];
        double scale[LK_RELATIVE_DOF_MAX];

        lk_recursive_scale(r, b, scale);
        for (int c = 0; c < on->n_v; c++)
            ret[r->n_q + on->at_v + c] = scale[c] == 0;
    }
}

const struct lk_equations lk_equations_recursive = {
    .name = "recursive",
    .variants = variants,
    .paper = "joint coordinates, O(N) in three sweeps, bodies without mass by pseudo-inverses; "
             "Arnold 2013",
    .takes_massless = 1,
    .open = open_recursive,
    .close = close_recursive,
    .size = size_recursive,
    .read = read_recursive,
    .rate = rate_recursive,
    .write = write_recursive,
    .settle = settle_recursive,
    .settles = settles_recursive,
    .lambda = lambda_recursive,
    .residual = residual_recursive,
    .is_algebraic = is_algebraic_recursive,
};
