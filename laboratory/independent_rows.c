/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/independent_rows.h"

#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row is dependent if its pivot is below this fraction of the largest pivot. Rows have length 1,
 * and an initial configuration satisfies them to about 1e-12 of its size. */
#define DEPENDENT 1e-8
/* lk_independent_rows_keep() chooses new rows if the margin is below this fraction of the best
 * margin */
#define WORTH_IT 0.1

/* Scale rotations to metres, and divide every row by its length. A row of zeros remains zero. */
static void normalise_rows(struct lk_independent_rows *rows, int width)
{
    for (int r = 0; r < rows->n_rows; r++) {
        double *row = &rows->transpose[(size_t)r * (size_t)width], sum = 0;

        for (int i = 0; i < width; i++) {
            row[i] *= i % 6 < 3 ? 1 : 1 / rows->arm;
            sum += row[i] * row[i];
        }
        for (int i = 0; i < width && sum > 0; i++)
            row[i] /= sqrt(sum);
    }
}

static int compare_indices(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Return the rank, found from the diagonal of @R (column-major), or @rank if the rank is known.
 * Also compute the margin. */
static int rank_of(const double *R, int n, int width, int rank, double *ret_margin)
{
    int most = n < width ? n : width, known = rank;
    double first = most > 0 ? fabs(R[0]) : 0;

    *ret_margin = 1;
    for (rank = 0; rank < most && (known < 0 || rank < known); rank++) {
        double pivot = fabs(R[(size_t)rank * (size_t)width + (size_t)rank]);

        if (known < 0 && !(pivot > DEPENDENT * first))
            break;
        *ret_margin = pivot / first;
    }
    return rank;
}

/* Decompose the first @n rows in rows->transpose by QR with column pivoting. Then sort the
 * independent rows and the dependent rows in rows->pivot, separately.
 * @rank: the rank if it is known, or -1
 * Return: the rank, -ENOMEM. */
static int decompose_rows(struct lk_independent_rows *rows, int width, int n, int rank,
                          double *ret_margin)
{
    memset(rows->pivot, 0, (size_t)n * sizeof(int));
    if (LAPACKE_dgeqp3(LAPACK_COL_MAJOR, width, n, rows->transpose, width, rows->pivot, rows->tau))
        return -ENOMEM;
    rank = rank_of(rows->transpose, n, width, rank, ret_margin);
    for (int i = 0; i < n; i++)
        rows->pivot[i]--;
    qsort(rows->pivot, (size_t)rank, sizeof(int), compare_indices);
    qsort(rows->pivot + rank, (size_t)(n - rank), sizeof(int), compare_indices);
    return rank;
}

/* Evaluate Phi_q. LAPACK reads the row-major Phi_q as the column-major Phi_q^T. */
static void evaluate_rows(struct lk_independent_rows *rows, const struct lk_mechanics *mechanics)
{
    lk_mechanics_jacobian(mechanics, rows->transpose);
    normalise_rows(rows, mechanics->n_velocities);
}

/* Choose independent rows.
 * @rank: the rank if it is known, or -1. With a known rank, the old choice is kept if its margin is
 *        large enough
 * Return: as lk_independent_rows_choose(). */
static int choose_rows(struct lk_independent_rows *rows, const struct lk_mechanics *mechanics,
                       int rank)
{
    size_t size = (size_t)rows->n_rows * sizeof(int);
    int width = mechanics->n_velocities, is_loyal = rank >= 0;
    double margin, old;

    if (rows->n_rows == 0 || width == 0)
        return 0;
    evaluate_rows(rows, mechanics);
    rank = decompose_rows(rows, width, rows->n_rows, rank, &margin);
    if (rank < 0)
        return rank;
    if (rank == rows->n && memcmp(rows->row, rows->pivot, size) == 0) {
        rows->margin = margin;
        return 0;
    }
    memcpy(rows->best, rows->pivot, size);
    if (is_loyal) {
        evaluate_rows(rows, mechanics);
        lk_independent_rows_pick(rows, width, rows->transpose, rows->transpose);
        if (decompose_rows(rows, width, rank, rank, &old) == rank && old > WORTH_IT * margin) {
            rows->margin = old;
            return 0;
        }
    }
    memcpy(rows->row, rows->best, size);
    rows->n = rank;
    rows->margin = margin;
    return 1;
}

int lk_independent_rows_choose(struct lk_independent_rows *rows,
                               const struct lk_mechanics *mechanics)
{
    return choose_rows(rows, mechanics, -1);
}

int lk_independent_rows_keep(struct lk_independent_rows *rows, const struct lk_mechanics *mechanics)
{
    return choose_rows(rows, mechanics, rows->n);
}

int lk_independent_rows_new(const struct lk_mechanics *mechanics, struct lk_independent_rows **ret)
{
    size_t n = (size_t)mechanics->n_rows, width = (size_t)mechanics->n_velocities;
    struct lk_independent_rows *rows = calloc(1, sizeof(*rows));

    if (!rows)
        return -ENOMEM;
    rows->n_rows = mechanics->n_rows;
    rows->arm = mechanics->system->arm > 0 ? mechanics->system->arm : 1;
    rows->margin = 1;
    rows->row = calloc(n + 1, sizeof(int));
    rows->pivot = calloc(n + 1, sizeof(int));
    rows->best = calloc(n + 1, sizeof(int));
    rows->tau = calloc(n + width + 1, sizeof(double));
    rows->transpose = calloc(n * width + 1, sizeof(double));
    if (!rows->row || !rows->pivot || !rows->best || !rows->tau || !rows->transpose ||
        lk_independent_rows_choose(rows, mechanics) < 0) {
        lk_independent_rows_free(rows);
        return -ENOMEM;
    }
    *ret = rows;
    return 0;
}

void lk_independent_rows_pick(const struct lk_independent_rows *rows, int width, const double *all,
                              double *ret)
{
    size_t w = (size_t)width;

    /* the rows are in ascending order, so each row is read before it is overwritten */
    for (int i = 0; i < rows->n; i++)
        memmove(&ret[(size_t)i * w], &all[(size_t)rows->row[i] * w], w * sizeof(double));
}

void lk_independent_rows_spread(const struct lk_independent_rows *rows, const double *lambda,
                                double *ret)
{
    memset(ret, 0, (size_t)rows->n_rows * sizeof(double));
    for (int i = 0; i < rows->n; i++)
        ret[rows->row[i]] = lambda[i];
}

/* Compute the least-squares solution of @A^T x = @jacobian^T @lambda with the smallest norm of x_i
 * @weight[i]. @A has @n rows.
 * @weight: weights, or NULL: all are 1
 * @x:      may be @lambda */
static int solve_least(const double *A, int n, int width, const double *weight,
                       const double *jacobian, int n_rows, const double *lambda, double *x)
{
    size_t most = (size_t)(n > width ? n : width), w = (size_t)width, size = (size_t)n * w;
    double *copy = malloc((size + most + 1) * sizeof(double)), *load = copy ? copy + size : NULL;
    int *pivot = calloc((size_t)n + 1, sizeof(int)), rank, r = -ENOMEM;

    if (copy && pivot) {
        for (size_t i = 0; i < size; i++)
            copy[i] = weight ? A[i] / weight[i / w] : A[i];
        memset(load, 0, most * sizeof(double));
        for (int i = 0; i < n_rows; i++)
            for (size_t k = 0; k < w; k++)
                load[k] += jacobian[(size_t)i * w + k] * lambda[i];
        r = LAPACKE_dgelsy(LAPACK_COL_MAJOR, width, n, 1, copy, width, load, (int)most, pivot,
                           DEPENDENT, &rank)
                ? -ENOMEM
                : 0;
        for (int i = 0; i < n && r == 0; i++)
            x[i] = weight ? load[i] / weight[i] : load[i];
    }
    free(copy);
    free(pivot);
    return r;
}

int lk_independent_rows_share(const struct lk_independent_rows *rows, int n_velocities,
                              const double *jacobian, const double *weight, double *lambda)
{
    if (rows->n == rows->n_rows)
        return 0;
    return solve_least(jacobian, rows->n_rows, n_velocities, weight, jacobian, rows->n_rows, lambda,
                       lambda);
}

int lk_independent_rows_gather(const struct lk_independent_rows *rows, int n_velocities,
                               const double *jacobian, double *lambda)
{
    size_t w = (size_t)n_velocities;
    double *chosen, *few;
    int r = -ENOMEM;

    if (rows->n == rows->n_rows)
        return 0;
    chosen = malloc(((size_t)rows->n * (w + 1) + 1) * sizeof(double));
    if (!chosen)
        return r;
    few = chosen + (size_t)rows->n * w;
    lk_independent_rows_pick(rows, n_velocities, jacobian, chosen);
    r = solve_least(chosen, rows->n, n_velocities, NULL, jacobian, rows->n_rows, lambda, few);
    if (r == 0)
        lk_independent_rows_spread(rows, few, lambda);
    free(chosen);
    return r;
}

void lk_independent_rows_free(struct lk_independent_rows *rows)
{
    if (!rows)
        return;
    free(rows->row);
    free(rows->pivot);
    free(rows->best);
    free(rows->tau);
    free(rows->transpose);
    free(rows);
}
