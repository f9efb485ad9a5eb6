/* SPDX-License-Identifier: Apache-2.0 */
/* Constant-velocity joint of two shafts along f[0][2] and f[1][2]: four rows. The points coincide,
 * and the shafts can bend but not twist relative to each other. The last row is
 *
 *     (f[0][0] . f[1][1] - f[0][1] . f[1][0]) / 2 = 0
 *
 * This row is homokinetic. Proof: let the shafts run in two bearings. The second bearing is the
 * first, turned by the bend angle b about a line n perpendicular to the shaft. Let phi0 and phi1 be
 * the angles of the shafts in their bearings. Then the rotation of f[1] relative to f[0] is
 * Rz(-phi0) exp(b n) Rz(phi1) = exp(b n') Rz(delta), delta = phi1 - phi0, where n' = Rz(-phi0) n is
 * perpendicular to the shaft, too. The quaternion of this product has w = cos(b/2) cos(delta/2) and
 * z = cos(b/2) sin(delta/2), and the row is -2 w z = -(1 + cos b) / 2 sin(delta). For any bend
 * angle b < pi the row is zero if delta = 0: both shafts turn by the same angle at all times, hence
 * at the same rate. For nearly straight shafts the row is the twist itself [rad], because of the
 * factor 1/2. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_gap(j, pose, phi);
    phi[3] = 0.5 * (lk_rows_square(pose, j->f[0][0], j->f[1][1]) -
                    lk_rows_square(pose, j->f[0][1], j->f[1][0]));
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    lk_rows_point_load(j, pose, lambda, sum);
    lk_rows_square_load(pose, j->f[0][0], j->f[1][1], 0.5 * lambda[3], sum);
    lk_rows_square_load(pose, j->f[0][1], j->f[1][0], -0.5 * lambda[3], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double plus[2][3], minus[2][3];

    lk_rows_point_jacobian(j, pose, 0, 3, ret);
    lk_rows_square_directions(pose, j->f[0][0], j->f[1][1], plus[0], plus[1]);
    lk_rows_square_directions(pose, j->f[0][1], j->f[1][0], minus[0], minus[1]);
    for (int s = 0; s < 2; s++) {
        double row[6] = {0};

        for (int i = 0; i < 3; i++)
            row[3 + i] = 0.5 * (plus[s][i] - minus[s][i]);
        lk_jacobian_set_row(ret, s, 3, row);
    }
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_gap_gamma(j, pose, twist, ret);
    ret[3] = 0.5 * (lk_rows_square_gamma(pose, twist, j->f[0][0], j->f[1][1]) -
                    lk_rows_square_gamma(pose, twist, j->f[0][1], j->f[1][0]));
}

const struct lk_joint_type_ops lk_joint_constant_velocity = {
    .is_point = 1,
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
