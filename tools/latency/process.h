/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes and termination signals.
 *
 * A child never outlives this process. Each child leads its own process group, which is killed as a
 * whole. The kernel sends a child SIGTERM if this process dies (PR_SET_PDEATHSIG). A termination
 * signal to this process only sets a flag, which every wait checks. */
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

/** struct lat_spawn - parameters of a program to be started. @arguments: path and arguments,
 * terminated by NULL @cpus: cores that the program may run on @log: file to which its output is
 * appended; NULL: discarded
 * @piped:     its standard output goes to lat_process_read() instead of the log */
struct lat_spawn {
    const char *arguments[LAT_ARGUMENTS_MAX];
    cpu_set_t cpus;
    const char *log;
    bool piped;
};

/** lat_signals_init() - Let SIGINT, SIGTERM and SIGHUP only set the flag. Thread: main, before any
 * other thread exists. */
void lat_signals_init(void);

/** lat_interrupted() - Return true if SIGINT, SIGTERM or SIGHUP has arrived.  Thread: any.  RT:
 * yes. */
bool lat_interrupted(void);

/** lat_wait_until() - Sleep until @at_ns, CLOCK_MONOTONIC, or until the signal flag is set; detects
 * the flag within 50 ms.
 * Return: false if the flag ended the wait.  Thread: any. */
bool lat_wait_until(int64_t at_ns);

/** lat_process_find() - Find the path of the program @name: @name itself if it contains a slash,
 * otherwise a file in PATH. Return: true if the file exists and is executable. */
bool lat_process_find(const char *name, char ret_path[PATH_MAX]);

/** lat_process_start() - Start a program. Thread: main, because the program gets SIGTERM when that
 * thread ends. Return: 0, negative errno (@ret_error: the failed operation). */
int lat_process_start(const struct lat_spawn *spawn, struct lat_process *ret_process,
                      struct lk_error *ret_error);

/** lat_process_read() - Read a program's standard output to its end.
 * @until_ns: deadline, CLOCK_MONOTONIC; also returns when interrupted
 * @ret_text: null-terminated; free() it
 * Return: 0, -ETIMEDOUT, -EINTR, other negative errno. */
int lat_process_read(struct lat_process *process, int64_t until_ns, char **ret_text);

/** lat_process_wait() - Wait for the end of a program, ignoring the signal flag. Return: its exit
 * status, 128 + n for signal n, -ETIMEDOUT (the program still runs). */
int lat_process_wait(struct lat_process *process, int timeout_ms);

/** lat_process_stop() - End a program: send SIGTERM; when it has ended, or after @patience_ms, send
 * SIGKILL to its process group. Does nothing if no program was started. */
void lat_process_stop(struct lat_process *process, int patience_ms);

#endif
