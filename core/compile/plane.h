/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies move in a plane.
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
 * What the other rows would carry, products of inertia and loads out of the plane, is not found. It
 * is nothing where the mechanism is flat: centres of mass, joints and forces at one height, n a
 * principal axis of every body, no weight along it. Otherwise the reactions of such joints are not
 * known.
 *
 * Where all its joints are hinges about an axis of the world, and no load has even round-off along
 * that axis, the third row of a pin is zero as well: nothing moves there, to the last bit. Such
 * pins have two rows. */
#ifndef LK_COMPILE_PLANE_H
#define LK_COMPILE_PLANE_H

#include "model/model.h"
#include <stdbool.h>

/** struct lk_plane - in which a body moves. @normal: unit vector, world; 0: in none
 * @is_flat: all of the mechanism is in one plane, and nothing acts out of it
 * @across:  0, 1, 2: the world axis along which it has no motion and no force to the last bit; -1:
 * there is none */
struct lk_plane {
    double normal[3];
    bool is_flat;
    int across;
};

/** lk_is_in_plane() - whether there is one. */
static inline bool lk_is_in_plane(const struct lk_plane *plane)
{
    return plane->normal[0] != 0 || plane->normal[1] != 0 || plane->normal[2] != 0;
}

/** lk_plane_find() - the planes in which bodies of @model move. A mechanism is the bodies that
 * joints connect; all of its bodies do, or none. They do where
 * - hinges with axes parallel to each other, and prismatic joints across them, lead from every body
 *   to the ground, and all other joints are balls and rods; none has compliance;
 * - they start so: no joint is open along the normal, no body moves along it or tilts;
 * - every body has mass and moments of inertia about all axes, fewer than eight joints, and no
 * tyre;
 * - it is flat, or no output shows the reaction of one of its joints.
 * @ret: n_bodies
 * Thread: any but the cycle. Return: how many do, -ENOMEM. */
int lk_plane_find(const struct lk_model *model, struct lk_plane *ret);

#endif
