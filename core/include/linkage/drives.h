/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that drive a coordinate. The step computes a smooth curve with the values of such a
 * channel as control points. Such a channel therefore acts later than other channels and is sampled
 * less often. */
#ifndef LINKAGE_DRIVES_H
#define LINKAGE_DRIVES_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_system_input_period() - return the sample period [s] of an input that drives a coordinate.
 * The step samples the input at whole multiples of the period. If several drives use the channel,
 * the longest period is returned. 0: no drive uses the channel; every step reads its value, which
 * acts at once.
 * @channel: index of the input channel
 * Thread: any.  RT: no. */
double lk_system_input_period(const struct lk_system *system, int channel);

/** lk_system_input_delay() - return the delay [s] between the values of input channel @channel and
 * the motion: two periods, or 0 if lk_system_input_period() is 0. The motion follows a constant
 * velocity exactly, apart from the delay. A constant value acts fully three periods after it was
 * sampled. */
double lk_system_input_delay(const struct lk_system *system, int channel);

#ifdef __cplusplus
}
#endif
#endif
