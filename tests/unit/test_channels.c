/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of channels that a model reports to clients. */
#include "linkage/drives.h"
#include "linkage/linkage.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "linkage: 1\nname: channels\n"
    "bodies:\n"
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "inputs:\n"
    "  motor: {type: joint-torque, joint: pin, limits: [2, 8], initial: 4, rate: 50}\n"
    "  wind: {type: body-force, body: arm}\n"
    "  jet: {type: body-force, body: arm, frame: body}\n"
    "outputs:\n"
    "  angle: {type: joint-position, joint: pin}\n"
    "  pose: {type: body-pose, body: arm}\n"
    "  imu: {type: inertial-sensor, body: arm}\n"
    "  turned: {type: inertial-sensor, body: arm, orientation: {axis: [0, 0, 1], angle: 1}}\n"
    "solver: {step: 0.001}\n";

static const char driven[] =
    "linkage: 1\nname: driven\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "joints:\n"
    "  rail: {type: prismatic, bodies: [ground, cart], point: [0, 0, 0], axis: [1, 0, 0],\n"
    "         drive: {input: place, period: 0.005}}\n"
    "inputs:\n"
    "  push: {type: body-force, body: cart}\n"
    "  place: {type: drive}\n"
    "outputs:\n"
    "  at: {type: joint-position, joint: rail}\n"
    "solver: {step: 0.001}\n";

static struct lk_system *make_of(const char *words)
{
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;

    if (lk_model_read_text("m", words, strlen(words), &model, &error))
        fail_msg("%s", error.text);
    if (lk_system_new(model, NULL, &system, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

static struct lk_system *make(void)
{
    return make_of(text);
}

static void test_inputs(void **state)
{
    struct lk_system *system = make();
    const struct lk_channel *c;
    int n;

    (void)state;
    c = lk_system_input_channels(system, &n);
    assert_int_equal(n, 3);
    assert_string_equal(c[0].type, "joint-torque");
    assert_string_equal(c[0].frame, "");
    assert_true(c[0].low == 2 && c[0].high == 8 && c[0].initial == 4 && c[0].rate == 50);
    assert_string_equal(c[1].type, "body-force");
    assert_string_equal(c[1].frame, "world");
    assert_true(c[1].initial == 0 && isinf(c[1].rate) && isinf(c[1].high));
    assert_string_equal(c[2].frame, "body arm");
    lk_system_free(system);
}

static void test_outputs(void **state)
{
    static const char *const frames[] = {"", "world", "body arm", "sensor"};
    struct lk_system *system = make();
    const struct lk_channel *c;
    int n;

    (void)state;
    c = lk_system_output_channels(system, &n);
    assert_int_equal(n, 4);
    assert_string_equal(c[0].type, "joint-position");
    assert_string_equal(c[2].type, "inertial-sensor");
    for (int i = 0; i < n; i++)
        assert_string_equal(c[i].frame, frames[i]);
    lk_system_free(system);
}

/* Make @n steps with the input @place. Return the position of the cart. */
static double go(struct lk_system *system, double place, int n)
{
    const double inputs[] = {0, 0, 0, place};
    double at;

    for (int i = 0; i < n; i++)
        assert_int_equal(lk_system_step(system, inputs), 0);
    lk_system_outputs(system, &at);
    return at;
}

/* The documented period and delay of an input that drives a coordinate. */
static void test_delays(void **state)
{
    struct lk_system *system = make_of(driven);
    double at = 0;

    (void)state;
    assert_true(lk_system_input_period(system, 0) == 0 && lk_system_input_delay(system, 0) == 0);
    assert_true(fabs(lk_system_input_period(system, 1) - (0.005)) < 1e-15);
    assert_true(fabs(lk_system_input_delay(system, 1) - (0.01)) < 1e-15);
    /* a value that is present only between two sampling instants of the drive is never used */
    go(system, 0, 1);
    go(system, 7, 4);
    assert_true(fabs(go(system, 0, 40) - (0)) < 1e-9);
    /* a constant value acts from the next sampling instant on, and fully after three periods */
    go(system, 0, 2);
    assert_true(fabs(go(system, 1, 3) - (0)) < 1e-9);
    assert_true(go(system, 1, 14) < 1 - 1e-6);
    assert_true(fabs(go(system, 1, 1) - (1)) < 1e-9);
    /* an input with constant velocity is reproduced with a delay of two periods */
    for (int i = 0; i < 20; i++)
        at = go(system, 1 + 0.1 * i, 5);
    assert_true(fabs(at - (1 + 0.1 * (20 - 2))) < 1e-9);
    lk_system_free(system);
}

static const char shown[] =
    "linkage: 1\nname: shown\n"
    "bodies:\n"
    "  cart: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "joints:\n"
    "  rail: {type: prismatic, bodies: [ground, cart], point: [0, 0, 0], axis: [1, 0, 0]}\n"
    "inputs:\n"
    "  push: {type: body-force, body: cart, frame: body}\n"
    "  gain: {type: signal, initial: 0.5}\n"
    "outputs:\n"
    "  at: {type: joint-position, joint: rail}\n"
    "  pushed: {type: input, input: push}\n"
    "  gained: {type: input, input: gain}\n"
    "solver: {step: 0.001, formulation: %s}\n";

/* Check that in every formulation an output of an input is the value that acted in the last
 * step. */
static void check_shown(const char *formulation)
{
    static const double inputs[2][4] = {{1, 2, 3, 0.7}, {4, 5, 6, 0.8}};
    struct lk_system *system;
    double values[5];
    char words[1024];

    snprintf(words, sizeof(words), shown, formulation);
    system = make_of(words);
    lk_system_outputs(system, values);
    assert_true(values[4] == 0.5);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lk_system_step(system, inputs[i]), 0);
        lk_system_outputs(system, values);
        assert_memory_equal(values + 1, inputs[i], sizeof(inputs[i]));
    }
    lk_system_free(system);
}

static void test_shown_inputs(void **state)
{
    char words[1024];
    struct lk_system *system;
    const struct lk_channel *c;
    int n;

    (void)state;
    check_shown("rattle");
    check_shown("ali3");
    check_shown("rk4");
    check_shown("dca");
    snprintf(words, sizeof(words), shown, "rattle");
    system = make_of(words);
    c = lk_system_output_channels(system, &n);
    assert_int_equal(c[1].size, 3);
    assert_string_equal(c[1].type, "input");
    assert_string_equal(c[1].frame, "body cart");
    assert_string_equal(c[1].unit[2], "N");
    assert_string_equal(c[2].unit[0], "1");
    lk_system_free(system);
}

/* If the only input of an ali3 model is a signal, no force of the model may jump. The signal acts
 * nevertheless. */
static void test_shown_signal(void **state)
{
    static const char alone[] = "linkage: 1\nname: alone\n"
                                "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                                "inputs:\n  gain: {type: signal}\n"
                                "outputs:\n  gained: {type: input, input: gain}\n"
                                "solver: {step: 0.001, formulation: ali3}\n";
    struct lk_system *system = make_of(alone);
    const double gain = 3;
    double value;

    (void)state;
    assert_int_equal(lk_system_step(system, &gain), 0);
    lk_system_outputs(system, &value);
    assert_true(value == gain);
    lk_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),       cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_delays),       cmocka_unit_test(test_shown_inputs),
        cmocka_unit_test(test_shown_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
