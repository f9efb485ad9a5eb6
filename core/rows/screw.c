/* SPDX-License-Identifier: Apache-2.0 */
/* Screw joint, five rows: both axes lie on one line, and body 1 moves along this line by `pitch`
 * for each radian that it turns about it (right-handed for pitch > 0; the pitch is not 0). The
 * coordinate of the joint is the angle.
 *
 * The row of the thread is travel - pitch * angle modulo the lead, 2 pi pitch, reduced to half a
 * lead on either side of zero. The poses define the angle only modulo 2 pi. A thread is periodic
 * with the lead, so the reduced row is exact and needs no count of turns. A step keeps the row near
 * zero. There it is smooth, with the derivative of travel - pitch * angle, even when the angle
 * jumps from pi to -pi. The row has a jump at half a lead, between two grooves. */
#include "rows/rows.h"

#define THREAD 2 /* index of the row of the thread */

/* Reduce @x to half a lead on either side of zero. Unlike remainder(), this takes a fixed time;
 * both have only the round-off of @x. */
static double nearest_groove(const struct lk_joint *j, double x)
{
    double lead = 2 * M_PI * j->pitch;

    return x - lead * rint(x / lead);
}

/* Compute the change of the rows in a step. The pose defines the thread only modulo whole leads: if
 * the thread slips into the next groove, the change is the small motion across the groove, not a
 * jump back by a whole lead. */
static void way(const struct lk_joint *j, const double *before, const double *now, double *ret)
{
    for (int r = 0; r < j->n_rows; r++)
        ret[r] = now[r] - before[r];
    ret[THREAD] = nearest_groove(j, ret[THREAD]);
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    double off = lk_rows_travel(j, pose, 2) - j->pitch * lk_rows_angle(j, pose);

    lk_rows_slides(j, pose, 0, 2, phi);
    phi[THREAD] = nearest_groove(j, off);
    lk_rows_parallel(j, pose, phi + 3);
}

/* compute the Jacobian of the thread: exact at every pose, also if the axes are not parallel */
static void thread_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                            double J[2][6])
{
    double turn[2][3];

    lk_rows_travel_jacobian(j, pose, 2, J);
    lk_rows_angle_directions(j, pose, turn[0], turn[1]);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++)
            J[s][3 + i] -= j->pitch * turn[s][i];
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[2][6];

    lk_rows_slides_load(j, pose, 0, 2, lambda, sum);
    thread_jacobian(j, pose, J);
    lk_rows_add_load(2, J, lambda[THREAD], sum);
    lk_rows_parallel_load(j, pose, lambda + 3, sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[2][6];

    lk_rows_slides_jacobian(j, pose, 0, 2, 0, ret);
    thread_jacobian(j, pose, J);
    for (int s = 0; s < 2; s++)
        lk_jacobian_set_row(ret, s, THREAD, J[s]);
    lk_rows_parallel_jacobian(j, pose, 3, ret);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    lk_rows_slides_gamma(j, pose, twist, 0, 2, ret);
    ret[THREAD] =
        lk_rows_travel_gamma(j, pose, twist, 2) - j->pitch * lk_rows_angle_gamma(j, pose, twist);
    lk_rows_parallel_gamma(j, pose, twist, ret + 3);
}

static double coordinate(const struct lk_joint *j, const struct lk_pose *const *pose, int i)
{
    return j->coordinate[i] + lk_rows_angle(j, pose);
}

/* Compute the Jacobian of the angle; it is exact if the rigid rows hold. */
static void coordinate_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose, int i,
                                double J[2][6])
{
    (void)i;
    lk_rows_angle_coordinate_jacobian(j, pose, J);
}

/* Compute gamma of the angle. The axis is fixed in both bodies, so the rate of the angle depends on
 * the angular velocities only */
static double coordinate_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                               const struct lk_twist *const *twist, int i)
{
    (void)i;
    return lk_rows_angle_coordinate_gamma(j, pose, twist);
}

const struct lk_joint_type_ops lk_joint_screw = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
    .way = way,
    .coordinate = coordinate,
    .coordinate_jacobian = coordinate_jacobian,
    .coordinate_gamma = coordinate_gamma,
};
