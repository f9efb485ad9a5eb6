/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration, config/linkaged.yaml. config/README.md documents every key. */
#ifndef LKD_CONFIG_H
#define LKD_CONFIG_H

#include "cycle.h"
#include "endpoint.h"
#include "linkage/error.h"
#include "placement.h"
#include <limits.h>
#include <stdbool.h>

/** struct lkd_config - all keys.
 * @model:             path of a model, made relative to the working directory; "" for none
 * @wish:              workers, their cores and priority
 * @allow_degraded:    runs may do without what a machine fit for real time has
 * @cycle:             waiting, overruns, budget, limits
 * @proof_steps, @proof_time_ns: of the proof of the budget, whichever comes first
 * @watchdog_ns:       for how long a cycle may stand still; 0: for ever
 * @exit_on_fault:     the daemon ends with a status of its own
 * @evidence:          folder for reports and traces, relative as @model; "" for none */
struct lkd_config {
    char control[LKD_ENDPOINT_SIZE];
    char inputs[LKD_ENDPOINT_SIZE];
    char outputs[LKD_ENDPOINT_SIZE];
    char model[PATH_MAX];
    bool autostart;
    struct lkd_wish wish;
    bool lock_memory;
    bool allow_degraded;
    struct lkd_settings cycle;
    uint64_t proof_steps;
    int64_t proof_time_ns;
    int64_t watchdog_ns;
    bool exit_on_fault;
    char evidence[PATH_MAX];
};

/** lkd_config_default() - every key at its default. */
void lkd_config_default(struct lkd_config *ret_config);

/** lkd_config_read() - the defaults, overwritten by the file at @path.
 * Return: 0, LK_E_TEXT (@ret_error: "file:line:column: ..."), -ENOMEM. */
int lkd_config_read(const char *path, struct lkd_config *ret_config, struct lk_error *ret_error);

#endif
