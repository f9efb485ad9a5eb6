/* SPDX-License-Identifier: Apache-2.0 */
/* Priorities within the line process. The process inherits the priority of the threads that relay
 * samples, because it must not raise a priority itself. All its threads inherit this priority, too.
 * When all threads exist, those that do not relay samples return to normal priority. */
#ifndef LKD_LINE_URGENT_H
#define LKD_LINE_URGENT_H

#include "realtime.h"

/** lkd_urgent_settle() - Move the threads named in @carriers to the core of @wish; they keep their
 * priority. Set all other threads of this process to normal priority, including the calling thread.
 * @carriers: names of threads, terminated by NULL. ZeroMQ's threads set their own names; the
 *            function waits until they have done so.
 * Return: 0, -ESRCH: a thread of @carriers was not found; the other threads are set as
 * described. */
int lkd_urgent_settle(const char *const *carriers, const struct lkd_thread_wish *wish);

#endif
