/* SPDX-License-Identifier: Apache-2.0 */
/* Forces that drive a car or brake it: maps of rate and level, and drag; see known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const formulations[] = {"ali3", "rattle", "rk4", "dca", "hdca", "recursive"};

#define FORMULATIONS (sizeof(formulations) / sizeof(*formulations))

/* ---- maps ---- */

/* 2 kg, F = L (20 - 2 v) with L = 0.5: v' = (10 - v) / 2 */
static void observe_motor(double t, const double *y, double *ret)
{
    double e = exp(-t / 2), v = 10 - 9 * e;

    (void)y;
    ret[0] = 0.2 + 10 * t - 18 * (1 - e);
    ret[1] = v;
    ret[2] = (10 - v) / 2;
    ret[3] = 10 - v;
    ret[4] = v * v - 1; /* all energy is from the map */
    ret[5] = 0;
}

static void map_drives_a_block(void **state)
{
    const struct mechanism m = {
        .text = SLIDER("[0, 0, 0]", ", coordinate: 0.2",
                       "  motor: {type: force-map, joint: guide, level: 0.5, map: {rate: [0, 20], "
                       "level: [0, 1], force: [[0, 0], [20, -20]]}}\n") "  f: {type: force, "
                                                                        "force: motor}\n",
        .h = 0.01,
        .end = 2,
        .rate = 2,
        .observe = observe_motor,
        .quantity = {{"x", 0, 10},
                     {"v", 0, 10},
                     {"a", 0, 5},
                     {"f", 0, 10},
                     {"work", 0, 50},
                     {"work", 4, 50}},
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        step_with(formulations[i]);
        check_order_two(&m);
    }
}

/* a drive holds the speed, so that the force is that of the map at one rate */
static const char held_text[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  rotor: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], "
                      "angular_velocity: [0, 0, %.17g]}\n"
                      "joints:\n"
                      "  shaft: {type: revolute, bodies: [ground, rotor], point: [0, 0, 0], axis: "
                      "[0, 0, 1], drive: {ramp: {rate: %.17g}}}\n"
                      "forces:\n"
                      "  motor: {type: force-map, joint: shaft, level: {input: pedal}, map: {rate: "
                      "[-10, 0, 30, 50], level: [-1, 0, 2], force: [[5, -5, -6, -7], [1, 0, -3, "
                      "-4], [40, 60, 80, 20]]}}\n"
                      "inputs:\n"
                      "  pedal: {type: signal, limits: [-2, 3], initial: 0}\n"
                      "outputs:\n"
                      "  f: {type: force, force: motor}\n";

static void map_has_its_points_and_ends(void **state)
{
    static const struct {
        double rate, level, force;
    } points[] = {
        {0, -1, -5},      {30, -1, -6},
        {30, 0, -3},      {30, 2, 80},
        {0, 2, 60},       {0, 1, 30},
        {30, -0.5, -4.5}, {30, 1.5, -3 + 0.75 * 83}, /* linear between the levels */
        {50, 2, 20},      {90, 2, 20},
        {-40, 2, 40},     {-40, 0, 1}, /* constant beyond the ends */
        {30, 3, 80},      {30, -2, -6},
        {30, 1e6, 80},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++)
        for (int k = 0; k < 2; k++) {
            struct lk_system *sys;
            char text[2048];

            step_with(formulations[k]);
            snprintf(text, sizeof(text), held_text, points[i].rate, points[i].rate);
            sys = compile(text, 0.001);
            for (int n = 0; n < 3; n++)
                assert_int_equal(lk_system_step(sys, &points[i].level), 0);
            assert_true(fabs(read_output(sys, "f", 0) - points[i].force) < 1e-9);
            lk_system_free(sys);
        }
}

/* ---- drag ---- */

/* 2 kg, 1/2 1.2 0.5 v^2: 1 / v = 1 / v0 + 0.15 t */
static void observe_drag(double t, const double *y, double *ret)
{
    double v = 1 / (1 + 0.15 * t);

    (void)y;
    ret[0] = 0.2 + log(1 + 0.15 * t) / 0.15;
    ret[1] = v;
    ret[2] = -0.15 * v * v;
    ret[3] = -0.3 * v * v;
    ret[4] = 1 - v * v;
    ret[5] = 0;
}

static void drag_slows_down(void **state)
{
    const struct mechanism m = {
        .text = SLIDER("[0, 0, 0]", ", coordinate: 0.2",
                       "  air: {type: drag, body: block, area: [0.5, 3, 4]}\n") "  f: {type: "
                                                                                "force, force: "
                                                                                "air}\n",
        .h = 0.02,
        .end = 4,
        .rate = 0.5,
        .observe = observe_drag,
        .quantity = {{"x", 0, 4},
                     {"v", 0, 1},
                     {"a", 0, 0.15},
                     {"f", 0, 0.3},
                     {"work", 1, 1},
                     {"work", 4, 1}},
    };

    (void)state;
    for (int i = 0; i < 2; i++) {
        step_with(formulations[i]);
        check_order_two(&m);
    }
}

static const char thrown_text[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  car: {mass: 2, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0], "
                      "velocity: [%.17g, %.17g, %.17g], angular_velocity: [1, -2, 3]}\n"
                      "forces:\n"
                      "  air: {type: drag, body: car, point: [0.1, -0.05, 0.2], area: [0.3, 0.6, "
                      "0.9], density: 1.25, wind: [%.17g, %.17g, %.17g], gust: {input: gust}, "
                      "orientation: {axis: [0, 0, 1], angle: 0.4}}\n"
                      "inputs:\n"
                      "  gust: {type: signal, limits: [0, 5], initial: 2}\n"
                      "outputs:\n"
                      "  pose: {type: body-pose, body: car}\n"
                      "  f: {type: force, force: air}\n"
                      "  work: {type: work}\n";

static struct lk_system *throw(const double v[3], const double wind[3])
{
    char text[2048];

    snprintf(text, sizeof(text), thrown_text, v[0], v[1], v[2], wind[0], wind[1], wind[2]);
    return compile(text, 0.001);
}

/* Drag depends only on the velocity relative to the air. A body in wind moves like the same body in
 * air at rest with the relative velocity: equal rotation and equal forces. */
static void only_the_motion_against_the_air_counts(void **state)
{
    const double wind[3] = {5, -3, 2}, none[3] = {0}, v[3] = {20, 2, -1};
    const double against[3] = {20 - 10, 2 + 6, -1 - 4}, gust = 2;

    (void)state;
    for (size_t k = 0; k < FORMULATIONS; k++) {
        struct lk_system *windy, *still;
        double way;

        step_with(formulations[k]);
        windy = throw(v, wind);
        still = throw(against, none);
        for (int i = 0; i < 1000; i++) {
            assert_int_equal(lk_system_step(windy, &gust), 0);
            assert_int_equal(lk_system_step(still, &gust), 0);
        }
        for (int i = 0; i < 7; i++) {
            way = i < 3 ? gust * wind[i] : 0;
            assert_true(fabs(read_output(windy, "pose", i) - way - read_output(still, "pose", i)) <
                        1e-9);
        }
        for (int i = 0; i < 3; i++)
            assert_true(fabs(read_output(windy, "f", i) - read_output(still, "f", i)) < 1e-8);
        assert_true(fabs(read_output(windy, "work", 4)) < 1e-4 * read_output(windy, "work", 1));
        assert_true(fabs(read_output(windy, "work", 3)) > 1); /* the wind does work */
        assert_true(fabs(read_output(still, "work", 3)) < 1e-12);
        lk_system_free(windy);
        lk_system_free(still);
    }
}

/* All formulations have the same drag. */
static void everybody_feels_the_same_air(void **state)
{
    const double wind[3] = {5, -3, 2}, v[3] = {20, 2, -1}, gust = 2;
    double first[7] = {0};

    (void)state;
    for (size_t k = 0; k < FORMULATIONS; k++) {
        struct lk_system *sys;

        step_with(formulations[k]);
        sys = throw(v, wind);
        for (int i = 0; i < 1000; i++)
            assert_int_equal(lk_system_step(sys, &gust), 0);
        for (int i = 0; i < 7; i++) {
            if (k == 0)
                first[i] = read_output(sys, "pose", i);
            assert_true(fabs(read_output(sys, "pose", i) - first[i]) < 3e-4);
        }
        lk_system_free(sys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_drives_a_block),
        cmocka_unit_test(map_has_its_points_and_ends),
        cmocka_unit_test(drag_slows_down),
        cmocka_unit_test(only_the_motion_against_the_air_counts),
        cmocka_unit_test(everybody_feels_the_same_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
