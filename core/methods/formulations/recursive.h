/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the formulation `recursive`: what its files share.
 *
 * All vectors of six are [linear; angular] in world axes at the point O of the joint that the body
 * hangs on, see methods/relative/relative.h; matrices of six by six are row-major. Equation numbers
 * are those of M. Arnold, A recursive multibody formalism for systems with small mass and inertia
 * terms, Mech. Sci. 4, 2013, whose K_i is the identity here, whose -J_i is H and whose -H_i is the
 * shift from the parent's O to the body's.
 *
 * A joint whose projected mass H^T M H has no full rank leaves directions of the rates nu in which
 * nothing that has a mass moves: null directions, together the columns of N(q). The forces along
 * them balance, gamma = N^T Q = 0 (28b), and that determines the part of nu along N. In the state y
 * = (q, nu) this part is redundant: every evaluation of a state first replaces nu by nu + N zeta
 * with gamma = 0. So y' = f(t, y) is an ordinary differential equation with the solution of the
 * paper's mixed system, and no derivative of N appears in it (the paper's (29) to (32)
 * differentiate eigenvectors instead). */
#ifndef LK_METHODS_FORMULATIONS_RECURSIVE_H
#define LK_METHODS_FORMULATIONS_RECURSIVE_H

#include "maths/vec.h"
#include "methods/mechanics/equations.h"
#include "methods/relative/relative.h"

/** struct lk_recursive_body - a body and the joint that it hangs on, of the last evaluation.
 * @may_lack: whether the projected mass of its joint is looked at for its rank; otherwise the body
 *            has mass and inertia, and it is positive definite
 * @at_null, @n_null: null directions that begin at its joint
 * @shift:    O less the parent's O [m];  @arm: centre of mass less O [m]
 * @w_raw:    its angular velocity with the rates as they stand in y [rad/s]
 * @extent:   of all that hangs on it, itself included: mass, sum m x (3), sum m x x + trace J
 * @M:        condensed mass (17a);  @U: M H[c];  @D: pseudo-inverse of H^T M H
 * @Z:        null directions at its joint, each n_v numbers
 * @bias:     of its acceleration;  @p: condensed force (17b);  @a: acceleration */
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

/** struct lk_recursive_cluster - null directions that act on each other through a force, and on no
 * others. @first, @n: their part of the list null_of;  @at: of its n by n matrix d gamma / d zeta,
 * factored, in the array G */
struct lk_recursive_cluster {
    int first;
    int n;
    int at;
};

/** struct lk_lu_scale - what belongs to a factor: scales of rows and columns, exchanges; n each. */
struct lk_lu_scale {
    double *rows;
    double *columns;
    int *pivot;
};

/** struct lk_recursive_row - a cut row. @at: its number among the rows of the mechanics
 * @mobility: what the row moves if its bodies were free [1/kg, 1/(kg m^2)], at t = 0 */
struct lk_recursive_row {
    int at;
    double mobility;
    int n_sides;
    int body[LK_SIDES_MAX];
    double J[LK_SIDES_MAX][6];
};

/** struct lk_recursive - @full_rank: a joint without full rank is an error
 * @lacks_inertia: of some body
 * @body: of every body;  @force: n_bodies, Q - w x J w
 * @nu: rates at the last evaluation, that with gamma = 0 if there are null directions;  @nu_rate:
 * of the last write;  @y, @q_moved, @q_rate, @trial, @response: scratch
 * @n_rounds: of Newton's method for them;  @n_null: null directions;  @null_of: the directions,
 * cluster by cluster;  @gamma, @zeta: n_null
 * @row: n_cut_rows;  @S: operator of the cut rows;  @cut_lambda: their multipliers
 * @all_rows: scratch for all rows of the mechanics;  @lambda: all of the last write
 * @block_of: mechanics block of each joint of the system, or -1 */
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

/** lk_small_eigen() - A = X diag(lambda) X^T of a symmetric matrix of at most six rows by cyclic
 * Jacobi rotations, a fixed number of sweeps. @A: n by n in rows of six; overwritten, eigenvalues
 * on its diagonal, in no order;  @ret_X: eigenvectors as columns */
LK_RT void lk_small_eigen(int n, double A[][6], double ret_X[][6]);

/** lk_small_pseudo_inverse() - of a symmetric positive semi-definite matrix of at most six rows,
 * rank revealed by eigenvalues: (A1), in units in which the diagonal of a matrix of full rank would
 * be of order 1, so that lengths and angles can be compared.
 * @A: rows of six;  @scale: n, that diagonal; 0 where nothing has a mass at all
 * @ret: A^+;  @ret_null: a basis of the null space, vector k at [k]
 * Return: dimension of the null space. */
LK_RT int lk_small_pseudo_inverse(int n, double A[][6], const double *scale, double ret[][6],
                                  double ret_null[][6]);

/** lk_small_inverse() - of a symmetric positive definite one by Cholesky. Return: 0, LK_E_SINGULAR.
 */
LK_RT int lk_small_inverse(int n, double A[][6], double ret[][6]);

/** lk_semidefinite_solve() - A x = b for symmetric positive semi-definite A with b in its range:
 * Cholesky with diagonal pivoting of A in units of @scale; unknowns behind the rank are 0.
 * @A: n by n, row-major; overwritten
 * @scale: n, what its diagonal would be about if A had full rank: a diagonal that is round-off
 *         against it is none; overwritten;  @order: n, scratch;  @b: overwritten by x */
LK_RT void lk_semidefinite_solve(int n, double *A, double *scale, int *order, double *b);

/** lk_lu_factor() - P A = L U of the equilibrated matrix, n by n, row-major, in place.
 * @noise: entries up to that size are none
 * Return: -1, or the first column without pivot; then there is nothing to solve with. */
LK_RT int lk_lu_factor(int n, double *A, double noise, struct lk_lu_scale scale);
LK_RT void lk_lu_solve(int n, const double *A, struct lk_lu_scale scale, double *b);

/* ---- recursive_sweeps.c ---- */

/** lk_recursive_place() - forward kinematics at @q, @nu and the look of the mechanics at @t. */
LK_RT void lk_recursive_place(struct lk_recursive *r, double t, const double *q, const double *nu);

/** lk_recursive_condense() - condensed masses of all bodies (17a), and null directions, at the last
 * place. Return: 0, LK_E_SINGULAR: a rank is not what it was when the formulation was opened. */
LK_RT int lk_recursive_condense(struct lk_recursive *r);

/** lk_recursive_ranks() - the same when it is opened: the ranks found are those to be. */
int lk_recursive_ranks(struct lk_recursive *r);

/** lk_recursive_load() - forces of all bodies at the last place, and bias accelerations from the
 * rates @raw that go with those placed: into p. */
LK_RT void lk_recursive_load(struct lk_recursive *r, const double *raw);

/** lk_recursive_gather() - condensed forces (17b) from p, in place. */
LK_RT void lk_recursive_gather(struct lk_recursive *r, int with_bias);

/** lk_recursive_accelerate() - forward: accelerations (24a) of all bodies and nu' (25a), (28a) of
 * all joints, the part along null directions zero. */
LK_RT void lk_recursive_accelerate(struct lk_recursive *r, int with_bias, double *ret_nu_rate);

/** lk_recursive_fit_rates() - rates with which the tree has the momentum of all bodies in the last
 * accepted state: bodies without mass have no say, as where they came from is no part of the state.
 * @q: where the bodies are;  @ret_nu: the part along null directions is zero. RT: yes. */
LK_RT void lk_recursive_fit_rates(struct lk_recursive *r, const double *q, double *ret_nu);

/** lk_recursive_drift() - nu += N zeta, forward. */
LK_RT void lk_recursive_drift(struct lk_recursive *r, const double *zeta, double *nu);

/** lk_recursive_scale() - what the diagonal of H^T M H of body @b's joint would be about if nothing
 * that hangs on it could move against it; 0 where there is no inertia at all. @ret: n_v of it. */
LK_RT void lk_recursive_scale(const struct lk_recursive *r, int b, double *ret);

/** lk_recursive_inverse() - M nu' - h by inverse dynamics at the last place and load, O(N).
 * @ret: n_v. */
LK_RT void lk_recursive_inverse(struct lk_recursive *r, const double *nu_rate, double *ret);

/* ---- recursive_massless.c ---- */

/** lk_recursive_clusters() - which null directions act on each other, and how many rounds Newton's
 * method takes. Return: 0, -ENOMEM. */
int lk_recursive_clusters(struct lk_recursive *r);

/** lk_recursive_refuse() - the regularity condition at the start: a line that names body and
 * direction where it fails, or a null direction that cut rows touch. Return: 0, LK_E_MODEL. */
int lk_recursive_refuse(struct lk_recursive *r, const double *q, const double *nu,
                        struct lk_error *ret_error);

/** lk_recursive_balance() - evaluation of the state: the rates with gamma = 0 into r->nu, by
 * Newton's method with a fixed number of rounds; condensed masses and forces there. Return: 0,
 * LK_E_SINGULAR. */
LK_RT int lk_recursive_balance(struct lk_recursive *r, double t, const double *q,
                               const double *raw);

/** lk_recursive_null_rates() - after the balance at @t and accelerations @nu_rate: adds to them the
 * part along null directions, by a difference of gamma along the motion. Return: as above. */
LK_RT int lk_recursive_null_rates(struct lk_recursive *r, double t, const double *q,
                                  const double *q_rate, double *nu_rate);

/* ---- recursive_loops.c ---- */

/** lk_recursive_list_rows() - cut rows and their Jacobians at the last place. */
LK_RT void lk_recursive_list_rows(struct lk_recursive *r);

/** lk_recursive_close() - after accelerations without cut rows: multipliers of cut rows, their
 * forces into p, accelerations with them. @raw: as in lk_recursive_load() */
LK_RT void lk_recursive_close(struct lk_recursive *r, const double *raw, double *nu_rate);

/** lk_recursive_multipliers() - of all rows from the reactions of the tree, (13). @ret: n_rows. */
LK_RT void lk_recursive_multipliers(struct lk_recursive *r, double *ret);

#endif
