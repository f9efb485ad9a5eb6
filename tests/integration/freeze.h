/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of the daemon made to stand still, from outside, as a debugger does it. */
#ifndef TEST_FREEZE_H
#define TEST_FREEZE_H

#include "harness.h"
#include <sys/types.h>

/** freeze_seize() - thread @name of the daemon, to be frozen. Return: its id; 0 when this process
 * may not look into others. */
pid_t freeze_seize(const struct harness *h, const char *name);
/** freeze_thread() - it stands still;  freeze_end() - it goes on;  freeze_let_go() - and cannot be
 * frozen any more. */
void freeze_thread(pid_t tid);
void freeze_end(pid_t tid);
void freeze_let_go(pid_t tid);
/** freeze_is_in_call() - a frozen thread: is it in a system call? Between two cycles it is, it
 * sleeps. */
bool freeze_is_in_call(const struct harness *h, pid_t tid);
/** freeze_await_death() - the end of a thread that is traced is the tracer's to take note of,
 * before its process ends. */
void freeze_await_death(pid_t tid);

#endif
