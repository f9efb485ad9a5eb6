/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/complement/generalised.h"
#include "laboratory/coordinates.h"
#include "maths/vec.h"

#include <errno.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

int lk_generalised_init(struct lk_generalised *g, struct lk_mechanics *mechanics,
                        enum lk_orientation orientation)
{
    int is_long = orientation == LK_ORIENTATION_PARAMETERS;
    size_t bodies = (size_t)mechanics->n_bodies, n, m;

    *g = (struct lk_generalised){.mechanics = mechanics, .orientation = orientation};
    g->width = is_long ? 7 : 6;
    g->n = g->width * mechanics->n_bodies;
    g->m = mechanics->n_rows + (is_long ? mechanics->n_bodies : 0);
    n = (size_t)g->n, m = (size_t)g->m;
    g->body = calloc(bodies + 1, sizeof(*g->body));
    g->forces = calloc(bodies + 1, sizeof(*g->forces));
    g->jacobian = calloc(m * n + 1, sizeof(double));
    g->plain = calloc(m * n + n + 1, sizeof(double));
    g->gamma = calloc(3 * m + 1, sizeof(double));
    g->force = calloc(n + 1, sizeof(double));
    if (g->body && g->forces && g->jacobian && g->plain && g->gamma && g->force)
        return 0;
    lk_generalised_fini(g);
    return -ENOMEM;
}

void lk_generalised_fini(struct lk_generalised *g)
{
    free(g->body);
    free(g->forces);
    free(g->jacobian);
    free(g->plain);
    free(g->gamma);
    free(g->force);
    *g = (struct lk_generalised){0};
}

/* Compute R^T @v, where R is the rotation by @angle about coordinate axis number @axis. */
static void turn_back(int axis, double angle, double v[3])
{
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    double c = cos(angle), s = sin(angle), old = v[j];

    v[j] = c * old + s * v[k];
    v[k] = c * v[k] - s * old;
}

/* Compute L and bias for three angles about the axes e1, e2, e3, R = R1 R2 R3. The columns of L are
 * these axes in body coordinates: c1 = R3^T R2^T e1, c2 = R3^T e2, c3 = e3. Later rotations turn
 * the body relative to earlier axes, so c1' = -(c2 b' + c3 c') x c1 and c2' = -c3 c' x c2, where b
 * and c are the second and third angle. */
static void angles_of(const int axis[3], const double *angle, const double *rate,
                      struct lk_generalised_body *ret)
{
    double c[3][3] = {{0}}, after[3], part[3];

    for (int i = 0; i < 3; i++) {
        c[i][axis[i]] = 1;
        for (int k = i + 1; k < 3; k++)
            turn_back(axis[k], angle[k], c[i]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            ret->L[3 * i + k] = c[k][i];
    for (int i = 0; i < 3; i++)
        after[i] = c[1][i] * rate[1] + c[2][i] * rate[2];
    lk_cross(after, c[0], ret->bias);
    lk_cross(c[2], c[1], part);
    for (int i = 0; i < 3; i++)
        ret->bias[i] = -ret->bias[i] * rate[0] - part[i] * rate[1] * rate[2];
}

/* Compute L and bias for a unit quaternion: w = 2 G(p) p'. The bias is zero, because G(p') p' =
 * 0. */
static void parameters_of(const double p[4], struct lk_generalised_body *ret)
{
    const double L[12] = {-p[1], p[0], p[3],  -p[2], -p[2], -p[3],
                          p[0],  p[1], -p[3], p[2],  -p[1], p[0]};

    for (int i = 0; i < 12; i++)
        ret->L[i] = 2 * L[i];
    memset(ret->bias, 0, sizeof(ret->bias));
}

static void identity_of(struct lk_generalised_body *ret)
{
    memset(ret->L, 0, sizeof(ret->L));
    memset(ret->bias, 0, sizeof(ret->bias));
    ret->L[0] = ret->L[4] = ret->L[8] = 1;
}

/* Compute L and bias of body @i. */
static void frame_of(struct lk_generalised *g, int i, const double *q, const double *rate)
{
    static const int yaw_pitch_roll[3] = {2, 1, 0}, euler[3] = {2, 0, 2};
    struct lk_generalised_body *b = &g->body[i];

    if (g->orientation == LK_ORIENTATION_LIE)
        identity_of(b);
    else if (g->orientation == LK_ORIENTATION_PARAMETERS)
        parameters_of(lk_mechanics_motion(g->mechanics)[i].q, b);
    else
        angles_of(g->orientation == LK_ORIENTATION_EULER ? euler : yaw_pitch_roll, &q[6 * i + 3],
                  &rate[6 * i + 3], b);
}

/* Compute the inertia L^T J L and the generalised torque L^T (torque - J L' r') of body @i. */
static void inertia_of(struct lk_generalised *g, int i)
{
    const struct lk_body *constants = &g->mechanics->system->body[i];
    struct lk_generalised_body *b = &g->body[i];
    int n = g->width - 3;
    double JL[12], torque[3], column[3], product[3];
    double *force = &g->force[g->width * i];

    b->mass = constants->mass;
    lk_sym_mul(constants->inertia, b->bias, torque);
    for (int k = 0; k < 3; k++) {
        force[k] = g->forces[i].v[k];
        torque[k] = g->forces[i].w[k] - torque[k];
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < 3; k++)
            column[k] = b->L[k * n + j];
        lk_sym_mul(constants->inertia, column, product);
        for (int k = 0; k < 3; k++)
            JL[k * n + j] = product[k];
        force[3 + j] = lk_dot(column, torque);
    }
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++)
            b->inertia[r * n + j] =
                b->L[r] * JL[j] + b->L[n + r] * JL[n + j] + b->L[2 * n + r] * JL[2 * n + j];
}

/* Compute Phi_q of row @r from its Jacobian Phi_v with respect to v.
 * Return: Phi_v L' r', which the caller subtracts from Gamma. */
static double row_of(struct lk_generalised *g, int r)
{
    int n = g->width - 3, bodies = g->mechanics->n_bodies;
    double bias = 0;

    for (int i = 0; i < bodies; i++) {
        const struct lk_generalised_body *b = &g->body[i];
        const double *from = &g->plain[(size_t)r * 6 * (size_t)bodies + 6 * (size_t)i];
        double *to = &g->jacobian[(size_t)r * (size_t)g->n + (size_t)(g->width * i)];

        for (int k = 0; k < 3; k++)
            to[k] = from[k];
        for (int j = 0; j < n; j++)
            to[3 + j] = from[3] * b->L[j] + from[4] * b->L[n + j] + from[5] * b->L[2 * n + j];
        bias += lk_dot(from + 3, b->bias);
    }
    return bias;
}

/* Add the rows for the lengths of Euler parameters: p^T p'' = -p'^T p', with p'^T p' = w^T w / 4.
 * lk_coordinates_normalise() keeps the lengths. */
static void length_rows(struct lk_generalised *g)
{
    for (int r = g->mechanics->n_rows; r < g->m; r++) {
        int i = r - g->mechanics->n_rows;
        const struct lk_motion *motion = &lk_mechanics_motion(g->mechanics)[i];
        double *row = &g->jacobian[(size_t)r * (size_t)g->n];

        memset(row, 0, (size_t)g->n * sizeof(double));
        memcpy(&row[7 * i + 3], motion->q, 4 * sizeof(double));
        g->gamma[r] = -lk_dot(motion->v.w, motion->v.w) / 4;
    }
}

static void rows_of(struct lk_generalised *g, const double *baumgarte)
{
    int rows = g->mechanics->n_rows;
    double *rates = g->gamma + g->m, *violation = rates + g->m;

    lk_mechanics_jacobian(g->mechanics, g->plain);
    lk_mechanics_gamma(g->mechanics, g->gamma);
    for (int r = 0; r < rows; r++)
        g->gamma[r] = -g->gamma[r] - row_of(g, r);
    length_rows(g);
    if (!baumgarte)
        return;
    lk_mechanics_rates(g->mechanics, rates);
    lk_mechanics_violation(g->mechanics, violation);
    for (int r = 0; r < rows; r++)
        g->gamma[r] -= 2 * baumgarte[0] * rates[r] + baumgarte[1] * baumgarte[1] * violation[r];
}

int lk_generalised_evaluate(struct lk_generalised *g, const double *q, const double *v,
                            const double *baumgarte)
{
    int bodies = g->mechanics->n_bodies;
    double *rate = g->plain; /* scratch until the rows are computed */
    int r = lk_coordinates_rates(g->orientation, bodies, q, v, rate);

    if (r != 0)
        return r;
    for (int i = 0; i < bodies; i++)
        frame_of(g, i, q, rate);
    lk_mechanics_forces(g->mechanics, g->forces);
    for (int i = 0; i < bodies; i++)
        inertia_of(g, i);
    rows_of(g, baumgarte);
    return 0;
}

void lk_generalised_mass(const struct lk_generalised *g, int n_columns, const double *X,
                         double *ret)
{
    int n = g->width - 3;

    for (int c = 0; c < n_columns; c++)
        for (int i = 0; i < g->mechanics->n_bodies; i++) {
            size_t at = (size_t)c * (size_t)g->n + (size_t)(g->width * i);
            const struct lk_generalised_body *b = &g->body[i];

            for (int k = 0; k < 3; k++)
                ret[at + (size_t)k] = b->mass * X[at + (size_t)k];
            for (int r = 0; r < n; r++) {
                double sum = 0;

                for (int j = 0; j < n; j++)
                    sum += b->inertia[r * n + j] * X[at + 3 + (size_t)j];
                ret[at + 3 + (size_t)r] = sum;
            }
        }
}

int lk_generalised_divide(const struct lk_generalised *g, int n_columns, double *X)
{
    int n = g->width - 3;

    for (int i = 0; i < g->mechanics->n_bodies; i++) {
        double *first = X + g->width * i, factor[16];

        memcpy(factor, g->body[i].inertia, sizeof(factor));
        if (!(g->body[i].mass > 0) || LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, factor, n) != 0 ||
            LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, n_columns, factor, n, first + 3, g->n) != 0)
            return LK_E_SINGULAR;
        for (int c = 0; c < n_columns; c++)
            for (int k = 0; k < 3; k++)
                first[(size_t)c * (size_t)g->n + (size_t)k] /= g->body[i].mass;
    }
    return 0;
}

void lk_generalised_accelerations(const struct lk_generalised *g, const double *q2, double *ret)
{
    int n = g->width - 3;

    for (int i = 0; i < g->mechanics->n_bodies; i++) {
        const struct lk_generalised_body *b = &g->body[i];
        const double *from = &q2[g->width * i];

        for (int k = 0; k < 3; k++) {
            ret[6 * i + k] = from[k];
            ret[6 * i + 3 + k] = b->bias[k];
            for (int j = 0; j < n; j++)
                ret[6 * i + 3 + k] += b->L[k * n + j] * from[3 + j];
        }
    }
}
