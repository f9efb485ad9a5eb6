/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs, and being told to end.
 *
 * Whatever is started here ends with us: each program leads a process group of its own, which is
 * killed as a whole, and gets SIGTERM from the kernel should we die. A signal from outside sets a
 * flag, which everything that waits looks at; nothing is cut off in its middle. */
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
 * @log:       file that its messages are added to; NULL: they are dropped
 * @piped:     its standard output is for lat_process_read(), else it goes to the log */
struct lat_spawn {
    const char *arguments[LAT_ARGUMENTS_MAX];
    cpu_set_t cpus;
    const char *log;
    bool piped;
};

/** lat_signals_init() - SIGINT, SIGTERM and SIGHUP only set the flag from now on.
 * Thread: main, before any other exists. */
void lat_signals_init(void);

/** lat_interrupted() - has such a signal come?  Thread: any.  RT: yes. */
bool lat_interrupted(void);

/** lat_wait_until() - sleep until @at_ns, CLOCK_MONOTONIC, or until the flag is set; to within a
 * wake-up of the time, and within 50 ms of the flag.
 * Return: whether the time has come.  Thread: any. */
bool lat_wait_until(int64_t at_ns);

/** lat_process_find() - where the program @name is: itself when it has a slash, else in PATH.
 * Return: whether it is there and may be executed. */
bool lat_process_find(const char *name, char ret_path[PATH_MAX]);

/** lat_process_start() - start a program. Thread: main: the program is told when that one ends.
 * Return: 0, negative errno (@ret_error says what). */
int lat_process_start(const struct lat_spawn *spawn, struct lat_process *ret_process,
                      struct lk_error *ret_error);

/** lat_process_read() - all that a program writes to its standard output, until it ends it.
 * @until_ns: after this time, or when interrupted, no longer
 * @ret_text: with a zero at the end; to be freed
 * Return: 0, -ETIMEDOUT, -EINTR, other negative errno. */
int lat_process_read(struct lat_process *process, int64_t until_ns, char **ret_text);

/** lat_process_wait() - wait for the end of a program. Not interrupted.
 * Return: its exit status, 128 + n for signal n, -ETIMEDOUT (it still runs). */
int lat_process_wait(struct lat_process *process, int timeout_ms);

/** lat_process_stop() - end a program: SIGTERM, after @patience_ms or when it has ended SIGKILL to
 * all of its group. Harmless when there is none. */
void lat_process_stop(struct lat_process *process, int patience_ms);

#endif
