/* SPDX-License-Identifier: Apache-2.0 */
/* Handling of a cycle that ends after the next grid point.
 *
 * Grid points T(k) are those of grid.h and never move. A cycle at T(k) that ends after T(k + 1) is
 * an overrun, a missed deadline. The policies are:
 *
 * `continue`: if the cycle is late by up to a period, the cycle of T(k + 1) follows at once. If it
 * is later, the elapsed grid points are skipped, and simulated time lags by as many steps.
 *
 * `catch-up`: the cycles of the elapsed grid points follow at once, at most n in a row without
 * waiting; grid points still in the past after that are skipped.
 *
 * With both policies overruns count towards a fault: r overruns in a row, or m within w grid
 * points. The first overruns after the start may be exempt from the fault because caches are cold.
 * They are counted nevertheless.
 *
 * Pure functions on the state of the cycle; used by the cycle thread only. */
#ifndef LKD_RT_OVERRUN_H
#define LKD_RT_OVERRUN_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stdint.h>

#define LKD_OVERRUN_WINDOW_MAX 256 /* largest m of the window */

/** enum lkd_overrun_action - see above. */
enum lkd_overrun_action { LKD_OVERRUN_CONTINUE, LKD_OVERRUN_CATCH_UP };

/** struct lkd_overrun_policy - limits of overruns.
 * @catch_up:     n, largest number of cycles in a row without waiting
 * @ignore_first: number of first cycles whose overruns cause no fault
 * @in_a_row:     r, 0: never a fault
 * @in_window:    m, 0: never a fault
 * @window:       w [grid points] */
struct lkd_overrun_policy {
    enum lkd_overrun_action action;
    int64_t catch_up;
    uint64_t ignore_first;
    uint64_t in_a_row;
    uint64_t in_window;
    uint64_t window;
};

/** struct lkd_overruns - counts of overruns in a run; zero it before the run.
 * @overruns, @skipped: as in the figures of the cycle
 * @caught_up:          cycles that did not wait
 * @fault:              a limit was exceeded
 * @row:                overruns in a row
 * @at_once:            cycles in a row that did not wait
 * @counted:            overruns that count towards a fault
 * @recent:             ring of the grid points of the last counted overruns */
struct lkd_overruns {
    uint64_t overruns;
    uint64_t skipped;
    uint64_t caught_up;
    bool fault;
    uint64_t row;
    int64_t at_once;
    uint64_t counted;
    uint64_t recent[LKD_OVERRUN_WINDOW_MAX];
};

/** lkd_overrun_next() - Count a cycle and compute the distance to the grid point of the next cycle.
 * @k:      grid point of the cycle, from 0
 * @cycle:  its number, from 0
 * @passed: number of grid points after T(k) and before the end of the cycle; 0: the cycle ended in
 *          time
 * Thread: cycle.  RT: yes, constant time.
 * Return: distance to the next cycle in grid points: 1, or 1 + the number skipped. */
LK_RT int64_t lkd_overrun_next(const struct lkd_overrun_policy *policy,
                               struct lkd_overruns *overruns, uint64_t k, uint64_t cycle,
                               int64_t passed);

#endif
