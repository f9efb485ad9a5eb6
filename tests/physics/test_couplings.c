/* SPDX-License-Identifier: Apache-2.0 */
/* Gears between sliding joints; test_mechanisms_gears.c has gears between angles. See
 * known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <string.h>

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

/* Couplings with compliance: a flywheel drives another one by a springy gear, which moves a block
 * by a springy rack; and three flywheels on a springy differential. Each coupling is a spring and
 * damper on the violation of its row. */
#define FLYWHEEL(name, inertia, y, motion)                                                         \
    "  " name ": {mass: 1, inertia: [1, " inertia ", 1], position: [0, " y ", 0]" motion "}\n"
#define HINGE(name, y)                                                                             \
    "  " name ": {type: revolute, bodies: [ground, " name "], point: [0, " y                       \
    ", 0], axis: [0, 1, 0]}\n"
#define TURNS ", angular_velocity: [0, 3, 0]"

static void train_rhs(double t, const double *y, double *dy)
{
    double gear = 30 * (y[1] - 2 * y[0]) + 0.05 * (y[4] - 2 * y[3]);
    double rack = 4000 * (y[2] - 0.05 * y[1]) + 8 * (y[5] - 0.05 * y[4]);

    (void)t;
    memcpy(dy, y + 3, 3 * sizeof(*y));
    dy[3] = 2 * gear / 0.5;
    dy[4] = (0.05 * rack - gear) / 0.2;
    dy[5] = -rack / 2;
}

static void differential_rhs(double t, const double *y, double *dy)
{
    double spring = 20 * (y[1] + y[2] - y[0]) + 0.1 * (y[4] + y[5] - y[3]);

    (void)t;
    memcpy(dy, y + 3, 3 * sizeof(*y));
    dy[3] = spring / 0.5;
    dy[4] = -spring / 0.2;
    dy[5] = -spring / 0.4;
}

static void observe_springy(double t, const double *y, double *ret)
{
    (void)t;
    memcpy(ret, y, 6 * sizeof(*y));
}

#define SEEN                                                                                       \
    "outputs:\n"                                                                                   \
    "  p: {type: joint-position, joint: a}\n  q: {type: joint-position, joint: b}\n"               \
    "  r: {type: joint-position, joint: c}\n  u: {type: joint-velocity, joint: a}\n"               \
    "  v: {type: joint-velocity, joint: b}\n  w: {type: joint-velocity, joint: c}\n"
#define QUANTITIES                                                                                 \
    {                                                                                              \
        {"p", 0, 3}, {"q", 0, 3}, {"r", 0, 3}, {"u", 0, 3}, {"v", 0, 3},                           \
        {                                                                                          \
            "w", 0, 3                                                                              \
        }                                                                                          \
    }

static const struct mechanism train = {
    .text = HEAD("[0, 0, 0]") "bodies:\n" FLYWHEEL("a", "0.5", "0", TURNS)
        FLYWHEEL("b", "0.2", "1", "") "  c: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
                                      "joints:\n" HINGE("a", "0") HINGE(
                                          "b", "1") "  c: {type: prismatic, bodies: [ground, c], "
                                                    "point: [0, 0, 1], axis: [1, 0, 0]}\n"
                                                    "  gear: {type: gear, joints: [a, b], ratio: "
                                                    "2, compliance: {stiffness: [30], damping: "
                                                    "[0.05]}}\n"
                                                    "  rack: {type: rack, joints: [b, c], radius: "
                                                    "0.05, compliance: {stiffness: [4000], "
                                                    "damping: [8]}}\n" SEEN,
    .h = 0.001,
    .end = 1,
    .rate = 60,
    .n = 6,
    .start = {0, 0, 0, 3, 0, 0},
    .rhs = train_rhs,
    .observe = observe_springy,
    .quantity = QUANTITIES,
};

static const struct mechanism differential = {
    .text = HEAD("[0, 0, 0]") "bodies:\n" FLYWHEEL("a", "0.5", "0", TURNS)
        FLYWHEEL("b", "0.2", "1", "") FLYWHEEL("c", "0.4", "2", "") "joints:\n" HINGE("a", "0")
            HINGE("b", "1") HINGE("c", "2") "  d: {type: differential, joints: [a, b, c], ratio: "
                                            "2, compliance: {stiffness: [20], "
                                            "damping: [0.1]}}\n" SEEN,
    .h = 0.001,
    .end = 1,
    .rate = 15,
    .n = 6,
    .start = {0, 0, 0, 3, 0, 0},
    .rhs = differential_rhs,
    .observe = observe_springy,
    .quantity = QUANTITIES,
};

static void test_springy(void **state)
{
    static const char *const formulations[] = {"ali3", "rattle"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        step_with(formulations[i]);
        check_order_two(&train);
        check_order_two(&differential);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_slides),
        cmocka_unit_test(test_springy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
