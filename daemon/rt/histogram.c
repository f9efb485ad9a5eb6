/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* Add one with a plain load and store: there is only one writer. The atomic type only keeps readers
 * from seeing a half-written value. */
static void increment(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, get(counter) + 1, memory_order_relaxed);
}

/* Return the index of the bucket for @ns, without a branch. OR with LKD_HISTOGRAM_SUB keeps the
 * exponent at its minimum for small values, so that their buckets are one nanosecond wide. Values
 * from the limit on get the index of the overflow bucket, which is the last one. */
static unsigned bucket_of(uint64_t ns)
{
    unsigned bits = 63 - (unsigned)__builtin_clzll(ns | LKD_HISTOGRAM_SUB);
    unsigned shift = bits - LKD_HISTOGRAM_SUB_BITS;
    unsigned i = shift * LKD_HISTOGRAM_SUB + (unsigned)(ns >> shift);

    return i < LKD_HISTOGRAM_BUCKETS ? i : LKD_HISTOGRAM_BUCKETS;
}

static int64_t upper_of(int i)
{
    int octave = i / LKD_HISTOGRAM_SUB - 1;
    int64_t sub = i % LKD_HISTOGRAM_SUB;

    if (octave < 0)
        return i;
    return ((sub + LKD_HISTOGRAM_SUB + 1) << octave) - 1;
}

void lkd_histogram_clear(struct lkd_histogram *histogram)
{
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++)
        atomic_store_explicit(&histogram->bucket[i], 0, memory_order_relaxed);
    atomic_store_explicit(&histogram->max_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&histogram->count, 0, memory_order_relaxed);
}

LK_RT void lkd_histogram_add(struct lkd_histogram *histogram, int64_t duration_ns)
{
    int64_t ns = duration_ns > 0 ? duration_ns : 0, max_ns = lkd_histogram_max(histogram);

    increment(&histogram->bucket[bucket_of((uint64_t)ns)]);
    atomic_store_explicit(&histogram->max_ns, ns > max_ns ? ns : max_ns, memory_order_relaxed);
    increment(&histogram->count);
}

uint64_t lkd_histogram_count(const struct lkd_histogram *histogram)
{
    return get(&histogram->count);
}

int64_t lkd_histogram_max(const struct lkd_histogram *histogram)
{
    return atomic_load_explicit(&histogram->max_ns, memory_order_relaxed);
}

int64_t lkd_histogram_quantile(const struct lkd_histogram *histogram, double q)
{
    int64_t max_ns = lkd_histogram_max(histogram);
    uint64_t total = 0, wanted, seen = 0;

    /* Use the sum of the buckets, because @count may differ from it while the writer adds. */
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        int64_t upper;

        total += lkd_histogram_bucket(histogram, i, &upper);
    }
    if (total == 0)
        return 0;
    wanted = (uint64_t)(q * (double)total);
    if (wanted >= total)
        wanted = total - 1;

    for (int i = 0; i < LKD_HISTOGRAM_BUCKETS; i++) {
        int64_t upper;

        seen += lkd_histogram_bucket(histogram, i, &upper);
        if (seen > wanted)
            return upper < max_ns ? upper : max_ns;
    }
    return max_ns;
}

uint64_t lkd_histogram_bucket(const struct lkd_histogram *histogram, int i, int64_t *ret_upper_ns)
{
    *ret_upper_ns = i < LKD_HISTOGRAM_BUCKETS ? upper_of(i) : INT64_MAX;
    return get(&histogram->bucket[i < LKD_HISTOGRAM_BUCKETS ? i : LKD_HISTOGRAM_BUCKETS]);
}
