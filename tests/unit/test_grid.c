/* SPDX-License-Identifier: Apache-2.0 */
/* Grid points at rates whose period is not an integer number of nanoseconds, compared with integer
 * arithmetic: no drift in a thousand million steps. */
#include "grid.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define FAR INT64_C(1000000000)
#define SEC INT64_C(1000000000)

__extension__ typedef unsigned __int128 wide;

static const int64_t rates[] = {10,   24,   25,   30,   50,    60,    100,   240,   300,   360,
                                960,  999,  1000, 1024, 1200,  2048,  3000,  4096,  6000,  7000,
                                8000, 9600, 9999, 1e4,  11025, 16384, 19999, 20000, 44100, 48000};

#define RATES (sizeof(rates) / sizeof(rates[0]))

/* Return the next value of k: all small values, then with increasing distance. */
static int64_t further(int64_t k)
{
    return k < 10000 ? k + 1 : k + k / 1000 + 7;
}

/* k periods of 1 / rate are k / rate seconds, for any k. The double nearest to the period has a
 * relative error of at most 2^-53, that is one nanosecond in three months. */
static void test_no_drift(void **state)
{
    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        const struct lkd_grid grid = lkd_grid_of(1.0 / (double)rates[i]);

        for (int64_t k = 0; k <= FAR; k = further(k)) {
            wide exact = (wide)k * SEC / rates[i];
            int64_t off = lkd_grid_at(&grid, k) - (int64_t)exact;
            int64_t most = 1 + (lkd_grid_at(&grid, k) >> 53);

            if (off < -most || off > most)
                fail_msg("%lld Hz: point %lld is %lld ns off", (long long)rates[i], (long long)k,
                         (long long)off);
        }
    }
}

/* k steps of the double h, to the nearest nanosecond: h = n 2^-73, so k h in nanoseconds is k n 5^9
 * / 2^64. The product n 5^9 is split in a high and a low half. */
static void test_step_and_period_are_one(void **state)
{
    static const double steps[] = {1e-6, 50e-6, 1.0 / 3000, 3e-4, 0.001, 1.0 / 1024, 7e-3, 0.1};

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const struct lkd_grid grid = lkd_grid_of(steps[i]);
        const wide units = (wide)ldexp(steps[i], 73) * 1953125u; /* in units of 2^-64 ns */
        const uint64_t high = (uint64_t)(units >> 64), low = (uint64_t)units;

        assert_true(ldexp(steps[i], 73) == floor(ldexp(steps[i], 73)));
        for (int64_t k = 0; k <= FAR; k = further(k)) {
            wide rest = (wide)low * (uint64_t)k;
            int64_t expected =
                (int64_t)(high * (uint64_t)k + (uint64_t)(rest >> 64) + ((uint64_t)rest >> 63));

            assert_int_equal(lkd_grid_at(&grid, k), expected);
        }
    }
}

#define LONG_NS (INT64_C(1) << 52) /* 52 days; up to here a double is exact to 0.5 ns */

/* Periods whose decimal value is an integer number of nanoseconds are exact, although no double
 * equals them. */
static void test_whole_periods(void **state)
{
    static const struct {
        double step_s;
        int64_t period_ns;
    } cases[] = {{50e-6, 50000},  {1e-4, 100000},  {3e-4, 300000},
                 {1e-3, 1000000}, {7e-3, 7000000}, {0.1, 100000000}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct lkd_grid grid = lkd_grid_of(cases[i].step_s);

        assert_int_equal(lkd_grid_period(&grid), cases[i].period_ns);
        for (int64_t k = 0; k < LONG_NS / cases[i].period_ns; k = further(k))
            assert_int_equal(lkd_grid_at(&grid, k), k * cases[i].period_ns);
    }
}

static void check_before(const struct lkd_grid *grid, int64_t when_ns)
{
    int64_t k = lkd_grid_before(grid, when_ns);

    assert_true(k == -1 || lkd_grid_at(grid, k) < when_ns);
    assert_true(lkd_grid_at(grid, k + 1) >= when_ns);
}

static void test_before(void **state)
{
    (void)state;
    for (size_t i = 0; i < RATES; i++) {
        const struct lkd_grid grid = lkd_grid_of(1.0 / (double)rates[i]);

        assert_int_equal(lkd_grid_before(&grid, 0), -1);
        assert_int_equal(lkd_grid_before(&grid, 1), 0);
        for (int64_t k = 1; k <= FAR; k = further(k))
            for (int64_t off = -1; off <= 1; off++)
                check_before(&grid, lkd_grid_at(&grid, k) + off);
        check_before(&grid, INT64_MAX / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_drift),
        cmocka_unit_test(test_step_and_period_are_one),
        cmocka_unit_test(test_whole_periods),
        cmocka_unit_test(test_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
