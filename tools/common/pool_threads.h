/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of normal priority for a pool (linkage/pool.h), for tools and tests. */
#ifndef TOOLS_COMMON_POOL_THREADS_H
#define TOOLS_COMMON_POOL_THREADS_H

struct pool_threads;
struct lk_pool;

/** pool_threads_start() - Create a pool of @n workers: the caller and @n - 1 threads. Returns when
 * all workers are ready. @n: 1 to LK_POOL_MAX @cores: @n cores to which the workers, including the
 * caller, are pinned. NULL: one core for each worker among those that the process may use; no
 * pinning if there are too few cores. Workers are pinned because the kernel tends to wake a worker
 * on the core of its waker, which serialises them
 * Return: 0, -EINVAL (no such core, or outside of the cpuset), -ENOMEM, -EAGAIN. */
int pool_threads_start(int n, const int *cores, struct pool_threads **ret_threads);

/** pool_threads_pool() - Return the pool for lk_system_set_pool(); NULL for NULL. */
struct lk_pool *pool_threads_pool(struct pool_threads *threads);

/** pool_threads_stop() - End the threads and restore the caller's CPU affinity. @threads may be
 * NULL. Call it after the last system has stopped using the pool. Call it from the thread that
 * started the pool. If that thread has several pools, stop the latest pool first. (The threads of a
 * pool inherit the affinity of the caller. If the caller already has a pool, the new threads may
 * have to share its core.) */
void pool_threads_stop(struct pool_threads *threads);

#endif
