/* SPDX-License-Identifier: Apache-2.0 */
/* A process that occupies a core against all lower priorities, or uses its share of it, for a
 * bounded time. */
#ifndef TEST_SPINNER_H
#define TEST_SPINNER_H

#include <sys/types.h>

#define SPINNER_NAME  "spinner"
#define SPINNER_MAX_S 60 /* the process ends by itself after this time */

/** spinner_core() - Return the last core, if there is another one for all other processes. Move the
 * calling process and its children off it.
 * Return: the core, or -1: only one core, or no real-time priority here */
int spinner_core(void);

/** spinner_start() - Start a process that spins on @core with SCHED_FIFO @priority. It spins
 * already when this function returns. */
pid_t spinner_start(int core, int priority);
/** spinner_start_greedy() - Start such a process without real-time priority, at the lowest nice
 * value. */
pid_t spinner_start_greedy(int core);
/** spinner_stop() - End the process. */
void spinner_stop(pid_t pid);

#endif
