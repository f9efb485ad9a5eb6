/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of independent rows or coordinates of Phi_q. The paper eliminates with partial pivoting.
 * Complete pivoting leads to an equivalent choice, and its pivots measure the quality of the
 * choice. */
#include "laboratory/complement/complement.h"

#include <math.h>
#include <string.h>

/* Rows are chosen again if the margin is below this fraction of the margin at the last choice. */
#define WORSE 1e-2

static void swap(double *a, double *b)
{
    double old = *a;

    *a = *b;
    *b = old;
}

/* Move the largest remaining value of @A, n x m column-major, to the diagonal position @k. @row and
 * @column receive the permutation.
 * Return: the magnitude of this value. */
static double bring_pivot(double *A, int n, int m, int k, int *row, int *column)
{
    int at_row = k, at_column = k, old;
    size_t rows = (size_t)n;

    for (int j = k; j < m; j++)
        for (int i = k; i < n; i++)
            if (fabs(A[(size_t)j * rows + (size_t)i]) >
                fabs(A[(size_t)at_column * rows + (size_t)at_row]))
                at_row = i, at_column = j;
    for (int i = 0; i < n; i++)
        swap(&A[(size_t)k * rows + (size_t)i], &A[(size_t)at_column * rows + (size_t)i]);
    for (int j = 0; j < m; j++)
        swap(&A[(size_t)j * rows + (size_t)k], &A[(size_t)j * rows + (size_t)at_row]);
    old = row[k], row[k] = row[at_row], row[at_row] = old;
    old = column[k], column[k] = column[at_column], column[at_column] = old;
    return fabs(A[(size_t)k * rows + (size_t)k]);
}

static void eliminate_column(double *A, int n, int m, int k)
{
    const double *pivot = &A[(size_t)k * (size_t)n];

    for (int j = k + 1; j < m; j++) {
        double *column = &A[(size_t)j * (size_t)n], factor = column[k] / pivot[k];

        for (int i = k; i < n && factor != 0; i++)
            column[i] -= factor * pivot[i];
    }
}

int lk_complement_choose(struct lk_complement *c, int columns)
{
    int n = c->g.n, m = c->g.m;
    int *of_columns = c->pivot, *of_rows = c->pivot + n;

    memcpy(c->A, c->g.jacobian, (size_t)n * (size_t)m * sizeof(double));
    for (int i = 0; i < n; i++)
        of_columns[i] = i;
    for (int i = 0; i < m; i++)
        of_rows[i] = i;
    /* A contains Phi_q^T, so its rows are columns of Phi_q */
    for (int k = 0; k < c->r; k++) {
        if (!(bring_pivot(c->A, n, m, k, of_columns, of_rows) > 0))
            return LK_E_SINGULAR;
        eliminate_column(c->A, n, m, k);
    }
    memcpy(c->choice, columns ? of_columns : of_rows, (size_t)(columns ? n : m) * sizeof(int));
    c->margin = 0; /* the next factorisation sets it */
    c->n_choices++;
    return 0;
}

int lk_complement_keep(struct lk_complement *c, double margin)
{
    if (c->margin == 0)
        c->margin = margin;
    return margin > WORSE * c->margin;
}

double lk_complement_margin(const double *R, int rows, int n)
{
    double least = n > 0 ? fabs(R[0]) : 1, most = least;

    for (int i = 1; i < n; i++) {
        double value = fabs(R[(size_t)i * (size_t)rows + (size_t)i]);

        least = fmin(least, value);
        most = fmax(most, value);
    }
    return most > 0 ? least / most : 0;
}
