/* SPDX-License-Identifier: Apache-2.0 */
/* Joints with one or two bodies, each in a mechanism with known motion; see known_motion.h.
 * test_mechanisms_points.c has points on lines and rods, test_mechanisms_gears.c has gears. */
#include "cmocka_all.h"
#include "known_motion.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- joints, one after the other ---- */

/* Revolute: a compound pendulum, m = 2, J about the hinge 0.8, l = 0.5, angle from the horizontal.
 * Its products of inertia cause torques of the hinge: H = Rz(angle) (Ixz, Iyz, .) angle' */
static void pendulum_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -2 * G * 0.5 * cos(y[0]) / 0.8;
}

static void observe_pendulum(double t, const double *y, double *ret)
{
    const double xz = 0.05, yz = -0.03, c = cos(y[0]), s = sin(y[0]);
    double dy[2], hx = c * xz - s * yz, hy = s * xz + c * yz;

    pendulum_rhs(t, y, dy);
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = dy[1];
    ret[3] = 2 * 0.5 * (-s * dy[1] - c * y[1] * y[1]);
    ret[4] = 2 * 0.5 * (c * dy[1] - s * y[1] * y[1]) + 2 * G;
    ret[5] = hx * dy[1] - hy * y[1] * y[1];
    ret[6] = hy * dy[1] + hx * y[1] * y[1];
    ret[7] = 0;
}

static void revolute_is_a_compound_pendulum(void **state)
{
    static const struct mechanism m = {
        .text = HEAD("[0, -9.81, 0]") "bodies:\n"
                                      "  arm: {mass: 2, inertia: [0.2, 0.25, 0.3, 0, 0.05, -0.03], "
                                      "position: [0.5, 0, 0]}\n"
                                      "joints:\n"
                                      "  hinge: {type: revolute, bodies: [ground, arm], point: [0, "
                                      "0, 0], axis: [0, 0, 1]}\n"
                                      "outputs:\n"
                                      "  x: {type: joint-position, joint: hinge}\n"
                                      "  v: {type: joint-velocity, joint: hinge}\n"
                                      "  a: {type: joint-acceleration, joint: hinge}\n"
                                      "  f: {type: joint-reaction, joint: hinge}\n"
                                      "  work: {type: work}\n",
        .h = 0.004,
        .end = 3,
        .rate = 10, /* twice the largest angular velocity: the force has this rate */
        .n = 2,
        .rhs = pendulum_rhs,
        .observe = observe_pendulum,
        .quantity = {{"x", 0, 1.6},
                     {"v", 0, 5},
                     {"a", 0, 12},
                     {"f", 0, 40},
                     {"f", 1, 60},
                     {"f", 3, 2},
                     {"f", 4, 2},
                     {"work", 4, 20}},
    };

    (void)state;
    check_order_two(&m);
}

/* Prismatic: an incline of 0.3 rad with a spring. The joint's point is r away from the centre of
 * mass. The torque of the joint is the moment of all forces at this point, r x m (a - g). */
#define SLOPE 0.3
static void observe_slope(double t, const double *y, double *ret)
{
    const double m = 2, k = 50, w = sqrt(k / m), rest = m * G * sin(SLOPE) / k;
    double x = rest * (1 - cos(w * t)), a = rest * w * w * cos(w * t);
    double fx = m * a * cos(SLOPE), fy = m * (G - a * sin(SLOPE));

    (void)y;
    ret[0] = x;
    ret[1] = rest * w * sin(w * t);
    ret[2] = a;
    ret[3] = m * G * cos(SLOPE) * sin(SLOPE);
    ret[4] = m * G * cos(SLOPE) * cos(SLOPE);
    ret[5] = 0.1 * fy - 0.2 * fx;
}

static void prismatic_is_an_incline(void **state)
{
    char text[2048];
    struct mechanism m = {
        .text = text,
        .h = 0.01,
        .end = 3,
        .rate = 5,
        .observe = observe_slope,
        .quantity =
            {{"x", 0, 0.2}, {"v", 0, 0.6}, {"a", 0, 3}, {"f", 0, 20}, {"f", 1, 20}, {"f", 5, 2}},
    };

    (void)state;
    snprintf(
        text, sizeof(text),
        HEAD("[0, -9.81, 0]") "bodies:\n"
                              "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.1, 0.2, "
                              "0]}\n"
                              "joints:\n"
                              "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, "
                              "0],\n"
                              "    axis: [%.17g, %.17g, 0]}\n"
                              "forces:\n"
                              "  spring: {type: joint-spring-damper, joint: guide, stiffness: 50}\n"
                              "outputs:\n"
                              "  x: {type: joint-position, joint: guide}\n"
                              "  v: {type: joint-velocity, joint: guide}\n"
                              "  a: {type: joint-acceleration, joint: guide}\n"
                              "  f: {type: joint-reaction, joint: guide}\n",
        cos(SLOPE), -sin(SLOPE));
    check_order_two(&m);
}

/* Cylindrical: free fall along the axis, and a torque 3 sin(5 t) about it. The centre of mass is
 * 0.2 from the axis, J about the axis is 0.1 + 2 0.04 = 0.18. */
static void observe_tube(double t, const double *y, double *ret)
{
    const double A = 3 / 0.18, W = 5, start = 4;
    double angle = start * t + A / W * t - A / (W * W) * sin(W * t);
    double rate = start + A / W * (1 - cos(W * t)), second = A * sin(W * t);

    (void)y;
    ret[0] = 0.5 + t - 0.5 * G * t * t;
    ret[1] = 1 - G * t;
    ret[2] = -G;
    ret[3] = angle;
    ret[4] = rate;
    ret[5] = second;
    ret[6] = 2 * 0.2 * (-cos(angle) * rate * rate - sin(angle) * second);
    ret[7] = 2 * 0.2 * (-sin(angle) * rate * rate + cos(angle) * second);
    ret[8] = 0;
}

static void cylindrical_falls_and_spins(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, -9.81]") "bodies:\n"
                             "  tube: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.2, 0, 0],\n"
                             "    velocity: [0, 0.8, 1], angular_velocity: [0, 0, 4]}\n"
                             "joints:\n"
                             "  pole: {type: cylindrical, bodies: [ground, tube], point: [0, 0, "
                             "0], axis: [0, 0, 1],\n"
                             "    coordinate: {travel: 0.5}}\n"
                             "forces:\n"
                             "  turn: {type: harmonic-torque, body: tube, amplitude: [0, 0, 3], "
                             "omega: 5}\n"
                             "outputs:\n"
                             "  x: {type: joint-position, joint: pole}\n"
                             "  v: {type: joint-velocity, joint: pole}\n"
                             "  a: {type: joint-acceleration, joint: pole}\n"
                             "  f: {type: joint-reaction, joint: pole}\n"
                             "  work: {type: work}\n",
        .h = 0.002,
        .end = 1,
        .rate = 15,
        .observe = observe_tube,
        .quantity = {{"x", 0, 1},
                     {"v", 0, 1},
                     {"a", 0, 10},
                     {"x", 1, 1},
                     {"v", 1, 3},
                     {"a", 1, 17},
                     {"f", 0, 45},
                     {"f", 1, 45},
                     {"work", 4, 10}},
    };

    (void)state;
    check_order_two(&m);
}

/* Spherical: a body inclined by 0.5 rad precesses with the constant rate W about the vertical: m g
 * l = W^2 cos(b) (Jt + m l^2 - Ja). The force of the joint is its weight and centripetal force. */
#define CONE 0.5
static double cone_rate(void)
{
    return sqrt(2 * G * 0.5 / (cos(CONE) * (0.1 + 2 * 0.25 - 0.03)));
}

static void observe_cone(double t, const double *y, double *ret)
{
    double W = cone_rate(), r = 0.5 * sin(CONE), c = cos(W * t), s = sin(W * t);

    (void)y;
    ret[0] = r * c;
    ret[1] = r * s;
    ret[2] = -0.5 * cos(CONE);
    ret[3] = -r * W * s;
    ret[4] = r * W * c;
    ret[5] = W;
    ret[6] = -r * W * W * c;
    ret[7] = -2 * r * W * W * c;
    ret[8] = -2 * r * W * W * s;
    ret[9] = 2 * G;
}

static void spherical_is_a_conical_pendulum(void **state)
{
    double W = cone_rate(), r = 0.5 * sin(CONE);
    char text[2048];
    struct mechanism m = {
        .text = text,
        .h = 0.004,
        .end = 3,
        .rate = W,
        .observe = observe_cone,
        .quantity = {{"x", 0, r},
                     {"x", 1, r},
                     {"x", 2, r},
                     {"v", 0, r * W},
                     {"v", 1, r * W},
                     {"v", 5, W},
                     {"a", 0, r * W * W},
                     {"f", 0, 2 * G},
                     {"f", 1, 2 * G},
                     {"f", 2, 2 * G}},
    };

    (void)state;
    snprintf(text, sizeof(text),
             HEAD("[0, 0, -9.81]") "bodies:\n"
                                   "  bob: {mass: 2, inertia: [0.1, 0.1, 0.03], position: [%.17g, "
                                   "0, %.17g],\n"
                                   "    orientation: {axis: [0, -1, 0], angle: %.17g}, velocity: "
                                   "[0, %.17g, 0],\n"
                                   "    angular_velocity: [0, 0, %.17g]}\n"
                                   "joints:\n"
                                   "  socket: {type: spherical, bodies: [ground, bob], point: [0, "
                                   "0, 0]}\n"
                                   "outputs:\n"
                                   "  x: {type: body-pose, body: bob}\n"
                                   "  v: {type: body-velocity, body: bob}\n"
                                   "  a: {type: body-acceleration, body: bob}\n"
                                   "  f: {type: joint-reaction, joint: socket}\n",
             r, -0.5 * cos(CONE), CONE, r * W, W);
    check_order_two(&m);
}

/* Universal: two shafts bent by b = 0.6; the first, J = 0.1, is driven by 3 sin(2 t). The cross
 * starts in the plane of the shafts, so tan(second) = cos(b) tan(first). The torque of the drive
 * accelerates both, J = 0.1 and 0.3. */
#define BEND 0.6
static void observe_hooke(double t, const double *y, double *ret)
{
    double p = 3 * sin(2 * t), dp = 6 * cos(2 * t), ddp = -12 * sin(2 * t), cb = cos(BEND);
    double D = cos(p) * cos(p) + cb * cb * sin(p) * sin(p), n = cb / D;
    double dD = 2 * sin(p) * cos(p) * (cb * cb - 1) * dp, second = n * ddp - n / D * dD * dp;

    (void)y;
    ret[0] = p;
    ret[1] = n * dp * cos(BEND);
    ret[2] = n * dp * sin(BEND);
    ret[3] = second * cos(BEND);
    ret[4] = second * sin(BEND);
    ret[5] = 0.1 * ddp + 0.3 * second * n;
    /* atan2, continued beyond pi */
    ret[6] = p + atan2(sin(p) * cos(p) * (cb - 1), cos(p) * cos(p) + cb * sin(p) * sin(p));
}

static const char bent_text[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  in: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-0.5, 0, 0]%s}\n"
                      "  out: {mass: 1, inertia: [0.3, 0.3, 0.3], position: [%.17g, %.17g, 0]%s}\n"
                      "joints:\n"
                      "  first: {type: revolute, bodies: [ground, in], point: [-0.5, 0, 0], axis: "
                      "[1, 0, 0]%s}\n"
                      "  second: {type: %s, bodies: [ground, out], point: [%.17g, %.17g, 0]%s}\n"
                      "  cross: {type: %s, bodies: [in, out], point: [0, 0, 0], %s: [%s, [%.17g, "
                      "%.17g, 0]]}\n"
                      "%s"
                      "outputs:\n"
                      "  v: {type: body-velocity, body: out}\n"
                      "  a: {type: body-acceleration, body: out}\n"
                      "  x: {type: joint-position, joint: first}\n"
                      "  xv: {type: joint-velocity, joint: first}\n"
                      "  cross: {type: joint-reaction, joint: cross}\n";

static void universal_is_a_hooke_joint(void **state)
{
    /* bearings: revolute, with three redundant rows, or a ball in a tube, without */
    static const char *const bearing[2] = {"revolute", "point-on-line"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        double c = cos(BEND), s = sin(BEND);
        char text[4096], axis[128];
        struct mechanism m = {
            .text = text,
            .h = 0.001,
            .end = 4,
            .rate = 12,
            .observe = observe_hooke,
            .quantity =
                {{"x", 0, 3}, {"v", 3, 6}, {"v", 4, 6}, {"a", 3, 30}, {"a", 4, 30}, {"t", 0, 10}},
        };
        int n;

        snprintf(axis, sizeof(axis), ", axis: [%.17g, %.17g, 0]", c, s);
        n = snprintf(text, sizeof(text), bent_text, "", 0.5 * c, 0.5 * s, "",
                     ", drive: {harmonic: {amplitude: 3, omega: 2}}", bearing[i], 0.5 * c, 0.5 * s,
                     axis, "universal", "axes", "[0, 0, 1]", -s, c, "");
        snprintf(text + n, sizeof(text) - (size_t)n,
                 "  t: {type: drive-force, joint: first}\n"
                 "  p: {type: joint-position, joint: second}\n");
        if (i == 0)
            m.quantity[6] = (struct quantity){"p", 0, 3};
        check_exact(&m);
    }
}

/* Compute the largest differences between the rates (accelerations) of the cross's two coordinates
 * and the central differences of the coordinates (rates). */
static void cross_differences(double h, double worst[2])
{
    double out[3][OUTPUTS_MAX], c = cos(BEND), s = sin(BEND);
    char text[4096], axis[128];
    struct lk_system *sys;
    int n, at;

    snprintf(axis, sizeof(axis), ", axis: [%.17g, %.17g, 0]", c, s);
    n = snprintf(text, sizeof(text), bent_text, "", 0.5 * c, 0.5 * s, "",
                 ", drive: {harmonic: {amplitude: 3, omega: 2}}", "revolute", 0.5 * c, 0.5 * s,
                 axis, "universal", "axes", "[0, 0, 1]", -s, c, "");
    snprintf(text + n, sizeof(text) - (size_t)n,
             "  y0: {type: joint-position, joint: cross}\n"
             "  y1: {type: joint-velocity, joint: cross}\n"
             "  y2: {type: joint-acceleration, joint: cross}\n");
    sys = compile(text, h);
    at = offset_of(sys, "y0");
    worst[0] = worst[1] = 0;
    for (int i = 0; i < (int)lround(3 / h); i++) {
        const double *last = out[(i + 1) % 3], *middle = out[(i + 2) % 3], *now = out[i % 3];

        assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_outputs(sys, out[i % 3]);
        for (int k = 0; k < 4 && i >= 2; k++)
            worst[k / 2] = fmax(worst[k / 2],
                                fabs(middle[at + 2 + k] - (now[at + k] - last[at + k]) / (2 * h)));
    }
    lk_system_free(sys);
}

/* The error of the differences is h^2/6 of the third derivative, with rates up to 12 1/s and angles
 * up to BEND. */
static void universal_has_consistent_coordinates(void **state)
{
    const double h = 0.002;
    double coarse[2], fine[2];

    (void)state;
    cross_differences(h, coarse);
    cross_differences(0.5 * h, fine);
    for (int k = 0; k < 2; k++) {
        assert_true(coarse[k] < BEND * pow(12, 3 + k) * h * h / 6);
        assert_true(coarse[k] > LEAST_RATIO * fine[k]);
    }
}

/* Constant-velocity: the same shafts rotate equally, against a spring of 40 N m/rad on the second:
 * (0.1 + 0.3) p'' = -40 p. The joint's torque has the direction of the bisector of the shafts, so
 * its components along both shafts are equal; on the second T = 0.3 p'' + 40 p = -0.1 p''. */
static void observe_homokinetic(double t, const double *y, double *ret)
{
    const double w = 10, c = cos(BEND / 2), s = sin(BEND / 2);
    double T = 0.1 * 4 * w * sin(w * t) / c;

    (void)y;
    ret[0] = ret[3] = 4 / w * sin(w * t);
    ret[1] = ret[4] = 4 * cos(w * t);
    ret[2] = -4 * w * sin(w * t);
    ret[5] = T * c;
    ret[6] = T * s;
    ret[7] = 0;
}

static void constant_velocity_turns_alike(void **state)
{
    double c = cos(BEND), s = sin(BEND);
    char text[4096], axis[128], spin[128];
    struct mechanism m = {
        .text = text,
        .h = 0.002,
        .end = 2,
        .rate = 10,
        .observe = observe_homokinetic,
        .quantity = {{"x", 0, 0.4},
                     {"xv", 0, 4},
                     {"pa", 0, 40},
                     {"p", 0, 0.4},
                     {"pv", 0, 4},
                     {"cross", 3, 4},
                     {"cross", 4, 4},
                     {"cross", 5, 4}},
    };
    int n;

    (void)state;
    snprintf(axis, sizeof(axis), ", axis: [%.17g, %.17g, 0]", c, s);
    snprintf(spin, sizeof(spin), ", angular_velocity: [%.17g, %.17g, 0]", 4 * c, 4 * s);
    n = snprintf(text, sizeof(text), bent_text, ", angular_velocity: [4, 0, 0]", 0.5 * c, 0.5 * s,
                 spin, "", "revolute", 0.5 * c, 0.5 * s, axis, "constant-velocity", "axes",
                 "[1, 0, 0]", c, s,
                 "forces:\n"
                 "  spring: {type: joint-spring-damper, joint: second, stiffness: 40}\n");
    snprintf(text + n, sizeof(text) - (size_t)n,
             "  p: {type: joint-position, joint: second}\n"
             "  pv: {type: joint-velocity, joint: second}\n"
             "  pa: {type: joint-acceleration, joint: second}\n");
    check_order_two(&m);
}

/* Planar: a disc on a plane with a slope of 0.3 rad: a spring along x, free fall down the slope
 * along y, a torsion spring. The normal force is m g cos. */
static void observe_disc(double t, const double *y, double *ret)
{
    const double w = 6, q = 5, a = -G * sin(SLOPE);

    (void)y;
    ret[0] = 0.5 / w * sin(w * t);
    ret[1] = 0.2 * t + 0.5 * a * t * t;
    ret[2] = 10 / q * sin(q * t);
    ret[3] = 0.5 * cos(w * t);
    ret[4] = 0.2 + a * t;
    ret[5] = 10 * cos(q * t);
    ret[6] = -0.5 * w * sin(w * t);
    ret[7] = a;
    ret[8] = -10 * q * sin(q * t);
    ret[9] = 2 * G * cos(SLOPE);
}

static void planar_is_a_disc_on_a_slope(void **state)
{
    char text[2048];
    struct mechanism m = {
        .text = text,
        .h = 0.004,
        .end = 2,
        .rate = 6,
        .observe = observe_disc,
        .quantity = {{"x", 0, 0.1},
                     {"x", 1, 0.2},
                     {"x", 2, 2},
                     {"v", 0, 0.5},
                     {"v", 1, 0.2},
                     {"v", 2, 10},
                     {"a", 0, 3},
                     {"a", 1, 1},
                     {"a", 2, 50},
                     {"f", 2, 20}},
    };

    (void)state;
    snprintf(
        text, sizeof(text),
        HEAD("[0, %.17g, %.17g]") "bodies:\n"
                                  "  disc: {mass: 2, inertia: [0.1, 0.1, 0.2], position: [0, 0, "
                                  "0],\n"
                                  "    velocity: [0.5, 0.2, 0], angular_velocity: [0, 0, 10]}\n"
                                  "joints:\n"
                                  "  plane: {type: planar, bodies: [ground, disc], point: [0, 0, "
                                  "0], axis: [0, 0, 1]}\n"
                                  "forces:\n"
                                  "  s: {type: joint-spring-damper, joint: plane, coordinate: x, "
                                  "stiffness: 72}\n"
                                  "  q: {type: joint-spring-damper, joint: plane, coordinate: "
                                  "angle, stiffness: 5}\n"
                                  "outputs:\n"
                                  "  x: {type: joint-position, joint: plane}\n"
                                  "  v: {type: joint-velocity, joint: plane}\n"
                                  "  a: {type: joint-acceleration, joint: plane}\n"
                                  "  f: {type: joint-reaction, joint: plane}\n",
        -G * sin(SLOPE), -G * cos(SLOPE));
    check_order_two(&m);
}

/* Fixed: two bodies, 1 kg at 0.3 and 2 kg at (0.8, 0.1), swing as one: J = 0.02 + 0.05 + sum m r^2,
 * sum m r = (1.9, 0.2). The joint exerts on the second body the force f = m (a - g). */
#define TWO_J (0.02 + 0.09 + 0.05 + 2 * (0.64 + 0.01))
static void two_rhs(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -G * (1.9 * cos(y[0]) - 0.2 * sin(y[0])) / TWO_J;
}

static void observe_two(double t, const double *y, double *ret)
{
    double c = cos(y[0]), s = sin(y[0]), x = 0.8 * c - 0.1 * s, z = 0.8 * s + 0.1 * c, dy[2];

    two_rhs(t, y, dy);
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = dy[1];
    ret[3] = 2 * (-z * dy[1] - x * y[1] * y[1]);
    ret[4] = 2 * (x * dy[1] - z * y[1] * y[1] + G);
    /* torque about the point of the joint, (0.5, 0) in the bodies */
    ret[5] = 0.05 * dy[1] + (x - 0.5 * c) * ret[4] - (z - 0.5 * s) * ret[3];
}

static void fixed_makes_one_body_of_two(void **state)
{
    static const struct mechanism m = {
        .text =
            HEAD("[0, -9.81, 0]") "bodies:\n"
                                  "  near: {mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.3, "
                                  "0, 0]}\n"
                                  "  far: {mass: 2, inertia: [0.05, 0.05, 0.05], position: [0.8, "
                                  "0.1, 0]}\n"
                                  "joints:\n"
                                  "  hinge: {type: revolute, bodies: [ground, near], point: [0, 0, "
                                  "0], axis: [0, 0, 1]}\n"
                                  "  weld: {type: fixed, bodies: [near, far], point: [0.5, 0, 0]}\n"
                                  "outputs:\n"
                                  "  x: {type: joint-position, joint: hinge}\n"
                                  "  v: {type: joint-velocity, joint: hinge}\n"
                                  "  a: {type: joint-acceleration, joint: hinge}\n"
                                  "  f: {type: joint-reaction, joint: weld}\n",
        .h = 0.004,
        .end = 3,
        .rate = 10,
        .n = 2,
        .rhs = two_rhs,
        .observe = observe_two,
        .quantity =
            {{"x", 0, 1.6}, {"v", 0, 5}, {"a", 0, 13}, {"f", 0, 60}, {"f", 1, 60}, {"f", 5, 30}},
    };

    (void)state;
    check_order_two(&m);
}

/* Screw: a nut on a fixed spindle, lead 0.1 m, P = 0.1 / 2 pi per radian, a spring on the angle: (J
 * + m P^2) angle'' = -m g P - k angle, over more than a turn. The thread exerts the force m (z'' +
 * g) and the torque J angle'' + k angle. */
static void observe_nut(double t, const double *y, double *ret)
{
    const double P = 0.1 / (2 * M_PI), J = 1e-3, m = 1, k = 0.03, M = J + m * P * P;
    double w = sqrt(k / M), rest = -m * G * P / k, second = -rest * w * w * -cos(w * t);

    (void)y;
    ret[0] = rest * (1 - cos(w * t));
    ret[1] = rest * w * sin(w * t);
    ret[2] = second;
    ret[3] = P * ret[0];
    ret[4] = m * (P * second + G);
    ret[5] = J * second + k * ret[0];
}

static void screw_is_a_nut_on_a_spindle(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, -9.81]") "bodies:\n"
                             "  nut: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 0, 0]}\n"
                             "joints:\n"
                             "  thread: {type: screw, bodies: [ground, nut], point: [0, 0, 0], "
                             "axis: [0, 0, 1],\n"
                             "    pitch: 0.1}\n"
                             "forces:\n"
                             "  spring: {type: joint-spring-damper, joint: thread, stiffness: "
                             "0.03}\n"
                             "outputs:\n"
                             "  x: {type: joint-position, joint: thread}\n"
                             "  v: {type: joint-velocity, joint: thread}\n"
                             "  a: {type: joint-acceleration, joint: thread}\n"
                             "  p: {type: body-pose, body: nut}\n"
                             "  f: {type: joint-reaction, joint: thread}\n",
        .h = 0.01,
        .end = 3,
        .rate = 5,
        .observe = observe_nut,
        .quantity = {{"x", 0, 5.2},
                     {"v", 0, 26},
                     {"a", 0, 126},
                     {"p", 2, 0.08},
                     {"f", 2, 2},
                     {"f", 5, 0.16}},
    };

    (void)state;
    check_order_two(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(revolute_is_a_compound_pendulum),
        cmocka_unit_test(prismatic_is_an_incline),
        cmocka_unit_test(cylindrical_falls_and_spins),
        cmocka_unit_test(spherical_is_a_conical_pendulum),
        cmocka_unit_test(universal_is_a_hooke_joint),
        cmocka_unit_test(universal_has_consistent_coordinates),
        cmocka_unit_test(constant_velocity_turns_alike),
        cmocka_unit_test(planar_is_a_disc_on_a_slope),
        cmocka_unit_test(fixed_makes_one_body_of_two),
        cmocka_unit_test(screw_is_a_nut_on_a_spindle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
