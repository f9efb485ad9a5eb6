/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that drive a coordinate: the values of such a channel are control points of a smooth
 * curve, so it acts later than other channels and is sampled less often. */
#ifndef LINKAGE_DRIVES_H
#define LINKAGE_DRIVES_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_system_input_period() - sample period [s] of input channel @channel (its index) as a drive:
 * the step samples it at whole multiples of the period. The longest one where several drives follow
 * the channel; 0: no drive does, every step takes its value, and it acts at once.
 * Thread: any.  RT: no. */
double lk_system_input_period(const struct lk_system *system, int channel);

/** lk_system_input_delay() - delay [s] of the motion behind the values of the channel: two periods.
 * The motion follows a constant velocity exactly, apart from the delay; a constant value acts fully
 * three periods after it was sampled. 0 where lk_system_input_period() is 0. */
double lk_system_input_delay(const struct lk_system *system, int channel);

#ifdef __cplusplus
}
#endif
#endif
