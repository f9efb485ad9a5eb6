/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon in a child process, with a model loaded and armed.
 *
 * There is one daemon for each way of waiting. All daemons stay armed, but only one runs at a time.
 * Their sockets are in the folder of the measurement, so that other daemons on this machine are not
 * disturbed.
 * Thread: main. */
#ifndef TOOLS_LATENCY_RIG_H
#define TOOLS_LATENCY_RIG_H

#include "client.h"
#include "process.h"
#include "results.h"

/** struct lat_rig_setup - common settings of all daemons of a measurement.
 * @daemon:     path of linkaged
 * @folder:     folder for sockets and configurations
 * @output:     folder for the logs of the daemons
 * @model_name: name of the model in messages
 * @model_text: text of the model in YAML
 * @arm_steps:  number of steps of the budget proof, 0: the daemon's default
 * @cpus:       permitted cores of the process, including @core */
struct lat_rig_setup {
    const char *daemon;
    const char *folder;
    const char *output;
    int core;
    int priority;
    bool lock_memory;
    const char *model_name;
    const char *model_text;
    uint32_t arm_steps;
    cpu_set_t cpus;
};

/** struct lat_rig - a daemon and the connection to it.
 * @endpoint: endpoints of control, inputs, outputs
 * @n_inputs: number of scalars of an input sample
 * @token:    token of the claim of all inputs, 0: none yet
 * @proof:    text about the budget proof
 * @degraded: missing real-time properties, one line each */
struct lat_rig {
    enum lat_wake wake;
    struct lat_process process;
    struct lk_client *client;
    char endpoint[3][LK_CLIENT_ENDPOINT_SIZE];
    char config[PATH_MAX];
    char log[PATH_MAX];
    uint64_t model_id;
    int64_t period_ns;
    size_t n_inputs;
    uint64_t token;
    char proof[LAT_TEXT];
    char degraded[LAT_DEGRADED_MAX][LAT_TEXT];
    int n_degraded;
};

/** lat_rig_open() - Start a daemon, load the model, and arm the daemon.
 * Return: 0, -EINTR (interrupted), 1 or another negative errno (with @ret_error); call
 * lat_rig_close() in any case. */
int lat_rig_open(const struct lat_rig_setup *setup, enum lat_wake wake, struct lat_rig *rig,
                 struct lk_error *ret_error);

/** lat_rig_start() - Start a run from t = 0 and reset the counters.
 * lat_rig_stop() - End the run.
 * Return: 0, 1 or negative errno (with @ret_error). */
int lat_rig_start(struct lat_rig *rig, struct lk_error *ret_error);
int lat_rig_stop(struct lat_rig *rig, struct lk_error *ret_error);

/** lat_rig_wakeups() - Read the wake-up latencies of the cycles of the last run.
 * @ret_wakeups: the caller releases its histogram
 * Return: 0, 1 or negative errno (with @ret_error). */
int lat_rig_wakeups(struct lat_rig *rig, struct lat_wakeups *ret_wakeups,
                    struct lk_error *ret_error);

/** lat_rig_close() - End the daemon. Does nothing if no daemon was started. */
void lat_rig_close(struct lat_rig *rig);

/** lat_rig_take_durations() - Convert a distribution of the daemon to a histogram. The daemon
 * reports the upper bound of each bucket. The width of a bucket is 1/32 of a power of two.
 * Return: 0, -ENOMEM. */
int lat_rig_take_durations(const Linkage__V1__Durations *durations,
                           struct lat_histogram *ret_histogram);

#endif
