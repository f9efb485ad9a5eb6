/* SPDX-License-Identifier: Apache-2.0 */
/* How long a bench waits for the effect of what it sends: from handing an input sample to the
 * socket to having the first output sample in hand that shows it, through ZeroMQ and the cycle. */
#ifndef TOOLS_LATENCY_TRIP_H
#define TOOLS_LATENCY_TRIP_H

#include "rig.h"

/** lat_trip_run() - run the model for a slice with a bench of normal priority on the line.
 * @rig:   armed; it has an input
 * @ret_trips: its distribution is to be released
 * Return: 0, -EINTR (interrupted), 1 or another negative errno (@ret_error says why). */
int lat_trip_run(struct lat_rig *rig, enum lat_trip_kind kind, double slice_s,
                 struct lat_trips *ret_trips, struct lk_error *ret_error);

#endif
