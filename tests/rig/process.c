/* SPDX-License-Identifier: Apache-2.0 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void become(const struct rig_start *start, pid_t parent)
{
    int log = open(start->log, O_WRONLY | O_CREAT | O_APPEND, 0644);

    prctl(PR_SET_PDEATHSIG, start->death);
    if (getppid() != parent)
        _exit(126);
    if (start->apart)
        setpgid(0, 0);
    dup2(log, STDERR_FILENO);
    dup2(log, STDOUT_FILENO);
    if (start->without)
        unsetenv(start->without);
    execv(start->argv[0], (char *const *)start->argv);
    _exit(126);
}

pid_t rig_process_start(const struct rig_start *start)
{
    pid_t parent = getpid(), pid = fork();

    if (pid == 0)
        become(start, parent);
    return pid < 0 ? -errno : pid;
}

bool rig_process_lives(pid_t pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

int rig_process_wait(pid_t pid, int timeout_ms)
{
    struct pollfd item = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    int status, n;

    if (item.fd < 0)
        return -errno;
    n = poll(&item, 1, timeout_ms);
    close(item.fd);
    if (n != 1)
        kill(pid, SIGKILL);
    if (waitpid(pid, &status, 0) != pid)
        return -errno;
    if (n != 1)
        return -ETIMEDOUT;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

long rig_process_number(pid_t pid, const char *key)
{
    char path[64], line[256];
    long value = -1;
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    in = fopen(path, "re");
    while (in && fgets(line, sizeof(line), in))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key), NULL, 10);
    if (in)
        fclose(in);
    return value;
}
