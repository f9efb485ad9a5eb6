/* SPDX-License-Identifier: Apache-2.0 */
/* Orthonormal modes of a free body in a basis.
 *
 * The eigenvalue problem is solved as M y = mu K y, with mu = 1 / w^2, on the motions that are
 * M-orthogonal to the rigid ones. K is positive definite there, whereas M may be singular: nodes
 * may have no rotary inertia. The largest mu, which are the lowest frequencies, are accurate to
 * round-off. Jacobi rotations then make the smallest ones as accurate, because the entries of Y^T M
 * Y of vectors with Y^T K Y = 1 are sums of positive products (J. Demmel, K. Veselic, Jacobi's
 * method is more accurate than QR, SIAM J. Matrix Anal. Appl. 13 (1992) 1204-1245). */
#include "flex.h"

#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MASSLESS 1e-18 /* mu below this part of the largest one: the direction has no mass */
#define SWEEPS   8

void flex_rigid_motions(int n, const double *position, const double center[3], double *ret)
{
    size_t rows = 6 * (size_t)n;

    memset(ret, 0, rows * FLEX_RIGID * sizeof(*ret));
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t a = 0; a < 3; a++) {
            size_t b = (a + 1) % 3, c = (a + 2) % 3;
            double *turn = ret + (3 + a) * rows + 6 * i;

            ret[a * rows + 6 * i + a] = 1;
            turn[c] = position[3 * i + b] - center[b];
            turn[b] = -(position[3 * i + c] - center[c]);
            turn[3 + a] = 1;
        }
}

void flex_basis_free(struct flex_basis *basis)
{
    free(basis->mass);
    free(basis->stiffness);
    free(basis->rigid);
    *basis = (struct flex_basis){0};
}

/* Compute an orthonormal basis Z of the vectors with (M R)^T z = 0: the last n - 6 columns of the
 * orthogonal factor of M R. @ret: n x n */
static int complement_of(const struct flex_basis *b, double *ret)
{
    int n = b->n;
    double tau[FLEX_RIGID];
    double *MR = calloc((size_t)n * FLEX_RIGID, sizeof(*MR));
    int result = MR != NULL ? 0 : -ENOMEM;

    if (result == 0) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, FLEX_RIGID, n, 1, b->mass, n,
                    b->rigid, n, 0, MR, n);
        if (LAPACKE_dgeqrf(LAPACK_COL_MAJOR, n, FLEX_RIGID, MR, n, tau) != 0)
            result = -ENOMEM;
    }
    if (result == 0) {
        memset(ret, 0, (size_t)n * (size_t)n * sizeof(*ret));
        memcpy(ret, MR, (size_t)n * FLEX_RIGID * sizeof(*ret));
        if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, n, n, FLEX_RIGID, ret, n, tau) != 0)
            result = -ENOMEM;
    }
    free(MR);
    return result;
}

/* Compute @ret = Z^T A Z; @work: n m values. */
static void project(int n, int m, const double *A, const double *Z, double *work, double *ret)
{
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, n, m, 1, A, n, Z, n, 0, work, n);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, m, n, 1, Z, n, work, n, 0, ret, m);
}

/* Rotate rows and columns @p and @q of the symmetric @A, and columns of @Y, so that A_pq becomes 0.
 */
static void rotate(int m, double *A, int rows, double *Y, int p, int q)
{
    double pq = A[p + q * m], tau = (A[q + q * m] - A[p + p * m]) / (2 * pq);
    double t = copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t);

    cblas_drot(m, A + (size_t)p * (size_t)m, 1, A + (size_t)q * (size_t)m, 1, c, -t * c);
    cblas_drot(m, A + p, m, A + q, m, c, -t * c);
    cblas_drot(rows, Y + (size_t)p * (size_t)rows, 1, Y + (size_t)q * (size_t)rows, 1, c, -t * c);
    A[p + q * m] = A[q + p * m] = 0;
}

/* Make the almost diagonal @A diagonal, each entry relative to its diagonal. */
static void diagonalise(int m, double *A, int rows, double *Y)
{
    bool is_done = false;

    for (int sweep = 0; sweep < SWEEPS && !is_done; sweep++) {
        is_done = true;
        for (int p = 0; p < m; p++)
            for (int q = p + 1; q < m; q++) {
                double size = sqrt(fabs(A[p + p * m] * A[q + q * m]));

                if (fabs(A[p + q * m]) <= 1e-15 * size || size == 0)
                    continue;
                rotate(m, A, rows, Y, p, q);
                is_done = false;
            }
    }
}

/* struct order - a mode and its mu, for sorting */
struct order {
    double mu;
    int at;
};

static int compare(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    return (x->mu < y->mu) - (x->mu > y->mu);
}

/* Return the strain energy of @y in the static columns, of 1. */
static double share_of(const struct flex_basis *b, const double *y)
{
    double sum = 0;

    for (int i = 0; i < b->n_static; i++)
        for (int k = 0; k < b->n_static; k++)
            sum += y[i] * b->stiffness[i + (size_t)k * (size_t)b->n] * y[k];
    return sum;
}

/* Choose the @n_wanted largest mu, and normalise by the mass. @V: @m vectors y of @b->n entries
 * with y^T K y = 1;  @A: Y^T M Y */
static int choose(const struct flex_basis *b, int m, const double *A, const double *V, int n_wanted,
                  int *ret_n, double *ret_y, double *ret_frequency, double *ret_share)
{
    struct order *order = calloc((size_t)m + 1, sizeof(*order));
    size_t rows = (size_t)b->n;

    if (order == NULL)
        return -ENOMEM;
    for (int i = 0; i < m; i++)
        order[i] = (struct order){A[i + (size_t)i * (size_t)m], i};
    qsort(order, (size_t)m, sizeof(*order), compare);
    *ret_n = 0;
    for (int i = 0; i < m && i < n_wanted && order[i].mu > MASSLESS * order[0].mu; i++) {
        const double *y = V + rows * (size_t)order[i].at;
        double sign = 1, largest = 0;

        for (size_t r = 0; r < rows; r++) /* the sign does not depend on the library */
            if (fabs(y[r]) > largest * (1 + 1e-6)) {
                largest = fabs(y[r]);
                sign = copysign(1, y[r]);
            }
        for (size_t r = 0; r < rows; r++)
            ret_y[rows * (size_t)i + r] = sign * y[r] / sqrt(order[i].mu);
        ret_frequency[i] = 1 / (2 * M_PI * sqrt(order[i].mu));
        ret_share[i] = share_of(b, y);
        *ret_n = i + 1;
    }
    free(order);
    return 0;
}

/* Solve on the complement @Z, n x m. @Mz, @Kz, @work, @V: n x n each */
static int solve_on(const struct flex_basis *b, const double *Z, int m, double *Mz, double *Kz,
                    double *work, double *V, double *mu)
{
    int n = b->n, info;

    project(n, m, b->mass, Z, work, Mz);
    project(n, m, b->stiffness, Z, work, Kz);
    info = LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', m, Mz, m, Kz, m, mu);
    if (info != 0)
        return info < 0 ? -ENOMEM : -EDOM;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, m, 1, Z, n, Mz, m, 0, V, n);
    project(n, m, b->mass, V, work, Mz);
    diagonalise(m, Mz, n, V);
    return 0;
}

int flex_solve(const struct flex_basis *basis, int n_wanted, int *ret_n, double **ret_y,
               double **ret_frequency, double **ret_share)
{
    int n = basis->n, m = n - FLEX_RIGID, kept = m < n_wanted ? m : n_wanted, result = -ENOMEM;
    size_t square = (size_t)n * (size_t)n;
    double *memory = calloc(5 * square + (size_t)n, sizeof(*memory));
    double *y = calloc((size_t)n * (size_t)(kept > 0 ? kept : 1), sizeof(*y));
    double *frequency = calloc((size_t)n, sizeof(*frequency));
    double *share = calloc((size_t)n, sizeof(*share));

    if (memory != NULL && y != NULL && frequency != NULL && share != NULL) {
        double *Z = memory, *Mz = Z + square, *Kz = Mz + square, *work = Kz + square;
        double *V = work + square;

        result = complement_of(basis, Z);
        if (result == 0 && m > 0)
            result = solve_on(basis, Z + (size_t)n * FLEX_RIGID, m, Mz, Kz, work, V, V + square);
        if (result == 0)
            result = choose(basis, m > 0 ? m : 0, Mz, V, kept, ret_n, y, frequency, share);
    }
    free(memory);
    if (result != 0) {
        free(y);
        free(frequency);
        free(share);
        return result;
    }
    *ret_y = y;
    *ret_frequency = frequency;
    *ret_share = share;
    return 0;
}
