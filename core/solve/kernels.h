/* SPDX-License-Identifier: Apache-2.0 */
/* Dense kernels of one front. The matrix of a front has @n columns of @height vectors, four rows
 * each; rows beyond n are padding. The first @e rows and columns are eliminated. fronts.c
 * instantiates the kernels with constants for the sizes that chains and loops of the shipped joints
 * need, so that loops unroll, and once for any size.
 *
 * With F = [A11 . ; A21 A22], A11 = L D L^T and U = A21 A11^-1, the factor is
 *
 *   columns:  [L^-1 - I; -U], one vector after another down a column, zero where L^-1 is
 *   across:   the same transposed, ceil(e / 4) vectors for each of the n rows
 *   pivots:   D^-1, padded by 1
 *
 * and the Schur complement A22 - U A12 in the lower triangle after the columns. A solve then only
 * adds multiples of whole vectors, and the right-hand side of the parent needs one such product
 * only. D is stored separately: redundant rows make D as small as the regularisation, and A11^-1
 * itself would spread their round-off over all rows. */
#ifndef LK_SOLVE_KERNELS_H
#define LK_SOLVE_KERNELS_H

#include "maths/vec.h"
#include <stdbool.h>

/** lk_vectors() - return the number of vectors of four doubles that hold @n values. */
LK_INLINE int lk_vectors(int n)
{
    return (n + 3) / 4;
}

LK_INLINE double lk_entry(const lk_four *F, int height, int row, int column)
{
    return F[column * height + row / 4][row % 4];
}

/* Return the first nonzero vector of column @j; 0 for columns of up to four vectors, because
 * computing all vectors costs less than the test. */
LK_INLINE int lk_first_vector(int j, int height, bool is_fixed)
{
    return is_fixed || height > 4 ? j / 4 : 0;
}

#define LK_PANEL 16 /* number of columns that are eliminated before later columns are updated */

/** enum lk_filled - nonzero part of a matrix: below its diagonal, above it, everywhere. */
enum lk_filled { LK_BELOW, LK_ABOVE, LK_FILLED };

#define LK_NAME(f)  lk_fixed_##f
#define LK_IS_FIXED 1
#define LK_UNROLL   _Pragma("GCC unroll 16")
#include "solve/kernels_inl.h"
#undef LK_NAME
#undef LK_IS_FIXED
#undef LK_UNROLL
#define LK_NAME(f)  lk_any_##f
#define LK_IS_FIXED 0
#define LK_UNROLL
#include "solve/kernels_inl.h"
#undef LK_NAME
#undef LK_IS_FIXED
#undef LK_UNROLL

/** lk_kernel_add_columns() - compute y += M t, where M has @n columns of @height vectors.
 * @filled: nonzero part of M; zeros are skipped if the sizes are constants (@is_fixed). RT: yes. */
LK_INLINE void lk_kernel_add_columns(bool is_fixed, const lk_four *columns, int height, int n,
                                     const double *t, enum lk_filled filled, lk_four *y)
{
    if (is_fixed)
        lk_fixed_add_columns(columns, height, 0, n, t, 1, filled, y);
    else
        lk_any_add_columns(columns, height, 0, n, t, 1, filled, y);
}

#endif
