/* SPDX-License-Identifier: Apache-2.0 */
/* Services of the operating system for the cycle thread: memory, cores, priority, idle states.
 *
 * The system may refuse each of them (no privilege, another cpuset, a container). The functions
 * then return a negative errno and change nothing else; the caller decides whether that matters. */
#ifndef LKD_RT_REALTIME_H
#define LKD_RT_REALTIME_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

#define LKD_CORE_AUTO      (-1) /* the last core available to this process, if it has at least two */
#define LKD_CORE_NONE      (-2) /* no core reserved */
#define LKD_STACK_TOUCHED  (64u << 10)
#define LKD_LOCK_LIMIT_MIN (256u << 20) /* least RLIMIT_MEMLOCK [bytes] for locking memory */

/** struct lkd_usage - the kernel's counters of one thread.
 * @minor_faults, @major_faults: page faults
 * @voluntary:   context switches by waiting
 * @involuntary: context switches by preemption */
struct lkd_usage {
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t voluntary;
    uint64_t involuntary;
};

/** lkd_realtime_lock_memory() - Lock all present and future memory of the process, and keep malloc
 * from returning pages and creating arenas. Raises the soft limit first. Call it early in main.
 * Return: 0, -EPERM (RLIMIT_MEMLOCK below LKD_LOCK_LIMIT_MIN and no CAP_IPC_LOCK), or the negative
 *         errno of mlockall(). */
int lkd_realtime_lock_memory(void);

/** lkd_realtime_pick_core() - Resolve @core to a core.
 * @core: LKD_CORE_AUTO, LKD_CORE_NONE or a number, which is returned unchanged
 * Return: a core, or LKD_CORE_NONE. */
int lkd_realtime_pick_core(int core);

/** lkd_realtime_cores() - Determine the cores of this process.
 * @ret_allowed:   affinity of the calling thread
 * @ret_reachable: cores to which the process may be pinned: all of its cpuset, including isolated
 *                 cores
 * Return: 0 or negative errno. */
int lkd_realtime_cores(cpu_set_t *ret_allowed, cpu_set_t *ret_reachable);

/** lkd_realtime_avoid_core() - Keep the calling thread, and threads that it creates later, off
 * @core. Does nothing for LKD_CORE_NONE, or if no other core remains.
 * Return: 0 or negative errno. */
int lkd_realtime_avoid_core(int core);

/** lkd_realtime_pin() - Pin the calling thread to @core; LKD_CORE_NONE is allowed.
 * Return: 0 or negative errno (-EINVAL: no such core, or outside of the cpuset). */
int lkd_realtime_pin(int core);

/** lkd_realtime_set_fifo() - Set the calling thread to SCHED_FIFO.
 * @priority: 1 to 99
 * Return: 0 or negative errno (-EPERM: RLIMIT_RTPRIO too low and no CAP_SYS_NICE). */
int lkd_realtime_set_fifo(int priority);

/** lkd_realtime_try_fifo() - Check that this process may use SCHED_FIFO: give the calling thread
 * priority @priority and restore its previous priority.
 * Return: 0 or negative errno. */
int lkd_realtime_try_fifo(int priority);

/** lkd_realtime_pin_of(), lkd_realtime_fifo_of() - Pin another thread of this process, or set it to
 * SCHED_FIFO, even if that thread never gets to run.
 * Return: 0 or negative errno. */
int lkd_realtime_pin_of(pthread_t thread, int core);
int lkd_realtime_fifo_of(pthread_t thread, int priority);

/** struct lkd_thread_wish - scheduling of a thread other than the cycle's.
 * @priority: SCHED_FIFO, 1 to 98; 0: normal; LKD_PRIORITY_AUTO: not decided yet, acts as normal
 * @core:     LKD_CORE_AUTO: unchanged affinity, or a number */
#define LKD_PRIORITY_AUTO (-1)

struct lkd_thread_wish {
    int priority;
    int core;
};

/** lkd_realtime_thread() - Set core and priority of the calling thread to those of @wish. Used for
 * threads that pass samples between the cycle and the benches.
 * Return: 0, or the negative errno of the first refusal. If one setting is refused, the other one
 * is applied nevertheless. */
int lkd_realtime_thread(const struct lkd_thread_wish *wish);

/** lkd_realtime_priority() - Return the SCHED_FIFO priority of the calling thread; 0: normal. */
int lkd_realtime_priority(void);

/** lkd_realtime_lock_init() - Initialise a mutex with priority inheritance. */
void lkd_realtime_lock_init(pthread_mutex_t *lock);

/** lkd_realtime_prepare_thread() - Touch the stack of the calling thread, and set its timer slack
 * to the minimum, which matters if the thread has normal priority. */
void lkd_realtime_prepare_thread(void);

/** lkd_realtime_keep_latency() - Open /dev/cpu_dma_latency before privileges are dropped. Without
 * this call lkd_realtime_hold_latency() opens it. */
void lkd_realtime_keep_latency(void);

/** lkd_realtime_hold_latency() - Keep all cores out of deep idle states until
 * lkd_realtime_release_latency().
 * Return: a descriptor, or negative errno. */
int lkd_realtime_hold_latency(void);
/** lkd_realtime_release_latency() - Allow deep idle states again. Negative descriptors are
 * accepted. */
void lkd_realtime_release_latency(int fd);

/** lkd_realtime_usage() - Return the counters of the calling thread so far. */
void lkd_realtime_usage(struct lkd_usage *ret_usage);

/** lkd_realtime_usage_of() - Return the counters of thread @tid of this process so far, without
 * disturbing it.
 * Return: 0 or negative errno (-ENOENT, -ESRCH: the thread has ended). */
int lkd_realtime_usage_of(pid_t tid, struct lkd_usage *ret_usage);

#endif
