/* SPDX-License-Identifier: Apache-2.0 */
/* A pool: threads that execute the phases of a step side by side, without locks.
 *
 * The library makes no thread. Whoever has threads lends them: worker 0 is the thread that steps,
 * workers 1 to n - 1 stay in lk_pool_serve() until the pool is stopped. lk_pool_run() lets every
 * worker execute one phase and returns when all have; it is a fork and a join, two hand-offs
 * between cores, which pays for phases of more than some 5 us a worker.
 *
 *     lk_pool_new(2, &pool);            thread 1:  lk_pool_serve(pool, 1);
 *     lk_pool_wait_ready(pool);
 *     lk_system_set_pool(system, pool);
 *     lk_system_step(system, inputs);   ...
 *     lk_system_set_pool(system, NULL);
 *     lk_pool_stop(pool);               lk_pool_serve() returns; join thread 1
 *     lk_pool_free(pool);
 *
 * Who waits spins for a bounded time, then sleeps in the kernel. Hence two workers on one core are
 * slow, but never stand still, whatever their priority. No system call is made while everybody
 * waits for less than that time. */
#ifndef LINKAGE_POOL_H
#define LINKAGE_POOL_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_POOL_MAX 64 /* workers of a pool */

struct lk_pool;

/** typedef lk_pool_phase - what a worker does in a phase.
 * @context: as given to lk_pool_run(), the same for all; if nobody has written what it points to
 *           since the last phase, it costs no transfer between cores
 * @what:    as given to lk_pool_run(), the same for all; comes with the order
 * @worker:  0 to lk_pool_size() - 1
 * Sees all that was written before lk_pool_run(); all that it writes is seen after it. Denormal
 * numbers are zero on workers 1 and up; on worker 0 they are what its thread has them to be. */
typedef void (*lk_pool_phase)(void *context, int what, int worker);

/** lk_pool_new() - a pool of @n_workers, the caller of lk_pool_run() included.
 * @n_workers: 1 to LK_POOL_MAX
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -EINVAL, -ENOMEM. */
int lk_pool_new(int n_workers, struct lk_pool **ret_pool);

/** lk_pool_free() - release; NULL is allowed. Not while a thread serves. */
void lk_pool_free(struct lk_pool *pool);

/** lk_pool_size() - its workers; 1 for NULL.  RT: yes. */
LK_RT int lk_pool_size(const struct lk_pool *pool);

/** lk_pool_serve() - be worker @worker until lk_pool_stop(). Denormal numbers are taken as zero
 * meanwhile.
 * @worker: 1 to lk_pool_size() - 1, each by one thread
 * Thread: the worker's.  RT: yes, waits as said above. */
LK_RT void lk_pool_serve(struct lk_pool *pool, int worker);

/** typedef lk_pool_mark - told by each worker when its part of a phase begins and when it ends, so
 * that a clock can be read there; the meetings are what lies between.
 * @begin: or end */
typedef void (*lk_pool_mark)(void *context, int worker, bool begin);

/** lk_pool_set_mark() - look into the phases to come.
 * @mark: NULL: no more
 * Thread: that of lk_pool_run(), between two runs.  RT: yes. */
LK_RT void lk_pool_set_mark(struct lk_pool *pool, lk_pool_mark mark, void *context);

/** lk_pool_wait_ready() - return when every worker serves; without a thread for each this never
 * returns. A meeting without work.
 * Thread: the one that may call lk_pool_run() at the time.  RT: no. */
void lk_pool_wait_ready(struct lk_pool *pool);

/** lk_pool_run() - all workers execute @phase, the caller as worker 0; returns when all have.
 * @phase: not from within a phase
 * Thread: one at a time; cycle.  RT: yes. Makes a system call only when a worker sleeps (about 7 us
 * to wake it) or when one is waited for longer than the bounded spin. */
LK_RT void lk_pool_run(struct lk_pool *pool, lk_pool_phase phase, void *context, int what);

/** lk_pool_rouse() - a cycle begins: wake the workers that sleep still, and say when the next one
 * will. Workers that sleep get up by themselves then, so that nobody has to wake them.
 * @next_ns: on CLOCK_MONOTONIC, a little before the next cycle; 0: sleep until there is a run
 * Thread: that of lk_pool_run().  RT: yes, a system call only if one sleeps, never waits. */
LK_RT void lk_pool_rouse(struct lk_pool *pool, int64_t next_ns);

/** lk_pool_rest() - a cycle ends: the workers sleep at once instead of looking for the next run.
 * Thread: that of lk_pool_run().  RT: yes, no system call, never waits. */
LK_RT void lk_pool_rest(struct lk_pool *pool);

/** lk_pool_stop() - lk_pool_serve() returns on all threads, also on those that come later.
 * Thread: any, when nobody runs a phase.  RT: no, but it never waits. */
void lk_pool_stop(struct lk_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
