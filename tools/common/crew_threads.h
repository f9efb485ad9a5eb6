/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of normal priority for a crew (linkage/crew.h), for tools and tests. */
#ifndef TOOLS_COMMON_CREW_THREADS_H
#define TOOLS_COMMON_CREW_THREADS_H

struct crew_threads;
struct lk_crew;

/** crew_threads_start() - a crew of @n workers, and a thread for each but the first, which is the
 * caller; returns when all serve.
 * @n:     1 to LK_CREW_MAX
 * @cores: @n cores to pin the workers to, the caller included. NULL: any that the process may use,
 *         one for each as long as there are enough: the kernel likes to wake a worker on the core
 *         of who wakes it, and then they take turns. With too few nobody is pinned
 * Return: 0, -EINVAL (no such core, or outside of the cpuset), -ENOMEM, -EAGAIN. */
int crew_threads_start(int n, const int *cores, struct crew_threads **ret_threads);

/** crew_threads_crew() - for lk_system_set_crew(); NULL for NULL. */
struct lk_crew *crew_threads_crew(struct crew_threads *threads);

/** crew_threads_stop() - end them, and let the caller run where it could before; NULL is allowed.
 * No system may step with the crew any more. From the thread that started them, the last crew first
 * if it has several (threads of a crew that is started while another one is up may have to share
 * the caller's core: they inherit where it may run). */
void crew_threads_stop(struct crew_threads *threads);

#endif
