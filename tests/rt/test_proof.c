/* SPDX-License-Identifier: Apache-2.0 */
/* The proof of the budget on a simulated clock: number of steps, inputs, end, measured gaps of the
 * machine. The proof must leave the model unchanged. */
#include "../sanitized.h"
#include "cycle_rig.h"
#include "fake_clock.h"
#include "proof.h"
#include "runner.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define US INT64_C(1000)
#define MS INT64_C(1000000)

/** struct watched - what the test observes of the proof, and what it prescribes
 * @made:              number of steps
 * @step_ns:           duration of a step
 * @fail_every:        every n-th step fails, 0 for none
 * @changes:           changes of the first input
 * @end_at:            step that requests the end
 * @begun_anew:        steps from the start of the motion
 * @guarded:           calls of the guard
 * @guard_ns:          duration of such a call
 * @low, @high, @zero: steps with a negative, a positive and a zero first input
 * @lowest, @highest:  extreme values of the first input */
struct watched {
    uint64_t made;
    int64_t step_ns;
    uint64_t fail_every;
    uint64_t changes;
    uint64_t end_at;
    uint64_t begun_anew;
    uint64_t guarded;
    int64_t guard_ns;
    uint64_t low, high, zero;
    double lowest, highest, last_input;
};

static const char *model_path;
static struct lk_system *lk_system;
static struct lkd_cycle *cycle;
static struct lkd_proof proof;
static struct watched watched;

int __real_lk_system_step(struct lk_system *system, const double *inputs);
int __wrap_lk_system_step(struct lk_system *system, const double *inputs);

static void look_at_input(double value)
{
    watched.changes += watched.made > 0 && value != watched.last_input;
    watched.last_input = value;
    watched.lowest = fmin(watched.lowest, value);
    watched.highest = fmax(watched.highest, value);
    watched.low += value < 0;
    watched.high += value > 0;
    watched.zero += value == 0;
}

int __wrap_lk_system_step(struct lk_system *system, const double *inputs)
{
    if (cycle && cycle->n_inputs > 0)
        look_at_input(inputs[0]);
    watched.begun_anew += lk_system_step_count(system) == 0;
    watched.made++;
    if (watched.made == watched.end_at)
        lkd_cycle_ask(cycle, LKD_ASK_END);
    if (fake_clock.now_ns > 0)
        fake_clock_spend(watched.step_ns);
    if (watched.fail_every > 0 && watched.made % watched.fail_every == 0)
        return LK_E_TURN;
    return __real_lk_system_step(system, inputs);
}

int __real_lkd_guard_apply(struct lkd_guard *guard, const struct lkd_guard_view *view,
                           const double *commanded, const double *slopes,
                           const struct lkd_news *news);
int __wrap_lkd_guard_apply(struct lkd_guard *guard, const struct lkd_guard_view *view,
                           const double *commanded, const double *slopes,
                           const struct lkd_news *news);

int __wrap_lkd_guard_apply(struct lkd_guard *guard, const struct lkd_guard_view *view,
                           const double *commanded, const double *slopes,
                           const struct lkd_news *news)
{
    assert_ptr_not_equal(guard, &cycle->guard); /* the run's guard stays unchanged */
    watched.guarded++;
    fake_clock_spend(watched.guard_ns);
    return __real_lkd_guard_apply(guard, view, commanded, slopes, news);
}

static void open_cycle(uint64_t steps, int64_t time_ns)
{
    const struct lkd_settings settings = lkd_settings_default();

    fake_clock_begin();
    fake_clock.tick_ns = 100; /* coarse, because a test reads the clock a million times */
    cycle = rig_cycle_new(model_path, 0, &settings, &lk_system);
    watched = (struct watched){.step_ns = 50 * US};
    lkd_proof_init(&proof, steps, time_ns);
    assert_false(proof.done);
    assert_int_equal(proof.progress, 0);
}

static void close_cycle(void)
{
    rig_cycle_free(cycle, lk_system);
    cycle = NULL;
}

static void run(void)
{
    lkd_proof_run(&proof, cycle);
    assert_true(proof.done);
    assert_int_equal(proof.steps_done, watched.made);
    assert_int_equal(lkd_histogram_count(&proof.compute), proof.steps_done);
    assert_int_equal(lkd_histogram_count(&proof.wakeup), fake_clock.sleeps);
}

static void test_runs_its_steps(void **state)
{
    int64_t begin_ns;

    (void)state;
    open_cycle(1000, 60000 * MS);
    begin_ns = fake_clock.now_ns;
    run();
    assert_int_equal(proof.steps_done, 1000);
    assert_false(proof.cancelled);
    assert_int_equal(proof.progress, 1000);
    assert_int_equal(proof.restarts, 0);
    assert_true(lkd_histogram_max(&proof.compute) >= 50 * US);
    assert_true(lkd_histogram_max(&proof.compute) <= 51 * US); /* only the step is timed */
    /* bursts of 2 ms, each with a pause. Two fifths of the time are for the loop that reads the
     * clock, and one fifth for sleep */
    assert_in_range(fake_clock.sleeps, 25, 27);
    assert_in_range(proof.gap_time_ns, 49 * MS, 54 * MS);
    assert_in_range(fake_clock.now_ns - begin_ns, 120 * MS, 135 * MS);
    assert_int_equal(proof.gaps, 0);
    assert_in_range(proof.gap_max_ns, fake_clock.tick_ns, 2 * fake_clock.tick_ns);
    close_cycle();
}

/* A proof on a shared core has short bursts and long pauses. At most two bursts and a step pass
 * without a pause, and other threads get two thirds of the time. */
static void test_shared(void **state)
{
    int64_t begin_ns, steps_ns, all_ns;

    (void)state;
    open_cycle(1000, 60000 * MS);
    proof.shared = true;
    begin_ns = fake_clock.now_ns;
    run();
    all_ns = fake_clock.now_ns - begin_ns;
    steps_ns = 1000 * 50 * US;
    assert_int_equal(proof.steps_done, 1000);
    assert_true(fake_clock.sleeps >= 1000 / 3); /* a pause after two or three steps of 50 us */
    assert_in_range(proof.gap_time_ns, steps_ns - 5 * MS, steps_ns + 5 * MS);
    assert_true(2 * steps_ns < all_ns * 2 / 5);
    close_cycle();
}

static void test_single_step(void **state)
{
    (void)state;
    open_cycle(1, 60000 * MS);
    run();
    assert_int_equal(proof.steps_done, 1);
    close_cycle();
}

static void test_ends_by_time(void **state)
{
    int64_t begin_ns;

    (void)state;
    open_cycle(100000000, 300 * MS);
    begin_ns = fake_clock.now_ns;
    run();
    assert_in_range(fake_clock.now_ns - begin_ns, 300 * MS, 306 * MS);
    assert_in_range(proof.steps_done, 2200, 2500);
    assert_false(proof.cancelled);
    assert_int_equal(proof.progress, 1000);
    close_cycle();

    /* a single step of half a second makes a burst */
    open_cycle(100000000, 300 * MS);
    watched.step_ns = 500 * MS;
    run();
    assert_int_equal(proof.steps_done, 1);
    close_cycle();
}

static void test_cancelled(void **state)
{
    (void)state;
    open_cycle(100000, 60000 * MS);
    watched.end_at = 500;
    run();
    assert_true(proof.cancelled);
    assert_in_range(proof.steps_done, 500, 545); /* the current burst is completed */
    assert_in_range(proof.progress, 1, 999);
    close_cycle();
}

/* A request to end comes before the proof begins. No step is made, and the model is unchanged. */
static void test_cancelled_before(void **state)
{
    (void)state;
    open_cycle(100000, 60000 * MS);
    lkd_cycle_ask(cycle, LKD_ASK_END);
    run();
    assert_true(proof.cancelled);
    assert_int_equal(lk_system_step_count(lk_system), 0);
    assert_int_equal(watched.made, 0);
    close_cycle();
}

/* Inputs jump between the limits of the channel. */
static void test_inputs(void **state)
{
    (void)state;
    open_cycle(16000, 60000 * MS);
    cycle->low[0] = -2;
    cycle->high[0] = 3;
    run();
    assert_true(watched.lowest == -2 && watched.highest == 3);
    assert_true(watched.low > 2000 && watched.high > 2000 && watched.zero > 500);
    assert_in_range(watched.changes, 300, 1000); /* constant for some steps */
    close_cycle();

    /* six sixteenths of the steps at each limit; no value beyond the last scalar */
    open_cycle(80000 / THINNED, 60000 * MS);
    assert_int_equal(cycle->n_inputs, 1);
    cycle->low[0] = -2;
    cycle->high[0] = 3;
    cycle->low[1] = cycle->high[1] = 7;
    run();
    if (!SANITIZED) { /* fewer steps are no statistics */
        assert_in_range(watched.low, 28000, 32000);
        assert_in_range(watched.high, 28000, 32000);
        assert_in_range(watched.zero, 18000, 22000);
    }
    assert_true(cycle->rt.trial[1] == 0);
    close_cycle();

    open_cycle(1600, 60000 * MS); /* without limits: amplitude of one unit */
    cycle->low[0] = -INFINITY;
    cycle->high[0] = INFINITY;
    run();
    assert_true(watched.lowest == -1 && watched.highest == 1);
    close_cycle();
}

/* The guard is part of the measured step time, and all its fail-safes are active. */
static void test_guard(void **state)
{
    const struct lkd_guarded *channel;

    (void)state;
    open_cycle(1000, 60000 * MS);
    watched.guard_ns = 25 * US;
    run();
    assert_int_equal(watched.guarded, 1000);
    assert_in_range(proof.compute.max_ns, 75 * US, 80 * US);
    channel = &cycle->rt.trial_guard.channel[0];
    assert_int_equal(channel->times_stale, 1);
    assert_true(channel->tripped && channel->condition == LKD_CONDITION_STALE);
    assert_int_equal(cycle->guard.channel[0].times_stale, 0);
    close_cycle();
}

/* A refused step counts as a step, and the motion restarts. */
static void test_starts_over(void **state)
{
    (void)state;
    open_cycle(1000, 60000 * MS);
    watched.fail_every = 100;
    run();
    assert_int_equal(proof.steps_done, 1000);
    assert_int_equal(proof.restarts, 10);
    assert_int_equal(watched.begun_anew, 10);
    close_cycle();
}

/* The motion also restarts if the inputs drive a body beyond its bounds. The time of such a step is
 * measured completely. */
static void test_beyond_bounds(void **state)
{
    struct lkd_policy *policy;

    (void)state;
    open_cycle(1000, 60000 * MS);
    policy = &cycle->settings.policy;
    policy->position_limit = 1e-9;
    run();
    assert_int_equal(proof.restarts, 0);
    assert_int_equal(watched.begun_anew, 1000);
    assert_true(cycle->rt.values[0] != 0); /* the outputs were evaluated */
    close_cycle();

    open_cycle(1000, 60000 * MS);
    policy = &cycle->settings.policy;
    policy->residual_limit = -1;
    run();
    assert_int_equal(proof.restarts, 1000);
    close_cycle();
}

static void stall(void *data)
{
    (void)data;
    fake_clock.now_ns += 300 * US;
}

/* The machine stands still now and then, within the loop that only reads the clock. */
static void test_gaps(void **state)
{
    (void)state;
    open_cycle(1000, 60000 * MS);
    for (int i = 0; i < 5; i++) /* a burst, its loop and its pause last 5 ms */
        fake_clock_at(fake_clock.now_ns + (5 * i + 3) * MS, stall, NULL);
    run();
    assert_int_equal(proof.gaps, 5);
    assert_in_range(proof.gap_max_ns, 300 * US, 301 * US);
    assert_true(lkd_histogram_max(&proof.compute) <= 51 * US);
    close_cycle();
}

static void test_wakeups(void **state)
{
    (void)state;
    open_cycle(1000, 60000 * MS);
    fake_clock.late_ns = 25 * US;
    run();
    assert_in_range(lkd_histogram_quantile(&proof.wakeup, 0.99), 25 * US, 26 * US);
    close_cycle();
}

/* ---- the model is unchanged afterwards ---- */

static void steps_from_here(double *ret_values)
{
    double inputs[16] = {0};

    for (int i = 0; i < 100; i++)
        assert_int_equal(__real_lk_system_step(lk_system, inputs), 0);
    lk_system_outputs(lk_system, ret_values);
}

static void test_same_bits(void **state)
{
    double fresh[64], proven[64], start[64], again[64];
    struct lkd_figures before;

    (void)state;
    open_cycle(500, 60000 * MS);
    assert_true(cycle->n_outputs <= 64 && cycle->n_inputs <= 16);
    before = cycle->rt.figures;
    lk_system_outputs(lk_system, start);
    steps_from_here(fresh);
    lkd_cycle_rewind(cycle);
    watched.fail_every = 77;
    run();
    lkd_cycle_rewind(cycle);
    assert_memory_equal(&cycle->rt.figures, &before, sizeof(before));
    assert_int_equal(lk_system_step_count(lk_system), 0);
    assert_int_equal(lkd_histogram_count(&cycle->compute), 0);
    assert_int_equal(lkd_histogram_count(&cycle->input_age), 0);
    assert_int_equal(lkd_cycle_missed(cycle), 0);
    lk_system_outputs(lk_system, again);
    assert_memory_equal(start, again, (size_t)cycle->n_outputs * sizeof(double));
    steps_from_here(proven);
    assert_memory_equal(fresh, proven, (size_t)cycle->n_outputs * sizeof(double));
    close_cycle();
}

/* ---- in a thread, on the machine's clock ---- */

static void in_a_thread(uint64_t steps, int n_workers)
{
    const int no_core[] = {LKD_CORE_NONE, LKD_CORE_NONE};
    struct lkd_runner runner;
    struct lkd_grant grant;

    open_cycle(steps, 600000 * MS);
    fake_clock.now_ns = 0;
    assert_int_equal(lkd_runner_start(&runner, cycle, &proof, n_workers, no_core, 0, &grant), 0);
    assert_int_equal(watched.made, 0); /* the thread waits for the start signal */
    lkd_runner_go(&runner);
    if (steps < 10000)
        while (!atomic_load(&proof.done))
            lkd_sleep_until(lkd_clock_ns() + MS);
    assert_int_equal(lkd_runner_stop(&runner), 0);
    assert_true(proof.done);
    assert_true(proof.cancelled == (steps >= 10000));
    if (steps < 10000)
        assert_int_equal(proof.steps_done, steps);
    assert_null(cycle->pool);
    lkd_cycle_rewind(cycle);
    assert_int_equal(cycle->rt.figures.cycles, 0);
    close_cycle();
}

static void test_thread(void **state)
{
    (void)state;
    in_a_thread(200, 1);
    in_a_thread(200, 2);
    in_a_thread(UINT64_C(1) << 40, 1); /* stopped */
    in_a_thread(UINT64_C(1) << 40, 2);
}

/* Threads that are stopped without a start signal, as on an unsuitable machine, make no step. */
static void test_sent_away(void **state)
{
    const int no_core[] = {LKD_CORE_NONE};
    struct lkd_runner runner;
    struct lkd_grant grant;

    (void)state;
    open_cycle(1000, 60000 * MS);
    fake_clock.now_ns = 0;
    assert_int_equal(lkd_runner_start(&runner, cycle, &proof, 1, no_core, 0, &grant), 0);
    assert_int_equal(lkd_runner_stop(&runner), 0);
    assert_int_equal(watched.made, 0);
    assert_int_equal(lk_system_step_count(lk_system), 0);
    close_cycle();
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_its_steps),
        cmocka_unit_test(test_single_step),
        cmocka_unit_test(test_ends_by_time),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_cancelled_before),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_starts_over),
        cmocka_unit_test(test_beyond_bounds),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_wakeups),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_thread),
        cmocka_unit_test(test_sent_away),
    };

    model_path = argc > 1 ? argv[1] : "config/models/four-bar.yaml";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
