/* SPDX-License-Identifier: Apache-2.0 */
/* The modes of time: in lockstep with a bench, as fast as possible, and on the time grid for a
 * given number of steps. In every mode the same inputs give the same bits as the library alone. */
#include "linkage/linkage.h"
#include "runs.h"
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define MODE(name) LINKAGE__V1__MODE__MODE_##name
#define STEPS      300

static const Linkage__V1__ControlReply *ask_arm(struct harness *h, Linkage__V1__Mode mode)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ArmRequest arm = LINKAGE__V1__ARM_REQUEST__INIT;

    arm.allow_degraded = true;
    arm.mode = mode;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
    request.arm = &arm;
    return harness_ask(h, &request);
}

static void open_in(struct harness *h, Linkage__V1__Mode mode, const char *config)
{
    harness_open(h, config);
    harness_load_model(h);
    assert_int_equal(ask_arm(h, mode)->result, RESULT(OK));
    assert_int_equal(h->reply->status->state, STATE(ARMED));
    assert_int_equal(h->reply->status->mode, mode);
}

static double torque(uint64_t k)
{
    return 3 * sin(0.1 * (double)k) + (k % 7 == 0 ? 1.5 : 0);
}

/* Make the system with the library alone. A bench must receive its values bit for bit. */
static struct lk_system *make_system(void)
{
    const struct lk_options options = {.step = harness_step_s(0.001)};
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;

    assert_int_equal(lk_model_read_file(harness_model(), &model, &error), 0);
    assert_int_equal(lk_system_new(model, &options, &system, &error), 0);
    lk_model_free(model);
    return system;
}

static void expect_bits(const struct lk_system *system, const Linkage__V1__OutputSample *sample)
{
    size_t n = (size_t)lk_system_output_size(system);
    double *values = calloc(n, sizeof(double));

    assert_non_null(sample);
    assert_int_equal(sample->n_values, n);
    assert_int_equal(sample->step, lk_system_step_count(system));
    lk_system_outputs(system, values);
    assert_memory_equal(sample->values, values, n * sizeof(double));
    free(values);
}

/* ---- lockstep ---- */

static void test_lockstep_has_the_bits_of_the_library(void **state)
{
    struct lk_system *system = make_system();
    const Linkage__V1__ControlReply *reply;
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), NULL);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    for (uint64_t k = 1; k <= STEPS; k++) {
        uint32_t n = (uint32_t)(k % 5 + 1);
        double value = torque(k);

        reply = runs_ask_step(&h, k, n, &value);
        assert_int_equal(reply->result, RESULT(OK));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(lk_system_step(system, &value), 0);
        expect_bits(system, reply->outputs);
        assert_int_equal(reply->outputs->mode, MODE(LOCKSTEP));
        assert_int_equal(reply->outputs->input_sequence, k);
        assert_int_equal(reply->outputs->n_echoes, 1);
        assert_int_equal(reply->outputs->echoes[0]->sequence, k);
        assert_int_equal(reply->outputs->echoes[0]->latched_step, reply->outputs->step - n);
    }
    lk_system_free(system);
    harness_close(&h);
}

static void test_a_request_twice_is_one_step(void **state)
{
    const Linkage__V1__ControlReply *reply;
    double value = 2, other = -2, *kept;
    struct harness h;
    size_t size;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), NULL);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    reply = runs_ask_step(&h, 5, 3, &value);
    assert_int_equal(reply->outputs->step, 3);
    size = reply->outputs->n_values * sizeof(double);
    kept = malloc(size);
    memcpy(kept, reply->outputs->values, size);
    reply = runs_ask_step(&h, 5, 3, &value);
    assert_int_equal(reply->outputs->step, 3);
    assert_memory_equal(reply->outputs->values, kept, size);
    reply = runs_ask_step(&h, 6, 1, &other);
    assert_int_equal(reply->outputs->step, 4);
    free(kept);
    harness_close(&h);
}

static void test_bad_steps_make_no_step(void **state)
{
    double value = 0, nan = NAN;
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), NULL);
    assert_int_equal(runs_ask_step(&h, 1, 1, &value)->result, RESULT(WRONG_STATE));
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    assert_int_equal(runs_ask_step(&h, 1, 0, &value)->result, RESULT(BAD_VALUE));
    assert_int_equal(runs_ask_step(&h, 1, 10001, &value)->result, RESULT(BAD_VALUE));
    assert_int_equal(runs_ask_step(&h, 0, 1, &value)->result, RESULT(BAD_VALUE));
    assert_int_equal(runs_ask_step(&h, 2, 1, &nan)->result, RESULT(BAD_VALUE));
    assert_int_equal(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->step, 0);
    assert_int_equal(runs_ask_step(&h, 2, 10000, &value)->outputs->step, 10000);
    harness_close(&h);
}

/* A bench pauses for longer than watchdog, time-out and lease. Without a step no time limit
 * expires. */
static void test_a_bench_may_think(void **state)
{
    const struct timespec nap = {.tv_sec = 3};
    const Linkage__V1__Status *status;
    double value = 4;
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), "watchdog: {time: 1.5}\n");
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    runs_ask_step(&h, 1, 1, &value);
    nanosleep(&nap, NULL);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    assert_int_equal(status->trips, 0);
    assert_int_equal(runs_ask_step(&h, 2, 500, NULL)->outputs->step, 501);
    assert_int_equal(h.reply->outputs->flags & ~LINKAGE__V1__FLAG__FLAG_DEGRADED, 0);
    harness_close(&h);
}

/* The input of a refused request does not act in a later request either. */
static void test_a_refused_input_is_gone(void **state)
{
    const double value = 1, other = 7;
    struct lk_system *system = make_system();
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), NULL);
    assert_int_equal(runs_ask_start(&h, 5)->result, RESULT(OK));
    assert_int_equal(runs_ask_step(&h, 1, 1, &value)->result, RESULT(OK));
    assert_int_equal(runs_ask_step(&h, 2, 20, &other)->result, RESULT(BAD_VALUE));
    assert_int_equal(runs_ask_step(&h, 3, 2, NULL)->result, RESULT(OK));
    for (int k = 0; k < 3; k++)
        assert_int_equal(lk_system_step(system, &value), 0);
    expect_bits(system, h.reply->outputs);
    lk_system_free(system);
    harness_close(&h);
}

/* A request for more steps than the start allows is refused. Otherwise the daemon would make the
 * remaining steps later, without a request. */
static void test_more_steps_than_there_are(void **state)
{
    const struct timespec nap = {.tv_nsec = 300000000};
    double value = 1;
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), NULL);
    assert_int_equal(runs_ask_start(&h, 5)->result, RESULT(OK));
    assert_int_equal(runs_ask_step(&h, 1, 20, &value)->result, RESULT(BAD_VALUE));
    assert_int_equal(runs_ask_step(&h, 2, 5, &value)->outputs->step, 5);
    runs_await_state(&h, STATE(PAUSED));
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    nanosleep(&nap, NULL);
    assert_int_equal(harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING))->step, 5);
    harness_close(&h);
}

/* A step that takes too long does not count as done. The same request, sent again, waits for its
 * end. */
static void test_a_step_that_stands_still(void **state)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;
    Linkage__V1__Injection stall = LINKAGE__V1__INJECTION__INIT, *add[] = {&stall};
    double value = 1;
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), "watchdog: {time: 0}\n");
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    stall.kind = LINKAGE__V1__INJECTION_KIND__INJECTION_STALL;
    stall.amount = 4;
    inject.add = add;
    inject.n_add = 1;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
    request.inject = &inject;
    assert_int_equal(harness_ask(&h, &request)->result, RESULT(OK));
    inject.n_add = 0;
    while (harness_ask(&h, &request)->injections->injections[0]->count == 0)
        runs_nap(); /* until the stalled step begins */
    assert_int_equal(runs_ask_step_once(&h, 1, 1, &value)->result, RESULT(INTERNAL));
    assert_null(h.reply->outputs);
    assert_int_equal(runs_ask_step(&h, 1, 1, &value)->result, RESULT(OK));
    assert_int_equal(h.reply->outputs->step, 1);
    harness_close(&h);
}

static void test_states_of_lockstep(void **state)
{
    double value = 1;
    struct harness h;

    (void)state;
    open_in(&h, MODE(LOCKSTEP), NULL);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    runs_ask_step(&h, 1, 2, &value);
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    assert_int_equal(runs_ask_step(&h, 2, 1, &value)->result, RESULT(WRONG_STATE));
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    assert_int_equal(runs_ask_step(&h, 2, 1, &value)->outputs->step, 3);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    /* a new run numbers its requests from 1 again */
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    assert_int_equal(runs_ask_step(&h, 2, 1, &value)->outputs->step, 1);
    harness_close(&h);
}

/* ---- as fast as possible, and for a given number of steps ---- */

static void test_asap(void **state)
{
    struct lk_system *system = make_system();
    const double zero = 0;
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    open_in(&h, MODE(ASAP), NULL);
    assert_int_equal(runs_ask_start(&h, 5000)->result, RESULT(OK));
    status = runs_await_state(&h, STATE(PAUSED));
    assert_int_equal(status->step, 5000);
    assert_int_equal(status->overruns + status->skipped, 0);
    for (int k = 0; k < 5000; k++)
        lk_system_step(system, &zero);
    do
        sample = runs_await_sample(&h, STATE(PAUSED));
    while (sample->step < 5000);
    expect_bits(system, sample);
    assert_int_equal(sample->mode, MODE(ASAP));

    assert_int_equal(runs_ask_start(&h, 7)->result, RESULT(OK));
    status = runs_await_state(&h, STATE(PAUSED));
    assert_int_equal(status->step, 5007);
    lk_system_free(system);
    harness_close(&h);
}

static void test_realtime_for_so_many_steps(void **state)
{
    const Linkage__V1__Status *status;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_arm(&h);
    assert_int_equal(h.reply->status->mode, MODE(REALTIME));
    assert_int_equal(runs_ask_start(&h, 40)->result, RESULT(OK));
    status = runs_await_state(&h, STATE(PAUSED));
    assert_int_equal(status->step, 40);
    assert_int_equal(runs_ask_start(&h, 0)->result, RESULT(OK));
    runs_await_cycles(&h, 60);
    assert_int_equal(runs_ask_step(&h, 1, 1, NULL)->result, RESULT(WRONG_STATE));
    runs_says(h.reply->text, "lockstep");
    harness_close(&h);
}

static void test_the_mode_of_the_configuration(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, "mode: lockstep\n");
    harness_load_model(&h);
    assert_int_equal(ask_arm(&h, MODE(UNSPECIFIED))->status->mode, MODE(LOCKSTEP));
    assert_int_equal(ask_arm(&h, MODE(ASAP))->status->mode, MODE(ASAP));
    assert_int_equal(ask_arm(&h, (Linkage__V1__Mode)99)->result, RESULT(BAD_VALUE));
    assert_int_equal(h.reply->status->mode, MODE(ASAP));
    harness_close(&h);
}

static void test_autostart_in_lockstep(void **state)
{
    char config[PATH_MAX + 64], *path = realpath(harness_model(), NULL);
    double value = 1;
    struct harness h;

    (void)state;
    snprintf(config, sizeof(config), "mode: lockstep\nautostart: true\nmodel: %s\n", path);
    free(path);
    harness_open(&h, config);
    harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    assert_int_equal(runs_ask_step(&h, 1, 2, &value)->outputs->step, 2);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lockstep_has_the_bits_of_the_library),
        cmocka_unit_test(test_a_request_twice_is_one_step),
        cmocka_unit_test(test_bad_steps_make_no_step),
        cmocka_unit_test(test_a_refused_input_is_gone),
        cmocka_unit_test(test_a_bench_may_think),
        cmocka_unit_test(test_more_steps_than_there_are),
        cmocka_unit_test(test_a_step_that_stands_still),
        cmocka_unit_test(test_states_of_lockstep),
        cmocka_unit_test(test_asap),
        cmocka_unit_test(test_realtime_for_so_many_steps),
        cmocka_unit_test(test_the_mode_of_the_configuration),
        cmocka_unit_test(test_autostart_in_lockstep),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
