/* SPDX-License-Identifier: Apache-2.0 */
/* What of a small cue reaches the driver, by its frequency: the washout without its limits, and
 * without what turns one axis into another. Thread: any. RT: no. */
#ifndef LK_CUEING_TRANSFER_H
#define LK_CUEING_TRANSFER_H

#include "cueing/washout.h"

/* Of the specific force: surge, sway, heave; of the angular rate: roll, pitch, yaw. */
#define LK_TRANSFER_AXES 6

/** struct lk_transfer - felt on the platform over scaled. @gain; @phase [rad], more than 0: ahead
 */
struct lk_transfer {
    double gain;
    double phase;
};

/** lk_transfer_at() - at @omega [rad/s]. Surge and sway are travel and tilt together: with H the
 * high-pass s^2/(s^2 + 2 z w s + w^2), by s/(s + leak) where there is one, and L the low-pass of
 * the tilt, H + L, or H (1 - L) + L where the attitude is in the loop. */
struct lk_transfer lk_transfer_at(const struct lk_washout_set *set, int axis, double omega);

/** lk_transfer_sag() - surge and sway: the lowest gain of all frequencies.
 * lk_transfer_corner() - the others: below it less than 1/sqrt 2 is felt.
 * Return: the frequency [rad/s], within 1 %. */
double lk_transfer_sag(const struct lk_washout_set *set, int axis);
double lk_transfer_corner(const struct lk_washout_set *set, int axis);

#endif
