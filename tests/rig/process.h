/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes of tests and measurements, and their figures in /proc. Failures do not end the
 * test; they are returned. */
#ifndef TESTS_RIG_PROCESS_H
#define TESTS_RIG_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/** struct rig_start - how to start it.
 * @argv:    the program and its arguments, NULL-terminated
 * @log:     file that both its outputs are appended to
 * @without: an environment variable that it does not inherit, or NULL
 * @death:   signal that it gets when the caller's thread ends
 * @apart:   in a process group of its own: it gets no signals from the caller's terminal */
struct rig_start {
    const char *const *argv;
    const char *log;
    const char *without;
    int death;
    bool apart;
};

/** rig_process_start() - start a program. Return: its process id, negative errno. */
pid_t rig_process_start(const struct rig_start *start);

/** rig_process_lives() - whether the child still runs; does not reap it. */
bool rig_process_lives(pid_t pid);

/** rig_process_wait() - wait for the end of a child; SIGKILL after @timeout_ms (-1: never).
 * Return: exit status, 128 + n for signal n; -ETIMEDOUT: it was killed; negative errno. */
int rig_process_wait(pid_t pid, int timeout_ms);

/** rig_process_number() - number after @key ("VmRSS:") in /proc/PID/status; -1: none. */
long rig_process_number(pid_t pid, const char *key);

#endif
