/* SPDX-License-Identifier: Apache-2.0 */
/* The specific force that a driver feels on a platform. */
#ifndef LK_CUEING_FELT_H
#define LK_CUEING_FELT_H

#include "cueing/attitude.h"
#include "cueing/washout.h"

/** lk_felt_force() - compute the specific force at the middle one of three successive poses.
 * @pose: x y z [m], roll pitch yaw [rad];  @head: of the driver, platform axes [m]
 * @h:    time between two poses [s]
 * @ret:  platform axes, +g along z at rest [m/s^2] */
LK_INLINE void lk_felt_force(const double pose[3][6], const double head[3], double h, double ret[3])
{
    double R[3][9], a[3], at[3];

    for (int i = 0; i < 3; i++)
        lk_attitude_matrix(pose[i] + 3, R[i]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            at[i] = pose[i][k] + R[i][3 * k] * head[0] + R[i][3 * k + 1] * head[1] +
                    R[i][3 * k + 2] * head[2];
        a[k] = (at[2] - 2 * at[1] + at[0]) / (h * h) + (k == 2 ? LK_CUEING_GRAVITY : 0);
    }
    lk_rotate_back(R[1], a, ret);
}

#endif
