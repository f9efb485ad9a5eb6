/* SPDX-License-Identifier: Apache-2.0 */
/* What else the machine does while it is measured: stress-ng, at normal priority. */
#ifndef TOOLS_LATENCY_LOAD_H
#define TOOLS_LATENCY_LOAD_H

#include "linkage/error.h"
#include "options.h"
#include "process.h"

/** struct lat_stress - where and for how long.
 * @path:   of stress-ng
 * @core:   that is measured;  @cpus: all others
 * @time_s: at most; it ends by itself then, should everything else fail
 * @log:    file for what it says */
struct lat_stress {
    char path[PATH_MAX];
    int core;
    cpu_set_t cpus;
    double time_s;
    char log[PATH_MAX];
};

/** lat_load_start() - begin @load, and give it time to settle. lat_process_stop() ends it.
 * Return: 0, 1 or negative errno (@ret_error says why). */
int lat_load_start(const struct lat_stress *setup, enum lat_load load,
                   struct lat_process *ret_process, struct lk_error *ret_error);

#endif
