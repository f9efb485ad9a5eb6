/* SPDX-License-Identifier: Apache-2.0 */
/* Friction that sticks by winding up a spring, and its level as an input; see known_motion.h. Each
 * property is checked for `ali3` and for `rattle`.
 *
 *     test_wind_up [MINUTES]     time for which it must stick */
#include "cmocka_all.h"
#include "known_motion.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANGLE 0.1 /* slope [rad] */
#define MASS  2.0
#define LOAD  (MASS * G * sin(ANGLE))

static const char *const formulations[] = {"ali3", "rattle"};

/* A block on a slope, x downhill. Its friction is @c times the input, with the spring @wind_up. */
static const char slope_text[] =
    HEAD("[%.17g, %.17g, 0]") "bodies:\n"
                              "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], "
                              "velocity: [%g, 0, 0]}\n"
                              "joints:\n"
                              "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, "
                              "0], axis: [1, 0, 0]}\n"
                              "forces:\n"
                              "  hold: {type: friction, joint: guide, coulomb: %.17g, wind_up: %s, "
                              "scale: {input: level}}\n"
                              "inputs:\n"
                              "  level: {type: signal, limits: [0, 3], initial: 1}\n"
                              "outputs:\n"
                              "  x: {type: joint-position, joint: guide}\n"
                              "  v: {type: joint-velocity, joint: guide}\n"
                              "  a: {type: joint-acceleration, joint: guide}\n"
                              "  f: {type: force, force: hold}\n"
                              "  energy: {type: energy}\n"
                              "  work: {type: work}\n";

static struct lk_system *compile_slope(double angle, double speed, double coulomb,
                                       const char *wind_up, double h)
{
    char text[2048];

    snprintf(text, sizeof(text), slope_text, G * sin(angle), -G * cos(angle), speed, coulomb,
             wind_up);
    return compile(text, h);
}

static void go(struct lk_system *sys, double level, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, &level), 0);
}

static int held_minutes = 5;

/* With a load of 0.6 of the friction for minutes (or one minute), with the spring of the file and
 * with the default spring of the step: the block moves by load / stiffness and stays there. */
static void holds_for_minutes(void **state)
{
    static const char *const springs[] = {"{stiffness: 1e5, damping: 300}", "{}"};
    const double level = 1;

    (void)state;
    for (int k = 0; k < 4; k++) {
        struct lk_system *sys;
        double x, fastest = 0;
        int steps = 60000 * (k == 2 ? held_minutes : 1) / THINNED;

        step_with(formulations[k / 2]);
        sys = compile_slope(ANGLE, 0, LOAD / 0.6, springs[k % 2], 0.001);
        go(sys, 1, 2000);
        x = read_output(sys, "x", 0);
        if (k % 2 == 0)
            assert_true(fabs(x - LOAD / 1e5) < 1e-9);
        assert_true(fabs(x) < 1.01 * LOAD / 1e5);
        for (int i = 0; i < steps; i++) {
            assert_int_equal(lk_system_step(sys, &level), 0);
            fastest = fmax(fastest, fabs(read_output(sys, "v", 0)));
        }
        assert_true(fabs(read_output(sys, "x", 0) - x) < 1e-9);
        assert_true(fastest < 1e-9);
        assert_true(fabs(read_output(sys, "f", 0) + LOAD) < 1e-6 * LOAD);
        lk_system_free(sys);
    }
}

/* The brake is released to 0.6 of the load: the block slides with a = 0.4 g sin. Applied again with
 * twice the load, the block stops after v^2 / 2a and sticks; released completely, it slides
 * freely. */
static void releases_slides_and_stops_again(void **state)
{
    const double h = 0.001, a = G * sin(ANGLE);

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct lk_system *sys;
        double x, v;

        step_with(formulations[k]);
        sys = compile_slope(ANGLE, 0, LOAD, "{stiffness: 1e5, damping: 300}", h);
        go(sys, 2, 2000);
        x = read_output(sys, "x", 0);
        go(sys, 0.6, 1000);
        v = read_output(sys, "v", 0);
        /* tolerance: the motion due to unwinding the spring */
        assert_true(fabs(v - 0.4 * a) < 0.01);
        assert_true(fabs(read_output(sys, "x", 0) - x - 0.2 * a) < 0.01);
        assert_true(fabs(read_output(sys, "f", 0) + 0.6 * LOAD) < 1e-9 * LOAD);
        x = read_output(sys, "x", 0);
        go(sys, 2, 3000);
        assert_true(fabs(read_output(sys, "x", 0) - x - 0.5 * v * v / a) < 2e-3);
        assert_true(fabs(read_output(sys, "v", 0)) < 1e-9);
        assert_true(fabs(read_output(sys, "f", 0) + LOAD) < 1e-6 * LOAD);
        x = read_output(sys, "x", 0);
        go(sys, 0, 1000);
        assert_true(fabs(read_output(sys, "v", 0) - a) < 2e-3);
        assert_true(fabs(read_output(sys, "f", 0)) < 1e-9);
        assert_true(fabs(read_output(sys, "work", 4)) < 1e-3);
        lk_system_free(sys);
    }
}

/* A block thrown along a level guide: its energy is dissipated, except for the energy stored in the
 * spring. */
static void books_its_energy(void **state)
{
    const double coulomb = 4, k = 1e5;

    (void)state;
    for (int i = 0; i < 2; i++) {
        double stored, lost;
        struct lk_system *sys;

        step_with(formulations[i]);
        sys = compile_slope(0, 1, coulomb, "{stiffness: 1e5, damping: 300}", 0.0005);
        go(sys, 1, 4000);
        stored = read_output(sys, "energy", 1);
        lost = read_output(sys, "work", 1);
        assert_true(stored > -1e-12 && stored < coulomb * coulomb / (2 * k));
        assert_true(fabs(lost + stored - 1) < 1e-6);
        assert_true(fabs(read_output(sys, "work", 4)) < 1e-6);
        assert_true(fabs(read_output(sys, "x", 0) - 0.5 / 2) < 2e-4);
        lk_system_free(sys);
    }
}

/* Compute the motion with sticking friction, which acts as a spring and a damper: order 2. */
static void swing_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = (-800 * (y[0] - 0.2) - 5 * y[1]) / 2;
}

static void observe_swing(double t, const double *y, double *ret)
{
    double dy[2];

    swing_rhs(t, y, dy);
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = dy[1];
    ret[3] = 2 * dy[1];
}

static void swings_with_order_two(void **state)
{
    static const struct mechanism m = {
        .text = SLIDER("[0, 0, 0]", ", coordinate: 0.2",
                       "  hold: {type: friction, joint: guide, coulomb: 1e4,\n"
                       "    wind_up: {stiffness: 800, damping: 5}}\n") "  f: {type: force, force: "
                                                                       "hold}\n",
        .h = 0.004,
        .end = 2,
        .rate = 20,
        .n = 2,
        .start = {0.2, 1},
        .rhs = swing_rhs,
        .observe = observe_swing,
        .quantity = {{"x", 0, 0.2}, {"v", 0, 1}, {"a", 0, 20}, {"f", 0, 40}},
    };

    (void)state;
    for (int k = 0; k < 2; k++) {
        step_with(formulations[k]);
        check_order_two(&m);
    }
}

/* The wind-up is part of the state: a run after a reset has the same bits. */
static void begins_again_with_the_same_bits(void **state)
{
    double first[2][16], again[16];

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct lk_system *sys;
        int n;

        step_with(formulations[k]);
        sys = compile_slope(ANGLE, 0.3, LOAD / 0.7, "{}", 0.001);
        n = lk_system_output_size(sys);
        go(sys, 1, 50);
        lk_system_outputs(sys, first[0]);
        go(sys, 0.2, 100);
        go(sys, 1.5, 700);
        lk_system_outputs(sys, first[1]);
        lk_system_reset(sys);
        go(sys, 1, 50);
        lk_system_outputs(sys, again);
        assert_memory_equal(again, first[0], (size_t)n * sizeof(double));
        go(sys, 0.2, 100);
        go(sys, 1.5, 700);
        lk_system_outputs(sys, again);
        assert_memory_equal(again, first[1], (size_t)n * sizeof(double));
        lk_system_free(sys);
    }
}

/* A refused step does not change the wind-up. */
static void refused_step_changes_nothing(void **state)
{
    const double level = 1, nothing = NAN;
    double expected[16], found[16];

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct lk_system *sys;
        int n;

        step_with(formulations[k]);
        sys = compile_slope(ANGLE, 0, LOAD / 0.9, "{}", 0.001);
        n = lk_system_output_size(sys);
        go(sys, 1, 100);
        lk_system_reset(sys);
        go(sys, 1, 101);
        lk_system_outputs(sys, expected);
        lk_system_reset(sys);
        go(sys, 1, 100);
        assert_int_equal(lk_system_step(sys, &nothing), LK_E_NOT_FINITE);
        assert_int_equal(lk_system_step(sys, &level), 0);
        lk_system_outputs(sys, found);
        assert_memory_equal(found, expected, (size_t)n * sizeof(double));
        lk_system_free(sys);
    }
}

/* A fixed scale is equivalent to the scaled coefficient. */
static void scale_is_a_factor(void **state)
{
    static const char text[] =
        SLIDER("[0, 0, 0]", "", "  rub: {type: friction, joint: guide, coulomb: %g, scale: %g}\n");
    char with[2048], without[2048];

    (void)state;
    snprintf(with, sizeof(with), text, 2.0, 0.5);
    snprintf(without, sizeof(without), text, 1.0, 1.0);
    for (int k = 0; k < 2; k++) {
        struct lk_system *a, *b;

        step_with(formulations[k]);
        a = compile(with, 0.001);
        b = compile(without, 0.001);
        for (int i = 0; i < 1500; i++) {
            assert_int_equal(lk_system_step(a, NULL), 0);
            assert_int_equal(lk_system_step(b, NULL), 0);
        }
        assert_true(fabs(read_output(a, "x", 0) - read_output(b, "x", 0)) < 1e-12);
        lk_system_free(a);
        lk_system_free(b);
    }
}

/* If there are several inputs, a scale uses its own input, wherever it is among them. */
static void scale_follows_its_own_input(void **state)
{
    static const char text[] =
        SLIDER("[0, 0, 0]", "",
               "  rub: {type: friction, joint: guide, coulomb: 1, scale: {input: level}}\n"
               "inputs:\n"
               "  push: {type: joint-force, joint: guide}\n"
               "  level: {type: signal}\n");
    const double values[] = {3, 2};

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct lk_system *sys;

        step_with(formulations[k]);
        sys = compile(text, 0.001);
        for (int i = 0; i < 100; i++)
            assert_int_equal(lk_system_step(sys, values), 0);
        assert_true(fabs(read_output(sys, "a", 0) - 0.5) < 1e-9);
        lk_system_free(sys);
    }
}

/* A wheel of 30 rad/s is braked to a stand against a torque that would turn it back. It stops after
 * w^2 / 2a and is held, without an oscillation larger than the deflection of the spring. */
static void brake_stops_a_wheel(void **state)
{
    static const char text[] =
        HEAD("[0, 0, 0]") "bodies:\n"
                          "  wheel: {mass: 19, inertia: [0.95, 1.7, 0.95], position: [0, 0, 0],\n"
                          "    angular_velocity: [0, 30, 0]}\n"
                          "joints:\n"
                          "  axle: {type: revolute, bodies: [ground, wheel], point: [0, 0, 0], "
                          "axis: [0, 1, 0]}\n"
                          "forces:\n"
                          "  back: {type: constant-torque, body: wheel, torque: [0, -100, 0]}\n"
                          "  brake: {type: friction, joint: axle, coulomb: 500, wind_up: {}}\n"
                          "outputs:\n"
                          "  x: {type: joint-position, joint: axle}\n"
                          "  v: {type: joint-velocity, joint: axle}\n"
                          "  f: {type: force, force: brake}\n";
    const double a = 600 / 1.7;

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct lk_system *sys;
        double x;

        step_with(formulations[k]);
        sys = compile(text, 0.001);
        go(sys, 0, 1000);
        x = read_output(sys, "x", 0);
        assert_true(fabs(x - 30 * 30 / (2 * a)) < 2e-3);
        assert_true(fabs(read_output(sys, "f", 0) - 100) < 1e-6);
        go(sys, 0, 10000);
        assert_true(fabs(read_output(sys, "x", 0) - x) < 1e-9);
        assert_true(fabs(read_output(sys, "v", 0)) < 1e-9);
        lk_system_free(sys);
    }
}

static const char push_text[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  b: {mass: %g, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                      "joints:\n"
                      "  g: {type: prismatic, bodies: [ground, b], point: [0, 0, 0], axis: [1, 0, "
                      "0]}\n"
                      "forces:\n"
                      "  f: {type: friction, joint: g, coulomb: 5, stick: 8%s}\n"
                      "inputs:\n"
                      "  push: {type: joint-force, joint: g, limits: [-20, 20]}\n"
                      "outputs:\n"
                      "  x: {type: joint-position, joint: g}\n"
                      "  v: {type: joint-velocity, joint: g}\n"
                      "  a: {type: joint-acceleration, joint: g}\n"
                      "  held: {type: force, force: f}\n";

static struct lk_system *pushed(double mass, const char *how)
{
    char text[1024];

    step_with("rattle");
    snprintf(text, sizeof(text), push_text, mass, how);
    return compile(text, 0.001);
}

/* A body pushed with less than the stick force only creeps: without wind-up with the rate that the
 * step requires, 4e-3 m/s atanh(7/8) at 1 kg. On a ramp of 1 N/s it breaks loose at 8 N, not
 * earlier. A spring that winds up under a sudden load overshoots by less than a fifth. */
static void what_sticks_gives_way_at_stick(void **state)
{
    static const struct {
        double mass, push;
        const char *how;
        double fastest;
    } cases[] = {{1, 7, "", 5.5e-3},
                 {0.1, 7, "", 5.5e-2},
                 {10, 7, "", 5.5e-4},
                 {1, 6.9, ", wind_up: {}", 1e-9},
                 {0.1, 6.4, ", wind_up: {}", 1e-9},
                 {0.01, 5.5, ", wind_up: {}", 1e-9}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct lk_system *sys = pushed(cases[i].mass, cases[i].how);
        double push = cases[i].push, gone = 0;

        for (int n = 0; n < 5000; n++)
            assert_int_equal(lk_system_step(sys, &push), 0);
        assert_true(fabs(read_output(sys, "v", 0)) < cases[i].fastest);
        lk_system_free(sys);
        sys = pushed(cases[i].mass, cases[i].how);
        for (push = 0; push < 10 && gone == 0; push += 1e-3) {
            assert_int_equal(lk_system_step(sys, &push), 0);
            gone = read_output(sys, "v", 0) > 0.15 ? push : 0;
        }
        printf("    %g kg%s goes at %.2f N\n", cases[i].mass, cases[i].how, gone);
        /* 10 kg need 0.5 s from 8 N on to reach this speed */
        assert_true(gone > 7.98 && gone < (cases[i].mass > 1 ? 8.8 : 8.2));
        lk_system_free(sys);
    }
}

/* A block that broke loose by more than the stick force continues to slide slowly under a push
 * between the two levels, although sticking would also be a solution. The history determines which
 * one occurs. */
static void what_slides_goes_on(void **state)
{
    struct lk_system *sys = pushed(2, ", stribeck: 1e-4, wind_up: {}");
    double push = 10, v;
    int i = 0;

    (void)state;
    for (; i < 2000 && read_output(sys, "v", 0) < 0.01; i++)
        assert_int_equal(lk_system_step(sys, &push), 0);
    push = 4.9; /* less than the friction: the block slows down */
    for (; i < 2000 && read_output(sys, "v", 0) > 8e-4; i++)
        assert_int_equal(lk_system_step(sys, &push), 0);
    assert_true(i < 2000);
    push = 5.01;
    v = read_output(sys, "v", 0);
    for (i = 0; i < 500; i++) {
        assert_int_equal(lk_system_step(sys, &push), 0);
        assert_true(read_output(sys, "v", 0) > 0.9 * v);
    }
    lk_system_free(sys);
}

/* While the spring winds up fast, outputs contain the actual sticking force, not the friction level
 * at that rate: the force exceeds `coulomb`, and the acceleration is the remaining push. */
static void shows_what_holds(void **state)
{
    struct lk_system *sys = pushed(1, ", stribeck: 1e-4, wind_up: {}");
    const double push = 6.9;
    double most = 0, fastest = 0;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        double held;

        assert_int_equal(lk_system_step(sys, &push), 0);
        held = fabs(read_output(sys, "held", 0));
        assert_true(fabs(read_output(sys, "a", 0) - (push - held)) < 1e-9);
        if (read_output(sys, "v", 0) > 1e-3) {
            most = fmax(most, held);
            fastest = fmax(fastest, read_output(sys, "v", 0));
        }
    }
    assert_true(most > 5.5 && fastest > 2e-3);
    lk_system_free(sys);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_for_minutes),
        cmocka_unit_test(releases_slides_and_stops_again),
        cmocka_unit_test(books_its_energy),
        cmocka_unit_test(swings_with_order_two),
        cmocka_unit_test(begins_again_with_the_same_bits),
        cmocka_unit_test(refused_step_changes_nothing),
        cmocka_unit_test(scale_is_a_factor),
        cmocka_unit_test(scale_follows_its_own_input),
        cmocka_unit_test(brake_stops_a_wheel),
        cmocka_unit_test(what_sticks_gives_way_at_stick),
        cmocka_unit_test(what_slides_goes_on),
        cmocka_unit_test(shows_what_holds),
    };

    if (argc == 2)
        held_minutes = atoi(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
