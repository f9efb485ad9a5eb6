/* SPDX-License-Identifier: Apache-2.0 */
/* Solution of small symmetric equations K x = b, K positive semidefinite, by Cholesky factorisation
 * with the largest pivot first.
 *
 * If K may be singular (a loop with redundant rows, a singular pose), pivots smaller than
 * LK_PSEUDO_INVERSE_CUT times the first pivot count as zero, and the solution is that of the
 * pseudo-inverse: with N an orthonormal basis of the null space and G any inverse on the range, K^+
 * = (I - N N^T) G (I - N N^T). Each row is scaled first, so least norm and least squares refer to
 * the scaled rows. The work does not depend on the rank. */
#ifndef LK_METHODS_RELATIVE_PSEUDO_INVERSE_H
#define LK_METHODS_RELATIVE_PSEUDO_INVERSE_H

#include "linkage/error.h"

#define LK_PSEUDO_INVERSE_CUT 1e-7

/** struct lk_pseudo_inverse - factor of n rows.
 * @order:   rows in the order of their pivots
 * @place:   position of each row in @order
 * @L:       n * n; row i belongs to row i of K
 * @null:    n vectors; zero for kept rows
 * @rest:    scratch, n * n: the matrix that remains to be factored
 * @inverse: inverse of the diagonal of L; 0: dropped row
 * @scale:   scale of each row
 * @work:    scratch, n */
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

/** lk_pseudo_inverse_doubles(), lk_pseudo_inverse_ints() - return the number of doubles and of ints
 * in a factor of @n rows. */
static inline int lk_pseudo_inverse_doubles(int n)
{
    return 3 * n * n + 3 * n;
}

static inline int lk_pseudo_inverse_ints(int n)
{
    return 2 * n;
}

/** lk_pseudo_inverse_init() - lay out a factor in the caller's memory.
 * @numbers: lk_pseudo_inverse_doubles(n) doubles
 * @counts:  lk_pseudo_inverse_ints(n) ints */
void lk_pseudo_inverse_init(struct lk_pseudo_inverse *f, int n, int may_be_singular,
                            double *numbers, int *counts);

/** lk_pseudo_inverse_factor() - factor @K.
 * @K:        symmetric, row-major; rows have a distance of @stride
 * @diagonal: magnitude of the diagonal, by which the rows are scaled; one number > 0 per row
 * Return: 0, LK_E_SINGULAR (never if may_be_singular).
 * RT: yes. */
LK_RT int lk_pseudo_inverse_factor(struct lk_pseudo_inverse *f, const double *K, int stride,
                                   const double *diagonal);

/** lk_pseudo_inverse_solve() - solve in place. @x: n values at a distance of @step. RT: yes. */
LK_RT void lk_pseudo_inverse_solve(const struct lk_pseudo_inverse *f, double *x, int step);

#endif
