/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel adds a wait for a processor to the delay counter of a thread only when the wait ends.
 * A thread that has waited during the whole interval is therefore recognised by its state:
 * runnable, without having run. */
#include "waiting.h"
#include "linkage/host.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return true if the thread is runnable. */
static bool is_runnable(const char *root, pid_t pid, pid_t task)
{
    char path[80], text[256];
    const char *end;

    snprintf(path, sizeof(path), "proc/%d/task/%d/stat", (int)pid, (int)task);
    if (lk_host_read_text(root, path, text, sizeof(text)) <= 0)
        return false;
    end = strrchr(text, ')'); /* "PID (name) S ..." */
    return end && strncmp(end, ") R", 3) == 0;
}

static bool read_task(const char *root, pid_t pid, struct lkd_waiting_task *task)
{
    char path[80], text[128];

    snprintf(path, sizeof(path), "proc/%d/task/%d/schedstat", (int)pid, (int)task->task);
    return lk_host_read_text(root, path, text, sizeof(text)) > 0 &&
           sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &task->ran_ns, &task->delay_ns,
                  &task->turns) == 3;
}

static const struct lkd_waiting_task *find_task(const struct lkd_waiting *waiting, pid_t task)
{
    for (int i = 0; i < waiting->n; i++)
        if (waiting->task[i].task == task)
            return &waiting->task[i];
    return NULL;
}

/* Return the time that a thread waited for a processor in an interval of @elapsed_ns.
 * @before, @now: counters of the thread at the ends of the interval */
static int64_t task_ns(const struct lkd_waiting_task *before, const struct lkd_waiting_task *now,
                       bool runnable, int64_t elapsed_ns)
{
    uint64_t delay_ns = now->delay_ns - before->delay_ns;

    if (runnable && now->turns == before->turns && now->ran_ns == before->ran_ns)
        return elapsed_ns;
    return delay_ns < (uint64_t)elapsed_ns ? (int64_t)delay_ns : elapsed_ns;
}

static void read_all(const char *root, pid_t pid, struct lkd_waiting *ret)
{
    const struct dirent *entry;
    char path[512];
    DIR *tasks;

    ret->n = 0;
    snprintf(path, sizeof(path), "%.400s/proc/%d/task", root, (int)pid);
    tasks = opendir(path);
    if (!tasks)
        return;
    while (ret->n < LKD_WAITING_TASKS_MAX && (entry = readdir(tasks))) {
        struct lkd_waiting_task *task = &ret->task[ret->n];

        task->task = (pid_t)strtol(entry->d_name, NULL, 10);
        ret->n += task->task > 0 && read_task(root, pid, task);
    }
    closedir(tasks);
}

int64_t lkd_waiting_ns(struct lkd_waiting *waiting, const char *root, pid_t pid, int64_t elapsed_ns)
{
    const struct lkd_waiting before = *waiting;
    int64_t longest_ns = 0;

    read_all(root, pid, waiting);
    for (int i = 0; i < waiting->n; i++) {
        const struct lkd_waiting_task *now = &waiting->task[i],
                                      *then = find_task(&before, now->task);
        int64_t ns = then ? task_ns(then, now, is_runnable(root, pid, now->task), elapsed_ns) : 0;

        longest_ns = ns > longest_ns ? ns : longest_ns;
    }
    return longest_ns;
}
