/* SPDX-License-Identifier: Apache-2.0 */
/* Spherical joint: the points coincide, three rows. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_gap(j, pose, phi);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_point_load(j, pose, lambda, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    lk_rows_point_jacobian(j, pose, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_gap_gamma(j, pose, twist, ret);
}

const struct lk_joint_type_ops lk_joint_spherical = {
    .is_point = 1,
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
