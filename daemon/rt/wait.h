/* SPDX-License-Identifier: Apache-2.0 */
/* Ways in which the cycle waits for its grid point.
 *
 * LKD_WAKE_SLEEP: the kernel wakes the cycle at the grid point, late by the kernel's wake-up
 * latency; the core is free meanwhile.
 *
 * LKD_WAKE_HYBRID: the kernel wakes the cycle a margin before the grid point, and the cycle reads
 * the clock for the rest of the time. It is on time within one reading, as long as the wake-up
 * latency is less than the margin.
 *
 * LKD_WAKE_SPIN: the cycle reads the clock without sleeping. With real-time throttling the kernel
 * withdraws the core for some 50 ms in every second. */
#ifndef LKD_RT_WAIT_H
#define LKD_RT_WAIT_H

#include "linkage/error.h"
#include <stdint.h>
#include <time.h>

/** enum lkd_wake - see above. */
enum lkd_wake { LKD_WAKE_SLEEP, LKD_WAKE_HYBRID, LKD_WAKE_SPIN };

/* Upper bound of the margin as a share of the period, because a thread that spins through all of it
 * is throttled. */
#define LKD_MARGIN_PART   0.4
#define LKD_MARGIN_MIN_NS INT64_C(20000)

/** struct lkd_wait - way of waiting for a grid point.
 * @margin_ns: margin of LKD_WAKE_HYBRID */
struct lkd_wait {
    enum lkd_wake wake;
    int64_t margin_ns;
};

/** lkd_clock_ns() - Return the time on CLOCK_MONOTONIC [ns].  RT: yes (no system call on usual
 * machines). */
LK_RT int64_t lkd_clock_ns(void);

/** lkd_time_in() - Return the present time on CLOCK_MONOTONIC plus @duration_ns, for waits with a
 * time limit. */
struct timespec lkd_time_in(int64_t duration_ns);

/** lkd_sleep_until() - Sleep until @when_ns on CLOCK_MONOTONIC. RT: yes, one system call. */
LK_RT void lkd_sleep_until(int64_t when_ns);

/** lkd_wait_until() - Wait until @when_ns on CLOCK_MONOTONIC.
 * Thread: cycle.  RT: yes, at most one system call; none if @when_ns has passed.
 * Return: the present time, @when_ns or later. */
LK_RT int64_t lkd_wait_until(const struct lkd_wait *wait, int64_t when_ns);

/** lkd_wait_margin() - Return a margin that covers the kernel's wake-up latency.
 * The margin is twice @p99_ns plus 20 us, within the bounds of a margin, because the tail beyond
 * p99 is a few times longer.
 * @p99_ns: 99 % quantile of the wake-up latencies on that core */
int64_t lkd_wait_margin(int64_t p99_ns, int64_t period_ns);

/** lkd_wake_name() - Return "sleep", "hybrid" or "spin", static text. */
const char *lkd_wake_name(enum lkd_wake wake);

#endif
