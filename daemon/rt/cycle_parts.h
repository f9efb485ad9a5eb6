/* SPDX-License-Identifier: Apache-2.0 */
/* Functions shared by the files of the cycle: cycle.c steps, cycle_evidence.c counts,
 * cycle_released.c runs without a clock. Only the cycle thread calls them. They do not allocate
 * memory and make no system call. */
#ifndef LKD_RT_CYCLE_PARTS_H
#define LKD_RT_CYCLE_PARTS_H

#include "cycle.h"

/** lkd_cycle_asked() - Return the present request of the control thread. */
LK_RT enum lkd_ask lkd_cycle_asked(const struct lkd_cycle *cycle);

/** lkd_cycle_is_done() - Return true if @steps_max steps have been made. */
LK_RT bool lkd_cycle_is_done(const struct lkd_cycle *cycle);

/** lkd_cycle_fail() - Enter FAULT; only the first reason is stored. */
LK_RT void lkd_cycle_fail(struct lkd_cycle *cycle, enum lkd_fault fault);

/** lkd_cycle_carry_out() - Execute the cycle of grid point @k after its wait, except for
 * lkd_cycle_end(). The caller sets @deadline_ns and @woken_ns of the record before the call. */
LK_RT void lkd_cycle_carry_out(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t k);

/** lkd_cycle_fill() - Fill @output with figures, stamps and values of the last cycle. */
LK_RT void lkd_cycle_fill(const struct lkd_cycle *cycle, struct lkd_output *output);

/** lkd_cycle_grid_point() - Return T(k) [ns] on CLOCK_MONOTONIC. */
LK_RT int64_t lkd_cycle_grid_point(const struct lkd_cycle *cycle, int64_t k);

/* ---- evidence ---- */

/** lkd_cycle_clear_evidence() - Clear the evidence when a run begins. */
LK_RT void lkd_cycle_clear_evidence(struct lkd_cycle *cycle);

/** lkd_cycle_count() - Add the wake-up latency and computing time of the last cycle to the
 * histograms. Call it after the outputs are published. */
LK_RT void lkd_cycle_count(struct lkd_cycle *cycle, bool stepped);

/** lkd_cycle_keep_record() - Write the time stamps of the cycle into the ring, and add its duration
 * to the response histogram. */
LK_RT void lkd_cycle_keep_record(struct lkd_cycle *cycle);

/** lkd_cycle_end() - Store the record of the cycle at grid point @k, and add the cycle to the list
 * if it missed its deadline.
 * Return: number of grid points to the next cycle, at least 1. */
LK_RT int64_t lkd_cycle_end(struct lkd_cycle *cycle, uint64_t k);

#endif
