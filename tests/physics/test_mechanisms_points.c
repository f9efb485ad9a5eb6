/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies held by a point or by a force between two points, each with known motion, and the same
 * motion after a reset; see known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Point-on-line: a bead of 1 kg on a free rod, J = 0.5: r'' = r W^2, (J + m r^2) W is constant. The
 * force of the rod on the bead is perpendicular to the rod. y: r, r', angle. */
static double bead_spin(const double *y)
{
    return (0.5 + 0.04) * 5 / (0.5 + y[0] * y[0]);
}

static void bead_rhs(double t, const double *y, double *dy)
{
    double W = bead_spin(y);

    (void)t;
    dy[0] = y[1];
    dy[1] = y[0] * W * W;
    dy[2] = W;
}

static void observe_bead(double t, const double *y, double *ret)
{
    double W = bead_spin(y), across = y[1] * W * (2 - 2 * y[0] * y[0] / (0.5 + y[0] * y[0]));

    (void)t;
    ret[0] = y[0] - 0.2;
    ret[1] = y[1];
    ret[2] = y[0] * W * W;
    ret[3] = y[2];
    ret[4] = W;
    ret[5] = -across * sin(y[2]);
    ret[6] = across * cos(y[2]);
    ret[7] = 0;
}

static void point_on_line_is_a_bead_on_a_rod(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  rod: {mass: 1, inertia: [0.5, 0.5, 0.5], position: [0, 0, 0],\n"
                         "    angular_velocity: [0, 0, 5]}\n"
                         "  bead: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.2, 0, 0],\n"
                         "    velocity: [0, 1, 0]}\n"
                         "joints:\n"
                         "  hinge: {type: revolute, bodies: [ground, rod], point: [0, 0, 0], axis: "
                         "[0, 0, 1]}\n"
                         "  line: {type: point-on-line, bodies: [rod, bead], point: [0.2, 0, 0], "
                         "axis: [1, 0, 0]}\n"
                         "outputs:\n"
                         "  x: {type: joint-position, joint: line}\n"
                         "  v: {type: joint-velocity, joint: line}\n"
                         "  a: {type: joint-acceleration, joint: line}\n"
                         "  p: {type: joint-position, joint: hinge}\n"
                         "  w: {type: joint-velocity, joint: hinge}\n"
                         "  f: {type: joint-reaction, joint: line}\n"
                         "  work: {type: work}\n",
        .h = 0.004,
        .end = 1,
        .rate = 8,
        .n = 3,
        .start = {0.2, 0, 0},
        .rhs = bead_rhs,
        .observe = observe_bead,
        .quantity = {{"x", 0, 1},
                     {"v", 0, 3},
                     {"a", 0, 5},
                     {"p", 0, 1},
                     {"w", 0, 5},
                     {"f", 0, 10},
                     {"f", 1, 10},
                     {"work", 4, 7}},
    };

    (void)state;
    check_order_two(&m);
}

/* Distance: a point mass on a rod of 0.6 m, starting at the horizontal. The tension of the rod is m
 * (l W^2 + g sin). */
static void rod_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -G / 0.6 * cos(y[0]);
}

static void observe_rod(double t, const double *y, double *ret)
{
    double c = cos(y[0]), s = sin(y[0]), pull = 2 * (0.6 * y[1] * y[1] - G * s);

    (void)t;
    ret[0] = 0.6 * c;
    ret[1] = 0.6 * s;
    ret[2] = -0.6 * s * y[1];
    ret[3] = 0.6 * c * y[1];
    ret[4] = -pull * c;
    ret[5] = -pull * s;
}

static void distance_is_a_rod(void **state)
{
    static const struct mechanism m = {
        .text = HEAD("[0, -9.81, 0]") "bodies:\n"
                                      "  bob: {mass: 2, inertia: [0.01, 0.01, 0.01], position: "
                                      "[0.6, 0, 0]}\n"
                                      "joints:\n"
                                      "  rod: {type: distance, bodies: [ground, bob], points: [[0, "
                                      "0, 0], [0.6, 0, 0]]}\n"
                                      "outputs:\n"
                                      "  x: {type: body-pose, body: bob}\n"
                                      "  v: {type: body-velocity, body: bob}\n"
                                      "  f: {type: joint-reaction, joint: rod}\n",
        .h = 0.004,
        .end = 3,
        .rate = 10,
        .n = 2,
        .rhs = rod_rhs,
        .observe = observe_rod,
        .quantity =
            {{"x", 0, 0.6}, {"x", 1, 0.6}, {"v", 0, 4}, {"v", 1, 4}, {"f", 0, 60}, {"f", 1, 60}},
    };

    (void)state;
    check_order_two(&m);
}

/* A spring and damper between two free bodies, 1 and 3 kg, stretched at the start and rotating.
 * With the reduced mass u = 0.75 kg: u (r'' - r W^2) = -k (r - 0.8) - c r', r^2 W is constant. y:
 * r, r', angle. */
static void two_stars_rhs(double t, const double *y, double *dy)
{
    double W = 3 / (y[0] * y[0]);

    (void)t;
    dy[0] = y[1];
    dy[1] = y[0] * W * W - (60 * (y[0] - 0.8) + 1.5 * y[1]) / 0.75;
    dy[2] = W;
}

static void observe_two_stars(double t, const double *y, double *ret)
{
    double c = cos(y[2]), s = sin(y[2]), W = 3 / (y[0] * y[0]);

    (void)t;
    ret[0] = 0.75 * (1 - y[0] * c); /* first body, from the common centre at 0.75 */
    ret[1] = -0.75 * y[0] * s;
    ret[2] = -0.75 * (y[1] * c - y[0] * W * s);
    ret[3] = 60 * (y[0] - 0.8) + 1.5 * y[1];
    ret[4] = 0;
}

static void spring_damper_holds_two_bodies(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  light: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0],\n"
                         "    velocity: [0, -2.25, 0]}\n"
                         "  heavy: {mass: 3, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0],\n"
                         "    velocity: [0, 0.75, 0]}\n"
                         "forces:\n"
                         "  tie: {type: spring-damper, bodies: [light, heavy], points: [[0, 0, 0], "
                         "[1, 0, 0]],\n"
                         "    stiffness: 60, damping: 1.5, rest_length: 0.8}\n"
                         "outputs:\n"
                         "  x: {type: body-pose, body: light}\n"
                         "  v: {type: body-velocity, body: light}\n"
                         "  f: {type: force, force: tie}\n"
                         "  work: {type: work}\n",
        .h = 0.004,
        .end = 2,
        .rate = 10,
        .n = 3,
        .start = {1, 0, 0},
        .rhs = two_stars_rhs,
        .observe = observe_two_stars,
        .quantity = {{"x", 0, 0.75}, {"x", 1, 0.75}, {"v", 0, 3}, {"f", 0, 20}, {"work", 4, 4}},
    };

    (void)state;
    check_order_two(&m);
}

/* ---- reset ---- */

/* After a reset the results have the same bits, also if the tangent of a law depends on the
 * position and an input acts from the first step on. */
static void reset_repeats_the_run(void **state)
{
    static const char text[] = HEAD(
        "[0, -9.81, 0]") "bodies:\n"
                         "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
                         "  b: {mass: 1, inertia: [0.05, 0.05, 0.05], position: [1.3, 0, 0]}\n"
                         "joints:\n"
                         "  h: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, "
                         "0, 1]}\n"
                         "  k: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, "
                         "1]}\n"
                         "forces:\n"
                         "  s: {type: joint-spring-damper, joint: k,\n"
                         "    stiffness_table: {deflection: [-1, 0, 1], force: [-50, 0, 100]}}\n"
                         "  f: {type: friction, joint: h, coulomb: 1}\n"
                         "  l: {type: stop, joint: k, lower: -0.1, upper: 0.1, stiffness: 1000}\n"
                         "inputs:\n"
                         "  u: {type: joint-torque, joint: h}\n"
                         "outputs:\n"
                         "  x: {type: joint-position, joint: h}\n"
                         "  y: {type: joint-position, joint: k}\n";
    struct lk_system *sys = compile(text, 0.001);
    double out[2][2], torque = 1;

    (void)state;
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < 500; i++)
            assert_int_equal(lk_system_step(sys, &torque), 0);
        lk_system_outputs(sys, out[run]);
        lk_system_reset(sys);
    }
    assert_memory_equal(out[0], out[1], sizeof(out[0]));
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_on_line_is_a_bead_on_a_rod),
        cmocka_unit_test(distance_is_a_rod),
        cmocka_unit_test(spring_damper_holds_two_bodies),
        cmocka_unit_test(reset_repeats_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
