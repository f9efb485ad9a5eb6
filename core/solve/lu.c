/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lu.h"
#include "maths/vec.h"
#include <math.h>

static void swap_rows(int n, double *A, int i, int k)
{
    for (int j = 0; j < n; j++) {
        double x = A[i * n + j];

        A[i * n + j] = A[k * n + j];
        A[k * n + j] = x;
    }
}

/* Scale rows, then columns, so that the largest entry of each is 1. Rows at noise level and zero
 * columns have the scale 0. */
static void equilibrate(int n, double *A, double noise, double *rows, double *columns)
{
    for (int i = 0; i < n; i++) {
        double largest = 0;

        for (int k = 0; k < n; k++)
            largest = lk_max(largest, fabs(A[i * n + k]));
        rows[i] = largest > noise ? 1 / largest : 0;
        for (int k = 0; k < n; k++)
            A[i * n + k] *= rows[i];
    }
    for (int k = 0; k < n; k++) {
        double largest = 0;

        for (int i = 0; i < n; i++)
            largest = lk_max(largest, fabs(A[i * n + k]));
        columns[k] = largest > 0 ? 1 / largest : 0;
        for (int i = 0; i < n; i++)
            A[i * n + k] *= columns[k];
    }
}

int lk_lu_factor(int n, double *A, double noise, double least, struct lk_lu_scale scale)
{
    int weak = -1;

    equilibrate(n, A, noise, scale.rows, scale.columns);
    for (int k = 0; k < n; k++) {
        int best = k;

        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        scale.pivot[k] = best;
        swap_rows(n, A, k, best);
        if (!(fabs(A[k * n + k]) > least)) {
            weak = weak < 0 ? k : weak;
            continue;
        }
        for (int i = k + 1; i < n; i++) {
            double f = A[i * n + k] /= A[k * n + k];

            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
        }
    }
    return weak;
}

void lk_lu_solve(int n, const double *A, struct lk_lu_scale scale, double *b)
{
    for (int k = 0; k < n; k++)
        b[k] *= scale.rows[k];
    for (int k = 0; k < n; k++) {
        double x = b[scale.pivot[k]];

        b[scale.pivot[k]] = b[k];
        b[k] = x;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            b[i] -= A[i * n + k] * b[k];
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= A[i * n + k] * b[k];
        b[i] /= A[i * n + i];
    }
    for (int k = 0; k < n; k++)
        b[k] *= scale.columns[k];
}
