/* SPDX-License-Identifier: Apache-2.0 */
/* Drives of coordinates and of a platform; see known_motion.h. */
#include "cmocka_all.h"
#include "known_motion.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- drives ---- */

#define SHAKE_A  0.05
#define SHAKE_W  7.0
#define SHAKE_PH 0.3

/* A block driven vertically: x, x', x'' of the harmonic function, and the force m (x'' + g). */
static void observe_shaker(double t, const double *y, double *ret)
{
    double angle = SHAKE_W * t + SHAKE_PH, a = -SHAKE_A * SHAKE_W * SHAKE_W * sin(angle);

    (void)y;
    ret[0] = 0.1 + SHAKE_A * sin(angle);
    ret[1] = SHAKE_A * SHAKE_W * cos(angle);
    ret[2] = a;
    ret[3] = 2 * (a + G);
}

static void harmonic_drive_is_exact(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, -9.81]") "bodies:\n"
                             "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1]}\n"
                             "joints:\n"
                             "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, "
                             "0], axis: [0, 0, 1],\n"
                             "    coordinate: 0.1, drive: {harmonic: {amplitude: 0.05, omega: 7, "
                             "phase: 0.3, offset: "
                             "0.1}}}\n"
                             "outputs:\n"
                             "  x: {type: joint-position, joint: guide}\n"
                             "  v: {type: joint-velocity, joint: guide}\n"
                             "  a: {type: joint-acceleration, joint: guide}\n"
                             "  f: {type: drive-force, joint: guide}\n",
        .h = 0.005,
        .end = 5,
        .observe = observe_shaker,
        .quantity = {{"x", 0, 0.05}, {"v", 0, 0.35}, {"a", 0, 2.5}, {"f", 0, 20}},
    };

    (void)state;
    check_exact(&m);
}

/* An eccentric wheel (2 kg, 0.1 m from its axle) at constant speed: the torque that moves its
 * weight around. After 10 000 turns the angle is still exact. */
#define RAMP_START 0.3
#define RAMP_RATE  54.9

static void observe_ramp(double t, const double *y, double *ret)
{
    double angle = RAMP_START + RAMP_RATE * t;

    (void)y;
    ret[0] = angle;
    ret[1] = RAMP_RATE;
    ret[2] = 0;
    ret[3] = 2 * G * 0.1 * cos(angle);
}

#define ECCENTRIC(ramp)                                                                            \
    HEAD("[0, 0, -9.81]")                                                                          \
    "bodies:\n"                                                                                    \
    "  wheel: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0.1, 0, 0]}\n"                        \
    "joints:\n"                                                                                    \
    "  axle: {type: revolute, bodies: [ground, wheel], point: [0, 0, 0], axis: [0, -1, 0],\n"      \
    "    drive: {ramp: " ramp "}}\n"                                                               \
    "outputs:\n"                                                                                   \
    "  x: {type: joint-position, joint: axle}\n"                                                   \
    "  v: {type: joint-velocity, joint: axle}\n"                                                   \
    "  a: {type: joint-acceleration, joint: axle}\n"                                               \
    "  f: {type: drive-force, joint: axle}\n"

static void ramp_goes_on_for_ever(void **state)
{
    static const struct mechanism m = {
        .text = ECCENTRIC("{start: 0.3, rate: 54.9}"),
        .h = 0.002,
        .end = 3,
        .observe = observe_ramp,
        .quantity = {{"x", 0, 1}, {"v", 0, RAMP_RATE}, {"a", 0, 3000}, {"f", 0, 2}},
    };
    struct lk_system *sys = compile(m.text, 0.002);
    double out[4], expected[4];
    const long steps = 600000 / THINNED;

    (void)state;
    check_exact(&m);
    for (long i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, NULL), 0);
    lk_system_outputs(sys, out);
    observe_ramp((double)steps * 0.002, NULL, expected);
    assert_true(expected[0] / (2 * M_PI) > 10000. / THINNED);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(out[i] - expected[i]) < 1e-9 * (fabs(expected[i]) + 3000 * (i == 2)));
    lk_system_free(sys);
}

/* A drive by rate without a start value begins at the initial configuration. */
static void ramp_begins_as_drawn(void **state)
{
    struct lk_system *sys = compile(ECCENTRIC("{rate: -2}"), 0.001);
    double out[4];

    (void)state;
    lk_system_outputs(sys, out);
    assert_true(fabs(out[0]) < 1e-15 && fabs(out[1] + 2) < 1e-12);
    assert_int_equal(lk_system_step(sys, NULL), 0);
    lk_system_outputs(sys, out);
    assert_true(fabs(out[0] + 0.002) < 1e-12);
    lk_system_free(sys);
}

/* A pendulum (m = 1.5, J = 0.02, l = 0.4) on a cart (3 kg) that is moved by 0.1 sin(5 t). y: angle
 * from the vertical, its rate, work of the drive. */
#define CART_W 5.0
#define CART_A 0.1
static double cart_angle_acceleration(double t, const double *y)
{
    double a = -CART_A * CART_W * CART_W * sin(CART_W * t);

    return -(1.5 * G * 0.4 * sin(y[0]) + 1.5 * 0.4 * a * cos(y[0])) / (0.02 + 1.5 * 0.16);
}

static double cart_force(double t, const double *y)
{
    double a = -CART_A * CART_W * CART_W * sin(CART_W * t);

    return 4.5 * a +
           1.5 * 0.4 * (cart_angle_acceleration(t, y) * cos(y[0]) - y[1] * y[1] * sin(y[0]));
}

static void cart_rhs(double t, const double *y, double *dy)
{
    dy[0] = y[1];
    dy[1] = cart_angle_acceleration(t, y);
    dy[2] = cart_force(t, y) * CART_A * CART_W * cos(CART_W * t);
}

static void observe_cart(double t, const double *y, double *ret)
{
    ret[0] = y[0];
    ret[1] = y[1];
    ret[2] = cart_angle_acceleration(t, y);
    ret[3] = cart_force(t, y);
    ret[4] = y[2];
    ret[5] = 0;
}

static void moved_support_has_order_two(void **state)
{
    static const struct mechanism m = {
        .text = HEAD(
            "[0, 0, -9.81]") "bodies:\n"
                             "  cart: {mass: 3, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                             "  bob: {mass: 1.5, inertia: [0.02, 0.02, 0.02], position: [0, 0, "
                             "-0.4]}\n"
                             "joints:\n"
                             "  guide: {type: prismatic, bodies: [ground, cart], point: [0, 0, 0], "
                             "axis: [1, 0, 0],\n"
                             "    drive: {harmonic: {amplitude: 0.1, omega: 5}}}\n"
                             "  hinge: {type: revolute, bodies: [cart, bob], point: [0, 0, 0], "
                             "axis: [0, -1, 0]}\n"
                             "outputs:\n"
                             "  x: {type: joint-position, joint: hinge}\n"
                             "  v: {type: joint-velocity, joint: hinge}\n"
                             "  a: {type: joint-acceleration, joint: hinge}\n"
                             "  f: {type: drive-force, joint: guide}\n"
                             "  work: {type: work}\n",
        .h = 0.004,
        .end = 3,
        .rate = 15,
        .n = 3,
        /* The pendulum hangs at rest in the world, while the cart starts with 0.5 m/s. */
        .start = {0, -0.5 * 1.5 * 0.4 / 0.26, 0},
        .rhs = cart_rhs,
        .observe = observe_cart,
        .quantity =
            {{"x", 0, 1}, {"v", 0, 6}, {"a", 0, 40}, {"f", 0, 30}, {"work", 2, 3}, {"work", 4, 3}},
    };

    (void)state;
    check_order_two(&m);
}

static const char table_text[] =
    HEAD("[0, 0, 0]") "bodies:\n"
                      "  wheel: {mass: 1, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0]}\n"
                      "joints:\n"
                      "  hinge: {type: revolute, bodies: [ground, wheel], point: [0, 0, 0], axis: "
                      "[0, 0, 1], drive:\n"
                      "    {table: {time: [0, 0.2, 0.5, 0.7, 1], value: [0, 1, -1, 0.5, 0]}%s}}\n"
                      "outputs:\n"
                      "  x: {type: joint-position, joint: hinge}\n"
                      "  v: {type: joint-velocity, joint: hinge}\n"
                      "  a: {type: joint-acceleration, joint: hinge}\n"
                      "  t: {type: drive-force, joint: hinge}\n";

/** struct table_run - results of a table drive: largest jump of the acceleration from step to step,
 * largest acceleration, largest error at the points, of x' relative to (x(t + h) - x(t - h)) / 2 h,
 * and of the torque relative to J a */
struct table_run {
    double jump;
    double acceleration;
    double at_points;
    double rate;
    double torque;
};

static struct table_run run_table(const char *option, double h, int periods)
{
    static const double time[5] = {0, 0.2, 0.5, 0.7, 1}, value[5] = {0, 1, -1, 0.5, 0};
    struct table_run run = {0};
    char text[2048];
    struct lk_system *sys;
    double out[2][OUTPUTS_MAX], x_before = 0;

    snprintf(text, sizeof(text), table_text, option);
    sys = compile(text, h);
    lk_system_outputs(sys, out[0]);
    for (int i = 1; i <= (int)lround(periods / h); i++) {
        double *now = out[i % 2], *last = out[(i + 1) % 2];

        assert_int_equal(lk_system_step(sys, NULL), 0);
        lk_system_outputs(sys, now);
        run.jump = fmax(run.jump, fabs(now[2] - last[2]));
        run.acceleration = fmax(run.acceleration, fabs(now[2]));
        run.torque = fmax(run.torque, fabs(now[3] - 0.2 * now[2]));
        for (int k = 0; k < 5; k++)
            if (fabs(fmod(i * h, 1) - fmod(time[k], 1)) < 0.01 * h)
                run.at_points = fmax(run.at_points, fabs(now[0] - value[k]));
        if (i > 1)
            run.rate = fmax(run.rate, fabs(last[1] - (now[0] - x_before) / (2 * h)));
        x_before = last[0];
    }
    lk_system_free(sys);
    return run;
}

/* Between two points of a cubic spline x''' is constant: the acceleration changes by x''' h per
 * step, which is halved with h. The error of (x(t+h) - x(t-h)) / 2h is x''' h^2 / 6. Here x''' is
 * below 4 |a| / (shortest interval). */
static void table_drive_goes_through_its_points(void **state)
{
    static const char *const options[] = {"", ", periodic: true"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        int periods = k == 0 ? 1 : 3;
        struct table_run coarse = run_table(options[k], 0.002, periods);
        struct table_run fine = run_table(options[k], 0.001, periods);
        double third = 2 * coarse.acceleration / 0.2;

        assert_true(coarse.at_points < 1e-12);
        assert_true(coarse.torque < 1e-9 * coarse.acceleration);
        assert_true(coarse.jump < third * 0.002);
        assert_true(fine.jump < 0.52 * coarse.jump);
        assert_true(coarse.rate < third * 0.002 * 0.002 / 6);
    }
}

/* A bench sends a value of A (1 - cos w t) every 10 steps. Compared with the signal two periods T
 * earlier, the B-spline, which weights three samples with 1/6, 4/6, 1/6, has the error A (w T)^2 /
 * 6. */
static void slow_input_is_followed_smoothly(void **state)
{
    static const char text[] =
        HEAD("[0, 0, 0]") "bodies:\n"
                          "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}\n"
                          "joints:\n"
                          "  guide: {type: prismatic, bodies: [ground, block], point: [0, 0, 0], "
                          "axis: [0, 0, 1],\n"
                          "    drive: {input: place, period: 0.01}}\n"
                          "inputs:\n"
                          "  place: {type: drive}\n"
                          "outputs:\n"
                          "  x: {type: joint-position, joint: guide}\n"
                          "  v: {type: joint-velocity, joint: guide}\n"
                          "  a: {type: joint-acceleration, joint: guide}\n"
                          "  f: {type: drive-force, joint: guide}\n";
    const double A = 0.1, w = 4 * M_PI, T = 0.01, h = 0.001, off = w * T * w * T / 6;
    struct lk_system *sys = compile(text, h);
    double sample = 0, worst[3] = {0}, largest = 0, force = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        double t = (i + 1) * h - 2 * T, out[4], angle = w * fmax(t, 0);

        if (i % 10 == 0)
            sample = A * (1 - cos(w * i * h));
        assert_int_equal(lk_system_step(sys, &sample), 0);
        lk_system_outputs(sys, out);
        worst[0] = fmax(worst[0], fabs(out[0] - A * (1 - cos(angle))));
        largest = fmax(largest, fabs(out[2]));
        force = fmax(force, fabs(out[3] - 2 * out[2]));
        if (t < 2 * T)
            continue;
        worst[1] = fmax(worst[1], fabs(out[1] - A * w * sin(angle)));
        worst[2] = fmax(worst[2], fabs(out[2] - A * w * w * cos(angle)));
    }
    assert_true(worst[0] < 1.05 * A * off);
    assert_true(worst[1] < 1.05 * A * w * off);
    /* the second derivative is linear between the samples: another (w T)^2 / 8 */
    assert_true(worst[2] < 1.05 * A * w * w * (off + w * T * w * T / 8));
    assert_true(largest < 1.01 * A * w * w);
    assert_true(force < 1e-9 * 2 * A * w * w);
    lk_system_free(sys);
}

/* ---- a platform moved in six directions, x .. yaw = size sin(omega t + phase) ---- */

static const double pose_size[6] = {0.1, 0.2, 0.15, 0.4, 0.3, 0.8};
static const double pose_omega[6] = {5, 4, 3, 2, 3.5, 2.5};
static const double pose_phase[6] = {0, 0.3, 0.6, 0.9, 1.2, 1.5};
static const double pose_arm[3] = {0.3, -0.2, 0.4}; /* from the joint to the centre of mass */
static const double pose_inertia[3] = {0.3, 0.5, 0.4};

static void cross(const double a[3], const double b[3], double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** struct platform - the platform at a time
 * @c:      value, rate and acceleration of the six coordinates;  @e: body axes in the world
 * @w, @al: angular velocity and acceleration, world */
struct platform {
    double c[6][3];
    double e[3][3];
    double w[3];
    double al[3];
};

/* Compute the platform at time @t. Successive rotations: yaw about z, pitch about y1 = Rz y, roll
 * about the body's x. Rates add up along these axes; each axis rotates with the preceding
 * rotations. */
static void place_platform(double t, struct platform *p)
{
    double w1[3], w2[3], carried1[3], carried2[3];

    for (int i = 0; i < 6; i++) {
        double angle = pose_omega[i] * t + pose_phase[i];

        p->c[i][0] = pose_size[i] * sin(angle);
        p->c[i][1] = pose_size[i] * pose_omega[i] * cos(angle);
        p->c[i][2] = -pose_omega[i] * pose_omega[i] * p->c[i][0];
    }
    double yaw = p->c[5][0], pitch = p->c[4][0], roll = p->c[3][0];
    const double z[3] = {0, 0, 1}, y1[3] = {-sin(yaw), cos(yaw), 0};
    const double x2[3] = {cos(yaw) * cos(pitch), sin(yaw) * cos(pitch), -sin(pitch)};
    double z2[3];

    cross(x2, y1, z2);
    for (int i = 0; i < 3; i++) {
        p->e[0][i] = x2[i];
        p->e[1][i] = cos(roll) * y1[i] + sin(roll) * z2[i];
        p->e[2][i] = cos(roll) * z2[i] - sin(roll) * y1[i];
        w1[i] = p->c[5][1] * z[i];
        w2[i] = w1[i] + p->c[4][1] * y1[i];
        p->w[i] = w2[i] + p->c[3][1] * x2[i];
    }
    cross(w1, y1, carried1);
    cross(w2, x2, carried2);
    for (int i = 0; i < 3; i++)
        p->al[i] = p->c[5][2] * z[i] + p->c[4][2] * y1[i] + p->c[4][1] * carried1[i] +
                   p->c[3][2] * x2[i] + p->c[3][1] * carried2[i];
}

static void to_world(const struct platform *p, const double in[3], double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = in[0] * p->e[0][i] + in[1] * p->e[1][i] + in[2] * p->e[2][i];
}

/* Compute J v of the platform; v and the result are in world axes. */
static void apply_inertia(const struct platform *p, const double v[3], double ret[3])
{
    double local[3];

    for (int i = 0; i < 3; i++)
        local[i] = pose_inertia[i] * dot(p->e[i], v);
    to_world(p, local, ret);
}

/* Compute position, velocity and acceleration of the centre; w, al; the force 2 (a - g) and the
 * torque about the joint's point. */
static void observe_platform(double t, const double *y, double *ret)
{
    struct platform p;
    double arm[3], wr[3], wwr[3], alr[3], Jw[3], gyroscopic[3], Jal[3], moment[3];

    (void)y;
    place_platform(t, &p);
    to_world(&p, pose_arm, arm);
    cross(p.w, arm, wr);
    cross(p.w, wr, wwr);
    cross(p.al, arm, alr);
    apply_inertia(&p, p.w, Jw);
    cross(p.w, Jw, gyroscopic);
    apply_inertia(&p, p.al, Jal);
    for (int i = 0; i < 3; i++) {
        double start = i == 0 ? 0.5 : 0; /* the initial position */

        ret[i] = start + p.c[i][0] + arm[i];
        ret[3 + i] = p.c[i][1] + wr[i];
        ret[6 + i] = p.w[i];
        ret[9 + i] = p.c[i][2] + alr[i] + wwr[i];
        ret[12 + i] = p.al[i];
        ret[15 + i] = 2 * (ret[9 + i] + (i == 2 ? G : 0));
    }
    cross(arm, ret + 15, moment);
    for (int i = 0; i < 3; i++)
        ret[18 + i] = Jal[i] + gyroscopic[i] + moment[i];
    ret[21] = 0;
}

static const char platform_text[] = HEAD(
    "[0, 0, -9.81]") "bodies:\n"
                     "  plate: {mass: 2, inertia: [0.3, 0.5, 0.4], position: [0.8, -0.2, 0.4]}\n"
                     "joints:\n"
                     "  pose: {type: fixed, bodies: [ground, plate], point: [0.5, 0, 0], drive: {\n"
                     "    x: {harmonic: {amplitude: 0.1, omega: 5}},\n"
                     "    y: {harmonic: {amplitude: 0.2, omega: 4, phase: 0.3}},\n"
                     "    z: {harmonic: {amplitude: 0.15, omega: 3, phase: 0.6}},\n"
                     "    roll: {harmonic: {amplitude: 0.4, omega: 2, phase: 0.9}},\n"
                     "    pitch: {harmonic: {amplitude: 0.3, omega: 3.5, phase: 1.2}},\n"
                     "    yaw: {harmonic: {amplitude: 0.8, omega: 2.5, phase: 1.5}}}}\n"
                     "outputs:\n"
                     "  pose: {type: body-pose, body: plate}\n"
                     "  v: {type: body-velocity, body: plate}\n"
                     "  a: {type: body-acceleration, body: plate}\n"
                     "  f: {type: drive-force, joint: pose}\n"
                     "  work: {type: work}\n";

/* The motion is prescribed and therefore exact, and so is the force. The torque contains the
 * gyroscopic term with velocities before their projection, and the work is a sum over steps. */
static void platform_follows_six_drives(void **state)
{
    struct mechanism m = {
        .text = platform_text,
        .h = 0.002,
        .end = 3,
        .rate = 10,
        .observe = observe_platform,
    };
    struct {
        const char *output;
        int first;
        double size;
    } part[] = {{"pose", 0, 0.5}, {"v", 0, 1},  {"v", 3, 2}, {"a", 0, 5},
                {"a", 3, 5},      {"f", 0, 30}, {"f", 3, 10}};

    (void)state;
    for (int k = 0; k < 18; k++)
        m.quantity[k] =
            (struct quantity){part[k / 3].output, part[k / 3].first + k % 3, part[k / 3].size};
    check_exact(&m);
    for (int k = 18; k < 21; k++)
        m.quantity[k] = (struct quantity){"f", k - 15, part[k / 3].size};
    m.quantity[21] = (struct quantity){"work", 4, 5};
    check_order_two(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmonic_drive_is_exact),
        cmocka_unit_test(ramp_goes_on_for_ever),
        cmocka_unit_test(ramp_begins_as_drawn),
        cmocka_unit_test(moved_support_has_order_two),
        cmocka_unit_test(table_drive_goes_through_its_points),
        cmocka_unit_test(slow_input_is_followed_smoothly),
        cmocka_unit_test(platform_follows_six_drives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
