/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in a static equilibrium: states of controllers that hold a mechanism, and states that
 * never come to rest. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "linkage/modes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS    2.0
#define ARM     0.5
#define INERTIA (0.1 + MASS * ARM * ARM) /* moment of inertia about the hinge */
#define TARGET  0.7
#define KP      6.0
#define KI      20.0
#define DAMPING 0.3

/* a pendulum that a controller holds at TARGET */
#define HEAD_TEXT                                                                                  \
    "linkage: 1\nname: held\ngravity: [0, 0, -9.81]\nstart: equilibrium\nbodies:\n"                \
    "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.5]}\n"                         \
    "joints:\n  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n" \
    "inputs:\n  target: {type: signal, initial: 0.7}\n"                                            \
    "outputs:\n  angle: {type: joint-position, joint: pin}\n  z: {type: block, block: z}\n"        \
    "  torque: {type: force, force: motor}\n"                                                      \
    "  a: {type: joint-acceleration, joint: pin}\nsolver: {step: 0.001}\n"                         \
    "forces:\n  motor: {type: impedance, joint: pin, force: {block: torque}}\n"                    \
    "  bearing: {type: joint-spring-damper, joint: pin, damping: 0.3}\n"                           \
    "blocks:\n"                                                                                    \
    "  error: {type: sum, inputs: [target, {position: pin}], signs: \"+-\"}\n"
#define CONTROLLER                                                                                 \
    "  z: {type: integrator, input: error, gain: 20}\n"                                            \
    "  spring: {type: gain, input: error, gain: 6}\n"                                              \
    "  torque: {type: sum, inputs: [spring, z]}\n"

static double weight_at(double angle)
{
    return MASS * 9.81 * ARM * sin(angle);
}

static void rests(struct lk_system *sys, double angle, double z, double torque)
{
    const double target = TARGET;

    for (int i = 0; i < 2; i++) {
        print_message("angle %.15g (%.15g), z %.15g (%.15g), torque %.15g, a %.2g\n",
                      read_output(sys, "angle", 0), angle, read_output(sys, "z", 0), z,
                      read_output(sys, "torque", 0), read_output(sys, "a", 0));
        assert_true(fabs(read_output(sys, "angle", 0) - angle) < 1e-9);
        assert_true(fabs(read_output(sys, "z", 0) - z) < 1e-8);
        assert_true(fabs(read_output(sys, "torque", 0) - torque) < 1e-8);
        assert_true(fabs(read_output(sys, "a", 0)) < 1e-8);
        for (int k = 0; k < 500; k++)
            assert_int_equal(lk_system_step(sys, &target), 0);
    }
    lk_system_free(sys);
}

/* In equilibrium the integrator has the torque that holds the pendulum at its target, where the
 * error is 0. */
static void an_integrator_holds_a_pendulum(void **state)
{
    double holds = weight_at(TARGET);

    (void)state;
    rests(compile_text(HEAD_TEXT CONTROLLER, 0), TARGET, holds, holds);
}

/* At its limit the integrator contributes only 1 N m; a spring provides the rest: weight = 1 + KP
 * (target - angle). */
static void a_limited_one_holds_what_it_can(void **state)
{
    double angle = 0.5;

    (void)state;
    for (int i = 0; i < 50; i++)
        angle -=
            (weight_at(angle) - 1 - KP * (TARGET - angle)) / (MASS * 9.81 * ARM * cos(angle) + KP);
    rests(compile_text(HEAD_TEXT "  z: {type: integrator, input: error, gain: 20, limits: [-1, "
                                 "1]}\n"
                                 "  spring: {type: gain, input: error, gain: 6}\n"
                                 "  torque: {type: sum, inputs: [spring, z]}\n",
                       0),
          angle, 1, weight_at(angle));
}

/* At the start, a demand through a lag, a delay and a table has its final value in all these
 * blocks. This includes a loop through a delay: z = torque / 2 + half of the delayed z. */
static void nothing_is_left_to_come(void **state)
{
    double angle = 0.5;

    (void)state;
    for (int i = 0; i < 50; i++)
        angle -= (weight_at(angle) - 2 * KP * (TARGET - angle)) /
                 (MASS * 9.81 * ARM * cos(angle) + 2 * KP);
    rests(compile_text(HEAD_TEXT "  slow: {type: lag, input: error, time: 1000}\n"
                                 "  late: {type: delay, input: z, time: 0.0525}\n"
                                 "  half: {type: gain, input: late, gain: 0.5}\n"
                                 "  spring: {type: table, input: slow, table: {input: [-1, 1], "
                                 "output: [-6, 6]}}\n"
                                 "  z: {type: sum, inputs: [spring, half]}\n"
                                 "  torque: {type: gain, input: z, gain: 1}\n",
                       0),
          angle, weight_at(angle), weight_at(angle));
}

/** struct refused - blocks that do not come to rest, and the message */
static const struct refused {
    const char *blocks;
    const char *said;
} refused[] = {
    {"  z: {type: integrator, input: error, gain: 20}\n"
     "  ever: {type: integrator, input: 3}\n"
     "  torque: {type: sum, inputs: [z, unused]}\n"
     "  unused: {type: gain, input: ever, gain: 0}\n",
     "block 'ever' does not come to rest: its state changes by 3 a second"},
    {"  z: {type: integrator, input: error, gain: 20}\n"
     "  torque: {type: saturation, input: z, limits: [-1, 1]}\n",
     "block 'z' does not come to rest: its state changes by "},
};

static void what_never_rests_is_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        char text[6000];
        struct lk_model *model;
        struct lk_system *sys = NULL;
        struct lk_error error = {""};

        snprintf(text, sizeof(text), "%s%s", HEAD_TEXT, refused[i].blocks);
        if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0)
            fail_msg("%s", error.text);
        assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_ASSEMBLY);
        print_message("%s\n", error.text);
        assert_non_null(strstr(error.text, refused[i].said));
        lk_model_free(model);
    }
}

/* The matrix of the linearised pendulum with its integrator about the equilibrium. */
static void modes_are_about_the_rest(void **state)
{
    struct lk_system *sys = compile_text(HEAD_TEXT CONTROLLER, 0);
    const double known[9] = {0,
                             1,
                             0,
                             -(MASS * 9.81 * ARM * cos(TARGET) + KP) / INERTIA,
                             -DAMPING / INERTIA,
                             1 / INERTIA,
                             -KI,
                             0,
                             0};
    struct lk_linear l;
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_linear_init(sys, true, &l, &error), 0);
    assert_int_equal(l.n_states, 3);
    for (int i = 0; i < 9; i++)
        if (fabs(l.A[i] - known[i]) > 1e-7 * fmax(1, fabs(known[i])))
            fail_msg("A[%d] is %.12g, not %.12g", i, l.A[i], known[i]);
    assert_true(l.unrest < 1e-8);
    lk_linear_fini(&l);
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_integrator_holds_a_pendulum),
        cmocka_unit_test(a_limited_one_holds_what_it_can),
        cmocka_unit_test(nothing_is_left_to_come),
        cmocka_unit_test(what_never_rests_is_named),
        cmocka_unit_test(modes_are_about_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
