/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated step on more workers, compared with times worked out by hand. Costs are whole or
 * half numbers, so times are exact. */
#include "../cmocka_all.h"
#include "simulate.h"

#include <errno.h>

/* two phases of four tasks each, 10 and 20 before them, 5 after */
static const double task_ns[] = {1, 2, 3, 4};
static const struct simulate_phase phases[] = {{10, 4, task_ns}, {20, 4, task_ns}};

static double shared(const struct simulate_shared *step, int n_workers)
{
    double time = -1;

    assert_int_equal(simulate_shared(step, n_workers, &time), 0);
    return time;
}

static void phases_go_to_workers_as_the_engine_deals_them(void **state)
{
    const struct simulate_shared step = {.n_phases = 2, .phases = phases, .after_ns = 5};

    (void)state;
    assert_true(shared(&step, 1) == 35 + 2 * 10);
    /* {1, 2} and {3, 4} */
    assert_true(shared(&step, 2) == 35 + 2 * 7);
    /* {1}, {2}, {3, 4} */
    assert_true(shared(&step, 3) == 35 + 2 * 7);
    assert_true(shared(&step, 4) == 35 + 2 * 4);
    assert_true(shared(&step, 64) == 35 + 2 * 4);
}

/* the first worker does not wait for the fork but for its end */
static void forks_and_hands_are_paid_in_every_phase(void **state)
{
    struct simulate_shared step = {
        .n_phases = 2, .phases = phases, .fork_ns = 2, .more_ns = 0.5, .hand_ns = 1};
    static const double uneven[] = {9, 1};
    static const struct simulate_phase one = {0, 2, uneven};

    (void)state;
    assert_true(shared(&step, 1) == 30 + 2 * 10);
    assert_true(shared(&step, 2) == 30 + 2 * (7 + 2 + 1 + 1));
    assert_true(shared(&step, 4) == 30 + 2 * (4 + 2 + 2 * 0.5 + 1 + 1));
    step.n_phases = 1;
    step.phases = &one;
    /* the second is back before the first is done */
    assert_true(shared(&step, 2) == 9 + 1);
}

static void phases_of_one_task_are_not_shared(void **state)
{
    static const struct simulate_phase small[] = {{3, 1, task_ns}, {4, 0, NULL}};
    const struct simulate_shared step = {
        .n_phases = 2, .phases = small, .after_ns = 5, .fork_ns = 100, .hand_ns = 100};

    (void)state;
    for (int w = 1; w <= SIMULATE_WORKERS_MAX; w++)
        assert_true(shared(&step, w) == 3 + 1 + 4 + 5);
}

static void nonsense_in_phases_is_refused(void **state)
{
    static const struct simulate_phase bad = {0, -1, NULL};
    struct simulate_shared step = {.n_phases = 2, .phases = phases};
    double time = -7;

    (void)state;
    assert_int_equal(simulate_shared(&step, 0, &time), -EINVAL);
    assert_int_equal(simulate_shared(&step, SIMULATE_WORKERS_MAX + 1, &time), -EINVAL);
    step.n_phases = -1;
    assert_int_equal(simulate_shared(&step, 2, &time), -EINVAL);
    step.n_phases = 1;
    step.phases = &bad;
    assert_int_equal(simulate_shared(&step, 2, &time), -EINVAL);
    assert_true(time == -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_go_to_workers_as_the_engine_deals_them),
        cmocka_unit_test(forks_and_hands_are_paid_in_every_phase),
        cmocka_unit_test(phases_of_one_task_are_not_shared),
        cmocka_unit_test(nonsense_in_phases_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
