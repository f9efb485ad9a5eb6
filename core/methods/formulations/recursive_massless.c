/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies without inertia. The rates along null directions are computed from a balance of forces,
 * gamma = N^T Q(t, q, nu + N zeta) = 0 (28b), by Newton's method with finite differences. Only a
 * force element between two bodies couples their null directions, so the matrix d gamma / d zeta is
 * block diagonal. One evaluation yields a column of every block. The work is linear in the number
 * of bodies if bodies with mass separate bodies without mass. */
#include "methods/formulations/recursive.h"
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Newton iterations; the last one reuses the matrix of the iteration before */
#define ROUNDS 3
#define CURVED 8 /* iterations if forces are nonlinear in rates */
/* step of finite differences, relative to the largest rate, which counts as at least 1 m/s or 1
 * rad/s */
#define STEP     1e-3
#define NOISE    100  /* round-off of a difference of forces, in units of DBL_EPSILON */
#define PIVOT    1e-9 /* smallest accepted pivot of an equilibrated matrix */
#define LEFT_MAX 1e-6 /* largest accepted last correction, relative to the largest rate */
#define AHEAD    1e-6 /* time difference for accelerations along null directions [s] */

/* ---- coupling of directions ---- */

/* List the null directions in which body @b moves: those of all joints between the body and its
 * first ancestor with mass and inertia.
 * Return: number of directions. */
static int directions_of(const struct lk_recursive *r, int b, int *ret)
{
    int n = 0;

    for (; b < r->n_bodies && r->body[b].may_lack; b = r->relative->on[b].parent)
        for (int z = 0; z < r->body[b].n_null; z++)
            ret[n++] = r->body[b].at_null + z;
    return n;
}

/* Give all directions of @list the same label. */
static void unite_labels(const struct lk_recursive *r, const int *list, int n, int *label)
{
    for (int i = 1; i < n; i++) {
        int from = label[list[i]], to = label[list[0]];

        for (int z = 0; z < r->n_null; z++)
            label[z] = label[z] == from ? to : label[z];
    }
}

static void find_labels(const struct lk_recursive *r, int *list, int *label)
{
    const struct lk_system *sys = r->mechanics->system;

    for (int z = 0; z < r->n_null; z++)
        label[z] = z;
    for (int b = 0; b < r->n_bodies; b++)
        unite_labels(r, list, directions_of(r, b, list), label);
    for (int i = 0; i < sys->n_joints; i++) {
        int n = 0;

        for (int s = 0; s < sys->joint[i].n_sides; s++)
            n += directions_of(r, sys->joint[i].body[s], list + n);
        unite_labels(r, list, n, label);
    }
}

static int is_listed(const int *label, int z)
{
    for (int before = 0; before < z; before++)
        if (label[before] == label[z])
            return 1;
    return 0;
}

static void list_clusters(struct lk_recursive *r, const int *label)
{
    int n = 0, at = 0;

    for (int first = 0; first < r->n_null; first++) {
        struct lk_recursive_cluster *c = &r->cluster[r->n_clusters];

        if (is_listed(label, first))
            continue;
        *c = (struct lk_recursive_cluster){.first = n, .at = at};
        for (int z = first; z < r->n_null; z++)
            if (label[z] == label[first])
                r->null_of[n + c->n++] = z;
        r->n_clusters++;
        n += c->n;
        at += c->n * c->n;
        r->largest_cluster = c->n > r->largest_cluster ? c->n : r->largest_cluster;
    }
}

static int rounds_for(const struct lk_system *sys)
{
    for (int i = 0; i < sys->n_terms; i++)
        if (sys->term[i].kind == LK_TERM_TABLE_DAMPING || sys->term[i].kind == LK_TERM_CREEP ||
            sys->term[i].kind == LK_TERM_AIR)
            return CURVED;
    return ROUNDS;
}

int lk_recursive_clusters(struct lk_recursive *r)
{
    size_t n = (size_t)r->n_null, places = n + LK_SIDES_MAX * n;
    int *label = calloc(places + 1, sizeof(*label));

    if (!label)
        return -ENOMEM;
    find_labels(r, label + n, label);
    list_clusters(r, label);
    r->n_rounds = rounds_for(r->mechanics->system);
    free(label);
    return 0;
}

/* ---- Newton's method ---- */

/* Compute gamma from the condensed forces. */
static void balance_of_forces(const struct lk_recursive *r, double *ret)
{
    for (int b = 0; b < r->n_bodies; b++) {
        const struct lk_relative_joint *on = &r->relative->on[b];
        const struct lk_recursive_body *body = &r->body[b];

        for (int z = 0; z < body->n_null; z++) {
            double sum = 0;

            for (int c = 0; c < on->n_v; c++)
                for (int i = 0; i < 6; i++)
                    sum += body->Z[z][c] * on->H[c][i] * body->p[i];
            ret[body->at_null + z] = sum;
        }
    }
}

/* Compute the condensed forces at @q, @nu. The condensed masses at @q must be valid. */
static void evaluate_forces(struct lk_recursive *r, double t, const double *q, const double *nu,
                            const double *raw)
{
    lk_recursive_place(r, t, q, nu);
    lk_recursive_load(r, raw);
    lk_recursive_gather(r, 1);
}

static double size_of_rates(const struct lk_recursive *r)
{
    double size = 1;

    for (int i = 0; i < r->n_v; i++)
        size = lk_max(size, fabs(r->nu[i]));
    return size;
}

static double size_of_forces(const struct lk_recursive *r)
{
    double size = 0;

    for (int b = 0; b < r->n_bodies; b++)
        for (int i = 0; i < 6; i++)
            size = lk_max(size, fabs(r->body[b].p[i]));
    return size;
}

/* Compute column @g of d gamma / d zeta for all clusters with more than @g directions. r->gamma
 * must be the value at r->nu. */
static void find_column(struct lk_recursive *r, double t, const double *q, const double *raw, int g)
{
    double step = STEP * size_of_rates(r);

    memset(r->zeta, 0, (size_t)r->n_null * sizeof(double));
    for (int i = 0; i < r->n_clusters; i++)
        if (g < r->cluster[i].n)
            r->zeta[r->null_of[r->cluster[i].first + g]] = step;
    memcpy(r->trial, r->nu, (size_t)r->n_v * sizeof(double));
    lk_recursive_drift(r, r->zeta, r->trial);
    evaluate_forces(r, t, q, r->trial, raw);
    balance_of_forces(r, r->gamma_moved);
    for (int i = 0; i < r->n_clusters; i++) {
        const struct lk_recursive_cluster *c = &r->cluster[i];

        for (int k = 0; k < c->n && g < c->n; k++) {
            int z = r->null_of[c->first + k];

            r->G[c->at + k * c->n + g] = (r->gamma_moved[z] - r->gamma[z]) / step;
        }
    }
}

static struct lk_lu_scale scale_of(const struct lk_recursive *r,
                                   const struct lk_recursive_cluster *c)
{
    return (struct lk_lu_scale){r->lu.rows + c->first, r->lu.columns + c->first,
                                r->lu.pivot + c->first};
}

/* Compute and factor d gamma / d zeta.
 * Return: -1, or a direction in which no force depends on the velocity. */
static int factor_clusters(struct lk_recursive *r, double t, const double *q, const double *raw)
{
    double noise = NOISE * DBL_EPSILON * size_of_forces(r) / (STEP * size_of_rates(r));
    int weak = -1;

    for (int g = 0; g < r->largest_cluster; g++)
        find_column(r, t, q, raw, g);
    for (int i = 0; i < r->n_clusters; i++) {
        const struct lk_recursive_cluster *c = &r->cluster[i];
        int column = lk_lu_factor(c->n, r->G + c->at, noise, PIVOT, scale_of(r, c));

        if (column >= 0 && weak < 0)
            weak = r->null_of[c->first + column];
    }
    return weak;
}

/* Compute zeta = -G^-1 @gamma. Return: the largest component. */
static double solve_clusters(struct lk_recursive *r, const double *gamma)
{
    double largest = 0;

    for (int i = 0; i < r->n_clusters; i++) {
        const struct lk_recursive_cluster *c = &r->cluster[i];
        double *x = r->gamma_moved + c->first;

        for (int k = 0; k < c->n; k++)
            x[k] = -gamma[r->null_of[c->first + k]];
        lk_lu_solve(c->n, r->G + c->at, scale_of(r, c), x);
        for (int k = 0; k < c->n; k++) {
            r->zeta[r->null_of[c->first + k]] = x[k];
            largest = lk_max(largest, fabs(x[k]));
        }
    }
    return largest;
}

/* Evaluate poses, condensed masses and forces at the rates @raw, without a balance. */
static int evaluate_balance(struct lk_recursive *r, double t, const double *q, const double *raw)
{
    memcpy(r->nu, raw, (size_t)r->n_v * sizeof(double));
    lk_recursive_place(r, t, q, r->nu);
    if (lk_recursive_condense(r) != 0)
        return LK_E_SINGULAR;
    lk_recursive_load(r, raw);
    lk_recursive_gather(r, 1);
    return 0;
}

int lk_recursive_balance(struct lk_recursive *r, double t, const double *q, const double *raw)
{
    double left = 0;

    if (evaluate_balance(r, t, q, raw) != 0)
        return LK_E_SINGULAR;
    for (int k = 0; k < r->n_rounds && r->n_null > 0; k++) {
        balance_of_forces(r, r->gamma);
        if (k < r->n_rounds - 1 && factor_clusters(r, t, q, raw) >= 0)
            return LK_E_SINGULAR;
        left = solve_clusters(r, r->gamma);
        lk_recursive_drift(r, r->zeta, r->nu);
        evaluate_forces(r, t, q, r->nu, raw);
    }
    return left <= LEFT_MAX * size_of_rates(r) ? 0 : LK_E_SINGULAR;
}

int lk_recursive_null_rates(struct lk_recursive *r, double t, const double *q, const double *q_rate,
                            double *nu_rate)
{
    for (int i = 0; i < r->n_q; i++)
        r->q_moved[i] = q[i] + AHEAD * q_rate[i];
    for (int i = 0; i < r->n_v; i++)
        r->trial[i] = r->nu[i] + AHEAD * nu_rate[i];
    balance_of_forces(r, r->gamma);
    lk_recursive_place(r, t + AHEAD, r->q_moved, r->trial);
    if (lk_recursive_condense(r) != 0)
        return LK_E_SINGULAR;
    lk_recursive_load(r, r->trial);
    lk_recursive_gather(r, 1);
    balance_of_forces(r, r->gamma_moved);
    for (int z = 0; z < r->n_null; z++)
        r->gamma[z] = (r->gamma_moved[z] - r->gamma[z]) / AHEAD;
    solve_clusters(r, r->gamma);
    memcpy(r->trial, r->nu, (size_t)r->n_v * sizeof(double));
    if (evaluate_balance(r, t, q, r->trial) != 0)
        return LK_E_SINGULAR;
    lk_recursive_drift(r, r->zeta, nu_rate);
    return 0;
}

/* ---- refusal ---- */

static int body_of_direction(const struct lk_recursive *r, int z)
{
    int b = 0;

    while (z < r->body[b].at_null || z >= r->body[b].at_null + r->body[b].n_null)
        b++;
    return b;
}

/* Compute the null direction @z of body @b as [linear; angular], scaled so that the larger part has
 * length 1.
 * Return: 3 if the larger part is a rotation, else 0. */
static int name_direction(const struct lk_recursive *r, int b, int z, double ret[6])
{
    const struct lk_relative_joint *on = &r->relative->on[b];
    double length;
    int part;

    memset(ret, 0, 6 * sizeof(double));
    for (int c = 0; c < on->n_v; c++)
        for (int i = 0; i < 6; i++)
            ret[i] += r->body[b].Z[z - r->body[b].at_null][c] * on->H[c][i];
    part = lk_norm(ret + 3) > lk_norm(ret) ? 3 : 0;
    length = lk_norm(ret + part);
    for (int i = 0; i < 6; i++)
        ret[i] = fabs(ret[i]) > 1e-12 * length ? ret[i] / length : 0;
    return part;
}

static int refuse_loose(const struct lk_recursive *r, int z, struct lk_error *ret_error)
{
    int b = body_of_direction(r, z);
    double d[6];
    int part = name_direction(r, b, z, d);

    lk_error_set(
        ret_error,
        "formulation recursive: body '%s' has no inertia %s (%.3g, %.3g, %.3g), world axes, "
        "and no force there depends on its velocity, expected a damper that acts on it, or "
        "a mass",
        r->mechanics->system->body_name[b], part ? "about" : "along", d[part], d[part + 1],
        d[part + 2]);
    return LK_E_MODEL;
}

static int refuse_tied(const struct lk_recursive *r, struct lk_error *ret_error)
{
    for (int i = 0; i < r->n_cut_rows; i++)
        for (int s = 0; s < r->row[i].n_sides; s++)
            for (int b = r->row[i].body[s]; b < r->n_bodies && r->body[b].may_lack;
                 b = r->relative->on[b].parent) {
                if (r->body[b].n_null == 0)
                    continue;
                lk_error_set(ret_error,
                             "formulation recursive: body '%s' has directions without inertia and "
                             "lies in a closed loop or is driven, expected a mass, or formulation "
                             "rattle",
                             r->mechanics->system->body_name[b]);
                return LK_E_MODEL;
            }
    return 0;
}

int lk_recursive_refuse(struct lk_recursive *r, const double *q, const double *nu,
                        struct lk_error *ret_error)
{
    int refused = refuse_tied(r, ret_error), weak;

    if (refused || r->n_null == 0)
        return refused;
    if (evaluate_balance(r, r->mechanics->time, q, nu) != 0) {
        lk_error_set(ret_error, "formulation recursive: the rank of a projected mass matrix is not "
                                "certain in the initial configuration, expected another one");
        return LK_E_MODEL;
    }
    balance_of_forces(r, r->gamma);
    weak = factor_clusters(r, r->mechanics->time, q, nu);
    return weak >= 0 ? refuse_loose(r, weak, ret_error) : 0;
}
