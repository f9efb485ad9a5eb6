/* SPDX-License-Identifier: Apache-2.0 */
/* Planar joint: the point of body 1 stays in a plane of body 0, whose normal is the axis of both:
 * three rows. Its coordinates are x and y of that point in the plane and the angle about the
 * normal. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_slides(j, pose, 2, 1, phi);
    lk_rows_parallel(j, pose, phi + 1);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_slides_load(j, pose, 2, 1, lambda, sum);
    lk_rows_parallel_load(j, pose, lambda + 1, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    lk_rows_slides_jacobian(j, pose, 2, 1, 0, ret);
    lk_rows_parallel_jacobian(j, pose, 1, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_slides_gamma(j, pose, twist, 2, 1, ret);
    lk_rows_parallel_gamma(j, pose, twist, ret + 1);
}

static double coordinate(const struct lk_joint *j, const struct lk_pose *const *pose, int i)
{
    return j->coordinate[i] + (i < 2 ? lk_rows_travel(j, pose, i) : lk_rows_angle(j, pose));
}

/* that of the angle is exact where the rows hold */
static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose, int i,
                                double J[2][6])
{
    if (i < 2)
        lk_rows_travel_jacobian(j, pose, i, J);
    else
        lk_rows_angle_coordinate_jacobian(j, pose, J);
}

/* the normal is fixed in both bodies: the rate of the angle depends on the angular velocities alone
 */
static double coordinate_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i)
{
    return i < 2 ? lk_rows_travel_gamma(j, pose, twist, i)
                 : lk_rows_angle_coordinate_gamma(j, pose, twist);
}

const struct lk_joint_type_ops lk_joint_planar = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
    .coordinate_gamma = coordinate_gamma,
};
