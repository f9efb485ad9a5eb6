/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of durations in constant memory. The scale is log-linear: every power of two of
 * nanoseconds is divided into 32 buckets of equal width, so a bucket is never wider than 1/32 (3 %)
 * of its values; below 32 ns a bucket is one nanosecond. Anything from LKD_HISTOGRAM_LIMIT_NS on is
 * counted in an explicit overflow bucket. The largest value is kept exactly.
 *
 * One thread adds; any thread may read at any time. Counters are relaxed atomics, written with a
 * plain load and store because there is only one writer. A reader may see a value in a bucket and
 * not yet in the total, or the reverse, but no other inconsistency. */
#ifndef LKD_RT_HISTOGRAM_H
#define LKD_RT_HISTOGRAM_H

#include "linkage/error.h"
#include <stdatomic.h>
#include <stdint.h>

#define LKD_HISTOGRAM_SUB_BITS 5
#define LKD_HISTOGRAM_SUB      (1 << LKD_HISTOGRAM_SUB_BITS)
#define LKD_HISTOGRAM_BITS     34 /* bits of the largest duration in a proper bucket */
#define LKD_HISTOGRAM_LIMIT_NS (INT64_C(1) << LKD_HISTOGRAM_BITS) /* 17.2 s */
#define LKD_HISTOGRAM_BUCKETS                                                                      \
    ((LKD_HISTOGRAM_BITS - LKD_HISTOGRAM_SUB_BITS + 1) * LKD_HISTOGRAM_SUB)

/** struct lkd_histogram - distribution of durations.
 * @bucket: counts; the last one is the overflow: LKD_HISTOGRAM_LIMIT_NS and more
 * @max_ns: largest duration so far, exact
 * @count:  all durations, overflow included */
struct lkd_histogram {
    _Atomic uint64_t bucket[LKD_HISTOGRAM_BUCKETS + 1];
    _Atomic int64_t max_ns;
    _Atomic uint64_t count;
};

/** lkd_histogram_clear() - Set all counts to zero.
 * Thread: the writer, or any thread while no thread writes. */
void lkd_histogram_clear(struct lkd_histogram *histogram);

/** lkd_histogram_add() - Count one duration; a negative duration counts as 0.
 * Thread: the writer.  RT: yes, constant time, no branches. */
LK_RT void lkd_histogram_add(struct lkd_histogram *histogram, int64_t duration_ns);

/** lkd_histogram_count() - Return the number of durations so far. RT: yes. */
uint64_t lkd_histogram_count(const struct lkd_histogram *histogram);
/** lkd_histogram_max() - Return the largest duration so far [ns]; 0 if there is none. RT: yes. */
int64_t lkd_histogram_max(const struct lkd_histogram *histogram);

/** lkd_histogram_quantile() - Return the upper bound [ns] of the bucket with quantile @q, at most
 * the largest duration; 0 if there is no duration.
 * @q: 0 to 1, such as 0.99
 * Thread: any but the cycle.  RT: no (walks all buckets). */
int64_t lkd_histogram_quantile(const struct lkd_histogram *histogram, double q);

/** lkd_histogram_bucket() - Return the count of bucket @i and its upper bound (the largest duration
 * that it can contain).
 * @i: 0 to LKD_HISTOGRAM_BUCKETS - 1, or LKD_HISTOGRAM_BUCKETS for the overflow bucket, whose upper
 *     bound is INT64_MAX */
uint64_t lkd_histogram_bucket(const struct lkd_histogram *histogram, int i, int64_t *ret_upper_ns);

#endif
