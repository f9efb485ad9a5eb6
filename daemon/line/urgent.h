/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads of the line process are urgent. The process is born with the priority of those that
 * carry samples, which it may not take by itself, and all its threads inherit that. Once they are
 * there, the others give it up. */
#ifndef LKD_LINE_URGENT_H
#define LKD_LINE_URGENT_H

#include "realtime.h"

/** lkd_urgent_settle() - threads named in @carriers go to the core of @wish and keep their
 * priority; all others of this process get the normal one, the calling thread too.
 * @carriers: ended by NULL. ZeroMQ's threads name themselves; this waits for them
 * Return: 0, -ESRCH: one of them was not found; all that were found are as said. */
int lkd_urgent_settle(const char *const *carriers, const struct lkd_thread_wish *wish);

#endif
