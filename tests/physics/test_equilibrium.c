/* SPDX-License-Identifier: Apache-2.0 */
/* `start: equilibrium`: poses of known equilibria, accelerations that are zero, and mechanisms that
 * stay in equilibrium, with redundant rows, stops, brakes and bodies without mass among them. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define START "start: equilibrium\n"
#define TIGHT 1e-9 /* relative to the largest force of a mechanism */

static const char *const formulations[] = {"ali3", "rattle"};

/** struct case_of - a mechanism in equilibrium
 * @text: model without solver section;  @look: checks the pose of equilibrium */
struct case_of {
    const char *name;
    const char *text;
    void (*look)(const struct lk_system *sys);
};

/* Return the largest acceleration of a body; angular accelerations with a lever arm of 1 m. */
static double largest_acceleration(const struct lk_system *sys)
{
    struct lk_body_state b;
    struct lk_summary summary;
    double largest = 0;

    lk_system_summary(sys, &summary);
    for (int i = 0; i < summary.n_bodies; i++) {
        lk_system_body_state(sys, i, &b);
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fmax(fabs(b.acceleration[k]), fabs(b.angular_acceleration[k])));
    }
    return largest;
}

static void positions(const struct lk_system *sys, double *ret)
{
    struct lk_body_state b;
    struct lk_summary summary;

    lk_system_summary(sys, &summary);
    for (int i = 0; i < summary.n_bodies; i++) {
        lk_system_body_state(sys, i, &b);
        memcpy(ret + 3 * i, b.position, sizeof(b.position));
    }
}

static void check(const struct case_of *c)
{
    struct lk_equilibrium e;
    struct lk_summary summary;
    double before[64 * 3], after[64 * 3], none[8] = {0};

    for (int k = 0; k < 2; k++) {
        struct lk_system *sys;

        step_with(formulations[k]);
        sys = compile(c->text, 0.001);
        lk_system_equilibrium(sys, &e);
        lk_system_summary(sys, &summary);
        if (SHOW_ALL)
            printf("%-10s %d iterations, residual %.2g of %.4g, moved %.4g, acceleration %.2g\n",
                   c->name, e.iterations, e.residual, e.force, e.moved, largest_acceleration(sys));
        assert_int_equal(e.is_sought, 1);
        assert_true(e.residual <= TIGHT * e.force);
        assert_true(largest_acceleration(sys) < 1e-8);
        positions(sys, before);
        if (c->look)
            c->look(sys);
        for (int i = 0; i < 2000; i++)
            assert_int_equal(lk_system_step(sys, none), 0);
        positions(sys, after);
        for (int i = 0; i < 3 * summary.n_bodies; i++)
            assert_true(fabs(after[i] - before[i]) < 1e-9);
        assert_true(largest_acceleration(sys) < 1e-7);
        lk_system_free(sys);
    }
}

/* ---- mechanisms ---- */

static void look_mass(const struct lk_system *sys)
{
    assert_true(fabs(read_output(sys, "x", 0) + 2 * G / 500) < 1e-12);
}

#define MASS_ON_SPRING                                                                             \
    HEAD("[0, 0, -9.81]")                                                                          \
    START "bodies:\n"                                                                              \
          "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"                    \
          "joints:\n"                                                                              \
          "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: [0, 0, "    \
          "1]}\n"                                                                                  \
          "forces:\n"                                                                              \
          "  spring: {type: joint-spring-damper, joint: guide, stiffness: 500, damping: 3}\n"      \
          "outputs:\n"                                                                             \
          "  x: {type: joint-position, joint: guide}\n"

/* The pendulum is drawn almost upright, but its equilibrium is the hanging pose. Newton's method
 * alone would find the upright one. */
static void look_pendulum(const struct lk_system *sys)
{
    assert_true(fabs(read_output(sys, "place", 0)) < 1e-9);
    assert_true(fabs(read_output(sys, "place", 2) + 1) < 1e-9);
}

#define PENDULUM                                                                                   \
    HEAD("[0, 0, -9.81]")                                                                          \
    START                                                                                          \
    "bodies:\n"                                                                                    \
    "  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.2, 0, 0.9797958971132712]}\n"      \
    "joints:\n"                                                                                    \
    "  pin: {type: revolute, bodies: [ground, bob], point: [0, 0, 0], axis: [0, 1, 0]}\n"          \
    "outputs:\n"                                                                                   \
    "  place: {type: body-pose, body: bob}\n"

/* Four rods of 1 m between two hinges 2 m apart, drawn askew: the equilibrium is symmetric, a
 * catenary of rods. For the angles a (outer) and b (inner) to the horizontal: cos a + cos b = 1,
 * tan a = 3 tan b. */
static void look_chain(const struct lk_system *sys)
{
    double low[3], b = 0.5;

    for (int i = 0; i < 100; i++) {
        double a = atan(3 * tan(b)), f = cos(a) + cos(b) - 1, h = 1e-7;
        double g = cos(atan(3 * tan(b + h))) + cos(b + h) - 1;

        b -= f / ((g - f) / h);
    }
    for (int k = 0; k < 3; k++)
        low[k] = read_output(sys, "low", k);
    assert_true(fabs(low[0] - 1) < 1e-8 && fabs(low[1]) < 1e-8);
    assert_true(fabs(low[2] + sin(atan(3 * tan(b))) + sin(b)) < 1e-8);
}

#define CHAIN                                                                                      \
    HEAD("[0, 0, -9.81]")                                                                          \
    START                                                                                          \
    "bodies:\n"                                                                                    \
    "  a: {mass: 1, inertia: [0.002, 0.084, 0.084], position: [0, 0, -0.5],\n"                     \
    "    orientation: {axis: [0, 1, 0], angle: 1.5707963267948966}}\n"                             \
    "  b: {mass: 1, inertia: [0.002, 0.084, 0.084], position: [0.5, 0, -1]}\n"                     \
    "  c: {mass: 1, inertia: [0.002, 0.084, 0.084], position: [1.5, 0, -1]}\n"                     \
    "  d: {mass: 1, inertia: [0.002, 0.084, 0.084], position: [2, 0, -0.5],\n"                     \
    "    orientation: {axis: [0, 1, 0], angle: -1.5707963267948966}}\n"                            \
    "joints:\n"                                                                                    \
    "  p: {type: universal, bodies: [ground, a], point: [0, 0, 0], axes: [[0, 1, 0], [1, 0, "      \
    "0]]}\n"                                                                                       \
    "  q: {type: universal, bodies: [a, b], point: [0, 0, -1], axes: [[0, 1, 0], [0, 0, 1]]}\n"    \
    "  r: {type: spherical, bodies: [b, c], point: [1, 0, -1]}\n"                                  \
    "  s: {type: universal, bodies: [c, d], point: [2, 0, -1], axes: [[0, 1, 0], [1, 0, 0]]}\n"    \
    "  t: {type: universal, bodies: [ground, d], point: [2, 0, 0], axes: [[0, 1, 0], [1, 0, "      \
    "0]]}\n"                                                                                       \
    "outputs:\n"                                                                                   \
    "  low: {type: point-position, body: b, point: [1, 0, -1]}\n"

/* a planar four-bar of hinges, with three redundant rows, and a spring */
#define FOUR_BAR                                                                                   \
    HEAD("[0, -9.81, 0]")                                                                          \
    START                                                                                          \
    "bodies:\n"                                                                                    \
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}\n"                        \
    "  coupler: {mass: 2, inertia: [0.2, 0.2, 0.2], position: [1, 1, 0]}\n"                        \
    "  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0.5, 0]}\n"                       \
    "joints:\n"                                                                                    \
    "  a: {type: revolute, bodies: [ground, crank], point: [0, 0, 0], axis: [0, 0, 1]}\n"          \
    "  b: {type: revolute, bodies: [crank, coupler], point: [0, 1, 0], axis: [0, 0, 1]}\n"         \
    "  c: {type: revolute, bodies: [coupler, rocker], point: [2, 1, 0], axis: [0, 0, 1]}\n"        \
    "  d: {type: revolute, bodies: [ground, rocker], point: [2, 0, 0], axis: [0, 0, 1]}\n"         \
    "forces:\n"                                                                                    \
    "  spring: {type: joint-spring-damper, joint: a, stiffness: 80, damping: 1, rest: 0.4}\n"      \
    "outputs:\n"                                                                                   \
    "  angle: {type: joint-position, joint: a}\n"

/* A parallelogram of rods of 1 m: 80 (0.4 - x) = -(1 + 2 + ...) m g sin x */
static void look_four_bar(const struct lk_system *sys)
{
    double x = read_output(sys, "angle", 0);

    assert_true(fabs(80 * (x - 0.4) - (0.5 + 2 + 0.5) * G * sin(x)) < 1e-7);
}

/* a lever that gravity presses against its stop, soft or hard */
#define LEVER(stiffness)                                                                           \
    HEAD("[0, 0, -9.81]")                                                                          \
    START "bodies:\n"                                                                              \
          "  lever: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"                  \
          "joints:\n"                                                                              \
          "  pin: {type: revolute, bodies: [ground, lever], point: [0, 0, 0], axis: [0, 1, 0]}\n"  \
          "forces:\n"                                                                              \
          "  end: {type: stop, joint: pin, upper: 0.3, stiffness: " stiffness ", damping: 2}\n"    \
          "outputs:\n"                                                                             \
          "  angle: {type: joint-position, joint: pin}\n"

static void look_soft_lever(const struct lk_system *sys)
{
    double x = read_output(sys, "angle", 0);

    assert_true(fabs(2e3 * (x - 0.3) - G * cos(x)) < 1e-7);
}

static void look_hard_lever(const struct lk_system *sys)
{
    double x = read_output(sys, "angle", 0);

    assert_true(fabs(1e7 * (x - 0.3) - G * cos(x)) < 1e-6);
}

/* a block on a slope, held by a brake with wind-up */
#define BRAKED                                                                                     \
    HEAD("[1, 0, -9.7]")                                                                           \
    START "bodies:\n"                                                                              \
          "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0, 0]}\n"                  \
          "joints:\n"                                                                              \
          "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], axis: [1, 0, "    \
          "0]}\n"                                                                                  \
          "forces:\n"                                                                              \
          "  brake: {type: friction, joint: guide, coulomb: 3, wind_up: {stiffness: 1e5}}\n"       \
          "outputs:\n"                                                                             \
          "  x: {type: joint-position, joint: guide}\n"                                            \
          "  f: {type: force, force: brake}\n"

static void look_braked(const struct lk_system *sys)
{
    assert_true(fabs(read_output(sys, "f", 0) + 2) < 1e-9);
}

/* a braked block on an arm that turns to its stop on the way to equilibrium, so that the brake
 * slides first */
#define BRAKED_ARM                                                                                 \
    HEAD("[0.5, 0, -9.81]")                                                                        \
    START                                                                                          \
    "bodies:\n"                                                                                    \
    "  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"                          \
    "  block: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"                          \
    "joints:\n"                                                                                    \
    "  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n"          \
    "  slide: {type: prismatic, bodies: [arm, block], point: [1, 0, 0], axis: [1, 0, 0]}\n"        \
    "forces:\n"                                                                                    \
    "  end: {type: stop, joint: pin, upper: 0.1, stiffness: 1e4, damping: 1}\n"                    \
    "  brake: {type: friction, joint: slide, coulomb: 100, wind_up: {}}\n"                         \
    "outputs:\n"                                                                                   \
    "  angle: {type: joint-position, joint: pin}\n"                                                \
    "  f: {type: force, force: brake}\n"

static void look_braked_arm(const struct lk_system *sys)
{
    double angle = read_output(sys, "angle", 0);

    assert_true(fabs(read_output(sys, "f", 0) + 0.5 * cos(angle) + 9.81 * sin(angle)) < 1e-8);
}

/* a quarter car whose carrier, between wheel and strut, has no mass */
#define QUARTER                                                                                    \
    HEAD("[0, 0, -9.81]")                                                                          \
    START                                                                                          \
    "bodies:\n"                                                                                    \
    "  body: {mass: 300, inertia: [30, 30, 30], position: [0, 0, 0.8]}\n"                          \
    "  carrier: {mass: 0, inertia: [0, 0, 0], position: [0, 0, 0.3]}\n"                            \
    "  wheel: {mass: 30, inertia: [0.5, 1, 0.5], position: [0, 0, 0.3]}\n"                         \
    "joints:\n"                                                                                    \
    "  guide: {type: prismatic, bodies: [ground, body], point: [0, 0, 0.8], axis: [0, 0, 1]}\n"    \
    "  strut: {type: prismatic, bodies: [body, carrier], point: [0, 0, 0.3], axis: [0, 0, 1]}\n"   \
    "  hub: {type: revolute, bodies: [carrier, wheel], point: [0, 0, 0.3], axis: [0, 1, 0]}\n"     \
    "forces:\n"                                                                                    \
    "  spring: {type: joint-spring-damper, joint: strut, stiffness: 2e4, damping: 1500}\n"         \
    "  tyre: {type: bushing, bodies: [ground, wheel], point: [0, 0, 0.3], stiffness: [0, 0, 2e5, " \
    "0, 0, 0],\n"                                                                                  \
    "    damping: [0, 0, 100, 0, 0.1, 0]}\n"                                                       \
    "outputs:\n"                                                                                   \
    "  spring_force: {type: force, force: spring}\n"                                               \
    "  tyre_force: {type: force, force: tyre}\n"

static void look_quarter(const struct lk_system *sys)
{
    assert_true(fabs(fabs(read_output(sys, "spring_force", 0)) - 300 * G) < 1e-6);
    assert_true(fabs(fabs(read_output(sys, "tyre_force", 2)) - 330 * G) < 1e-6);
}

/* a car body on four struts between points, with unequal loads and a lateral load */
#define STRUTS                                                                                     \
    HEAD("[0, 0, -9.81]")                                                                          \
    START                                                                                          \
    "bodies:\n"                                                                                    \
    "  car: {mass: 1200, inertia: [300, 1500, 1600], position: [0.1, 0.05, 0.6]}\n"                \
    "forces:\n"                                                                                    \
    "  fl: {type: bushing, bodies: [ground, car], point: [1.2, 0.7, 0.3], stiffness: [1e5, 1e5, "  \
    "3e4, 0, 0, 0], damping: [1e3, 1e3, 2e3, 0, 0, 0]}\n"                                          \
    "  fr: {type: bushing, bodies: [ground, car], point: [1.2, -0.7, 0.3], stiffness: [1e5, 1e5, " \
    "3e4, 0, 0, 0], damping: [1e3, 1e3, 2e3, 0, 0, 0]}\n"                                          \
    "  rl: {type: bushing, bodies: [ground, car], point: [-1.4, 0.7, 0.3], stiffness: [1e5, 1e5, " \
    "2e4, 0, 0, 0], damping: [1e3, 1e3, 2e3, 0, 0, 0]}\n"                                          \
    "  rr: {type: bushing, bodies: [ground, car], point: [-1.4, -0.7, 0.3], stiffness: [1e5, "     \
    "1e5, "                                                                                        \
    "2e4, 0, 0, 0], damping: [1e3, 1e3, 2e3, 0, 0, 0]}\n"                                          \
    "  wind: {type: constant-force, body: car, point: [0, 0, 1], force: [0, 500, 0]}\n"            \
    "outputs:\n"                                                                                   \
    "  l1: {type: force, force: fl}\n"                                                             \
    "  l2: {type: force, force: fr}\n"                                                             \
    "  l3: {type: force, force: rl}\n"                                                             \
    "  l4: {type: force, force: rr}\n"

static void look_struts(const struct lk_system *sys)
{
    double up = 0, aside = 0;

    for (int i = 0; i < 4; i++) {
        char name[3] = {'l', (char)('1' + i), '\0'};

        aside += read_output(sys, name, 1);
        up += read_output(sys, name, 2);
    }
    assert_true(fabs(up - 1200 * G) < 1e-5 && fabs(aside + 500) < 1e-5);
}

static void mechanisms_rest_in_balance(void **state)
{
    static const struct case_of cases[] = {
        {"mass", MASS_ON_SPRING, look_mass},
        {"pendulum", PENDULUM, look_pendulum},
        {"chain", CHAIN, look_chain},
        {"four-bar", FOUR_BAR, look_four_bar},
        {"soft stop", LEVER("2e3"), look_soft_lever},
        {"hard stop", LEVER("1e7"), look_hard_lever},
        {"brake", BRAKED, look_braked},
        {"braked arm", BRAKED_ARM, look_braked_arm},
        {"quarter", QUARTER, look_quarter},
        {"struts", STRUTS, look_struts},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        check(&cases[i]);
}

/* a velocity of the initial configuration is kept */
static void velocities_are_kept(void **state)
{
    static const char text[] = HEAD("[0, 0, -9.81]") START
        "bodies:\n"
        "  cart: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [3, 0, 0]}\n"
        "joints:\n"
        "  table: {type: planar, bodies: [ground, cart], point: [0, 0, 0], axis: [0, 1, 0]}\n"
        "forces:\n"
        "  wheels: {type: joint-spring-damper, joint: table, coordinate: y, stiffness: 1e3}\n";
    struct lk_system *sys;
    struct lk_body_state b;

    (void)state;
    step_with("rattle");
    sys = compile(text, 0.001);
    lk_system_body_state(sys, 0, &b);
    assert_true(fabs(b.velocity[0] - 3) < 1e-12 && fabs(b.position[0]) < 1e-12);
    assert_true(fabs(fabs(b.position[2]) - 2 * G / 1e3) < 1e-10);
    lk_system_free(sys);
}

#define ARM(kind, inputs)                                                                          \
    HEAD("[0, -9.81, 0]")                                                                          \
    START "bodies:\n"                                                                              \
          "  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"                    \
          "joints:\n"                                                                              \
          "  at: {type: " kind ", bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]" inputs \
          "outputs:\n"                                                                             \
          "  q: {type: joint-position, joint: at}\n"                                               \
          "  a: {type: joint-acceleration, joint: at}\n"

/* Inputs of each type act in the equilibrium with their initial values, and in the first sample of
 * outputs. */
static void inputs_act_in_the_balance(void **state)
{
    static const double weight = 9.81, x = 0.3; /* x: angle of the driven arm */
    const struct {
        const char *text;
        double q;
    } cases[] = {
        {ARM("revolute", "}\ninputs:\n  in: {type: joint-torque, joint: at, initial: 3}\n"),
         -acos(3 / (0.5 * weight))},
        {ARM("revolute", "}\ninputs:\n  in: {type: body-torque, body: arm, initial: -2}\n"),
         -M_PI + acos(2 / (0.5 * weight))},
        {ARM("revolute", "}\ninputs:\n  in: {type: body-force, body: arm, initial: 4}\n"),
         -atan2(weight - 4, 4)},
        {ARM("prismatic", "}\nforces:\n"
                          "  s: {type: joint-spring-damper, joint: at, stiffness: 20}\n"
                          "inputs:\n  in: {type: joint-force, joint: at, initial: -7}\n"),
         -7 / 20.0},
        {ARM("revolute", ", drive: {input: in}}\ninputs:\n  in: {type: drive, initial: 0.3}\n"), x},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int k = 0; k < 2; k++) {
            struct lk_system *sys;

            step_with(formulations[k]);
            sys = compile(cases[i].text, 0.001);
            if (!(fabs(read_output(sys, "q", 0) - cases[i].q) < 1e-9 &&
                  fabs(read_output(sys, "a", 0)) < 1e-7))
                fail_msg("case %zu: %.12g, expected %.12g", i, read_output(sys, "q", 0),
                         cases[i].q);
            lk_system_free(sys);
        }
}

/* The stop is so stiff that round-off of the pose is a noticeable force. The equilibrium is found
 * to round-off. */
static void stiffest_stop_is_found(void **state)
{
    struct lk_system *sys;

    (void)state;
    step_with("rattle");
    sys = compile(LEVER("1e10"), 0.001);
    assert_true(fabs(read_output(sys, "angle", 0) - 0.3 - G * cos(0.3) / 1e10) < 1e-14);
    lk_system_free(sys);
}

/* ---- links that press against their stops ---- */

#define LINKS_MAX 4

/** struct chain - links on hinges about the y axis, each attached to the one before
 * @at, @centre: hinge and centre of mass of each link in the initial configuration, x and z [m] */
struct chain {
    int n;
    double mass[LINKS_MAX];
    double at[LINKS_MAX][2];
    double centre[LINKS_MAX][2];
    double low[LINKS_MAX];
    double high[LINKS_MAX];
    double stiffness[LINKS_MAX];
};

/* Return a random number between @low and @high; the sequence is the same on each machine
 * (splitmix64). */
static double between(uint64_t *seed, double low, double high)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Make a chain. Masses and stiffnesses of stops cover five decades, links are 10 mm to 1 m long.
 * Most links start within their stops. */
static struct chain random_chain(uint64_t *seed)
{
    double size = pow(10, between(seed, -2, 0)), tip[2] = {0, 0};
    struct chain c = {.n = 1 + (int)between(seed, 0, LINKS_MAX - 0.001)};

    for (int i = 0; i < c.n; i++) {
        double angle = between(seed, 0, 2 * M_PI), width = between(seed, 0.3, 3);
        double middle = between(seed, -0.6, 0.6) * width;

        c.mass[i] = pow(10, between(seed, -3, 2));
        c.stiffness[i] = pow(10, between(seed, 3, 8));
        c.low[i] = middle - 0.5 * width;
        c.high[i] = middle + 0.5 * width;
        for (int k = 0; k < 2; k++) {
            double way = size * (k == 0 ? cos(angle) : sin(angle));

            c.at[i][k] = tip[k];
            c.centre[i][k] = tip[k] + 0.6 * way;
            tip[k] += way;
        }
    }
    return c;
}

static struct lk_system *compile_chain(const struct chain *c, const char *gravity)
{
    static const char *const from[LINKS_MAX] = {"ground", "b0", "b1", "b2"};
    static char text[8192];
    size_t at = (size_t)snprintf(
        text, sizeof(text), "linkage: 1\nname: chain\ngravity: %s\n" START "bodies:\n", gravity);

    for (int i = 0; i < c->n; i++) {
        double I = 1e-4 * c->mass[i];

        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "  b%d: {mass: %.17g, inertia: [%.3g, %.3g, %.3g], "
                               "position: [%.17g, 0, %.17g]}\n",
                               i, c->mass[i], I, I, I, c->centre[i][0], c->centre[i][1]);
    }
    at += (size_t)snprintf(text + at, sizeof(text) - at, "joints:\n");
    for (int i = 0; i < c->n; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "  j%d: {type: revolute, bodies: [%s, b%d], point: "
                               "[%.17g, 0, %.17g], axis: [0, 1, 0]}\n",
                               i, from[i], i, c->at[i][0], c->at[i][1]);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "forces:\n");
    for (int i = 0; i < c->n; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "  s%d: {type: stop, joint: j%d, lower: %.17g, upper: %.17g, "
                               "stiffness: %.17g, damping: 10}\n",
                               i, i, c->low[i], c->high[i], c->stiffness[i]);
    at += (size_t)snprintf(text + at, sizeof(text) - at, "outputs:\n");
    for (int i = 0; i < c->n; i++)
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "  q%d: {type: joint-position, joint: j%d}\n", i, i);
    return compile_text(text, 1e-3);
}

/* Minimise the energy of a chain in joint coordinates, without the solver. Return the length of
 * Newton's step from @q. @ret_is_valley: whether the energy is convex there */
static double way_to_minimum(const struct chain *c, const double *q, bool *ret_is_valley)
{
    double at[LINKS_MAX][2], centre[LINKS_MAX][2], H[LINKS_MAX][LINKS_MAX] = {{0}};
    double step[LINKS_MAX] = {0}, angle = 0, largest = 0;

    for (int i = 0; i < c->n; i++) {
        const double *from = i == 0 ? c->at[0] : c->at[i - 1], *to = c->at[i];
        double way[2] = {to[0] - from[0], to[1] - from[1]}, arm[2];

        /* positive rotation about y: from z to x */
        for (int k = 0; k < 2; k++)
            at[i][k] = i == 0 ? to[k]
                              : at[i - 1][k] + cos(angle) * way[k] +
                                    (k == 0 ? 1 : -1) * sin(angle) * way[1 - k];
        angle += q[i];
        for (int k = 0; k < 2; k++)
            arm[k] = c->centre[i][k] - to[k];
        for (int k = 0; k < 2; k++)
            centre[i][k] =
                at[i][k] + cos(angle) * arm[k] + (k == 0 ? 1 : -1) * sin(angle) * arm[1 - k];
    }
    for (int i = 0; i < c->n; i++) {
        double over = q[i] > c->high[i]  ? q[i] - c->high[i]
                      : q[i] < c->low[i] ? q[i] - c->low[i]
                                         : 0;

        step[i] = c->stiffness[i] * over;
        for (int b = i; b < c->n; b++)
            step[i] -= c->mass[b] * G * (centre[b][0] - at[i][0]);
        for (int k = 0; k < c->n; k++)
            for (int b = k > i ? k : i; b < c->n; b++)
                H[i][k] -= c->mass[b] * G * (centre[b][1] - at[k > i ? k : i][1]);
        H[i][i] += over != 0 ? c->stiffness[i] : 0;
    }
    /* Cholesky factorisation: L in the lower half, then both substitutions */
    *ret_is_valley = true;
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k <= i; k++) {
            double sum = H[i][k];

            for (int m = 0; m < k; m++)
                sum -= H[i][m] * H[k][m];
            *ret_is_valley &= i != k || sum > 0;
            H[i][k] = i == k ? sqrt(sum) : sum / H[k][k];
        }
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; k < i; k++)
            step[i] -= H[i][k] * step[k];
        step[i] /= H[i][i];
    }
    for (int i = c->n - 1; i >= 0; i--) {
        for (int k = i + 1; k < c->n; k++)
            step[i] -= H[k][i] * step[k];
        step[i] /= H[i][i];
        largest = fmax(largest, fabs(step[i]));
    }
    return largest;
}

/* Links that press against their stops, heavy and light: the energy of gravity and stops has a
 * minimum at the equilibrium. The tolerance ENOUGH, 1e-9 of the largest force, permits a distance
 * of 1e-8 rad from it. */
static void links_rest_on_their_stops(void **state)
{
    uint64_t seed = 1;

    (void)state;
    step_with("rattle");
    for (int i = 0; i < 300; i++) {
        struct chain c = random_chain(&seed);
        struct lk_system *sys = compile_chain(&c, "[0, 0, -9.81]");
        double q[LINKS_MAX], way;
        bool is_valley;

        lk_system_outputs(sys, q);
        way = way_to_minimum(&c, q, &is_valley);
        if (!is_valley || !(way < 1e-8))
            fail_msg("chain %d of %d links: %s, %.3g rad from its minimum", i, c.n,
                     is_valley ? "a valley" : "no valley", way);
        lk_system_free(sys);
    }
}

/* Chains whose equilibrium is known from other methods: a small arm on its stop; an arm that is
 * drawn upright and leans against gravity; three links, with two minimisers of the energy. */
static void known_links_on_their_stops(void **state)
{
    static const struct {
        struct chain chain;
        const char *gravity;
        double q[LINKS_MAX];
        double error;
    } cases[] = {
        {{.n = 1,
          .mass = {0.1},
          .centre = {{0.06, 0}},
          .low = {-1.5},
          .high = {1.5},
          .stiffness = {1e6}},
         "[0, 0, -9.81]",
         {1.5000000041},
         1e-10},
        {{.n = 1,
          .mass = {0.15},
          .centre = {{0, 0.06}},
          .low = {-1.79},
          .high = {1.57},
          .stiffness = {1e6}},
         "[0.3, 0, -9.81]",
         {1.57 + 0.15 * 0.06 * (9.81 * 1.0 + 0.3 * 0.0008) / 1e6},
         1e-10},
        {{.n = 3,
          .mass = {1, 1, 1},
          .at = {{0, 0}, {0, 0.12}, {0.12, 0.12}},
          .centre = {{0, 0.06}, {0.06, 0.12}, {0.12, 0.18}},
          .low = {-1.5, -1.5, -1.5},
          .high = {1.5, 1.5, 1.5},
          .stiffness = {1000, 1000, 1000}},
         "[0, 0, -9.81]",
         {1.502936, 0.085546, 1.500031},
         1e-6},
    };

    (void)state;
    step_with("rattle");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct lk_system *sys = compile_chain(&cases[i].chain, cases[i].gravity);
        double q[LINKS_MAX];

        lk_system_outputs(sys, q);
        for (int k = 0; k < cases[i].chain.n; k++)
            if (!(fabs(q[k] - cases[i].q[k]) < cases[i].error))
                fail_msg("case %zu, link %d: %.12g, expected %.12g", i, k, q[k], cases[i].q[k]);
        assert_string_equal(lk_system_note(sys), "");
        lk_system_free(sys);
    }
}

/* A body that nothing holds is named in the message, with the remaining force and its direction. */
static void falling_is_refused(void **state)
{
    static const char text[] =
        HEAD("[0, 0, -9.81]") START "bodies:\n"
                                    "  stone: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, "
                                    "0]}\n"
                                    "solver: {formulation: rattle}\n";
    struct lk_model *model;
    struct lk_system *sys = NULL;
    struct lk_error error = {""};

    (void)state;
    assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), LK_E_ASSEMBLY);
    assert_non_null(strstr(error.text, "body 'stone' is left with 19.6 N along z"));
    lk_model_free(model);
}

/* A slider-crank drawn near its upper pose, which is an unstable equilibrium: Newton's method alone
 * went up from 1e-6 to 0.6 rad. If it is drawn exactly in this pose, it stays there. */
static void rests_in_the_valley_below(void **state)
{
    static const double starts[] = {1e-6, 0.01, -0.3, 0.6, -1, 2.5, 0, 5e-10};

    (void)state;
    step_with("rattle");
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        char text[2048];
        struct lk_system *sys;
        double below = fabs(starts[i]) < 1e-9 ? 0 : M_PI;

        snprintf(text, sizeof(text),
                 HEAD("[0, -9.81, 0]") START
                 "bodies:\n"
                 "  crank: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0.05, 0]}\n"
                 "  rod: {mass: 0.5, inertia: [0.004, 0.004, 0.004], position: [0.15, 0.05, 0]}\n"
                 "  piston: {mass: 0.4, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 0]}\n"
                 "joints:\n"
                 "  main: {type: revolute, bodies: [ground, crank], point: [0, 0, 0],\n"
                 "    axis: [0, 0, 1], start: %g}\n"
                 "  big: {type: revolute, bodies: [crank, rod], point: [0, 0.1, 0],\n"
                 "    axis: [0, 0, 1]}\n"
                 "  small: {type: revolute, bodies: [rod, piston], point: [0.3, 0, 0],\n"
                 "    axis: [0, 0, 1]}\n"
                 "  bore: {type: prismatic, bodies: [ground, piston], point: [0.3, 0, 0],\n"
                 "    axis: [1, 0, 0]}\n"
                 "outputs:\n"
                 "  angle: {type: joint-position, joint: main}\n",
                 starts[i]);
        sys = compile(text, 0.001);
        if (!(fabs(fabs(read_output(sys, "angle", 0)) - below) < 1e-9))
            fail_msg("from %g: %.9g rad", starts[i], read_output(sys, "angle", 0));
        assert_int_equal(lk_system_note(sys)[0] != '\0', below == 0);
        lk_system_free(sys);
    }
}

/* A rope hangs vertically in equilibrium, whatever its initial direction: straight, at @angle to
 * the vertical, even almost upright.
 * @most: bound of the iterations, which do not increase with the number of links unless the rope is
 *        almost upright */
static void ropes_hang(void **state)
{
    static const struct {
        int n;
        double angle;
        int most;
    } ropes[] = {{30, 1.2, 60}, {30, 2, 120}, {20, 3, 1000}, {60, 0.3, 60}};
    static char text[32768];

    (void)state;
    for (size_t k = 0; k < sizeof(ropes) / sizeof(*ropes); k++) {
        const double link = 0.1, c = cos(ropes[k].angle), s = sin(ropes[k].angle);
        struct lk_equilibrium e;
        struct lk_system *sys;
        int n = ropes[k].n, at;

        at = snprintf(text, sizeof(text), HEAD("[0, 0, -10]") START "bodies:\n");
        for (int i = 0; i < n; i++)
            at +=
                snprintf(text + at, sizeof(text) - (size_t)at,
                         "  l%d: {mass: 0.1, inertia: [1e-5, 8e-5, 8e-5], position: "
                         "[%.9g, 0, %.9g], orientation: {axis: [0, 1, 0], angle: %.9g}}\n",
                         i, (i + 0.5) * link * s, -(i + 0.5) * link * c, M_PI / 2 - ropes[k].angle);
        at += snprintf(text + at, sizeof(text) - (size_t)at, "joints:\n");
        for (int i = 0; i < n; i++) {
            char above[16] = "ground";

            if (i > 0)
                snprintf(above, sizeof(above), "l%d", i - 1);
            at += snprintf(text + at, sizeof(text) - (size_t)at,
                           "  j%d: {type: revolute, bodies: [%s, l%d], point: [%.9g, 0, %.9g], "
                           "axis: [0, 1, 0]}\n",
                           i, above, i, i * link * s, -i * link * c);
        }
        snprintf(text + at, sizeof(text) - (size_t)at, "outputs:\n  energy: {type: energy}\n");
        sys = compile(text, 0.001);
        assert_true(fabs(read_output(sys, "energy", 1) + 0.05 * link * 10 * n * n) < 1e-6);
        assert_string_equal(lk_system_note(sys), "");
        lk_system_equilibrium(sys, &e);
        assert_true(e.iterations < ropes[k].most);
        lk_system_free(sys);
    }
}

/* In loops with redundant rows, opposing forces of millions of newtons occur in the iterations.
 * Neither these nor a body without mass affect the decision whether an equilibrium is stable. */
static void valleys_of_redundant_loops(void **state)
{
    static const struct {
        const char *path;
        bool falls; /* the initial configuration is an unstable equilibrium */
    } cases[] = {
        {"tests/physics/machines/spherical-four-bar.yaml", false},
        {"tests/physics/machines/bennett-turned.yaml", false},
        {"tests/physics/machines/two-balls.yaml", false},
        {"tests/physics/machines/hung-block.yaml", false},
        {"config/models/ladder-2.yaml", true},
    };
    const struct lk_options options = {.equilibrium = 1};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct lk_model *model;
        struct lk_system *sys;
        struct lk_error error = {""};

        assert_int_equal(lk_model_read_file(cases[i].path, &model, &error), 0);
        if (lk_system_new(model, &options, &sys, &error) != 0)
            fail_msg("%s: %s", cases[i].path, error.text);
        if (cases[i].falls != (strstr(lk_system_note(sys), "falls from") != NULL))
            fail_msg("%s: note '%s'", cases[i].path, lk_system_note(sys));
        lk_system_free(sys);
        lk_model_free(model);
    }
}

/* Without the key `start` nothing moves; the option @equilibrium has the same effect as the key. */
static void options_ask_for_it(void **state)
{
    static char text[4096];
    struct lk_options options = {.equilibrium = 1};
    struct lk_equilibrium e;
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    char *at;

    (void)state;
    snprintf(text, sizeof(text), "%s", MASS_ON_SPRING);
    at = strstr(text, START);
    memmove(at, at + strlen(START), strlen(at + strlen(START)) + 1);
    assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), 0);
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), 0);
    lk_system_equilibrium(sys, &e);
    assert_true(e.is_sought == 0 && read_output(sys, "x", 0) == 0);
    lk_system_free(sys);
    assert_int_equal(lk_system_new(model, &options, &sys, &error), 0);
    lk_system_equilibrium(sys, &e);
    assert_true(e.is_sought == 1);
    look_mass(sys);
    lk_system_free(sys);
    lk_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms_rest_in_balance), cmocka_unit_test(velocities_are_kept),
        cmocka_unit_test(inputs_act_in_the_balance),  cmocka_unit_test(stiffest_stop_is_found),
        cmocka_unit_test(links_rest_on_their_stops),  cmocka_unit_test(known_links_on_their_stops),
        cmocka_unit_test(falling_is_refused),         cmocka_unit_test(options_ask_for_it),
        cmocka_unit_test(rests_in_the_valley_below),  cmocka_unit_test(ropes_hang),
        cmocka_unit_test(valleys_of_redundant_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
