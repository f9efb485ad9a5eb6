/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts that push only: which of them act, and how much. */
#ifndef LK_SOLVE_COMPLEMENTARITY_H
#define LK_SOLVE_COMPLEMENTARITY_H

#include "linkage/error.h"

/** lk_complementarity_solve() - multipliers x of @n contacts that keep d = b - A x within limits:
 * lower <= d <= upper, x > 0 only where d = upper, x < 0 only where d = lower.
 * @A: n x n, symmetric, positive definite;  @b, @lower, @upper: n; limits may be infinite, lower <=
 * upper;  @x: n, in: a guess whose signs need not fit, out;  @scratch: n (n + 5)
 *
 * It is the minimum of x A x / 2 - b x + sum(max(lower x, upper x)). Projected Gauss-Seidel sweeps
 * guess which contacts act; then, one a pivot, a contact that would pull is dropped, or the one
 * that violates its limit most is added (C. L. Lawson, R. J. Hanson, Solving Least Squares
 * Problems, 1974, chapter 23). The number of pivots is fixed, n + 8; none makes the sum larger: if
 * they do not suffice, every push is still one that takes energy. Each is an exchange in the
 * tableau of the contacts that act, so the whole is O(n^3). Thread: cycle.  RT: yes, the same work
 * whatever acts, no allocation. */
LK_RT void lk_complementarity_solve(int n, const double *A, const double *b, const double *lower,
                                    const double *upper, double *x, double *scratch);

/** lk_complementarity_flops() - floating point operations of one solution. */
double lk_complementarity_flops(int n);

#endif
