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
    pid_t pid, parent = getpid();

    snprintf(config, sizeof(config), "%s/linkaged.yaml", rig->folder);
    snprintf(log, sizeof(log), "%s/log", rig->folder);
    pid = fork();
    if (pid == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);

        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(126);
        setpgid(0, 0); /* what ends the soak from a terminal leaves it to end the daemon */
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
        execl(daemon, daemon, "--config", config, (char *)NULL);
        _exit(126);
    }
    return pid;
}

int soak_rig_start(struct soak_rig *rig, const struct soak_options *options)
{
    static const char *const names[] = {"control", "inputs", "outputs"};

    snprintf(rig->folder, sizeof(rig->folder), "/tmp/soak-XXXXXX");
    if (!mkdtemp(rig->folder))
        return complain(rig->folder);
    for (int i = 0; i < 3; i++)
        snprintf(rig->endpoint[i], sizeof(rig->endpoint[i]), "ipc://%s/%s", rig->folder, names[i]);
    if (write_config(rig, options))
        return 1;
    rig->pid = spawn(rig, options->daemon);
    return rig->pid < 0 ? complain("fork") : 0;
}

/* ---- memory and descriptors ---- */

static long read_rss_kib(pid_t pid)
{
    char path[64], line[128];
    long kib = 0;
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    in = fopen(path, "r");
    while (in && fgets(line, sizeof(line), in))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (in)
        fclose(in);
    return kib;
}

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
    return n > 2 ? n - 2 : 0; /* itself and the one above */
}

/* The processes that the threads of @pid have started, into @list behind its @n. */
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
        ret_memory->rss_kib += read_rss_kib(list[i]);
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

/* Fields of schedstat: time on a core, time ready, turns. */
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

bool soak_rig_lives(struct soak_rig *rig)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)rig->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

static void show_log(const struct soak_rig *rig)
{
    char path[PATH_MAX], line[512];
    FILE *in;

    snprintf(path, sizeof(path), "%s/log", rig->folder);
    in = fopen(path, "r");
    while (in && fgets(line, sizeof(line), in))
        fprintf(stderr, "daemon: %s", line);
    if (in)
        fclose(in);
}

static void remove_folder(const struct soak_rig *rig)
{
    static const char *const names[] = {"linkaged.yaml", "log", "control", "inputs", "outputs"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", rig->folder, names[i]);
        unlink(path);
    }
    rmdir(rig->folder);
}

int soak_rig_end(struct soak_rig *rig)
{
    int status = 0, result;

    if (rig->pid > 0) {
        kill(rig->pid, SIGTERM);
        waitpid(rig->pid, &status, 0);
    }
    result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (result)
        show_log(rig);
    remove_folder(rig);
    return result;
}
