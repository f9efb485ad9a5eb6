/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of lk_dae_over_constraints(): the constrained equations of motion in absolute
 * coordinates as B y' = g(t, y), see dae.h for the equations. constraints.c computes g and its
 * Jacobian. constraints_state.c contains accepted states and the start. */
#ifndef LK_METHODS_LABORATORY_IMPLICIT_CONSTRAINTS_H
#define LK_METHODS_LABORATORY_IMPLICIT_CONSTRAINTS_H

#include "laboratory/implicit/dae.h"
#include "laboratory/independent_rows.h"

/** enum lk_dae_level - index of the constrained equations, in the order of lk_dae_variants. */
enum lk_dae_level {
    LK_DAE_GGL,
    LK_DAE_INDEX_2,
    LK_DAE_INDEX_2_BAUMGARTE,
    LK_DAE_INDEX_3,
    LK_DAE_INDEX_1
};

/** struct lk_dae_motion - the constrained equations of a problem.
 * @nq, @nv, @nr: numbers of positions, velocities, rows
 * @is_kept:      for each row, whether it is one of the independent rows
 * @decay:        alpha_0 of index-2-baumgarte [1/s], else 0
 * @W:            inverse mass and inertia of the bodies; for a body without mass or inertia, the
 *                largest value of the other bodies
 * @G:            Phi_q, nr x nv, row-major
 * @force, @pull: nv numbers: Q - w x J w, and Phi_q^T lambda
 * @u:            scratch, nv numbers: velocities v - W Phi_q^T mu, and other vectors
 * @lambda:       multipliers of an accepted state, and scratch
 * @row_weight:   square root of the diagonal of Phi_q W Phi_q^T, nr numbers */
struct lk_dae_motion {
    struct lk_dae dae;
    enum lk_dae_level level;
    int nq;
    int nv;
    int nr;
    struct lk_independent_rows *rows;
    int *is_kept;
    double decay;
    struct lk_inverse_mass *W;
    double *G;
    double *force;
    double *pull;
    double *u;
    double *lambda;
    double *row_weight;
};

/** lk_dae_motion_mechanics() - return the mechanics of the problem of @dae. */
struct lk_mechanics *lk_dae_motion_mechanics(const struct lk_dae_motion *c);

/** lk_dae_motion_evaluate() - evaluate the mechanics and G at (@t, @y). */
void lk_dae_motion_evaluate(struct lk_dae_motion *c, double t, const double *y);

/** lk_dae_motion_forces() - compute Q - w x J w of all bodies at the evaluated @y, in the axes of
 * v.
 * @ret: nv */
void lk_dae_motion_forces(struct lk_dae_motion *c, const double *y, double *ret);

/** lk_dae_motion_add_turn() - add the term roll' e_x x w to @ret, times M if @has_mass. With
 * LK_ORIENTATION_RESAL the axes of v do not roll with the body. This relative rotation changes the
 * components of w. With other orientations the term is zero.
 * @q_rate: q' */
void lk_dae_motion_add_turn(const struct lk_dae_motion *c, const double *q_rate, const double *v,
                            int has_mass, double *ret);

/** lk_dae_motion_weigh() - compute @ret = W @x of all bodies; @ret may be @x. */
void lk_dae_motion_weigh(const struct lk_dae_motion *c, const double *x, double *ret);

/** lk_dae_motion_position_rates() - compute K(@q) @u, plus a term that brings quaternions back to
 * unit length.
 * Return: 0, LK_E_SINGULAR. */
int lk_dae_motion_position_rates(const struct lk_dae_motion *c, const double *q, const double *u,
                                 double *ret);

/** lk_dae_motion_rate(), lk_dae_motion_jacobian() - compute g, and dg/dy; the functions rate and
 * jacobian of struct lk_dae. */
int lk_dae_motion_rate(struct lk_dae *dae, double t, const double *y, double *ret);
int lk_dae_motion_jacobian(struct lk_dae *dae, double t, const double *y, const double *g,
                           double *ret);

#endif
