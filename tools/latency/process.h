/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes and termination signals.
 *
 * A child never outlives this process. Each child leads its own process group, which is killed as a
 * whole. If this process dies, the kernel sends SIGTERM to the child (PR_SET_PDEATHSIG). A
 * termination signal to this process only sets a flag, which every wait checks. */
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

/** struct lat_process - a started program.
 * @pid:    process, 0: none
 * @output: file descriptor for reading the standard output, or -1 */
struct lat_process {
    pid_t pid;
    int output;
};

/** struct lat_spawn - parameters of a program to be started.
 * @arguments: path and arguments, terminated by NULL
 * @cpus:      permitted cores of the program
 * @log:       file to which the output is appended; NULL: discarded
 * @piped:     the standard output is read with lat_process_read() and not logged */
struct lat_spawn {
    const char *arguments[LAT_ARGUMENTS_MAX];
    cpu_set_t cpus;
    const char *log;
    bool piped;
};

/** lat_signals_init() - Let SIGINT, SIGTERM and SIGHUP only set the flag.
 * Thread: main, before any other thread exists. */
void lat_signals_init(void);

/** lat_interrupted() - Return true if a termination signal has arrived.
 * Thread: any.  RT: yes. */
bool lat_interrupted(void);

/** lat_wait_until() - Sleep until @at_ns, CLOCK_MONOTONIC, or until a termination signal arrives,
 * which is detected within 50 ms.
 * Return: false if a signal ended the wait.
 * Thread: any. */
bool lat_wait_until(int64_t at_ns);

/** lat_process_find() - Find a program.
 * @name:     a path if it contains a slash, otherwise a file in PATH
 * @ret_path: path of the program
 * Return: true if the file exists and is executable. */
bool lat_process_find(const char *name, char ret_path[PATH_MAX]);

/** lat_process_start() - Start a program.
 * Thread: main, because the kernel sends SIGTERM to the program when the calling thread ends.
 * Return: 0, negative errno (@ret_error: the failed operation). */
int lat_process_start(const struct lat_spawn *spawn, struct lat_process *ret_process,
                      struct lk_error *ret_error);

/** lat_process_read() - Read a program's standard output to its end.
 * @until_ns: time limit, CLOCK_MONOTONIC; a termination signal also ends the wait
 * @ret_text: null-terminated; free() it
 * Return: 0, -ETIMEDOUT, -EINTR, other negative errno. */
int lat_process_read(struct lat_process *process, int64_t until_ns, char **ret_text);

/** lat_process_wait() - Wait for the end of a program; ignores termination signals.
 * Return: exit status of the program; 128 + n if signal n ended it; -ETIMEDOUT: the program still
 * runs. */
int lat_process_wait(struct lat_process *process, int timeout_ms);

/** lat_process_stop() - End a program: send SIGTERM and wait up to @patience_ms for its end, then
 * send SIGKILL to its process group. Does nothing if no program was started. */
void lat_process_stop(struct lat_process *process, int patience_ms);

#endif
