/* SPDX-License-Identifier: Apache-2.0 */
/* The thread around the cycle: set-up before the grid begins, book-keeping after it has ended.
 *
 * Starting has two halves. lkd_runner_start() returns when the thread stands, prepared and waiting,
 * and says what the operating system granted; then the caller either lets it go or stops it. So
 * the grid begins only when everything that may fail or take long is done.
 *
 * All calls from the control thread; none is real-time. */
#ifndef LKD_RT_RUNNER_H
#define LKD_RT_RUNNER_H

#include "cycle.h"
#include "realtime.h"
#include <pthread.h>
#include <semaphore.h>

/** struct lkd_grant - outcome of the thread's set-up.
 * @core_error, @priority_error: 0 or negative errno */
struct lkd_grant {
    int core_error;
    int priority_error;
};

/** struct lkd_runner - a cycle and its thread.
 * @core, @priority: asked for
 * @alive:  the thread exists
 * @usage_begin, @usage_end: written by the thread right before and after the grid
 * @ready:  posted by the thread when it is set up;  @go: posted when the grid may begin */
struct lkd_runner {
    struct lkd_cycle *cycle;
    int core;
    int priority;
    bool alive;
    pthread_t thread;
    pid_t tid;
    struct lkd_grant grant;
    struct lkd_usage usage_begin;
    struct lkd_usage usage_end;
    sem_t ready;
    sem_t go;
};

/** lkd_runner_start() - make the thread and set it up.
 * @cycle:    rewound, not run by anybody
 * @core:     from lkd_realtime_pick_core()
 * @priority: 1 to 99
 * Return: 0 (@ret_grant says what was refused), or negative errno: there is no thread. */
int lkd_runner_start(struct lkd_runner *runner, struct lkd_cycle *cycle, int core, int priority,
                     struct lkd_grant *ret_grant);

/** lkd_runner_go() - choose T0 a little ahead of now and let the grid begin. */
void lkd_runner_go(struct lkd_runner *runner);

/** lkd_runner_stop() - end the cycle and its thread, whether it was let go or not; waits up to a
 * period. The last figures are readable then. Nothing happens without a thread. */
void lkd_runner_stop(struct lkd_runner *runner);

/** lkd_runner_usage() - of the thread since its grid began: now while it runs, else of all its
 * run. */
void lkd_runner_usage(const struct lkd_runner *runner, struct lkd_usage *ret_usage);

#endif
