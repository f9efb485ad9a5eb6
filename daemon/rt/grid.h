/* SPDX-License-Identifier: Apache-2.0 */
/* The points in time of a run, in whole nanoseconds since its start.
 *
 * The period is the exact step of the model: the double h with its fraction of a nanosecond
 * (333333.3... ns at 3000 Hz). Point k is k h, computed from integers and rounded once to the
 * nearest nanosecond. So k periods and k steps take the same time for any k, and a run at 60, 1024
 * or 44100 Hz does not drift.
 *
 * All functions are pure.
 * Thread: any.  RT: yes. */
#ifndef LKD_RT_GRID_H
#define LKD_RT_GRID_H

#include "linkage/error.h"
#include <stdint.h>

/** struct lkd_grid - a period.
 * @whole_ns: whole nanoseconds
 * @part:     fraction of a nanosecond in units of 2^-64 ns */
struct lkd_grid {
    int64_t whole_ns;
    uint64_t part;
};

/** lkd_grid_of() - Return the grid of a step. @step_s: LK_STEP_MIN to LK_STEP_MAX [s]; the grid
 * represents every double in this range exactly. */
struct lkd_grid lkd_grid_of(double step_s);

/** lkd_grid_period() - Return the period to the nearest nanosecond, for comparison with durations
 * and for output. */
int64_t lkd_grid_period(const struct lkd_grid *grid);

/** lkd_grid_at() - Return point @k [ns], k >= 0; valid for points before 2^63 ns (292 years). */
LK_RT int64_t lkd_grid_at(const struct lkd_grid *grid, int64_t k);

/** lkd_grid_before() - Return the index of the last point before @when_ns >= 0. For @when_ns = 0
 * there is none: -1. */
LK_RT int64_t lkd_grid_before(const struct lkd_grid *grid, int64_t when_ns);

#endif
