/* SPDX-License-Identifier: Apache-2.0 */
/* Priorities within the line process. It inherits the priority of the threads that carry samples,
 * as it may not set one itself, and so do all its threads. Once they exist, the others return to
 * normal priority. */
#ifndef LKD_LINE_URGENT_H
#define LKD_LINE_URGENT_H

#include "realtime.h"

/** lkd_urgent_settle() - threads named in @carriers go to the core of @wish and keep their
 * priority; all others of this process get the normal one, the calling thread too.
 * @carriers: ended by NULL. ZeroMQ's threads name themselves; this waits for them
 * Return: 0, -ESRCH: one of them was not found; all that were found are as said. */
int lkd_urgent_settle(const char *const *carriers, const struct lkd_thread_wish *wish);

#endif
