/* SPDX-License-Identifier: Apache-2.0 */
/* Solves small symmetric equations K x = b, K positive semidefinite, by Cholesky with the largest
 * pivot first.
 *
 * If K may be singular (a loop with redundant rows, a singular pose), pivots below
 * LK_PSEUDO_INVERSE_CUT of the first count as zero, and the solution is that of the
 * pseudo-inverse: with N an orthonormal basis of the null space and G any inverse on the range,
 * K^+ = (I - N N^T) G (I - N N^T). Each row is scaled first, so least norm and least squares
 * refer to the scaled rows. The work is the same at every call, for any rank. */
#ifndef LK_METHODS_RELATIVE_PSEUDO_INVERSE_H
#define LK_METHODS_RELATIVE_PSEUDO_INVERSE_H

#include "linkage/error.h"

#define LK_PSEUDO_INVERSE_CUT 1e-7

/** struct lk_pseudo_inverse - factor of n rows. @order: rows in the order of their pivots; @place:
 * position of each row in @order
 * @L: n * n;  @inverse: inverse of the diagonal of L, 0: dropped row;  @scale: scale of each
 *     row;  @null: n vectors, zero for kept rows;  @rest, @work: scratch, n * n and n */
struct lk_pseudo_inverse {
    int n;
    int may_be_singular;
    int *order;
    int *place;
    double *L;
    double *inverse;
    double *scale;
    double *null;
    double *rest;
    double *work;
};

/** lk_pseudo_inverse_doubles(), lk_pseudo_inverse_ints() - count the doubles and ints of a factor
 * of
 * @n rows. */
static inline int lk_pseudo_inverse_doubles(int n)
{
    return 3 * n * n + 3 * n;
}

static inline int lk_pseudo_inverse_ints(int n)
{
    return 2 * n;
}

/** lk_pseudo_inverse_init() - lay out a factor in the caller's memory; @numbers:
 * lk_pseudo_inverse_doubles(n), @counts: lk_pseudo_inverse_ints(n). */
void lk_pseudo_inverse_init(struct lk_pseudo_inverse *f, int n, int may_be_singular,
                            double *numbers, int *counts);

/** lk_pseudo_inverse_factor() - factor @K. @K: symmetric, row-major, @stride;  @diagonal: scale
 * of the diagonal, one number per row, > 0. Return: 0, LK_E_SINGULAR (never if may_be_singular).
 * RT: yes. */
LK_RT int lk_pseudo_inverse_factor(struct lk_pseudo_inverse *f, const double *K, int stride,
                                   const double *diagonal);

/** lk_pseudo_inverse_solve() - solve in place. @x: n values at a distance of @step. RT: yes. */
LK_RT void lk_pseudo_inverse_solve(const struct lk_pseudo_inverse *f, double *x, int step);

#endif
