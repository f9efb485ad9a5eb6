/* SPDX-License-Identifier: Apache-2.0 */
/* Gears, differentials, planetary gears and racks, each in a mechanism with known motion; see
 * known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Gear: T sin(5 t) on the first of two wheels, J = 0.1 and 0.4, ratio -0.5. The effective inertia
 * of the first is 0.1 + 0.25 0.4 = 0.2, and its angle increases continuously. */
static void observe_gear(double t, const double *y, double *ret)
{
    const double A = 4 / 0.2, W = 5;

    (void)y;
    ret[0] = A / W * (t - sin(W * t) / W);
    ret[1] = A / W * (1 - cos(W * t));
    ret[2] = A * sin(W * t);
    for (int i = 0; i < 3; i++)
        ret[3 + i] = -0.5 * ret[i];
    ret[6] = 0;
}

#define WHEELS_OUTPUTS                                                                             \
    "  x: {type: joint-position, joint: a}\n"                                                      \
    "  v: {type: joint-velocity, joint: a}\n"                                                      \
    "  s: {type: joint-acceleration, joint: a}\n"                                                  \
    "  p: {type: joint-position, joint: b}\n"                                                      \
    "  q: {type: joint-velocity, joint: b}\n"                                                      \
    "  r: {type: joint-acceleration, joint: b}\n"                                                  \
    "  work: {type: work}\n"

static void gear_reduces_inertia(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  small: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                         "  large: {mass: 1, inertia: [0.4, 0.4, 0.4], position: [0.6, 0, 0]}\n"
                         "joints:\n"
                         "  a: {type: revolute, bodies: [ground, small], point: [0, 0, 0], axis: "
                         "[0, 0, 1]}\n"
                         "  b: {type: revolute, bodies: [ground, large], point: [0.6, 0, 0], axis: "
                         "[0, 0, 1]}\n"
                         "  mesh: {type: gear, joints: [a, b], ratio: -0.5}\n"
                         "forces:\n"
                         "  turn: {type: harmonic-torque, body: small, amplitude: [0, 0, 4], "
                         "omega: 5}\n"
                         "outputs:\n" WHEELS_OUTPUTS,
        .h = 0.004,
        .end = 4,
        .rate = 5,
        .observe = observe_gear,
        .quantity = {{"x", 0, 4},
                     {"v", 0, 8},
                     {"s", 0, 20},
                     {"p", 0, 2},
                     {"q", 0, 4},
                     {"r", 0, 10},
                     {"work", 4, 20}},
    };

    (void)state;
    check_order_two(&m);
}

/* Differential with ratio r: 0.5 sin(5 t) on the shaft, J = 0.02, of two wheels, J = 0.4 and 1.2.
 * Both wheels get the same torque t, the reaction on the shaft is 2 t / r, and the shaft rotates by
 * r / 2 of the sum of their angles. */
#define DIFFERENTIAL 3.5
static void observe_differential(double t, const double *y, double *ret)
{
    double r = DIFFERENTIAL, load = 0.02 * r / 2 * (1 / 0.4 + 1 / 1.2) + 2 / r;
    double a = 0.5 / load, turned = (t - sin(5 * t) / 5) / 5; /* double integral of sin(5 t) */

    (void)y;
    ret[0] = a / 0.4 * turned;
    ret[1] = a / 1.2 * turned;
    ret[2] = r / 2 * (ret[0] + ret[1]);
    ret[3] = a / 0.4 * sin(5 * t);
}

static void differential_halves_the_torque(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  a: {mass: 1, inertia: [0.1, 0.02, 0.1], position: [0, 0, 0]}\n"
                         "  b: {mass: 1, inertia: [0.3, 0.4, 0.3], position: [0, 1, 0]}\n"
                         "  c: {mass: 1, inertia: [1, 1.2, 1], position: [0, -1, 0]}\n"
                         "joints:\n"
                         "  shaft: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: "
                         "[0, 1, 0]}\n"
                         "  left: {type: revolute, bodies: [ground, b], point: [0, 1, 0], axis: "
                         "[0, 1, 0]}\n"
                         "  right: {type: revolute, bodies: [ground, c], point: [0, -1, 0], axis: "
                         "[0, 1, 0]}\n"
                         "  axle: {type: differential, joints: [shaft, left, right], ratio: 3.5}\n"
                         "forces:\n"
                         "  motor: {type: harmonic-torque, body: a, amplitude: [0, 0.5, 0], omega: "
                         "5}\n"
                         "outputs:\n"
                         "  l: {type: joint-position, joint: left}\n"
                         "  r: {type: joint-position, joint: right}\n"
                         "  s: {type: joint-position, joint: shaft}\n"
                         "  a: {type: joint-acceleration, joint: left}\n"
                         "  work: {type: work}\n",
        .h = 0.004,
        .end = 2,
        .rate = 5,
        .observe = observe_differential,
        .quantity = {{"l", 0, 1}, {"r", 0, 1}, {"s", 0, 3}, {"a", 0, 2}},
    };

    (void)state;
    check_order_two(&m);
}

/* Compute the momentum of a pair. Six bodies in free flight are joined in pairs by hinges, which a
 * differential couples. Its forces act within each pair, so the momentum of each pair and the
 * energy of all are constant. */
static void pair_momentum(const struct lk_system *sys, int pair, double ret[6])
{
    memset(ret, 0, 6 * sizeof(double));
    for (int i = 2 * pair; i < 2 * pair + 2; i++) {
        struct lk_body_state b;
        double w[3], mass = 1 + 0.2 * i;
        const double *q, *x, *v;

        lk_system_body_state(sys, i, &b);
        q = b.orientation;
        x = b.position;
        v = b.velocity;
        /* all moments are 0.1: J w in world axes is 0.1 R w */
        for (int k = 0; k < 3; k++) {
            int n = (k + 1) % 3, p = (k + 2) % 3;
            const double *l = b.angular_velocity;

            w[k] = (1 - 2 * (q[1 + n] * q[1 + n] + q[1 + p] * q[1 + p])) * l[k] +
                   2 * (q[1 + k] * q[1 + n] - q[0] * q[1 + p]) * l[n] +
                   2 * (q[1 + k] * q[1 + p] + q[0] * q[1 + n]) * l[p];
        }
        for (int k = 0; k < 3; k++) {
            ret[k] += mass * v[k];
            ret[3 + k] += 0.1 * w[k] + mass * (x[(k + 1) % 3] * v[(k + 2) % 3] -
                                               x[(k + 2) % 3] * v[(k + 1) % 3]);
        }
    }
}

#define FLYING(name, mass, x, y, w)                                                                \
    "  " name ": {mass: " mass ", inertia: [0.1, 0.1, 0.1], position: [" x ", " y                  \
    ", 0], angular_velocity: " w "}\n"

static void differential_acts_within_its_pairs(void **state)
{
    static const char text[] = HEAD("[0, 0, 0]") "bodies:\n" FLYING("a", "1", "0", "0", "[1, 2, 3]")
        FLYING("b", "1.2", "0.5", "0", "[-2, 1, 0]") FLYING("c", "1.4", "0", "2", "[0, 1, 2]")
            FLYING("d", "1.6", "0.5", "2", "[3, 0, -2]") FLYING("e", "1.8", "0", "4", "[1, 1, 5]")
                FLYING("f", "2", "0.5", "4",
                       "[2, -1, 1]") "joints:\n"
                                     "  p: {type: revolute, bodies: [a, b], point: [0.2, "
                                     "0, 0], axis: [1, 0, 0]}\n"
                                     "  q: {type: revolute, bodies: [c, d], point: [0.2, "
                                     "2, 0], axis: [1, 1, 0]}\n"
                                     "  r: {type: revolute, bodies: [e, f], point: [0.2, "
                                     "4, 0], axis: [0, 0, 1]}\n"
                                     "  axle: {type: differential, joints: [p, q, r], "
                                     "ratio: 2}\n"
                                     "outputs:\n"
                                     "  p: {type: joint-position, joint: p}\n"
                                     "  q: {type: joint-position, joint: q}\n"
                                     "  r: {type: joint-position, joint: r}\n"
                                     "  energy: {type: energy}\n"
                                     "solver: {formulation: rattle}\n";
    struct lk_system *sys = compile(text, 0.001);
    double before[3][6], after[3][6], energy = read_output(sys, "energy", 0);

    (void)state;
    for (int k = 0; k < 3; k++)
        pair_momentum(sys, k, before[k]);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    assert_true(fabs(read_output(sys, "q", 0) + read_output(sys, "r", 0) -
                     read_output(sys, "p", 0)) < 1e-9);
    assert_true(fabs(read_output(sys, "p", 0)) > 0.5);
    assert_true(fabs(read_output(sys, "energy", 0) - energy) < 1e-4 * energy);
    for (int k = 0; k < 3; k++) {
        pair_momentum(sys, k, after[k]);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(after[k][i] - before[k][i]) < 1e-9);
    }
    lk_system_free(sys);
}

/* A planetary gear train with a fixed ring: sun 20, planet 10, ring 40 teeth. Willis: the carrier
 * rotates by n = 20 / (20 + 40) of the sun, the planet by n (1 - 40 / 10) in space. Both meshes are
 * gears between joints at the moving carrier. The torque on the sun is 0.4 sin(5 t): J = Js + n^2
 * (Jc + m R^2 + Jp 9), R = 0.3 */
static void observe_planets(double t, const double *y, double *ret)
{
    const double n = 1.0 / 3, J = 0.02 + n * n * (0.1 + 0.5 * 0.09 + 0.01 * 9), A = 0.4 / J, W = 5;
    double sun = A / W * (t - sin(W * t) / W), rate = A / W * (1 - cos(W * t));

    (void)y;
    ret[0] = n * sun;       /* carrier */
    ret[1] = (1 - n) * sun; /* sun relative to carrier */
    ret[2] = -4 * n * sun;  /* planet relative to carrier */
    ret[3] = rate;          /* sun */
    ret[4] = -3 * n * rate; /* planet in space */
    ret[5] = n * A * sin(W * t);
    ret[6] = 0;
}

static void planetary_gear_obeys_willis(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  carrier: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                         "  sun: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0]}\n"
                         "  planet: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, "
                         "0]}\n"
                         "joints:\n"
                         "  c: {type: revolute, bodies: [ground, carrier], point: [0, 0, 0], axis: "
                         "[0, 0, 1]}\n"
                         "  s: {type: revolute, bodies: [carrier, sun], point: [0, 0, 0], axis: "
                         "[0, 0, 1]}\n"
                         "  p: {type: revolute, bodies: [carrier, planet], point: [0.3, 0, 0], "
                         "axis: [0, 0, 1]}\n"
                         "  inner: {type: gear, joints: [s, p], ratio: -2}\n"
                         "  ring: {type: gear, joints: [c, p], ratio: -4}\n"
                         "forces:\n"
                         "  turn: {type: harmonic-torque, body: sun, amplitude: [0, 0, 0.4], "
                         "omega: 5}\n"
                         "outputs:\n"
                         "  c: {type: joint-position, joint: c}\n"
                         "  s: {type: joint-position, joint: s}\n"
                         "  p: {type: joint-position, joint: p}\n"
                         "  ws: {type: body-velocity, body: sun}\n"
                         "  wp: {type: body-velocity, body: planet}\n"
                         "  a: {type: joint-acceleration, joint: c}\n"
                         "  work: {type: work}\n",
        .h = 0.002,
        .end = 4,
        .rate = 8, /* rate of the planet's centre */
        .observe = observe_planets,
        .quantity = {{"c", 0, 2},
                     {"s", 0, 4},
                     {"p", 0, 8},
                     {"ws", 5, 5},
                     {"wp", 5, 5},
                     {"a", 0, 10},
                     {"work", 4, 2}},
    };

    (void)state;
    check_order_two(&m);
}

/* Rack: a pinion, J = 0.02, radius 0.1, pushes a rack of 2 kg against a spring: (m + J / r^2) x'' =
 * -k x + T / r sin(5 t), M = 4, w = 6 */
static void observe_rack(double t, const double *y, double *ret)
{
    const double M = 4, w = 6, W = 5, X = 3 / 0.1 / (M * (w * w - W * W));

    (void)y;
    ret[3] = X * (sin(W * t) - W / w * sin(w * t));
    ret[4] = X * W * (cos(W * t) - cos(w * t));
    ret[5] = X * W * (w * sin(w * t) - W * sin(W * t));
    for (int i = 0; i < 3; i++)
        ret[i] = ret[3 + i] / 0.1;
    ret[6] = 0;
}

static void rack_pushes_a_spring(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  pinion: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, 0.1, 0]}\n"
                         "  bar: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                         "joints:\n"
                         "  a: {type: revolute, bodies: [ground, pinion], point: [0, 0.1, 0], "
                         "axis: [0, 0, 1]}\n"
                         "  b: {type: prismatic, bodies: [ground, bar], point: [0, 0, 0], axis: "
                         "[1, 0, 0]}\n"
                         "  teeth: {type: rack, joints: [a, b], radius: 0.1}\n"
                         "forces:\n"
                         "  turn: {type: harmonic-torque, body: pinion, amplitude: [0, 0, 3], "
                         "omega: 5}\n"
                         "  spring: {type: joint-spring-damper, joint: b, stiffness: 144}\n"
                         "outputs:\n" WHEELS_OUTPUTS,
        .h = 0.004,
        .end = 4,
        .rate = 6,
        .observe = observe_rack,
        .quantity = {{"x", 0, 13},
                     {"v", 0, 70},
                     {"s", 0, 400},
                     {"p", 0, 1.3},
                     {"q", 0, 7},
                     {"r", 0, 40},
                     {"work", 4, 100}},
    };

    (void)state;
    check_order_two(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gear_reduces_inertia),
        cmocka_unit_test(differential_halves_the_torque),
        cmocka_unit_test(differential_acts_within_its_pairs),
        cmocka_unit_test(planetary_gear_obeys_willis),
        cmocka_unit_test(rack_pushes_a_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
