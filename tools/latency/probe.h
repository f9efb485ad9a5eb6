/* SPDX-License-Identifier: Apache-2.0 */
/* A loop on the measured core that only reads the clock. During a gap no thread could have been
 * woken in time: the machine stalled, or something of higher priority ran. */
#ifndef TOOLS_LATENCY_PROBE_H
#define TOOLS_LATENCY_PROBE_H

#include "results.h"

/** lat_probe_run() - read the clock for @slice_s seconds, on this thread.
 * @core:     to run on;  @priority: SCHED_FIFO priority, 0: normal
 * At a real-time priority it sleeps for a third of the time, in pauses that do not count as gaps;
 * otherwise the kernel's real-time throttling would cause gaps of its own.
 * Return: 0, -EINTR (interrupted), other negative errno (no such core). */
int lat_probe_run(int core, int priority, double slice_s, struct lat_gaps *ret_gaps);

#endif
