/* SPDX-License-Identifier: Apache-2.0 */
/* Stops one thread of the daemon from outside, as a debugger does. */
#ifndef TEST_FREEZE_H
#define TEST_FREEZE_H

#include "harness.h"
#include <sys/types.h>

/** freeze_find() - Return the id of thread @name of the daemon, which must exist. freeze_seize() -
 * Attach to thread @name of the daemon.
 * Return: its id; 0 if this process may not trace others */
pid_t freeze_find(const struct harness *h, const char *name);
pid_t freeze_seize(const struct harness *h, const char *name);
/** freeze_thread() - Stop the thread. freeze_end() - Continue it. freeze_let_go() - Continue and
 * detach. */
void freeze_thread(pid_t tid);
void freeze_end(pid_t tid);
void freeze_let_go(pid_t tid);
/** freeze_waiting() - Stop the thread where it waits for a condition, so that it holds no lock. */
void freeze_waiting(const struct harness *h, pid_t tid);
/** freeze_is_in_call() - Return true if a frozen thread is in a system call, as it is between two
 * cycles. */
bool freeze_is_in_call(const struct harness *h, pid_t tid);
/** freeze_await_death() - Collect the end of a traced thread, without which its process cannot
 * end. */
void freeze_await_death(pid_t tid);

#endif
