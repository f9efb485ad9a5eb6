/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the sparse Craig-Bampton basis.
 *
 * An averaging spider with the motion y is a constraint B^T x = y. With the interface fixed, the
 * coordinates outside, F, follow from
 *
 *   [ K_FF  B ] [ x ]   [ f ]
 *   [ B^T   0 ] [ l ] = [ y ]
 *
 * Static columns: f = -K_FI e_j for a rigid spider, y = e_j for an averaging one. Fixed-interface
 * modes: f = M x, y = 0. */
#include "solid_work.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_GUESS 24    /* fixed-interface modes of the first attempt with a limit in Hz */
#define SMALL       200   /* coordinates of a model that is solved as a dense one */
#define MASSLESS    1e-14 /* of the largest 1 / omega^2 */
#define SHIFT       1e-9  /* for free modes, of the largest ratio of stiffness and mass */

/* ---- factor ---- */

/* Add B and B^T of the averaging spider @s. */
static int add_average(const struct flex_work *w, int s, struct flex_triplets *t)
{
    const struct flex_spider *spider = &w->spider[s];
    long *first = calloc((size_t)w->mesh.n_nodes, sizeof(*first));
    int result = first != NULL ? 0 : -ENOMEM;

    for (int i = 0; i < spider->n && result == 0; i++)
        first[spider->node[i]] = i + 1;
    for (long dof = 0; dof < w->mesh.n && result == 0; dof++) {
        long at = w->mesh.at[dof], i = at >= 0 ? first[at / 6] - 1 : -1, d = at % 6;

        for (long j = 0; j < 6 && i >= 0 && result == 0; j++) {
            double b = spider->fit[36 * i + 6 * j + d];

            if (b == 0)
                continue;
            result = flex_triplets_add(t, w->free_at[dof], w->first[s] + j, b);
            if (result == 0)
                result = flex_triplets_add(t, w->first[s] + j, w->free_at[dof], b);
        }
    }
    free(first);
    return result;
}

/* Add the entries of @A, times @scale, in the first @n rows and columns. */
static int add_matrix(const struct flex_sparse *A, long n, double scale, struct flex_triplets *t)
{
    int result = 0;

    for (long k = 0; k < n; k++)
        for (long e = A->start[k]; e < A->start[k + 1] && result == 0; e++)
            if (A->row[e] < n)
                result = flex_triplets_add(t, A->row[e], k, scale * A->value[e]);
    return result;
}

/* Factor the matrix at the top of this file; if @shift is not 0, K - @shift M of all coordinates.
 */
static int factor(struct flex_work *w, double shift)
{
    struct flex_triplets t = {0};
    struct flex_sparse A = {0};
    long n = shift != 0 ? w->n_z : w->n_free;
    int result = add_matrix(&w->K, n, 1, &t);

    if (result == 0 && shift != 0)
        result = add_matrix(&w->M, n, -shift, &t);
    for (int s = 0; s < w->n_spiders && shift == 0 && result == 0; s++)
        if (w->spider[s].is_average)
            result = add_average(w, s, &t);
    if (result == 0)
        result = flex_sparse_new(&t, shift != 0 ? n : w->n_rows, &A);
    flex_triplets_free(&t);
    if (result == 0)
        result = flex_factor_new(&A, &w->factor);
    flex_sparse_free(&A);
    return result;
}

/* ---- basis ---- */

/* Append @n columns to the basis, as zeros. Return: the first one, NULL: no memory. */
static double *add_columns(struct flex_work *w, int n)
{
    size_t rows = (size_t)w->n_z, columns = (size_t)w->n_columns;
    double *T = realloc(w->T, rows * (columns + (size_t)n) * sizeof(*T));

    if (T == NULL)
        return NULL;
    memset(T + rows * columns, 0, rows * (size_t)n * sizeof(*T));
    w->T = T;
    w->n_columns += n;
    return T + rows * columns;
}

/* Write the static column of motion @j of spider @s. @b, @x: one vector of all rows each */
static int add_static_column(const struct flex_work *w, int s, int j, double *b, double *x,
                             double *ret)
{
    long at = w->first[s] + j;
    int result;

    memset(b, 0, (size_t)w->n_rows * sizeof(*b));
    if (w->spider[s].is_average)
        b[at] = 1;
    for (long e = w->spider[s].is_average ? 0 : w->K.start[at];
         !w->spider[s].is_average && e < w->K.start[at + 1]; e++)
        if (w->K.row[e] < w->n_free)
            b[w->K.row[e]] = -w->K.value[e];
    result = w->n_rows > 0 ? flex_factor_solve(w->factor, b, x) : 0;
    memcpy(ret, x, (size_t)w->n_free * sizeof(*x));
    if (!w->spider[s].is_average)
        ret[at] = 1;
    return result;
}

static int add_static(struct flex_work *w)
{
    double *column = add_columns(w, 6 * w->n_spiders);
    double *b = calloc(2 * (size_t)w->n_rows + 1, sizeof(*b));
    int result = column != NULL && b != NULL ? 0 : -ENOMEM;

    for (int k = 0; k < 6 * w->n_spiders && result == 0; k++)
        result = add_static_column(w, k / 6, k % 6, b, b + w->n_rows,
                                   column + (size_t)k * (size_t)w->n_z);
    free(b);
    return result;
}

/* Copy the leading @n rows and columns. */
static int leading(const struct flex_sparse *A, long n, struct flex_sparse *ret)
{
    struct flex_triplets t = {0};
    int result = add_matrix(A, n, 1, &t);

    if (result == 0)
        result = flex_sparse_new(&t, n, ret);
    flex_triplets_free(&t);
    return result;
}

/* Append @count modes of @lowest, @n rows each. */
static int copy_modes(struct flex_work *w, const double *x, int count, long n)
{
    double *column = add_columns(w, count);

    if (column == NULL)
        return -ENOMEM;
    for (int k = 0; k < count; k++)
        memcpy(column + (size_t)k * (size_t)w->n_z, x + (size_t)k * (size_t)n,
               (size_t)n * sizeof(*x));
    return 0;
}

/* Append the lowest modes, without the first @n_skipped: @n_wanted, or all up to @to_hz. */
static int add_modes(struct flex_work *w, const struct flex_sparse *M, double shift, int n_skipped,
                     int n_wanted, double to_hz)
{
    long n = M->n;
    int count = to_hz > 0 ? FIRST_GUESS : n_wanted, kept = 0, result = 0;
    bool is_enough = false;

    while (!is_enough && result == 0) {
        int most = n - 1 < 1000000 ? (int)n - 1 : 1000000;
        double *lambda, *x;

        count = count + n_skipped < most ? count : most - n_skipped;
        lambda = calloc((size_t)(count + n_skipped) + 1, sizeof(*lambda));
        x = calloc((size_t)n * (size_t)(count + n_skipped), sizeof(*x));
        result = lambda != NULL && x != NULL ? flex_lowest(w->factor, shift != 0 ? n : w->n_rows, M,
                                                           shift, count + n_skipped, lambda, x)
                                             : -ENOMEM;
        for (kept = 0; kept < count && result == 0; kept++)
            if (to_hz > 0 && lambda[n_skipped + kept] > pow(2 * M_PI * to_hz, 2))
                break;
        is_enough = !(to_hz > 0) || kept < count || count + n_skipped == most;
        if (result == 0 && is_enough)
            result = copy_modes(w, x + (size_t)n * (size_t)n_skipped, kept, n);
        free(lambda);
        free(x);
        count *= 2;
    }
    return result;
}

/* Copy the leading @n rows and columns to a dense matrix. */
static void densify(const struct flex_sparse *A, long n, double *ret)
{
    for (long k = 0; k < n; k++)
        for (long e = A->start[k]; e < A->start[k + 1]; e++)
            if (A->row[e] < n)
                ret[A->row[e] + k * n] = A->value[e];
}

/* Append fixed-interface modes of a small model: all of them, where ARPACK always misses the
 * highest one. Solved is M x = mu K x, because coordinates may have no mass. */
static int add_small_modes(struct flex_work *w, int n_wanted, double to_hz)
{
    int n = (int)w->n_free, count = 0, result = 0;
    size_t square = (size_t)n * (size_t)n;
    double *K = calloc(2 * square + (size_t)n + 1, sizeof(*K)), *M = K + square, *mu = M + square;
    double *column, least = to_hz > 0 ? pow(2 * M_PI * to_hz, -2) : 0;

    if (K == NULL)
        return -ENOMEM;
    densify(&w->K, n, K);
    densify(&w->M, n, M);
    if (n > 0 && LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', n, M, n, K, n, mu) != 0)
        result = -EDOM;
    while (result == 0 && count < n && mu[n - 1 - count] > MASSLESS * mu[n - 1] &&
           (to_hz > 0 ? mu[n - 1 - count] >= least : count < n_wanted))
        count++;
    column = result == 0 ? add_columns(w, count) : NULL;
    if (result == 0 && column == NULL)
        result = -ENOMEM;
    for (int k = 0; k < count && result == 0; k++) /* ascending frequencies */
        memcpy(column + (size_t)k * (size_t)w->n_z, M + (size_t)(n - 1 - k) * (size_t)n,
               (size_t)n * sizeof(*M));
    free(K);
    return result;
}

/* Build the columns of Craig-Bampton. */
int flex_build(struct flex_work *w)
{
    int wanted = w->wish->n - (6 * w->n_spiders - FLEX_RIGID);
    struct flex_sparse M = {0};
    int result = w->n_rows > 0 ? factor(w, 0) : 0; /* 0: all nodes belong to the interface */

    if (result == 0)
        result = add_static(w);
    if (result == 0 && w->n_free <= SMALL && w->n_rows == w->n_free)
        return wanted > 0 || w->wish->to_hz > 0 ? add_small_modes(w, wanted, w->wish->to_hz) : 0;
    if (result == 0)
        result = leading(&w->M, w->n_free, &M);
    if (result == 0 && (wanted > 0 || w->wish->to_hz > 0))
        result = add_modes(w, &M, 0, 0, wanted, w->wish->to_hz);
    flex_sparse_free(&M);
    return result;
}

/* Write the rigid motions in coordinates z. */
static void rigid_columns(const struct flex_work *w, const double center[3], const double *R,
                          double *ret)
{
    for (size_t k = 0; k < FLEX_RIGID; k++) {
        double *column = ret + k * (size_t)w->n_z;

        for (long i = 0; i < w->mesh.n; i++)
            if (w->free_at[i] >= 0)
                column[w->free_at[i]] = R[(size_t)i + k * (size_t)w->mesh.n];
        for (int s = 0; s < w->n_spiders; s++)
            if (!w->spider[s].is_average) {
                double all[6 * FLEX_RIGID];

                flex_rigid_motions(1, w->spider[s].point, center, all);
                memcpy(column + w->first[s], all + 6 * k, 6 * sizeof(*column));
            }
    }
}

/* Build the columns of free modes: rigid motions, then the elastic modes. */
int flex_build_free(struct flex_work *w, const double center[3], const double *R)
{
    double ratio = 0, *column;
    int result;

    for (long i = 0; i < w->n_z; i++) {
        double m = flex_sparse_entry(&w->M, i, i);

        if (m > 0)
            ratio = fmax(ratio, flex_sparse_entry(&w->K, i, i) / m);
    }
    result = factor(w, -SHIFT * ratio);
    column = result == 0 ? add_columns(w, FLEX_RIGID) : NULL;
    if (column == NULL)
        return result != 0 ? result : -ENOMEM;
    rigid_columns(w, center, R, column);
    return add_modes(w, &w->M, -SHIFT * ratio, FLEX_RIGID, w->wish->n, w->wish->to_hz);
}
