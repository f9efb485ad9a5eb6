/* SPDX-License-Identifier: Apache-2.0 */
#include "freeze.h"
#include "runs.h"
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

/* Return the thread with this name, 0 if there is none. */
static pid_t find_thread(pid_t pid, const char *name)
{
    char path[320], comm[32];
    struct dirent *entry;
    pid_t found = 0;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        FILE *in;

        snprintf(path, sizeof(path), "/proc/%d/task/%.16s/comm", (int)pid, entry->d_name);
        in = fopen(path, "r");
        if (!in)
            continue;
        if (fgets(comm, sizeof(comm), in) && strncmp(comm, name, strlen(name)) == 0)
            found = (pid_t)atoi(entry->d_name);
        fclose(in);
    }
    closedir(dir);
    return found;
}

/* Wait for a thread, because it sets its name some time after it was started. */
static pid_t await_thread(pid_t pid, const char *name)
{
    time_t until = time(NULL) + PATIENCE_MS / 1000;
    pid_t tid = find_thread(pid, name);

    while (tid == 0 && time(NULL) < until) {
        runs_nap();
        tid = find_thread(pid, name);
    }
    if (tid == 0)
        fail_msg("no thread %s", name);
    return tid;
}

pid_t freeze_find(const struct harness *h, const char *name)
{
    return await_thread(h->pid, name);
}

pid_t freeze_seize(const struct harness *h, const char *name)
{
    pid_t tid = await_thread(h->pid, name);

    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) {
        print_message("ptrace: %s\n", strerror(errno));
        return 0;
    }
    return tid;
}

void freeze_thread(pid_t tid)
{
    int status;

    assert_int_equal(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL), 0);
    assert_int_equal(waitpid(tid, &status, __WALL), tid);
    assert_true(WIFSTOPPED(status));
}

void freeze_end(pid_t tid)
{
    assert_int_equal(ptrace(PTRACE_CONT, tid, NULL, NULL), 0);
}

void freeze_let_go(pid_t tid)
{
    assert_int_equal(ptrace(PTRACE_DETACH, tid, NULL, NULL), 0);
}

/* Return the number of the system call in which a frozen thread is, -1 if it is in none. */
static long call_of(const struct harness *h, pid_t tid)
{
    char path[64], text[32] = "";
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)h->pid, (int)tid);
    in = fopen(path, "r");
    if (!in || !fgets(text, sizeof(text), in))
        text[0] = '\0';
    if (in)
        fclose(in);
    return strtol(text, NULL, 10);
}

bool freeze_is_in_call(const struct harness *h, pid_t tid)
{
    return call_of(h, tid) >= 0;
}

void freeze_waiting(const struct harness *h, pid_t tid)
{
    for (int i = 0; i < PATIENCE_MS / 5; i++) {
        freeze_thread(tid);
        if (call_of(h, tid) == SYS_futex)
            return;
        freeze_end(tid);
        runs_nap();
    }
    fail_msg("the thread does not wait");
}

void freeze_await_death(pid_t tid)
{
    int status;

    for (int i = 0; i < PATIENCE_MS / 5; i++) {
        if (waitpid(tid, &status, __WALL | WNOHANG) == tid && !WIFSTOPPED(status))
            return;
        runs_nap();
    }
    ptrace(PTRACE_DETACH, tid, NULL, NULL);
    fail_msg("the thread does not end");
}
