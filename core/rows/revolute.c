/* SPDX-License-Identifier: Apache-2.0 */
/* Revolute joint: the points coincide and the axis of body 0 stays square to two directions of
 * body 1, five rows. Its coordinate is the angle of body 1 against body 0 about the axis. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_gap(j, pose, phi);
    phi[3] = lk_rows_square(pose, j->f[0][2], j->f[1][0]);
    phi[4] = lk_rows_square(pose, j->f[0][2], j->f[1][1]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_point_load(j, pose, lambda, sum);
    lk_rows_square_load(pose, j->f[0][2], j->f[1][0], lambda[3], sum);
    lk_rows_square_load(pose, j->f[0][2], j->f[1][1], lambda[4], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    lk_rows_point_jacobian(j, pose, ret);
    lk_rows_square_jacobian(pose, j->f[0][2], j->f[1][0], 3, ret);
    lk_rows_square_jacobian(pose, j->f[0][2], j->f[1][1], 4, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_gap_gamma(j, pose, twist, ret);
    ret[3] = lk_rows_square_gamma(pose, twist, j->f[0][2], j->f[1][0]);
    ret[4] = lk_rows_square_gamma(pose, twist, j->f[0][2], j->f[1][1]);
}

static double coordinate(const struct lk_joint *j, const struct lk_pose *const *pose, int i)
{
    double cosine = lk_rows_square(pose, j->f[0][0], j->f[1][0]);
    double sine = lk_rows_square(pose, j->f[0][1], j->f[1][0]);

    (void)i;
    return j->coordinate[0] + atan2(sine, cosine);
}

/* exact wherever the rigid rows hold: both axes are then one line */
static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose, int i,
                                double J[2][6])
{
    (void)i;
    lk_rows_angle_coordinate_jacobian(j, pose, J);
}

/* the axis is fixed in both bodies, so the rate depends on nothing but the angular velocities */
static double coordinate_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i)
{
    (void)i;
    return lk_rows_angle_coordinate_gamma(j, pose, twist);
}

const struct lk_joint_type_ops lk_joint_revolute = {
    .is_point = 1,
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
    .coordinate_gamma = coordinate_gamma,
};
