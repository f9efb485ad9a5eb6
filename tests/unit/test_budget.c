/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on synthetic proofs with a real model: which steps fit the period, which suggestion
 * is made if they do not, which outliers a degraded machine may ignore, and how much time spinning
 * costs. All figures are computed; no time is measured. */
#include "budget.h"
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

static const char *model_path;
static struct lkd_loaded *loaded;
static struct lkd_proof proof;
static struct lkd_budget budget;
static int steps_made;

int __real_lk_system_step(struct lk_system *system, const double *inputs);
int __wrap_lk_system_step(struct lk_system *system, const double *inputs);

int __wrap_lk_system_step(struct lk_system *system, const double *inputs)
{
    steps_made++;
    return __real_lk_system_step(system, inputs);
}

static void load(const struct lkd_settings *settings)
{
    struct lk_errors errors = {0};

    if (lkd_loaded_new_file(model_path, settings, NULL, &loaded, &errors))
        fail_msg("%s", errors.line[0].text);
    assert_int_equal(loaded->cycle->period_ns, MS);
}

static int begin(void **state)
{
    const struct lkd_settings settings = lkd_settings_default();

    (void)state;
    load(&settings);
    lkd_proof_init(&proof, 1000, 1000 * MS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lkd_loaded_free(loaded);
    return 0;
}

static void add_steps(uint64_t n, int64_t duration_ns)
{
    for (uint64_t i = 0; i < n; i++)
        lkd_histogram_add(&proof.compute, duration_ns);
    proof.steps_done += n;
}

static void add_wakeups(int n, int64_t late_ns)
{
    for (int i = 0; i < n; i++)
        lkd_histogram_add(&proof.wakeup, late_ns);
}

static void judge(bool degraded)
{
    lkd_budget_judge(&proof, loaded, 1, 1, degraded, &budget);
    assert_true(strlen(budget.text) < sizeof(budget.text) - 1);
    assert_null(strpbrk(budget.text, "\n\x1b"));
}

static void says(const char *words)
{
    if (!strstr(budget.text, words))
        fail_msg("'%s' lacks '%s'", budget.text, words);
}

static void says_nothing_of(const char *words)
{
    if (strstr(budget.text, words))
        fail_msg("'%s' has '%s'", budget.text, words);
}

static void test_fits(void **state)
{
    (void)state;
    add_steps(999, 100 * US);
    add_steps(1, 212 * US);
    proof.gap_max_ns = 9 * US;
    judge(false);
    assert_true(budget.valid);
    assert_false(budget.degraded);
    assert_true(budget.quantile == 1);
    assert_int_equal(budget.judged_ns, 212 * US);
    assert_int_equal(budget.max_ns, 212 * US);
    assert_int_equal(budget.steps, 1000);
    assert_in_range(budget.p50_ns, 100 * US, 104 * US);
    assert_int_equal(budget.gap_ns, 9 * US);
    assert_string_equal(budget.text, "max 212 us of 1000 us, slack 78 % (1000 steps)");
}

/* A step of exactly the budget share fits; one nanosecond more does not. */
static void test_bounds(void **state)
{
    (void)state;
    add_steps(100, 700 * US);
    judge(false);
    assert_true(budget.valid);
    says_nothing_of("would fit");
    add_steps(1, 700 * US + 1);
    judge(false);
    assert_false(budget.valid);
    says("more than the budget of 70 %");
    says("would fit: a step of ");
}

/* Check that the step size that the text suggests fits the measured step. */
static void check_named_step(void)
{
    const char *at = strstr(budget.text, "would fit: a step of ");
    double step_ms, rate_hz, share = loaded->cycle->settings.budget_share;

    assert_non_null(at);
    if (sscanf(at, "would fit: a step of %lf ms (%lf Hz)", &step_ms, &rate_hz) != 2)
        fail_msg("%s", budget.text);
    if (!(share * step_ms * 1e6 >= (double)budget.judged_ns))
        fail_msg("it would not fit: %s", budget.text);
    /* and it is the smallest such step, to within 2 % and the 10 us to which the step size is
     * rounded */
    assert_true(share * (step_ms - 0.0101) * 1e6 <= 1.02 * (double)budget.judged_ns);
    assert_true(fabs(rate_hz * step_ms * 1e-3 - 1) < 1e-3);
}

static void test_what_would_fit(void **state)
{
    /* A step size is suggested even if the step is far too slow, up to a step size of 100 ms, the
     * largest allowed. */
    static const int64_t steps_us[] = {701, 864, 999, 1234, 3456, 7001, 8638, 12345, 50000, 69990};

    (void)state;
    for (size_t i = 0; i < sizeof(steps_us) / sizeof(steps_us[0]); i++) {
        lkd_proof_init(&proof, 10, MS);
        add_steps(10, steps_us[i] * US);
        judge(false);
        assert_false(budget.valid);
        check_named_step();
    }
}

/* The text has no exponents, even if a step takes far longer than its period. */
static void test_readable(void **state)
{
    (void)state;
    add_steps(10, 12345 * US);
    proof.gap_max_ns = 15678 * US;
    judge(false);
    says_nothing_of("e+");
    says("max 12345 us of 1000 us, slack -1135 %");
    says("the machine itself stood still for up to 15678 us");
}

/* The text suggests fewer iterations if they would fit, and more workers if cores are available. */
static void test_fewer_iterations(void **state)
{
    int attempts = 0;

    (void)state;
    /* The step is slightly too long: with two instead of three iterations it fits on any machine.
     * The cost of an iteration is measured; under load the measured cost may be zero, hence several
     * attempts. */
    do {
        lkd_proof_init(&proof, 10, MS);
        add_steps(10, 705 * US);
        judge(false);
        assert_false(budget.valid);
    } while (!strstr(budget.text, ", or ") && ++attempts < 10);
    says(", or ");
    says(" iteration");
    lkd_proof_init(&proof, 10, MS);
    add_steps(10, 90 * MS); /* too slow for any suggestion */
    judge(false);
    says("would fit: no step in real time");
    says_nothing_of("a step of"); /* no step longer than the largest allowed */
    says_nothing_of("iteration");
    says_nothing_of("workers"); /* no gain with four bodies */
}

/* Two of a thousand steps were interrupted; a machine that is not fit ignores them. */
static void test_degraded(void **state)
{
    (void)state;
    add_steps(998, 100 * US);
    add_steps(2, 5 * MS);
    proof.gap_time_ns = 1000 * MS;
    proof.gap_max_ns = 5 * MS;
    /* One gap in 50 ms meets one in 500 steps of 0.1 ms. Four times as many, four in 500, are
     * ignored. */
    proof.gaps = 20;
    judge(false);
    assert_false(budget.valid);
    says("would fit: a step of 7.15 ms");
    judge(true);
    assert_true(budget.valid);
    assert_true(budget.degraded);
    assert_true(fabs(budget.quantile - 0.992) < 0.0001);
    assert_in_range(budget.judged_ns, 100 * US, 104 * US);
    assert_int_equal(budget.max_ns, 5 * MS);
    says("p99.2 100.4 us, max 5000 us");
    says("stood still for up to 5000 us");
    /* With three workers, a gap can hit the core of each of them. */
    lkd_budget_judge(&proof, loaded, 3, 3, true, &budget);
    assert_true(fabs(budget.quantile - 0.976) < 0.0003);
}

/* Even if no gap was measured, one of a thousand steps is ignored. However many gaps there are, at
 * most a tenth is ignored. */
static void test_degraded_bounds(void **state)
{
    (void)state;
    add_steps(9990, 100 * US);
    add_steps(9, 5 * MS);
    judge(true); /* no clock was read */
    assert_true(fabs(budget.quantile - 0.999) < 1e-9);
    assert_true(budget.valid);
    add_steps(30, 5 * MS); /* 4 of 1000: the step is slow, not the machine */
    judge(true);
    assert_false(budget.valid);
    assert_in_range(budget.judged_ns, 5 * MS, 5 * MS + 5 * MS / 32);
    check_named_step();

    proof.gap_time_ns = MS;
    proof.gaps = 1000;
    judge(true);
    assert_true(budget.quantile == 0.9);
    assert_true(budget.valid);
}

static void test_margin(void **state)
{
    struct lkd_settings settings = lkd_settings_default();

    (void)state;
    settings.wake = LKD_WAKE_HYBRID;
    lkd_loaded_free(loaded);
    load(&settings);
    add_steps(1000, 600 * US);
    add_wakeups(1000, 40 * US); /* margin: twice this and 20 us */
    judge(false);
    assert_true(budget.valid);
    assert_in_range(budget.margin_ns, 100 * US, 104 * US);
    add_wakeups(1000, 150 * US); /* a margin of 320 us and a step of 600 us are too much */
    judge(false);
    assert_false(budget.valid);
    says("of spinning before it more than 90 %");
    says("would fit: wake: sleep, or a smaller spin_margin_us");
    add_wakeups(100000, 900 * US); /* the margin is at most 400 us */
    judge(false);
    assert_int_equal(budget.margin_ns, 400 * US);
    assert_false(budget.valid);

    /* a configured margin does not depend on the measurement */
    settings.margin_ns = 290 * US;
    lkd_loaded_free(loaded);
    load(&settings);
    judge(false);
    assert_int_equal(budget.margin_ns, 290 * US);
    assert_true(budget.valid);
    loaded->cycle->settings.margin_ns = 310 * US;
    judge(false);
    assert_false(budget.valid);
    loaded->cycle->settings.wake = LKD_WAKE_SLEEP; /* sleeping needs no margin */
    judge(false);
    assert_true(budget.valid);
}

/* A refusal comes quickly, because the control thread waits for it: suggestions compare only fewer
 * iterations, and the model has three. */
static void test_answers_soon(void **state)
{
    (void)state;
    add_steps(10, 90 * MS);
    steps_made = 0;
    judge(false);
    assert_false(budget.valid);
    print_message("no was said after %d steps\n", steps_made);
    assert_in_range(steps_made, 1, 505);

    lkd_proof_init(&proof, 10, MS);
    add_steps(10, 90 * US);
    steps_made = 0;
    judge(false);
    assert_true(budget.valid);
    assert_int_equal(steps_made, 0);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fits, begin, end),
        cmocka_unit_test_setup_teardown(test_bounds, begin, end),
        cmocka_unit_test_setup_teardown(test_what_would_fit, begin, end),
        cmocka_unit_test_setup_teardown(test_readable, begin, end),
        cmocka_unit_test_setup_teardown(test_fewer_iterations, begin, end),
        cmocka_unit_test_setup_teardown(test_degraded, begin, end),
        cmocka_unit_test_setup_teardown(test_degraded_bounds, begin, end),
        cmocka_unit_test_setup_teardown(test_margin, begin, end),
        cmocka_unit_test_setup_teardown(test_answers_soon, begin, end),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: %s MODEL\n", argv[0]);
        return 2;
    }
    model_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
