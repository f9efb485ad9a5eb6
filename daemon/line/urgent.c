/* SPDX-License-Identifier: Apache-2.0 */
#include "urgent.h"
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Number and interval of the attempts to find threads by name. Together they give a thread ten
 * seconds to set its name. */
#define LOOKS   1000
#define LOOK_NS 10000000L

static void read_name(const char *task, char *ret_name, int size)
{
    char path[64];
    FILE *file;

    *ret_name = '\0';
    snprintf(path, sizeof(path), "/proc/self/task/%.20s/comm", task);
    file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(ret_name, size, file))
        ret_name[strcspn(ret_name, "\n")] = '\0';
    fclose(file);
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* Call @set for each thread of the process.
 * Return: number of threads found whose names are in @carriers; negative errno. */
static int each_task(const char *const *carriers, const struct lkd_thread_wish *wish,
                     void (*set)(pid_t task, bool carries, const struct lkd_thread_wish *wish))
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    int n = 0;

    if (!folder)
        return -errno;
    while ((entry = readdir(folder))) {
        pid_t task = (pid_t)strtol(entry->d_name, NULL, 10);
        char name[32];
        bool carries;

        read_name(entry->d_name, name, sizeof(name));
        carries = is_one_of(name, carriers);
        n += carries;
        if (task > 0 && set)
            set(task, carries, wish);
    }
    closedir(folder);
    return n;
}

/* Set core and priority of one thread. If the core is refused, this is not logged here: the
 * exchange thread gets the same refusal and logs it. */
static void set_task(pid_t task, bool carries, const struct lkd_thread_wish *wish)
{
    const struct sched_param normal = {0};
    cpu_set_t core;

    if (!carries)
        sched_setscheduler(task, SCHED_OTHER, &normal);
    if (!carries || wish->core < 0)
        return;
    CPU_ZERO(&core);
    CPU_SET((size_t)wish->core, &core);
    sched_setaffinity(task, sizeof(core), &core);
}

int lkd_urgent_settle(const char *const *carriers, const struct lkd_thread_wish *wish)
{
    const struct timespec pause = {0, LOOK_NS};
    int wanted = 0, n = 0;

    while (carriers[wanted])
        wanted++;
    for (int i = 0; i < LOOKS && n >= 0; i++) {
        n = each_task(carriers, wish, NULL);
        if (n >= wanted)
            break;
        nanosleep(&pause, NULL);
    }
    each_task(carriers, wish, set_task);
    return n >= wanted ? 0 : -ESRCH;
}
