/* SPDX-License-Identifier: Apache-2.0 */
/* Air: three rows, always compliant, that measure the velocity of a point of the body (side 1)
 * along the body-fixed axes f[1]. Side 0 is the ground. These velocities are not rates of any
 * coordinate, so the value of a row is zero. The drag law of the rows depends on all three rates at
 * once, see lk_air_follow(). */
#include "rows/rows.h"

/* Compute d(row)/d(x, theta) of the body: [R f, p x f]. */
static void row_of(const struct lk_joint *j, const struct lk_pose *pose, int r, double ret[6])
{
    lk_rotate(pose->R, j->f[1][r], ret);
    lk_cross(j->p[1], j->f[1][r], ret + 3);
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    (void)j;
    (void)pose;
    phi[0] = phi[1] = phi[2] = 0;
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    for (int r = 0; r < 3; r++) {
        double row[2][6] = {{0}};

        row_of(j, pose[1], r, row[1]);
        for (int i = 0; i < 3; i++)
            row[0][i] =
                -row[1][i]; /* row of the ground, without rotation: the ground never moves */
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, r, row[s]);
    }
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    for (int r = 0; r < 3; r++) {
        double row[6];

        row_of(j, pose[1], r, row);
        for (int i = 0; i < 3; i++) {
            sum[0]->v[i] -= lambda[r] * row[i];
            sum[1]->v[i] += lambda[r] * row[i];
            sum[1]->w[i] += lambda[r] * row[3 + i];
        }
    }
}

const struct lk_joint_type_ops lk_joint_air = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = lk_rows_no_gamma,
};
