/* SPDX-License-Identifier: Apache-2.0 */
/* Priorities within the line process. It inherits the priority of the threads that relay samples,
 * because it must not set one itself, and so do all its threads. Once they exist, the others return
 * to normal priority. */
#ifndef LKD_LINE_URGENT_H
#define LKD_LINE_URGENT_H

#include "realtime.h"

/** lkd_urgent_settle() - Move the threads named in @carriers to the core of @wish; they keep their
 * priority. Set all other threads of this process to normal priority, including the calling thread.
 * @carriers: ended by NULL. ZeroMQ's threads name themselves; this waits for them
 * Return: 0, -ESRCH: one of them was not found; the others are set as described. */
int lkd_urgent_settle(const char *const *carriers, const struct lkd_thread_wish *wish);

#endif
