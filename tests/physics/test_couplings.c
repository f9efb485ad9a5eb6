/* SPDX-License-Identifier: Apache-2.0 */
/* Gears between sliding joints; test_mechanisms_gears.c has gears between angles. See
 * known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>

/* A block of 2 kg, loaded with 6 N sin 3 t, moves one of 5 kg by -0.4 times its displacement,
 * perpendicular to it. */
#define RATIO  (-0.4)
#define WEIGHT (2 + 5 * RATIO * RATIO)

static void observe(double t, const double *y, double *ret)
{
    double a = 6 / WEIGHT * sin(3 * t);

    (void)y;
    ret[0] = 6 / WEIGHT * (t / 3 - sin(3 * t) / 9);
    ret[1] = RATIO * ret[0];
    ret[2] = 6 / WEIGHT * (1 - cos(3 * t)) / 3;
    ret[3] = RATIO * a;
}

static const struct mechanism slides = {
    .text = HEAD(
        "[0, 0, -9.81]") "bodies:\n"
                         "  light: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 0]}\n"
                         "  heavy: {mass: 5, inertia: [0.4, 0.4, 0.4], position: [0, 0.7, 0.1]}\n"
                         "joints:\n"
                         "  p: {type: prismatic, bodies: [ground, light], point: [0, 0, 0], axis: "
                         "[1, "
                         "0, 0]}\n"
                         "  q: {type: prismatic, bodies: [ground, heavy], point: [0, 0, 0], axis: "
                         "[0, "
                         "1, 0], coordinate: 3}\n"
                         "  rods: {type: gear, joints: [p, q], ratio: -0.4}\n"
                         "forces:\n"
                         "  push: {type: harmonic-force, body: light, amplitude: [6, 0, 0], omega: "
                         "3}\n"
                         "outputs:\n"
                         "  p: {type: joint-position, joint: p}\n"
                         "  q: {type: point-position, body: heavy, point: [0, 0, 0]}\n"
                         "  v: {type: joint-velocity, joint: p}\n"
                         "  b: {type: joint-acceleration, joint: q}\n",
    .h = 0.01,
    .end = 4,
    .rate = 3,
    .observe = observe,
    .quantity = {{"p", 0, 4}, {"q", 1, 2}, {"v", 0, 2}, {"b", 0, 3}},
};

static void test_two_slides(void **state)
{
    (void)state;
    step_with("ali3");
    check_order_two(&slides);
    step_with("rattle");
    check_order_two(&slides);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_slides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
