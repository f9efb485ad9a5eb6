/* SPDX-License-Identifier: Apache-2.0 */
/* The three ways to wait, on a simulated clock: never early, at most one sleep, and no longer sleep
 * or busy-waiting than documented. */
#include "fake_clock.h"
#include "wait.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS INT64_C(1000000)
#define US INT64_C(1000)

static int begin(void **state)
{
    (void)state;
    fake_clock_begin();
    return 0;
}

/* Wait, and check the time, the number of sleeps and roughly how long the clock was polled. */
static void wait_one(enum lkd_wake wake, int64_t ahead_ns, uint64_t sleeps, int64_t spun_ns)
{
    const struct lkd_wait wait = {wake, 50 * US};
    int64_t when_ns = fake_clock.now_ns + ahead_ns, now_ns;
    uint64_t looks = fake_clock.looks, before = fake_clock.sleeps;

    now_ns = lkd_wait_until(&wait, when_ns);
    assert_true(now_ns >= when_ns);
    assert_true(now_ns == fake_clock.now_ns);
    assert_int_equal(fake_clock.sleeps - before, sleeps);
    looks = (fake_clock.looks - looks) * (uint64_t)fake_clock.tick_ns;
    assert_in_range(looks, spun_ns, spun_ns + 4 * fake_clock.tick_ns);
    if (fake_clock.late_ns == 0)
        assert_true(now_ns - when_ns <= 2 * fake_clock.tick_ns || ahead_ns <= 0);
}

static void test_on_time(void **state)
{
    (void)state;
    wait_one(LKD_WAKE_SLEEP, MS, 1, 0);
    wait_one(LKD_WAKE_HYBRID, MS, 1, 50 * US);
    wait_one(LKD_WAKE_SPIN, MS, 0, MS);
}

/* A late wake-up by the kernel has no effect if it is within the margin of a hybrid wait. */
static void test_late_kernel(void **state)
{
    (void)state;
    fake_clock.late_ns = 30 * US;
    wait_one(LKD_WAKE_SLEEP, MS, 1, 0);
    wait_one(LKD_WAKE_HYBRID, MS, 1, 20 * US);
    assert_true(fake_clock.now_ns % US <= 10 * fake_clock.tick_ns);
    fake_clock.late_ns = 80 * US;
    wait_one(LKD_WAKE_HYBRID, MS, 1, 0);
}

/* A wait shorter than the margin does not sleep; a time in the past needs no wait. */
static void test_close_and_past(void **state)
{
    (void)state;
    wait_one(LKD_WAKE_HYBRID, 40 * US, 0, 40 * US);
    wait_one(LKD_WAKE_HYBRID, 0, 0, 0);
    wait_one(LKD_WAKE_HYBRID, -MS, 0, 0);
    wait_one(LKD_WAKE_SPIN, -MS, 0, 0);
    wait_one(LKD_WAKE_SLEEP, -MS, 1, 0); /* the kernel returns immediately */
}

/* On the real clock, the time is reached whatever the load of the machine. */
static void test_real_clock(void **state)
{
    (void)state;
    fake_clock.now_ns = 0;
    for (int wake = LKD_WAKE_SLEEP; wake <= LKD_WAKE_SPIN; wake++) {
        const struct lkd_wait wait = {(enum lkd_wake)wake, 100 * US};

        for (int i = 0; i < 20; i++) {
            int64_t when_ns = lkd_clock_ns() + i * 50 * US, now_ns;

            now_ns = lkd_wait_until(&wait, when_ns);
            assert_true(now_ns >= when_ns);
            assert_true(lkd_clock_ns() >= now_ns);
        }
    }
    for (int i = -1; i < 3; i++) {
        int64_t when_ns = lkd_clock_ns() + i * MS;

        lkd_sleep_until(when_ns);
        assert_true(lkd_clock_ns() >= when_ns);
    }
}

static void test_margin(void **state)
{
    (void)state;
    assert_int_equal(lkd_wait_margin(0, MS), LKD_MARGIN_MIN_NS);
    assert_int_equal(lkd_wait_margin(15 * US, MS), 50 * US);
    assert_int_equal(lkd_wait_margin(189 * US, MS), 398 * US);
    assert_int_equal(lkd_wait_margin(190 * US, MS), 400 * US);
    assert_int_equal(lkd_wait_margin(191 * US, MS), 400 * US);
    assert_int_equal(lkd_wait_margin(17 * 1000 * MS, MS), 400 * US);
    /* The margin increases with the measured lateness. It never fills a whole period, so that the
     * kernel's RT throttle has no effect. */
    for (int64_t period = 50 * US; period <= 100 * MS; period *= 2) {
        int64_t last = 0;

        for (int64_t p99 = 0; p99 < 2 * period; p99 += period / 16) {
            int64_t margin = lkd_wait_margin(p99, period);

            assert_true(margin >= last && margin > 0);
            assert_true((double)margin <= LKD_MARGIN_PART * (double)period);
            last = margin;
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(lkd_wake_name(LKD_WAKE_SLEEP), "sleep");
    assert_string_equal(lkd_wake_name(LKD_WAKE_HYBRID), "hybrid");
    assert_string_equal(lkd_wake_name(LKD_WAKE_SPIN), "spin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_on_time, begin),
        cmocka_unit_test_setup(test_late_kernel, begin),
        cmocka_unit_test_setup(test_close_and_past, begin),
        cmocka_unit_test_setup(test_real_clock, begin),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
