/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements on the daemon's steps for the formulations in joint coordinates: the same bits after
 * a reset and around refused steps, a first sample like the following ones, motions prescribed by
 * drives, a closed energy balance, and refusals. */
#include "../cmocka_all.h"
#include "linkage/energy.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include "system_run.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS   100
#define NUMBERS 160 /* of a sample: outputs and health */

static const char *const formulations[] = {
    "dca", "dca:corrected", "hdca", "hdca:corrected", "recursive", "recursive:projected"};
#define FORMULATIONS (sizeof(formulations) / sizeof(*formulations))

/* a base that the ground moves to and fro and rotates, an arm that is driven relative to it, with
 * the arm as first body of its joint, and a load that swings from it */
static const char driven[] =
    "linkage: 1\nname: driven\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  base: {mass: 5, inertia: [0.2, 0.3, 0.25], position: [0.1, 0, 0.2]}\n"
    "  arm: {mass: 1.5, inertia: [0.02, 0.03, 0.025], position: [1, 0, 0],\n"
    "        orientation: {axis: [1, 2, 3], angle: 0.5}}\n"
    "  load: {mass: 1, inertia: [0.02, 0.02, 0.01], position: [2, 0.3, 0]}\n"
    "joints:\n"
    "  stage: {type: fixed, bodies: [ground, base], point: [0, 0, 0],\n"
    "          drive: {x: {harmonic: {amplitude: 0.1, omega: 5}},\n"
    "                  yaw: {harmonic: {amplitude: 0.2, omega: 3, phase: 0.3}}}}\n"
    "  motor: {type: revolute, bodies: [arm, base], point: [0.5, 0, 0], axis: [0, 1, 0.2],\n"
    "          drive: {harmonic: {amplitude: 0.5, omega: 6}}}\n"
    "  hook: {type: spherical, bodies: [load, arm], point: [1.5, 0, 0]}\n"
    "inputs:\n"
    "  push: {type: body-torque, body: arm, frame: world}\n"
    "outputs:\n"
    "  base: {type: body-acceleration, body: base}\n"
    "  stage: {type: joint-reaction, joint: stage}\n"
    "  hook: {type: joint-reaction, joint: hook}\n"
    "  torque: {type: drive-force, joint: motor}\n"
    "  load: {type: body-pose, body: load}\n"
    "solver: {formulation: rk4, step: 0.001}\n";

/* universal and prismatic joints, whose bodies have orientations with ambiguous quaternions, and a
 * spring that does work */
static const char crossed[] =
    "linkage: 1\nname: crossed\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.2, 0.3, 0.25], position: [1, 0, 0],\n"
    "      orientation: {axis: [1, 2, 3], angle: 0.5}, angular_velocity: [1, 2, 3]}\n"
    "  b: {mass: 1, inertia: [0.2, 0.3, 0.25], position: [2, 0.3, 0],\n"
    "      orientation: {axis: [1, 2, 3], angle: 0.5}}\n"
    "joints:\n"
    "  cross: {type: universal, bodies: [a, ground], point: [0.5, 0, 0],\n"
    "          axes: [[0, 1, 0], [1, 0, 0]]}\n"
    "  slide: {type: prismatic, bodies: [b, a], point: [1.5, 0, 0], axis: [1, 0.3, 0.2]}\n"
    "forces:\n"
    "  spring: {type: spring-damper, bodies: [a, ground], points: [[1, 0, 0.2], [1, 0.3, 1]],\n"
    "           stiffness: 30, damping: 2}\n"
    "inputs:\n"
    "  push: {type: body-force, body: b, point: [2, 0, 0.1], frame: world}\n"
    "outputs:\n"
    "  a: {type: body-pose, body: a}\n"
    "  b: {type: body-pose, body: b}\n"
    "  condition: {type: condition}\n"
    "solver: {formulation: rk4, step: 0.001}\n";

/* ---- runs ---- */

static struct lk_system *compile(struct lk_model *model, const char *formulation, double step)
{
    struct lk_options options = {.step = step};
    struct lk_system *sys = NULL;
    struct lk_error error;

    snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s", formulation);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(lk_system_output_size(sys) + (int)(sizeof(struct lk_health) / sizeof(double)) <=
                NUMBERS);
    return sys;
}

static struct lk_model *shipped(const char *name)
{
    struct lk_model *model = NULL;
    struct lk_error error;
    char path[128];

    snprintf(path, sizeof(path), "config/models/%s.yaml", name);
    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static void sample(const struct lk_system *sys, double *ret)
{
    struct lk_health health;

    memset(ret, 0, NUMBERS * sizeof(double));
    lk_system_outputs(sys, ret);
    lk_system_health(sys, &health);
    memcpy(ret + lk_system_output_size(sys), &health, sizeof(health));
}

/* a push that sometimes jumps */
static void push(int step, double *ret)
{
    for (int k = 0; k < 3; k++)
        ret[k] = 0.3 * sin(0.37 * step + k) + (step % 20 >= 10 ? 0.5 : -0.5);
}

/* @upset: a refused step before every step */
static void run(struct lk_system *sys, int upset, double ret[STEPS + 1][NUMBERS])
{
    const double huge[3] = {1e300, -1e300, 1e300};
    double inputs[3];

    sample(sys, ret[0]);
    for (int i = 0; i < STEPS; i++) {
        if (upset)
            assert_int_not_equal(lk_system_step(sys, huge), 0);
        push(i, inputs);
        assert_int_equal(lk_system_step(sys, inputs), 0);
        sample(sys, ret[i + 1]);
    }
}

/* ---- the same bits ---- */

static void repeats(struct lk_model *model, const char *formulation, int can_be_upset)
{
    static double first[STEPS + 1][NUMBERS], again[STEPS + 1][NUMBERS];
    struct lk_system *sys = compile(model, formulation, 0);

    run(sys, 0, first);
    for (int upset = 0; upset <= can_be_upset; upset++) {
        lk_system_reset(sys);
        run(sys, upset, again);
        assert_memory_equal(first, again, sizeof(first));
    }
    lk_system_free(sys);
    lk_model_free(model);
}

static void test_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMULATIONS; i++) {
        repeats(system_run_model(driven), formulations[i], 1);
        repeats(system_run_model(crossed), formulations[i], 1);
        repeats(shipped("strut-redundant"), formulations[i], 0);
    }
    repeats(shipped("small-mass-chain"), "recursive", 0);
    repeats(shipped("small-mass-chain-guided"), "recursive", 0);
}

/* ---- the first sample ---- */

/* the outputs at the start and a microsecond later are nearly equal */
static void begins_well(struct lk_model *model, const char *formulation)
{
    const double none[3] = {0};
    double before[NUMBERS], after[NUMBERS];
    struct lk_system *sys = compile(model, formulation, 1e-6);
    int n = lk_system_output_size(sys);

    sample(sys, before);
    assert_int_equal(lk_system_step(sys, none), 0);
    sample(sys, after);
    for (int i = 0; i < n; i++)
        if (fabs(before[i] - after[i]) > 1e-3 * (1 + fabs(after[i])))
            fail_msg("%s: output %d is %.9g, then %.9g", formulation, i, before[i], after[i]);
    lk_system_free(sys);
    lk_model_free(model);
}

static void test_first_sample(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMULATIONS; i++) {
        begins_well(shipped("strut-redundant"), formulations[i]);
        begins_well(system_run_model(crossed), formulations[i]);
        begins_well(system_run_model(driven), formulations[i]);
    }
    begins_well(shipped("small-mass-chain"), "recursive");
}

/* ---- compared with rk4 ---- */

static double balance(const double *sample, int n_outputs)
{
    struct lk_health h;

    memcpy(&h, sample + n_outputs, sizeof(h));
    return lk_energy_balance(&h);
}

/* @tolerance: of outputs, relative to themselves and 1;  @energy_bound: of the balance [J] */
static void agrees(const char *text, const char *formulation, double tolerance, double energy_bound)
{
    static double known[STEPS + 1][NUMBERS], found[STEPS + 1][NUMBERS];
    struct lk_model *model = system_run_model(text);
    struct lk_system *rk4 = compile(model, "rk4", 0), *sys = compile(model, formulation, 0);
    int n = lk_system_output_size(sys);
    double worst = 0, left = 0;

    run(rk4, 0, known);
    run(sys, 0, found);
    for (int i = 0; i <= STEPS; i++) {
        left = fmax(left, fabs(balance(found[i], n) - balance(found[0], n)));
        for (int k = 0; k < n; k++)
            worst = fmax(worst, fabs(found[i][k] - known[i][k]) / (1 + fabs(known[i][k])));
    }
    printf("    %-20s %.1e balance %.1e J\n", formulation, worst, left);
    assert_true(worst < tolerance);
    assert_true(left < energy_bound);
    lk_system_free(sys);
    lk_system_free(rk4);
    lk_model_free(model);
}

/* Rows at a frame moved by a drive get accelerations from it, and the drive's work follows inputs
 * that jump. */
static void test_drives(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMULATIONS; i++)
        agrees(driven, formulations[i], 1e-9, 1e-4);
}

/* orientations, the work of springs, and pivots of a changing pose */
static void test_outputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < FORMULATIONS; i++)
        agrees(crossed, formulations[i], 1e-9, 1e-9);
}

/* ---- refusals ---- */

/* a slender body whose spin is too fast for the step, but not its nutation */
static void test_turns(void **state)
{
    static const char text[] = "linkage: 1\nname: rotor\n"
                               "bodies:\n  rotor: {mass: 1, inertia: [1, 20, 20], "
                               "position: [0, 0, 0], angular_velocity: [3000, 0, 0]}\n"
                               "solver: {formulation: rk4, step: 0.001}\n";

    (void)state;
    for (size_t i = 0; i < FORMULATIONS; i++) {
        struct lk_model *model = system_run_model(text);
        struct lk_system *slow = compile(model, formulations[i], 0.0011),
                         *quick = compile(model, formulations[i], 0.001);

        assert_int_equal(lk_system_step(slow, NULL), LK_E_TURN);
        assert_int_equal(lk_system_step(quick, NULL), 0);
        lk_system_free(slow);
        lk_system_free(quick);
        lk_model_free(model);
    }
}

/* an unknown variant: the message names the known ones */
static void test_variants(void **state)
{
    struct lk_model *model = system_run_model(crossed);
    struct lk_system *sys = NULL;
    struct lk_error error = {""};

    (void)state;
    snprintf(model->solver.formulation, sizeof(model->solver.formulation), "hdca:corected");
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_MODEL);
    assert_string_equal(error.text, "no formulation 'hdca:corected', expected hdca, or with a "
                                    "colon one of reset, as-printed, corrected");
    lk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_first_sample),
        cmocka_unit_test(test_drives),    cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_turns),     cmocka_unit_test(test_variants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
