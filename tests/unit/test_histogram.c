/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram: exact below 32 ns, relative bucket width 1/32 above, a separate overflow bucket,
 * exact maximum. */
#include "histogram.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct lkd_histogram histogram;

static int clear(void **state)
{
    (void)state;
    lkd_histogram_clear(&histogram);
    return 0;
}

/* Return the index of the only bucket that is not empty. */
static int only_bucket(void)
{
    int found = -1;

    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        int64_t upper;

        if (lkd_histogram_bucket(&histogram, i, &upper) == 0)
            continue;
        assert_int_equal(found, -1);
        found = i;
    }
    return found;
}

static void test_empty(void **state)
{
    (void)state;
    assert_int_equal(lkd_histogram_count(&histogram), 0);
    assert_int_equal(lkd_histogram_max(&histogram), 0);
    assert_int_equal(lkd_histogram_quantile(&histogram, 0.99), 0);
}

/* Upper bounds increase without gaps, and each value is within the bounds of its bucket. */
static void test_bounds(void **state)
{
    int64_t before = -1;

    (void)state;
    for (int i = 0; i < LKD_HISTOGRAM_BUCKETS; i++) {
        int64_t upper, ends[2], bound;

        lkd_histogram_bucket(&histogram, i, &upper);
        assert_true(upper > before);
        if (before >= LKD_HISTOGRAM_SUB)
            assert_true((upper - before) * LKD_HISTOGRAM_SUB <= before + 1);
        ends[0] = before + 1;
        ends[1] = upper;
        for (int k = 0; k < 2; k++) {
            lkd_histogram_clear(&histogram);
            lkd_histogram_add(&histogram, ends[k]);
            assert_int_equal(only_bucket(), i);
            assert_int_equal(lkd_histogram_bucket(&histogram, i, &bound), 1);
        }
        before = upper;
    }
    assert_int_equal(before, LKD_HISTOGRAM_LIMIT_NS - 1);
}

static void test_overflow_and_negative(void **state)
{
    int64_t upper;

    (void)state;
    lkd_histogram_add(&histogram, LKD_HISTOGRAM_LIMIT_NS);
    assert_int_equal(only_bucket(), LKD_HISTOGRAM_BUCKETS);
    lkd_histogram_add(&histogram, INT64_MAX);
    assert_int_equal(lkd_histogram_bucket(&histogram, LKD_HISTOGRAM_BUCKETS, &upper), 2);
    assert_true(upper == INT64_MAX);
    assert_true(lkd_histogram_max(&histogram) == INT64_MAX);
    assert_true(lkd_histogram_quantile(&histogram, 0.5) == INT64_MAX);

    lkd_histogram_clear(&histogram);
    lkd_histogram_add(&histogram, -5);
    lkd_histogram_add(&histogram, INT64_MIN);
    assert_int_equal(only_bucket(), 0);
    assert_int_equal(lkd_histogram_count(&histogram), 2);
    assert_int_equal(lkd_histogram_max(&histogram), 0);
}

/* Return the bucket of a value according to the definition: the interval from the power of two
 * below it to the next one is divided into 32 equal parts. */
static int plain_bucket(int64_t ns)
{
    int octave = 0;

    if (ns >= LKD_HISTOGRAM_LIMIT_NS)
        return LKD_HISTOGRAM_BUCKETS;
    if (ns < LKD_HISTOGRAM_SUB)
        return (int)ns;
    while (ns >> octave >= 2 * LKD_HISTOGRAM_SUB)
        octave++;
    return (octave + 1) * LKD_HISTOGRAM_SUB + (int)(ns >> octave) - LKD_HISTOGRAM_SUB;
}

/* For each power of two p: the values p, 33/32 p and 63/32 p, with the neighbours of each. */
static void test_powers_of_two(void **state)
{
    (void)state;
    for (int bit = 0; bit < 63; bit++) {
        const int64_t power = INT64_C(1) << bit;
        const int64_t places[] = {power, power + (power >> 5), 2 * (power - (power >> 6))};

        for (int i = 0; i < 9; i++) {
            int64_t ns = places[i / 3] + i % 3 - 1, upper, below;
            int found;

            if (ns < 0)
                continue;
            lkd_histogram_clear(&histogram);
            lkd_histogram_add(&histogram, ns);
            found = only_bucket();
            assert_int_equal(found, plain_bucket(ns));
            assert_int_equal(lkd_histogram_bucket(&histogram, found, &upper), 1);
            assert_true(ns <= upper);
            if (found > 0) {
                lkd_histogram_bucket(&histogram, found - 1, &below);
                assert_true(below < ns);
            }
            assert_true(lkd_histogram_max(&histogram) == ns);
        }
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Compared with a sorted list, a quantile is never below the exact value and at most 1/32 above
 * it. */
static void test_quantiles(void **state)
{
    static int64_t values[10000];
    const double quantiles[] = {0.0, 0.5, 0.9, 0.99, 0.999, 1.0};
    const int n = (int)(sizeof(values) / sizeof(values[0]));
    uint32_t seed = 7;

    (void)state;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = seed >> (seed % 24); /* distributed over many octaves */
        lkd_histogram_add(&histogram, values[i]);
    }
    qsort(values, (size_t)n, sizeof(values[0]), compare);
    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        int rank = (int)(quantiles[i] * n);
        int64_t exact = values[rank < n ? rank : n - 1];
        int64_t found = lkd_histogram_quantile(&histogram, quantiles[i]);

        assert_true(found >= exact);
        assert_true(found <= exact + exact / LKD_HISTOGRAM_SUB);
    }
    assert_int_equal(lkd_histogram_quantile(&histogram, 1.0), values[n - 1]);
    assert_int_equal(lkd_histogram_count(&histogram), n);
}

/* The last bucket before the overflow is like the others: a quantile in it is its upper bound, not
 * the largest value of the overflow. */
static void test_last_bucket(void **state)
{
    (void)state;
    lkd_histogram_add(&histogram, LKD_HISTOGRAM_LIMIT_NS - 1);
    lkd_histogram_add(&histogram, LKD_HISTOGRAM_LIMIT_NS - 1);
    lkd_histogram_add(&histogram, 2 * LKD_HISTOGRAM_LIMIT_NS);
    assert_int_equal(lkd_histogram_quantile(&histogram, 0.5), LKD_HISTOGRAM_LIMIT_NS - 1);
    assert_int_equal(lkd_histogram_quantile(&histogram, 0.9), 2 * LKD_HISTOGRAM_LIMIT_NS);
}

/* Clearing resets all buckets including the overflow, and a quantile counts all of them. */
static void test_all_buckets(void **state)
{
    int64_t upper, lower = 0;

    (void)state;
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        lkd_histogram_bucket(&histogram, i, &upper);
        lkd_histogram_add(&histogram, lower);
        lower = upper == INT64_MAX ? upper : upper + 1;
    }
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++) {
        double q = ((double)i + 0.5) / (LKD_HISTOGRAM_BUCKETS + 1);
        int64_t found = lkd_histogram_quantile(&histogram, q);

        assert_int_equal(lkd_histogram_bucket(&histogram, i, &upper), 1);
        assert_true(i == LKD_HISTOGRAM_BUCKETS ? found == LKD_HISTOGRAM_LIMIT_NS : found == upper);
    }
    lkd_histogram_clear(&histogram);
    for (int i = 0; i <= LKD_HISTOGRAM_BUCKETS; i++)
        assert_int_equal(lkd_histogram_bucket(&histogram, i, &upper), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_empty, clear),
        cmocka_unit_test_setup(test_bounds, clear),
        cmocka_unit_test_setup(test_powers_of_two, clear),
        cmocka_unit_test_setup(test_overflow_and_negative, clear),
        cmocka_unit_test_setup(test_quantiles, clear),
        cmocka_unit_test_setup(test_last_bucket, clear),
        cmocka_unit_test_setup(test_all_buckets, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
