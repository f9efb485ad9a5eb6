/* SPDX-License-Identifier: Apache-2.0 */
/* How many workers a step pays for. */
#ifndef LK_COMPILE_WORKERS_H
#define LK_COMPILE_WORKERS_H

#include "step/system.h"

/* [ns] What a fork and a join cost a step: two hand-offs of up to half a microsecond, and the lines
 * that change cores with them (chain of 128 links, two workers: 1.1 to 2 us a phase more than half
 * of the work); and what each worker beyond the second adds, whose lane the caller has to fetch. */
#define LK_MEETING_NS      2000.0
#define LK_MEETING_MORE_NS 100.0

/** lk_workers_time() - predicted time of a step by @n_workers [ns]. */
double lk_workers_time(const struct lk_step_cost *cost, int n_workers);

/** lk_workers_useful() - how many workers @cost pays for: the fewest that come within a twentieth
 * of the shortest time that up to @n_max reach, and 1 unless that saves a tenth.
 * Return: 1 to @n_max. */
int lk_workers_useful(const struct lk_step_cost *cost, int n_max);

#endif
