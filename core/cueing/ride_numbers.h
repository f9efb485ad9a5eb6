/* SPDX-License-Identifier: Apache-2.0 */
/* A ride as numbers, for recordings: what went into a step and came out of it, and all that a ride
 * is at a time, so that whoever has the numbers goes on from there, bit for bit.
 *
 * Pure functions, but for the first call of those that describe the numbers. RT: yes, but for
 * these. */
#ifndef LK_CUEING_RIDE_NUMBERS_H
#define LK_CUEING_RIDE_NUMBERS_H

#include "cueing/ride.h"
#include "linkage/linkage.h"

/** enum lk_ride_number - of a step.
 * ORDERS: since the step before, see lk_ride_obey();  GAINS: 1: others were wanted since
 * SENSOR: that it took;  the others: after it */
enum lk_ride_number {
    LK_RIDE_N_ORDERS,
    LK_RIDE_N_GAINS,
    LK_RIDE_N_SENSOR,
    LK_RIDE_N_STATE = LK_RIDE_N_SENSOR + 6,
    LK_RIDE_N_CAUSE,
    LK_RIDE_N_EMERGENCY,
    LK_RIDE_N_POSE,
    LK_RIDE_N_ACTUATORS = LK_RIDE_N_POSE + 6,
    LK_RIDE_STEP_NUMBERS = LK_RIDE_N_ACTUATORS + LK_PLATFORM_ACTUATORS,
};

#define LK_RIDE_WHOLE_NUMBERS 360 /* of all that a ride is, the last ones 0 */

/** lk_ride_step_channels(), lk_ride_whole_channels() - names and units of the numbers; static.
 * @ret_n: how many channels */
const struct lk_channel *lk_ride_step_channels(int *ret_n);
const struct lk_channel *lk_ride_whole_channels(int *ret_n);

/** lk_ride_show_step() - the numbers of the last step. @sensor: that it took */
void lk_ride_show_step(const struct lk_ride *ride, const double sensor[6],
                       double ret[LK_RIDE_STEP_NUMBERS]);

/** lk_ride_save() - all that @ride is;  lk_ride_load() - the ride of such numbers.
 * Return: false: no ride has these, and @ret_ride is not to be used. */
void lk_ride_save(const struct lk_ride *ride, double ret[LK_RIDE_WHOLE_NUMBERS]);
bool lk_ride_load(struct lk_ride *ret_ride, const double number[LK_RIDE_WHOLE_NUMBERS]);

/** lk_ride_obey() - carry out the orders of a step again, before it.
 * Return: false: there were more than a number can hold. */
bool lk_ride_obey(struct lk_ride *ride, double orders);

#endif
