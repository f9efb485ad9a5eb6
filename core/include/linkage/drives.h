/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that drive a coordinate: the values of such a channel are control points of a smooth
 * curve, so it acts later than the others, and is looked at less often. */
#ifndef LINKAGE_DRIVES_H
#define LINKAGE_DRIVES_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** lk_system_input_period() - how often [s] the step takes a value of input channel @channel (its
 * index) for a drive: at the times that are whole multiples of it. The longest, where several
 * drives follow one channel; 0: none does, every step takes its value, and it acts at once.
 * Thread: any.  RT: no. */
double lk_system_input_period(const struct lk_system *system, int channel);

/** lk_system_input_delay() - how far [s] the motion runs behind the values of the channel: two
 * periods; a constant velocity is followed exactly but for that. A value that stays acts fully
 * three periods after it was taken. 0 where lk_system_input_period() is. */
double lk_system_input_delay(const struct lk_system *system, int channel);

#ifdef __cplusplus
}
#endif
#endif
