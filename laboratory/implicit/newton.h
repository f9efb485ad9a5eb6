/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of a simplified Newton iteration for B y' = g(t, y): the Jacobian of g, and the
 * factors of one real and one complex matrix s B - dg/dy, where s is a real or complex number. */
#ifndef LK_METHODS_LABORATORY_IMPLICIT_NEWTON_H
#define LK_METHODS_LABORATORY_IMPLICIT_NEWTON_H

#include "laboratory/implicit/dae.h"
#include <complex.h>

/** struct lk_newton - the matrices; all members are private.
 * @jacobian: n x n, column-major */
struct lk_newton {
    int n;
    double *jacobian;
    double *real;
    double complex *twisted;
    double complex *x;
    int *real_pivot;
    int *twisted_pivot;
};

/** lk_newton_take() - allocate matrices of @n x @n.
 * Return: 0, -ENOMEM. Call lk_newton_drop() also after a failure. */
int lk_newton_take(struct lk_newton *newton, int n);
void lk_newton_drop(struct lk_newton *newton);

/** lk_newton_evaluate_jacobian() - evaluate dg/dy at (@t, @y).
 * @g: g(@t, @y)
 * Return: 0, LK_E_SINGULAR. */
int lk_newton_evaluate_jacobian(struct lk_newton *newton, struct lk_dae *dae, double t,
                                const double *y, const double *g);

/** lk_newton_factor() - factor @real B - dg/dy and @twisted B - dg/dy. Return: 0, LK_E_SINGULAR. */
int lk_newton_factor(struct lk_newton *newton, struct lk_dae *dae, double real,
                     double complex twisted);

/** lk_newton_factor_real() - factor @real B - dg/dy only. Return: 0, LK_E_SINGULAR. */
int lk_newton_factor_real(struct lk_newton *newton, struct lk_dae *dae, double real);

/** lk_newton_solve() - solve a system with the real matrix; @x is overwritten by the solution. */
void lk_newton_solve(struct lk_newton *newton, double *x);

/** lk_newton_solve_twisted() - solve a system with the complex matrix; @x + i @y is overwritten
 * by the solution. */
void lk_newton_solve_twisted(struct lk_newton *newton, double *x, double *y);

#endif
