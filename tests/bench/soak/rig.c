/* SPDX-License-Identifier: Apache-2.0 */
#include "soak.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX 16
#define CYCLE_NAME    "lkd-cycle"

static int complain(const char *what)
{
    fprintf(stderr, "soak: %s: %s\n", what, strerror(errno));
    return 1;
}

static int write_config(const struct soak_rig *rig, const struct soak_options *o)
{
    char path[PATH_MAX];
    FILE *out;

    snprintf(path, sizeof(path), "%s/linkaged.yaml", rig->folder);
    out = fopen(path, "w");
    if (!out)
        return complain(path);
    fprintf(out,
            "linkaged: 1\nendpoints: {control: '%s', inputs: '%s', outputs: '%s'}\n"
            "realtime: {degraded: allow, core: %d, wake: %s}\n"
            "overrun: {fault_in_a_row: 0}\nwatchdog: {time: 20}\n"
            "outputs: {divisor: %" PRIu64 "}\n"
            "policy: {stale: {action: ramp, ramp: 0.1, timeout: %.0f}}\n",
            rig->endpoint[0], rig->endpoint[1], rig->endpoint[2], o->core, o->wake, o->divisor,
            o->rate * 0.1);
    return fclose(out) ? complain(path) : 0;
}

static pid_t spawn(const struct soak_rig *rig, const char *daemon)
{
    char config[PATH_MAX], log[PATH_MAX];
    const char *argv[] = {daemon, "--config", config, NULL};
    /* a signal from the terminal ends only the soak, which then ends the daemon */
    const struct rig_start start = {.argv = argv, .log = log, .death = SIGTERM, .apart = true};

    snprintf(config, sizeof(config), "%s/linkaged.yaml", rig->folder);
    snprintf(log, sizeof(log), "%s/log", rig->folder);
    return rig_process_start(&start);
}

int soak_rig_start(struct soak_rig *rig, const struct soak_options *options)
{
    static const char *const names[] = {"control", "inputs", "outputs"};

    if (rig_folder_make("soak", rig->folder))
        return complain("a folder");
    for (int i = 0; i < 3; i++)
        snprintf(rig->endpoint[i], sizeof(rig->endpoint[i]), "ipc://%s/%s", rig->folder, names[i]);
    if (write_config(rig, options))
        return 1;
    rig->pid = spawn(rig, options->daemon);
    return rig->pid < 0 ? complain("fork") : 0;
}

/* ---- memory and descriptors ---- */

static long count_descriptors(pid_t pid)
{
    char path[64];
    long n = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    dir = opendir(path);
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n > 2 ? n - 2 : 0; /* without "." and ".." */
}

/* Append the processes that the threads of @pid have started to @list.
 * Return: new length */
static int add_children(pid_t pid, pid_t *list, int n)
{
    char path[64];
    int child;
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
    in = fopen(path, "r");
    while (in && n < PROCESSES_MAX && fscanf(in, "%d", &child) == 1)
        list[n++] = child;
    if (in)
        fclose(in);
    return n;
}

void soak_rig_check(const struct soak_rig *rig, struct soak_memory *ret_memory)
{
    pid_t list[PROCESSES_MAX] = {rig->pid};
    int n = 1;

    *ret_memory = (struct soak_memory){0};
    for (int i = 0; i < n; i++) {
        long kib = rig_process_number(list[i], "VmRSS:");

        ret_memory->rss_kib += kib > 0 ? kib : 0;
        ret_memory->descriptors += count_descriptors(list[i]);
        n = add_children(list[i], list, n);
    }
    ret_memory->processes = n;
}

/* ---- the cycle's thread ---- */

static bool is_cycle(pid_t pid, const char *thread)
{
    char path[PATH_MAX], name[32] = "";
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, thread);
    in = fopen(path, "r");
    if (in) {
        if (!fgets(name, sizeof(name), in))
            name[0] = '\0';
        fclose(in);
    }
    return strcmp(name, CYCLE_NAME "\n") == 0;
}

/* Return the time that the thread was ready [ns]. Fields of schedstat: time on a core, time ready,
 * number of time slices. */
static int64_t read_ready(pid_t pid, const char *thread)
{
    char path[PATH_MAX];
    long long ran, ready = 0;
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", pid, thread);
    in = fopen(path, "r");
    if (!in)
        return 0;
    if (fscanf(in, "%lld %lld", &ran, &ready) != 2)
        ready = 0;
    fclose(in);
    return ready;
}

int64_t soak_rig_ready_ns(const struct soak_rig *rig)
{
    struct dirent *thread;
    int64_t ready_ns = 0;
    char path[64];
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", rig->pid);
    dir = opendir(path);
    while (dir && (thread = readdir(dir)))
        if (thread->d_name[0] != '.' && is_cycle(rig->pid, thread->d_name))
            ready_ns = read_ready(rig->pid, thread->d_name);
    if (dir)
        closedir(dir);
    return ready_ns;
}

/* ---- the end ---- */

static void show_log(const struct soak_rig *rig)
{
    char path[PATH_MAX], *text, *line, *rest;

    snprintf(path, sizeof(path), "%s/log", rig->folder);
    rest = text = rig_text_read(path);
    while ((line = strsep(&rest, "\n")))
        fprintf(stderr, "daemon: %s\n", line);
    free(text);
}

int soak_rig_end(struct soak_rig *rig)
{
    int result = 0;

    if (rig->pid > 0) {
        kill(rig->pid, SIGTERM);
        result = rig_process_wait(rig->pid, -1);
    }
    if (result)
        show_log(rig);
    rig_folder_remove(rig->folder);
    return result;
}
