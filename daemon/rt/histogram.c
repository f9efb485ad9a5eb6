/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

/* A single writer needs no atomic read-modify-write, only that readers see no torn value. */
static void increment(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, get(counter) + 1, memory_order_relaxed);
}

static int bucket_of(uint64_t ns)
{
    int exponent;

    if (ns < LKD_HISTOGRAM_SUB)
        return (int)ns;
    exponent = 63 - __builtin_clzll(ns);
    return (exponent - LKD_HISTOGRAM_SUB_BITS) * LKD_HISTOGRAM_SUB +
           (int)(ns >> (exponent - LKD_HISTOGRAM_SUB_BITS));
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
    for (int i = 0; i < LKD_HISTOGRAM_BUCKETS; i++)
        atomic_store_explicit(&histogram->bucket[i], 0, memory_order_relaxed);
    atomic_store_explicit(&histogram->overflow, 0, memory_order_relaxed);
    atomic_store_explicit(&histogram->max_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&histogram->count, 0, memory_order_relaxed);
}

LK_RT void lkd_histogram_add(struct lkd_histogram *histogram, int64_t duration_ns)
{
    int64_t ns = duration_ns > 0 ? duration_ns : 0;

    if (ns < LKD_HISTOGRAM_LIMIT_NS)
        increment(&histogram->bucket[bucket_of((uint64_t)ns)]);
    else
        increment(&histogram->overflow);
    if (ns > lkd_histogram_max(histogram))
        atomic_store_explicit(&histogram->max_ns, ns, memory_order_relaxed);
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

    /* sum the buckets themselves: the total may be ahead of or behind them */
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
    if (i >= LKD_HISTOGRAM_BUCKETS) {
        *ret_upper_ns = INT64_MAX;
        return get(&histogram->overflow);
    }
    *ret_upper_ns = upper_of(i);
    return get(&histogram->bucket[i]);
}
