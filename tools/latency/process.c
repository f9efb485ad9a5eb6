/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS  INT64_C(50000000) /* interval at which a wait checks the signal flag */
#define PAUSE_NS INT64_C(2000000)  /* interval at which the end of a program is checked */

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
    interrupted = number;
}

void lat_signals_init(void)
{
    struct sigaction action = {.sa_handler = note_signal};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool lat_interrupted(void)
{
    return interrupted != 0;
}

static void sleep_until(int64_t at_ns)
{
    struct timespec at = {.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

bool lat_wait_until(int64_t at_ns)
{
    int64_t now_ns = lk_client_now_ns();

    while (now_ns < at_ns && !lat_interrupted()) {
        sleep_until(at_ns - now_ns < LOOK_NS ? at_ns : now_ns + LOOK_NS);
        now_ns = lk_client_now_ns();
    }
    return now_ns >= at_ns;
}

bool lat_process_find(const char *name, char ret_path[PATH_MAX])
{
    const char *path = getenv("PATH");
    size_t n_name = strlen(name);

    if (memchr(name, '/', n_name) != NULL) {
        memcpy(ret_path, name, n_name < PATH_MAX ? n_name + 1 : 0);
        return n_name < PATH_MAX && access(name, X_OK) == 0;
    }
    while (path != NULL && *path != '\0') {
        size_t n = strcspn(path, ":");

        if (n > 0 && n + n_name + 2 <= PATH_MAX) {
            memcpy(ret_path, path, n);
            ret_path[n] = '/';
            memcpy(ret_path + n + 1, name, n_name + 1);
            if (access(ret_path, X_OK) == 0)
                return true;
        }
        path += n + strspn(path + n, ":");
    }
    return false;
}

/* ---- in the new process: only calls that are safe between fork and exec ---- */

static void child_descriptors(const struct lat_spawn *spawn, int output)
{
    int null = open("/dev/null", O_RDWR);
    int log = spawn->log != NULL ? open(spawn->log, O_WRONLY | O_CREAT | O_APPEND, 0666) : null;

    dup2(null, STDIN_FILENO);
    dup2(log >= 0 ? log : null, STDERR_FILENO);
    dup2(spawn->piped ? output : STDERR_FILENO, STDOUT_FILENO);
}

static void child_main(const struct lat_spawn *spawn, int output, pid_t parent)
{
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(126);
    child_descriptors(spawn, output);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sched_setaffinity(0, sizeof(spawn->cpus), &spawn->cpus);
    unsetenv("NOTIFY_SOCKET");
    execv(spawn->arguments[0], (char *const *)spawn->arguments);
    _exit(127);
}

int lat_process_start(const struct lat_spawn *spawn, struct lat_process *ret_process,
                      struct lk_error *ret_error)
{
    int ends[2] = {-1, -1}, code = 0;
    pid_t parent = getpid(), pid = -1;

    if (spawn->piped && pipe2(ends, O_CLOEXEC) != 0)
        code = -errno;
    if (code == 0 && (pid = fork()) < 0)
        code = -errno;
    if (pid == 0)
        child_main(spawn, ends[1], parent);
    if (ends[1] >= 0)
        close(ends[1]);
    if (code != 0) {
        if (ends[0] >= 0)
            close(ends[0]);
        lk_error_set(ret_error, "%s cannot be started: %s", spawn->arguments[0], strerror(-code));
        return code;
    }
    setpgid(pid, pid); /* called in both processes: the group must exist before it can be killed */
    *ret_process = (struct lat_process){.pid = pid, .output = ends[0]};
    return 0;
}

/* ---- */

static int wait_readable(int file, int64_t until_ns)
{
    while (!lat_interrupted()) {
        struct pollfd item = {.fd = file, .events = POLLIN};
        int n = poll(&item, 1, (int)(LOOK_NS / 1000000));

        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        if (lk_client_now_ns() > until_ns)
            return -ETIMEDOUT;
    }
    return -EINTR;
}

int lat_process_read(struct lat_process *process, int64_t until_ns, char **ret_text)
{
    size_t n = 0, size = 1 << 16;
    char *text = malloc(size), *larger;
    ssize_t got = 1;
    int code = text != NULL ? 0 : -ENOMEM;

    while (code == 0 && got != 0) {
        code = wait_readable(process->output, until_ns);
        if (code != 0)
            break;
        got = read(process->output, text + n, size - n - 1);
        if (got < 0)
            code = errno == EINTR || errno == EAGAIN ? 0 : -errno;
        n += got > 0 ? (size_t)got : 0;
        if (n + 1 < size)
            continue;
        larger = realloc(text, 2 * size);
        code = larger != NULL ? code : -ENOMEM;
        text = larger != NULL ? larger : text;
        size *= larger != NULL ? 2 : 1;
    }
    if (code != 0) {
        free(text);
        return code;
    }
    text[n] = '\0';
    *ret_text = text;
    return 0;
}

static void forget_process(struct lat_process *process)
{
    if (process->output >= 0)
        close(process->output);
    *process = (struct lat_process){.pid = 0, .output = -1};
}

int lat_process_wait(struct lat_process *process, int timeout_ms)
{
    int64_t until_ns = lk_client_now_ns() + (int64_t)timeout_ms * 1000000;
    int status = 0;

    for (;;) {
        pid_t pid = waitpid(process->pid, &status, WNOHANG);

        if (pid == process->pid)
            break;
        if (pid < 0 && errno != EINTR)
            return -errno;
        if (lk_client_now_ns() > until_ns)
            return -ETIMEDOUT;
        sleep_until(lk_client_now_ns() + PAUSE_NS);
    }
    forget_process(process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void lat_process_stop(struct lat_process *process, int patience_ms)
{
    pid_t group = process->pid;

    if (group <= 0)
        return;
    kill(group, SIGTERM); /* only to the program itself, which ends its own children */
    if (lat_process_wait(process, patience_ms) == -ETIMEDOUT) {
        kill(-group, SIGKILL);
        lat_process_wait(process, 10000);
    } else {
        kill(-group, SIGKILL); /* kill processes that the program has left behind */
    }
}
