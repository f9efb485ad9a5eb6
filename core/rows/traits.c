/* SPDX-License-Identifier: Apache-2.0 */
/* The types of joint: names, rows, coordinates. */
#include "linkage/kinds.h"

const struct lk_joint_traits lk_joint_traits[LK_JOINT_TYPES] = {
    [LK_JOINT_REVOLUTE] = {"revolute", 5, 3, 1, {""}, 1},
    [LK_JOINT_SPHERICAL] = {"spherical", 3, 3, 0, {0}, 0},
    [LK_JOINT_PRISMATIC] = {"prismatic", 5, 2, 1, {""}, 0},
    [LK_JOINT_FIXED] = {"fixed", 6, 3, 0, {0}, 0},
    [LK_JOINT_CYLINDRICAL] = {"cylindrical", 4, 2, 2, {"travel", "angle"}, 2},
    [LK_JOINT_UNIVERSAL] = {"universal", 4, 3, 2, {"first", "second"}, 3},
    [LK_JOINT_PLANAR] = {"planar", 3, 1, 3, {"x", "y", "angle"}, 4},
    [LK_JOINT_SCREW] = {"screw", 5, 3, 1, {""}, 1},
    [LK_JOINT_POINT_ON_LINE] = {"point-on-line", 2, 2, 1, {""}, 0},
    [LK_JOINT_DISTANCE] = {"distance", 1, 1, 0, {0}, 0},
    [LK_JOINT_CONSTANT_VELOCITY] = {"constant-velocity", 4, 3, 0, {0}, 0},
    [LK_JOINT_CONE_ON_RAIL] = {"cone-on-rail", 1, 1, 0, {0}, 0},
    [LK_JOINT_GEAR] = {"gear", 1, 0, 0, {0}, 0},
    [LK_JOINT_RACK] = {"rack", 1, 1, 0, {0}, 0},
    [LK_JOINT_BUSHING] = {"bushing", 6, 3, 0, {0}, 0},
    [LK_JOINT_COORDINATE] = {"coordinate", 1, 0, 0, {0}, 0},
    [LK_JOINT_CREEP] = {"creep", 2, 2, 0, {0}, 0},
};
