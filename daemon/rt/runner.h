/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the cycle: their set-up before the grid begins, and their counters after it has
 * ended. Worker 0 is the thread of the cycle; the others share its steps.
 *
 * Starting has two halves. lkd_runner_start() returns when the threads exist, prepared and waiting,
 * and reports what the operating system granted; then the caller either releases or stops the
 * threads. So all operations that may fail or last long are done before the grid begins. No thread
 * becomes real-time before all threads exist, because a spinning thread might prevent the others
 * from starting. The control thread sets core and priority of each thread, so a thread arrives on
 * its core with the priority to run there.
 *
 * Another program may still occupy the cores of the threads for any time. Therefore no call waits
 * for a thread for longer than LKD_RUNNER_PATIENCE_NS; lkd_runner_ended() handles threads that have
 * not ended by then.
 *
 * All functions are called from the control thread; none is real-time. */
#ifndef LKD_RT_RUNNER_H
#define LKD_RT_RUNNER_H

#include "cycle.h"
#include "placement.h"
#include "proof.h"
#include "realtime.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/** struct lkd_grant - outcome of the threads' set-up.
 * @core_error, @priority_error: 0, or the negative errno of the first worker that failed
 * @core_worker: the worker that was not pinned */
struct lkd_grant {
    int core_error;
    int core_worker;
    int priority_error;
};

/* Longest wait of the control thread for threads that should respond within a period; more than the
 * longest period. */
#define LKD_RUNNER_PATIENCE_NS INT64_C(2000000000)

struct lkd_runner;

/** struct lkd_worker - a thread of a runner.
 * @phase, @phase_begin_ns: number of the phase of the step, and time at which it began [ns]
 * @core_error, @priority_error: see struct lkd_grant
 * @usage_begin, @usage_end: written by the thread right before and after its work
 * @counted: @usage_begin is valid
 * @joined:  the thread has ended and was joined */
struct lkd_worker {
    struct lkd_runner *runner;
    int index;
    int core;
    int core_error;
    int priority_error;
    pthread_t thread;
    pid_t tid;
    _Atomic bool counted;
    bool joined;
    struct lkd_usage usage_begin;
    struct lkd_usage usage_end;
    alignas(LKD_CACHE_LINE) uint64_t phase;
    int64_t phase_begin_ns;
};

/** struct lkd_runner - a cycle and its threads.
 * @proof:     proof that the thread executes instead of the cycle, or NULL
 * @priority:  requested priority, 0: none
 * @n_threads: threads created for the @n_workers workers
 * @alive:     not all threads have ended
 * @pool:      NULL for a single worker
 * @dismissed: the pool has been stopped
 * @abandoned: not all threads could be created or run, so the existing ones end
 * @ready:     posted by each thread after its creation and when it runs on its core
 * @arm:       posted for each thread when all threads exist
 * @go:        posted for each thread when the grid may begin */
struct lkd_runner {
    struct lkd_cycle *cycle;
    struct lkd_proof *proof;
    struct lk_pool *pool;
    int priority;
    int n_workers;
    int n_threads;
    bool alive;
    bool dismissed;
    _Atomic bool abandoned;
    struct lkd_worker worker[LK_POOL_MAX];
    sem_t ready;
    sem_t arm;
    sem_t go;
};

/** lkd_runner_start() - Create the threads and set them up.
 * @cycle:    a rewound cycle that does not run
 * @proof:    NULL: the threads run the cycle; otherwise they execute this proof
 * @cores:    cores of the @n_workers workers, from lkd_place()
 * @priority: SCHED_FIFO, 1 to 99; 0: normal
 * Return: 0 (@ret_grant: refusals), -ETIMEDOUT (the threads could not run on their cores in time,
 * see lkd_runner_ended()), or negative errno: there is no thread. */
int lkd_runner_start(struct lkd_runner *runner, struct lkd_cycle *cycle, struct lkd_proof *proof,
                     int n_workers, const int *cores, int priority, struct lkd_grant *ret_grant);

/** lkd_runner_go() - Set T0 shortly after the present time and start the grid or the proof. */
void lkd_runner_go(struct lkd_runner *runner);

/** lkd_runner_stop() - End the cycle and its threads, whether released or not. Afterwards the last
 * figures can be read. Does nothing if there is no thread.
 * Return: 0, -ETIMEDOUT after LKD_RUNNER_PATIENCE_NS (threads hang: keep the runner, and everything
 * that the threads use, until lkd_runner_ended() returns true). */
int lkd_runner_stop(struct lkd_runner *runner);

/** lkd_runner_ended() - Return true if no thread is left after lkd_runner_stop() or
 * lkd_runner_start() timed out; never waits. The first call that returns true completes the
 * stop. */
bool lkd_runner_ended(struct lkd_runner *runner);

/** lkd_runner_is_fifo() - Return true if the thread of the cycle was granted its real-time
 * priority. */
bool lkd_runner_is_fifo(const struct lkd_runner *runner);

/** lkd_runner_usage() - Return the sum of the counters of all threads since the grid began. After a
 * run it is the sum for the whole run. */
void lkd_runner_usage(const struct lkd_runner *runner, struct lkd_usage *ret_usage);

#endif
