/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates: a spanning tree over the joints of a model, and its kinematics.
 *
 * In the tree, one joint connects each body to its parent body or to the ground. A body without
 * joints has a free joint with six coordinates. Joints outside the tree are cut joints. Cut joints,
 * and elements without coordinates (distance rods, gears, drives ..), remain rows of the mechanics.
 * Loops through the ground are cut at the ground if possible.
 *
 * The state consists of q (n_q numbers, quaternions for spherical and free joints) and the rates nu
 * (n_v numbers). The rates of a spherical joint are the relative angular velocity in the axes of
 * the outboard body; those of a free joint are [v world, w body]. Vectors of six are [linear;
 * angular] in world axes, at the point O of a joint, which is fixed in the outboard body. (K.
 * Chadaj, P. Malczyk, J. Fraczek, A parallel Hamiltonian formulation .., 2016, eqs. (1)-(9); M.
 * Arnold, A recursive multibody formalism .., 2013, eq. (1).) */
#ifndef LK_METHODS_RELATIVE_RELATIVE_H
#define LK_METHODS_RELATIVE_RELATIVE_H

#include "methods/mechanics/mechanics.h"
#include "methods/relative/assembly.h"
#include "rows/table.h"

#define LK_RELATIVE_DOF_MAX 6

/** enum lk_relative_kind - type of a joint of the tree. MEASURED: the coordinates are the
 * quantities listed for the joint type in rows/table.h, one for each relative motion that the joint
 * allows. */
enum lk_relative_kind {
    LK_RELATIVE_MEASURED,
    LK_RELATIVE_SCREW,
    LK_RELATIVE_SPHERICAL,
    LK_RELATIVE_FREE
};

/** struct lk_relative_joint - the joint between body @body and its parent. The members from @point
 * on are valid after lk_relative_place().
 * @parent:      body, or n_bodies for the ground
 * @joint:       index of the joint in the system, or -1 for a free joint
 * @is_reversed: the outboard body is side 0 of the joint, not side 1
 * @measure:     quantities that the coordinates of a measured joint or of a screw measure
 * @at_q, @n_q:  range of its coordinates in q
 * @at_v, @n_v:  range of its rates in nu
 * @point:       O, world [m]
 * @point_rate:  absolute velocity of O [m/s]
 * @H:           columns; V_body - V_parent at O = sum of H[c] nu[c]
 * @H_rate:      time derivatives of the columns
 * @dual:        columns with dual[i] . H[c] = 1 if i = c, else 0, so that nu[c] = dual[c] . (V_body
 *               - V_parent)
 * @bias:        velocity terms; A_body - A_parent at O = sum of H[c] nu'[c] + bias, where A is the
 *               acceleration of the material point at O */
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

/** struct lk_relative - the tree.
 * @n_cut_rows: number of rows of all cut blocks
 * @on:         for every body, the joint to its parent
 * @order:      bodies, parents before children
 * @cut:        blocks of the mechanics (indices into its block[]) that are not in the tree, n_cut
 *              numbers */
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

/** lk_relative_read() - compute q and nu of the last accepted state of the system, with unwrapped
 * angles. Also calls lk_relative_place() for this state.
 * RT: yes. */
LK_RT void lk_relative_read(struct lk_relative *relative, double *ret_q, double *ret_nu);

/** lk_relative_place() - compute the forward kinematics: write x, q and v of all bodies to
 * lk_mechanics_motion(), and update the members of struct lk_relative_joint. Does not evaluate the
 * mechanics.
 * RT: yes. */
LK_RT void lk_relative_place(struct lk_relative *relative, const double *q, const double *nu);

/** lk_relative_accelerate() - compute the accelerations of all bodies from nu' = @nu_rate at the
 * last lk_relative_place(), and write them to lk_mechanics_motion().
 * RT: yes. */
LK_RT void lk_relative_accelerate(struct lk_relative *relative, const double *nu_rate);

/** lk_relative_rates() - compute q' from @q and @nu. RT: yes. */
LK_RT void lk_relative_rates(const struct lk_relative *relative, const double *q, const double *nu,
                             double *ret);

/** lk_relative_move() - compute @ret = @q + @d, where @d (n_v numbers) is a product of rates and
 * time. Quaternions move by the exponential map.
 * @ret: may be @q
 * RT: yes. */
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

/** lk_relative_assembly() - return the assembly over all rows. @relative owns it.
 * lk_relative_project() overwrites its factor. */
struct lk_assembly *lk_relative_assembly(const struct lk_relative *relative);

/** lk_relative_normalise() - scale the quaternions in @q to unit length. RT: yes. */
LK_RT void lk_relative_normalise(const struct lk_relative *relative, double *q);

/** lk_relative_project() - project q and nu onto the cut rows and drives at @t [s]: a fixed
 * number of mass-orthogonal Newton corrections. Return: 0, LK_E_SINGULAR. RT: yes. */
LK_RT int lk_relative_project(struct lk_relative *relative, double t, double *q, double *nu);

#endif
