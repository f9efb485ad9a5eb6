/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/dense.h"
#include "compile/effort.h"
#include <errno.h>
#include <math.h>

static int find_pivot(int n, const double *A, int column)
{
    int best = column;

    for (int i = column + 1; i < n; i++)
        if (fabs(A[(size_t)i * (size_t)n + (size_t)column]) >
            fabs(A[(size_t)best * (size_t)n + (size_t)column]))
            best = i;
    return best;
}

static void swap_rows(int n, double *A, double *x, int i, int k)
{
    double *a = A + (size_t)i * (size_t)n, *b = A + (size_t)k * (size_t)n, kept = x[i];

    x[i] = x[k];
    x[k] = kept;
    for (int j = 0; j < n; j++) {
        kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

static void eliminate(int n, double *A, double *x, int k)
{
    const double *pivot = A + (size_t)k * (size_t)n;

    for (int i = k + 1; i < n; i++) {
        double *row = A + (size_t)i * (size_t)n, factor = row[k] / pivot[k];

        if (factor == 0)
            continue;
        for (int j = k + 1; j < n; j++)
            row[j] -= factor * pivot[j];
        x[i] -= factor * x[k];
    }
}

int lk_dense_solve(int n, double *A, double *x)
{
    for (int k = 0; k < n; k++) {
        if (lk_effort_spend((uint64_t)(n - k) * (uint64_t)(n - k) / 10))
            return -ECANCELED;
        swap_rows(n, A, x, k, find_pivot(n, A, k));
        if (A[(size_t)k * (size_t)n + (size_t)k] != 0)
            eliminate(n, A, x, k);
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = A + (size_t)i * (size_t)n;

        for (int j = i + 1; j < n; j++)
            x[i] -= row[j] * x[j];
        x[i] = row[i] != 0 ? x[i] / row[i] : 0;
    }
    return 0;
}

int lk_dense_is_positive(int n, double *A, bool *ret_is_positive)
{
    *ret_is_positive = true;
    for (int k = 0; k < n && *ret_is_positive; k++) {
        double *row = A + (size_t)k * (size_t)n;

        if (lk_effort_spend((uint64_t)k * (uint64_t)k / 10))
            return -ECANCELED;
        /* row k of L: dot products of this row with the rows above it, and with itself */
        for (int j = 0; j < k; j++) {
            const double *other = A + (size_t)j * (size_t)n;

            for (int i = 0; i < j; i++)
                row[j] -= row[i] * other[i];
            row[j] /= other[j];
        }
        for (int i = 0; i < k; i++)
            row[k] -= row[i] * row[i];
        *ret_is_positive = row[k] > 0;
        row[k] = sqrt(row[k]);
    }
    return 0;
}
