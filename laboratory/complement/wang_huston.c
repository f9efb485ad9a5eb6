/* SPDX-License-Identifier: Apache-2.0 */
/* The method of J. T. Wang, R. L. Huston, A comparison of analysis methods of redundant multibody
 * systems, 1989, in the form that Pekal and Fraczek use. With redundant rows the inverse becomes a
 * pseudo-inverse. Its threshold is the usual m eps times the largest eigenvalue. The matrix is
 * quadratic in Phi_q, so a drift of 1e-7 already makes dependent rows appear independent. Round-off
 * then determines the accelerations, and an error control reduces its steps indefinitely. The paper
 * reports this loss of accuracy, and test_complement_drift tests it. The other methods keep the
 * rank found at the start. wang-huston-fixed-rank also keeps this rank, and is as accurate as the
 * other methods. */
#include "laboratory/complement/families.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Compute @W = Phi_q N, m x m, with N = M^-1 Phi_q^T. */
static void multiply_compliance(const struct lk_generalised *g, const double *N, double *W)
{
    size_t n = (size_t)g->n, m = (size_t)g->m;

    memset(W, 0, m * m * sizeof(double));
    for (size_t r = 0; r < m; r++)
        for (size_t i = 0; i < n; i++) {
            double value = g->jacobian[r * n + i];

            for (size_t j = 0; j < m && value != 0; j++)
                W[j * m + r] += value * N[j * n + i];
        }
}

/* Compute x = W^+ x from the eigenvalues of W that exceed a threshold, or from the r largest. */
static int pseudo_divide(struct lk_complement *c, int has_fixed_rank, double *W, double *x)
{
    size_t m = (size_t)c->g.m, left_out = has_fixed_rank ? m - (size_t)c->r : 0;
    double *value = c->v, *part = c->tau, least;
    int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', c->g.m, W, c->g.m, value);

    if (info != 0)
        return info;
    least = (double)m * DBL_EPSILON * fabs(value[m - 1]);
    /* fewer than r nonzero eigenvalues mean a singular pose; r < m in this function */
    if (c->r > 0 && value[m - (size_t)c->r] <= least)
        return 1;
    for (size_t j = 0; j < m; j++) {
        part[j] = 0;
        for (size_t i = 0; i < m; i++)
            part[j] += W[j * m + i] * x[i];
        part[j] = j >= left_out && value[j] > least ? part[j] / value[j] : 0;
    }
    memset(x, 0, m * sizeof(double));
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++)
            x[i] += W[j * m + i] * part[j];
    return 0;
}

/* Compute @x = Phi_q M^-1 Q - Gamma, the bracket of equation 3.41. */
static void evaluate_bracket(const struct lk_complement *c, double *x)
{
    size_t n = (size_t)c->g.n;

    for (size_t r = 0; r < (size_t)c->g.m; r++) {
        x[r] = -c->g.gamma[r];
        for (size_t i = 0; i < n; i++)
            x[r] += c->g.jacobian[r * n + i] * c->q2[i];
    }
}

static int find_accelerations(struct lk_complement *c, int has_fixed_rank)
{
    size_t n = (size_t)c->g.n, m = (size_t)c->g.m;
    double *N = c->A, *W = c->B, *lambda = c->u;
    int info;

    memcpy(c->q2, c->g.force, n * sizeof(double));
    memcpy(N, c->g.jacobian, n * m * sizeof(double));
    if (lk_generalised_divide(&c->g, 1, c->q2) != 0 || lk_generalised_divide(&c->g, c->g.m, N) != 0)
        return LK_E_SINGULAR;
    if (m == 0)
        return 0;
    multiply_compliance(&c->g, N, W);
    evaluate_bracket(c, lambda);
    if (c->r == c->g.m)
        info = LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', c->g.m, 1, W, c->g.m, lambda, c->g.m);
    else
        info = pseudo_divide(c, has_fixed_rank, W, lambda);
    for (size_t r = 0; r < m && info == 0; r++)
        for (size_t i = 0; i < n; i++)
            c->q2[i] -= N[r * n + i] * lambda[r];
    return lk_complement_status(info);
}

int lk_complement_wang_huston(struct lk_complement *c)
{
    return find_accelerations(c, 0);
}

int lk_complement_wang_huston_fixed(struct lk_complement *c)
{
    return find_accelerations(c, 1);
}
