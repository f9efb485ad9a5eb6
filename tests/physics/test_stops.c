/* SPDX-License-Identifier: Apache-2.0 */
/* End stops that support each other, with `rattle`: stacked bodies come to rest, no energy is
 * gained, and lasting contacts are of order 2. See known_motion.h, and test_contacts.c for single
 * stops. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STOPS_MAX 10

static double energy_of(const struct lk_system *sys)
{
    return read_output(sys, "energy", 0) + read_output(sys, "energy", 1);
}

static double read_stop(const struct lk_system *sys, char what, int stop)
{
    char name[16];

    snprintf(name, sizeof(name), "%c%d", what, stop);
    return read_output(sys, name, 0);
}

/** struct text - a model under construction */
struct text {
    char text[8192];
    size_t size;
};

#define ADD(t, ...)                                                                                \
    ((t)->size +=                                                                                  \
     (size_t)snprintf((t)->text + (t)->size, sizeof((t)->text) - (t)->size, __VA_ARGS__))

static const char *body_name(int body, char *name)
{
    snprintf(name, 16, body < 0 ? "ground" : "b%d", body);
    return name;
}

static void add_outputs(struct text *t, int n)
{
    ADD(t, "outputs:\n  energy: {type: energy}\n  work: {type: work}\n");
    for (int i = 0; i < n; i++)
        ADD(t,
            "  x%d: {type: joint-position, joint: j%d}\n"
            "  v%d: {type: joint-velocity, joint: j%d}\n"
            "  f%d: {type: force, force: s%d}\n",
            i, i, i, i, i, i);
}

/* ---- a pile: each mass on the stop of the one below ---- */

static double mass_in_pile(int i)
{
    return 1 + i % 3;
}

static void write_pile(struct text *t, int n, double stiffness, double damping)
{
    char below[16];

    t->size = 0;
    ADD(t, HEAD("[0, 0, -9.81]") "bodies:\n");
    for (int i = 0; i < n; i++)
        ADD(t,
            "  b%d: {mass: %g, inertia: [0.1, 0.1, 0.1], position: [0, 0, %g], velocity: [0, 0, "
            "-1]}\n",
            i, mass_in_pile(i), 0.5 + 0.1 * i);
    ADD(t, "joints:\n");
    for (int i = 0; i < n; i++)
        ADD(t, "  j%d: {type: prismatic, bodies: [%s, b%d], point: [0, 0, %g], axis: [0, 0, 1]}\n",
            i, body_name(i - 1, below), i, 0.5 + 0.1 * i);
    ADD(t, "forces:\n");
    for (int i = 0; i < n; i++)
        ADD(t, "  s%d: {type: stop, joint: j%d, lower: -0.05, stiffness: %g, damping: %g}\n", i, i,
            stiffness, damping);
    add_outputs(t, n);
}

/* Check the equilibrium of a pile, to a relative 1e-6. */
static void check_rest(const struct lk_system *sys, int n, double stiffness)
{
    double weight = 0;

    for (int i = n - 1; i >= 0; i--) {
        weight += mass_in_pile(i) * G;
        assert_true(fabs(read_stop(sys, 'v', i)) < 1e-9);
        assert_true(fabs(read_stop(sys, 'f', i) / weight - 1) < 1e-6);
        assert_true(fabs((-0.05 - read_stop(sys, 'x', i)) * stiffness / weight - 1) <
                    1e-6 + 1e-15 * stiffness / weight);
    }
}

/* Ten masses fall together, three of them on soft stops. The stops take energy in each step, except
 * that they lift the masses by at most the distance moved in a step. In the end each stop has the
 * force of the weight above it, and the depth that results from its stiffness. */
static void piles_come_to_rest(void **state)
{
    static const struct {
        int n;
        double stiffness, damping, h, end;
    } pile[] = {{10, 1e6, 1e3, 0.001, 6}, {10, 1e9, 1e4, 0.001, 6}, {10, 1e6, 1e3, 0.01, 20},
                {10, 1e9, 1e4, 0.01, 20}, {10, 1e9, 1e4, 0.02, 20}, {10, 1e9, 0, 0.02, 100},
                {3, 1e4, 200, 0.001, 4},  {3, 1e4, 200, 0.01, 20}};

    (void)state;
    for (size_t i = SANITIZED ? 4 : 0; i < sizeof(pile) / sizeof(*pile); i += SANITIZED ? 2 : 1) {
        double h = pile[i].h, start, before, lift = 20 * G * 3.5 * h;
        struct lk_system *sys;
        struct text t;

        write_pile(&t, pile[i].n, pile[i].stiffness, pile[i].damping);
        sys = compile(t.text, h);
        start = before = energy_of(sys);
        for (int k = 0; k < (int)lround(pile[i].end / h); k++) {
            double energy;

            assert_int_equal(lk_system_step(sys, NULL), 0);
            energy = energy_of(sys);
            assert_true(energy < start + 1e-9 && energy < before + lift);
            before = energy;
        }
        check_rest(sys, pile[i].n, pile[i].stiffness);
        lk_system_free(sys);
    }
}

/* ---- a clutch: ten pendulums in a chain, each between two stops ---- */

static void write_clutch(struct text *t, double stiffness, double damping)
{
    char before[16];

    t->size = 0;
    ADD(t, HEAD("[0, -9.81, 0]") "bodies:\n");
    for (int i = 0; i < STOPS_MAX; i++)
        ADD(t, "  b%d: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [%g, 0, 0]}\n", i,
            0.15 + 0.3 * i);
    ADD(t, "joints:\n");
    for (int i = 0; i < STOPS_MAX; i++)
        ADD(t, "  j%d: {type: revolute, bodies: [%s, b%d], point: [%g, 0, 0], axis: [0, 0, 1]}\n",
            i, body_name(i - 1, before), i, 0.3 * i);
    ADD(t, "forces:\n");
    for (int i = 0; i < STOPS_MAX; i++)
        ADD(t,
            "  s%d: {type: stop, joint: j%d, lower: -0.25, upper: 0.25, stiffness: %g, damping: "
            "%g}\n",
            i, i, stiffness, damping);
    add_outputs(t, STOPS_MAX);
}

/* The clutch is released from the horizontal at rest. Its energy never exceeds the initial energy
 * by more than the oscillation between two hits, which decreases with the square of the step:
 * -1.3e-3 J at 5 ms from 0.13 s on, where nothing is hit. With losses the first pendulums, which
 * carry all others, end at their stops. */
static void clutch_never_gains_energy(void **state)
{
    static const double stiffness[3] = {1e4, 1e6, 1e9}, steps[3] = {0.001, 0.005, 0.02};

    (void)state;
    for (int i = SANITIZED ? 3 : 0; i < 18; i += SANITIZED ? 5 : 1) {
        double k = stiffness[i % 3], c = i / 9 == 0 ? 1e-3 * k : 0, h = steps[i / 3 % 3];
        struct lk_system *sys;
        struct text t;

        write_clutch(&t, k, c);
        sys = compile(t.text, h);
        for (int n = 0; n < (int)lround(3 / h); n++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            if (!(energy_of(sys) < 50 * h * h))
                fail_msg("%g N m/rad, %g s: %g J at %g s", k, h, energy_of(sys), n * h);
        }
        for (int n = 0; n < 3 && c > 0; n++)
            assert_true(fabs(read_stop(sys, 'x', n) + 0.25) < 0.01);
        lk_system_free(sys);
    }
}

/* ---- a ball that falls onto a stop ---- */

/* The ball bounces to its initial height each time, and nothing is dissipated: 58 bounces in 50 s
 * at any step. */
static void ball_bounces_for_ever(void **state)
{
    static const double steps[] = {0.01, 0.003, 0.001};
    static const char text[] =
        HEAD("[0, 0, -9.81]") "bodies:\n"
                              "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 1]}\n"
                              "joints:\n"
                              "  j: {type: prismatic, bodies: [ground, b], point: [0, 0, 1], "
                              "axis: [0, 0, 1], coordinate: 1}\n"
                              "forces:\n  s: {type: stop, joint: j, lower: 0, stiffness: 1e9}\n"
                              "outputs:\n  energy: {type: energy}\n  work: {type: work}\n"
                              "  x: {type: joint-position, joint: j}\n";

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_system *sys = compile(text, steps[i]);
        double highest = 0;

        for (int n = 0; n < (int)lround(50 / steps[i]); n++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            if (lk_system_time(sys) > 49)
                highest = fmax(highest, read_output(sys, "x", 0));
        }
        /* the height is sampled once per step: the largest sample is at most g h^2 / 8 too low */
        assert_true(highest < 1 + 1e-9 && highest > 1 - 1.3 * steps[i] * steps[i] - 1e-9);
        assert_true(fabs(energy_of(sys) - 9.81) < 1e-6);
        assert_true(fabs(read_output(sys, "work", 1)) < 1e-6);
        lk_system_free(sys);
    }
}

/* ---- a slider between two stops ---- */

static const char between_text[] = HEAD(
    "[0, 0, 0]") "bodies:\n"
                 "  b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [1, 0, "
                 "0]}\n"
                 "joints:\n"
                 "  j0: {type: prismatic, bodies: [ground, b], point: [0, 0, 0], axis: [1, 0, 0]}\n"
                 "forces:\n"
                 "  s0: {type: stop, joint: j0, lower: %g, stiffness: 1e9, damping: %g}\n"
                 "  s1: {type: stop, joint: j0, upper: %g, stiffness: 1e9, damping: %g}\n"
                 "outputs:\n"
                 "  x0: {type: joint-position, joint: j0}\n"
                 "  v0: {type: joint-velocity, joint: j0}\n"
                 "  energy: {type: energy}\n";

/* Without dampers the slider moves back and forth forever, even if the gap is shorter than its
 * displacement in a step. With dampers each hit keeps the part of the speed that follows from
 * spring and damper. */
static void slider_between_stops_keeps_its_speed(void **state)
{
    static const double gap[3] = {0.02, 0.001, 1e-5};

    (void)state;
    for (int i = 0; i < 6; i++) {
        double c = i / 3 == 0 ? 0 : 5e3, ratio = 0.5 * c / sqrt(2 * 1e9), before = 1, h = 0.001;
        double kept = exp(-M_PI * ratio / sqrt(1 - ratio * ratio));
        int hits = 0;
        char text[2048];
        struct lk_system *sys;

        snprintf(text, sizeof(text), between_text, -gap[i % 3], c, gap[i % 3], c);
        sys = compile(text, h);
        for (int n = 0; n < 1000; n++) {
            double rate;

            assert_int_equal(lk_system_step(sys, NULL), 0);
            rate = read_output(sys, "v0", 0);
            assert_true(fabs(read_output(sys, "x0", 0)) < gap[i % 3] + h * fabs(rate) + 1e-6);
            if (rate * before < 0) {
                hits++;
                if (fabs(rate) > 1e-3)
                    assert_true(fabs(-rate / before - kept) < 1e-6);
            } else {
                assert_true(fabs(rate / before - 1) < 1e-9);
            }
            before = rate;
        }
        assert_true(hits >= 8);
        lk_system_free(sys);
    }
}

/* ---- both hinges of a parallelogram stop at once ---- */

static const char parallelogram_text[] =
    HEAD("[0, -9.81, 0]") "bodies:\n"
                          "  b0: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, 0.25, 0]}\n"
                          "  b1: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.25, 0.5, 0]}\n"
                          "  b2: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.5, 0.25, 0]}\n"
                          "joints:\n"
                          "  j0: {type: revolute, bodies: [ground, b0], point: [0, 0, 0], axis: "
                          "[0, 0, 1]}\n"
                          "  k: {type: revolute, bodies: [b0, b1], point: [0, 0.5, 0], axis: [0, "
                          "0, 1]}\n"
                          "  l: {type: revolute, bodies: [b1, b2], point: [0.5, 0.5, 0], axis: [0, "
                          "0, 1]}\n"
                          "  j1: {type: revolute, bodies: [ground, b2], point: [0.5, 0, 0], axis: "
                          "[0, 0, 1]}\n"
                          "forces:\n"
                          "  tip: {type: joint-spring-damper, joint: k, stiffness: 1, rest: 3}\n"
                          "  s0: {type: stop, joint: j0, lower: -0.8, upper: 0.8, stiffness: %g, "
                          "damping: %g}\n"
                          "  s1: {type: stop, joint: j1, lower: -0.8, upper: 0.8, stiffness: %g, "
                          "damping: %g}\n"
                          "outputs:\n"
                          "  energy: {type: energy}\n"
                          "  work: {type: work}\n"
                          "  x0: {type: joint-position, joint: j0}\n"
                          "  v0: {type: joint-velocity, joint: j0}\n"
                          "  f0: {type: force, force: s0}\n"
                          "  x1: {type: joint-position, joint: j1}\n"
                          "  v1: {type: joint-velocity, joint: j1}\n"
                          "  f1: {type: force, force: s1}\n";

/* The parallelogram tips over and falls on both stops. In equilibrium they share its weight and the
 * spring torque: 2 k d = g (m l / 2 + m l + m l / 2) sin + spring. The energy oscillates by h^2. */
static void hinges_that_stop_at_once_share_the_load(void **state)
{
    static const double stiffness[3] = {1e4, 1e6, 1e9}, steps[3] = {0.001, 0.005, 0.02};

    (void)state;
    for (int i = 0; i < 9; i += SANITIZED ? 4 : 1) {
        double k = stiffness[i % 3], h = steps[i / 3], start, load, angle = 0.8;
        char text[2048];
        struct lk_system *sys;

        snprintf(text, sizeof(text), parallelogram_text, k, 0.01 * k, k, 0.01 * k);
        sys = compile(text, h);
        start = energy_of(sys);
        for (int n = 0; n < (int)lround(8 / h); n++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            assert_true(energy_of(sys) < start + 20 * h * h);
        }
        for (int n = 0; n < 10; n++) {
            load = G * sin(angle) + (3 - angle);
            angle = 0.8 + load / (2 * k);
        }
        assert_true(fabs((read_stop(sys, 'f', 0) + read_stop(sys, 'f', 1)) / load - 1) < 1e-5);
        for (int n = 0; n < 2; n++) {
            assert_true(fabs(read_stop(sys, 'v', n)) < 1e-9);
            assert_true(fabs(read_stop(sys, 'x', n) + angle) < 1e-9);
            assert_true(fabs(read_stop(sys, 'f', n) / (0.5 * load) - 1) < 5e-3);
        }
        lk_system_free(sys);
    }
}

/* ---- a lasting contact: a double pendulum whose elbow is pressed against its stop ---- */

/* both bodies as one: 1 kg at 0.5 m, 1 kg at 1.2 m, in line */
static void straight_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -G * (0.5 + 1.2) * sin(y[0]) / (0.1 + 0.25 + 0.05 + 1.44);
}

static void observe_straight(double t, const double *y, double *ret)
{
    (void)t;
    ret[0] = y[0];
    ret[1] = y[1];
}

static void contact_that_lasts_has_order_two(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, -9.81, 0]") "bodies:\n"
                             "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: "
                             "[0.49874749330202722, -0.035368600833851, 0]}\n"
                             "  b: {mass: 1, inertia: [0.05, 0.05, 0.05], position: "
                             "[1.1969939839248653, -0.084884642001243, 0]}\n"
                             "joints:\n"
                             "  h: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: "
                             "[0, 0, 1], coordinate: 1.5}\n"
                             "  k: {type: revolute, bodies: [a, b], point: [0.99749498660405445, "
                             "-0.070737201667703, 0], axis: [0, "
                             "0, 1], coordinate: 4e-9}\n"
                             "forces:\n"
                             "  press: {type: joint-spring-damper, joint: k, stiffness: 0.4, rest: "
                             "100}\n"
                             "  s: {type: stop, joint: k, lower: -2, upper: 0, stiffness: 1e10, "
                             "damping: 1e6}\n"
                             "outputs:\n"
                             "  x: {type: joint-position, joint: h}\n"
                             "  v: {type: joint-velocity, joint: h}\n"
                             "  a: {type: joint-acceleration, joint: h}\n"
                             "  f: {type: joint-reaction, joint: h}\n"
                             "  energy: {type: energy}\n",
        .h = 0.01,
        .end = 3,
        .rate = 5,
        .n = 2,
        .start = {1.5, 0},
        .rhs = straight_rhs,
        .observe = observe_straight,
        .quantity = {{"x", 0, 1.5}, {"v", 0, 5}},
    };

    (void)state;
    check_order_two(&m);
}

/* ---- further cases ---- */

/* A driven wall hits a mass at rest: the mass leaves with (1 + e) times the speed of the wall, and
 * the drive has done the work. */
static void driven_wall_hits_a_mass(void **state)
{
    static const char text[] = HEAD(
        "[0, 0, 0]") "bodies:\n"
                     "  wall: {mass: 5, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                     "  b: {mass: 1, inertia: [1, 1, 1], position: [0.1, 0, 0]}\n"
                     "joints:\n"
                     "  run: {type: prismatic, bodies: [ground, wall], point: [0, 0, 0], axis: [1, "
                     "0, 0],\n"
                     "    drive: {harmonic: {amplitude: 1000, omega: 0.001}}}\n"
                     "  j0: {type: prismatic, bodies: [wall, b], point: [0, 0, 0], axis: [1, 0, "
                     "0]}\n"
                     "forces:\n"
                     "  s0: {type: stop, joint: j0, lower: -0.05, stiffness: 1e9, damping: %g}\n"
                     "outputs:\n"
                     "  v0: {type: joint-velocity, joint: j0}\n"
                     "  work: {type: work}\n";

    (void)state;
    for (int i = 0; i < 3; i++) {
        double c = 5e3 * i, ratio = 0.5 * c / sqrt(1e9);
        char whole[2048];
        struct lk_system *sys;

        snprintf(whole, sizeof(whole), text, c);
        sys = compile(whole, 0.001);
        for (int n = 0; n < 100; n++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(fabs(read_output(sys, "v0", 0) - exp(-M_PI * ratio / sqrt(1 - ratio * ratio))) <
                    1e-5);
        assert_true(fabs(read_output(sys, "work", 4)) < 1e-3);
        lk_system_free(sys);
    }
}

/* A stop at the slider of a crank that starts at its dead centre. There a force on the slider moves
 * nothing, so whether the stop is soft or hard cannot be decided at this pose. */
static void crank_from_its_dead_centre_meets_a_stop(void **state)
{
    static const char text[] = HEAD(
        "[0, 0, 0]") "bodies:\n"
                     "  c: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0],\n"
                     "    angular_velocity: [0, 0, 20], velocity: [0, 2, 0]}\n"
                     "  r: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0.45, 0, 0],\n"
                     "    angular_velocity: [0, 0, -8], velocity: [0, 2, 0]}\n"
                     "  p: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.7, 0, 0]}\n"
                     "joints:\n"
                     "  h: {type: revolute, bodies: [ground, c], point: [0, 0, 0], axis: [0, 0, "
                     "1]}\n"
                     "  k: {type: revolute, bodies: [c, r], point: [0.2, 0, 0], axis: [0, 0, 1]}\n"
                     "  l: {type: revolute, bodies: [r, p], point: [0.7, 0, 0], axis: [0, 0, 1]}\n"
                     "  j0: {type: prismatic, bodies: [ground, p], point: [0.7, 0, 0], axis: [1, "
                     "0, 0]}\n"
                     "forces:\n"
                     "  s0: {type: stop, joint: j0, lower: -0.15, stiffness: %g, damping: %g}\n"
                     "outputs:\n"
                     "  energy: {type: energy}\n"
                     "  v0: {type: joint-velocity, joint: j0}\n";
    static const double stiffness[3] = {1e4, 1e6, 1e9}, steps[2] = {0.001, 0.005};

    (void)state;
    for (int i = 0; i < 12; i += SANITIZED ? 5 : 1) {
        double k = stiffness[i % 3], c = i / 6 == 0 ? 1e-3 * k : 0, h = steps[i / 3 % 2], start;
        char whole[2048];
        struct lk_system *sys;

        snprintf(whole, sizeof(whole), text, k, c);
        sys = compile(whole, h);
        start = energy_of(sys);
        for (int n = 0; n < (int)lround(4 / h); n++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            if (!(energy_of(sys) < start + 2000 * h * h))
                fail_msg("%g N/m, %g s: %g J at %g s", k, h, energy_of(sys) - start, n * h);
        }
        lk_system_free(sys);
    }
}

/* Friction, a spring and a stop along one coordinate: the body rests where spring and weight press
 * it, and the force of the stop is the sum of both. */
static void stop_beside_friction_and_spring(void **state)
{
    static const char text[] = HEAD(
        "[0, 0, -9.81]") "bodies:\n"
                         "  b: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.2]}\n"
                         "joints:\n"
                         "  j0: {type: prismatic, bodies: [ground, b], point: [0, 0, 0.2], axis: "
                         "[0, 0, 1]}\n"
                         "forces:\n"
                         "  s0: {type: stop, joint: j0, lower: -0.1, stiffness: %g, damping: %g}\n"
                         "  rub: {type: friction, joint: j0, coulomb: 3}\n"
                         "  spring: {type: joint-spring-damper, joint: j0, stiffness: 100, rest: "
                         "-0.5, damping: 1}\n"
                         "outputs:\n"
                         "  energy: {type: energy}\n"
                         "  x0: {type: joint-position, joint: j0}\n"
                         "  v0: {type: joint-velocity, joint: j0}\n"
                         "  f0: {type: force, force: s0}\n"
                         "  g: {type: joint-reaction, joint: j0}\n";
    static const double stiffness[2] = {1e6, 1e9}, steps[3] = {0.01, 0.001, 0.0001};

    (void)state;
    for (int i = 0; i < 6; i += SANITIZED ? 3 : 1) {
        double k = stiffness[i % 2], h = steps[i / 2], load = 2 * G + 100 * 0.4, start;
        char whole[2048];
        struct lk_system *sys;

        snprintf(whole, sizeof(whole), text, k, 1e-3 * k);
        sys = compile(whole, h);
        start = energy_of(sys);
        for (int n = 0; n < (int)lround(2 / h); n++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            assert_true(energy_of(sys) < start + 1e-9);
        }
        assert_true(fabs(read_stop(sys, 'v', 0)) < 1e-9);
        assert_true(fabs(read_stop(sys, 'f', 0) / load - 1) < 1e-3);
        assert_true(fabs((-0.1 - read_stop(sys, 'x', 0)) * k / load - 1) < 1e-3);
        lk_system_free(sys);
    }
}

/* A reset during contacts gives the same bits. */
static void reset_keeps_the_bits(void **state)
{
    double first[OUTPUTS_MAX], again[OUTPUTS_MAX];
    struct lk_system *sys;
    struct text t;

    (void)state;
    write_clutch(&t, 1e9, 1e6);
    sys = compile(t.text, 0.01);
    for (int run = 0; run < 2; run++) {
        for (int i = 0; i < 150; i++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_outputs(sys, run == 0 ? first : again);
        lk_system_reset(sys);
    }
    assert_memory_equal(first, again, (size_t)lk_system_output_size(sys) * sizeof(double));
    lk_system_free(sys);
}

/* An input that stays 0 changes no bit of the work of drives. The model has bodies without inertia,
 * which transmit forces, and stops, with which the work of a jump is computed separately. */
static void input_at_rest_moves_no_drive(void **state)
{
    double work[2];

    (void)state;
    for (int has_input = 0; has_input < 2; has_input++) {
        struct lk_system *sys;
        struct text t = {0};
        double at_rest[3] = {0};

        ADD(&t,
            "linkage: 1\nname: driven\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  arm: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0.5, 0, 0]}\n"
            "  ring: {mass: 0, inertia: [0, 0, 0], position: [1, 0, 0]}\n"
            "  bob: {mass: 2, inertia: [0.1, 0.12, 0.1], position: [1.5, 0, 0]}\n"
            "  flap: {mass: 1, inertia: [0.1, 0.1, 0.02], position: [0, 1, -0.5]}\n"
            "joints:\n"
            "  motor: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], "
            "axis: [0, 1, 0], drive: {harmonic: {amplitude: 1, omega: 20}}}\n"
            "  first: {type: revolute, bodies: [arm, ring], point: [1, 0, 0], axis: [0, 1, 0]}\n"
            "  second: {type: revolute, bodies: [ring, bob], point: [1, 0, 0], "
            "axis: [0, 0, 1]}\n"
            "  hinge: {type: revolute, bodies: [ground, flap], point: [0, 1, 0], "
            "axis: [1, 0, 0]}\n"
            "forces:\n"
            "  end: {type: stop, joint: hinge, lower: -0.1, upper: 0.1, stiffness: 1e6}\n");
        if (has_input)
            ADD(&t, "inputs:\n  push: {type: body-force, body: flap, frame: world, "
                    "point: [0, 1, -0.5]}\n");
        ADD(&t, "outputs:\n  work: {type: work}\n");
        sys = compile(t.text, 0.01);
        for (int i = 0; i < 50; i++)
            assert_int_equal(lk_system_step(sys, has_input ? at_rest : NULL), 0);
        work[has_input] = read_output(sys, "work", 2);
        lk_system_free(sys);
    }
    assert_true(work[0] > 100);
    assert_true(work[0] == work[1]);
}

static int choose_step(void **state)
{
    (void)state;
    step_with("rattle");
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(piles_come_to_rest),
        cmocka_unit_test(clutch_never_gains_energy),
        cmocka_unit_test(ball_bounces_for_ever),
        cmocka_unit_test(slider_between_stops_keeps_its_speed),
        cmocka_unit_test(hinges_that_stop_at_once_share_the_load),
        cmocka_unit_test(contact_that_lasts_has_order_two),
        cmocka_unit_test(driven_wall_hits_a_mass),
        cmocka_unit_test(crank_from_its_dead_centre_meets_a_stop),
        cmocka_unit_test(stop_beside_friction_and_spring),
        cmocka_unit_test(reset_keeps_the_bits),
        cmocka_unit_test(input_at_rest_moves_no_drive),
    };
    return cmocka_run_group_tests(tests, choose_step, NULL);
}
