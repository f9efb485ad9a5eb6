/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a cycle share: cycle.c steps, cycle_evidence.c counts, cycle_released.c runs
 * without a clock. All of it is the cycle thread's, takes no memory and makes no system call. */
#ifndef LKD_RT_CYCLE_PARTS_H
#define LKD_RT_CYCLE_PARTS_H

#include "cycle.h"

/** lkd_cycle_asked() - what the control thread asks for now. */
LK_RT enum lkd_ask lkd_cycle_asked(const struct lkd_cycle *cycle);

/** lkd_cycle_is_done() - all steps that the start asked for are made. */
LK_RT bool lkd_cycle_is_done(const struct lkd_cycle *cycle);

/** lkd_cycle_fail() - FAULT from now on, with the first reason given. */
LK_RT void lkd_cycle_fail(struct lkd_cycle *cycle, enum lkd_fault fault);

/** lkd_cycle_carry_out() - all that a cycle does at grid point @k between its wait and the next,
 * but for lkd_cycle_end(). @deadline_ns and @woken_ns of the record are set before. */
LK_RT void lkd_cycle_carry_out(struct lkd_cycle *cycle, enum lkd_ask ask, int64_t k);

/** lkd_cycle_fill() - figures, stamps and values of the last cycle. */
LK_RT void lkd_cycle_fill(const struct lkd_cycle *cycle, struct lkd_output *output);

/** lkd_cycle_grid_point() - T(k) [ns], CLOCK_MONOTONIC */
LK_RT int64_t lkd_cycle_grid_point(const struct lkd_cycle *cycle, int64_t k);

/* ---- evidence ---- */

/** lkd_cycle_clear_evidence() - of a run that begins. */
LK_RT void lkd_cycle_clear_evidence(struct lkd_cycle *cycle);

/** lkd_cycle_count() - wake-up and computation of a cycle whose outputs are published. */
LK_RT void lkd_cycle_count(struct lkd_cycle *cycle, bool stepped);

/** lkd_cycle_keep_record() - its time stamps into the ring, and how long it took into the response.
 */
LK_RT void lkd_cycle_keep_record(struct lkd_cycle *cycle);

/** lkd_cycle_end() - after the end of the cycle at grid point @k: its record, and a missed
 * deadline. Return: grid points to the next cycle, at least 1. */
LK_RT int64_t lkd_cycle_end(struct lkd_cycle *cycle, uint64_t k);

#endif
