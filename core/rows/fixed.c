/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed joint: the points coincide and the frames stay parallel, six rows. */
#include "rows/orientation.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_gap(j, pose, phi);
    lk_orientation_violation(j, pose, phi + 3);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_point_load(j, pose, lambda, sum);
    lk_orientation_load(j, pose, lambda + 3, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    lk_rows_point_jacobian(j, pose, ret);
    lk_orientation_jacobian(j, pose, 3, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_gap_gamma(j, pose, twist, ret);
    lk_orientation_gamma(j, pose, twist, ret + 3);
}

const struct lk_joint_type_ops lk_joint_fixed = {
    .is_point = 1,
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
