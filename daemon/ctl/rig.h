/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine: a loaded model, its run, and what is allowed when.
 *
 *               load            start              pause
 *     EMPTY  --------->  READY --------> RUNNING <-------> PAUSED
 *                          ^  <---stop---  |      start      |
 *                          |  <---------- stop, reset -------'
 *                          '--- reset ---- FAULT  <-- a step failed, or a limit was passed
 *
 *     load   EMPTY, READY, FAULT   a refused model leaves the old one as it was
 *     start  READY: at t = 0 with fresh figures.  PAUSED: going on
 *     pause  RUNNING               stop   RUNNING, PAUSED
 *     reset  READY, PAUSED, FAULT  set    READY, RUNNING, PAUSED
 *
 * All calls from the control thread, which knows nothing of sockets here. */
#ifndef LKD_CTL_RIG_H
#define LKD_CTL_RIG_H

#include "config.h"
#include "exchange.h"
#include "loaded.h"
#include "runner.h"
#include "wire.h"

#define LKD_DEGRADED_MAX 3

/** struct lkd_rig - see above.
 * @config, @inputs, @exchange: stay the caller's
 * @placement:    the workers and their cores
 * @memory_error: outcome of locking memory, 0 or negative errno
 * @latency_fd:   holds idle states off during a run, or -1
 * @loaded:       the model, NULL in EMPTY
 * @n_workers:    that step it
 * @figures:      newest of the run, see lkd_rig_refresh()
 * @degraded:     one line for each property that was not granted, @n_degraded of them
 * @fault:        why, in FAULT */
struct lkd_rig {
    const struct lkd_config *config;
    struct lkd_inputs *inputs;
    struct lkd_exchange *exchange;
    const struct lkd_placement *placement;
    int memory_error;
    int latency_fd;

    Linkage__V1__State state;
    struct lkd_loaded *loaded;
    int n_workers;
    struct lkd_runner runner;
    struct lkd_figures figures;
    int n_degraded;
    char degraded[LKD_DEGRADED_MAX][160];
    char fault[160];
};

/** struct lkd_answer - outcome of a command: a result and one line for people. */
struct lkd_answer {
    Linkage__V1__Result result;
    char text[sizeof(struct lk_error)];
};

/** lkd_rig_init() - EMPTY. */
void lkd_rig_init(struct lkd_rig *rig, const struct lkd_config *config, struct lkd_inputs *inputs,
                  struct lkd_exchange *exchange, const struct lkd_placement *placement,
                  int memory_error);

/** lkd_rig_fini() - end a run and release the model. */
void lkd_rig_fini(struct lkd_rig *rig);

/** lkd_rig_refresh() - take the newest figures of the cycle; a fault in them becomes the state.
 * Return: whether the state has changed. */
bool lkd_rig_refresh(struct lkd_rig *rig);

/* Commands: see the top of this file and the requests in linkage.proto. Refresh first. */
void lkd_rig_load(struct lkd_rig *rig, const char *name, const char *text, size_t size,
                  struct lkd_answer *ret_answer);
void lkd_rig_load_file(struct lkd_rig *rig, const char *path, struct lkd_answer *ret_answer);
void lkd_rig_start(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_pause(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_stop(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_reset(struct lkd_rig *rig, struct lkd_answer *ret_answer);
void lkd_rig_set(struct lkd_rig *rig, const char *channel, const double *values, size_t n,
                 struct lkd_answer *ret_answer);

/** lkd_rig_state_name() - "RUNNING" and so on. Static text. */
const char *lkd_rig_state_name(Linkage__V1__State state);

#endif
