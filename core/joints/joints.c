/* SPDX-License-Identifier: Apache-2.0 */
/* The table of joint types: a new type is a file of its own and a line here. */
#include "joints/joint.h"

const struct lk_joint_type_ops *const lk_joint_types[LK_JOINT_TYPES] = {
    [LK_JOINT_REVOLUTE] = &lk_joint_revolute,
    [LK_JOINT_SPHERICAL] = &lk_joint_spherical,
    [LK_JOINT_PRISMATIC] = &lk_joint_prismatic,
    [LK_JOINT_FIXED] = &lk_joint_fixed,
};
