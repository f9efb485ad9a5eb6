/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates: a spanning tree over the joints of a model, and its kinematics.
 *
 * One joint of the tree connects every body to its parent body or the ground; a body without joints
 * has a free joint of six coordinates. Joints outside the tree are cut joints. Cut joints, and
 * elements without coordinates (distance rods, gears, drives ..), remain rows of the mechanics.
 * Loops through the ground are cut at the ground if possible.
 *
 * State: q (n_q numbers, quaternions for spherical and free joints) and the rates nu (n_v numbers;
 * of a spherical joint the relative angular velocity in the axes of the outboard body, of a free
 * joint [v world, w body]). Vectors of six are [linear; angular] in world axes, taken at the point
 * O of a joint, which is fixed in the outboard body. (K. Chadaj, P. Malczyk, J. Fraczek, A parallel
 * Hamiltonian formulation .., 2016, eqs. (1)-(9); M. Arnold, A recursive multibody formalism ..,
 * 2013, eq. (1).) */
#ifndef LK_METHODS_RELATIVE_RELATIVE_H
#define LK_METHODS_RELATIVE_RELATIVE_H

#include "methods/mechanics/mechanics.h"
#include "methods/relative/assembly.h"
#include "rows/table.h"

#define LK_RELATIVE_DOF_MAX 6

/** enum lk_relative_kind - type of a joint of the tree. MEASURED: its coordinates are those of
 * its line in rows/table.h, and include every motion that the joint leaves free. */
enum lk_relative_kind {
    LK_RELATIVE_MEASURED,
    LK_RELATIVE_SCREW,
    LK_RELATIVE_SPHERICAL,
    LK_RELATIVE_FREE
};

/** struct lk_relative_joint - the joint between body @body and its parent.
 * @parent:  body, or n_bodies: the ground
 * @joint:   block of the system, or -1 for a free joint;  @is_reversed: the outboard body is side 0
 *           of that block, not side 1
 * @measure: quantities of the coordinates of a measured joint and of a screw
 * @at_q, @n_q, @at_v, @n_v: range of its values in q and nu
 * as of the last lk_relative_place():
 * @point:   O, world [m];  @point_rate: its absolute velocity [m/s]
 * @H:       columns: V_body - V_parent at O = sum of H[c] nu[c];  @H_rate: time derivatives of the
 *           columns
 * @dual:    columns with dual[i] . H[c] = 1 where i = c, else 0: nu[c] = dual[c] . (V_body -
 *           V_parent)
 * @bias:    A_body - A_parent at O = sum of H[c] nu'[c] + bias, where A is the acceleration of
 *           the material point at O */
struct lk_relative_joint {
    enum lk_relative_kind kind;
    int body;
    int parent;
    int joint;
    int is_reversed;
    enum lk_measure measure[LK_COORDINATES_MAX];
    int at_q;
    int n_q;
    int at_v;
    int n_v;
    double point[3];
    double point_rate[3];
    double H[LK_RELATIVE_DOF_MAX][6];
    double H_rate[LK_RELATIVE_DOF_MAX][6];
    double dual[LK_RELATIVE_DOF_MAX][6];
    double bias[6];
};

/** struct lk_relative - the tree. @on: for every body, the joint to its parent
 * @order: bodies, parents before children;  @cut: blocks of the mechanics (see block[] there)
 *         that are not in the tree, n_cut, with n_cut_rows rows together */
struct lk_relative {
    struct lk_mechanics *mechanics;
    int n_q;
    int n_v;
    int n_cut;
    int n_cut_rows;
    struct lk_relative_joint *on;
    int *order;
    int *cut;
    void *scratch;
};

/** lk_relative_new() - build the tree at the present state of @mechanics. Not for the cycle.
 * Return: 0, -ENOMEM, LK_E_MODEL. */
int lk_relative_new(struct lk_mechanics *mechanics, struct lk_relative **ret,
                    struct lk_error *ret_error);
void lk_relative_free(struct lk_relative *relative);

/** lk_relative_read() - compute q and nu of the last accepted state of the system; angles are
 * unwrapped. Calls lk_relative_place() for this state. RT: yes. */
LK_RT void lk_relative_read(struct lk_relative *relative, double *ret_q, double *ret_nu);

/** lk_relative_place() - forward kinematics: write x, q and v of all bodies to
 * lk_mechanics_motion(), and update the members of struct lk_relative_joint. Does not evaluate
 * the mechanics. RT: yes. */
LK_RT void lk_relative_place(struct lk_relative *relative, const double *q, const double *nu);

/** lk_relative_accelerate() - write the accelerations of all bodies to lk_mechanics_motion(),
 * from nu' at the last lk_relative_place(). RT: yes. */
LK_RT void lk_relative_accelerate(struct lk_relative *relative, const double *nu_rate);

/** lk_relative_rates() - compute q' from @q and @nu. RT: yes. */
LK_RT void lk_relative_rates(const struct lk_relative *relative, const double *q, const double *nu,
                             double *ret);

/** lk_relative_move() - compute @ret = @q + @d, where @d (n_v) is rates times time; quaternions
 * move by the exponential map.
 * @ret: may be @q. RT: yes. */
LK_RT void lk_relative_move(const struct lk_relative *relative, const double *q, const double *d,
                            double *ret);

/** lk_relative_components() - compute the rates nu for velocities @v of all bodies (n_bodies) at
 * the last lk_relative_place(). RT: yes. */
LK_RT void lk_relative_components(const struct lk_relative *relative, const struct lk_twist *v,
                                  double *ret);

/** lk_relative_rate_components() - compute nu' for accelerations @a of all bodies (centres of
 * mass, n_bodies) at the last lk_relative_place(). RT: yes. */
LK_RT void lk_relative_rate_components(const struct lk_relative *relative, const struct lk_twist *a,
                                       double *ret);

/** lk_relative_assembly() - return the assembly over all rows, owned by @relative;
 * lk_relative_project() replaces its factor. */
struct lk_assembly *lk_relative_assembly(const struct lk_relative *relative);

/** lk_relative_normalise() - scale the quaternions in @q to unit length. RT: yes. */
LK_RT void lk_relative_normalise(const struct lk_relative *relative, double *q);

/** lk_relative_project() - project q and nu onto the cut rows and drives at @t [s]: a fixed
 * number of mass-orthogonal Newton corrections. Return: 0, LK_E_SINGULAR. RT: yes. */
LK_RT int lk_relative_project(struct lk_relative *relative, double t, double *q, double *nu);

#endif
