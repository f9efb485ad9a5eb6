/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration, config/linkaged.yaml. config/README.md documents every key. */
#ifndef LKD_CONFIG_H
#define LKD_CONFIG_H

#include "cueing.h"
#include "cycle.h"
#include "endpoint.h"
#include "linkage/errors.h"
#include "motion.h"
#include "placement.h"
#include "privileges.h"
#include "ptp_watch.h"
#include "realtime.h"
#include "record_config.h"
#include "villas.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/** struct lkd_config - all keys.
 * @source:            path of the file, "" for none
 * @model:             path of a model, made relative to the working directory; "" for none
 * @mode:              of a run, unless it is asked for otherwise
 * @wish:              workers, their cores and priority
 * @allow_degraded:    runs may do without what a machine fit for real time has
 * @cycle:             waiting, overruns, budget, limits
 * @claims_optional, @lease_ns: see lkd_inputs_configure()
 * @exchange:          priority and core of what carries samples in and out; see
 *                     lkd_cores_settle_exchange()
 * @share_core:        other rigs that say so, too, may have the cores of this one
 * @proof_steps, @proof_time_ns: of the proof of the budget, whichever comes first
 * @watchdog_ns:       for how long a cycle may stand still; 0: for ever
 * @exit_on_fault:     the daemon ends with a status of its own
 * @secret_key, @clients: paths of the key files, relative as @model; "" for none: no keys
 * @line_memory:       of the process that serves the endpoints [bytes]
 * @ptp:               the PTP daemon of the machine
 * @user:              as whom to serve; "" for whoever started the daemon
 * @snapshots:         folder for them, likewise
 * @evidence:          folder for reports and traces, relative as @model; "" for none
 * @record:            see there
 * @outputs_divisor:   of the steps that are published
 * @newest_only:       steps that a newer one has overtaken are not published
 * @motion:            @n_motion receivers of datagrams
 * @cueing:            washout and platform, where there is one
 * @villas:            endpoints for a gateway */
struct lkd_config {
    char source[PATH_MAX];
    char control[LKD_ENDPOINT_SIZE];
    char inputs[LKD_ENDPOINT_SIZE];
    char outputs[LKD_ENDPOINT_SIZE];
    char model[PATH_MAX];
    bool autostart;
    enum lkd_mode mode;
    struct lkd_wish wish;
    struct lkd_thread_wish exchange;
    bool share_core;
    bool lock_memory;
    bool allow_degraded;
    struct lkd_settings cycle;
    bool claims_optional;
    int64_t lease_ns;
    uint64_t proof_steps;
    int64_t proof_time_ns;
    int64_t watchdog_ns;
    bool exit_on_fault;
    char evidence[PATH_MAX];
    char snapshots[PATH_MAX];
    struct lkd_record_config record;
    char secret_key[PATH_MAX];
    char clients[PATH_MAX];
    uint64_t line_memory;
    char user[LKD_USER_SIZE];
    struct lkd_ptp_config ptp;
    uint64_t outputs_divisor;
    bool newest_only;
    int n_motion;
    struct lkd_motion_config motion[LKD_MOTION_MAX];
    struct lkd_cueing_config cueing;
    struct lkd_villas_config villas;
};

/** lkd_config_default() - every key at its default. */
void lkd_config_default(struct lkd_config *ret_config);

/** lkd_config_read_all() - the defaults, overwritten by the file at @path.
 * Return: 0, LK_E_TEXT (@ret_errors: at least one "file:line:column: ..."), -ENOMEM.
 * lkd_config_read() - the same, with the first of them. */
int lkd_config_read_all(const char *path, struct lkd_config *ret_config,
                        struct lk_errors *ret_errors);
int lkd_config_read(const char *path, struct lkd_config *ret_config, struct lk_error *ret_error);

/** lkd_config_print_cueing() - what the washout lets a driver feel, a line an axis; nothing without
 * a section cueing. */
void lkd_config_print_cueing(const struct lkd_cueing_config *cueing, FILE *f);
/** lkd_config_draw_cueing() - the same over frequency as a new file @path (SVG).
 * Return: 0, LK_E_TEXT (@ret_error: there is no section, or why there is no file). */
int lkd_config_draw_cueing(const struct lkd_cueing_config *cueing, const char *path,
                           struct lk_error *ret_error);

#endif
