/* SPDX-License-Identifier: Apache-2.0 */
/* Compliance, bushings, springs, tables and loads; see known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- compliance and bushings ---- */

/* Return the motion of a body at rest that gets a velocity in a compliant direction: x = v/w sin(w
 * t), with damping times exp(-d t). */
static double swing(double t, double speed, double k, double c, double m, double *ret_rate)
{
    double d = c / (2 * m), w = sqrt(k / m - d * d), fade = exp(-d * t);

    *ret_rate = speed * fade * (cos(w * t) - d / w * sin(w * t));
    return speed / w * fade * sin(w * t);
}

/* rotations are so small that each axis behaves like a single oscillator: the coupling is of the
 * order of their product, 1e-9 */
#define PUSH      0.01
#define PUSH_TURN 1e-3

/* the axis of the hinge is x, which is the third direction of its compliance */
static void observe_compliant_revolute(double t, const double *y, double *ret)
{
    static const double shift[3] = {4000, 2000, 2000}, inertia[3] = {0, 0.2, 0.15};

    (void)y;
    for (int i = 0; i < 3; i++) {
        ret[i] = swing(t, PUSH, shift[i], 0, 2, &ret[3 + i]);
        ret[6 + i] = -shift[i] * ret[i];
    }
    for (int i = 0; i < 2; i++)
        ret[11 + i] = -50 * swing(t, PUSH_TURN, 50, 0, inertia[1 + i], &ret[9 + i]);
}

static void compliant_revolute_swings(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  wheel: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0, 0, 0],\n"
                         "    velocity: [0.01, 0.01, 0.01], angular_velocity: [0, 0.001, 0.001]}\n"
                         "joints:\n"
                         "  hinge: {type: revolute, bodies: [ground, wheel], point: [0, 0, 0], "
                         "axis: [1, 0, 0],\n"
                         "    compliance: {stiffness: [2000, 2000, 4000, 50, 50]}}\n"
                         "outputs:\n"
                         "  x: {type: body-pose, body: wheel}\n"
                         "  v: {type: body-velocity, body: wheel}\n"
                         "  f: {type: joint-reaction, joint: hinge}\n",
        .h = 0.002,
        .end = 0.5,
        .rate = 45,
        .observe = observe_compliant_revolute,
        .quantity = {{"x", 0, 2.5e-4},
                     {"x", 1, 3e-4},
                     {"x", 2, 3e-4},
                     {"v", 0, PUSH},
                     {"v", 1, PUSH},
                     {"v", 2, PUSH},
                     {"f", 0, 0.9},
                     {"f", 1, 0.9},
                     {"f", 2, 0.9},
                     {"v", 4, PUSH_TURN},
                     {"v", 5, PUSH_TURN},
                     {"f", 4, 3e-3},
                     {"f", 5, 3e-3}},
    };

    (void)state;
    check_order_two(&m);
}

/* Damped, with an oblique joint: at t = 0 the directions of displacement are those of the world. */
static void observe_compliant_spherical(double t, const double *y, double *ret)
{
    static const double k[3] = {800, 1800, 3200}, c[3] = {4, 8, 12};

    (void)y;
    for (int i = 0; i < 3; i++) {
        ret[i] = swing(t, 0.1 * (i + 1), k[i], c[i], 2, &ret[3 + i]);
        ret[6 + i] = -k[i] * ret[i] - c[i] * ret[3 + i];
    }
    ret[9] = 0;
}

static void compliant_spherical_swings(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, 0]") "bodies:\n"
                         "  ball: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0, 0, 0],\n"
                         "    orientation: {axis: [1, 2, 3], angle: 0.7}, velocity: [0.1, 0.2, "
                         "0.3]}\n"
                         "joints:\n"
                         "  socket: {type: spherical, bodies: [ground, ball], point: [0, 0, 0],\n"
                         "    compliance: {stiffness: [800, 1800, 3200], damping: [4, 8, 12]}}\n"
                         "outputs:\n"
                         "  x: {type: body-pose, body: ball}\n"
                         "  v: {type: body-velocity, body: ball}\n"
                         "  f: {type: joint-reaction, joint: socket}\n"
                         "  work: {type: work}\n",
        .h = 0.002,
        .end = 0.5,
        .rate = 40,
        .observe = observe_compliant_spherical,
        .quantity = {{"x", 0, 0.01},
                     {"x", 1, 0.01},
                     {"x", 2, 0.01},
                     {"v", 0, 0.3},
                     {"v", 1, 0.3},
                     {"v", 2, 0.3},
                     {"f", 0, 24},
                     {"f", 1, 24},
                     {"f", 2, 24},
                     {"work", 4, 0.14}},
    };

    (void)state;
    check_order_two(&m);
}

static void observe_six(double t, const double *y, double *ret)
{
    static const double k[6] = {800, 1800, 3200, 40, 90, 60}, m[6] = {2, 2, 2, 0.1, 0.2, 0.15};

    (void)y;
    for (int i = 0; i < 6; i++) {
        double x = swing(t, i < 3 ? PUSH : PUSH_TURN, k[i], 0, m[i], &ret[i]);

        ret[6 + i] = -k[i] * x;
    }
}

#define SIX_QUANTITIES(force)                                                                      \
    {                                                                                              \
        {"v", 0, PUSH}, {"v", 1, PUSH}, {"v", 2, PUSH}, {"v", 3, PUSH_TURN}, {"v", 4, PUSH_TURN},  \
            {"v", 5, PUSH_TURN}, {force, 0, 0.8}, {force, 1, 0.8}, {force, 2, 0.8},                \
            {force, 3, 4e-3}, {force, 4, 4e-3},                                                    \
        {                                                                                          \
            force, 5, 4e-3                                                                         \
        }                                                                                          \
    }

static const char six_bodies[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  plate: {mass: 2, inertia: [0.1, 0.2, 0.15], position: [0, 0, 0],\n"
                      "    velocity: [0.01, 0.01, 0.01], angular_velocity: [0.001, 0.001, 0.001]}\n"
                      "%s"
                      "outputs:\n"
                      "  v: {type: body-velocity, body: plate}\n"
                      "  f: {type: %s}\n";

/* If a bushing that is stiff about one axis is rotated about two axes, it has a torque about all
 * three. No other torque acts on the ball of 1 kg m^2, so the torque equals its angular
 * acceleration. */
static void turned_bushing_tells_its_torque(void **state)
{
    static const char text[] =
        HEAD("[0, 0, 0]") "bodies:\n"
                          "  ball: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0],\n"
                          "    angular_velocity: [1, 1, 0]}\n"
                          "forces:\n"
                          "  pad: {type: bushing, bodies: [ground, ball], point: [0, 0, 0],\n"
                          "    stiffness: [0, 0, 0, 0, 10, 0]}\n"
                          "outputs:\n"
                          "  pad: {type: force, force: pad}\n"
                          "  a: {type: body-acceleration, body: ball}\n";
    struct lk_system *sys = compile(text, 0.001);

    (void)state;
    for (int i = 0; i < 400; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    assert_true(fabs(read_output(sys, "pad", 5)) > 0.5);
    for (int i = 3; i < 6; i++)
        assert_true(fabs(read_output(sys, "pad", i) - read_output(sys, "a", i)) < 1e-9);
    lk_system_free(sys);
}

/* ---- a compliant thread ---- */

#define LEAD 0.5 /* travel per turn [m] */

/* The state is x and v of a nut of 1 kg and 10 kg m^2, then its angle and rate. The deflection of
 * the thread is defined up to whole leads. */
static void slipping_nut_rhs(double t, const double *y, double *dy)
{
    double pitch = LEAD / (2 * M_PI), off = y[0] - pitch * y[2];
    double force = 20 * (off - LEAD * rint(off / LEAD)) + (y[1] - pitch * y[3]);

    (void)t;
    dy[0] = y[1];
    dy[1] = 20 - force;
    dy[2] = y[3];
    dy[3] = pitch * force / 10;
}

/* A force above the limit of the thread makes it slip from groove to groove. There its elastic
 * force reverses while the nut continues, and the damper must not see a jump back by a lead. */
static void soft_thread_slips(void **state)
{
    static const char text[] =
        HEAD("[20, 0, 0]") "bodies:\n"
                           "  nut: {mass: 1, inertia: [10, 10, 10], position: [0, 0, 0]}\n"
                           "joints:\n"
                           "  thread: {type: screw, bodies: [ground, nut], point: [0, 0, 0],\n"
                           "    axis: [1, 0, 0], pitch: 0.5,\n"
                           "    compliance: {stiffness: [2000, 2000, 20, 2000, 2000],\n"
                           "      damping: [1, 1, 1, 1, 1]}}\n"
                           "outputs:\n"
                           "  x: {type: body-pose, body: nut}\n"
                           "  v: {type: body-velocity, body: nut}\n"
                           "  work: {type: work}\n";
    static const struct mechanism nut = {.n = 4, .rhs = slipping_nut_rhs};
    static const char *const formulations[] = {"rattle", "ali3", "rk4"};
    double y[4] = {0};

    (void)state;
    integrate(&nut, 0, 0.5, y);
    assert_true(y[0] > 3.5 * LEAD);
    for (int i = 0; i < 3; i++) {
        struct lk_system *sys;

        step_with(formulations[i]);
        sys = compile(text, 0.001);
        for (int k = 0; k < 500; k++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        assert_true(fabs(read_output(sys, "x", 0) - y[0]) < 1e-3);
        assert_true(fabs(read_output(sys, "v", 0) - y[1]) < 3e-3);
        assert_true(fabs(read_output(sys, "work", 4)) < 0.1);
        lk_system_free(sys);
    }
    step_with("ali3");
}

/* The same six springs are the compliance of a fixed joint and a force element. */
static void six_directions_swing(void **state)
{
    static const char *const kinds[2][2] = {
        {"joints:\n"
         "  weld: {type: fixed, bodies: [ground, plate], point: [0, 0, 0],\n"
         "    compliance: {stiffness: [800, 1800, 3200, 40, 90, 60]}}\n",
         "joint-reaction, joint: weld"},
        {"forces:\n"
         "  pad: {type: bushing, bodies: [ground, plate], point: [0, 0, 0],\n"
         "    stiffness: [800, 1800, 3200, 40, 90, 60]}\n",
         "force, force: pad"}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[2048];
        struct mechanism m = {
            .text = text,
            .h = 0.002,
            .end = 0.5,
            .rate = 40,
            .observe = observe_six,
            .quantity = SIX_QUANTITIES("f"),
        };

        snprintf(text, sizeof(text), six_bodies, kinds[i][0], kinds[i][1]);
        check_order_two(&m);
    }
}

/* A bushing as stiff as steel under a mass of 1 kg: w h = 32. The mass starts at the unloaded
 * position and falls by F/k. Without damping it oscillates between 0 and 2 F/k forever, because the
 * trapezoidal rule conserves the energy of a linear spring. With damping it comes to rest at
 * F/k. */
static void stiff_bushing_is_stable(void **state)
{
    static const char text[] = HEAD(
        "[0, 0, -9.81]") "bodies:\n"
                         "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.2, 0.1, "
                         "0.3]}\n"
                         "forces:\n"
                         "  pad: {type: bushing, bodies: [ground, block], point: [0.2, 0.1, 0.3],\n"
                         "    stiffness: [1e9, 1e9, 1e9, 1e6, 1e6, 1e6], damping: [%s]}\n"
                         "outputs:\n"
                         "  x: {type: body-pose, body: block}\n"
                         "  f: {type: force, force: pad}\n";
    static const char *const damping[] = {"0, 0, 0, 0, 0, 0", "1e4, 1e4, 1e4, 10, 10, 10"};
    const double rest = G / 1e9;

    (void)state;
    for (int k = 0; k < 2; k++) {
        char full[1024];
        struct lk_system *sys;
        double out[OUTPUTS_MAX];

        snprintf(full, sizeof(full), text, damping[k]);
        sys = compile(full, 0.001);
        for (int i = 0; i < 10000; i++) {
            assert_int_equal(lk_system_step(sys, NULL), 0);
            lk_system_outputs(sys, out);
            assert_true(out[2] - 0.3 < 0.01 * rest && out[2] - 0.3 > -2.01 * rest);
            assert_true(fabs(out[0] - 0.2) + fabs(out[1] - 0.1) < 1e-3 * rest);
        }
        if (k == 1) {
            /* the deflection is a difference of numbers of magnitude 0.3 */
            assert_true(fabs(out[2] - 0.3 + rest) < 1e-6 * rest + 1e-15);
            assert_true(fabs(out[9] - G) < 1e-6 * G);
        }
        lk_system_free(sys);
    }
}

/* ---- springs, dampers and loads along a guide: x'' = force / m ---- */

/* m x'' + c x' + k (x - r) = F sin(W t + p): a free oscillation about the forced one, X sin(W t + p
 * - q) */
static void observe_shaken_oscillator(double t, const double *y, double *ret)
{
    const double m = 2, c = 3, k = 180, r = 0.05, F = 40, W = 6, p = 0.4;
    double re = k - m * W * W, im = c * W, X = F / hypot(re, im), q = atan2(im, re);
    double d = c / (2 * m), w = sqrt(k / m - d * d), fade = exp(-d * t);
    double A = 0.2 - r - X * sin(p - q);
    double B = (1 - X * W * cos(p - q) + d * A) / w;
    double swing_x = fade * (A * cos(w * t) + B * sin(w * t));
    double swing_v = fade * ((B * w - d * A) * cos(w * t) - (A * w + d * B) * sin(w * t));

    (void)y;
    ret[0] = r + X * sin(W * t + p - q) + swing_x;
    ret[1] = X * W * cos(W * t + p - q) + swing_v;
    ret[3] = -k * (ret[0] - r) - c * ret[1];
    ret[2] = (ret[3] + F * sin(W * t + p)) / m;
    ret[4] = 0;
}

static void harmonic_force_shakes_an_oscillator(void **state)
{
    static const struct mechanism m = {
        .text = SLIDER("[0, -9.81, 0]", ", coordinate: 0.2",
                       "  spring: {type: joint-spring-damper, joint: guide, stiffness: 180,\n"
                       "    damping: 3, rest: 0.05}\n"
                       "  shake: {type: harmonic-force, body: block, amplitude: [40, 0, 0],\n"
                       "    omega: 6, phase: 0.4}\n") "  f: {type: force, force: spring}\n",
        .h = 0.004,
        .end = 3,
        .rate = 10,
        .observe = observe_shaken_oscillator,
        .quantity = {{"x", 0, 0.4}, {"v", 0, 4}, {"a", 0, 40}, {"f", 0, 80}, {"work", 4, 20}},
    };

    (void)state;
    check_order_two(&m);
}

/* Print a table of 401 points of @force over -1 .. 1. */
static int print_table(char *text, size_t size, double force(double))
{
    int n = snprintf(text, size, "[");

    for (int i = 0; i <= 400; i++)
        n += snprintf(text + n, size - (size_t)n, "%s%.4f", i ? ", " : "", (i - 200) / 200.0);
    n += snprintf(text + n, size - (size_t)n, "], force: [");
    for (int i = 0; i <= 400; i++)
        n +=
            snprintf(text + n, size - (size_t)n, "%s%.9g", i ? ", " : "", force((i - 200) / 200.0));
    return n + snprintf(text + n, size - (size_t)n, "]");
}

static double duffing(double x)
{
    return 100 * x + 300 * x * x * x;
}

static double drag(double v)
{
    return 2 * v + 3 * v * fabs(v);
}

static void duffing_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -(duffing(y[0] - 0.1) + drag(y[1])) / 2;
}

/* The force is a straight line beyond the table; x and v stay within the table. */
static void observe_duffing(double t, const double *y, double *ret)
{
    double dy[2];

    duffing_rhs(t, y, dy);
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = dy[1];
    ret[3] = 2 * dy[1];
    ret[4] = 0;
}

/* The interpolated curve through 401 points differs from the smooth one by about 300 (1/200)^3 =
 * 4e-5 N, which moves the block by about 1e-7 of its travel. The effect of h = 10 ms is 1e4 times
 * larger. */
static void tables_make_a_duffing_oscillator(void **state)
{
    static char stiffness[16384], damping[16384], text[36864];
    struct mechanism m = {
        .text = text,
        .h = 0.01,
        .end = 2,
        .rate = 12,
        .n = 2,
        .start = {0.2, 1},
        .rhs = duffing_rhs,
        .observe = observe_duffing,
        .quantity = {{"x", 0, 0.2}, {"v", 0, 1}, {"a", 0, 10}, {"f", 0, 20}, {"work", 4, 1}},
    };

    (void)state;
    print_table(stiffness, sizeof(stiffness), duffing);
    print_table(damping, sizeof(damping), drag);
    snprintf(text, sizeof(text),
             SLIDER("[0, 0, 0]", ", coordinate: 0.2",
                    "  law: {type: joint-spring-damper, joint: guide, rest: 0.1,\n"
                    "    stiffness_table: {deflection: %s},\n"
                    "    damping_table: {rate: %s}}\n") "  f: {type: force, force: law}\n",
             stiffness, damping);
    check_order_two(&m);
}

/* ---- dampers of rotation ---- */

#define BALLS_MAX 20

/* Compile @n balls that rotate with @spin, held by @joint and @force, with the torque @torque about
 * y. */
static struct lk_system *compile_balls(int n, const double spin[3], const char *joint,
                                       const char *force, double torque, const char *solver)
{
    static char text[16384];
    size_t room = sizeof(text), at = (size_t)snprintf(text, room, "linkage: 1\nname: balls\n");

    at += (size_t)snprintf(text + at, room - at, "bodies:\n");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "  b%d: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [%d, 0, 0],\n"
                               "    angular_velocity: [%.17g, %.17g, %.17g]}\n",
                               i, i, spin[0], spin[1], spin[2]);
    at += (size_t)snprintf(text + at, room - at, "joints:\n");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "  j%d: {%s, bodies: [ground, b%d], point: [%d, 0, 0]}\n", i, joint,
                               i, i);
    at += (size_t)snprintf(text + at, room - at, "%s", *force ? "forces:\n" : "");
    for (int i = 0; i < n && *force; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "  f%d: {%s, bodies: [ground, b%d], point: [%d, 0, 0]}\n"
                               "  t%d: {type: constant-torque, body: b%d, torque: [0, %g, 0]}\n",
                               i, force, i, i, i, i, torque);
    at += (size_t)snprintf(text + at, room - at, "outputs:\n");
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, room - at, "  v%d: {type: body-velocity, body: b%d}\n", i,
                               i);
    snprintf(text + at, room - at, "solver: {%s}\n", solver);
    return compile_text(text, 0);
}

#define BALL   "type: spherical"
#define DAMPER "type: bushing, stiffness: [0, 0, 0, 0, 0, 0], damping: [0, 0, 0, 0.05, 0.05, 0.05]"
#define SOFT                                                                                       \
    "type: fixed, compliance: {stiffness: [1e4, 1e4, 1e4, 0, 0, 0], "                              \
    "damping: [10, 10, 10, 0.05, 0.05, 0.05]}"

/* The rate of a ball that rotates about one axis decreases as exp(-d t / J), over whole turns, and
 * never increases. */
static void a_damper_brakes_over_whole_turns(void **state)
{
    static const double axes[][3] = {{1, 0, 0}, {0, 0, -1}, {0.6, 0, 0.8}, {-0.48, 0.6, 0.64}};
    static const struct {
        const char *joint;
        const char *force;
    } holds[] = {{BALL, DAMPER}, {SOFT, ""}};
    static const char *const solvers[] = {"formulation: rattle, engine: none",
                                          "formulation: rattle, order: 4",
                                          "formulation: rattle, engine: auto", "formulation: ali3"};
    const double speed = 8, h = 1e-3, rate = 0.5, end = 3; /* 19 rad */

    (void)state;
    for (int a = 0; a < 4; a++)
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 4; s++) {
                double spin[3], v[6 * BALLS_MAX], last = speed;
                /* error of the trapezoidal rule, t rate (rate h)^2 / 12, and round-off */
                double error = speed * (end * rate * rate * rate * h * h / 12 + 1e-10);
                struct lk_system *sys;

                for (int i = 0; i < 3; i++)
                    spin[i] = speed * axes[a][i];
                sys = compile_balls(BALLS_MAX, spin, holds[k].joint, holds[k].force, 0, solvers[s]);
                for (int step = 1; step <= 3000; step++) {
                    assert_int_equal(lk_system_step(sys, NULL), 0);
                    lk_system_outputs(sys, v);
                    for (int b = 0; b < BALLS_MAX; b++) {
                        const double *w = v + 6 * b + 3;
                        double now = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);

                        if (!(fabs(now - speed * exp(-rate * step * h)) < error && now < last))
                            fail_msg("axis %d, hold %d, %s: %.12g rad/s after %d steps, expected "
                                     "%.12g",
                                     a, k, solvers[s], now, step, speed * exp(-rate * step * h));
                        last = b == BALLS_MAX - 1 ? now : last;
                    }
                }
                lk_system_free(sys);
            }
}

/* A torque beside the spin changes the axis of rotation. The order remains two if the rotation
 * exceeds half a turn. */
static void a_damper_keeps_its_order_past_half_a_turn(void **state)
{
    static const double spin[3] = {1, 1, 2};
    static const char *const engines[] = {"none", "auto"};

    (void)state;
    for (int e = 0; e < 2; e++) {
        double at[3][6 * BALLS_MAX], error[2] = {0};

        for (int k = 0; k < 3; k++) {
            double h = k == 2 ? 1.25e-4 : 2e-3 / (1 + k);
            char solver[128];
            struct lk_system *sys;

            snprintf(solver, sizeof(solver), "formulation: rattle, engine: %s, step: %.17g",
                     engines[e], h);
            sys = compile_balls(BALLS_MAX, spin, BALL, DAMPER, 0.2, solver);
            for (int i = 0; i < (int)(2.5 / h + 0.5); i++)
                assert_int_equal(lk_system_step(sys, NULL), 0);
            lk_system_outputs(sys, at[k]);
            lk_system_free(sys);
        }
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 6 * BALLS_MAX; i++)
                error[k] = fmax(error[k], fabs(at[k][i] - at[2][i]));
        if (!(error[0] < 1e-5 && error[0] > LEAST_RATIO * error[1]))
            fail_msg("%s: errors %.3g and %.3g rad/s", engines[e], error[0], error[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compliant_revolute_swings),
        cmocka_unit_test(compliant_spherical_swings),
        cmocka_unit_test(turned_bushing_tells_its_torque),
        cmocka_unit_test(soft_thread_slips),
        cmocka_unit_test(six_directions_swing),
        cmocka_unit_test(stiff_bushing_is_stable),
        cmocka_unit_test(harmonic_force_shakes_an_oscillator),
        cmocka_unit_test(tables_make_a_duffing_oscillator),
        cmocka_unit_test(a_damper_brakes_over_whole_turns),
        cmocka_unit_test(a_damper_keeps_its_order_past_half_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
