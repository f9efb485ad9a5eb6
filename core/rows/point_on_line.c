/* SPDX-License-Identifier: Apache-2.0 */
/* Point on line: the point of body 1 stays on the axis of body 0 and body 1 turns as it likes, two
 * rows. Its coordinate is the travel along the axis. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_slides(j, pose, 0, 2, phi);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_slides_load(j, pose, 0, 2, lambda, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    lk_rows_slides_jacobian(j, pose, 0, 2, 0, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_slides_gamma(j, pose, twist, 0, 2, ret);
}

static double coordinate(const struct lk_joint *j, const struct lk_pose *const *pose, int i)
{
    return j->coordinate[i] + lk_rows_travel(j, pose, 2);
}

static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose, int i,
                                double J[2][6])
{
    (void)i;
    lk_rows_travel_jacobian(j, pose, 2, J);
}

static double coordinate_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i)
{
    (void)i;
    return lk_rows_travel_gamma(j, pose, twist, 2);
}

const struct lk_joint_type_ops lk_joint_point_on_line = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
    .coordinate_gamma = coordinate_gamma,
};
