/* SPDX-License-Identifier: Apache-2.0 */
/* The number of workers that reduce the time of a step. */
#include "compile/workers.h"
#include "linkage/linkage.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct lk_step_cost divided(double serial_ns, int n, double work_ns, double largest_ns)
{
    struct lk_step_cost cost = {.serial_ns = serial_ns, .n_phases = n};

    for (int i = 0; i < n; i++)
        cost.phase[i] = (struct lk_phase_cost){work_ns, largest_ns};
    return cost;
}

static void test_time(void **state)
{
    struct lk_step_cost cost = divided(5000, 4, 20000, 8000);

    (void)state;
    assert_true(lk_workers_time(&cost, 1) == 85000);
    assert_true(lk_workers_time(&cost, 2) == 5000 + 4 * (10000 + LK_MEETING_NS));
    /* no number of workers makes a step faster than its largest undivided piece */
    assert_true(lk_workers_time(&cost, 4) ==
                5000 + 4 * (8000 + LK_MEETING_NS + 2 * LK_MEETING_MORE_NS));
}

static void test_small_steps_stay_alone(void **state)
{
    struct lk_step_cost whole = divided(1e6, 0, 0, 0), four_bar = divided(500, 4, 400, 100),
                        mostly_serial = divided(1e5, 1, 1e4, 100);

    (void)state;
    assert_int_equal(lk_workers_useful(&whole, 64), 1);
    assert_int_equal(lk_workers_useful(&four_bar, 64), 1);
    assert_int_equal(lk_workers_useful(&mostly_serial, 64), 1);
}

static void test_long_steps_share(void **state)
{
    struct lk_step_cost fair = divided(1000, 8, 20000, 1000), lame = divided(0, 8, 20000, 9900);

    (void)state;
    assert_int_equal(lk_workers_useful(&fair, 1), 1);
    assert_int_equal(lk_workers_useful(&fair, 2), 2);
    assert_in_range(lk_workers_useful(&fair, 64), 3, 16);
    /* the smallest of the numbers with the same time */
    assert_int_equal(lk_workers_useful(&lame, 64), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_small_steps_stay_alone),
        cmocka_unit_test(test_long_steps_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
