/* SPDX-License-Identifier: Apache-2.0 */
/* Limit of the time that a thread may spend on one type of work per time span. A flood of such work
 * therefore cannot occupy the core.
 *
 * The thread calls lkd_allowance_rest() before such work and lkd_allowance_use() afterwards. If the
 * work exceeds the limit in one span, the next span is not shortened. All times are in ns on
 * CLOCK_MONOTONIC. */
#ifndef LKD_RT_ALLOWANCE_H
#define LKD_RT_ALLOWANCE_H

#include <stdint.h>

/** struct lkd_allowance - limit of one type of work, and the work done in the present span.
 * @most_ns: limit of the work per @span_ns
 * @end_ns:  end of the present span
 * @used_ns: duration of the work in the present span so far */
struct lkd_allowance {
    int64_t span_ns;
    int64_t most_ns;
    int64_t end_ns;
    int64_t used_ns;
};

/** lkd_allowance_rest() - Return the end of the pause [ns]; 0: the work may continue.
 * Thread: the one that does the work. */
static inline int64_t lkd_allowance_rest(struct lkd_allowance *allowance, int64_t now_ns)
{
    if (now_ns >= allowance->end_ns) {
        allowance->end_ns = now_ns + allowance->span_ns;
        allowance->used_ns = 0;
    }
    return allowance->used_ns < allowance->most_ns ? 0 : allowance->end_ns;
}

/** lkd_allowance_use() - Add the duration of the work just done to the present span.
 * Thread: the one that does the work. */
static inline void lkd_allowance_use(struct lkd_allowance *allowance, int64_t used_ns)
{
    allowance->used_ns += used_ns;
}

#endif
