/* SPDX-License-Identifier: Apache-2.0 */
/* Dense kernels of one front. Its matrix has @n columns of @height vectors, four rows each; rows
 * beyond n are padding. The first @e rows and columns are eliminated. fronts.c instantiates the
 * kernels with constants for the sizes that chains and loops of the shipped joints need, so that
 * loops unroll, and once for any size.
 *
 * With F = [A11 . ; A21 A22], A11 = L D L^T and U = A21 A11^-1, the factor is
 *
 *   columns:  [L^-1 - I; -U], one vector after another down a column, zero where L^-1 is
 *   across:   the same transposed, ceil(e / 4) vectors for each of the n rows
 *   pivots:   D^-1, padded by 1
 *
 * and the Schur complement A22 - U A12 in the lower triangle behind the columns. A solve then only
 * adds multiples of whole vectors, and what the parent waits for is one such product away. D stays
 * apart: redundant rows make it as small as the regularisation, and A11^-1 itself would spread
 * their round-off over all rows. */
#ifndef LK_SOLVE_KERNELS_H
#define LK_SOLVE_KERNELS_H

#include "maths/hot.h"
#include <stdbool.h>

/** lk_vectors() - vectors of four that hold @n values. */
LK_INLINE int lk_vectors(int n)
{
    return (n + 3) / 4;
}

LK_INLINE double lk_entry(const lk_four *F, int height, int row, int column)
{
    return F[column * height + row / 4][row % 4];
}

/* L D L^T of the first e columns, which keep L D, and the Schur complement in the rest. Where n and
 * e are no constants, vectors above the diagonal are computed, too: that takes less than to tell.
 */
LK_INLINE void lk_kernel_eliminate(lk_four *F, int height, int n, int e, bool is_constant,
                                   double *pivot)
{
#pragma GCC unroll 16
    for (int k = 0; k < e; k++) {
        const lk_four *column = F + k * height;

        pivot[k] = 1 / lk_entry(F, height, k, k);
#pragma GCC unroll 16
        for (int j = k + 1; j < n; j++) {
            double l = lk_entry(F, height, j, k) * pivot[k];

#pragma GCC unroll 4
            for (int v = is_constant ? j / 4 : 0; v < height; v++)
                F[j * height + v] -= column[v] * l;
        }
    }
}

/* X = [L^-1 - I; -U] column by column, the last one first: X_k = -(L_k + sum_j X_j L_jk).
 * @l: scratch of e */
LK_INLINE void lk_kernel_invert(lk_four *F, int height, int e, bool is_constant,
                                const double *pivot, double *l)
{
    static const lk_four_mask below[] = {{0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}, {0}};

#pragma GCC unroll 16
    for (int k = e - 1; k >= 0; k--) {
        lk_four *column = F + k * height;

#pragma GCC unroll 16
        for (int j = k + 1; j < e; j++)
            l[j] = lk_entry(F, height, j, k) * pivot[k];
#pragma GCC unroll 4
        for (int v = 0; v < k / 4; v++)
            column[v] = (lk_four){0};
#pragma GCC unroll 4
        for (int v = k / 4; v < height; v++)
            column[v] *= -pivot[k];
        column[k / 4] = (lk_four)((lk_four_mask)column[k / 4] & below[k % 4]);
#pragma GCC unroll 16
        for (int j = k + 1; j < e; j++)
#pragma GCC unroll 4
            for (int v = is_constant ? j / 4 : 0; v < height; v++)
                column[v] -= F[j * height + v] * l[j];
    }
}

/* @across: its zeros, and its padding, stay as they are */
LK_INLINE void lk_kernel_transpose(const lk_four *F, int height, int n, int e, double *across)
{
    int width = 4 * lk_vectors(e);

#pragma GCC unroll 16
    for (int k = 0; k < e; k++)
#pragma GCC unroll 16
        for (int r = k + 1; r < n; r++)
            across[r * width + k] = lk_entry(F, height, r, k);
}

/** enum lk_filled - where a matrix is not zero: below its diagonal, above it, everywhere. */
enum lk_filled { LK_BELOW, LK_ABOVE, LK_FILLED };

/* y += sum of @n columns of @height vectors, times t, @count vectors from @first on */
LK_INLINE void add_stripe(const lk_four *columns, int height, int first, int count, int n,
                          const double *t, enum lk_filled filled, lk_four *y)
{
    lk_four sum[4];

    for (int v = 0; v < count; v++)
        sum[v] = y[first + v];
#pragma GCC unroll 16
    for (int k = 0; k < n; k++)
#pragma GCC unroll 4
        for (int v = 0; v < count; v++) {
            int row = 4 * (first + v);

            if (filled == LK_FILLED || (filled == LK_BELOW ? row + 3 > k : row < k))
                sum[v] += columns[k * height + first + v] * t[k];
        }
    for (int v = 0; v < count; v++)
        y[first + v] = sum[v];
}

/** lk_kernel_add_columns() - y += M t, M of @n columns of @height vectors. @filled: zeros are left
 * out where the sizes are constants. RT: yes. */
LK_INLINE void lk_kernel_add_columns(const lk_four *columns, int height, int n, const double *t,
                                     enum lk_filled filled, lk_four *y)
{
    int v = 0;

    for (; v + 4 <= height; v += 4)
        add_stripe(columns, height, v, 4, n, t, filled, y);
    switch (height - v) {
    case 3:
        add_stripe(columns, height, v, 3, n, t, filled, y);
        break;
    case 2:
        add_stripe(columns, height, v, 2, n, t, filled, y);
        break;
    case 1:
        add_stripe(columns, height, v, 1, n, t, filled, y);
        break;
    default:
        break;
    }
}

#endif
