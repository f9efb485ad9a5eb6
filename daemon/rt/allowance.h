/* SPDX-License-Identifier: Apache-2.0 */
/* Limit of the time that a thread spends on one type of work in each span of time, so that a flood
 * of it leaves the core to other threads. The thread calls lkd_allowance_rest() before such work
 * and lkd_allowance_use() afterwards. An excess in one span does not shorten the next one. Times in
 * ns on CLOCK_MONOTONIC. */
#ifndef LKD_RT_ALLOWANCE_H
#define LKD_RT_ALLOWANCE_H

#include <stdint.h>

/** struct lkd_allowance - @most_ns: limit within each @span_ns;  @end_ns: end of the present span;
 * @used_ns: duration of the work in it so far */
struct lkd_allowance {
    int64_t span_ns;
    int64_t most_ns;
    int64_t end_ns;
    int64_t used_ns;
};

/** lkd_allowance_rest() - Return the end of the pause [ns]; 0: the work may continue.  Thread: the
 * one that works. */
static inline int64_t lkd_allowance_rest(struct lkd_allowance *allowance, int64_t now_ns)
{
    if (now_ns >= allowance->end_ns) {
        allowance->end_ns = now_ns + allowance->span_ns;
        allowance->used_ns = 0;
    }
    return allowance->used_ns < allowance->most_ns ? 0 : allowance->end_ns;
}

/** lkd_allowance_use() - add the duration of a piece of work.  Thread: the one that works. */
static inline void lkd_allowance_use(struct lkd_allowance *allowance, int64_t used_ns)
{
    allowance->used_ns += used_ns;
}

#endif
