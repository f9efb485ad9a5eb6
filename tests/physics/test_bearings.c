/* SPDX-License-Identifier: Apache-2.0 */
/* Friction of joints by their own reaction, against closed forms and an integrator of our own. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 4096
#define G    9.81

static void near_to(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g, off by %.3g", what, value, expected,
                 value - expected);
}

static struct lk_system *compile(const char *text, const struct lk_options *options)
{
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error;

    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0 ||
        lk_system_new(model, options, &system, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

/* Make the steps of @time s, and write the outputs. */
static void run(struct lk_system *system, double time, double *ret)
{
    int n_inputs;
    const struct lk_channel *channel = lk_system_input_channels(system, &n_inputs);
    double inputs[8] = {0};
    int n = (int)lround(time / lk_system_step_size(system));

    for (int i = 0; i < n_inputs; i++)
        inputs[i] = channel[i].initial; /* one value each */
    for (int i = 0; i < n; i++)
        assert_int_equal(lk_system_step(system, inputs), 0);
    lk_system_outputs(system, ret);
}

static void run_text(const char *text, double time, double *ret)
{
    struct lk_system *system = compile(text, NULL);

    run(system, time, ret);
    lk_system_free(system);
}

/* ---- a box in a guide on a slope ---- */

#define SLOPE(friction)                                                                            \
    "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  box: {mass: 3, inertia: [0.1, 0.1, "  \
    "0.1], position: [0, 0, 0]}\njoints:\n  guide: {type: prismatic, bodies: [ground, box], "      \
    "point: [0, 0, 0], axis: [0.8, 0, -0.6]}\nforces:\n  rub: {type: friction, joint: "            \
    "guide, " friction "}\noutputs:\n  x: {type: joint-position, joint: guide}\n  v: {type: "      \
    "joint-velocity, joint: guide}\n  f: {type: force, force: rub}\n"

static void slides_on_a_slope(void **state)
{
    double out[3];

    (void)state;
    run_text(SLOPE("mu: 0.3"), 1, out);
    near_to("speed", out[1], G * (0.6 - 0.3 * 0.8), 1e-3);
    near_to("way", out[0], 0.5 * G * (0.6 - 0.3 * 0.8), 1e-3);
    near_to("friction", out[2], -0.3 * 3 * G * 0.8, 1e-9);
    run_text(SLOPE("mu: 0.3, coulomb: 2"), 1, out);
    near_to("with preload", out[2], -0.3 * 3 * G * 0.8 - 2, 1e-9);
    run_text(SLOPE("mu: 0.3, scale: 0.5"), 1, out);
    near_to("half", out[2], -0.15 * 3 * G * 0.8, 1e-9);
}

/* Above the angle of friction it holds: it creeps, or with a wind-up it rests. */
static void holds_on_a_slope(void **state)
{
    double out[3], later[3];

    (void)state;
    run_text(SLOPE("mu: 0.8"), 1, out);
    near_to("creep", out[1], 0, 0.01);
    near_to("friction", out[2], -3 * G * 0.6, 1e-9);
    run_text(SLOPE("mu: 0.8, wind_up: {}"), 1, out);
    run_text(SLOPE("mu: 0.8, wind_up: {}"), 10, later);
    near_to("rest", later[0], out[0], 1e-12);
    run_text(SLOPE("mu: 0.7, mu_stick: 0.8, stribeck: 0.02, wind_up: {}"), 1, out);
    near_to("by stiction", out[1], 0, 1e-9);
    run_text(SLOPE("mu: 0.7, wind_up: {}"), 1, out);
    near_to("without it", out[1], G * (0.6 - 0.7 * 0.8), 5e-3);
}

/* A push beside the guide jams it from the distance length / (2 mu) = 0.75 m on, however strong. */
static void guide_jams(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\nbodies:\n  box: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0, 0, "
        "0]}\njoints:\n  guide: {type: prismatic, bodies: [ground, box], point: [0, 0, 0], axis: "
        "[1, "
        "0, 0]}\nforces:\n  rub: {type: friction, joint: guide, mu: 0.2, length: 0.3, wind_up: "
        "{}}\n "
        " push: {type: constant-force, body: box, point: [0, %g, 0], force: [%g, 0, "
        "0]}\noutputs:\n  "
        "v: {type: joint-velocity, joint: guide}\n  f: {type: force, force: rub}\n";
    static const double force[] = {10, 1000};
    char own[TEXT];
    double out[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(own, sizeof(own), text, 0.76, force[i]);
        run_text(own, 1, out);
        near_to("jammed", out[0], 0, 1e-9);
        near_to("it holds", out[1] / force[i], -1, 1e-9);
        snprintf(own, sizeof(own), text, 0.6, force[i]);
        run_text(own, 1, out);
        near_to("it slides", out[0] * 3 / force[i], 0.2, 0.005);
        near_to("friction", out[1] / force[i], -0.8, 1e-9);
    }
}

/* ---- pins ---- */

/* A wheel on a horizontal pin loses its spin by mu r m g. */
static void wheel_runs_down(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, %g]\nbodies:\n  disc: {mass: 20, inertia: [0.4, 0.2, "
        "0.2], position: [1000, 2000, 5], angular_velocity: [50, 0, 0]}\njoints:\n  pin: {type: "
        "revolute, bodies: %s, point: [1000, 2000, 5], axis: [1, 0, 0]}\nforces:\n  rub: {type: "
        "friction, joint: pin, mu: 0.15, radius: 0.02}\noutputs:\n  v: {type: joint-velocity, "
        "joint: pin}\n";
    char own[TEXT];
    double out[1];

    (void)state;
    snprintf(own, sizeof(own), text, -G, "[ground, disc]");
    run_text(own, 3, out);
    near_to("speed", out[0], 50 - 3 * 0.15 * 0.02 * 20 * G / 0.4, 1e-9);
    snprintf(own, sizeof(own), text, -G, "[disc, ground]");
    run_text(own, 3, out);
    near_to("the other way round", out[0], -(50 - 3 * 0.15 * 0.02 * 20 * G / 0.4), 1e-9);
    snprintf(own, sizeof(own), text, 0., "[ground, disc]"); /* nothing presses: no friction */
    run_text(own, 3, out);
    near_to("without weight", out[0], 50, 1e-9);
}

/* The pair of forces at the ends of a pin that a weight beside it tilts. */
static void length_counts(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  disc: {mass: 20, inertia: [0.4, "
        "0.2, "
        "0.2], position: [0.3, 0, 0], angular_velocity: [50, 0, 0]}\njoints:\n  pin: {type: "
        "revolute, bodies: [ground, disc], point: [0, 0, 0], axis: [1, 0, 0]}\nforces:\n  rub: "
        "{type: "
        "friction, joint: pin, mu: 0.15, radius: 0.02, length: 0.1}\noutputs:\n  v: {type: "
        "joint-velocity, joint: pin}\n";
    double out[1];

    (void)state;
    run_text(text, 0.5, out);
    near_to("speed", out[0], 50 - 0.5 * 0.15 * 0.02 * 20 * G * (1 + 2 * 0.3 / 0.1) / 0.4, 1e-9);
}

/* What pushes along the pin does not press it, and a torque across it adds to that of the weight.
 */
static void only_across_the_pin(void **state)
{
    static const char text[] =
        "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  disc: {mass: 20, inertia: [0.4, "
        "0.4, "
        "0.4], position: [0.18, 0, 0.24], angular_velocity: [30, 0, 40]}\njoints:\n  pin: {type: "
        "revolute, bodies: [ground, disc], point: [0, 0, 0], axis: [0.6, 0, 0.8]}\nforces:\n  rub: "
        "{type: friction, joint: pin, mu: 0.15, radius: 0.02, length: 0.1}\n  tilt: {type: "
        "constant-torque, body: disc, torque: [0, 10, 0]}\n  thrust: {type: constant-force, body: "
        "disc, force: [600, 0, 800]}\noutputs:\n  v: {type: joint-velocity, joint: pin}\n";
    double weight = 20 * G * 0.6, M = 0.3 * weight, out[1];

    (void)state;
    run_text(text, 0.5, out); /* the weight across the pin turns the disc downwards, about +y */
    near_to("speed", out[0], 50 - 0.5 * 0.15 * 0.02 * (weight + 2 * (M + 10) / 0.1) / 0.4, 1e-9);
}

/* The friction goes with its load, and comes back. */
static void load_comes_and_goes(void **state)
{
    static const char text[] = "linkage: 1\nname: m\nbodies:\n  disc: {mass: 20, inertia: [0.4, "
                               "0.2, 0.2], position: [0, 0, "
                               "0], angular_velocity: [50, 0, 0]}\njoints:\n  pin: {type: "
                               "revolute, bodies: [ground, disc], "
                               "point: [0, 0, 0], axis: [1, 0, 0]}\nforces:\n  rub: {type: "
                               "friction, joint: pin, mu: 0.15, "
                               "radius: 0.02}\ninputs:\n  push: {type: body-force, body: disc, "
                               "frame: world}\noutputs:\n  v: "
                               "{type: joint-velocity, joint: pin}\n";
    struct lk_system *system = compile(text, NULL);
    double v[4];

    (void)state;
    for (int i = 0; i < 400; i++) {
        const double push[3] = {0, i / 100 % 2 == 0 ? 300 : 0, 0};

        assert_int_equal(lk_system_step(system, push), 0);
        if (i % 100 == 99)
            lk_system_outputs(system, &v[i / 100]);
    }
    near_to("pushed", v[0], 50 - 0.1 * 0.15 * 0.02 * 300 / 0.4, 0.01 * 0.15 * 0.02 * 300 / 0.4);
    near_to("free", v[1], v[0], 0.01 * 0.15 * 0.02 * 300 / 0.4); /* but for a step */
    near_to("pushed again", v[2] - v[1], v[0] - 50, 0.02 * 0.15 * 0.02 * 300 / 0.4);
    near_to("free again", v[3], v[2], 0.01 * 0.15 * 0.02 * 300 / 0.4);
    lk_system_free(system);
}

/* Vector lanes know nothing of it: a chain that would take them is stepped one by one. */
static void chain_is_not_in_lanes(void **state)
{
    char text[16 * TEXT] = "linkage: 1\nname: m\nbodies:\n";
    size_t used = strlen(text);

    (void)state;
    for (int i = 0; i < 48; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "  b%d: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [%d, 0, "
                                 "-0.5]}\n",
                                 i, i);
    used += (size_t)snprintf(text + used, sizeof(text) - used, "joints:\n");
    for (int i = 0; i < 48; i++) {
        char last[16] = "ground";

        if (i > 0)
            snprintf(last, sizeof(last), "b%d", i - 1);
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "  j%d: {type: revolute, bodies: [%s, b%d], point: [%g, 0, "
                                 "-0.5], axis: [0, 1, 0]}\n",
                                 i, last, i, i - 0.5);
    }
    snprintf(text + used, sizeof(text) - used,
             "forces:\n  rub: {type: friction, joint: j0, mu: 0.1, radius: 0.1}\n");
    struct lk_system *system = compile(text, NULL);

    assert_string_equal(lk_system_engine(system), "one by one");
    lk_system_free(system);
}

/* ---- a pendulum ---- */

#define PENDULUM                                                                                   \
    "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n  rod: {mass: 2, inertia: [0.02, "      \
    "0.05, "                                                                                       \
    "0.05], position: [0.3, 0, 0], velocity: [0, 0, -6], angular_velocity: [0, 20, 0]}\njoints:\n" \
    "  pin: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: [0, 1, 0]}\nforces:\n" \
    "  rub: {type: friction, joint: pin, mu: 0.2, radius: 0.05}\noutputs:\n  q: {type: "           \
    "joint-position, joint: pin}\n  v: {type: joint-velocity, joint: pin}\n  work: {type: work}\n" \
    "solver: {step: %g%s}\n"

/* Return the angular acceleration, in which the friction depends on the reaction and this on the
 * acceleration. */
static double accelerate(double q, double v)
{
    const double l = 0.3, m = 2, J = 0.05 + m * l * l;
    double a = 0;

    for (int i = 0; i < 40; i++) {
        double ax = -l * cos(q) * v * v - l * sin(q) * a, az = l * sin(q) * v * v - l * cos(q) * a;

        a = (m * G * l * cos(q) - copysign(0.2 * 0.05 * m * hypot(ax, az + G), v)) / J;
    }
    return a;
}

static void exact_pendulum(double time, int n, double *q, double *v)
{
    double h = time / n;

    *q = 0;
    *v = 20;
    for (int i = 0; i < n; i++) {
        double a1 = accelerate(*q, *v), v2 = *v + 0.5 * h * a1;
        double a2 = accelerate(*q + 0.5 * h * *v, v2), v3 = *v + 0.5 * h * a2;
        double a3 = accelerate(*q + 0.5 * h * v2, v3), v4 = *v + h * a3;
        double a4 = accelerate(*q + h * v3, v4);

        *q += h / 6 * (*v + 2 * v2 + 2 * v3 + v4);
        *v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

static void pendulum_has_order_2(void **state)
{
    static const char *const methods[] = {"", ", formulation: ali3"};
    double q, v;

    (void)state;
    exact_pendulum(0.3, 20000, &q, &v);
    for (int m = 0; m < 2; m++) {
        double error[2];

        for (int k = 0; k < 2; k++) {
            double out[2 + 7];
            char text[TEXT];

            snprintf(text, sizeof(text), PENDULUM, k == 0 ? 1e-3 : 5e-4, methods[m]);
            run_text(text, 0.3, out);
            error[k] = fabs(out[1] - v);
            near_to("angle", out[0], q, 1e-3);
            near_to("speed", out[1], v, 2e-3);
            near_to("balance", out[2 + 4], 0, 5e-3);
        }
        if (!(error[1] < 0.3 * error[0]))
            fail_msg("errors %g and %g", error[0], error[1]);
    }
}

/* ---- a closed loop ---- */

static double crank_speed(const char *path, double step, const char *formulation)
{
    const struct lk_options options = {.step = step};
    struct lk_model *model;
    struct lk_system *system;
    struct lk_error error;
    double out[3 + 7];

    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    strcpy(model->solver.formulation, formulation);
    if (lk_system_new(model, &options, &system, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    run(system, 0.5, out);
    lk_system_free(system);
    return out[1];
}

/* Both methods go to the same motion, each with order 2. */
static void crank_by_two_methods(void **state)
{
    static const char path[] = "tests/physics/machines/rubbing-crank.yaml";
    double fine[2];

    (void)state;
    for (int m = 0; m < 2; m++) {
        const char *name = m == 0 ? "rattle" : "ali3";
        double v[3] = {crank_speed(path, 5e-4, name), crank_speed(path, 2.5e-4, name),
                       crank_speed(path, 1.25e-4, name)};

        if (!(fabs(v[2] - v[1]) < 0.27 * fabs(v[1] - v[0])))
            fail_msg("%s: %.9g, %.9g, %.9g", name, v[0], v[1], v[2]);
        fine[m] = v[2] + (v[2] - v[1]) / 3;
    }
    near_to("speed", fine[0] / fine[1], 1, 5e-4);
}

static void others_are_refused(void **state)
{
    static const char *const names[] = {"rk4", "recursive"};
    char text[TEXT];

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lk_model *model;
        struct lk_system *system;
        struct lk_error error = {""};

        snprintf(text, sizeof(text), PENDULUM, 1e-3, "");
        assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
        strcpy(model->solver.formulation, names[i]);
        assert_int_not_equal(lk_system_new(model, NULL, &system, &error), 0);
        if (strstr(error.text, "expected rattle or ali3") == NULL)
            fail_msg("%s", error.text);
        lk_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slides_on_a_slope),    cmocka_unit_test(holds_on_a_slope),
        cmocka_unit_test(guide_jams),           cmocka_unit_test(wheel_runs_down),
        cmocka_unit_test(length_counts),        cmocka_unit_test(only_across_the_pin),
        cmocka_unit_test(load_comes_and_goes),  cmocka_unit_test(chain_is_not_in_lanes),
        cmocka_unit_test(pendulum_has_order_2), cmocka_unit_test(crank_by_two_methods),
        cmocka_unit_test(others_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
