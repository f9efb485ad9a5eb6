/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/relative/pseudo_inverse.h"
#include <math.h>

#define FLOOR 1e-13 /* pivots below this fraction of the scale of a row are round-off */

void lk_pseudo_inverse_init(struct lk_pseudo_inverse *f, int n, int may_be_singular,
                            double *numbers, int *counts)
{
    *f = (struct lk_pseudo_inverse){
        .n = n,
        .may_be_singular = may_be_singular,
        .order = counts,
        .place = counts + n,
        .L = numbers,
        .null = numbers + n * n,
        .rest = numbers + 2 * n * n,
        .inverse = numbers + 3 * n * n,
        .scale = numbers + 3 * n * n + n,
        .work = numbers + 3 * n * n + 2 * n,
    };
}

static int largest_left(const struct lk_pseudo_inverse *f)
{
    int best = -1;

    for (int i = 0; i < f->n; i++)
        if (f->place[i] < 0 && (best < 0 || f->rest[i * f->n + i] > f->rest[best * f->n + best]))
            best = i;
    return best;
}

/* Compute column @k of L with row @p as pivot, and update the remaining matrix. @inverse is the
 * inverse of the diagonal of L, or 0 for a dropped row. */
static void eliminate_column(struct lk_pseudo_inverse *f, int k, int p, double inverse)
{
    int n = f->n;

    f->order[k] = p;
    f->place[p] = k;
    f->inverse[k] = inverse;
    f->L[p * n + k] = f->rest[p * n + p] * inverse;
    for (int i = 0; i < n; i++)
        if (f->place[i] < 0)
            f->L[i * n + k] = f->rest[i * n + p] * inverse;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (f->place[i] < 0 && f->place[j] < 0)
                f->rest[i * n + j] -= f->L[i * n + k] * f->L[j * n + k];
}

/* Compute orthonormal null vectors in the order of pivots. Before orthogonalisation, each has 1 at
 * a dropped row and the corresponding values at the kept rows. */
static void find_null(struct lk_pseudo_inverse *f)
{
    int n = f->n;

    for (int k = 0; k < n; k++) {
        double *v = f->null + k * n, dropped = f->inverse[k] > 0 ? 0 : 1, square = 0;

        for (int m = n - 1; m >= 0; m--) {
            double sum = 0;

            for (int l = m + 1; l < n; l++)
                sum += f->L[f->order[l] * n + m] * v[l];
            v[m] = m == k ? dropped : -sum * f->inverse[m];
        }
        for (int round = 0; round < 2; round++)
            for (int l = 0; l < k; l++) {
                double along = 0;

                for (int m = 0; m < n; m++)
                    along += f->null[l * n + m] * v[m];
                for (int m = 0; m < n; m++)
                    v[m] -= along * f->null[l * n + m];
            }
        for (int m = 0; m < n; m++)
            square += v[m] * v[m];
        for (int m = 0; m < n; m++)
            v[m] *= dropped / sqrt(fmax(square, 1e-30));
    }
}

int lk_pseudo_inverse_factor(struct lk_pseudo_inverse *f, const double *K, int stride,
                             const double *diagonal)
{
    int n = f->n;
    double cut = 0;

    for (int i = 0; i < n; i++) {
        f->scale[i] = 1 / sqrt(diagonal[i]);
        f->place[i] = -1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            f->rest[i * n + j] = K[i * stride + j] * f->scale[i] * f->scale[j];
            f->L[i * n + j] = 0;
        }
    for (int k = 0; k < n; k++) {
        int p = largest_left(f);
        double pivot = f->rest[p * n + p];

        if (k == 0 && f->may_be_singular)
            cut = fmax(LK_PSEUDO_INVERSE_CUT * pivot, FLOOR);
        if (!f->may_be_singular && !(pivot > 0))
            return LK_E_SINGULAR;
        eliminate_column(f, k, p, pivot > cut ? 1 / sqrt(pivot) : 0);
    }
    if (f->may_be_singular)
        find_null(f);
    return 0;
}

/* Project @x onto the range of K. @x is in the order of pivots. */
static void leave_null(const struct lk_pseudo_inverse *f, double *x)
{
    int n = f->n;

    for (int k = 0; k < n && f->may_be_singular; k++) {
        const double *v = f->null + k * n;
        double along = 0;

        for (int m = 0; m < n; m++)
            along += v[m] * x[m];
        for (int m = 0; m < n; m++)
            x[m] -= along * v[m];
    }
}

void lk_pseudo_inverse_solve(const struct lk_pseudo_inverse *f, double *x, int step)
{
    int n = f->n;
    double *y = f->work;

    for (int k = 0; k < n; k++)
        y[k] = x[f->order[k] * step] * f->scale[f->order[k]];
    leave_null(f, y);
    for (int k = 0; k < n; k++) {
        const double *row = f->L + f->order[k] * n;

        for (int m = 0; m < k; m++)
            y[k] -= row[m] * y[m];
        y[k] *= f->inverse[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int m = k + 1; m < n; m++)
            y[k] -= f->L[f->order[m] * n + k] * y[m];
        y[k] *= f->inverse[k];
    }
    leave_null(f, y);
    for (int k = 0; k < n; k++)
        x[f->order[k] * step] = y[k] * f->scale[f->order[k]];
}
