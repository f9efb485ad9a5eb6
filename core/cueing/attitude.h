/* SPDX-License-Identifier: Apache-2.0 */
/* Roll, pitch, yaw: a turn about z by yaw, then about the new y by pitch, then about the new x by
 * roll, R = Rz Ry Rx; as in the datagrams of `motion` (doc/reference/sending.md). */
#ifndef LK_CUEING_ATTITUDE_H
#define LK_CUEING_ATTITUDE_H

#include "maths/elementary.h"
#include "maths/vec.h"

/** lk_attitude_matrix() - compute R, row-major, which turns platform vectors into room vectors.
 * @angle: roll, pitch, yaw [rad], each at most 1e5 */
LK_INLINE void lk_attitude_matrix(const double angle[3], double R[9])
{
    double s[3], c[3];

    for (int i = 0; i < 3; i++)
        lk_sin_cos(angle[i], &s[i], &c[i]);
    R[0] = c[2] * c[1];
    R[1] = c[2] * s[1] * s[0] - s[2] * c[0];
    R[2] = c[2] * s[1] * c[0] + s[2] * s[0];
    R[3] = s[2] * c[1];
    R[4] = s[2] * s[1] * s[0] + c[2] * c[0];
    R[5] = s[2] * s[1] * c[0] - c[2] * s[0];
    R[6] = -s[1];
    R[7] = c[1] * s[0];
    R[8] = c[1] * c[0];
}

/** lk_attitude_rates() - compute the rates of the angles from the angular velocity @w in platform
 * axes. Pitch is limited to 1.4 rad, because the rates are singular at a quarter turn. */
LK_INLINE void lk_attitude_rates(const double angle[3], const double w[3], double rate[3])
{
    double pitch = fmin(fmax(angle[1], -1.4), 1.4);
    double s0, c0, s1, c1, turn;

    lk_sin_cos(angle[0], &s0, &c0);
    lk_sin_cos(pitch, &s1, &c1);
    turn = (w[1] * s0 + w[2] * c0) / c1;
    rate[0] = w[0] + turn * s1;
    rate[1] = w[1] * c0 - w[2] * s0;
    rate[2] = turn;
}

/** lk_attitude_axes() - compute A, row-major: the angular velocity in the room is A times the rates
 * of the angles. */
LK_INLINE void lk_attitude_axes(const double angle[3], double A[9])
{
    double s1, c1, s2, c2;

    lk_sin_cos(angle[1], &s1, &c1);
    lk_sin_cos(angle[2], &s2, &c2);
    A[0] = c2 * c1;
    A[1] = -s2;
    A[2] = 0;
    A[3] = s2 * c1;
    A[4] = c2;
    A[5] = 0;
    A[6] = -s1;
    A[7] = 0;
    A[8] = 1;
}

#endif
