/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: step responses in closed form, and their coupling with the mechanism. */
#include "block_models.h"
#include "cmocka_all.h"
#include "known_motion.h"
#include "linkage/state.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 6000

/* ---- step responses ---- */

static double lag(double t)
{
    return 3 * (1 - exp(-t / 0.05)) + exp(-t / 0.05);
}

/* w = 40, D = 0.3 */
static double second_order(double t)
{
    double w = 40, d = 0.3, swing = w * sqrt(1 - d * d);

    return 1 - exp(-d * w * t) * (cos(swing * t) + d * w / swing * sin(swing * t));
}

/* (0.2 s + 1) / (0.05 s + 1): jumps to 4 */
static double lead(double t)
{
    return 1 + 3 * exp(-t / 0.05);
}

/* Return the solution of x'' = -900 x from x = 2. */
static double swing(double t)
{
    return 2 * cos(30 * t);
}

static double twice(double t)
{
    return t * t / 2 + 1;
}

/* Return the step response of two lags of 0.05 s. */
static double twice_lag(double t)
{
    return 1 - (1 + 20 * t) * exp(-20 * t);
}

/* Return the solution of y' = 20 (1 - y^2). */
static double hyperbolic(double t)
{
    return tanh(20 * t);
}

/* Return the step response of s / (s^2 + 20 s + 100): t exp(-10 t). */
static double washout(double t)
{
    return t * exp(-10 * t);
}

static const struct response {
    const char *blocks;
    double (*known)(double t);
} responses[] = {
    {"blocks:\n  y: {type: lag, input: u, gain: 3, time: 0.05, initial: 1}\n", lag},
    {"blocks:\n  y: {type: transfer-function, input: u, num: [1600], den: [1, 24, 1600]}\n",
     second_order},
    {"blocks:\n  y: {type: transfer-function, input: u, num: [0.2, 1], den: [0.05, 1]}\n", lead},
    {"blocks:\n  y: {type: transfer-function, input: u, num: [2, 0], den: [2, 40, 200]}\n",
     washout},
    {"blocks:\n  y: {type: state-space, inputs: [u], a: [[0, -30], [30, 0]], b: [[0], [0]], "
     "c: [1, 0], initial: [2, 0]}\n",
     swing},
    /* the same oscillator with a scaled state, once for each of its two states */
    {"blocks:\n  y: {type: state-space, inputs: [u], a: [[0, -1], [900, 0]], b: [[0], [0]], "
     "c: [1, 0], initial: [2, 0]}\n",
     swing},
    {"blocks:\n  y: {type: state-space, inputs: [u], a: [[0, -1e-20], [9e22, 0]], b: [[0], [0]], "
     "c: [0, 1e-21], initial: [0, 2e21]}\n",
     swing},
    {"blocks:\n  y: {type: integrator, input: v, initial: 1}\n"
     "  v: {type: integrator, input: {input: u}}\n",
     twice},
    /* the lag of the first row, made of an integrator and sums */
    {"blocks:\n  y: {type: integrator, input: e, gain: 20, initial: 1}\n"
     "  e: {type: sum, inputs: [three, y], signs: \"+-\"}\n"
     "  three: {type: gain, input: u, gain: 3}\n",
     lag},
    {"blocks:\n  y: {type: integrator, input: e, gain: 20}\n"
     "  e: {type: sum, inputs: [u, square], signs: \"+-\"}\n"
     "  square: {type: product, inputs: [y, y]}\n",
     hyperbolic},
    /* two feedback loops in series */
    {"blocks:\n  y: {type: integrator, input: e, gain: 20}\n"
     "  e: {type: sum, inputs: [x, y], signs: \"+-\"}\n"
     "  x: {type: integrator, input: d, gain: 20}\n"
     "  d: {type: sum, inputs: [u, x], signs: \"+-\"}\n",
     twice_lag},
};

static double worst_of(const struct response *r, double h)
{
    struct lk_system *sys = compile_rotor(0, h, r->blocks);
    double worst = 0;

    for (int i = 1; i <= (int)(0.3 / h + 0.5); i++) {
        const double u = 1;

        assert_int_equal(lk_system_step(sys, &u), 0);
        worst = fmax(worst, fabs(read_output(sys, "y", 0) - r->known(i * h)));
    }
    lk_system_free(sys);
    return worst;
}

static void responds_as_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(responses) / sizeof(*responses); i++) {
        double coarse = worst_of(&responses[i], 1e-3), fine = worst_of(&responses[i], 5e-4);

        print_message("response %zu: off by %.2g, %.2g with half the step\n", i, coarse, fine);
        assert_true(coarse < 2e-3);
        assert_true(fine < 1e-12 || (coarse / fine > 3.6 && coarse / fine < 4.4));
    }
}

/* A lag a thousand times faster than the step reaches its final value in each step, from the first
 * one on. */
static void a_fast_lag_does_not_ring(void **state)
{
    struct lk_system *sys =
        compile_rotor(0, 1e-3, "blocks:\n  y: {type: lag, input: u, time: 1e-6}\n");

    (void)state;
    for (int i = 0; i < 20; i++) {
        double u = i < 10 ? 1 : -1;

        assert_int_equal(lk_system_step(sys, &u), 0);
        assert_true(fabs(read_output(sys, "y", 0) - u) < 0.01 * (i % 10 == 0) + 1e-4);
    }
    lk_system_free(sys);
}

/* An integrator and a lag leave their limits as soon as the direction of their input changes. */
static void limits_do_not_wind_up(void **state)
{
    struct lk_system *sys =
        compile_rotor(0, 1e-3,
                      "blocks:\n  i: {type: integrator, input: u, limits: [-0.05, 0.1]}\n"
                      "  l: {type: lag, input: u, gain: 5, time: 0.02, limits: [-1, 2]}\n"
                      "  y: {type: sum, inputs: [i, l]}\n");
    double worst = 0;

    (void)state;
    for (int i = 1; i <= 400; i++) {
        double u = i <= 200 ? 1 : -1, t = i * 1e-3, back = t - 0.2;
        double whole = i <= 200 ? fmin(t, 0.1) : fmax(0.1 - back, -0.05);
        double slow =
            i <= 200 ? fmin(5 * (1 - exp(-t / 0.02)), 2) : fmax(-5 + 7 * exp(-back / 0.02), -1);

        assert_int_equal(lk_system_step(sys, &u), 0);
        worst = fmax(worst, fabs(read_output(sys, "y", 0) - whole - slow));
    }
    print_message("with limits: off by %.2g\n", worst);
    assert_true(worst < 3e-3);
    lk_system_free(sys);
}

/* ---- curves and delays ---- */

static double y_of(const char *blocks, double u)
{
    struct lk_system *sys = compile_rotor(0, 1e-3, blocks);
    double y;

    assert_int_equal(lk_system_step(sys, &u), 0);
    y = read_output(sys, "y", 0);
    lk_system_free(sys);
    return y;
}

static void curves_have_their_values(void **state)
{
    static const char saturation[] =
        "blocks:\n  y: {type: saturation, input: u, limits: [-1, 2]}\n";
    static const char band[] = "blocks:\n  y: {type: dead-band, input: u, limits: [-1, 2]}\n";
    static const char product[] = "blocks:\n  y: {type: product, inputs: [u, 3, u]}\n";
    static const char line[] = "blocks:\n  y: {type: table, input: u, table: {input: [0, 1, 3], "
                               "output: [1, 5, -1]}}\n";
    static const char smooth[] = "blocks:\n  y: {type: table, input: u, curve: monotone, table: "
                                 "{input: [0, 1, 2, 3], output: [0, 1, 2, 3]}}\n";

    (void)state;
    assert_true(y_of(saturation, 5) == 2 && y_of(saturation, -5) == -1 && y_of(saturation, 1) == 1);
    assert_true(y_of(band, 5) == 3 && y_of(band, -5) == -4 && y_of(band, 1) == 0);
    assert_true(fabs(y_of(product, -4) - 48) < 1e-12);
    assert_true(y_of(line, -1) == 1 && y_of(line, 9) == -1 && fabs(y_of(line, 0.5) - 3) < 1e-12 &&
                fabs(y_of(line, 2) - 2) < 1e-12);
    assert_true(fabs(y_of(smooth, 1.3) - 1.3) < 1e-12);
}

/* An input that jumps is delayed by whole steps without change; a uniform motion is delayed by the
 * exact time. */
static void delays_by_their_time(void **state)
{
    struct lk_system *jump =
        compile_rotor(0, 1e-3, "blocks:\n  y: {type: delay, input: u, time: 0.005, initial: -7}\n");
    struct lk_system *even = compile_rotor(
        2, 1e-3, "blocks:\n  y: {type: delay, input: {position: shaft}, time: 0.0036}\n");
    const double zero = 0;

    (void)state;
    for (int i = 1; i <= 40; i++) {
        double u = sin(i);

        assert_int_equal(lk_system_step(jump, &u), 0);
        assert_true(fabs(read_output(jump, "y", 0) - (i < 6 ? -7 : sin(i - 5))) < 1e-12);
        assert_int_equal(lk_system_step(even, &zero), 0);
        assert_true(i < 5 || fabs(read_output(even, "y", 0) - 2 * (i * 1e-3 - 0.0036)) < 1e-12);
    }
    lk_system_free(jump);
    lk_system_free(even);
}

/* ---- a motor: L i' = u - R i - k w, J w' = k i ---- */

#define R 0.5
#define K 0.05
#define J 2e-4

/* Compute current and speed at time @t from exp(A t) of the 2 x 2 matrix A, with its
 * eigenvalues. */
static void motor_at(double inductance, double u, double t, double ret[2])
{
    double a = -R / inductance, b = -K / inductance, c = K / J, half = a / 2;
    double root = sqrt(half * half + b * c), fast = half - root, slow = -b * c / fast;
    /* the initial state is (i, w) = 0, and w tends to u / K */
    double w_end = u / K, i0 = 0, w0 = -w_end;
    double p = (c * i0 - fast * w0) / (slow - fast), q = w0 - p; /* w: p e^slow + q e^fast */

    ret[1] = w_end + p * exp(slow * t) + q * exp(fast * t);
    ret[0] = (p * slow * exp(slow * t) + q * fast * exp(fast * t)) / c;
}

static void run_motor(double inductance, double h, double ret[2])
{
    struct lk_system *sys = compile_motor(inductance, h);
    const double u = 12;

    ret[0] = ret[1] = 0;
    for (int i = 1; i <= (int)(0.1 / h + 0.5); i++) {
        double known[2];

        assert_int_equal(lk_system_step(sys, &u), 0);
        motor_at(inductance, u, i * h, known);
        /* compare at equal times; transients too fast for the step have decayed */
        if (i * h > 0.01 && i % (int)(1e-3 / h + 0.5) == 0) {
            ret[0] = fmax(ret[0], fabs(read_output(sys, "y", 0) - known[0]));
            ret[1] = fmax(ret[1], fabs(read_output(sys, "speed", 0) - known[1]));
        }
        /* the work of the motor equals the energy of the rotor */
        assert_true(fabs(read_output(sys, "work", 4)) < 1e-12);
    }
    lk_system_free(sys);
}

/* Three motors: a circuit that the step resolves, one as fast as the step, and one 1000 times as
 * fast. For the second, the order of the current does not reach 2 yet. For the fastest, a
 * thousandth of the lag of the state remains: 1e-4 of the 24 A. */
static void a_motor_turns_as_known(void **state)
{
    static const double inductances[] = {2e-3, 5e-4, 5e-7}, falls[] = {3.3, 2.2, 3.3};

    (void)state;
    for (int k = 0; k < 3; k++) {
        double coarse[2], fine[2];

        run_motor(inductances[k], 1e-3, coarse);
        run_motor(inductances[k], 5e-4, fine);
        print_message("%g H: current off by %.2g, %.2g A, speed by %.2g, %.2g rad/s\n",
                      inductances[k], coarse[0], fine[0], coarse[1], fine[1]);
        for (int i = 0; i < 2; i++) {
            assert_true(coarse[i] < 0.1);
            assert_true(coarse[i] < 1e-4 * 24 || coarse[i] / fine[i] > falls[k]);
        }
    }
}

/* ---- springs made of blocks ---- */

#define BLOCK                                                                                      \
    "linkage: 1\nname: block\ngravity: [0, 0, 0]\nbodies:\n"                                       \
    "  a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0.1, 0, 0]}\n"             \
    "joints:\n  x: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"    \
    "outputs:\n  x: {type: joint-position, joint: x}\n  f: {type: force, force: f}\n"              \
    "  a: {type: joint-acceleration, joint: x}\n  work: {type: work}\nsolver: {step: 0.001}\n"

/* A chamber, whose pressure is the integral of the flow, is a spring: the motion is equal for any
 * stiffness, even if its frequency is too high for the step. */
static void a_chamber_is_a_spring(void **state)
{
    static const double stiffness[] = {1e3, 2e6, 2e10, 2e13}; /* w h = 0.02, 1, 100, 3000 */

    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[TEXT_MAX];
        struct lk_system *chamber, *spring;
        double worst = 0;

        snprintf(text, sizeof(text),
                 BLOCK "blocks:\n  p: {type: integrator, input: {velocity: x}, gain: -%g}\n"
                       "forces:\n  f: {type: impedance, joint: x, force: {block: p}}\n",
                 stiffness[k]);
        chamber = compile_text(text, 0);
        snprintf(text, sizeof(text),
                 BLOCK "forces:\n  f: {type: joint-spring-damper, joint: x, stiffness: %g}\n",
                 stiffness[k]);
        spring = compile_text(text, 0);
        for (int i = 0; i < 20000; i++) {
            assert_int_equal(lk_system_step(chamber, NULL), 0);
            assert_int_equal(lk_system_step(spring, NULL), 0);
            worst = fmax(worst, fabs(read_output(chamber, "x", 0) - read_output(spring, "x", 0)));
        }
        print_message("chamber of %g N/m: off its spring by %.2g of its way\n", stiffness[k],
                      worst / (0.1 / sqrt(stiffness[k] / 2)));
        assert_true(worst < 1e-6 * 0.1 / sqrt(stiffness[k] / 2));
        lk_system_free(chamber);
        lk_system_free(spring);
    }
}

/* A cylinder between two points, as on a crane: a pendulum. */
static void a_cylinder_between_points(void **state)
{
    static const char head[] =
        "linkage: 1\nname: crane\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  boom: {mass: 20, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n  pin: {type: revolute, bodies: [ground, boom], point: [0, 0, 0], axis: [0, 0, "
        "1]}\n"
        "outputs:\n  x: {type: joint-position, joint: pin}\n  f: {type: force, force: f}\n"
        "  l: {type: %s}\n  work: {type: work}\nsolver: {step: 0.001, engine: %s}\n%s";
    static const char chamber[] =
        "blocks:\n  p: {type: integrator, input: {length_rate: f}, gain: -4e5}\n"
        "  l: {type: gain, input: {length: f}, gain: 1, unit: m}\n"
        "forces:\n  f: {type: impedance, bodies: [ground, boom], points: [[0.5, -1, 0], [1, 0, "
        "0]], force: {block: p}}\n";
    static const char spring[] =
        "forces:\n  f: {type: spring-damper, bodies: [ground, boom], points: [[0.5, -1, 0], [1, 0, "
        "0]], stiffness: 4e5}\n";
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    (void)state;
    lk_engines_here(here);
    for (int k = 0; k < 2; k++) {
        char text[TEXT_MAX];
        struct lk_system *one, *other;
        const char *engine = k == 0 ? "none" : here[0]->name;

        snprintf(text, sizeof(text), head, "block, block: l", engine, chamber);
        one = compile_text(text, 0);
        snprintf(text, sizeof(text), head, "energy", engine, spring);
        other = compile_text(text, 0);
        assert_true(fabs(read_output(one, "l", 0) - sqrt(1.25)) < 1e-12);
        for (int i = 0; i < 1000; i++) {
            assert_int_equal(lk_system_step(one, NULL), 0);
            assert_int_equal(lk_system_step(other, NULL), 0);
            /* a positive force of an impedance pushes the points apart, that of a spring pulls them
             * together */
            assert_true(fabs(read_output(one, "x", 0) - read_output(other, "x", 0)) < 1e-9);
            assert_true(fabs(read_output(one, "f", 0) + read_output(other, "f", 0)) < 0.05);
        }
        lk_system_free(one);
        lk_system_free(other);
    }
}

/* A drive that depends on a block has the same delay as with an input, two samples. Here the
 * samples are means over a step, so the delay is 1.5 steps. */
static void a_drive_follows_a_block(void **state)
{
    struct lk_system *sys = compile_text(
        "linkage: 1\nname: driven\nbodies:\n  a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, "
        "0]}\njoints:\n  x: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, "
        "0], drive: {block: y}}\n"
        "blocks:\n  y: {type: integrator, input: 3}\n"
        "outputs:\n  x: {type: joint-position, joint: x}\nsolver: {step: 0.001}\n",
        0);

    (void)state;
    for (int i = 1; i <= 100; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(i < 6 || fabs(read_output(sys, "x", 0) - 3e-3 * (i - 1.5)) < 1e-12);
    }
    lk_system_free(sys);
}

/* ---- a force on one coordinate that depends on another ---- */

static double cross_error(double h, double out[2])
{
    char text[TEXT_MAX];
    struct lk_system *sys;
    double t = 0.2, x, a;

    snprintf(text, sizeof(text),
             "linkage: 1\nname: cross\ngravity: [0, 0, 0]\nbodies:\n"
             "  a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0.1, 0, 0]}\n"
             "  b: {mass: 4, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
             "joints:\n"
             "  x: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"
             "  y: {type: prismatic, bodies: [ground, b], point: [0, 1, 0], axis: [1, 0, 0]}\n"
             "blocks:\n  k: {type: product, inputs: [{position: x}, {velocity: x}, 1000]}\n"
             "  u: {type: integrator, input: {velocity: x}, gain: -800}\n"
             "forces:\n  f: {type: impedance, joint: y, force: {block: k}}\n"
             "  s: {type: impedance, joint: x, force: {block: u}}\n"
             "outputs:\n  y: {type: joint-position, joint: y}\n"
             "  a: {type: joint-acceleration, joint: y}\nsolver: {step: %.17g}\n",
             h);
    sys = compile_text(text, 0);
    for (int i = 0; i < (int)(t / h + 0.5); i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    /* x = 0.005 sin 20 t, 4 y'' = 1000 x x' = 0.25 sin 40 t */
    a = 0.0625 * sin(40 * t);
    x = 0.0625 * (t / 40 - sin(40 * t) / 1600);
    out[0] = fabs(read_output(sys, "y", 0) - x);
    out[1] = fabs(read_output(sys, "a", 0) - a);
    lk_system_free(sys);
    return out[0];
}

static void one_coordinate_moves_another(void **state)
{
    double coarse[2], fine[2];

    (void)state;
    cross_error(1e-3, coarse);
    cross_error(5e-4, fine);
    print_message("across: off by %.2g, %.2g m, %.2g, %.2g m/s^2\n", coarse[0], fine[0], coarse[1],
                  fine[1]);
    assert_true(coarse[0] < 1e-5 && coarse[0] / fine[0] > 3.3 && coarse[0] / fine[0] < 4.8);
    assert_true(coarse[1] < 1e-3 && coarse[1] / fine[1] > 3.3 && coarse[1] / fine[1] < 4.8);
}

/* ---- a valve and its chamber, with all kinds of blocks: in lanes, saved, and restored ---- */

static void continues_with_the_same_bits(void **state)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    double expected[OUTPUTS_MAX], found[OUTPUTS_MAX], scalar[OUTPUTS_MAX];

    (void)state;
    lk_engines_here(here);
    for (int k = 0; k < 2; k++) {
        const char *engine = k == 0 ? "none" : here[0]->name;
        struct lk_system *one = compile_wild(engine), *other = compile_wild(engine);
        size_t size = lk_system_state_size(one), outputs = (size_t)lk_system_output_size(one);
        void *bytes = malloc(size);
        struct lk_error error;

        assert_non_null(bytes);
        for (int i = 0; i < 333; i++) {
            step_wild(one, i);
            assert_true(fabs(read_output(one, "p", 0)) < 4.0001e5);
        }
        lk_system_state_get(one, bytes);
        if (lk_system_state_set(other, bytes, size, &error) != 0)
            fail_msg("%s", error.text);
        for (int i = 333; i < 666; i++) {
            lk_system_outputs(one, expected);
            lk_system_outputs(other, found);
            assert_memory_equal(found, expected, outputs * sizeof(double));
            step_wild(one, i);
            step_wild(other, i);
        }
        lk_system_outputs(one, expected);
        lk_system_reset(one);
        for (int i = 0; i < 666; i++)
            step_wild(one, i);
        lk_system_outputs(one, found);
        assert_memory_equal(found, expected, outputs * sizeof(double));
        for (size_t i = 0; i < outputs && k == 1; i++)
            if (fabs(found[i] - scalar[i]) > 1e-7 * fmax(fabs(scalar[i]), 1))
                fail_msg("output %zu: %.12g in lanes, %.12g one by one", i, found[i], scalar[i]);
        memcpy(scalar, found, sizeof(scalar));
        free(bytes);
        lk_system_free(one);
        lk_system_free(other);
    }
}

/* The first acceleration includes the initial forces of the blocks. */
static void pushes_from_the_start(void **state)
{
    struct lk_system *sys =
        compile_text(BLOCK "blocks:\n  p: {type: lag, input: 6, time: 0.1, initial: 6}\n"
                           "  q: {type: sum, inputs: [p, {velocity: x}]}\n"
                           "forces:\n  f: {type: impedance, joint: x, force: {block: q}}\n",
                     0);

    (void)state;
    assert_true(fabs(read_output(sys, "a", 0) - 6.1 / 2) < 1e-12);
    assert_true(fabs(read_output(sys, "f", 0) - 6.1) < 1e-12);
    lk_system_free(sys);
}

/* Outputs of blocks assume uniform motion of their sensors between both stages, so they are exact
 * for a uniform motion. */
static void an_even_motion_is_shown_exactly(void **state)
{
    const double speed = 7, h = 0.01;
    struct lk_system *sys =
        compile_rotor(speed, h, "blocks:\n  y: {type: integrator, input: {position: shaft}}\n");

    (void)state;
    for (int i = 1; i <= 50; i++) {
        double t = i * h;

        assert_int_equal(lk_system_step(sys, (const double[]){0}), 0);
        assert_true(fabs(read_output(sys, "y", 0) - speed * t * t / 2) < 1e-13);
    }
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responds_as_known),
        cmocka_unit_test(a_fast_lag_does_not_ring),
        cmocka_unit_test(limits_do_not_wind_up),
        cmocka_unit_test(curves_have_their_values),
        cmocka_unit_test(delays_by_their_time),
        cmocka_unit_test(a_motor_turns_as_known),
        cmocka_unit_test(a_chamber_is_a_spring),
        cmocka_unit_test(a_cylinder_between_points),
        cmocka_unit_test(a_drive_follows_a_block),
        cmocka_unit_test(one_coordinate_moves_another),
        cmocka_unit_test(continues_with_the_same_bits),
        cmocka_unit_test(pushes_from_the_start),
        cmocka_unit_test(an_even_motion_is_shown_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
