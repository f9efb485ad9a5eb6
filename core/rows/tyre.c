/* SPDX-License-Identifier: Apache-2.0 */
/* Tyre: six rows, always compliant, between a wheel and a road (wheel.h). The first three are
 * velocities of the wheel relative to the road: along the road's normal, ahead and to the left.
 * These velocities are measured at the lowest point of the wheel (row 0) and for the wheel's
 * material at the contact point (rows 1 and 2). The last three are the relative angular velocity
 * about the axes ahead, left and normal. The value of row 0 is minus the penetration depth. No
 * coordinate has the rates of the other rows, so their value is zero.
 *
 * The multipliers are minus the forces and moments of the road on the wheel; the laws are in
 * step/elements/tyres.c. */
#include "rows/wheel.h"

/* compute the vector from the centre of mass of side @s to the point @at, world axes */
static void arm_to(const struct lk_pose *const *pose, int s, const double at[3], double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = at[i] - pose[s]->x[i];
}

/* Compute the Jacobian row of the velocity along @e of the point @at, side 1 relative to side 0. */
static void force_row(const struct lk_pose *const *pose, const double at[3], const double e[3],
                      double J[2][6])
{
    for (int s = 0; s < 2; s++) {
        double arm[3], moment[3], turn[3];

        arm_to(pose, s, at, arm);
        lk_cross(arm, e, moment);
        lk_rotate_back(pose[s]->R, moment, turn);
        for (int i = 0; i < 3; i++) {
            J[s][i] = -lk_jacobian_sign(s) * e[i];
            J[s][3 + i] = -lk_jacobian_sign(s) * turn[i];
        }
    }
}

static void moment_row(const struct lk_pose *const *pose, const double e[3], double J[2][6])
{
    for (int s = 0; s < 2; s++) {
        double turn[3];

        lk_rotate_back(pose[s]->R, e, turn);
        for (int i = 0; i < 3; i++) {
            J[s][i] = 0;
            J[s][3 + i] = -lk_jacobian_sign(s) * turn[i];
        }
    }
}

static void rows_of(const struct lk_joint *j, const struct lk_pose *const *pose, double J[6][2][6])
{
    struct lk_wheel w;
    double lowest[3];

    lk_wheel_at(j, pose, &w);
    for (int i = 0; i < 3; i++)
        lowest[i] = j->is_by_centre ? w.P[i] : w.c[i] - j->radius * w.er[i];
    force_row(pose, lowest, w.n, J[0]);
    force_row(pose, w.P, w.ex, J[1]);
    force_row(pose, w.P, w.el, J[2]);
    moment_row(pose, w.ex, J[3]);
    moment_row(pose, w.el, J[4]);
    moment_row(pose, w.n, J[5]);
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    struct lk_wheel w;

    lk_wheel_at(j, pose, &w);
    phi[0] = -w.depth;
    for (int r = 1; r < 6; r++)
        phi[r] = 0;
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[6][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < 6; r++)
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, r, J[r][s]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[6][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < 6; r++)
        for (int s = 0; s < 2; s++)
            for (int i = 0; i < 3; i++) {
                sum[s]->v[i] += lambda[r] * J[r][s][i];
                sum[s]->w[i] += lambda[r] * J[r][s][3 + i];
            }
}

const struct lk_joint_type_ops lk_joint_tyre = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = lk_rows_no_gamma,
};
