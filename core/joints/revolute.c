/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute joint: the points coincide and the axis of body 0 stays square to two directions of
 * body 1, five rows. Its coordinate is the angle of body 1 against body 0 about the axis. */
#include "joints/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const pose[2], double *phi)
{
    lk_rows_gap(j, pose, phi);
    phi[3] = lk_rows_square(pose, j->f[0][2], j->f[1][0]);
    phi[4] = lk_rows_square(pose, j->f[0][2], j->f[1][1]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const pose[2],
                 const double *lambda, struct lk_twist *const sum[2])
{
    lk_rows_point_load(j, pose, lambda, sum);
    lk_rows_square_load(pose, j->f[0][2], j->f[1][0], lambda[3], sum);
    lk_rows_square_load(pose, j->f[0][2], j->f[1][1], lambda[4], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const pose[2],
                     struct lk_jacobian ret)
{
    lk_rows_point_jacobian(j, pose, ret);
    lk_rows_square_jacobian(pose, j->f[0][2], j->f[1][0], 3, ret);
    lk_rows_square_jacobian(pose, j->f[0][2], j->f[1][1], 4, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const pose[2],
                       const struct lk_twist *const twist[2], double *ret)
{
    lk_rows_gap_gamma(j, pose, twist, ret);
    ret[3] = lk_rows_square_gamma(pose, twist, j->f[0][2], j->f[1][0]);
    ret[4] = lk_rows_square_gamma(pose, twist, j->f[0][2], j->f[1][1]);
}

static double coordinate(const struct lk_joint *j, const struct lk_pose *const pose[2])
{
    double cosine = lk_rows_square(pose, j->f[0][0], j->f[1][0]);
    double sine = lk_rows_square(pose, j->f[0][1], j->f[1][0]);

    return j->coordinate + atan2(sine, cosine);
}

/* exact wherever the rigid rows hold: both axes are then one line */
static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const pose[2],
                                double J[2][6])
{
    (void)pose;
    for (int i = 0; i < 3; i++) {
        J[0][i] = J[1][i] = 0;
        J[0][3 + i] = -j->f[0][2][i];
        J[1][3 + i] = j->f[1][2][i];
    }
}

const struct lk_joint_type_ops lk_joint_revolute = {
    .name = "revolute",
    .unit = "rad",
    .rate_unit = "rad/s",
    .n_rigid = 5,
    .n_length = 3,
    .is_point = 1,
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
};
