/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody of higher real-time priority has the core of the cycle, for as long as it likes: the
 * daemon answers all the same, says who it is, and goes on when that one is gone. The daemon's
 * other threads and the test have another core. */
#include "../skip.h"
#include "runs.h"
#include "spinner.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ABOVE 60 /* the cycle has 50 */

static int core;

/* A daemon whose cycle has @core and never sleeps. */
static void open_spinning(struct harness *h, const char *more)
{
    char config[256];

    if (core < 0)
        skip_because("it takes two cores and real-time priority");
    snprintf(config, sizeof(config), "realtime: {core: %d, priority: 50, wake: spin}\n%s", core,
             more);
    harness_open(h, config);
    harness_load_model(h);
}

static void expect_named(const struct harness *h)
{
    runs_says(h->reply->text, SPINNER_NAME " (priority 60)");
}

static void test_arm(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "");
    spinner = spinner_start(core, ABOVE);
    assert_int_equal(harness_ask_arm(&h, true, 1000)->result, RESULT(NO_REALTIME));
    expect_named(&h);
    harness_expect(&h, STATUS, RESULT(OK), STATE(READY));
    /* the threads of the first time are still there */
    assert_int_equal(harness_ask_arm(&h, true, 1000)->result, RESULT(INTERNAL));
    expect_named(&h);
    spinner_stop(spinner);
    while (harness_ask_arm(&h, true, 1000)->result != RESULT(OK))
        runs_nap();
    runs_await_state(&h, STATE(ARMED));
    harness_close(&h);
}

/* Of lower priority it is no hindrance, though the threads of the cycle begin as normal ones. */
static void test_arm_above(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "");
    spinner = spinner_start(core, 40);
    harness_arm(&h);
    spinner_stop(spinner);
    harness_close(&h);
}

static void test_start(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "");
    harness_arm(&h);
    spinner = spinner_start(core, ABOVE);
    harness_expect(&h, START, RESULT(NO_REALTIME), STATE(ARMED));
    expect_named(&h);
    spinner_stop(spinner);
    while (harness_command(&h, START)->result != RESULT(OK))
        runs_nap();
    runs_await_cycles(&h, 20);
    harness_close(&h);
}

/* A stop that could not be carried out is, as soon as the cycle moves. */
static void test_stop(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "watchdog: {time: 0}\n");
    harness_go(&h);
    runs_await_cycles(&h, 20);
    spinner = spinner_start(core, ABOVE);
    harness_expect(&h, STOP, RESULT(INTERNAL), STATE(RUNNING));
    runs_says(h.reply->text, "stands still");
    expect_named(&h);
    harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    spinner_stop(spinner);
    runs_await_state(&h, STATE(ARMED));
    harness_go(&h);
    runs_await_cycles(&h, 20);
    harness_close(&h);
}

/* A proof that does not get on is found by the watchdog, and ended when it moves. */
static void test_proof(void **state)
{
    struct harness h;
    pid_t spinner;

    (void)state;
    open_spinning(&h, "budget: {steps: 100000000, time: 3600}\nwatchdog: {time: 0.5}\n");
    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    runs_await_state(&h, STATE(ARMING));
    spinner = spinner_start(core, ABOVE);
    runs_await_state(&h, STATE(FAULT));
    harness_expect(&h, RESET, RESULT(INTERNAL), STATE(FAULT));
    expect_named(&h);
    spinner_stop(spinner);
    while (harness_command(&h, RESET)->result != RESULT(OK))
        runs_nap();
    harness_expect(&h, STATUS, RESULT(OK), STATE(READY));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arm),  cmocka_unit_test(test_arm_above), cmocka_unit_test(test_start),
        cmocka_unit_test(test_stop), cmocka_unit_test(test_proof),
    };

    core = spinner_core();
    harness_init(argc, argv);
    runs_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
