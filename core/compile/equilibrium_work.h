/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of the search for a static equilibrium: residual and matrix of a pose
 * (equilibrium_balance.c), contacts (equilibrium_contacts.c), descent steps
 * (equilibrium_descent.c), and the search itself (equilibrium.c). */
#ifndef LK_COMPILE_EQUILIBRIUM_WORK_H
#define LK_COMPILE_EQUILIBRIUM_WORK_H

#include "compile/rest.h"
#include "compile/retraction.h"
#include "step/system.h"

#define LK_EQUILIBRIUM_ITERATIONS  1000
#define LK_EQUILIBRIUM_FIRST_TIME2 1e-2 /* initial t^2 [s^2] */
#define LK_EQUILIBRIUM_MOST_TIME2  1e2  /* largest t^2 [s^2] */
/* residual that is balanced to double precision, relative to the largest force */
#define LK_EQUILIBRIUM_ROUNDOFF 1e-13
/* residual that is balanced if iterations stall, relative to the largest force */
#define LK_EQUILIBRIUM_ENOUGH 1e-9
#define LK_EQUILIBRIUM_FALLS  1 /* least t^2 at which a step may count as unmoved [s^2] */
#define LK_EQUILIBRIUM_UNMOVED                                                                     \
    1e-9 /* step below which a pose counts as unmoved [rad, or sizes of the mechanism] */

/** struct lk_equilibrium_work - working state of a search.
 * @coordinates: see lk_equilibrium_find();  @blocks: unknowns of the blocks
 * @n_moves: number of directions of the bodies, six each, then modal coordinates;  @n_rows: number
 * of rigid rows;  @row: their indices in the system
 * @yields:  for each row, whether E is added; false for rows of the spanning tree, which are
 *           independent
 * @n:       number of unknowns: n_moves, n_rows and the unknowns of blocks
 * @A, @x:   matrix and solution of the Newton step
 * @g:       residual: n values, then the values of all laws and the outputs of blocks
 * @side:    residual, likewise, at two nearby poses, for central differences
 * @tangent: tangents of the laws [N/m, N m/rad];  @slope: n_moves values for each law, d value/dq
 * @columns: n_moves indices, scratch
 * @hessian: n_moves squared, and @gram: n_rows squared, for lk_equilibrium_ask_curvature()
 * @size:    length of the mechanism [m]
 * @reach:   distance from its first body to the farthest one, at least @size [m]
 * @force:   largest force in the mechanism [N or N m];  @time2: t^2 [s^2]
 * @moves:   data to move the bodies along their joints
 * @place:   value of each law [rad or m];  @pull: its force [N or N m]
 * @copy:    copy of A;  @start: copy of the state; for lk_equilibrium_descend()
 * @anchor:  for each point of contact, where it was drawn, from the centres of mass of both sides,
 *           body axes [m];  @sticks: contacts with friction stick there
 * @way:     size of the last step before shortening [sizes or rad];  @way_time2: its t^2 [s^2] */
struct lk_equilibrium_work {
    struct lk_system *sys;
    void (*coordinates)(struct lk_system *);
    struct lk_rest blocks;
    int n_moves;
    int n_rows;
    int n;
    int *row;
    int *columns;
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
    double (*anchor)[2][3];
    bool sticks;
    double way;
    double way_time2;
};

/** struct lk_equilibrium_left - residual of a balance.
 * @force:  largest residual force, moments divided by the size of the mechanism [N]
 * @at:     direction of that force, 0 to n_moves - 1
 * @unrest: largest relative residual of the unknowns of blocks;  @block: that unknown
 * @best:   smallest @force so far;  @stalled: iterations since @best halved */
struct lk_equilibrium_left {
    double force;
    int at;
    double unrest;
    int block;
    double best;
    int stalled;
};

/* ---- equilibrium_balance.c ---- */

/** lk_equilibrium_unit() - return the value of direction @c that moves a body by @length [m], or
 * turns it by a radian.
 * lk_equilibrium_owner() - return the body that direction @c moves. */
double lk_equilibrium_unit(const struct lk_equilibrium_work *w, int c, double length);
int lk_equilibrium_owner(const struct lk_equilibrium_work *w, int c);

/** lk_equilibrium_set_poses() - update poses and coordinates from the motions of system->now.
 * lk_equilibrium_set_laws() - compute forces and tangents of the laws at the present poses, at
 * rest.
 * lk_equilibrium_find_residual() - compute the residual with the present multipliers: forces on
 * the bodies (torques in body axes), violations of rigid rows, residuals of the unknowns of
 * blocks, then values of laws and outputs of blocks. @ret: n values, laws, blocks */
void lk_equilibrium_set_poses(struct lk_equilibrium_work *w);
void lk_equilibrium_set_laws(struct lk_equilibrium_work *w);
void lk_equilibrium_find_residual(struct lk_equilibrium_work *w, double *ret);

/** lk_equilibrium_force_at() - compute force [N, N m] and potential [J] of law @i at the value @x,
 * at rest. Return: its tangent. */
double lk_equilibrium_force_at(const struct lk_equilibrium_work *w, int i, double x,
                               double *ret_force, double *ret_potential);

/** lk_equilibrium_fill() - compute the matrix at the present pose and t. Return: 0, -ECANCELED.
 * lk_equilibrium_add_tangent() - add J^T @k J of law @i to the matrix.
 * lk_equilibrium_add_masses() - add W^-1 @part of all bodies and modes to the matrix; @part:
 * [1/s^2]. */
int lk_equilibrium_fill(struct lk_equilibrium_work *w);
void lk_equilibrium_add_tangent(struct lk_equilibrium_work *w, int i, double k);
void lk_equilibrium_add_masses(struct lk_equilibrium_work *w, double part);

/** lk_equilibrium_ask_curvature() - test whether K + W^-1 / t^2 is positive definite on the motions
 * that the rigid rows allow. Call after lk_equilibrium_fill(). Return: 0, -ECANCELED. */
int lk_equilibrium_ask_curvature(struct lk_equilibrium_work *w, bool *ret_is_valley);

/** lk_equilibrium_solve() - compute the Newton step w->x. Return: 0, -ECANCELED.
 * lk_equilibrium_follow() - move along w->x, shortened if bodies would turn too far. */
int lk_equilibrium_solve(struct lk_equilibrium_work *w);
void lk_equilibrium_follow(struct lk_equilibrium_work *w);

/** lk_equilibrium_look() - evaluate the balance of the present pose into w->g and @left.
 * lk_equilibrium_is_balanced() - return whether the pose with the residual @left is balanced. */
void lk_equilibrium_look(struct lk_equilibrium_work *w, struct lk_equilibrium_left *left);
bool lk_equilibrium_is_balanced(const struct lk_equilibrium_work *w,
                                const struct lk_equilibrium_left *left);

/* ---- equilibrium_contacts.c ---- */

/** lk_equilibrium_anchor() - allocate and set w->anchor at the present poses. Return: 0, -ENOMEM.
 * lk_equilibrium_law_values() - compute the values of the rows of a compliant joint; those of a
 * contact are two slips from the anchor and the gap. @phi: LK_ROWS_MAX values
 * lk_equilibrium_contact_force() - do what lk_equilibrium_force_at() does for a row of a contact.
 * lk_equilibrium_slips() - return the first point of a contact that its friction does not hold, or
 * -1. @ret_friction: the coefficient that it needs
 * lk_equilibrium_keep_contacts() - set the forces of contacts in system->now, from which the first
 * step starts, from its multipliers. */
int lk_equilibrium_anchor(struct lk_equilibrium_work *w);
void lk_equilibrium_law_values(const struct lk_equilibrium_work *w, int joint, double *phi);
double lk_equilibrium_contact_force(const struct lk_equilibrium_work *w, int i, double x,
                                    double *ret_force, double *ret_potential);
int lk_equilibrium_slips(const struct lk_equilibrium_work *w, double *ret_friction);
void lk_equilibrium_keep_contacts(struct lk_system *system);

/* ---- equilibrium_descent.c ---- */

/** lk_equilibrium_descend() - find an equilibrium by steps of decreasing energy from the present
 * pose, for systems without tyres and blocks. Return: 0, LK_E_ASSEMBLY, -ENOMEM, -ECANCELED. */
int lk_equilibrium_descend(struct lk_equilibrium_work *w, struct lk_error *ret_error);

/* ---- equilibrium.c ---- */

/** lk_equilibrium_refuse() - report in @ret_error, which may be NULL, the unbalanced force in
 * direction @at. Return: LK_E_ASSEMBLY. */
int lk_equilibrium_refuse(const struct lk_equilibrium_work *w, int at, struct lk_error *ret_error);

#endif
