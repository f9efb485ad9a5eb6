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
#define EQUAL    1e-8 /* relative difference of frequencies of the same value */
#define ALIKE    8    /* largest number of modes of the same frequency that are aligned */

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

        for (size_t r = 0; r < rows; r++)
            ret_y[rows * (size_t)i + r] = y[r] / sqrt(order[i].mu);
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

/* ---- modes of the same frequency ---- */

/* Compute the sum over all nodes of x x + 2 y y + 3 z z, and the same for rotations with a smaller
 * factor, of two modes. */
static double form(const struct flex_modes *modes, int k, int l)
{
    size_t n = (size_t)modes->n_nodes;
    const double *a = modes->shape + 6 * n * (size_t)k, *b = modes->shape + 6 * n * (size_t)l;
    double sum = 0;

    for (size_t i = 0; i < 6 * n; i++)
        sum += (double)(i % 3 + 1) * (i % 6 < 3 ? 1 : 1e-3) * a[i] * b[i];
    return sum;
}

/* Combine @count columns of @rows numbers by the columns of @A. */
static void combine(const double *A, int count, size_t rows, double *column)
{
    double old[ALIKE];

    for (size_t i = 0; i < rows; i++) {
        for (int k = 0; k < count; k++)
            old[k] = column[i + rows * (size_t)k];
        for (int k = 0; k < count; k++)
            column[i + rows * (size_t)k] =
                cblas_ddot(count, A + (size_t)k * (size_t)count, 1, old, 1);
    }
}

/* Replace @count modes from @first on by combinations for which form() is diagonal. */
static void align(struct flex_modes *modes, int first, int count)
{
    double A[ALIKE * ALIKE], value[ALIKE], share = 0, frequency = 0;
    size_t rows = 6 * (size_t)modes->n_nodes;

    for (int k = 0; k < count; k++) {
        share += modes->share[first + k] / count;
        frequency += modes->frequency[first + k] / count;
        for (int l = 0; l < count; l++)
            A[k + l * count] = form(modes, first + k, first + l);
    }
    if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', count, A, count, value) != 0)
        return;
    combine(A, count, rows, modes->shape + rows * (size_t)first);
    combine(A, count, (size_t)modes->n_others,
            modes->other + (size_t)modes->n_others * (size_t)first);
    for (int k = 0; k < count; k++) {
        modes->share[first + k] = share;
        modes->frequency[first + k] = frequency;
    }
}

/* Return the sign that makes the largest displacement or rotation positive; the first one of almost
 * equal ones. */
static double sign_of(const double *shape, size_t rows)
{
    double largest = 0, sign = 1;

    for (size_t i = 0; i < rows; i++)
        if (fabs(shape[i]) > largest * (1 + 1e-6)) {
            largest = fabs(shape[i]);
            sign = copysign(1, shape[i]);
        }
    return sign;
}

void flex_modes_align(struct flex_modes *modes)
{
    size_t rows = 6 * (size_t)modes->n_nodes;

    for (int first = 0, count; first < modes->n; first += count) {
        count = 1;
        while (first + count < modes->n &&
               modes->frequency[first + count] < modes->frequency[first] * (1 + EQUAL))
            count++;
        if (count > 1 && count <= ALIKE)
            align(modes, first, count);
    }
    for (size_t k = 0; k < (size_t)modes->n; k++) {
        double sign = sign_of(modes->shape + rows * k, rows);

        cblas_dscal((int)rows, sign, modes->shape + rows * k, 1);
        if (modes->n_others > 0)
            cblas_dscal(modes->n_others, sign, modes->other + (size_t)modes->n_others * k, 1);
    }
}
