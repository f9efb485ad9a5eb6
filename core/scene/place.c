/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of the elements of a scene at the poses of its bodies. */
#include "linkage/kinds.h"
#include "linkage/scene.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"

#include <string.h>

void lk_scene_turn(const double *poses, int body, const double local[3], double ret[3])
{
    LK_ARITHMETIC;
    double R[9];

    if (body < 0) {
        memcpy(ret, local, 3 * sizeof(*ret));
        return;
    }
    lk_quat_matrix(poses + (ptrdiff_t)LK_POSE_SIZE * body + 3, R);
    lk_rotate(R, local, ret);
}

void lk_scene_place(const double *poses, int body, const double local[3], double ret[3])
{
    LK_ARITHMETIC;

    lk_scene_turn(poses, body, local, ret);
    for (int k = 0; k < 3 && body >= 0; k++)
        ret[k] += poses[(ptrdiff_t)LK_POSE_SIZE * body + k];
}

/* compute two unit vectors orthogonal to each other and to @axis */
static void square_to(const double axis[3], double first[3], double second[3])
{
    int least = 0;
    double along;

    for (int k = 1; k < 3; k++)
        if (fabs(axis[k]) < fabs(axis[least]))
            least = k;
    along = axis[least];
    for (int k = 0; k < 3; k++)
        first[k] = (k == least) - along * axis[k];
    along = lk_norm(first);
    for (int k = 0; k < 3; k++)
        first[k] /= along;
    lk_cross(axis, first, second);
}

int lk_scene_span(const struct lk_scene *scene, const struct lk_shape *shape, const double *poses,
                  double (*ret)[3])
{
    LK_ARITHMETIC;
    double end[2][3], way[3], axis[3], first[3], second[3], length;
    int n = LK_SPAN_POINTS;

    lk_scene_place(poses, shape->body, scene->point[shape->first_point], end[0]);
    lk_scene_place(poses, shape->to, scene->point[shape->first_point + 1], end[1]);
    lk_sub(end[1], end[0], way);
    length = lk_norm(way);
    if (shape->part != LK_PART_SPRING || !(length > 0)) {
        memcpy(ret, end, sizeof(end));
        return 2;
    }
    for (int k = 0; k < 3; k++)
        axis[k] = way[k] / length;
    square_to(axis, first, second);
    for (int i = 0; i < n; i++) {
        /* straight ends, between them turns as a zigzag, half of it sideways and half
         * backwards */
        double at = i == 0 || i == n - 1 ? i / (n - 1.0) : 0.15 + 0.7 * (i - 1) / (n - 3.0);
        double aside = i < 2 || i > n - 3 ? 0 : i % 2 ? shape->size[0] : -shape->size[0];

        for (int k = 0; k < 3; k++)
            ret[i][k] = end[0][k] + at * way[k] + 0.5 * aside * (first[k] + second[k]) * M_SQRT1_2;
    }
    return n;
}

/* return the component of @gap that the joint constrains, along or across its axis */
static double held_shift(const struct lk_scene_joint *j, const double gap[3], const double axis[3])
{
    double along = lk_dot(gap, axis), across[3];

    for (int k = 0; k < 3; k++)
        across[k] = gap[k] - along * axis[k];
    switch ((enum lk_joint_type)j->kind) {
    case LK_JOINT_PRISMATIC:
    case LK_JOINT_CYLINDRICAL:
    case LK_JOINT_SCREW:
    case LK_JOINT_POINT_ON_LINE:
        return lk_norm(across);
    case LK_JOINT_PLANAR:
        return fabs(along);
    case LK_JOINT_DISTANCE:
        return fabs(lk_norm(gap) - j->length);
    case LK_JOINT_CONE_ON_RAIL:
    case LK_JOINT_SKATE:
    case LK_JOINT_ROLLING:
        return 0;
    default:
        return lk_norm(gap);
    }
}

void lk_scene_gap(const struct lk_scene *scene, int joint, const double *poses,
                  struct lk_scene_gap *ret)
{
    LK_ARITHMETIC;
    const struct lk_scene_joint *j = &scene->joint[joint];
    double axis[2][3], gap[3], normal[3];

    for (int s = 0; s < 2; s++) {
        lk_scene_place(poses, j->body[s], j->point[s], ret->place[s]);
        lk_scene_turn(poses, j->body[s], j->axis[s], axis[s]);
    }
    lk_sub(ret->place[1], ret->place[0], gap);
    ret->shift = held_shift(j, gap, axis[0]);
    ret->tilt = 0;
    lk_cross(axis[0], axis[1], normal);
    if (!j->has_axis)
        return;
    if (j->kind == LK_JOINT_REVOLUTE || j->kind == LK_JOINT_PRISMATIC ||
        j->kind == LK_JOINT_CYLINDRICAL || j->kind == LK_JOINT_SCREW || j->kind == LK_JOINT_PLANAR)
        ret->tilt = atan2(lk_norm(normal), lk_dot(axis[0], axis[1]));
    if (j->kind == LK_JOINT_UNIVERSAL)
        ret->tilt = fabs(atan2(lk_dot(axis[0], axis[1]), lk_norm(normal)));
}
