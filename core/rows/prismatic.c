/* SPDX-License-Identifier: Apache-2.0 */
/* Prismatic joint: the point of body 1 stays on the axis of body 0 and the frames stay parallel,
 * five rows. Its coordinate is the travel of body 1 along the axis of body 0. */
#include "rows/orientation.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    phi[0] = lk_rows_sliding(pose, j->f[0][0], d);
    phi[1] = lk_rows_sliding(pose, j->f[0][1], d);
    lk_orientation_violation(j, pose, phi + 2);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    lk_rows_sliding_load(j, pose, j->f[0][0], d, lambda[0], sum);
    lk_rows_sliding_load(j, pose, j->f[0][1], d, lambda[1], sum);
    lk_orientation_load(j, pose, lambda + 2, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    for (int i = 0; i < 2; i++) {
        double J[2][6];

        lk_rows_sliding_jacobian(j, pose, j->f[0][i], d, J[0], J[1]);
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, i, J[s]);
    }
    lk_orientation_jacobian(j, pose, 2, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    double d[3], rate[3], gamma[3];

    lk_rows_gap(j, pose, d);
    lk_rows_gap_rate(j, pose, twist, rate);
    lk_rows_gap_gamma(j, pose, twist, gamma);
    for (int i = 0; i < 2; i++)
        ret[i] = lk_rows_sliding_gamma(pose, twist, j->f[0][i], d, rate, gamma);
    lk_orientation_gamma(j, pose, twist, ret + 2);
}

/* d = P0 - P1, so the travel of body 1 is -axis . d */
static double coordinate(const struct lk_joint *j, const struct lk_pose *const *pose, int i)
{
    double d[3];

    (void)i;
    lk_rows_gap(j, pose, d);
    return j->coordinate[0] - lk_rows_sliding(pose, j->f[0][2], d);
}

static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose, int i,
                                double J[2][6])
{
    double d[3];

    (void)i;
    lk_rows_gap(j, pose, d);
    lk_rows_sliding_jacobian(j, pose, j->f[0][2], d, J[0], J[1]);
    for (int k = 0; k < 6; k++) {
        J[0][k] = -J[0][k];
        J[1][k] = -J[1][k];
    }
}

static double coordinate_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i)
{
    double d[3], rate[3], gamma[3];

    (void)i;
    lk_rows_gap(j, pose, d);
    lk_rows_gap_rate(j, pose, twist, rate);
    lk_rows_gap_gamma(j, pose, twist, gamma);
    return -lk_rows_sliding_gamma(pose, twist, j->f[0][2], d, rate, gamma);
}

const struct lk_joint_type_ops lk_joint_prismatic = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
    .coordinate_gamma = coordinate_gamma,
};
