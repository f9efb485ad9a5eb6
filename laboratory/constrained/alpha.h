/* SPDX-License-Identifier: Apache-2.0 */
/* Alpha methods for the constrained equations in Lie group form. alpha.c makes the steps,
 * alpha_newton.c solves their equations.
 *
 *     q_n+1 = q_n o exp(h D_n),  D_n = v_n [- W G_n^T mu_n] + h (1/2 - beta) a_n + h beta a_n+1
 *     v_n+1 = v_n + h (1 - gamma) a_n + h gamma a_n+1
 *     (1 - alpha_m) a_n+1 + alpha_m a_n = (1 - alpha_f) v'_n+1 + alpha_f v'_n
 *     M v'_n+1 = Q - w x J w - G^T lambda_n+1
 *
 * with Phi = 0 (index-3), Phi' = 0 (index-2) or both (ggl, with mu) at t_n+1. M. Arnold, DAE
 * aspects of multibody system dynamics, 2016, eqs. (64), (67), (93), (94). The factor W = M^-1
 * before G^T mu is not in the paper; it gives mu the same unit for rows of lengths and of
 * angles. */
#ifndef LK_METHODS_LABORATORY_CONSTRAINED_ALPHA_H
#define LK_METHODS_LABORATORY_CONSTRAINED_ALPHA_H

#include "laboratory/constrained/state.h"

enum lk_alpha_form { LK_ALPHA_GGL, LK_ALPHA_INDEX_3, LK_ALPHA_INDEX_2 };

/** struct lk_alpha - a run of an alpha method.
 * @decay:      alpha_0 of index-2-baumgarte, eq. (87c) [1/s]
 * @has_decay:  the variant uses @decay
 * @a:          the acceleration-like vector of the method; v' is in @state
 * @rank:       number of rows of @B
 * @n_unknown:  n + rank, or n + 2 rank with ggl
 * @D, @s, @mu: unknowns of a step: scaled increment without the mu part [m/s, rad/s], h times
 *              reduced multipliers, reduced mu
 * @q, @v, @vdot, @a_next, @lambda: state at @t_next that the unknowns determine
 * @B:          basis of the rows, at the pose of the last matrix
 * @WG:         W G_n^T B^T of this step, stored as rank x n
 * @has_matrix: @LU is valid, for steps of length @matrix_h
 * @LU, @swaps: the factored matrix */
struct lk_alpha {
    struct lk_constrained state;
    enum lk_alpha_form form;
    int has_modified_start;
    int has_decay;
    double alpha_m;
    double alpha_f;
    double beta;
    double gamma;
    double decay;
    double *a;
    int is_started;

    double h;
    double t_next;
    int rank;
    int n_unknown;
    double *D;
    double *s;
    double *mu;
    double *q;
    double *v;
    double *vdot;
    double *a_next;
    double *lambda;
    double *B;
    double *WG;

    int has_matrix;
    double matrix_h;
    double *LU;
    int *swaps;
    double *residual;
    double *probe;
    double *raw;
};

/** lk_alpha_take_memory() - allocate the arrays of @alpha, except @a and the state.
 * Return: 0, -ENOMEM. */
int lk_alpha_take_memory(struct lk_alpha *alpha);

/** lk_alpha_place() - compute q, v, vdot, a_next from the unknowns, eqs. (68), (94), and evaluate
 * the mechanics at this state.
 * Return: 0, LK_E_SINGULAR.
 * lk_alpha_spread() - compute lambda = B^T s / h. */
int lk_alpha_place(struct lk_alpha *alpha);
void lk_alpha_spread(struct lk_alpha *alpha);

/** lk_alpha_evaluate() - evaluate the equations without h M v'. Call after lk_alpha_place() and
 * lk_alpha_spread().
 * @ret: n_unknown
 * lk_alpha_residual() - write all terms of the equations to alpha->residual. */
void lk_alpha_evaluate(struct lk_alpha *alpha, double *ret);
void lk_alpha_residual(struct lk_alpha *alpha);

/** lk_alpha_raw_rows() - write the rows before multiplication by B to alpha->raw: Phi / h, or Phi'
 * + decay Phi. With ggl, Phi' follows Phi / h. */
void lk_alpha_raw_rows(struct lk_alpha *alpha);

/** lk_alpha_add_reactions() - add @factor Phi_q^T @lambda at the last evaluation to @ret. */
void lk_alpha_add_reactions(const struct lk_mechanics *mechanics, const double *lambda,
                            double factor, double *ret);

/** lk_alpha_largest() - return max |x|, or NaN if a component is NaN. */
double lk_alpha_largest(const double *x, int n);

/** lk_alpha_solve() - solve the equations of a step of length h from the state to t_next. Writes q,
 * v, vdot, a_next and lambda.
 * Return: 0, LK_E_STALLED, LK_E_NOT_FINITE, LK_E_SINGULAR. */
int lk_alpha_solve(struct lk_alpha *alpha);

#endif
