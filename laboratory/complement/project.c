/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/complement/complement.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

int lk_complement_status(int info)
{
    if (info < 0)
        return LK_E_NOT_FINITE;
    return info > 0 ? LK_E_SINGULAR : 0;
}

int lk_complement_last_columns(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;

    memset(c->P, 0, n * (size_t)c->s * sizeof(double));
    for (size_t j = 0; j < (size_t)c->s; j++)
        c->P[j * n + (size_t)c->r + j] = 1;
    if (c->s == 0 || c->r == 0)
        return 0;
    return lk_complement_status(LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'N', c->g.n, c->s, c->r, c->A,
                                               c->g.n, c->tau, c->P, c->g.n));
}

/* Write X = [Phi_q; P^T] to A, (m + s) x n, and [Gamma; 0] to u, equations 3.2 and 3.8. */
static void extend_jacobian(struct lk_complement *c)
{
    int n = c->g.n, m = c->g.m, rows = m + c->s;

    for (int j = 0; j < n; j++) {
        double *column = &c->A[(size_t)j * (size_t)rows];

        for (int i = 0; i < m; i++)
            column[i] = c->g.jacobian[(size_t)i * (size_t)n + (size_t)j];
        for (int i = 0; i < c->s; i++)
            column[m + i] = c->P[(size_t)i * (size_t)n + (size_t)j];
    }
    memcpy(c->u, c->g.gamma, (size_t)m * sizeof(double));
    memset(c->u + m, 0, (size_t)c->s * sizeof(double));
}

/* Solve X u = [Gamma; 0] if no rows are redundant, so that X is square. */
static int solve_square(struct lk_complement *c)
{
    int n = c->g.n, info;
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', n, n, c->A, n), condition = 0;

    info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, c->A, n, c->pivot);
    if (info == 0)
        info = LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', n, c->A, n, norm, &condition);
    if (info == 0)
        info = LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, c->A, n, c->pivot, c->u, n);
    return info == 0 && condition < LK_COMPLEMENT_SINGULAR ? LK_E_SINGULAR
                                                           : lk_complement_status(info);
}

/* Compute u = X^+ [Gamma; 0] if rows are redundant. X then has more rows than columns, and full
 * column rank. */
static int solve_redundant(struct lk_complement *c)
{
    int n = c->g.n, rows = c->g.m + c->s, info;
    double condition = 0;

    info = LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', rows, n, 1, c->A, rows, c->u, rows);
    if (info == 0)
        info = LAPACKE_dtrcon(LAPACK_COL_MAJOR, '1', 'U', 'N', n, c->A, rows, &condition);
    return info == 0 && condition < LK_COMPLEMENT_SINGULAR ? LK_E_SINGULAR
                                                           : lk_complement_status(info);
}

int lk_complement_reduce(struct lk_complement *c)
{
    int n = c->g.n, s = c->s, info;
    double *MP = c->A, *reduced = c->B, *force = c->u, *x = c->v;

    lk_generalised_mass(&c->g, 1, c->q2, force);
    for (int i = 0; i < n; i++)
        force[i] = c->g.force[i] - force[i];
    lk_generalised_mass(&c->g, s, c->P, MP);
    for (int j = 0; j < s; j++) {
        const double *column = &c->P[(size_t)j * (size_t)n];

        x[j] = 0;
        for (int i = 0; i < n; i++)
            x[j] += column[i] * force[i];
        for (int k = 0; k < s; k++) {
            double sum = 0;

            for (int i = 0; i < n; i++)
                sum += column[i] * MP[(size_t)k * (size_t)n + (size_t)i];
            reduced[(size_t)k * (size_t)s + (size_t)j] = sum;
        }
    }
    info = s > 0 ? LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', s, 1, reduced, s, x, s) : 0;
    for (int j = 0; j < s && info == 0; j++)
        for (int i = 0; i < n; i++)
            c->q2[i] += c->P[(size_t)j * (size_t)n + (size_t)i] * x[j];
    return lk_complement_status(info);
}

/* Set P to the identity, because the null space is the whole space if there are no rows. */
static void all_directions(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;

    memset(c->P, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        c->P[i * n + i] = 1;
    memset(c->u, 0, n * sizeof(double));
}

int lk_complement_project(struct lk_complement *c)
{
    int is_free = c->g.m == 0, r = 0;

    if (is_free)
        all_directions(c);
    else
        r = c->method->basis(c);
    if (r != 0)
        return r;
    if (!is_free) {
        extend_jacobian(c);
        r = c->g.m + c->s == c->g.n ? solve_square(c) : solve_redundant(c);
    }
    if (r != 0)
        return r;
    memcpy(c->q2, c->u, (size_t)c->g.n * sizeof(double));
    return lk_complement_reduce(c);
}
