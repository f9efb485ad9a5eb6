/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon with a formulation other than the default: formulations with a fixed amount of work run
 * at the rate of the model; others are refused with the reason, and the loaded model stays. */
#include "runs.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A spatial loop of three bodies without redundant rows; its rod may spin about its own axis. */
static const char text_format[] =
    "linkage: 1\nname: loop\ngravity: [0, 0, -9.80665]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.25, 0, 0]}\n"
    "  rod: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.75, 0.5, 0.4]}\n"
    "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 1, 0.4]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 1, 0.3]}\n"
    "  B: {type: spherical, bodies: [crank, rod], point: [0.5, 0, 0]}\n"
    "  C: {type: spherical, bodies: [rod, rocker], point: [1, 1, 0.8]}\n"
    "  D: {type: revolute, bodies: [ground, rocker], point: [1, 1, 0], axis: [0.3, 1, 0]}\n"
    "inputs:\n"
    "  motor: {type: joint-torque, joint: A}\n"
    "outputs:\n"
    "  angle: {type: joint-position, joint: A}\n"
    "  reaction: {type: joint-reaction, joint: D}\n"
    "  residual: {type: residual}\n"
    "solver: {formulation: '%s', step: 0.002}\n";

static const Linkage__V1__ControlReply *load(struct harness *h, const char *formulation)
{
    char text[sizeof(text_format) + 64];

    snprintf(text, sizeof(text), text_format, formulation);
    return harness_load(h, "loop.yaml", text);
}

/* Compute the outputs after TIME_S in real time. */
#define STEP_S 0.002
#define TIME_S 0.4

static void run(struct harness *h, const char *formulation, double ret[8])
{
    const Linkage__V1__ControlReply *reply = load(h, formulation);
    const Linkage__V1__OutputSample *sample;
    const uint64_t n = (uint64_t)round(TIME_S / harness_step_s(STEP_S));
    const double torque = 0.5;

    if (reply->result != RESULT(OK))
        fail_msg("%s: %s", formulation, reply->text);
    harness_arm(h);
    assert_int_equal(harness_set(h, "motor", &torque, 1)->result, RESULT(OK));
    assert_int_equal(runs_ask_start(h, n)->result, RESULT(OK));
    sample = runs_await_sample(h, STATE(PAUSED));
    assert_int_equal(sample->step, n);
    assert_int_equal(sample->n_values, 10);
    for (int i = 0; i < 8; i++)
        ret[i] = sample->values[i];
    harness_expect(h, STOP, RESULT(OK), STATE(ARMED));
}

/* All formulations give the motion and the reaction of the default step, up to its error of order
 * 2. */
static void test_fixed_work(void **state)
{
    static const char *const names[] = {"rk4", "dca", "hdca", "hdca:as-printed", "recursive"};
    const double coarser = pow(harness_step_s(STEP_S) / STEP_S, 2);
    double expected[8], values[8];
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    run(&h, "ali3", expected);
    assert_true(fabs(expected[0]) > 0.1);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        run(&h, names[i], values);
        assert_true(fabs(values[0] - expected[0]) < 1e-4 * coarser);
        for (int k = 1; k < 7; k++)
            assert_true(fabs(values[k] - expected[k]) < 1e-2 * coarser);
        assert_true(values[7] < 1e-6);
    }
    harness_close(&h);
}

/* A formulation without a fixed amount of work is refused with the reason; the loaded model
 * stays. */
static void test_no_fixed_work(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    assert_int_equal(load(&h, "hdca")->result, RESULT(OK));
    assert_int_equal(load(&h, "complement:qr")->result, RESULT(BAD_MODEL));
    runs_says(h.reply->text, "'complement:qr' has no fixed work a step: its null space");
    runs_says(h.reply->text, "linkage compare");
    assert_int_equal(load(&h, "absolute")->result, RESULT(BAD_MODEL));
    runs_says(h.reply->text, "'absolute' has no fixed work a step: its multipliers");
    assert_int_equal(load(&h, "hdca:sideways")->result, RESULT(BAD_MODEL));
    runs_says(h.reply->text, "no formulation 'hdca:sideways'");
    assert_int_equal(load(&h, "kane")->result, RESULT(BAD_MODEL));
    runs_says(h.reply->text, "formulation is 'kane', expected ");
    assert_int_equal(harness_command(&h, STATUS)->status->state, STATE(READY));
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_work),
        cmocka_unit_test(test_no_fixed_work),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
