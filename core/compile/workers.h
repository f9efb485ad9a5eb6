/* SPDX-License-Identifier: Apache-2.0 */
/* The useful number of workers of a step. */
#ifndef LK_COMPILE_WORKERS_H
#define LK_COMPILE_WORKERS_H

#include "step/system.h"

/* Cost of a fork and a join [ns]: two hand-offs of up to 0.5 us each, and the cache lines that move
 * between cores (measured with a chain of 128 links and two workers: a phase takes half of its work
 * plus 1.1 to 2 us). Each worker after the second adds LK_MEETING_MORE_NS, because the caller
 * fetches its cache line. */
#define LK_MEETING_NS      2000.0
#define LK_MEETING_MORE_NS 100.0

/** lk_workers_time() - predict the time of a step by @n_workers [ns]. */
double lk_workers_time(const struct lk_step_cost *cost, int n_workers);

/** lk_workers_useful() - compute the number of workers worth using at @cost: the fewest within 5 %
 * of the shortest time of 1 to @n_max workers, but 1 if these save less than 10 %.
 * Return: 1 to @n_max. */
int lk_workers_useful(const struct lk_step_cost *cost, int n_max);

#endif
