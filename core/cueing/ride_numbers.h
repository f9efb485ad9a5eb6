/* SPDX-License-Identifier: Apache-2.0 */
/* A ride as numbers, for recordings: inputs and results of a step, and the complete state of a
 * ride, from which a replay continues bit for bit.
 *
 * The functions are pure, except the first call of lk_ride_step_channels() and
 * lk_ride_whole_channels(), which are not RT. All others: RT: yes. */
#ifndef LK_CUEING_RIDE_NUMBERS_H
#define LK_CUEING_RIDE_NUMBERS_H

#include "cueing/ride.h"
#include "linkage/linkage.h"

/** enum lk_ride_number - indices of the numbers of a step.
 * ORDERS: orders since the previous step, see lk_ride_obey()
 * GAINS:  1 if a target of the gains changed since the previous step
 * SENSOR: input of the step;  all others: values after the step */
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

#define LK_RIDE_WHOLE_NUMBERS 360 /* numbers of the complete state; unused numbers are 0 */

/** lk_ride_step_channels(), lk_ride_whole_channels() - return names and units of the numbers of a
 * step, of the complete state; static. @ret_n: number of channels */
const struct lk_channel *lk_ride_step_channels(int *ret_n);
const struct lk_channel *lk_ride_whole_channels(int *ret_n);

/** lk_ride_show_step() - write the numbers of the last step. @sensor: input of this step */
void lk_ride_show_step(const struct lk_ride *ride, const double sensor[6],
                       double ret[LK_RIDE_STEP_NUMBERS]);

/** lk_ride_save() - write the complete state of @ride.
 * lk_ride_load() - restore a ride from the numbers of lk_ride_save(). Return: false: the numbers
 * are not those of a ride, and @ret_ride must not be used. */
void lk_ride_save(const struct lk_ride *ride, double ret[LK_RIDE_WHOLE_NUMBERS]);
bool lk_ride_load(struct lk_ride *ret_ride, const double number[LK_RIDE_WHOLE_NUMBERS]);

/** lk_ride_obey() - repeat the recorded orders of a step. Call before this step.
 * Return: false: @orders is LK_RIDE_ORDERS_LOST, because there were too many orders to store in
 * one number. */
bool lk_ride_obey(struct lk_ride *ride, double orders);

#endif
