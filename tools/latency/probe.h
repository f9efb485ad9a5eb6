/* SPDX-License-Identifier: Apache-2.0 */
/* A loop on the measured core that only reads the clock. A gap between two readings means that the
 * machine stalled or that a task of higher priority ran. During a gap no thread could have been
 * woken in time. */
#ifndef TOOLS_LATENCY_PROBE_H
#define TOOLS_LATENCY_PROBE_H

#include "results.h"

/** lat_probe_run() - Read the clock for @slice_s [s] in the calling thread. With a real-time
 * priority the thread sleeps for a third of the time, in pauses that do not count as gaps.
 * Otherwise the kernel's real-time throttling would cause gaps.
 * @core:     core to run on
 * @priority: SCHED_FIFO priority, 0: normal
 * Return: 0, -EINTR (interrupted), other negative errno (no such core). */
int lat_probe_run(int core, int priority, double slice_s, struct lat_gaps *ret_gaps);

#endif
