/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense systems of equations of the compiler. Not for the cycle. */
#ifndef LK_COMPILE_DENSE_H
#define LK_COMPILE_DENSE_H

#include <stdbool.h>

/** lk_dense_solve() - solve A x = b by elimination with partial pivoting. The unknown of a column
 * without a pivot is 0.
 * @A: @n x @n matrix; overwritten;  @x: b, overwritten by x
 * Return: 0, -ECANCELED once lk_effort_spend() returns true. */
int lk_dense_solve(int n, double *A, double *x);

/** lk_dense_is_positive() - test whether the symmetric matrix A is positive definite, by a
 * Cholesky factorisation. @A: @n x @n matrix, of which only the lower triangle is read;
 * overwritten. Return: as lk_dense_solve(). */
int lk_dense_is_positive(int n, double *A, bool *ret_is_positive);

#endif
