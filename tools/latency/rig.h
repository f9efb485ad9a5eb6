/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon in a child process, with a model loaded and armed.
 *
 * There is one for each way of waiting; all stay up, and one at a time runs. Their sockets are in
 * the folder of the measurement, so that daemons in use are not disturbed. Thread: main. */
#ifndef TOOLS_LATENCY_RIG_H
#define TOOLS_LATENCY_RIG_H

#include "client.h"
#include "process.h"
#include "results.h"

/** struct lat_rig_setup - common settings of all daemons of a measurement.
 * @daemon:      path of linkaged;  @folder: for sockets and configurations
 * @output:      folder for their logs
 * @model_name:  name in messages;  @model_text: YAML
 * @arm_steps:   steps of the proof, 0: the daemon's default
 * @cpus:        cores that the process may run on, @core among them */
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
 * @endpoint: of control, inputs, outputs
 * @n_inputs: scalars of an input sample;  @token: of the claim of all inputs, 0: none yet
 * @proof:    how its budget was proven;  @degraded: what it lacks, one line each */
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

/** lat_rig_open() - start a daemon, load the model, arm.
 * Return: 0, -EINTR (interrupted), 1 or another negative errno (@ret_error says why); call
 *         lat_rig_close() in any case. */
int lat_rig_open(const struct lat_rig_setup *setup, enum lat_wake wake, struct lat_rig *rig,
                 struct lk_error *ret_error);

/** lat_rig_start() - run from t = 0, with counters reset;  lat_rig_stop() - end the run.
 * Return: 0, 1 or negative errno (@ret_error says why). */
int lat_rig_start(struct lat_rig *rig, struct lk_error *ret_error);
int lat_rig_stop(struct lat_rig *rig, struct lk_error *ret_error);

/** lat_rig_wakeups() - wake-up latencies of the last run's cycles.
 * @ret_wakeups: release its histogram
 * Return: 0, 1 or negative errno (@ret_error says why). */
int lat_rig_wakeups(struct lat_rig *rig, struct lat_wakeups *ret_wakeups,
                    struct lk_error *ret_error);

/** lat_rig_close() - end the daemon; does nothing if there is none. */
void lat_rig_close(struct lat_rig *rig);

/** lat_rig_take_durations() - convert a distribution from the daemon. Buckets have a width of 1/32
 * of a power of two and are given by their upper bounds. Return: 0, -ENOMEM. */
int lat_rig_take_durations(const Linkage__V1__Durations *durations,
                           struct lat_histogram *ret_histogram);

#endif
