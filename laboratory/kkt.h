/* SPDX-License-Identifier: Apache-2.0 */
/* The saddle point system of constrained motion, for rows of any rank:
 *
 *     M a + G^T lambda = f        G a = c
 *
 * The rows are scaled to H = D^-1 G M^-1/2, where D gives each row the length 1. H is decomposed by
 * a complete orthogonal decomposition: H^T P = Q [T 0] Z. Rows with a pivot below 1e-5 count as
 * redundant, or as lost in a singular pose. Accelerations then satisfy all rows in the
 * least-squares sense, and multipliers have the minimal sum of (d_r lambda_r)^2. The regularisation
 * in the daemon's step has the same weights. Normal equations are avoided, because they would lose
 * half of the digits.
 *
 * M. Arnold, DAE aspects of multibody system dynamics, 2016, eq. (18), Lemma 2; G. H. Golub, C. F.
 * Van Loan, Matrix computations, section on complete orthogonal decompositions. */
#ifndef LK_METHODS_LABORATORY_KKT_H
#define LK_METHODS_LABORATORY_KKT_H

#include "methods/mechanics/mechanics.h"

/** struct lk_kkt - a factored saddle point system. Members after @G are private, except @c;
 * matrices among them are column-major for LAPACK.
 * @n:    number of velocities
 * @m:    number of rows
 * @rank: rank of G at the last factorisation
 * @G:    rows of the last factorisation, m x n, row-major */
struct lk_kkt {
    struct lk_mechanics *mechanics;
    int n;
    int m;
    int rank;
    double *G;
    double *root; /* Cholesky factor of each body's M: sqrt(m), then 3 x 3 of J */
    double *H;
    double *length;
    double *tau_q;
    double *tau_z;
    int *pivot;
    double *x;
    double *w;
    double *u;
    double *Y;
    int *swaps;
    double *c; /* scratch for the caller, m numbers */
};

/** lk_kkt_new() - allocate a system for the bodies of @mechanics.
 * Return: 0, -ENOMEM, LK_E_MODEL: a body has no mass or no inertia about some axis; @ret_error
 * names the body. */
int lk_kkt_new(struct lk_mechanics *mechanics, struct lk_kkt **ret, struct lk_error *ret_error);

/** lk_kkt_free() - free @kkt, which may be NULL. */
void lk_kkt_free(struct lk_kkt *kkt);

/** lk_kkt_factor() - factor the system at the last evaluation of the mechanics. Return: 0,
 * LK_E_NOT_FINITE. */
int lk_kkt_factor(struct lk_kkt *kkt);

/** lk_kkt_solve() - solve M a + G^T lambda = force, G a = c.
 * @force: n numbers, or NULL: 0;  @c: m numbers
 * @ret_a: n numbers, not the array @force;  @ret_lambda: m numbers, or NULL */
void lk_kkt_solve(struct lk_kkt *kkt, const double *force, const double *c, double *ret_a,
                  double *ret_lambda);

/** lk_kkt_solve_between() - solve M a + @before^T lambda = force, G a = c, where G belongs to the
 * pose of the last factorisation; M. Arnold, eq. (81e).
 * @before: rows at the pose at which the forces act, m x n, row-major
 * Return: 0, LK_E_SINGULAR: the constraint forces cannot produce the required accelerations. */
int lk_kkt_solve_between(struct lk_kkt *kkt, const double *before, const double *force,
                         const double *c, double *ret_a, double *ret_lambda);

/** lk_kkt_basis() - compute a basis B of the rows, rank x m, row-major. B G has full rank and the
 * row space of G. For any s, B^T s are multipliers of minimal weighted norm. */
void lk_kkt_basis(struct lk_kkt *kkt, double *ret);

/** lk_kkt_mass() - compute @ret = M @a.
 * lk_kkt_weight() - compute @ret = M^-1 @f.
 * Both: n numbers; the two arrays may be the same. */
void lk_kkt_mass(const struct lk_kkt *kkt, const double *a, double *ret);
void lk_kkt_weight(const struct lk_kkt *kkt, const double *f, double *ret);

#endif
