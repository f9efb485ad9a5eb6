/* SPDX-License-Identifier: Apache-2.0 */
/* Time that a process has waited for a processor, to distinguish a hung process from a starved one.
 * The time is read from the kernel's counters in proc/PID/task, which the process cannot
 * influence. */
#ifndef LKD_LINE_WAITING_H
#define LKD_LINE_WAITING_H

#include <stdint.h>
#include <sys/types.h>

#define LKD_WAITING_TASKS_MAX 32

/** struct lkd_waiting - previous reading of @n threads; zero it before the first reading.
 * @task:     thread id
 * @delay_ns: time spent runnable without a processor, completed waits only
 * @turns:    number of times that the thread was scheduled
 * @ran_ns:   time on a processor */
struct lkd_waiting {
    int n;
    struct lkd_waiting_task {
        pid_t task;
        uint64_t ran_ns;
        uint64_t delay_ns;
        uint64_t turns;
    } task[LKD_WAITING_TASKS_MAX];
};

/** lkd_waiting_ns() - Return the time, within the @elapsed_ns since the previous call, that process
 * @pid has waited for a processor: the longest wait among its threads.
 * @root: folder that contains proc, "" on this machine
 * Return: 0 to @elapsed_ns [ns]; 0 if nothing can be read, and on the first call. */
int64_t lkd_waiting_ns(struct lkd_waiting *waiting, const char *root, pid_t pid,
                       int64_t elapsed_ns);

#endif
