/* SPDX-License-Identifier: Apache-2.0 */
/* Tyre: six rows, always compliant, of a wheel on a road (wheel.h): along the normal, ahead
 * and to the left, and about these three axes. Their rates are those of the wheel relative to
 * the road: of its lowest point along the normal, of its material at the contact point along the
 * road, and of its rotation about the axes of the contact. The first row has a value, the
 * distance of its lowest point from the road; no coordinate has the rates of the others.
 *
 * The multipliers are minus the forces and moments of the road on the wheel; their laws are in
 * step/elements/tyres.c. */
#include "rows/wheel.h"

/* compute the vector from the centre of mass of side @s to the point @at, world axes */
static void arm_to(const struct lk_pose *const *pose, int s, const double at[3], double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = at[i] - pose[s]->x[i];
}

/* compute the row of the velocity of the point @at of side 1 relative to side 0, along @e */
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
