/* SPDX-License-Identifier: Apache-2.0 */
/* Definition of the joint types by their rows, one line for each type. The step, the batched step,
 * the compiler and the reader of models use this table. The rows are the basic constraints of E. J.
 * Haug (Computer-aided kinematics and dynamics of mechanical systems, 1989, ch. 9): with the point
 * P and the frame f of the joint on either body, d = P0 - P1,
 *
 *   point     d = 0                                       three rows [m]     Haug: spherical;
 *                                                         a pin: two, perpendicular to a world axis
 *   slide     n . d = 0, n a direction of side 0          one row [m]        dot-2
 *   square    u . v = 0, u of side 0 and v of side 1      one row [rad]      dot-1
 *
 * in this order. A slider is a prismatic joint of bodies that move in a plane. Direction 1 of its
 * side 0 is the normal of the plane; its one square row constrains the angle about this normal.
 * Joints with other rows (distance, screw, cone on rail, ...) have their own files. */
#ifndef LK_ROWS_TABLE_H
#define LK_ROWS_TABLE_H

#include "linkage/kinds.h"

/** enum lk_frame_rule - initial orientation of a joint's frames; f[s][2] is the axis.
 * WORLD: along the world's axes;  AXIS: f[s][0] and f[s][1] are arbitrary;  PLANE: f[s][0] is the
 * direction x of the model;  CROSS: f[s][0] is the axis of the other side */
enum lk_frame_rule { LK_FRAMES_WORLD, LK_FRAMES_AXIS, LK_FRAMES_PLANE, LK_FRAMES_CROSS };

/** enum lk_measure - meaning of a coordinate: travel of P1 along f[0][k]; the angle about the
 * common axis; the angle of a universal joint about the axis of side 0 or of side 1. */
enum lk_measure {
    LK_NO_MEASURE,
    LK_ALONG_0,
    LK_ALONG_1,
    LK_ALONG_2,
    LK_ABOUT_AXIS,
    LK_ABOUT_FIRST,
    LK_ABOUT_SECOND
};

/** enum lk_point_rows - which point rows a joint has, in the order of their world axes. */
enum lk_point_rows { LK_POINTS_NONE, LK_POINTS_XYZ, LK_POINTS_YZ, LK_POINTS_ZX, LK_POINTS_XY };

/** lk_points_rows() - return the number of point rows;  lk_points_first() - return the world
 * axis of the first point row. The axes of the other rows follow in cyclic order. RT: yes. */
static inline int lk_points_rows(enum lk_point_rows points)
{
    return points == LK_POINTS_NONE ? 0 : points == LK_POINTS_XYZ ? 3 : 2;
}

static inline int lk_points_first(enum lk_point_rows points)
{
    return points < LK_POINTS_YZ ? 0 : ((int)points - LK_POINTS_XYZ) % 3;
}

/** struct lk_joint_kind - rows of a joint type: points, then slides, then squares.
 * @point:  point rows of the type
 * @slide:  direction of side 0 of each of the @n_slide slides
 * @square: direction of side 0 and of side 1 of each of the @n_square squares, as indices in
 *          @dir
 * @dir:    the @n_dir directions of each side in use: indices of struct lk_joint.f
 * @n_coordinates, @measure: coordinates of the free motions of the joint */
struct lk_joint_kind {
    enum lk_point_rows point;
    int n_slide;
    int n_square;
    int n_dir[2];
    int dir[2][3];
    int slide[2];
    int square[3][2];
    enum lk_frame_rule frames;
    int n_coordinates;
    enum lk_measure measure[LK_COORDINATES_MAX];
};

/* X(name as in a model file; points, slides, squares; directions in use, slides and squares as in
 * struct lk_joint_kind; frames; names and measures of the coordinates) */
#define LK_JOINT_KINDS(X)                                                                          \
    X(SPHERICAL, "spherical", XYZ, 0, 0, ({0, 0}, {{0}, {0}}, {0}, {{0}}), WORLD, (0),             \
      (LK_NO_MEASURE))                                                                             \
    X(REVOLUTE, "revolute", XYZ, 0, 2, ({1, 2}, {{2}, {0, 1}}, {0}, {{0, 0}, {0, 1}}), AXIS, (""), \
      (LK_ABOUT_AXIS))                                                                             \
    X(FIXED, "fixed", XYZ, 0, 3, ({3, 3}, {{0, 1, 2}, {0, 1, 2}}, {0}, {{0, 1}, {1, 2}, {2, 0}}),  \
      WORLD, (0), (LK_NO_MEASURE))                                                                 \
    X(UNIVERSAL, "universal", XYZ, 0, 1, ({1, 1}, {{2}, {2}}, {0}, {{0, 0}}), CROSS,               \
      ("first", "second"), (LK_ABOUT_FIRST, LK_ABOUT_SECOND))                                      \
    X(PRISMATIC, "prismatic", NONE, 2, 3,                                                          \
      ({3, 3}, {{0, 1, 2}, {0, 1, 2}}, {0, 1}, {{0, 1}, {1, 2}, {2, 0}}), AXIS, (""),              \
      (LK_ALONG_2))                                                                                \
    X(CYLINDRICAL, "cylindrical", NONE, 2, 2,                                                      \
      ({3, 2}, {{0, 1, 2}, {0, 1}}, {0, 1}, {{2, 0}, {2, 1}}), AXIS, ("travel", "angle"),          \
      (LK_ALONG_2, LK_ABOUT_AXIS))                                                                 \
    X(PLANAR, "planar", NONE, 1, 2, ({1, 2}, {{2}, {0, 1}}, {0}, {{0, 0}, {0, 1}}), PLANE,         \
      ("x", "y", "angle"), (LK_ALONG_0, LK_ALONG_1, LK_ABOUT_AXIS))                                \
    X(SLIDER, "slider", NONE, 2, 1, ({3, 1}, {{0, 1, 2}, {0}}, {0, 1}, {{2, 0}}), PLANE, (""),     \
      (LK_ALONG_2))                                                                                \
    X(POINT_ON_LINE, "point-on-line", NONE, 2, 0, ({2, 0}, {{0, 1}, {0}}, {0, 1}, {{0}}), AXIS,    \
      (""), (LK_ALONG_2))                                                                          \
    X(PIN_X, "pin-x", YZ, 0, 0, ({0, 0}, {{0}, {0}}, {0}, {{0}}), AXIS, (""), (LK_ABOUT_AXIS))     \
    X(PIN_Y, "pin-y", ZX, 0, 0, ({0, 0}, {{0}, {0}}, {0}, {{0}}), AXIS, (""), (LK_ABOUT_AXIS))     \
    X(PIN_Z, "pin-z", XY, 0, 0, ({0, 0}, {{0}, {0}}, {0}, {{0}}), AXIS, (""), (LK_ABOUT_AXIS))

enum lk_kind {
#define X(NAME, ...) LK_KIND_##NAME,
    LK_JOINT_KINDS(X)
#undef X
        LK_KINDS
};

#define LK_BRACES(...)            __VA_ARGS__
#define LK_UNWRAP(x)              LK_BRACES x
#define LK_COUNT_OF(a, b, c, ...) (((a) > 0) + ((b) > 0) + ((c) > 0))
#define LK_COUNT(...)             LK_COUNT_OF(__VA_ARGS__, 0, 0, 0)

static const struct lk_joint_kind lk_joint_kinds[LK_KINDS] = {
#define X(NAME, TEXT, POINTS, SLIDES, SQUARES, GEOMETRY, FRAMES, NAMES, MEASURES)                  \
    [LK_KIND_##NAME] = {LK_POINTS_##POINTS,                                                        \
                        SLIDES,                                                                    \
                        SQUARES,                                                                   \
                        LK_UNWRAP(GEOMETRY),                                                       \
                        LK_FRAMES_##FRAMES,                                                        \
                        LK_COUNT MEASURES,                                                         \
                        {LK_UNWRAP(MEASURES)}},
    LK_JOINT_KINDS(X)
#undef X
};

/** lk_kind_of() - return the line with the rows of @type, or LK_KINDS for types with their own
 * file. RT: yes. */
static inline enum lk_kind lk_kind_of(enum lk_joint_type type)
{
    switch (type) {
#define X(NAME, ...)                                                                               \
    case LK_JOINT_##NAME:                                                                          \
        return LK_KIND_##NAME;
        LK_JOINT_KINDS(X)
#undef X
    case LK_JOINT_PIN:
        return LK_KIND_SPHERICAL;
    default:
        return LK_KINDS;
    }
}

/** lk_kind_point_rows() - return the number of point rows of a joint;  lk_kind_rows() -
 * return the number of all rows. */
static inline int lk_kind_point_rows(const struct lk_joint_kind *k)
{
    return lk_points_rows(k->point);
}

static inline int lk_kind_rows(const struct lk_joint_kind *k)
{
    return lk_kind_point_rows(k) + k->n_slide + k->n_square;
}

#endif
