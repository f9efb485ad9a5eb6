/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of implicit integrators: B y' = g(t, y) with a constant matrix B.
 *
 * For a formulation: B = 1, g = f. For the constrained equations of motion in absolute coordinates:
 * y = (q, v, lambda) or (q, v, lambda, mu):
 *
 *     q' = K(q) (v - W Phi_q^T mu)               mu: with `ggl` only
 *     M v' = Q(t, q, v) - w x J w - Phi_q^T lambda
 *     index-3:  0 = Phi                          M. Arnold, DAE aspects of multibody system
 *     index-2:  0 = dPhi/dt                      dynamics, 2016, eqs. (77), (79),
 *     index-1:  0 = d2Phi/dt2                    (82)
 *     index-2-baumgarte:  0 = dPhi/dt + Phi / h  (87c), h: the step of the problem
 *     ggl:      0 = Phi and 0 = dPhi/dt          and (92), the stabilised index-2 formulation
 *
 * The factor W = M^-1 before the transpose gives mu the same unit for all rows, and makes the
 * correction of v orthogonal in the mass metric. For the exact solution mu is zero. If rows are
 * redundant, only independent rows are used, and the equation of each dependent row is 0 = lambda.
 *
 * A quaternion in y need not have unit length: all terms are evaluated with the quaternion divided
 * by its length. A term in q' brings the length back to one, with |q|' = (1 - |q|^2) |q| / s (s:
 * second). Therefore multistep methods need no normalisation and keep their history. */
#ifndef LK_METHODS_LABORATORY_IMPLICIT_DAE_H
#define LK_METHODS_LABORATORY_IMPLICIT_DAE_H

#include "laboratory/integrator.h"

/** struct lk_dae - equations for an implicit integrator.
 * @n:            size of y
 * @is_identity:  B = 1
 * @is_new:       accept() chose other rows, so that lambda in y and the Jacobian jumped; the
 *                integrator clears this flag
 * @index:        index of each variable. 1: differential, or algebraic in equations of index 1. 2,
 *                3: algebraic of that index; its error is larger by the factor 1 / step or 1 /
 *                step^2
 * @is_algebraic: 1 for variables whose derivative does not occur in B y'
 * @mass:         the matrix B, n x n, column-major
 * @rate:         compute g. Returns 0, LK_E_SINGULAR
 * @jacobian:     compute dg/dy, n x n, column-major, by differences, and exactly for multipliers;
 *                its argument g is g(t, y)
 * @accept:       accept @y as the new state of the mechanics, with @slope = y', and call
 *                problem->accepted(). Changes @y in place: unit quaternions, projections. A
 *                multistep method passes a copy of its state, which it discards
 * @close:        free the dae and its own data; NULL: free() suffices */
struct lk_dae {
    struct lk_problem *problem;
    int n;
    int is_identity;
    int is_new;
    int *index;
    int *is_algebraic;
    double *mass;
    double *work;
    int (*rate)(struct lk_dae *dae, double t, const double *y, double *ret);
    int (*jacobian)(struct lk_dae *dae, double t, const double *y, const double *g, double *ret);
    int (*accept)(struct lk_dae *dae, double t, double *y, const double *slope,
                  struct lk_error *ret_error);
    void (*close)(struct lk_dae *dae);
};

/** lk_dae_variants - the variants of the constrained equations: "ggl", "index-2",
 * "index-2-baumgarte", "index-3", "index-1", NULL. */
extern const char *const lk_dae_variants[];

/** lk_dae_over_equations() - create the dae of the formulation of @problem.
 * @ret_y: the last accepted state, n numbers, which the caller frees
 * Return: 0, -ENOMEM. */
int lk_dae_over_equations(struct lk_problem *problem, struct lk_dae **ret, double **ret_y);

/** lk_dae_over_constraints() - create the dae of the constrained equations of @problem. The variant
 * of the problem selects the index.
 * @integrator:        name of the integrator, for messages
 * @ret_y, @ret_slope: consistent y and y' of the last accepted state, which the caller frees
 * Return: 0, -ENOMEM, LK_E_MODEL: the model is not supported. */
int lk_dae_over_constraints(struct lk_problem *problem, const char *integrator, struct lk_dae **ret,
                            double **ret_y, double **ret_slope, struct lk_error *ret_error);

/** lk_dae_take() - allocate the arrays of a dae of size @n.
 * @has_mass: also allocate B
 * Return: 0, -ENOMEM. */
int lk_dae_take(struct lk_dae *dae, int n, int has_mass);

/** lk_dae_differences() - compute columns @begin to @end - 1 of dg/dy by forward differences of g.
 * Return: 0, LK_E_SINGULAR. */
int lk_dae_differences(struct lk_dae *dae, double t, const double *y, const double *g, int begin,
                       int end, double *ret);

/** lk_dae_mass() - compute @ret = B @x. */
void lk_dae_mass(const struct lk_dae *dae, const double *x, double *ret);

/** lk_dae_weights() - compute the tolerated error of each variable: tolerance (floor + |y|),
 * divided by @step^(index - 1) (E. Hairer, G. Wanner, Solving ordinary differential equations II,
 * 1996, section IV.8).
 * @ret: n */
void lk_dae_weights(const struct lk_dae *dae, double tolerance, double step, const double *y,
                    double *ret);

/** lk_dae_norm() - return the root mean square of @x[i] / @weight[i]. */
double lk_dae_norm(int n, const double *x, const double *weight);

/** lk_dae_free() - free @dae, which may be NULL. */
void lk_dae_free(struct lk_dae *dae);

#endif
