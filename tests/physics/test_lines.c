/* SPDX-License-Identifier: Apache-2.0 */
/* Transmission lines: reflections from their ends, and that they never release more energy than
 * they received. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "linkage/state.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H     0.001
#define Z     50.0
#define SPEED 0.2

/* a line between an end that moves with a constant 0.2 m/s and a mass with a damper */
static const char ends[] =
    "linkage: 1\nname: line\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  ram: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [0.2, 0, 0]}\n"
    "  end: {mass: %g, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
    "joints:\n"
    "  in: {type: prismatic, bodies: [ground, ram], point: [0, 0, 0], axis: [1, 0, 0], "
    "drive: {ramp: {rate: 0.2}}}\n"
    "  out: {type: prismatic, bodies: [ground, end], point: [1, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  line: {type: line, joints: [in, out], impedance: 50, delay: 0.007%s}\n"
    "  rest: {type: joint-spring-damper, joint: out, damping: %g}\n"
    "outputs:\n"
    "  force: {type: force, force: line}\n"
    "  v: {type: joint-velocity, joint: out}\n"
    "  energy: {type: energy}\n"
    "  work: {type: work}\n"
    "solver: {step: 0.001%s}\n";

static struct lk_system *compile_ends(double mass, double damping, const char *more,
                                      const char *solver)
{
    char text[2048];

    snprintf(text, sizeof(text), ends, mass, more, damping, solver);
    return compile_text(text, 0);
}

/* Return the force at the driven end in the step that ends at @t = (step + 1) h: the force of the
 * initial wave, and twice this force, times a power of @reflected, for each echo that has returned
 * by then. */
static double echoed(int step, double reflected)
{
    double sum = 1;

    for (int echo = 1; echo <= step / 14; echo++)
        sum += 2 * pow(reflected, echo);
    return -Z * SPEED * sum;
}

/* The line with impedance Z ends at a damper with impedance Z, at a free end, and at a wall. */
static void what_comes_back(void **state)
{
    static const struct {
        double mass;
        double damping;
        double reflected;
        double tolerance;
    } cases[] = {
        {1e-9, Z, 0, 1e-6}, {1e-9, 0, -1, 1e-5}, {1e9, 0, 1, 1e-6}, {1e-9, 3 * Z, 0.5, 1e-6}};

    (void)state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        struct lk_system *sys = compile_ends(cases[k].mass, cases[k].damping, "", "");

        for (int i = 0; i < 100; i++) {
            double expected = echoed(i, cases[k].reflected);

            assert_int_equal(lk_system_step(sys, NULL), 0);
            if (fabs(read_output(sys, "force", 0) - expected) > cases[k].tolerance * Z * SPEED)
                fail_msg("case %zu, step %d: %.12g, expected %.12g", k, i,
                         read_output(sys, "force", 0), expected);
        }
        lk_system_free(sys);
    }
}

/* The initial pressure of a line remains constant while both ends are fixed: a closed vessel. */
static void a_load_stands_still(void **state)
{
    struct lk_system *sys = compile_text(
        "linkage: 1\nname: still\ngravity: [0, 0, 0]\n"
        "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
        "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  x: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"
        "  y: {type: prismatic, bodies: [ground, b], point: [1, 0, 0], axis: [1, 0, 0]}\n"
        "forces:\n"
        "  line: {type: line, joints: [x, y], impedance: 1e9, delay: 0.01, ratio: "
        "[1e-3, -2e-3], load: 5e4}\n"
        "  left: {type: joint-spring-damper, joint: x, stiffness: 1e4, rest: 0.005}\n"
        "  right: {type: joint-spring-damper, joint: y, stiffness: 1e4, rest: -0.01}\n"
        "outputs:\n"
        "  force: {type: force, force: line}\n  energy: {type: energy}\n"
        "solver: {step: 0.001}\n",
        0);

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(fabs(read_output(sys, "force", 0) + 50) < 1e-6);
        assert_true(fabs(read_output(sys, "force", 1) - 100) < 1e-6);
    }
    /* energy T p^2 / 2 Z of the line, minus the energy in the springs */
    assert_true(fabs(read_output(sys, "energy", 1) - 0.01 * 25e8 / 2e9 - 0.125 - 0.5) < 1e-8);
    lk_system_free(sys);
}

/* The equilibrium includes the initial force of a line, so a mechanism at rest stays at rest. The
 * first acceleration from the initial configuration includes this force, too. */
static void a_load_is_in_the_balance(void **state)
{
    static const char text[] =
        "linkage: 1\nname: hung\ngravity: [0, 0, %s"
        "bodies:\n  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  load: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0]}\n"
        "joints:\n"
        "  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  guide: {type: prismatic, bodies: [ground, load], point: [3, 0, 0], axis: [0, 0, 1]}\n"
        "forces:\n"
        "  line: {type: line, joints: [pin, guide], impedance: 30, delay: 0.004, "
        "ratio: [1, -0.5], load: 4}\n"
        "  spring: {type: joint-spring-damper, joint: guide, stiffness: 200}\n"
        "outputs:\n"
        "  turn: {type: joint-position, joint: pin}\n"
        "  travel: {type: joint-position, joint: guide}\n"
        "  rush: {type: body-acceleration, body: load}\n"
        "solver: {step: 0.001}\n";
    char filled[2048];
    struct lk_system *sys;
    double turn, travel;

    (void)state;
    snprintf(filled, sizeof(filled), text, "-9.81]\nstart: equilibrium\n");
    sys = compile_text(filled, 0);
    turn = read_output(sys, "turn", 0);
    travel = read_output(sys, "travel", 0);
    /* the pressure turns the arm with -4 N m and lifts the load with 2 N */
    assert_true(fabs(travel - (2 - 9.81) / 200) < 1e-4);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    print_message("%.3g rad, %.3g m, and after a second %.2g and %.2g off\n", turn, travel,
                  read_output(sys, "turn", 0) - turn, read_output(sys, "travel", 0) - travel);
    assert_true(fabs(read_output(sys, "turn", 0) - turn) < 1e-9);
    assert_true(fabs(read_output(sys, "travel", 0) - travel) < 1e-9);
    lk_system_free(sys);

    snprintf(filled, sizeof(filled), text, "0]\n");
    sys = compile_text(filled, 0);
    assert_true(fabs(read_output(sys, "rush", 2) - 2) < 1e-9);
    lk_system_free(sys);
}

/* two arms under gravity, a line with unequal ratios between them, and a spring */
static const char wild[] =
    "linkage: 1\nname: wild\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0.4, 0], velocity: [0, 1, 0]}\n"
    "joints:\n"
    "  arm: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  piston: {type: cylindrical, bodies: [ground, b], point: [3, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  line: {type: line, joints: [arm, {joint: piston, coordinate: travel}], impedance: %g, "
    "delay: %g, ratio: [%g, %g], load: 1}\n"
    "  other: {type: line, joints: [{joint: piston, coordinate: angle}, arm], impedance: 0.5, "
    "delay: 0.013}\n"
    "  spring: {type: joint-spring-damper, joint: piston, coordinate: travel, stiffness: 300}\n"
    "  hinge: {type: joint-spring-damper, joint: arm, stiffness: 40}\n"
    "outputs:\n"
    "  force: {type: force, force: line}\n"
    "  x: {type: joint-position, joint: arm}\n"
    "  y: {type: joint-position, joint: piston}\n"
    "  energy: {type: energy}\n"
    "  work: {type: work}\n"
    "solver: {step: 0.001, engine: %s}\n";

static struct lk_system *compile_wild(double impedance, double delay, const double ratio[2],
                                      const char *engine)
{
    char text[4096];

    snprintf(text, sizeof(text), wild, impedance, delay, ratio[0], ratio[1], engine);
    return compile_text(text, 0);
}

/* For any delay, impedance and ratios, the energy of bodies and lines together is constant up to
 * the error of the step, and the energy of a line is never negative. */
static void no_line_gives_more_than_it_got(void **state)
{
    static const double delays[] = {0.001, 0.002, 0.005, 0.04, 0.3}, impedances[] = {0.01, 3, 1e4};
    static const double ratios[2][2] = {{1, -1}, {-0.3, 7}};

    (void)state;
    for (int k = 0; k < 5 * 3 * 2; k++) {
        struct lk_system *sys =
            compile_wild(impedances[k / 5 % 3], delays[k % 5], ratios[k / 15], "none");
        double start = read_output(sys, "energy", 0) + read_output(sys, "energy", 1), least = 0,
               most = 0;

        for (int i = 0; i < 4000; i++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            least = fmin(least, read_output(sys, "work", 4));
            most = fmax(most, read_output(sys, "work", 4));
            if (most > 5e-6 || least < -5e-6)
                fail_msg("case %d, step %d: %g J of %g", k, i, read_output(sys, "work", 4), start);
        }
        lk_system_free(sys);
    }
}

/* Compile two masses on guides with a line between them. @more: rest of the model */
static struct lk_system *compile_masses(const double mass[2], const double v[2], double impedance,
                                        double delay, const char *more, double h)
{
    char text[2048];

    snprintf(text, sizeof(text),
             "linkage: 1\nname: rod\ngravity: [0, 0, 0]\n"
             "bodies:\n"
             "  a: {mass: %.17g, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [%g, 0, 0]}\n"
             "  b: {mass: %.17g, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [%g, 0, 0]}\n"
             "joints:\n"
             "  x: {type: prismatic, bodies: [ground, a], point: [0, 0, 0], axis: [1, 0, 0]}\n"
             "  y: {type: prismatic, bodies: [ground, b], point: [1, 0, 0], axis: [1, 0, 0]}\n"
             "forces:\n  rod: {type: line, joints: [x, y], impedance: %g, delay: %g%s\n"
             "outputs:\n  x: {type: joint-position, joint: x}\n  energy: {type: energy}\n"
             "  work: {type: work}\nsolver: {step: %g}\n",
             mass[0], v[0], mass[1], v[1], impedance, delay, more, h);
    return compile_text(text, 0);
}

/* On guides everything is linear, and no energy is lost. */
static void books_to_round_off(void **state)
{
    struct lk_system *sys =
        compile_masses((const double[]){0.3, 7}, (const double[]){2, -1}, 80, 0.011,
                       ", ratio: [1, -0.5], load: 20}\n  back: {type: joint-spring-damper, joint: "
                       "x, stiffness: 1e4}",
                       H);
    double start = read_output(sys, "energy", 0) + read_output(sys, "energy", 1);

    (void)state;
    for (int i = 0; i < 20000; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(fabs(read_output(sys, "work", 4)) < 1e-10 * start);
    }
    lk_system_free(sys);
}

/* A rod between two masses: for motions slow relative to its delay T, a line with impedance Z is a
 * spring Z / T with a mass of Z T. */
static void a_short_line_is_a_spring(void **state)
{
    const double k = 1e4, delay = 0.001, m = 5;
    const double own = m - 0.5 * k * delay * delay;
    double w = sqrt(2 * k / m), worst = 0;
    struct lk_system *sys = compile_masses((const double[]){own, own}, (const double[]){0.1, -0.1},
                                           k * delay, delay, "}", 1e-4);

    (void)state;
    for (int i = 1; i <= 10000; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        worst = fmax(worst, fabs(read_output(sys, "x", 0) - 0.1 / w * sin(w * 1e-4 * i)) * w / 0.1);
    }
    print_message("a rod as a spring: %g of the amplitude after ten swings\n", worst);
    assert_true(worst < 0.1);
    lk_system_free(sys);
}

/* A state is saved during the run. After other waves have passed, restoring the state continues
 * with the same bits in each engine. */
static void continues_with_the_same_bits(void **state)
{
    static const double ratio[2] = {1, 2};
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    double expected[OUTPUTS_MAX], found[OUTPUTS_MAX], scalar[OUTPUTS_MAX];

    (void)state;
    lk_engines_here(here);
    for (int k = 0; k < 2; k++) {
        const char *engine = k == 0 ? "none" : here[0]->name;
        struct lk_system *one = compile_wild(5, 0.0373, ratio, engine);
        struct lk_system *other = compile_wild(5, 0.0373, ratio, engine);
        size_t size = lk_system_state_size(one), outputs = (size_t)lk_system_output_size(one);
        void *bytes = malloc(size);
        struct lk_error error;

        assert_non_null(bytes);
        for (int i = 0; i < 333; i++)
            assert_int_equal(lk_system_step(one, NULL), 0);
        lk_system_state_get(one, bytes);
        if (lk_system_state_set(other, bytes, size, &error) != 0)
            fail_msg("%s", error.text);
        for (int i = 0; i < 333; i++) {
            assert_int_equal(lk_system_step(one, NULL), 0);
            assert_int_equal(lk_system_step(other, NULL), 0);
            lk_system_outputs(one, expected);
            lk_system_outputs(other, found);
            assert_memory_equal(found, expected, outputs * sizeof(double));
        }
        lk_system_reset(one);
        for (int i = 0; i < 666; i++)
            assert_int_equal(lk_system_step(one, NULL), 0);
        lk_system_outputs(one, found);
        assert_memory_equal(found, expected, outputs * sizeof(double));
        for (size_t i = 0; i < outputs && k == 1; i++)
            assert_true(fabs(found[i] - scalar[i]) < 1e-9 * fmax(fabs(scalar[i]), 1));
        memcpy(scalar, found, sizeof(scalar));
        free(bytes);
        lk_system_free(one);
        lk_system_free(other);
    }
}

static void what_cannot_step_it_says_so(void **state)
{
    static const char *const solvers[] = {", formulation: ali3", ", order: 4",
                                          ", formulation: rk4"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char text[2048];
        struct lk_model *model;
        struct lk_system *sys;
        struct lk_error error;

        snprintf(text, sizeof(text), ends, 1.0, "", 1.0, solvers[i]);
        assert_int_equal(lk_model_read_text("line", text, strlen(text), &model, &error), 0);
        assert_int_not_equal(lk_system_new(model, NULL, &sys, &error), 0);
        assert_non_null(strstr(error.text, "force 'line' is a line, expected formulation rattle"));
        lk_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_back),
        cmocka_unit_test(a_load_stands_still),
        cmocka_unit_test(a_load_is_in_the_balance),
        cmocka_unit_test(no_line_gives_more_than_it_got),
        cmocka_unit_test(books_to_round_off),
        cmocka_unit_test(a_short_line_is_a_spring),
        cmocka_unit_test(continues_with_the_same_bits),
        cmocka_unit_test(what_cannot_step_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
