/* SPDX-License-Identifier: Apache-2.0 */
/* Which body of a hinge carries the directions of its rows.
 *
 * Two rows of a hinge hold the axis of side 0 square to two directions of side 1 (rows/table.h). A
 * step whose iterations have the Jacobian of its start wants those directions on the body that
 * turns less: on a rotor the rows turn with it, and what tilts it is found late, which damps. So a
 * block may have the sides of its joint exchanged. */
#ifndef LK_COMPILE_CARRIERS_H
#define LK_COMPILE_CARRIERS_H

#include "model/model.h"

/** lk_carriers_find() - for each joint, whether the sides of its block are exchanged: where its
 * second body turns faster about the axis as the model starts, by more than a step of @h [s] makes
 * matter; or, where neither does, is more joints away from the ground, or from the heaviest body of
 * a mechanism that hangs on nothing: what spins up hangs on what carries it. Revolute and
 * cylindrical joints without compliance alone. @ret: n_joints. Return: 0, -ENOMEM. */
int lk_carriers_find(const struct lk_model *model, double h, int *ret);

/** lk_carriers_exchange() - @def with its bodies exchanged and its axes reversed, so that its
 * coordinates keep their meaning. */
struct lk_joint_def lk_carriers_exchange(const struct lk_joint_def *def);

#endif
