/* SPDX-License-Identifier: Apache-2.0 */
/* Frequency response of the washout for small cues, from the scaled cue to the driver, without the
 * limits and without coupling between axes. Thread: any. RT: no. */
#ifndef LK_CUEING_TRANSFER_H
#define LK_CUEING_TRANSFER_H

#include "cueing/washout.h"

/* axes of the specific force: surge, sway, heave; axes of the angular rate: roll, pitch, yaw */
#define LK_TRANSFER_AXES 6

/** struct lk_transfer - ratio of the cue felt on the platform to the scaled cue. @gain;
 * @phase: phase [rad], positive for a lead */
struct lk_transfer {
    double gain;
    double phase;
};

/** lk_transfer_at() - compute the response at @omega [rad/s]. Surge and sway combine travel
 * and tilt. Let H be the high-pass s^2/(s^2 + 2 z w s + w^2), multiplied by s/(s + leak) if
 * there is a leak, and L the low-pass of the tilt. The response is H + L, or H (1 - L) + L with
 * the attitude in the loop. */
struct lk_transfer lk_transfer_at(const struct lk_washout_set *set, int axis, double omega);

/** lk_transfer_sag() - find the frequency with the lowest gain of surge or sway.
 * lk_transfer_corner() - find the corner frequency of another axis, below which the gain is less
 * than 1/sqrt 2.
 * Return: the frequency [rad/s], within 1 %. */
double lk_transfer_sag(const struct lk_washout_set *set, int axis);
double lk_transfer_corner(const struct lk_washout_set *set, int axis);

#endif
