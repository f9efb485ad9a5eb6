/* SPDX-License-Identifier: Apache-2.0 */
/* Round trips of a bench, through ZeroMQ and the cycle: from sending an input sample to receiving
 * the first output sample with its effect. */
#ifndef TOOLS_LATENCY_TRIP_H
#define TOOLS_LATENCY_TRIP_H

#include "rig.h"

/** lat_trip_run() - Run the model for @slice_s [s] with a bench of normal priority.
 * @rig:       an armed rig whose model has an input
 * @ret_trips: the caller releases its histogram
 * Return: 0, -EINTR (interrupted), 1 or another negative errno (with @ret_error). */
int lat_trip_run(struct lat_rig *rig, enum lat_trip_kind kind, double slice_s,
                 struct lat_trips *ret_trips, struct lk_error *ret_error);

#endif
