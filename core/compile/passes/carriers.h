/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of the body of a hinge to which the directions of its rows are fixed.
 *
 * Two rows of a hinge keep the axis of side 0 perpendicular to two directions of side 1
 * (rows/table.h). If the iterations of a step use the Jacobian of its start, those directions
 * should be on the body that turns less. On a rotor the rows would turn with it: its tilt would be
 * corrected late, which adds numerical damping. So a block may exchange the sides of its joint. */
#ifndef LK_COMPILE_CARRIERS_H
#define LK_COMPILE_CARRIERS_H

#include "model/model.h"

/** lk_carriers_find() - decide for each joint whether the sides of its block are exchanged. They
 * are exchanged if the second body turns faster about the axis at the start, by an angle per step
 * of @h [s] that matters. If neither body does, they are exchanged if the second body is more
 * joints away from the ground, or from the heaviest body of a mechanism without ground: the outer
 * body is the one that may spin up. Only revolute and cylindrical joints without compliance are
 * exchanged.
 * @ret: n_joints. Return: 0, -ENOMEM. */
int lk_carriers_find(const struct lk_model *model, double h, int *ret);

/** lk_carriers_exchange() - return @def with its bodies exchanged and its axes reversed, so that
 * its coordinates keep their meaning. */
struct lk_joint_def lk_carriers_exchange(const struct lk_joint_def *def);

#endif
