/* SPDX-License-Identifier: Apache-2.0 */
/* Planar reduction: find the bodies that cannot tilt, and omit the rows that keep them from
 * tilting.
 *
 * If hinges with parallel axes connect bodies to each other and to the ground, no body tilts: two
 * of the five rows of each hinge are always satisfied. Such a body turns only about the normal n of
 * its plane. With n in body axes,
 *
 *     W = diag(I / m, n n^T / (n . J n))
 *
 * instead of M^-1 removes tilt from the effect of every row and load. A hinge then becomes a pin:
 * three rows that hold a point. A prismatic joint with its axis perpendicular to n also keeps three
 * rows. The motion is the same to round-off.
 *
 * The multipliers of the omitted rows balance products of inertia and loads out of the plane. These
 * multipliers are zero if the mechanism is flat: centres of mass, joints and forces at one height,
 * n is a principal axis of every body, and gravity has no component along n. Otherwise the balance
 * of the bodies behind a joint gives its reaction, see step/outputs/reactions.h, except for joints
 * in a loop.
 *
 * If all joints are hinges about an axis of the world, and no load has even round-off along that
 * axis, the third row of a pin is zero as well, to the last bit. Such pins have two rows.
 *
 * In any mechanism, hinges and prismatic joints may connect a body to the ground so that it turns
 * about one axis only (W has n n^T / (n . J n)) or not at all (W has 0). Examples are a wheel on
 * its bearing and the rack of a steering. The rows that keep such bodies from tilting are omitted
 * too: a hinge between them is a pin of three rows; a prismatic joint is a slider or, if neither
 * body turns, a point on a line. Other joints have all their rows.
 *
 * A body on a hinge to the ground with its centre of mass on the hinge axis, such as a rotor in
 * its bearings, turns in place: W = diag(0, n n^T / (n . J n)), and the hinge has no rows. */
#ifndef LK_COMPILE_PLANE_H
#define LK_COMPILE_PLANE_H

#include "model/model.h"
#include <stdbool.h>

/** struct lk_plane - planar reduction of a body.
 * @normal: unit vector, world, or 0;  @point: [m], world
 * @is_held: the joints keep the body from tilting. The body turns about @normal only; a zero
 *           vector means no rotation
 * @is_in_place: the centre of mass does not move either; the axis of rotation goes through @point
 * @is_whole: its whole mechanism moves in a plane
 * @is_flat: the whole mechanism lies in one plane, and no load acts out of it
 * @across:  world axis (0, 1, 2) along which the body has no motion and no force, to the last
 *           bit; -1: none */
struct lk_plane {
    double normal[3];
    double point[3];
    bool is_held;
    bool is_in_place;
    bool is_whole;
    bool is_flat;
    int across;
};

/** lk_plane_find() - find the planar reduction of the bodies of @model. A mechanism is a set of
 * bodies that joints connect. A mechanism moves in a plane if
 * - hinges with parallel axes, and prismatic joints perpendicular to these axes, connect every
 *   body to the ground; all other joints are balls and rods; no joint has compliance;
 * - at the start no joint is open along the normal, and no body moves along it or tilts;
 * - every body has mass and moments of inertia about all axes, fewer than eight joints, and no
 *   tyre.
 * In other mechanisms a body is held, for any start, if it satisfies the last condition and hinges
 * or prismatic joints connect it to the ground through held bodies.
 * @may_carry: omitted rows may have multipliers. Allows mechanisms that are not flat, bodies of
 *             other mechanisms, and bodies in place;  @ret: n_bodies
 * Thread: any but the cycle. Return: number of held bodies, -ENOMEM. */
int lk_plane_find(const struct lk_model *model, bool may_carry, struct lk_plane *ret);

/** lk_plane_rows() - return the type of the rows of joint @def, which is no coupling: the type of
 * the joint, or the type that has only its remaining rows. @planes: of all bodies */
enum lk_joint_type lk_plane_rows(const struct lk_joint_def *def, const struct lk_plane *planes);

#endif
