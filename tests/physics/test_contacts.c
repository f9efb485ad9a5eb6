/* SPDX-License-Identifier: Apache-2.0 */
/* Friction and end stops; see known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- friction ---- */

/* a block on an incline of 0.3 rad, or on a level guide */
static const char incline_text[] =
    HEAD("[%.17g, %.17g, 0]") "bodies:\n"
                              "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], "
                              "velocity: [%g, 0, 0]}\n"
                              "joints:\n"
                              "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, "
                              "0], axis: [1, 0, 0]}\n"
                              "forces:\n"
                              "  rub: {type: friction, joint: guide, coulomb: %.17g, creep: %g}\n"
                              "outputs:\n"
                              "  x: {type: joint-position, joint: guide}\n"
                              "  v: {type: joint-velocity, joint: guide}\n"
                              "  a: {type: joint-acceleration, joint: guide}\n"
                              "  f: {type: force, force: rub}\n"
                              "  work: {type: work}\n";

static struct lk_system *compile_incline(double angle, double speed, double coulomb, double creep,
                                         double h)
{
    char text[2048];

    snprintf(text, sizeof(text), incline_text, G * sin(angle), -G * cos(angle), speed, coulomb,
             creep);
    return compile(text, h);
}

/* The load is 0.8 of the friction: the block creeps at the rate at which tanh(rate / creep) = 0.8,
 * and no faster. The creep rate is given in the file, or it is C h / (2 m). */
static void friction_sticks_but_for_creep(void **state)
{
    const double load = 2 * G * sin(0.3), coulomb = load / 0.8, h = 0.001;

    (void)state;
    for (int k = 0; k < 3; k++) {
        double step = k == 1 ? 0.5 * h : h, said = k == 2 ? 0.02 : 0;
        double creep = k == 2 ? said : coulomb * step / (2 * 2);
        struct lk_system *sys = compile_incline(0.3, 0, coulomb, said, step);

        for (int i = 0; i < 2000; i++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            assert_true(read_output(sys, "v", 0) < 1.2 * creep * atanh(0.8));
        }
        assert_true(fabs(read_output(sys, "v", 0) - creep * atanh(0.8)) < 1e-9);
        assert_true(fabs(read_output(sys, "f", 0) + load) < 1e-6 * load);
        lk_system_free(sys);
    }
}

/* The friction is less than the load, and the motion is fast relative to the creep rate: a = g sin
 * - C / m, a parabola, which the trapezoidal rule reproduces exactly. */
static void friction_slides_by_a_constant_force(void **state)
{
    const double load = 2 * G * sin(0.3), coulomb = 0.6 * load, a = 0.4 * load / 2;
    struct lk_system *sys = compile_incline(0.3, 1, coulomb, 0, 0.001);

    (void)state;
    for (int i = 1; i <= 2000; i++) {
        double t = i * 0.001;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(fabs(read_output(sys, "x", 0) - t * (1 + 0.5 * a * t)) < 1e-9);
        assert_true(fabs(read_output(sys, "v", 0) - (1 + a * t)) < 1e-9);
        assert_true(fabs(read_output(sys, "f", 0) + coulomb) < 1e-6 * coulomb);
    }
    assert_true(fabs(read_output(sys, "work", 4)) < 1e-6);
    lk_system_free(sys);
}

/* A heavy block drags a wheel that is light compared with its friction. The tangent of sticking
 * friction, relative to the inertia of the wheel, is very large; it must not hold the wheel while
 * it slides. */
static void friction_slides_on_a_light_wheel(void **state)
{
    static const char text[] =
        HEAD("[9.81, 0, 0]") "bodies:\n"
                             "  block: {mass: 20, inertia: [1, 1, 1], position: [0, 0, 0],\n"
                             "    velocity: [1, 0, 0]}\n"
                             "  wheel: {mass: 0.5, inertia: [0.001, 0.001, 0.001],\n"
                             "    position: [0, 1, 0], angular_velocity: [0, 0, 10]}\n"
                             "joints:\n"
                             "  guide: {type: prismatic, bodies: [ground, block],\n"
                             "    point: [0, 0, 0], axis: [1, 0, 0]}\n"
                             "  hinge: {type: revolute, bodies: [ground, wheel],\n"
                             "    point: [0, 1, 0], axis: [0, 0, 1]}\n"
                             "  rack: {type: rack, radius: 0.1, joints: [hinge, guide]}\n"
                             "forces:\n"
                             "  rub: {type: friction, joint: hinge, coulomb: 0.3}\n"
                             "outputs:\n"
                             "  a: {type: joint-acceleration, joint: guide}\n"
                             "  f: {type: force, force: rub}\n"
                             "  work: {type: work}\n";
    struct lk_system *sys = compile(text, 0.001);

    (void)state;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(fabs(read_output(sys, "a", 0) - (20 * 9.81 - 0.3 / 0.1) / (20 + 0.1)) < 1e-9);
        assert_true(fabs(read_output(sys, "f", 0) + 0.3) < 1e-9);
    }
    assert_true(fabs(read_output(sys, "work", 4)) < 1e-9);
    lk_system_free(sys);
}

/* A block thrown along the level guide stops after v^2 / 2a, plus pi^2/12 creep^2 / a because of
 * the tanh. The error of the last step may be the braking distance of a step, a h^2. The block must
 * not move back. */
static void friction_stops_a_block(void **state)
{
    const double coulomb = 4, a = coulomb / 2, h = 0.001, creep = coulomb * h / 4;
    struct lk_system *sys = compile_incline(0, 1, coulomb, 0, h);
    double farthest = 0;

    (void)state;
    for (int i = 1; i <= 3000; i++) {
        assert_int_equal(lk_system_step(sys, NULL), 0);
        farthest = fmax(farthest, read_output(sys, "x", 0));
    }
    assert_true(fabs(read_output(sys, "x", 0) - 0.5 / a) < creep * creep / a + a * h * h);
    assert_true(farthest - read_output(sys, "x", 0) < a * h * h);
    assert_true(fabs(read_output(sys, "v", 0)) < 1e-9);
    assert_true(fabs(read_output(sys, "work", 1) - 1) < coulomb * (a * h * h + creep * h));
    lk_system_free(sys);
}

/* Return a friction force with Stribeck effect and viscous part. It is smooth enough for the step:
 * order 2. */
static double stribeck_force(double v)
{
    return (4 + 2 * exp(-(v / 0.3) * (v / 0.3))) * tanh(v / 0.2) + 1.5 * v;
}

static void stribeck_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = (-200 * y[0] - stribeck_force(y[1])) / 2;
}

static void observe_stribeck(double t, const double *y, double *ret)
{
    double dy[2];

    stribeck_rhs(t, y, dy);
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = dy[1];
    ret[3] = -stribeck_force(y[1]);
    ret[4] = -200 * y[0];
    ret[5] = 0;
}

static void smooth_friction_has_order_two(void **state)
{
    static const struct mechanism m = {
        .text = SLIDER(
            "[0, 0, 0]", ", coordinate: 0.2",
            "  spring: {type: joint-spring-damper, joint: guide, stiffness: 200}\n"
            "  rub: {type: friction, joint: guide, coulomb: 4, stick: 6,\n"
            "    stribeck: 0.3, creep: 0.2, damping: 1.5}\n") "  f: {type: force, force: rub}\n"
                                                              "  s: {type: force, force: spring}\n",
        .h = 0.004,
        .end = 2,
        .rate = 18, /* largest slope over mass: 6 / (2 0.2) */
        .n = 2,
        .start = {0.2, 1},
        .rhs = stribeck_rhs,
        .observe = observe_stribeck,
        .quantity =
            {{"x", 0, 0.2}, {"v", 0, 2}, {"a", 0, 20}, {"f", 0, 6}, {"s", 0, 40}, {"work", 4, 5}},
    };

    (void)state;
    check_order_two(&m);
}

/* ---- stick-slip: a block on a belt that runs at 0.1 m/s, held by a spring ---- */

#define BELT_CREEP 0.005

static double belt_friction(double v)
{
    return (3 + 2 * exp(-(v / 0.05) * (v / 0.05))) * tanh(v / BELT_CREEP);
}

static void belt_rhs(double t, const double *y, double *dy)
{
    dy[0] = y[1];
    dy[1] = -100 * y[0] - belt_friction(y[1] - 0.1 * cos(0.01 * t));
}

static const char belt_text[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  belt: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
                      "  block: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                      "joints:\n"
                      "  run: {type: prismatic, bodies: [ground, belt], point: [0, 0, 0], axis: "
                      "[1, 0, 0],\n"
                      "    drive: {harmonic: {amplitude: 10, omega: 0.01}}}\n"
                      "  slip: {type: prismatic, bodies: [belt, block], point: [0, 0, 0], axis: "
                      "[1, 0, 0]}\n"
                      "forces:\n"
                      "  rub: {type: friction, joint: slip, coulomb: 3, stick: 5, stribeck: 0.05, "
                      "creep: 0.005}\n"
                      "  hold: {type: spring-damper, bodies: [ground, block], points: [[-1, 0, 0], "
                      "[0, 0, 0]],\n"
                      "    stiffness: 100}\n"
                      "outputs:\n"
                      "  x: {type: body-pose, body: block}\n"
                      "  v: {type: joint-velocity, joint: slip}\n"
                      "  f: {type: force, force: rub}\n"
                      "  work: {type: work}\n";

/** struct belt_run - largest error of the block's position, its farthest position, and its fastest
 * rate while the friction is below 0.9 of its largest value */
struct belt_run {
    double error;
    double farthest;
    double creep;
};

static struct belt_run run_belt(double h)
{
    const struct mechanism m = {.n = 2, .rhs = belt_rhs};
    struct lk_system *sys = compile(belt_text, h);
    struct belt_run run = {0};
    double y[8] = {0};

    for (int i = 0; i < (int)lround(6 / h); i++) {
        double x, rate;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        integrate(&m, i * h, h, y);
        x = read_output(sys, "x", 0);
        rate = fabs(read_output(sys, "v", 0));
        run.error = fmax(run.error, fabs(x - y[0]));
        run.farthest = fmax(run.farthest, x);
        if (rate < BELT_CREEP && fabs(read_output(sys, "f", 0)) < 0.9 * 5)
            run.creep = fmax(run.creep, rate);
    }
    lk_system_free(sys);
    return run;
}

/* The block moves with the belt until the spring force equals the largest friction, 5 N, that is
 * 0.05 m, plus the amplitude of an oscillation; then it slips back. While it sticks it creeps at
 * the rate given by the tanh, and no faster. The law is steep, 5 / (1 kg 5 mm/s) = 1000 1/s, so h =
 * 1 ms is not yet in the range of order 2. Each of the dozen slips begins within a step: an error
 * of some h^2 times the jump of the acceleration, (5 - 3) N / 1 kg. */
static void belt_makes_a_block_stick_and_slip(void **state)
{
    struct belt_run coarse = run_belt(0.001), fine = run_belt(0.0005);

    (void)state;
    assert_true(coarse.error < 100 * 2 * 0.001 * 0.001);
    assert_true(fine.error < coarse.error / 3);
    assert_true(coarse.farthest > 0.045 && coarse.farthest < 0.06);
    assert_true(coarse.creep < BELT_CREEP * atanh(0.91));
}

/* ---- end stops ---- */

static const char ball_text[] =
    HEAD("[0, 0, -9.81]") "bodies:\n"
                          "  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.5]}\n"
                          "joints:\n"
                          "  guide: {type: prismatic, bodies: [ground, ball], point: [0, 0, 0.5], "
                          "axis: [0, 0, 1],\n"
                          "    coordinate: 0.5}\n"
                          "forces:\n"
                          "  floor: {type: stop, joint: guide, lower: 0, stiffness: %g, damping: "
                          "%g, onset: %g}\n"
                          "outputs:\n"
                          "  x: {type: joint-position, joint: guide}\n"
                          "  v: {type: joint-velocity, joint: guide}\n"
                          "  a: {type: joint-acceleration, joint: guide}\n"
                          "  f: {type: force, force: floor}\n"
                          "  energy: {type: energy}\n"
                          "  work: {type: work}\n";

static struct lk_system *compile_ball(double stiffness, double damping, double onset, double h)
{
    char text[2048];

    snprintf(text, sizeof(text), ball_text, stiffness, damping, onset);
    return compile(text, h);
}

/** struct fall - the result of a ball falling on a stop
 * @energy:      largest kinetic and potential energy, relative to the start
 * @deepest:     depth below the limit
 * @pull:        largest force that pulls the ball down
 * @apex:        highest position after the first contact
 * @balance:     largest error of the energy balance [J]
 * @rest, @rate: position and speed at the end */
struct fall {
    double energy;
    double deepest;
    double pull;
    double apex;
    double balance;
    double rest;
    double rate;
};

static struct fall let_fall(double stiffness, double damping, double onset, double h)
{
    struct lk_system *sys = compile_ball(stiffness, damping, onset, h);
    struct fall fall = {0};
    int touched = 0;

    for (int i = 0; i < (int)lround(5 / h); i++) {
        double x, energy;

        assert_int_equal(lk_system_step(sys, NULL), 0);
        x = read_output(sys, "x", 0);
        energy = read_output(sys, "energy", 0) + read_output(sys, "energy", 1);
        touched |= x < 0;
        fall.energy = fmax(fall.energy, energy / (G * 0.5));
        fall.deepest = fmax(fall.deepest, -x);
        fall.pull = fmax(fall.pull, -read_output(sys, "f", 0));
        fall.balance = fmax(fall.balance, fabs(read_output(sys, "work", 4)));
        if (touched)
            fall.apex = fmax(fall.apex, x);
    }
    fall.rest = read_output(sys, "x", 0);
    fall.rate = read_output(sys, "v", 0);
    lk_system_free(sys);
    return fall;
}

/* A ball of 1 kg falls by 0.5 m, h = 1 ms. No stop may add energy: up to w h = 0.3 the step
 * resolves the instant of contact to within (w h)^2 / 12 < 1 % of the energy; beyond that the
 * rebound must not exceed the initial energy. The penetration follows from the energy, ½ k d^2 = m
 * g (0.5 + d), plus the onset and the distance moved in a step. A stop only pushes. */
static void stops_never_give_energy(void **state)
{
    static const struct {
        double stiffness, damping, onset;
    } stop[] = {{1e4, 0, 0},   {1e5, 0, 0}, {1e5, 100, 0}, {1e5, 100, 0.001}, {1e7, 0, 0},
                {1e7, 1e3, 0}, {1e9, 0, 0}, {1e9, 1e4, 0}, {1e9, 1e6, 0},     {1e9, 1e4, 0.001}};
    const double h = 0.001, speed = sqrt(2 * G * 0.5);
    int failed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(stop) / sizeof(stop[0]); i += SANITIZED ? 3 : 1) {
        double k = stop[i].stiffness, c = stop[i].damping, onset = stop[i].onset;
        struct fall fall = let_fall(k, c, onset, h);
        double deep = sqrt(2 * G * 0.5 / k) + 2 * G / k + onset + speed * h;
        int good = fall.energy < 1.01 && fall.deepest < deep && fall.pull < 1e-9 &&
                   fall.apex < (c > 0 ? 0.5 : 0.505);

        if (good && !SHOW_ALL)
            continue;
        failed += !good;
        printf("    %s stop %g N/m, %g N s/m, onset %g m: energy up to %.3f of the start, depth "
               "%.2e (bound %.2e) m, apex %.3f m, pull %.1e N, balance %.2e J\n",
               good ? "ok " : "BAD", k, c, onset, fall.energy, fall.deepest, deep, fall.apex,
               fall.pull, fall.balance);
    }
    assert_int_equal(failed, 0);
}

/* With a damper the body comes to rest at the depth m g / k. */
static void stops_come_to_rest(void **state)
{
    struct fall soft = let_fall(1e5, 100, 0, 0.001), stiff = let_fall(1e9, 1e4, 0, 0.001);

    (void)state;
    assert_true(fabs(soft.rest + G / 1e5) < 1e-6 * G / 1e5 + 1e-12);
    assert_true(fabs(soft.rate) < 1e-9);
    assert_true(fabs(stiff.rest + G / 1e9) < 1e-3 * G / 1e9 + 1e-12);
    assert_true(fabs(stiff.rate) < 1e-9);
}

static const char two_stops_text[] = HEAD(
    "[0, -9.81, 0]") "bodies:\n"
                     "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
                     "  b: {mass: 1, inertia: [0.05, 0.05, 0.05], position: [1.3, 0, 0]}\n"
                     "joints:\n"
                     "  h: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, "
                     "1]}\n"
                     "  k: {type: revolute, bodies: [a, b], point: [1, 0, 0], axis: [0, 0, 1]}\n"
                     "forces:\n"
                     "  s: {type: stop, joint: k, lower: -0.5, upper: 0.5, stiffness: %g, damping: "
                     "%g}\n"
                     "  r: {type: stop, joint: h, lower: -2, upper: 0.5, stiffness: %g, damping: "
                     "%g}\n"
                     "outputs:\n"
                     "  energy: {type: energy}\n";

/* Two bodies in a chain, both with stops, hit each other: an impact on one moves the other within
 * the same step. From the horizontal the pair can release at most 2.3 m g = 23 J. */
static void stops_in_a_chain_never_give_energy(void **state)
{
    static const double stiffness[3] = {1e5, 1e7, 1e9}, share[2] = {0, 1e-5};
    int failed = 0;

    (void)state;
    for (int i = 0; i < 6; i++) {
        double k = stiffness[i / 2], c = k * share[i % 2], largest = 0;
        char text[2048];
        struct lk_system *sys;

        snprintf(text, sizeof(text), two_stops_text, k, c, k, c);
        sys = compile(text, 0.001);
        for (int n = 0; n < 10000 / THINNED; n++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            largest = fmax(largest, read_output(sys, "energy", 0) + read_output(sys, "energy", 1));
        }
        lk_system_free(sys);
        if (largest < 0.23 && !SHOW_ALL)
            continue;
        failed += largest >= 0.23;
        printf("    stops %g N m/rad, %g N m s/rad: energy up to %.2e J above the start\n", k, c,
               largest);
    }
    assert_int_equal(failed, 0);
}

/* Two blocks on one guide: the upper one rests on the lower one's stop, the lower one on the
 * ground's stop. The contacts support each other and are loaded by an intermittent force. */
static const char pile_text[] =
    "linkage: 1\n"
    "name: pile\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.5], velocity: [0, 0, -1]}\n"
    "  c: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 1], velocity: [0, 0, -1]}\n"
    "joints:\n"
    "  j: {type: prismatic, bodies: [ground, b], point: [0, 0, 0.5], axis: [0, 0, 1]}\n"
    "  j2: {type: prismatic, bodies: [b, c], point: [0, 0, 1], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  s: {type: stop, joint: j, lower: -0.2, stiffness: %g, damping: %g}\n"
    "  s2: {type: stop, joint: j2, lower: 0, upper: 0.3, stiffness: %g, damping: %g}\n"
    "inputs: {u: {type: joint-force, joint: j2}}\n"
    "outputs:\n"
    "  f: {type: force, force: s}\n"
    "  f2: {type: force, force: s2}\n"
    "  energy: {type: energy}\n"
    "  work: {type: work}\n";

/* Without the force no step adds energy, except that a stop lifts penetrations that arose between
 * steps: at most 3 kg over the distance of a step at 3.5 m/s. Once the blocks are at rest, the
 * force of each stop is the weight above it, minus the applied force while it acts. */
static void stops_hold_each_other_up(void **state)
{
    static const double damping[3] = {0, 1e4, 1e5}, steps[2] = {0.01, 0.001};

    (void)state;
    for (int i = 0; i < 6; i += SANITIZED ? 5 : 1) {
        double c = damping[i / 2], h = steps[i % 2], before = INFINITY;
        int window = (int)lround(0.1 / h);
        char text[2048];
        struct lk_system *sys;

        snprintf(text, sizeof(text), pile_text, 1e8, c, 1e8, c);
        sys = compile(text, h);
        for (int n = 0; n < 40 * window; n++) {
            double force = n / window % 2 == 0 ? 15 : 0, energy;

            assert_int_equal(lk_system_step(sys, &force), 0);
            energy = read_output(sys, "energy", 0) + read_output(sys, "energy", 1);
            if (force == 0 && !(energy < before + 3 * G * 3.5 * h))
                fail_msg("damping %g, step %g: %g J more at %g s", c, h, energy - before, n * h);
            before = energy;
            /* The force acts between the blocks, and the lower stop still supports 3 kg: the force
             * unloads only the stop between the blocks. */
            if (c > 0 && n >= 30 * window && n % window > 2) {
                assert_true(fabs(read_output(sys, "f", 0) - 3 * G) < 1e-6 * G);
                assert_true(fabs(read_output(sys, "f2", 0) - (2 * G - force)) < 1e-6 * G);
            }
        }
        lk_system_free(sys);
    }
}

/* Without a damper, a stop that the step resolves returns the stored energy and no more: the rule
 * conserves the energy of a linear spring, the step of the first contact loses some energy, and the
 * step that ends the contact returns exactly the rest. So no bounce is higher than the one
 * before. */
static void soft_bounces_never_rise(void **state)
{
    static const double stiffness[4] = {1e3, 1e4, 5e4, 9e4};

    (void)state;
    for (int i = 0; i < 4; i += SANITIZED ? 3 : 1) {
        struct fall fall = let_fall(stiffness[i], 0, 0, 0.001);

        printf("    %g N/m: energy up to 1 + %.1e of the start\n", stiffness[i], fall.energy - 1);
        assert_true(fall.energy < 1 + 1e-9);
    }
}

/* Return the force of a stop according to the documented law, which the step resolves. Stiffness
 * and damping increase over the onset, and the force only pushes. */
static double stop_force(double depth, double speed)
{
    const double k = 1e4, c = 20, onset = 0.01;
    double ramp = fmin(fmax(depth, 0) / onset, 1);
    double elastic = depth < onset ? 0.5 * k * ramp * ramp * onset : k * (depth - 0.5 * onset);

    return fmax(elastic + c * ramp * speed, 0);
}

static void bounce_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = stop_force(-y[0], -y[1]) - G;
}

static void observe_bounce(double t, const double *y, double *ret)
{
    (void)t;
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = 0; /* expected energy balance */
}

/* The instants at which contact begins and ends within a step cause a part of the error that varies
 * irregularly with the step size and is as large as the rest. Therefore the errors are compared
 * over two halvings. */
static void soft_stop_has_order_two(void **state)
{
    char text[2048];
    double coarse[QUANTITIES_MAX], fine[QUANTITIES_MAX];
    struct mechanism m = {
        .text = text,
        .h = 0.0008,
        .end = 1,
        .rate = 100,
        .n = 2,
        .start = {0.5, 0},
        .rhs = bounce_rhs,
        .observe = observe_bounce,
        .quantity = {{"x", 0, 0.04}, {"v", 0, 3.2}, {"work", 4, 5}},
    };

    (void)state;
    snprintf(text, sizeof(text), ball_text, 1e4, 20.0, 0.01);
    measure(&m, m.h, coarse);
    measure(&m, 0.25 * m.h, fine);
    for (int q = 0; q < 3; q++) {
        assert_true(coarse[q] < bound_of(&m, m.quantity[q].size));
        assert_true(coarse[q] > LEAST_RATIO * LEAST_RATIO * fine[q] ||
                    coarse[q] < ROUNDOFF * m.quantity[q].size);
    }
}

/* ---- formulations ---- */

static int choose_step(void **state)
{
    step_with(*state);
    return 0;
}

#define BOTH(test)                                                                                 \
    {#test " (ali3)", test, choose_step, NULL, (void *)"ali3"},                                    \
    {                                                                                              \
#test " (rattle)", test, choose_step, NULL, (void *)"rattle"                               \
    }

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(friction_sticks_but_for_creep),
        BOTH(friction_slides_by_a_constant_force),
        BOTH(friction_slides_on_a_light_wheel),
        BOTH(friction_stops_a_block),
        BOTH(smooth_friction_has_order_two),
        BOTH(belt_makes_a_block_stick_and_slip),
        BOTH(stops_never_give_energy),
        BOTH(stops_come_to_rest),
        BOTH(stops_in_a_chain_never_give_energy),
        BOTH(stops_hold_each_other_up),
        BOTH(soft_bounces_never_rise),
        BOTH(soft_stop_has_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
