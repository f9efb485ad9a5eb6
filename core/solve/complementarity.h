/* SPDX-License-Identifier: Apache-2.0 */
/* Linear complementarity problem of unilateral contacts: the active contacts and their multipliers.
 */
#ifndef LK_SOLVE_COMPLEMENTARITY_H
#define LK_SOLVE_COMPLEMENTARITY_H

#include "linkage/error.h"

/** lk_complementarity_solve() - find the multipliers x of @n contacts that keep d = b - A x within
 * limits: lower <= d <= upper, x > 0 only where d = upper, x < 0 only where d = lower.
 * @A: n x n, symmetric, positive definite;  @b, @lower, @upper: n; limits may be infinite, lower <=
 * upper;  @x: n, in: a guess, of any signs; out: the solution;  @scratch: n (n + 5)
 *
 * The solution is the minimum of x A x / 2 - b x + sum(max(lower x, upper x)). Projected
 * Gauss-Seidel sweeps estimate which contacts act. Then each pivot removes a contact that would
 * pull, or adds the contact that violates its limit most (C. L. Lawson, R. J. Hanson, Solving
 * Least Squares Problems, 1974, chapter 23). The number of pivots is fixed: n + 8, or 3 n + 2 if n
 * < 3. No pivot increases the minimised function. So the multipliers are dissipative even if the
 * pivots do not reach the minimum. Each pivot is an exchange in the tableau of the active
 * contacts, so that the total is O(n^3). Thread: cycle.  RT: yes, the same work for any active
 * set, no allocation. */
LK_RT void lk_complementarity_solve(int n, const double *A, const double *b, const double *lower,
                                    const double *upper, double *x, double *scratch);

/** lk_complementarity_flops() - return the number of floating point operations of one
 * solution. */
double lk_complementarity_flops(int n);

#endif
