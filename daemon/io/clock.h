/* SPDX-License-Identifier: Apache-2.0 */
/* Wall-clock time of outgoing samples, and its synchronisation according to the kernel. */
#ifndef LKD_IO_CLOCK_H
#define LKD_IO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/timex.h>

/** struct lkd_wall_clock - last answer of the kernel about the wall clock. Zero it before use. Only
 * one thread may use it.
 * @synchronised:   the clock is synchronised (PTP, NTP) according to the kernel
 * @uncertainty_ns: largest error; 0: not known
 * @tai_offset_ns:  TAI - UTC; 0: not known
 * @look_ns:        time of the next query, CLOCK_MONOTONIC */
struct lkd_wall_clock {
    bool synchronised;
    uint64_t uncertainty_ns;
    int64_t tai_offset_ns;
    int64_t look_ns;
};

/** lkd_wall_clock_refresh() - Query the kernel if the last query was at least a second ago.
 * @now_ns: CLOCK_MONOTONIC
 * Return: true if the kernel was queried. */
bool lkd_wall_clock_refresh(struct lkd_wall_clock *clock, int64_t now_ns);

/** lkd_wall_clock_judge() - Evaluate an answer of adjtimex(2).
 * @result: return value of adjtimex(2), negative for a failure */
void lkd_wall_clock_judge(struct lkd_wall_clock *clock, int result, const struct timex *answer);

/** lkd_wall_clock_ns() - Return the present time in ns since 1970.
 * Thread: any.  RT: yes, no system call if the kernel maps its clocks (vDSO). */
uint64_t lkd_wall_clock_ns(void);

#endif
