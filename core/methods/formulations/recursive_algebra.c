/* SPDX-License-Identifier: Apache-2.0 */
/* Decompositions of small dense matrices for the formulation `recursive`. */
#include "methods/formulations/recursive.h"
#include <string.h>

/* The Jacobi method converges quadratically: a matrix of 6 rows reaches round-off after 5
 * sweeps. */
#define SWEEPS 8
/* scaled eigenvalue below which the rank is reduced: condensation causes errors of about 1e-16 */
#define RANK_TOLERANCE 1e-12
/* pivot of scaled rows that counts as zero: pivots have the size of squared singular values */
#define ROW_TOLERANCE 1e-11

/* Rotate columns @p and @q of @X by the angle with cosine @c and sine @s. */
static void rotate_columns(int n, double X[][6], int p, int q, double c, double s)
{
    for (int i = 0; i < n; i++) {
        double a = X[i][p], b = X[i][q];

        X[i][p] = c * a - s * b;
        X[i][q] = s * a + c * b;
    }
}

/* Rotate so that A[p][q] becomes zero: Golub, van Loan, Matrix Computations, section 8.4. */
static void annihilate(int n, double A[][6], double X[][6], int p, int q)
{
    double off = A[p][q], tau = (A[q][q] - A[p][p]) / (2 * (off == 0 ? 1 : off));
    double t = (off == 0 ? 0 : tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau)), c, s;

    c = 1 / sqrt(1 + t * t);
    s = t * c;
    rotate_columns(n, A, p, q, c, s);
    for (int i = 0; i < n; i++) {
        double a = A[p][i], b = A[q][i];

        A[p][i] = c * a - s * b;
        A[q][i] = s * a + c * b;
    }
    A[p][q] = A[q][p] = 0;
    rotate_columns(n, X, p, q, c, s);
}

void lk_small_eigen(int n, double A[][6], double ret_X[][6])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            ret_X[i][k] = i == k;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                annihilate(n, A, ret_X, p, q);
}

int lk_small_pseudo_inverse(int n, double A[][6], const double *scale, double ret[][6],
                            double ret_null[][6])
{
    double S[6][6], X[6][6], unit[6];
    int n_null = 0;

    for (int i = 0; i < n; i++)
        unit[i] = scale[i] > 0 ? 1 / sqrt(scale[i]) : 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            S[i][k] = unit[i] * A[i][k] * unit[k];
    lk_small_eigen(n, S, X);
    for (int i = 0; i < n; i++)
        memset(ret[i], 0, (size_t)n * sizeof(double));
    for (int e = 0; e < n; e++) {
        int is_null = !(S[e][e] > RANK_TOLERANCE);

        for (int i = 0; i < n && is_null; i++)
            ret_null[n_null][i] = unit[i] * X[i][e];
        for (int i = 0; i < n && !is_null; i++)
            for (int k = 0; k < n; k++)
                ret[i][k] += unit[i] * X[i][e] * X[k][e] * unit[k] / S[e][e];
        n_null += is_null;
    }
    return n_null;
}

/* Compute L of A = L L^T. Return: 0, LK_E_SINGULAR. */
static int factor_small(int n, double A[][6], double L[][6])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            double sum = A[i][k];

            for (int j = 0; j < k; j++)
                sum -= L[i][j] * L[k][j];
            if (i == k && !(sum > RANK_TOLERANCE * A[i][i]))
                return LK_E_SINGULAR;
            L[i][k] = i == k ? sqrt(sum) : sum / L[k][k];
        }
    return 0;
}

int lk_small_inverse(int n, double A[][6], double ret[][6])
{
    double L[6][6], inverse[6][6] = {{0}};

    if (factor_small(n, A, L) != 0)
        return LK_E_SINGULAR;
    for (int c = 0; c < n; c++)
        for (int i = c; i < n; i++) {
            double sum = i == c;

            for (int k = c; k < i; k++)
                sum -= L[i][k] * inverse[k][c];
            inverse[i][c] = sum / L[i][i];
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            ret[i][k] = 0;
            for (int j = 0; j < n; j++)
                ret[i][k] += inverse[j][i] * inverse[j][k];
        }
    return 0;
}

/* Exchange rows and columns @i and @k of symmetric A, and the corresponding entries of @order and
 * @b. */
static void exchange(int n, double *A, int *order, double *b, int i, int k)
{
    double x = b[i];
    int o = order[i];

    b[i] = b[k];
    b[k] = x;
    order[i] = order[k];
    order[k] = o;
    for (int j = 0; j < n; j++) {
        x = A[i * n + j];
        A[i * n + j] = A[k * n + j];
        A[k * n + j] = x;
    }
    for (int j = 0; j < n; j++) {
        x = A[j * n + i];
        A[j * n + i] = A[j * n + k];
        A[j * n + k] = x;
    }
}

/* Compute L of the pivoted matrix in its lower triangle, up to the rank.
 * Return: the rank. */
static int factor_semidefinite(int n, double *A, int *order, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;

        for (int i = k + 1; i < n; i++)
            if (A[i * n + i] > A[best * n + best])
                best = i;
        if (!(A[best * n + best] > ROW_TOLERANCE))
            return k;
        exchange(n, A, order, b, k, best);
        A[k * n + k] = sqrt(A[k * n + k]);
        for (int i = k + 1; i < n; i++)
            A[i * n + k] /= A[k * n + k];
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i; j++)
                A[j * n + i] = A[i * n + j] -= A[i * n + k] * A[j * n + k];
    }
    return n;
}

static void substitute(int n, int rank, const double *L, double *b)
{
    for (int i = 0; i < rank; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= L[i * n + k] * b[k];
        b[i] /= L[i * n + i];
    }
    for (int i = rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < rank; k++)
            b[i] -= L[k * n + i] * b[k];
        b[i] /= L[i * n + i];
    }
    for (int i = rank; i < n; i++)
        b[i] = 0;
}

/* Restore the original order of @b in place, one cycle of the permutation after another. */
static void put_in_order(int n, int *order, double *b)
{
    for (int i = 0; i < n; i++)
        while (order[i] != i) {
            int to = order[i];
            double x = b[to];

            b[to] = b[i];
            b[i] = x;
            order[i] = order[to];
            order[to] = to;
        }
}

void lk_semidefinite_solve(int n, double *A, double *scale, int *order, double *b)
{
    double *unit = scale;

    for (int i = 0; i < n; i++) {
        order[i] = i;
        unit[i] = scale[i] > 0 ? 1 / sqrt(scale[i]) : 0;
        b[i] *= unit[i];
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            A[i * n + k] *= unit[i] * unit[k];
    substitute(n, factor_semidefinite(n, A, order, b), A, b);
    put_in_order(n, order, b);
    for (int i = 0; i < n; i++)
        b[i] *= unit[i];
}
