/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes of tests and measurements, and their figures in /proc. Failures do not end the
 * test; they are returned. */
#ifndef TESTS_RIG_PROCESS_H
#define TESTS_RIG_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/** struct rig_start - parameters of a child process. @argv: the program and its arguments,
 * NULL-terminated
 * @log: file to which both its outputs are appended @without: an environment variable that the
 *       child does not inherit, or NULL @death: signal that the child gets when the caller's thread
 *       ends @apart: the child has a separate process group, so that it gets no signals from the
 *       caller's terminal */
struct rig_start {
    const char *const *argv;
    const char *log;
    const char *without;
    int death;
    bool apart;
};

/** rig_process_start() - Start a program. Return: its process id, negative errno. */
pid_t rig_process_start(const struct rig_start *start);

/** rig_process_lives() - Return true if the child still runs; do not reap it. */
bool rig_process_lives(pid_t pid);

/** rig_process_wait() - Wait for the end of a child; send SIGKILL after @timeout_ms (-1: never).
 * Return: exit status, 128 + n for signal n; -ETIMEDOUT: the child was killed; negative errno. */
int rig_process_wait(pid_t pid, int timeout_ms);

/** rig_process_number() - Return the number after @key, such as "VmRSS:", in /proc/PID/status; -1:
 * none. */
long rig_process_number(pid_t pid, const char *key);

#endif
