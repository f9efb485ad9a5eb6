/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of the body of a hinge to which the directions of its rows are fixed.
 *
 * Two rows of a hinge keep the axis of side 0 perpendicular to two directions of side 1
 * (rows/table.h). If the iterations of a step use the Jacobian of its start, those directions
 * should be fixed to the body that turns less. If they were fixed to a rotor, they would turn with
 * the rotor: the step would correct tilt late, which adds numerical damping. So a block may
 * exchange the sides of its joint. */
#ifndef LK_COMPILE_CARRIERS_H
#define LK_COMPILE_CARRIERS_H

#include "model/model.h"

/** lk_carriers_find() - decide for each joint whether the sides of its block are exchanged. The
 * sides are exchanged if, at the start, the second body turns significantly faster about the axis
 * in a step of @h [s]. If both bodies turn equally, the sides are exchanged if the second body is
 * more joints away from the ground, or from the heaviest body of a mechanism without ground,
 * because the outer body may spin up. Only revolute and cylindrical joints without compliance are
 * exchanged.
 * @ret: n_joints. Return: 0, -ENOMEM. */
int lk_carriers_find(const struct lk_model *model, double h, int *ret);

/** lk_carriers_exchange() - return @def with its bodies exchanged and its axes reversed, so that
 * its coordinates keep their meaning. */
struct lk_joint_def lk_carriers_exchange(const struct lk_joint_def *def);

#endif
