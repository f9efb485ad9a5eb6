/* SPDX-License-Identifier: Apache-2.0 */
/* Private parts of the search for an equilibrium: the balance of a pose and its matrix
 * (equilibrium_balance.c), steps that go down (equilibrium_descent.c), and the whole
 * (equilibrium.c). */
#ifndef LK_COMPILE_EQUILIBRIUM_WORK_H
#define LK_COMPILE_EQUILIBRIUM_WORK_H

#include "compile/rest.h"
#include "compile/retraction.h"
#include "step/system.h"

#define LK_EQUILIBRIUM_ITERATIONS  1000
#define LK_EQUILIBRIUM_FIRST_TIME2 1e-2  /* t^2 [s^2] at first, */
#define LK_EQUILIBRIUM_MOST_TIME2  1e2   /* and at most */
#define LK_EQUILIBRIUM_ROUNDOFF    1e-13 /* of the largest force: balanced to double precision */
#define LK_EQUILIBRIUM_ENOUGH      1e-9  /* balanced, where no iteration makes it better */
#define LK_EQUILIBRIUM_FALLS       1     /* [s^2]: within a second */
#define LK_EQUILIBRIUM_UNMOVED                                                                     \
    1e-9 /* in sizes of the mechanism and radians: as drawn, and balanced */

/** struct lk_equilibrium_work - a search.
 * @n_moves: directions of the bodies, six each;  @n_rows: rigid rows, which are @row of the system
 * @yields:  whether E is in a row: not in a tree of joints, whose rows are independent
 * @n:       both and the unknowns of blocks
 * @A, @x:   of Newton's step
 * @g:       residual, and @side: those beside the pose, n each, and then the values of all laws and
 *           the outputs of blocks
 * @tangent: of the laws [N/m, N m/rad];  @slope: n_moves for each: d value/dq
 * @hessian: n_moves squared, and @gram: n_rows squared, for lk_equilibrium_ask_curvature()
 * @size:    length of the mechanism [m];  @reach: from its first body to the farthest, at least
 * @size
 * @force:   largest force in it [N or N m];  @time2: t^2 [s^2]
 * @moves:   how bodies move along their joints
 * @place:   of each law [rad or m], and @pull: its force
 * @copy:    of A, and @start: of the state, for lk_equilibrium_descend()
 * @way:     of the last step, in sizes and radians, before it is cut;  @way_time2: its t^2 */
struct lk_equilibrium_work {
    struct lk_system *sys;
    void (*coordinates)(struct lk_system *);
    struct lk_rest blocks;
    int n_moves;
    int n_rows;
    int n;
    int *row;
    bool *yields;
    double *A;
    double *x;
    double *g;
    double *side[2];
    double *tangent;
    double *slope;
    double *hessian;
    double *gram;
    double size;
    double reach;
    double force;
    double time2;
    struct lk_retraction moves;
    double *place;
    double *pull;
    double *copy;
    double *start;
    double way;
    double way_time2;
};

/** struct lk_equilibrium_left - what is left of a balance. @force: largest, at direction @at,
 * moments by the arms of the mechanism;  @unrest: of blocks, most at unknown @block;  @best,
 * @stalled: force so far, and iterations since it fell by a half */
struct lk_equilibrium_left {
    double force;
    int at;
    double unrest;
    int block;
    double best;
    int stalled;
};

/* ---- equilibrium_balance.c ---- */

/** lk_equilibrium_set_poses() - bring poses and coordinates up to the motions of system->now.
 * lk_equilibrium_set_laws() - forces and tangents of the laws there, at rest.
 * lk_equilibrium_find_residual() - forces on the bodies, torques in body axes, by the present
 * multipliers; then violations of rigid rows, what is left of the unknowns of blocks, values of
 * laws and outputs of blocks. @ret: n, laws and blocks */
void lk_equilibrium_set_poses(struct lk_equilibrium_work *w);
void lk_equilibrium_set_laws(struct lk_equilibrium_work *w);
void lk_equilibrium_find_residual(struct lk_equilibrium_work *w, double *ret);

/** lk_equilibrium_force_at() - force of law @i at @x, at rest [N, N m], and what it stores [J].
 * Return: its tangent. */
double lk_equilibrium_force_at(const struct lk_equilibrium_work *w, int i, double x,
                               double *ret_force, double *ret_potential);

/** lk_equilibrium_fill() - the matrix at the present pose and t. Return: 0, -ECANCELED.
 * lk_equilibrium_add_tangent() - add J^T @k J of law @i to it.
 * lk_equilibrium_add_mass() - add W^-1 @part of body @b to it; @part: [1/s^2]. */
int lk_equilibrium_fill(struct lk_equilibrium_work *w);
void lk_equilibrium_add_tangent(struct lk_equilibrium_work *w, int i, double k);
void lk_equilibrium_add_mass(struct lk_equilibrium_work *w, int b, double part);

/** lk_equilibrium_ask_curvature() - whether K + W^-1 / t^2, which is filled, is positive definite
 * where the rows hold. Return: 0, -ECANCELED. */
int lk_equilibrium_ask_curvature(struct lk_equilibrium_work *w, bool *ret_is_valley);

/** lk_equilibrium_solve() - Newton's step into w->x. Return: 0, -ECANCELED.
 * lk_equilibrium_follow() - move along it, as far as rotations allow. */
int lk_equilibrium_solve(struct lk_equilibrium_work *w);
void lk_equilibrium_follow(struct lk_equilibrium_work *w);

/** lk_equilibrium_look() - evaluate the balance of the present pose into w->g and @left.
 * lk_equilibrium_is_balanced() - whether that is one. */
void lk_equilibrium_look(struct lk_equilibrium_work *w, struct lk_equilibrium_left *left);
bool lk_equilibrium_is_balanced(const struct lk_equilibrium_work *w,
                                const struct lk_equilibrium_left *left);

/* ---- equilibrium_descent.c ---- */

/** lk_equilibrium_descend() - go down from the present pose, for systems without tyres and blocks.
 * Return: 0, LK_E_ASSEMBLY, -ENOMEM, -ECANCELED. */
int lk_equilibrium_descend(struct lk_equilibrium_work *w, struct lk_error *ret_error);

/* ---- equilibrium.c ---- */

/** lk_equilibrium_refuse() - say in @ret_error, which may be NULL, that a force is left in
 * direction
 * @at. Return: LK_E_ASSEMBLY. */
int lk_equilibrium_refuse(const struct lk_equilibrium_work *w, int at, struct lk_error *ret_error);

#endif
