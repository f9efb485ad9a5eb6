/* SPDX-License-Identifier: Apache-2.0 */
/* Cylindrical joint: both axes lie on one line, along and about which body 1 slides and turns: four
 * rows. Its coordinates are the travel along the axis and the angle about it. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_slides(j, pose, 0, 2, phi);
    lk_rows_parallel(j, pose, phi + 2);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_slides_load(j, pose, 0, 2, lambda, sum);
    lk_rows_parallel_load(j, pose, lambda + 2, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    lk_rows_slides_jacobian(j, pose, 0, 2, 0, ret);
    lk_rows_parallel_jacobian(j, pose, 2, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_slides_gamma(j, pose, twist, 0, 2, ret);
    lk_rows_parallel_gamma(j, pose, twist, ret + 2);
}

static double coordinate(const struct lk_joint *j, const struct lk_pose *const *pose, int i)
{
    return j->coordinate[i] + (i == 0 ? lk_rows_travel(j, pose, 2) : lk_rows_angle(j, pose));
}

/* that of the angle is exact where the rows hold */
static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose, int i,
                                double J[2][6])
{
    if (i == 0)
        lk_rows_travel_jacobian(j, pose, 2, J);
    else
        lk_rows_angle_coordinate_jacobian(j, pose, J);
}

/* the axis is fixed in both bodies: the rate of the angle depends on the angular velocities alone
 */
static double coordinate_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i)
{
    return i == 0 ? lk_rows_travel_gamma(j, pose, twist, 2)
                  : lk_rows_angle_coordinate_gamma(j, pose, twist);
}

const struct lk_joint_type_ops lk_joint_cylindrical = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
    .coordinate_gamma = coordinate_gamma,
};
