/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads that execute the phases of a step in parallel, without locks.
 *
 * The library creates no threads; the caller provides the threads. Worker 0 is the thread that
 * steps; workers 1 to n - 1 stay in lk_pool_serve() until the pool is stopped. lk_pool_run() makes
 * every worker execute one phase and returns when all have finished. Each run is a fork and a join
 * with two hand-offs between cores, so a phase should take more than about 5 us per worker.
 *
 *     lk_pool_new(2, &pool);            thread 1:  lk_pool_serve(pool, 1);
 *     lk_pool_wait_ready(pool);
 *     lk_system_set_pool(system, pool);
 *     lk_system_step(system, inputs);   ...
 *     lk_system_set_pool(system, NULL);
 *     lk_pool_stop(pool);               lk_pool_serve() returns; join thread 1
 *     lk_pool_free(pool);
 *
 * A waiting worker spins for a bounded time, then sleeps in the kernel. Two workers on one core are
 * therefore slow but never deadlock, whatever their priorities. There is no system call as long as
 * no wait exceeds the spin time. */
#ifndef LINKAGE_POOL_H
#define LINKAGE_POOL_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_POOL_MAX 64 /* largest number of workers of a pool */

struct lk_pool;

/** typedef lk_pool_phase - function that each worker executes in a phase.
 * @context: argument of lk_pool_run(), the same for all workers
 * @what:    argument of lk_pool_run(), the same for all workers
 * @worker:  0 to lk_pool_size() - 1
 * Memory written before lk_pool_run() is visible to all workers. Memory that the workers write
 * is visible after lk_pool_run(). Workers 1 and up flush denormal numbers to zero; worker 0 has
 * the setting of its thread. */
typedef void (*lk_pool_phase)(void *context, int what, int worker);

/** lk_pool_new() - create a pool of @n_workers, the caller of lk_pool_run() included.
 * @n_workers: 1 to LK_POOL_MAX
 * Thread: any but the cycle.  RT: no.
 * Return: 0, -EINVAL, -ENOMEM. */
int lk_pool_new(int n_workers, struct lk_pool **ret_pool);

/** lk_pool_free() - free @pool, which may be NULL. No thread may be in lk_pool_serve(). */
void lk_pool_free(struct lk_pool *pool);

/** lk_pool_size() - return the number of workers; 1 if @pool is NULL.  RT: yes. */
LK_RT int lk_pool_size(const struct lk_pool *pool);

/** lk_pool_serve() - execute the phases of worker @worker until lk_pool_stop(), with denormal
 * numbers flushed to zero.
 * @worker: 1 to lk_pool_size() - 1, one thread each
 * Thread: the worker's.  RT: yes; waits as described above. */
LK_RT void lk_pool_serve(struct lk_pool *pool, int worker);

/** typedef lk_pool_mark - callback of each worker at the beginning and at the end of its part of a
 * phase, for example to read a clock. The hand-offs take the remaining time of a phase.
 * @begin: true at the beginning, false at the end */
typedef void (*lk_pool_mark)(void *context, int worker, bool begin);

/** lk_pool_set_mark() - set the callback for the following phases.
 * @mark: NULL: none
 * Thread: the caller of lk_pool_run(), between two runs.  RT: yes. */
LK_RT void lk_pool_set_mark(struct lk_pool *pool, lk_pool_mark mark, void *context);

/** lk_pool_wait_ready() - wait until every worker is in lk_pool_serve(). Never returns if a worker
 * has no thread.
 * Thread: the caller of lk_pool_run().  RT: no. */
void lk_pool_wait_ready(struct lk_pool *pool);

/** lk_pool_run() - execute @phase on all workers; the caller is worker 0. Returns when all have
 * finished. Must not be called within a phase.
 * Thread: one at a time; cycle.  RT: yes. There is a system call only if a worker sleeps (about
 * 7 us to wake it) or if a wait exceeds the spin time. */
LK_RT void lk_pool_run(struct lk_pool *pool, lk_pool_phase phase, void *context, int what);

/** lk_pool_rouse() - wake sleeping workers at the beginning of a cycle, and set the time at which
 * workers wake by themselves for the next cycle.
 * @next_ns: CLOCK_MONOTONIC, shortly before the next cycle; 0: sleep until there is a run
 * Thread: the caller of lk_pool_run().  RT: yes; a system call only if a worker sleeps; never
 * waits. */
LK_RT void lk_pool_rouse(struct lk_pool *pool, int64_t next_ns);

/** lk_pool_rest() - let the workers sleep at the end of a cycle, without spinning first.
 * Thread: the caller of lk_pool_run().  RT: yes; no system call, never waits. */
LK_RT void lk_pool_rest(struct lk_pool *pool);

/** lk_pool_stop() - make lk_pool_serve() return on all threads, also on threads that call it later.
 * Thread: any, while no phase runs.  RT: no, but it never waits. */
void lk_pool_stop(struct lk_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
