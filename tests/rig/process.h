/* SPDX-License-Identifier: Apache-2.0 */
/* A program that a test or a measurement starts, and what the kernel says about it. Nothing here
 * ends a test: what is wrong is said by the result. */
#ifndef TESTS_RIG_PROCESS_H
#define TESTS_RIG_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/** struct rig_start - how to start it.
 * @argv:    the program and its arguments, NULL-terminated
 * @log:     where its two outputs go, appended
 * @without: a variable that it does not inherit, or NULL
 * @death:   the signal that it gets when the caller's thread ends
 * @apart:   in a process group of its own: what a terminal sends to the caller leaves it alone */
struct rig_start {
    const char *const *argv;
    const char *log;
    const char *without;
    int death;
    bool apart;
};

/** rig_process_start() - Return: its id, negative errno. */
pid_t rig_process_start(const struct rig_start *start);

/** rig_process_lives() - whether our child still runs; leaves its end to rig_process_wait(). */
bool rig_process_lives(pid_t pid);

/** rig_process_wait() - for the end of our child, by SIGKILL after @timeout_ms (-1: never).
 * Return: exit status, 128 + n for signal n; -ETIMEDOUT: it was killed; negative errno. */
int rig_process_wait(pid_t pid, int timeout_ms);

/** rig_process_number() - what /proc/PID/status says behind @key ("VmRSS:"); -1: nothing. */
long rig_process_number(pid_t pid, const char *key);

#endif
