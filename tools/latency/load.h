/* SPDX-License-Identifier: Apache-2.0 */
/* Background load during a measurement: stress-ng, at normal priority. */
#ifndef TOOLS_LATENCY_LOAD_H
#define TOOLS_LATENCY_LOAD_H

#include "linkage/error.h"
#include "options.h"
#include "process.h"

/** struct lat_stress - parameters of a load.
 * @path: path of stress-ng @core: measured core; @cpus: all other cores
 * @time_s: time limit after which stress-ng ends by itself, as a safeguard
 * @log:    file for its output */
struct lat_stress {
    char path[PATH_MAX];
    int core;
    cpu_set_t cpus;
    double time_s;
    char log[PATH_MAX];
};

/** lat_load_start() - Start @load and wait until the load is steady. lat_process_stop() ends it.
 * Return: 0, 1 or negative errno (@ret_error says why). */
int lat_load_start(const struct lat_stress *setup, enum lat_load load,
                   struct lat_process *ret_process, struct lk_error *ret_error);

#endif
