/* SPDX-License-Identifier: Apache-2.0 */
/* The types of joint: names, rows, coordinates. */
#include "rows/table.h"

/* bit mask of the coordinates that are angles */
#define ANGLES_OF(a, b, c, ...)                                                                    \
    (((a) >= LK_ABOUT_AXIS) | ((b) >= LK_ABOUT_AXIS) << 1 | ((c) >= LK_ABOUT_AXIS) << 2)
#define ANGLES(...) ANGLES_OF(__VA_ARGS__, 0, 0, 0)

/* lk_points_rows() as constants */
enum { ROWS_NONE = 0, ROWS_XYZ = 3, ROWS_YZ = 2, ROWS_ZX = 2, ROWS_XY = 2 };

const struct lk_joint_traits lk_joint_traits[LK_JOINT_TYPES] = {
#define X(NAME, TEXT, POINTS, SLIDES, SQUARES, GEOMETRY, FRAMES, NAMES, MEASURES)                  \
    [LK_JOINT_##NAME] = {.name = TEXT,                                                             \
                         .n_rows = ROWS_##POINTS + SLIDES + SQUARES,                               \
                         .n_length = ROWS_##POINTS + SLIDES,                                       \
                         .n_coordinates = LK_COUNT MEASURES,                                       \
                         .coordinate = {LK_UNWRAP(NAMES)},                                         \
                         .is_angle = ANGLES MEASURES},
    LK_JOINT_KINDS(X)
#undef X
        [LK_JOINT_SCREW] = {"screw", 5, 3, 1, {""}, 1},
    [LK_JOINT_DISTANCE] = {"distance", 1, 1, 0, {0}, 0},
    [LK_JOINT_CONSTANT_VELOCITY] = {"constant-velocity", 4, 3, 0, {0}, 0},
    [LK_JOINT_CONE_ON_RAIL] = {"cone-on-rail", 1, 1, 0, {0}, 0},
    [LK_JOINT_SKATE] = {"skate", 1, 1, 0, {0}, 0, .n_slips = 1},
    [LK_JOINT_ROLLING] = {"rolling", 3, 3, 0, {0}, 0, .n_slips = 2},
    [LK_JOINT_GEAR] = {"gear", 1, 0, 0, {0}, 0},
    [LK_JOINT_RACK] = {"rack", 1, 1, 0, {0}, 0},
    [LK_JOINT_DIFFERENTIAL] = {"differential", 1, 0, 0, {0}, 0},
    [LK_JOINT_BUSHING] = {"bushing", 6, 3, 0, {0}, 0},
    [LK_JOINT_COORDINATE] = {"coordinate", 1, 0, 0, {0}, 0},
    [LK_JOINT_CREEP] = {"creep", 2, 2, 0, {0}, 0},
    [LK_JOINT_AIR] = {"drag", 3, 3, 0, {0}, 0},
    [LK_JOINT_SWAY] = {"sway", 3, 3, 0, {0}, 0},
    [LK_JOINT_CONTACT] = {"contact", 3, 3, 0, {0}, 0},
    [LK_JOINT_TYRE] = {"tyre", 6, 3, 0, {0}, 0},
    [LK_JOINT_PIN] = {"pin", 3, 3, 1, {""}, 1},
    [LK_JOINT_PIVOT] = {"pivot", 0, 0, 1, {""}, 1},
};
