/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's configuration, config/linkaged.yaml. doc/reference documents every key. */
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
 * @source:          path of the configuration file, "" for none
 * @model:           path of a model, resolved against the folder of the configuration file; "" for
 *                   none
 * @mode:            default mode of a run
 * @wish:            requested workers, cores and priority
 * @allow_degraded:  runs are permitted on a machine that is not fit for real time
 * @cycle:           waiting, overruns, budget, limits
 * @claims_optional, @lease_ns: see lkd_inputs_configure()
 * @exchange:        priority and core of the exchange thread and the line process; see
 *                   lkd_cores_settle_exchange()
 * @share_core:      other rigs that also set this key may use the cores of this rig
 * @proof_steps, @proof_time_ns: limits of the budget proof; it ends when the first limit is reached
 * @watchdog_ns:     longest time without progress of the cycle; 0: unlimited
 * @exit_on_fault:   a fault ends the daemon with the exit status for faults
 * @secret_key, @clients: paths of the key files, resolved like @model; "" for none: no keys
 * @line_memory:     memory limit of the line process [bytes]
 * @ptp:             access to the PTP daemon of the machine
 * @user:            user that the daemon runs as; "": the user who started it
 * @snapshots:       folder for snapshots, resolved like @model
 * @evidence:        folder for reports and traces, resolved like @model; "" for none
 * @record:          see struct lkd_record_config
 * @outputs_divisor: publish every n-th step
 * @newest_only:     publish only the newest step; skip older ones
 * @motion:          @n_motion receivers of datagrams
 * @cueing:          washout and platform, if configured
 * @villas:          endpoints for a gateway */
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

/** lkd_config_default() - Set every key to its default. */
void lkd_config_default(struct lkd_config *ret_config);

/** lkd_config_read_all(), lkd_config_read() - Set the defaults, then read the file at @path.
 * lkd_config_read() returns only the first error.
 * Return: 0, LK_E_TEXT (@ret_errors: at least one "file:line:column: ..."), -ENOMEM. */
int lkd_config_read_all(const char *path, struct lkd_config *ret_config,
                        struct lk_errors *ret_errors);
int lkd_config_read(const char *path, struct lkd_config *ret_config, struct lk_error *ret_error);

/** lkd_config_print_cueing() - Print the gains from the motion of the model to the cues felt by a
 * driver, one line per axis. Without a section `cueing` nothing is printed. */
void lkd_config_print_cueing(const struct lkd_cueing_config *cueing, FILE *f);
/** lkd_config_tabulate_cueing() - Write gain and phase from the motion of the model to the cues
 * felt by a driver, over frequency, into a new CSV file @path, for linkage plot.
 * Return: 0, LK_E_TEXT (@ret_error: the section is missing, or the reason why the file was not
 * written). */
int lkd_config_tabulate_cueing(const struct lkd_cueing_config *cueing, const char *path,
                               struct lk_error *ret_error);

#endif
