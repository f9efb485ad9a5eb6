/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes and termination signals.
 *
 * A child never outlives us: each leads a process group of its own, which is killed as a whole, and
 * gets SIGTERM from the kernel if we die (PR_SET_PDEATHSIG). A termination signal to us only sets a
 * flag, which every wait checks. */
#ifndef TOOLS_LATENCY_PROCESS_H
#define TOOLS_LATENCY_PROCESS_H

#include "linkage/error.h"
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LAT_ARGUMENTS_MAX 40

/** struct lat_process - a started program. @pid: 0: none;  @output: its standard output, or -1 */
struct lat_process {
    pid_t pid;
    int output;
};

/** struct lat_spawn - how to start a program.
 * @arguments: the path first; NULL ends them
 * @cpus:      cores that it may run on
 * @log:       file that its output is appended to; NULL: discarded
 * @piped:     its standard output goes to lat_process_read() instead of the log */
struct lat_spawn {
    const char *arguments[LAT_ARGUMENTS_MAX];
    cpu_set_t cpus;
    const char *log;
    bool piped;
};

/** lat_signals_init() - SIGINT, SIGTERM and SIGHUP only set the flag.
 * Thread: main, before any other exists. */
void lat_signals_init(void);

/** lat_interrupted() - whether such a signal has arrived.  Thread: any.  RT: yes. */
bool lat_interrupted(void);

/** lat_wait_until() - sleep until @at_ns, CLOCK_MONOTONIC, or until the flag is set; notices
 * the flag within 50 ms.
 * Return: false if the flag ended the wait.  Thread: any. */
bool lat_wait_until(int64_t at_ns);

/** lat_process_find() - path of the program @name: @name itself if it has a slash, else in PATH.
 * Return: whether it exists and is executable. */
bool lat_process_find(const char *name, char ret_path[PATH_MAX]);

/** lat_process_start() - start a program. Thread: main: the program gets SIGTERM when that
 * thread ends.
 * Return: 0, negative errno (@ret_error says what). */
int lat_process_start(const struct lat_spawn *spawn, struct lat_process *ret_process,
                      struct lk_error *ret_error);

/** lat_process_read() - read a program's standard output to its end.
 * @until_ns: deadline, CLOCK_MONOTONIC; also returns when interrupted
 * @ret_text: null-terminated; free() it
 * Return: 0, -ETIMEDOUT, -EINTR, other negative errno. */
int lat_process_read(struct lat_process *process, int64_t until_ns, char **ret_text);

/** lat_process_wait() - wait for the end of a program, ignoring the flag.
 * Return: its exit status, 128 + n for signal n, -ETIMEDOUT (it still runs). */
int lat_process_wait(struct lat_process *process, int timeout_ms);

/** lat_process_stop() - end a program: SIGTERM; once it has ended, or after @patience_ms, SIGKILL
 * to its whole group. Does nothing if there is none. */
void lat_process_stop(struct lat_process *process, int patience_ms);

#endif
