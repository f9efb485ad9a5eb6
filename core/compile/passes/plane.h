/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies cannot tilt, as those that move in a plane.
 *
 * Where hinges with parallel axes connect bodies to each other and to the ground, nothing tilts:
 * two of the five rows of each hinge are zero for ever, and so is the motion that they forbid. Such
 * a body turns about the normal n of its plane alone. With n in its own axes,
 *
 *     W = diag(I / m, n n^T / (n . J n))
 *
 * instead of M^-1 leaves no tilt to any row or load, and a hinge is a pin: three rows that hold a
 * point. A prismatic joint across n keeps three as well. The motion is the same to round-off.
 *
 * What the other rows would carry, products of inertia and loads out of the plane, is nothing where
 * the mechanism is flat: centres of mass, joints and forces at one height, n a principal axis of
 * every body, no weight along it. Otherwise the balance of what hangs on a joint tells, see
 * step/outputs/reactions.h, but for those in a loop.
 *
 * Where all its joints are hinges about an axis of the world, and no load has even round-off along
 * that axis, the third row of a pin is zero as well: nothing moves there, to the last bit. Such
 * pins have two rows.
 *
 * In any mechanism hinges and prismatic joints may lead from a body to the ground so that it turns
 * about one axis alone, n n^T / (n . J n), or not at all, 0: a wheel on its bearing, the rack of a
 * steering. The rows that keep it upright are left out likewise: a hinge of such bodies is a pin of
 * three rows, a prismatic joint a slider or, where nothing turns, a point on a line. Other joints
 * have all their rows.
 *
 * What a hinge holds to the ground and whose centre of mass is on its axis, as of a rotor in its
 * bearings, turns in place: W = diag(0, n n^T / (n . J n)), and the hinge has no rows at all. */
#ifndef LK_COMPILE_PLANE_H
#define LK_COMPILE_PLANE_H

#include "model/model.h"
#include <stdbool.h>

/** struct lk_plane - how a body is kept upright. @is_held: it turns about @normal [unit vector,
 * world] alone, or not at all where that is 0;  @is_in_place: nor does its centre of mass move, and
 * the axis is through @point [m];  @is_whole: its mechanism moves in a plane
 * @is_flat: all of the mechanism is in one plane, and nothing acts out of it
 * @across:  0, 1, 2: the world axis along which it has no motion and no force to the last bit; -1:
 * there is none */
struct lk_plane {
    double normal[3];
    double point[3];
    bool is_held;
    bool is_in_place;
    bool is_whole;
    bool is_flat;
    int across;
};

/** lk_plane_find() - how bodies of @model are kept upright. A mechanism is the bodies that joints
 * connect; it moves in a plane if
 * - hinges with axes parallel to each other, and prismatic joints across them, lead from every body
 *   to the ground, and all other joints are balls and rods; none has compliance;
 * - its bodies start so: no joint is open along the normal, no body moves along it or tilts;
 * - every body has mass and moments of inertia about all axes, fewer than eight joints, and no
 * tyre.
 * Of other mechanisms a body is held if it has all this, and such joints lead to the ground along
 * held bodies, however they start.
 * @may_carry: the rows that are left out may carry something: what is not flat, bodies of other
 * mechanisms, and any body in place;  @ret: n_bodies
 * Thread: any but the cycle. Return: how many are held, -ENOMEM. */
int lk_plane_find(const struct lk_model *model, bool may_carry, struct lk_plane *ret);

/** lk_plane_rows() - the type of the rows of joint @def, which is no coupling: its own, or that of
 * those which are left. @planes: of all bodies */
enum lk_joint_type lk_plane_rows(const struct lk_joint_def *def, const struct lk_plane *planes);

#endif
