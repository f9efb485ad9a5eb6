/* SPDX-License-Identifier: Apache-2.0 */
/* Wall-clock time of outgoing samples, and what the kernel says about the clock behind it. */
#ifndef LKD_IO_CLOCK_H
#define LKD_IO_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/timex.h>

/** struct lkd_wall_clock - what the kernel said last; zero it first. Belongs to one thread.
 * @synchronised:   somebody (PTP, NTP) steers the clock and vouches for it
 * @uncertainty_ns: largest error; 0: not known
 * @tai_offset_ns:  TAI - UTC; 0: not known
 * @look_ns:        when to ask again, CLOCK_MONOTONIC */
struct lkd_wall_clock {
    bool synchronised;
    uint64_t uncertainty_ns;
    int64_t tai_offset_ns;
    int64_t look_ns;
};

/** lkd_wall_clock_refresh() - ask the kernel again when a second has passed.
 * @now_ns: CLOCK_MONOTONIC
 * Return: whether it was asked. */
bool lkd_wall_clock_refresh(struct lkd_wall_clock *clock, int64_t now_ns);

/** lkd_wall_clock_judge() - what an answer of adjtimex(2) means.
 * @result: what it returned, negative for a failure */
void lkd_wall_clock_judge(struct lkd_wall_clock *clock, int result, const struct timex *answer);

/** lkd_wall_clock_ns() - now, in ns since 1970.
 * Thread: any.  RT: yes, no system call where the kernel maps its clocks. */
uint64_t lkd_wall_clock_ns(void);

#endif
