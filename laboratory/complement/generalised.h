/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of motion in generalised coordinates q, as in the paper:
 *
 *     M q'' + Phi_q^T lambda = Q        Phi_q q'' = Gamma        v = L(q) q'
 *
 * M. Pekal, J. Fraczek, Comparison of natural complement formulations for multibody dynamics, 2016,
 * equations 2.1 and 2.4. The laboratory uses velocities v, six per body. With three angles or four
 * Euler parameters, v = L q', so that q'' differs from v'. Therefore M, Phi_q and Q are transformed
 * from v to q' here. Euler parameters add a row for their length, p^T p'' = -p'^T p', after the
 * rows of the joints, and have a singular mass matrix 4 G^T J G. With LK_ORIENTATION_LIE there is
 * no such q: L = 1, and v' replaces q''. */
#ifndef LK_METHODS_LABORATORY_COMPLEMENT_GENERALISED_H
#define LK_METHODS_LABORATORY_COMPLEMENT_GENERALISED_H

#include "methods/mechanics/equations.h"

/** struct lk_generalised_body - matrices of one body, with n = 3 or 4 coordinates of its
 * orientation r.
 * @mass:    [kg]
 * @L:       w = L r', 3 x n row-major
 * @bias:    L' r' [rad/s^2]
 * @inertia: L^T J L, n x n */
struct lk_generalised_body {
    double mass;
    double L[12];
    double bias[3];
    double inertia[16];
};

/** struct lk_generalised - matrices of the last evaluation.
 * @width:    number of coordinates per body, 6 or 7
 * @n:        number of coordinates of all bodies
 * @m:        number of rows, including the rows for the lengths of Euler parameters
 * @jacobian: Phi_q, m x n row-major, which is the same as Phi_q^T column-major, n x m
 * @gamma:    Gamma, m numbers
 * @force:    Q, n numbers
 * @plain:    Phi_q for the velocities v
 * @forces:   forces as lk_mechanics_forces() computes them */
struct lk_generalised {
    struct lk_mechanics *mechanics;
    enum lk_orientation orientation;
    int width;
    int n;
    int m;
    struct lk_generalised_body *body;
    double *jacobian;
    double *gamma;
    double *force;
    double *plain;
    struct lk_twist *forces;
};

/** lk_generalised_init() - allocate memory for the bodies of @mechanics. Return: 0, -ENOMEM.
 * Release with lk_generalised_fini(). */
int lk_generalised_init(struct lk_generalised *g, struct lk_mechanics *mechanics,
                        enum lk_orientation orientation);
void lk_generalised_fini(struct lk_generalised *g);

/** lk_generalised_evaluate() - compute all matrices at the last evaluation of the mechanics.
 * @q, @v:     absolute coordinates and velocities at that evaluation, see laboratory/coordinates.h
 * @baumgarte: alpha and beta [1/s]; Gamma then includes -2 alpha Phi' - beta^2 Phi. NULL: no such
 *             terms
 * Return: 0, LK_E_SINGULAR (singular angles). */
int lk_generalised_evaluate(struct lk_generalised *g, const double *q, const double *v,
                            const double *baumgarte);

/** lk_generalised_mass() - compute @ret = M @X, both n x @n_columns, column-major. */
void lk_generalised_mass(const struct lk_generalised *g, int n_columns, const double *X,
                         double *ret);

/** lk_generalised_divide() - compute @X = M^-1 @X. Return: 0, LK_E_SINGULAR (M is singular). */
int lk_generalised_divide(const struct lk_generalised *g, int n_columns, double *X);

/** lk_generalised_accelerations() - compute v' = L q'' + L' q'.
 * @ret: v', six numbers per body */
void lk_generalised_accelerations(const struct lk_generalised *g, const double *q2, double *ret);

#endif
