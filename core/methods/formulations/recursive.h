/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the formulation `recursive`.
 *
 * All vectors of six are [linear; angular] in world axes at the point O of the joint between the
 * body and its parent, see methods/relative/relative.h. Matrices of six by six are row-major.
 * Equation numbers are those of M. Arnold, A recursive multibody formalism for systems with small
 * mass and inertia terms, Mech. Sci. 4, 2013. K_i of the paper is the identity here, -J_i is H, and
 * -H_i is the shift from O of the parent to O of the body.
 *
 * If the projected mass H^T M H of a joint is rank-deficient, there are directions of the rates nu
 * in which no mass moves. They are called null directions, and are the columns of N(q). The forces
 * along null directions balance, gamma = N^T Q = 0 (28b), and this balance determines the part of
 * nu along N. This part is redundant in the state y = (q, nu): every evaluation first replaces nu
 * with nu + N zeta such that gamma = 0. So y' = f(t, y) is an ordinary differential equation with
 * the solution of the mixed system in the paper, and no derivative of N appears in it. (Equations
 * (29) to (32) of the paper differentiate eigenvectors.) */
#ifndef LK_METHODS_FORMULATIONS_RECURSIVE_H
#define LK_METHODS_FORMULATIONS_RECURSIVE_H

#include "maths/vec.h"
#include "methods/mechanics/equations.h"
#include "methods/relative/relative.h"
#include "solve/lu.h"

/** struct lk_recursive_body - a body and the joint to its parent, at the last evaluation.
 * @may_lack:         the projected mass of its joint may be rank-deficient; 0: it is positive
 *                    definite, because the body has mass and inertia
 * @at_null, @n_null: range of the null directions that belong to its joint
 * @shift:            vector from O of the parent to O [m]
 * @arm:              vector from O to the centre of mass [m]
 * @w_raw:            angular velocity of the body with the rates in y, before gamma = 0 is enforced
 *                    [rad/s]
 * @extent:           extent of the subtree including the body: mass, sum m x (3), sum m x x + trace
 *                    J
 * @M:                condensed mass (17a)
 * @U:                M H[c]
 * @D:                pseudo-inverse of H^T M H
 * @Z:                null directions of its joint, each n_v numbers
 * @t:                joint rates due to the forces, D (H^T p - U^T bias)
 * @bias:             acceleration of the body relative to its parent for nu' = 0
 * @p:                condensed force (17b)
 * @a:                acceleration */
struct lk_recursive_body {
    int may_lack;
    int at_null;
    int n_null;
    double shift[3];
    double arm[3];
    double w_raw[3];
    double extent[5];
    double M[36];
    double U[LK_RELATIVE_DOF_MAX][6];
    double D[LK_RELATIVE_DOF_MAX][LK_RELATIVE_DOF_MAX];
    double Z[LK_RELATIVE_DOF_MAX][LK_RELATIVE_DOF_MAX];
    double t[LK_RELATIVE_DOF_MAX];
    double bias[6];
    double p[6];
    double a[6];
};

/** struct lk_recursive_cluster - null directions that forces couple to each other but to no other
 * directions: a diagonal block of d gamma / d zeta.
 * @first, @n: range in null_of
 * @at:        offset in G of the factored n by n block */
struct lk_recursive_cluster {
    int first;
    int n;
    int at;
};

/** struct lk_recursive_row - a cut row.
 * @at:       index of the row among the rows of the mechanics
 * @mobility: Phi_q W Phi_q^T of the row if its bodies were free [1/kg, 1/(kg m^2)], at t = 0 */
struct lk_recursive_row {
    int at;
    double mobility;
    int n_sides;
    int body[LK_SIDES_MAX];
    double J[LK_SIDES_MAX][6];
};

/** struct lk_recursive - state of the formulation.
 * @full_rank:     report an error if the projected mass of a joint is rank-deficient
 * @lacks_inertia: some body lacks mass or inertia
 * @n_null:        number of null directions
 * @n_rounds:      iterations of Newton's method for null directions
 * @body:          data of every body
 * @force:         Q - w x J w, n_bodies
 * @nu:            rates at the last evaluation, with gamma = 0 if there are null directions
 * @nu_rate:       derivatives of the rates at the last write
 * @y, @q_moved, @q_rate, @trial, @response: scratch
 * @null_of:       the null directions, cluster by cluster
 * @gamma, @zeta:  n_null
 * @row:           n_cut_rows
 * @S:             operator of the cut rows, Phi_q M^-1 Phi_q^T
 * @cut_lambda:    multipliers of the cut rows
 * @all_rows:      scratch for all rows of the mechanics
 * @lambda:        multipliers of all rows at the last write
 * @block_of:      mechanics block of each joint of the system, or -1 */
struct lk_recursive {
    struct lk_mechanics *mechanics;
    struct lk_relative *relative;
    enum lk_stabilisation stabilisation;
    double baumgarte[2];
    int full_rank;
    int lacks_inertia;
    int n_bodies;
    int n_q;
    int n_v;
    int n_null;
    int n_rounds;
    int n_clusters;
    int largest_cluster;
    int n_cut_rows;
    struct lk_recursive_body *body;
    struct lk_twist *force;
    double *y;
    double *nu;
    double *trial;
    double *response;
    double *nu_rate;
    double *q_moved;
    int *null_of;
    struct lk_recursive_cluster *cluster;
    double *gamma;
    double *gamma_moved;
    double *zeta;
    double *G;
    struct lk_lu_scale lu;
    struct lk_recursive_row *row;
    double *S;
    double *row_scale;
    int *order;
    double *cut_lambda;
    double *all_rows;
    double *lambda;
    int *block_of;
    double *q_rate;
    double *memory;
    double *null_memory;
};

/* ---- recursive_algebra.c: small dense matrices; RT: yes, fixed numbers of sweeps ---- */

/** lk_small_eigen() - decompose A = X diag(lambda) X^T by cyclic Jacobi rotations with a fixed
 * number of sweeps. A is symmetric, with at most six rows.
 * @A:     n by n, stored in rows of six; overwritten, with the eigenvalues on its diagonal, in no
 *         order
 * @ret_X: eigenvectors as columns */
LK_RT void lk_small_eigen(int n, double A[][6], double ret_X[][6]);

/** lk_small_pseudo_inverse() - compute the pseudo-inverse of a symmetric positive semi-definite
 * matrix of at most six rows, (A1). The rank is determined from the eigenvalues of the matrix
 * scaled with @scale, so that lengths and angles can be compared.
 * @A:        stored in rows of six
 * @scale:    n numbers: the diagonal if the matrix had full rank; 0 if no body in that direction
 *            has a mass
 * @ret:      A^+
 * @ret_null: a basis of the null space, vector k at [k]
 * Return: dimension of the null space. */
LK_RT int lk_small_pseudo_inverse(int n, double A[][6], const double *scale, double ret[][6],
                                  double ret_null[][6]);

/** lk_small_inverse() - invert a symmetric positive definite matrix by Cholesky factorisation.
 * @A: stored in rows of six
 * Return: 0, LK_E_SINGULAR. */
LK_RT int lk_small_inverse(int n, double A[][6], double ret[][6]);

/** lk_semidefinite_solve() - solve A x = b for a symmetric positive semi-definite A and b in the
 * range of A. The method is Cholesky factorisation with diagonal pivoting of A scaled with @scale.
 * Unknowns beyond the rank are 0.
 * @A:     n by n, row-major; overwritten
 * @scale: n, magnitude of the diagonal if A had full rank; a pivot at the round-off of this
 *         magnitude counts as zero; overwritten
 * @order: n, scratch
 * @b:     overwritten with x */
LK_RT void lk_semidefinite_solve(int n, double *A, double *scale, int *order, double *b);

/* ---- recursive_sweeps.c ---- */

/** lk_recursive_place() - compute the forward kinematics at @q, @nu, and evaluate the mechanics at
 * time @t [s]. */
LK_RT void lk_recursive_place(struct lk_recursive *r, double t, const double *q, const double *nu);

/** lk_recursive_condense() - compute the condensed masses of all bodies (17a), and the null
 * directions, at the last lk_recursive_place().
 * Return: 0, LK_E_SINGULAR: a rank has changed since the formulation was opened. */
LK_RT int lk_recursive_condense(struct lk_recursive *r);

/** lk_recursive_ranks() - do the same as lk_recursive_condense(), and store the ranks. For open().
 * Return: 0, LK_E_SINGULAR. */
int lk_recursive_ranks(struct lk_recursive *r);

/** lk_recursive_load() - set p to the forces on all bodies minus their velocity terms, and compute
 * the bias accelerations, at the last place.
 * @raw: rates in y, before gamma = 0 is enforced */
LK_RT void lk_recursive_load(struct lk_recursive *r, const double *raw);

/** lk_recursive_gather() - replace p with the condensed forces (17b) in a backward sweep.
 * @with_bias: include the bias accelerations; 0: for the response to forces alone */
LK_RT void lk_recursive_gather(struct lk_recursive *r, int with_bias);

/** lk_recursive_accelerate() - compute the accelerations (24a) of all bodies and nu' (25a), (28a)
 * of all joints in a forward sweep. nu' has no part along null directions. */
LK_RT void lk_recursive_accelerate(struct lk_recursive *r, int with_bias, double *ret_nu_rate);

/** lk_recursive_fit_rates() - compute rates of the tree that reproduce the momentum of all bodies
 * in the last accepted state. The velocities of bodies without mass are ignored, because the state
 * does not contain them.
 * @q:      coordinates of that state
 * @ret_nu: rates; zero along null directions
 * RT: yes. */
LK_RT void lk_recursive_fit_rates(struct lk_recursive *r, const double *q, double *ret_nu);

/** lk_recursive_drift() - add N zeta to @nu in a forward sweep. */
LK_RT void lk_recursive_drift(struct lk_recursive *r, const double *zeta, double *nu);

/** lk_recursive_scale() - compute the magnitude of the diagonal of H^T M H of the joint of body @b,
 * if its subtree were rigid. The magnitude is 0 for a direction without inertia.
 * @ret: n_v numbers of the joint */
LK_RT void lk_recursive_scale(const struct lk_recursive *r, int b, double *ret);

/** lk_recursive_inverse() - compute M nu' - h by inverse dynamics, after the last place and load.
 * The work is O(N).
 * @ret: n_v */
LK_RT void lk_recursive_inverse(struct lk_recursive *r, const double *nu_rate, double *ret);

/* ---- recursive_massless.c ---- */

/** lk_recursive_clusters() - find the clusters of null directions and the number of Newton
 * iterations.
 * Return: 0, -ENOMEM. */
int lk_recursive_clusters(struct lk_recursive *r);

/** lk_recursive_refuse() - check at the start that d gamma / d zeta is regular.
 * Return: 0, LK_E_MODEL: the matrix is singular, or cut rows act on a null direction; @ret_error
 * names body and direction. */
int lk_recursive_refuse(struct lk_recursive *r, const double *q, const double *nu,
                        struct lk_error *ret_error);

/** lk_recursive_balance() - evaluate the state. Compute the rates r->nu with gamma = 0 by a fixed
 * number of Newton iterations, then the condensed masses and forces at these rates.
 * @raw: rates in y
 * Return: 0, LK_E_SINGULAR. */
LK_RT int lk_recursive_balance(struct lk_recursive *r, double t, const double *q,
                               const double *raw);

/** lk_recursive_null_rates() - add the part along null directions to @nu_rate. This part comes from
 * a finite difference of gamma along the motion. Call after lk_recursive_balance() at @t.
 * Return: 0, LK_E_SINGULAR. */
LK_RT int lk_recursive_null_rates(struct lk_recursive *r, double t, const double *q,
                                  const double *q_rate, double *nu_rate);

/* ---- recursive_loops.c ---- */

/** lk_recursive_list_rows() - copy the cut rows and their Jacobians from the mechanics at the last
 * place. */
LK_RT void lk_recursive_list_rows(struct lk_recursive *r);

/** lk_recursive_close() - close the loops. From the accelerations without cut rows compute the
 * multipliers of the cut rows, add their forces to p, and update @nu_rate.
 * @raw: as in lk_recursive_load() */
LK_RT void lk_recursive_close(struct lk_recursive *r, const double *raw, double *nu_rate);

/** lk_recursive_multipliers() - compute the multipliers of all rows from the reactions of the
 * tree, (13). @ret: n_rows. */
LK_RT void lk_recursive_multipliers(struct lk_recursive *r, double *ret);

#endif
