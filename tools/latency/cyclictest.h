/* SPDX-License-Identifier: Apache-2.0 */
/* Run cyclictest (rt-tests), the common reference, for one slice. */
#ifndef TOOLS_LATENCY_CYCLICTEST_H
#define TOOLS_LATENCY_CYCLICTEST_H

#include "linkage/error.h"
#include "results.h"
#include <limits.h>
#include <sched.h>

/** struct lat_cyclictest - parameters of a run of cyclictest.
 * @path:        path of the program
 * @lock_memory: pass --mlockall; cyclictest fails if this is not permitted
 * @cpus:        permitted cores of the process, including @core
 * @log:         file for error messages of cyclictest */
struct lat_cyclictest {
    char path[PATH_MAX];
    int core;
    int priority;
    int period_us;
    bool lock_memory;
    cpu_set_t cpus;
    char log[PATH_MAX];
};

/** lat_cyclictest_run() - Measure for @slice_s [s].
 * @ret_late: wake-up latencies; release with lat_histogram_fini()
 * Return: 0, -EINTR (interrupted), 1 or another negative errno (with @ret_error). */
int lat_cyclictest_run(const struct lat_cyclictest *setup, double slice_s,
                       struct lat_histogram *ret_late, struct lk_error *ret_error);

#endif
