/* SPDX-License-Identifier: Apache-2.0 */
/* Distance: one row, |d| - length = 0, which keeps two points at a fixed distance, like a rod. If
 * the row is compliant, it is a spring and damper between the points. With n = d / |d|
 *
 *   rate  n . d'                   d' the rate of the gap
 *   gamma n . d'' + (d' . d' - (n . d')^2) / |d|
 *
 * If the points coincide, d has no direction: n is then zero, and the row has no effect. */
#include "rows/rows.h"

/* Compute n and return 1 / |d|. A norm below 1 pm is replaced by 1 pm, to avoid a division by zero.
 */
static double direction(const struct lk_joint *j, const struct lk_pose *const *pose, double n[3])
{
    double inverse;

    lk_rows_gap(j, pose, n);
    inverse = 1 / lk_max(lk_norm(n), 1e-12);
    for (int i = 0; i < 3; i++)
        n[i] *= inverse;
    return inverse;
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    double d[3];

    lk_rows_gap(j, pose, d);
    phi[0] = lk_norm(d) - j->length;
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double n[3];

    direction(j, pose, n);
    for (int i = 0; i < 3; i++)
        n[i] *= lambda[0];
    lk_rows_point_load(j, pose, n, sum);
}

/* Compute the Jacobian of each side: sign [n, p x R^T n]. */
static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double n[3];

    direction(j, pose, n);
    for (int s = 0; s < 2; s++) {
        double row[6], in_body[3];

        lk_rotate_back(pose[s]->R, n, in_body);
        lk_cross(j->p[s], in_body, row + 3);
        for (int i = 0; i < 3; i++) {
            row[i] = lk_jacobian_sign(s) * n[i];
            row[3 + i] *= lk_jacobian_sign(s);
        }
        lk_jacobian_set_row(ret, s, 0, row);
    }
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    double n[3], rate[3], gamma[3];
    double inverse = direction(j, pose, n);
    double along;

    lk_rows_gap_rate(j, pose, twist, rate);
    lk_rows_gap_gamma(j, pose, twist, gamma);
    along = lk_dot(n, rate);
    ret[0] = lk_dot(n, gamma) + (lk_dot(rate, rate) - along * along) * inverse;
}

const struct lk_joint_type_ops lk_joint_distance = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
