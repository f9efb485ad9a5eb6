/* SPDX-License-Identifier: Apache-2.0 */
/* Sway: three rows, always compliant, that measure the gap between the end points of a rod along
 * the world axes, which do not rotate with the bodies. The law of the rows is the geometric
 * stiffness due to the tension in the rod, see step/elements/sway.h. */
#include "rows/rows.h"
#include <string.h>

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_rows_gap(j, pose, phi);
}

/* compute d(row)/d(x, theta) of the point on one side, along world axis @r */
static void row_of(const struct lk_joint *j, const struct lk_pose *pose, int side, int r,
                   double ret[6])
{
    double axis[3] = {0}, own[3];

    axis[r] = lk_jacobian_sign(side);
    lk_rotate_back(pose->R, axis, own);
    memcpy(ret, axis, sizeof(axis));
    lk_cross(j->p[side], own, ret + 3);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 2; s++) {
            double row[6];

            row_of(j, pose[s], s, r, row);
            lk_jacobian_set_row(ret, s, r, row);
        }
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 2; s++) {
            double row[6];

            row_of(j, pose[s], s, r, row);
            for (int i = 0; i < 3; i++) {
                sum[s]->v[i] += lambda[r] * row[i];
                sum[s]->w[i] += lambda[r] * row[3 + i];
            }
        }
}

const struct lk_joint_type_ops lk_joint_sway = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = lk_rows_no_gamma,
};
