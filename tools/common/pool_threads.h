/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of normal priority for a pool (linkage/pool.h), for tools and tests. */
#ifndef TOOLS_COMMON_POOL_THREADS_H
#define TOOLS_COMMON_POOL_THREADS_H

struct pool_threads;
struct lk_pool;

/** pool_threads_start() - a pool of @n workers, and a thread for each but the first, which is the
 * caller; returns when all serve.
 * @n:     1 to LK_POOL_MAX
 * @cores: @n cores to pin the workers to, the caller included. NULL: any that the process may use,
 *         one for each as long as there are enough: the kernel likes to wake a worker on the core
 *         of who wakes it, and then they take turns. With too few nobody is pinned
 * Return: 0, -EINVAL (no such core, or outside of the cpuset), -ENOMEM, -EAGAIN. */
int pool_threads_start(int n, const int *cores, struct pool_threads **ret_threads);

/** pool_threads_pool() - for lk_system_set_pool(); NULL for NULL. */
struct lk_pool *pool_threads_pool(struct pool_threads *threads);

/** pool_threads_stop() - end them, and let the caller run where it could before; NULL is allowed.
 * No system may step with the pool any more. From the thread that started them, the last pool first
 * if it has several (threads of a pool that is started while another one is up may have to share
 * the caller's core: they inherit where it may run). */
void pool_threads_stop(struct pool_threads *threads);

#endif
