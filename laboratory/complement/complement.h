/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `complement`: a basis P of the null space of the rows, Phi_q P = 0, eliminates the
 * multipliers.
 *
 *     P^T M P v'' = P^T (Q - M S Gamma)      q'' = S Gamma + P v''      [S P] = [Phi_q; P^T]^+
 *
 * M. Pekal, J. Fraczek, Comparison of natural complement formulations for multibody dynamics,
 * Journal of Theoretical and Applied Mechanics 54 (2016), equations 3.1 to 3.8. The basis and S
 * Gamma are computed again at each state, so no derivative of the basis is needed. All coordinates
 * are integrated.
 *
 * A method is a function that computes P, or the accelerations themselves, and a line in methods.c.
 * Each file contains a family of methods. Matrices are column-major, as in LAPACK: Phi_q^T is n x
 * m.
 *
 * The rank r is determined at the start and remains constant. If drift makes dependent rows appear
 * independent, or if a pose is nearly singular, P consists of the n - r directions with the
 * smallest singular values. In a singular pose there is no solution: LK_E_SINGULAR. */
#ifndef LK_METHODS_LABORATORY_COMPLEMENT_COMPLEMENT_H
#define LK_METHODS_LABORATORY_COMPLEMENT_COMPLEMENT_H

#include "laboratory/complement/generalised.h"

/* reciprocal condition number below which a solution has no correct digits */
#define LK_COMPLEMENT_SINGULAR 1e-13

struct lk_complement;

/** struct lk_complement_method - a method of the formulation. Its functions return 0,
 * LK_E_SINGULAR, or LK_E_NOT_FINITE.
 * @name:            text after the colon
 * @basis:           compute c->P from the matrices in c->g; NULL: the method has no basis
 * @accelerations:   compute c->q2, from c->P or otherwise
 * @divides_by_mass: the method needs the inverse of M. It does not support bodies without mass, nor
 *                   Euler parameters, whose M is singular (Pekal, Fraczek 2016, end of section
 *                   3.3.2) */
struct lk_complement_method {
    const char *name;
    int (*basis)(struct lk_complement *c);
    int (*accelerations)(struct lk_complement *c);
    int divides_by_mass;
};

/** lk_complement_methods - list of methods; the last entry has no name. lk_complement_variants -
 * names of the methods. In methods.c. */
extern const struct lk_complement_method lk_complement_methods[];
extern const char *const lk_complement_variants[];

/** struct lk_complement - working state of the formulation.
 * @n_positions: size of q in y
 * @r:           rank of Phi_q
 * @s:           n - r, degrees of freedom
 * @P:           basis, n x s
 * @q2:          q'', n numbers
 * @a:           v', 6 numbers per body
 * @choice:      rows or columns in the order of the method; the first r are independent
 * @margin:      ratio of smallest to largest pivot when @choice was made
 * @n_choices:   number of choices so far
 * @A, @B, @C:   scratch, (n + m)^2 numbers each
 * @u, @v, @tau, @pivot: scratch, n + m numbers each */
struct lk_complement {
    const struct lk_complement_method *method;
    struct lk_generalised g;
    enum lk_orientation orientation;
    enum lk_stabilisation stabilisation;
    double baumgarte[2];
    int n_positions;
    int r;
    int s;
    double *P;
    double *q2;
    double *a;
    int *choice;
    double margin;
    unsigned long n_choices;
    double *A;
    double *B;
    double *C;
    double *D;
    double *u;
    double *v;
    double *tau;
    int *pivot;
};

/** lk_complement_status() - translate the result @info of a LAPACK routine.
 * Return: 0, LK_E_SINGULAR; LK_E_NOT_FINITE if @info is negative, because LAPACKE then found a
 * NaN. */
int lk_complement_status(int info);

/* ---- project.c ---- */

/** lk_complement_project() - compute c->q2 for a method that computes a basis. */
int lk_complement_project(struct lk_complement *c);

/** lk_complement_reduce() - solve P^T M P v'' = P^T (Q - M a), then compute q'' = a + P v''. On
 * entry c->q2 contains a, which must satisfy Phi_q a = Gamma; on return it contains q''. */
int lk_complement_reduce(struct lk_complement *c);

/** lk_complement_last_columns() - set P to the last s columns of Q. A (n rows) and tau must contain
 * Q as r Householder reflections. */
int lk_complement_last_columns(struct lk_complement *c);

/* ---- choose.c ---- */

/** lk_complement_choose() - choose the r most independent rows (@columns 0) or columns (@columns 1)
 * of Phi_q by Gaussian elimination with complete pivoting, and put them first in c->choice.
 * Overwrites A.
 * Return: 0, LK_E_SINGULAR: fewer than r are independent. */
int lk_complement_choose(struct lk_complement *c, int columns);

/** lk_complement_keep() - check whether the choice is still good.
 * @margin: ratio of smallest to largest pivot of the current factor
 * Return: 1: keep the choice; 0: choose again. */
int lk_complement_keep(struct lk_complement *c, double margin);

/** lk_complement_margin() - return the ratio of the smallest to the largest |R_ii| of the first @n
 * columns of @R.
 * @rows: number of rows of @R */
double lk_complement_margin(const double *R, int rows, int n);

/* ---- newton.c ---- */

/** lk_complement_newton() - project q and v onto the rows, by Newton-Raphson for positions and one
 * linear solve for velocities. Each change has minimum norm of its six numbers per body in m and
 * rad.
 * @velocities: 0 leaves v unchanged, as in Pekal and Fraczek
 * Return: 0, LK_E_SINGULAR, LK_E_STALLED (no convergence), LK_E_NOT_FINITE. */
int lk_complement_newton(struct lk_complement *c, double t, double *q, double *v, int velocities);

/* ---- multipliers.c ---- */

/** lk_complement_multipliers() - compute the multipliers of the joint rows with minimum norm from M
 * v' + Phi_q^T lambda = Q, with v' in c->a, at the last evaluation. */
int lk_complement_multipliers(struct lk_complement *c, double *ret);

#endif
