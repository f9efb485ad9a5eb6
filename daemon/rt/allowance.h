/* SPDX-License-Identifier: Apache-2.0 */
/* What one kind of work may take of each span of time, so that a flood of it leaves the core to
 * others. A thread asks before such work, and says afterwards what it took: what is above in one
 * span is not taken from the next. Times in ns on CLOCK_MONOTONIC. */
#ifndef LKD_RT_ALLOWANCE_H
#define LKD_RT_ALLOWANCE_H

#include <stdint.h>

/** struct lkd_allowance - @most_ns of each @span_ns;  @end_ns: of the present span, in which the
 * work took @used_ns */
struct lkd_allowance {
    int64_t span_ns;
    int64_t most_ns;
    int64_t end_ns;
    int64_t used_ns;
};

/** lkd_allowance_rest() - until when the work has to rest; 0: it may go on.  Thread: its own. */
static inline int64_t lkd_allowance_rest(struct lkd_allowance *allowance, int64_t now_ns)
{
    if (now_ns >= allowance->end_ns) {
        allowance->end_ns = now_ns + allowance->span_ns;
        allowance->used_ns = 0;
    }
    return allowance->used_ns < allowance->most_ns ? 0 : allowance->end_ns;
}

/** lkd_allowance_use() - the work took @used_ns.  Thread: its own. */
static inline void lkd_allowance_use(struct lkd_allowance *allowance, int64_t used_ns)
{
    allowance->used_ns += used_ns;
}

#endif
