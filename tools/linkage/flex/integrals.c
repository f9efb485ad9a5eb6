/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the inertia of a flexible body (R. Schwertassek, O. Wallrapp, Dynamik flexibler
 * Mehrkoerpersysteme, 1999, section 6).
 *
 * A node is a rigid body with scalar mass and rotary inertia J_i; its rotation is exp(theta) with
 * theta = sum P_k q_k + 1/2 sum theta_kl q_k q_l. Integrals of products of fields are sums over
 * products with the scalar mass matrix. The rotary inertia contributes the derivatives of
 * exp(theta) J_i exp(theta)^T to J1 and J2, and to beta
 * 1/2 (P_k x J_i P_l - P_l x J_i P_k) - 1/2 J_i (P_k x P_l). */
#include "flex.h"
#include "maths/vec.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFLECTION 0.1 /* largest sensible displacement, of the size of the body */
#define ROTATION   1.0 /* largest sensible rotation [rad] */

int flex_mass_diagonal(int n, struct flex_mass *ret)
{
    size_t size = (size_t)n;

    ret->n = n;
    ret->position = calloc(3 * size, sizeof(*ret->position));
    ret->start = calloc(size + 1, sizeof(*ret->start));
    ret->column = calloc(size, sizeof(*ret->column));
    ret->value = calloc(size, sizeof(*ret->value));
    ret->inertia = calloc(6 * size, sizeof(*ret->inertia));
    if (ret->position == NULL || ret->start == NULL || ret->column == NULL || ret->value == NULL ||
        ret->inertia == NULL)
        return -ENOMEM;
    for (int i = 0; i < n; i++) {
        ret->start[i + 1] = i + 1;
        ret->column[i] = i;
    }
    return 0;
}

void flex_mass_free(struct flex_mass *mass)
{
    free(mass->position);
    free(mass->start);
    free(mass->column);
    free(mass->value);
    free(mass->inertia);
    *mass = (struct flex_mass){0};
}

void flex_body_free(struct flex_body *body)
{
    flex_mass_free(&body->mass);
    flex_modes_free(&body->modes);
    free(body->pairs.bend);
    free(body->pairs.inertia);
    free(body->pairs.beta);
    free(body->first);
    free(body->scale);
    free(body->pairs.stiffening);
    for (int i = 0; i < body->n_places; i++) {
        free(body->place[i].shape);
        free(body->place[i].bend);
    }
    free(body->place);
    for (int i = 0; i < body->n_recoveries; i++)
        free(body->recovery[i].value);
    free(body->recovery);
    *body = (struct flex_body){0};
}

/* ---- terms ---- */

/* Add @scale (2 (a . b) 1 - a b^T - b a^T). */
static void add_product(double scale, const double a[3], const double b[3], double ret[6])
{
    double dot = 2 * lk_dot(a, b);

    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            ret[lk_sym_at(i, k)] += scale * ((i == k ? dot : 0) - a[i] * b[k] - b[i] * a[k]);
}

/* Compute column @k of a symmetric matrix. */
static void column_of(const double J[6], int k, double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = J[lk_sym_at(i, k)];
}

/* Add theta~ J - J theta~. */
static void add_turned(const double theta[3], const double J[6], double ret[6])
{
    double turned[9];

    for (int k = 0; k < 3; k++) {
        double column[3], turn[3];

        column_of(J, k, column);
        lk_cross(theta, column, turn);
        for (int i = 0; i < 3; i++)
            turned[3 * i + k] = turn[i];
    }
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            ret[lk_sym_at(i, k)] += turned[3 * i + k] + turned[3 * k + i];
}

/* Add 1/2 a~ [b, J] + 1/2 b~ [a, J] - 1/2 [b, J] a~ - 1/2 [a, J] b~ with [c, J] = c~ J - J c~: the
 * second derivative of exp(theta) J exp(theta)^T for theta = a q_k + b q_l. */
static void add_turned_twice(const double a[3], const double b[3], const double J[6], double ret[6])
{
    double once[2][6] = {{0}}, twice[6] = {0};

    add_turned(a, J, once[0]);
    add_turned(b, J, once[1]);
    add_turned(a, once[1], twice);
    add_turned(b, once[0], twice);
    for (int i = 0; i < 6; i++)
        ret[i] += 0.5 * twice[i];
}

/* Add the rotary part of beta. */
static void add_spin(const double a[3], const double b[3], const double J[6], double ret[3])
{
    double Ja[3], Jb[3], ab[3], Jab[3], aJb[3], bJa[3];

    lk_sym_mul(J, a, Ja);
    lk_sym_mul(J, b, Jb);
    lk_cross(a, b, ab);
    lk_sym_mul(J, ab, Jab);
    lk_cross(a, Jb, aJb);
    lk_cross(b, Ja, bJa);
    for (int i = 0; i < 3; i++)
        ret[i] += 0.5 * (aJb[i] - bJa[i] - Jab[i]);
}

/* ---- sums ---- */

/* Multiply the scalar mass matrix by a field with @stride numbers for each node. @ret: 3 n */
static void weight(const struct flex_mass *mass, const double *field, size_t stride, double *ret)
{
    for (int i = 0; i < mass->n; i++) {
        double sum[3] = {0};

        for (int e = mass->start[i]; e < mass->start[i + 1]; e++)
            for (int k = 0; k < 3; k++)
                sum[k] += mass->value[e] * field[stride * (size_t)mass->column[e] + (size_t)k];
        memcpy(ret + 3 * (size_t)i, sum, sizeof(sum));
    }
}

void flex_mass_sum(struct flex_mass *mass)
{
    mass->mass = 0;
    memset(mass->center, 0, sizeof(mass->center));
    memset(mass->tensor, 0, sizeof(mass->tensor));
    for (int i = 0; i < mass->n; i++)
        for (int e = mass->start[i]; e < mass->start[i + 1]; e++) {
            mass->mass += mass->value[e];
            for (int k = 0; k < 3; k++)
                mass->center[k] += mass->value[e] * mass->position[3 * i + k];
        }
    for (int k = 0; k < 3; k++)
        mass->center[k] /= mass->mass;
    for (int i = 0; i < mass->n; i++) {
        double arm[3], other[3];

        lk_sub(mass->position + 3 * (size_t)i, mass->center, arm);
        for (int e = mass->start[i]; e < mass->start[i + 1]; e++) {
            lk_sub(mass->position + 3 * (size_t)mass->column[e], mass->center, other);
            add_product(0.5 * mass->value[e], arm, other, mass->tensor);
        }
        for (int k = 0; k < 6 && mass->inertia != NULL; k++)
            mass->tensor[k] += mass->inertia[6 * i + k];
    }
}

/* struct fields - @u0: position relative to the centre of mass;  @weighted_u0: times the mass
 * matrix;  @weighted: modes times the mass matrix, 3 n for each of the modes with pairs */
struct fields {
    double *u0;
    double *weighted_u0;
    double *weighted;
};

static int prepare(const struct flex_body *body, struct fields *f)
{
    size_t n = (size_t)body->mass.n, m = (size_t)body->pairs.n;

    f->u0 = calloc(3 * n, sizeof(double));
    f->weighted_u0 = calloc(3 * n, sizeof(double));
    f->weighted = calloc(3 * n * m + 1, sizeof(double));
    if (f->u0 == NULL || f->weighted_u0 == NULL || f->weighted == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        lk_sub(body->mass.position + 3 * i, body->mass.center, f->u0 + 3 * i);
    weight(&body->mass, f->u0, 3, f->weighted_u0);
    for (size_t k = 0; k < m; k++)
        weight(&body->mass, body->modes.shape + 6 * n * k, 6, f->weighted + 3 * n * k);
    return 0;
}

/* Compute J1 of mode @k. */
static void sum_first(const struct flex_body *body, const struct fields *f, int k, double ret[6])
{
    size_t n = (size_t)body->mass.n;

    for (size_t i = 0; i < n; i++) {
        const double *S = body->modes.shape + 6 * (n * (size_t)k + i);

        add_product(1, f->weighted_u0 + 3 * i, S, ret);
        if (body->mass.inertia != NULL)
            add_turned(S + 3, body->mass.inertia + 6 * i, ret);
    }
}

/* Compute J2 and beta of the modes @k <= @l. */
static void sum_pair(struct flex_body *body, const struct fields *f, int k, int l)
{
    size_t n = (size_t)body->mass.n, pair = flex_pair(k, l);
    double *J2 = body->pairs.inertia + 6 * pair, *beta = body->pairs.beta + 3 * pair;

    for (size_t i = 0; i < 6 && body->pairs.stiffening != NULL; i++)
        J2[i] += body->pairs.stiffening[6 * pair + i];

    for (size_t i = 0; i < n; i++) {
        const double *S_k = body->modes.shape + 6 * (n * (size_t)k + i);
        const double *S_l = body->modes.shape + 6 * (n * (size_t)l + i);
        const double *MS_k = f->weighted + 3 * (n * (size_t)k + i);
        const double *MS_l = f->weighted + 3 * (n * (size_t)l + i);
        const double *J = body->mass.inertia, *bend = body->pairs.bend;
        double turn[3];

        add_product(0.5, S_k, MS_l, J2);
        add_product(0.5, MS_k, S_l, J2);
        lk_cross(S_k, MS_l, turn);
        for (int r = 0; r < 3 && k < l; r++)
            beta[r] += turn[r];
        if (bend != NULL)
            add_product(1, f->weighted_u0 + 3 * i, bend + 6 * (n * pair + i), J2);
        if (J != NULL) {
            add_turned_twice(S_k + 3, S_l + 3, J + 6 * i, J2);
            if (k < l)
                add_spin(S_k + 3, S_l + 3, J + 6 * i, beta);
        }
        if (bend != NULL && J != NULL)
            add_turned(bend + 6 * (n * pair + i) + 3, J + 6 * i, J2);
    }
}

/* Compute the largest sensible value of each modal coordinate: a displacement of a tenth of the
 * size of the body or a rotation of 1 rad, and at most the strain energy of the first mode then. */
static void scale_modes(struct flex_body *body, const double *u0)
{
    size_t n = (size_t)body->mass.n;
    double size = 0, limit = INFINITY;

    for (size_t i = 0; i < n; i++)
        size = fmax(size, lk_norm(u0 + 3 * i));
    for (size_t k = 0; k < (size_t)body->modes.n; k++) {
        double shift = 0, turn = 0;

        for (size_t i = 0; i < n; i++) {
            shift = fmax(shift, lk_norm(body->modes.shape + 6 * (n * k + i)));
            turn = fmax(turn, lk_norm(body->modes.shape + 6 * (n * k + i) + 3));
        }
        body->scale[k] =
            fmin(fmin(DEFLECTION * size / shift, turn > 0 ? ROTATION / turn : INFINITY),
                 limit / body->modes.frequency[k]);
        if (k == 0)
            limit = body->scale[0] * body->modes.frequency[0];
    }
}

int flex_integrate(struct flex_body *body)
{
    size_t n = (size_t)body->modes.n, m = (size_t)body->pairs.n;
    struct fields f = {0};
    int result = prepare(body, &f);

    body->first = calloc(6 * n + 1, sizeof(*body->first));
    body->scale = calloc(n + 1, sizeof(*body->scale));
    body->pairs.inertia = calloc(3 * m * (m + 1) + 1, sizeof(*body->pairs.inertia));
    body->pairs.beta = calloc(3 * m * (m + 1) / 2 + 1, sizeof(*body->pairs.beta));
    if (body->first == NULL || body->scale == NULL || body->pairs.inertia == NULL ||
        body->pairs.beta == NULL)
        result = -ENOMEM;
    if (result == 0) {
        for (int k = 0; k < body->modes.n; k++)
            sum_first(body, &f, k, body->first + 6 * (size_t)k);
        for (int l = 0; l < body->pairs.n; l++)
            for (int k = 0; k <= l; k++)
                sum_pair(body, &f, k, l);
        scale_modes(body, f.u0);
    }
    free(f.u0);
    free(f.weighted_u0);
    free(f.weighted);
    return result;
}
