/* SPDX-License-Identifier: Apache-2.0 */
/* Background load during a measurement: stress-ng, at normal priority. */
#ifndef TOOLS_LATENCY_LOAD_H
#define TOOLS_LATENCY_LOAD_H

#include "linkage/error.h"
#include "options.h"
#include "process.h"

/** struct lat_stress - parameters of a load.
 * @path:   path of stress-ng
 * @core:   measured core
 * @cpus:   all other cores
 * @time_s: time limit of stress-ng [s], as a safeguard if this program fails to end it
 * @log:    file for the output of stress-ng */
struct lat_stress {
    char path[PATH_MAX];
    int core;
    cpu_set_t cpus;
    double time_s;
    char log[PATH_MAX];
};

/** lat_load_start() - Start @load and wait until it is steady. End it with lat_process_stop().
 * Return: 0, 1 or negative errno (with @ret_error). */
int lat_load_start(const struct lat_stress *setup, enum lat_load load,
                   struct lat_process *ret_process, struct lk_error *ret_error);

#endif
