/* SPDX-License-Identifier: Apache-2.0 */
/* A loop on the measured core that does nothing but read the clock. Where it sees gaps, nobody
 * could have been woken in time: the machine stalls, or something above our priority ran. */
#ifndef TOOLS_LATENCY_PROBE_H
#define TOOLS_LATENCY_PROBE_H

#include "results.h"

/** lat_probe_run() - watch the clock for @slice_s seconds, on this thread.
 * @core:     to do it on;  @priority: 0 for a normal one, else SCHED_FIFO
 * At a real-time priority it lets go of the core for a third of the time, in pauses that do not
 * count: the kernel would take the core away from it otherwise, which is just what looks like a
 * stall.
 * Return: 0, -EINTR (interrupted), other negative errno (no such core). */
int lat_probe_run(int core, int priority, double slice_s, struct lat_gaps *ret_gaps);

#endif
