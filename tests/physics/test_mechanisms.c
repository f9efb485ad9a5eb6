/* SPDX-License-Identifier: Apache-2.0 */
/* Every type of joint, force, compliance and drive on a small mechanism whose motion is known: from
 * a closed form, or from the equation of motion in its fewest coordinates, integrated here.
 *
 * A mechanism is stepped with h and h/2. The step is of second order, so every error (positions,
 * velocities, accelerations, forces) must fall by about 4, and stay below a bound that comes from
 * h: the trapezoidal rule errs by h^2/12 of the third derivative a unit of time; where a motion of
 * size A has rates up to w, that is A (w h)^2 w T / 12 after the time T, and the projections of one
 * step add something of the size A (w h)^2. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define QUANTITIES_MAX 24
#define OUTPUTS_MAX    64
#define G              9.81
#define SUBSTEP        1e-4 /* of the integration in the test, of order 4 */
#define LEAST_RATIO    3.3  /* of errors at h and h/2; 4 for small h */
#define ROUNDOFF       1e-9 /* errors below this part of a quantity's size need not fall */
#ifndef SHOW_ALL
#define SHOW_ALL 0 /* 1: print all errors, not only the wrong ones */
#endif

/** struct quantity - one scalar of an output. @size: its scale */
struct quantity {
    const char *output;
    int component;
    double size;
};

/** struct mechanism - a model and how it moves.
 * @rate:    fastest rate of the motion [1/s], for the bound
 * @rhs:     y' = rhs(t, y) from @start, @n values; none for a closed form
 * @observe: the quantities at time t */
struct mechanism {
    const char *text;
    double h;
    double end;
    double rate;
    int n;
    double start[8];
    void (*rhs)(double t, const double *y, double *dy);
    void (*observe)(double t, const double *y, double *ret);
    struct quantity quantity[QUANTITIES_MAX];
};

#define HEAD(gravity) "linkage: 1\nname: mechanism\ngravity: " gravity "\n"

static struct lk_system *compile(const char *text, double h)
{
    struct lk_options options = {.step = h};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("mechanism", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    assert_true(lk_system_output_size(sys) <= OUTPUTS_MAX);
    return sys;
}

static int offset_of(const struct lk_system *sys, const char *name)
{
    int n;
    const struct lk_channel *channel = lk_system_output_channels(sys, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(channel[i].name, name) == 0)
            return channel[i].offset;
    fail_msg("no output '%s'", name);
    return 0;
}

static double read_output(const struct lk_system *sys, const char *name, int component)
{
    double values[OUTPUTS_MAX];

    lk_system_outputs(sys, values);
    return values[offset_of(sys, name) + component];
}

/* classical Runge-Kutta from @t to @t + @span */
static void integrate(const struct mechanism *m, double t, double span, double *y)
{
    int steps = (int)ceil(span / SUBSTEP);
    double d = span / steps;

    for (int i = 0; i < steps && m->rhs; i++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        double k[4][8] = {{0}}, place[8];

        for (int stage = 0; stage < 4; stage++) {
            for (int c = 0; c < m->n; c++)
                place[c] = y[c] + (stage > 0 ? at[stage] * d * k[stage - 1][c] : 0);
            m->rhs(t + (i + at[stage]) * d, place, k[stage]);
        }
        for (int stage = 0; stage < 4; stage++)
            for (int c = 0; c < m->n; c++)
                y[c] += weight[stage] * d / 6 * k[stage][c];
    }
}

static int count_quantities(const struct mechanism *m)
{
    int n = 0;

    while (n < QUANTITIES_MAX && m->quantity[n].output)
        n++;
    return n;
}

/* the largest error of each quantity over a run, the start included */
static void measure(const struct mechanism *m, double h, double *worst)
{
    struct lk_system *sys = compile(m->text, h);
    int n = count_quantities(m), steps = (int)lround(m->end / h);
    double y[8], values[OUTPUTS_MAX], exact[QUANTITIES_MAX], inputs[8] = {0};

    memcpy(y, m->start, sizeof(y));
    memset(worst, 0, QUANTITIES_MAX * sizeof(double));
    assert_true(lk_system_input_size(sys) <= 8);
    for (int i = 0;; i++) {
        lk_system_outputs(sys, values);
        m->observe(i * h, y, exact);
        for (int q = 0; q < n; q++) {
            int at = offset_of(sys, m->quantity[q].output) + m->quantity[q].component;

            worst[q] = fmax(worst[q], fabs(values[at] - exact[q]));
        }
        if (i == steps)
            break;
        assert_int_equal(lk_system_step(sys, inputs), 0);
        integrate(m, i * h, h, y);
    }
    lk_system_free(sys);
}

static double bound_of(const struct mechanism *m, double size)
{
    double x = m->rate * m->h;

    return size * x * x * (1 + m->rate * m->end / 12);
}

/* the claim of this file: order 2, below the bound */
static void check_order_two(const struct mechanism *m)
{
    double coarse[QUANTITIES_MAX], fine[QUANTITIES_MAX];
    int n = count_quantities(m), failed = 0;

    measure(m, m->h, coarse);
    measure(m, 0.5 * m->h, fine);
    for (int q = 0; q < n; q++) {
        const struct quantity *of = &m->quantity[q];
        double bound = bound_of(m, of->size);
        int falls = coarse[q] < ROUNDOFF * of->size || coarse[q] > LEAST_RATIO * fine[q];

        if (falls && coarse[q] < bound && !SHOW_ALL)
            continue;
        failed += !(falls && coarse[q] < bound);
        printf("    %s %s[%d]: error %.2e at h, %.2e at h/2 (ratio %.2f), bound %.2e\n",
               falls && coarse[q] < bound ? "ok " : "BAD", of->output, of->component, coarse[q],
               fine[q], coarse[q] / fine[q], bound);
    }
    assert_int_equal(failed, 0);
}

/* a claim that holds to round-off at any step */
static void check_exact(const struct mechanism *m)
{
    double worst[QUANTITIES_MAX];
    int n = count_quantities(m), failed = 0;

    measure(m, m->h, worst);
    for (int q = 0; q < n; q++) {
        const struct quantity *of = &m->quantity[q];

        if (worst[q] < ROUNDOFF * of->size && !SHOW_ALL)
            continue;
        failed += worst[q] >= ROUNDOFF * of->size;
        printf("    %s[%d]: error %.2e of %.2e\n", of->output, of->component, worst[q], of->size);
    }
    assert_int_equal(failed, 0);
}

/* ---- drives ---- */

#define SHAKE_A  0.05
#define SHAKE_W  7.0
#define SHAKE_PH 0.3

/* a block moved up and down: x, x', x'' of the harmonic, force m (x'' + g) */
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

/* a pendulum (m = 1.5, J = 0.02, l = 0.4) on a cart (3 kg) that is moved by 0.1 sin(5 t);
 * y: angle from hanging, its rate, work of the drive */
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
        /* hanging and at rest against the world: the cart starts with 0.5 m/s */
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

/** struct table_run - what a table drive did: largest jump of the acceleration from step to step,
 * largest acceleration, largest error at the points, of x' against (x(t + h) - x(t - h)) / 2 h,
 * of the torque against J a. */
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

/* Between two points of a cubic spline x''' is constant: the acceleration changes by x''' h a step,
 * which halves with h and vanishes with it; (x(t+h) - x(t-h)) / 2h errs by x''' h^2 / 6. Here x'''
 * is below 4 |a| / (shortest interval). */
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

/* A bench that sends a value every 10 steps, A (1 - cos w t). Against the signal two periods T ago
 * the B-spline, which takes the weights 1/6, 4/6, 1/6 of three samples, errs by A (w T)^2 / 6. */
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
    /* linear between the samples: another (w T)^2 / 8 */
    assert_true(worst[2] < 1.05 * A * w * w * (off + w * T * w * T / 8));
    assert_true(largest < 1.01 * A * w * w);
    assert_true(force < 1e-9 * 2 * A * w * w);
    lk_system_free(sys);
}

/* ---- a platform moved in six directions, x .. yaw = size sin(omega t + phase) ---- */

static const double pose_size[6] = {0.1, 0.2, 0.15, 0.4, 0.3, 0.8};
static const double pose_omega[6] = {5, 4, 3, 2, 3.5, 2.5};
static const double pose_phase[6] = {0, 0.3, 0.6, 0.9, 1.2, 1.5};
static const double pose_arm[3] = {0.3, -0.2, 0.4}; /* from the joint's point to the centre */
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

/** struct platform - c: value, rate, acceleration of the six; e: body axes in the world; w, al:
 * angular velocity and acceleration, world */
struct platform {
    double c[6][3];
    double e[3][3];
    double w[3];
    double al[3];
};

/* The turns one after the other: yaw about z, pitch about y1 = Rz y, roll about the body's x. Rates
 * add up along these axes; each axis is carried along by the turns before it. */
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

/* J v of the platform, v and result in world axes */
static void apply_inertia(const struct platform *p, const double v[3], double ret[3])
{
    double local[3];

    for (int i = 0; i < 3; i++)
        local[i] = pose_inertia[i] * dot(p->e[i], v);
    to_world(p, local, ret);
}

/* centre: place, velocity, acceleration; w, al; force 2 (a - g) and the torque about the point */
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
        double start = i == 0 ? 0.5 : 0; /* the point in the drawing */

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

/* The motion is prescribed and so exact, and the force with it. The torque has the gyroscopic part
 * of the velocities before their projection, and the work is a sum over steps. */
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

/* ---- compliance and bushings ---- */

/* a body at rest is given a push in a compliant direction: x = v/w sin(w t); damping: exp(-d t) */
static double swing(double t, double speed, double k, double c, double m, double *ret_rate)
{
    double d = c / (2 * m), w = sqrt(k / m - d * d), fade = exp(-d * t);

    *ret_rate = speed * fade * (cos(w * t) - d / w * sin(w * t));
    return speed / w * fade * sin(w * t);
}

/* turns are so small that w and the angle about each axis are those of a body that turns about it
 * alone: what they share is of the order of their product, 1e-9 */
#define PUSH      0.01
#define PUSH_TURN 1e-3

/* the axis is x: the third shift is along it */
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

/* damped, and with a joint that stands askew: the shifts are those along the world as drawn */
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

/* the same six springs as compliance of a fixed joint and as a force element */
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

/* A bushing as stiff as steel under a mass of 1 kg: w h = 32. The start lets go at the unloaded
 * place, so the mass falls by F/k, and without damping swings on, between 0 and 2 F/k, for ever:
 * the trapezoidal rule keeps the energy of a linear spring. With damping it comes to rest at F/k.
 */
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
            /* the place is a difference of numbers of size 0.3 */
            assert_true(fabs(out[2] - 0.3 + rest) < 1e-6 * rest + 1e-15);
            assert_true(fabs(out[9] - G) < 1e-6 * G);
        }
        lk_system_free(sys);
    }
}

/* ---- springs, dampers and loads along a guide: x'' = force / m ---- */

#define SLIDER(gravity, joint_more, forces)                                                        \
    HEAD(gravity)                                                                                  \
    "bodies:\n"                                                                                    \
    "  block: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.2, 0, 0], velocity: [1, 0, 0]}\n"   \
    "joints:\n"                                                                                    \
    "  guide: {type: prismatic, bodies: [ground, block], point: [0.2, 0, 0], axis: [1, 0, "        \
    "0]" joint_more "}\n"                                                                          \
    "forces:\n" forces "outputs:\n"                                                                \
    "  x: {type: joint-position, joint: guide}\n"                                                  \
    "  v: {type: joint-velocity, joint: guide}\n"                                                  \
    "  a: {type: joint-acceleration, joint: guide}\n"                                              \
    "  work: {type: work}\n"

/* m x'' + c x' + k (x - r) = F sin(W t + p): the swing of the free block around what the force
 * keeps up for ever, X sin(W t + p - q) */
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

/* a table of 401 points of @force over -1 .. 1 */
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

/* beyond the table a straight line: x and v stay within it */
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

/* The curve through 401 points differs from the smooth one by about 300 (1/200)^3 = 4e-5 N, which
 * moves the block by some 1e-7 of its travel; what h = 10 ms does is 1e4 times more. */
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

/* ---- friction ---- */

/* a guide that falls by 0.3 rad, or lies flat */
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

/* A load of 0.8 of the friction: the block creeps at the rate at which tanh(rate / creep) = 0.8;
 * and that is all: creep is what the file says, or C h / (2 m). */
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

/* Friction below the load, and fast against the creep: a = g sin - C / m, a parabola, which the
 * trapezoidal rule follows exactly. */
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

/* A block thrown over the flat stops after v^2 / 2a, and pi^2/12 creep^2 / a more for the tanh; the
 * last step may err by as much as the brake moves it, a h^2. It must not come back. */
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

/* friction with all its parts, smooth enough for the step to follow: order 2 */
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
        .rate = 18, /* creep against the mass: 6 / (2 0.2) */
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

/* ---- stick and slip: a block on a belt that runs at 0.1 m/s, held by a spring ---- */

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

/** struct belt_run - worst error of the block's place, its farthest place, the fastest rate while
 * the friction is below 0.9 of what holds */
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

/* The belt takes the block along until the spring pulls as hard as friction holds, at most 5 N,
 * that is 0.05 m, and what a swing adds; then it slips back. While it sticks it creeps by what tanh
 * says, and no more. The law is steep, 5 / (1 kg 5 mm/s) = 1000 1/s, so h = 1 ms is not yet in the
 * range of order 2, and each of the dozen slips begins within a part of a step: some of h^2 times
 * the jump of the acceleration, (5 - 3) N / 1 kg. */
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

/** struct fall - what became of a ball that fell on a stop.
 * @energy:  largest kinetic and potential energy, of that at the start
 * @deepest: below the limit;  @pull: largest force that held it back
 * @apex:    highest place after the first contact;  @balance: largest error of the books [J]
 * @rest:    where it is at the end;  @rate: how fast */
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

/* A ball of 1 kg falls by 0.5 m, h = 1 ms. No stop may give energy: up to w h = 0.3 the step knows
 * the instant of contact to a part (w h)^2 / 12 < 1 % of the energy, and beyond that nothing may
 * come back at all that was not there. It goes as deep as the energy takes it, ½ k d^2 = m g (0.5 +
 * d), over the onset, and by what it travels in a step; and a stop only pushes. */
static void stops_never_give_energy(void **state)
{
    static const struct {
        double stiffness, damping, onset;
    } stop[] = {{1e4, 0, 0},   {1e5, 0, 0}, {1e5, 100, 0}, {1e5, 100, 0.001}, {1e7, 0, 0},
                {1e7, 1e3, 0}, {1e9, 0, 0}, {1e9, 1e4, 0}, {1e9, 1e6, 0},     {1e9, 1e4, 0.001}};
    const double h = 0.001, speed = sqrt(2 * G * 0.5);
    int failed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(stop) / sizeof(stop[0]); i++) {
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

/* with a damper it ends at rest, m g / k deep */
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

/* Two bodies in a chain, both with stops, that knock each other: an impact on one moves the other
 * within the same step. From the horizontal the pair can give 2.3 m g = 23 J and no more. */
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
        for (int n = 0; n < 10000; n++) {
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

/* Two blocks on one guide, the upper one resting on the lower one's stop, the lower one on the
 * ground's: contacts that hold each other up, thrown by a force that comes and goes. */
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

/* While the force is off nothing may add to the energy, at any step; what the force puts in, it
 * may. In the end each stop carries what lies on it. */
static void stops_hold_each_other_up(void **state)
{
    static const double damping[3] = {0, 1e4, 1e5}, steps[2] = {0.01, 0.001};

    (void)state;
    for (int i = 0; i < 6; i++) {
        double c = damping[i / 2], h = steps[i % 2], before = INFINITY;
        char text[2048];
        struct lk_system *sys;

        snprintf(text, sizeof(text), pile_text, 1e8, c, 1e8, c);
        sys = compile(text, h);
        for (int n = 0; n < (int)lround(4 / h); n++) {
            double force = n * h < 1 && (int)floor(n * h / 0.1) % 2 == 0 ? 15 : 0, energy;

            assert_int_equal(lk_system_step(sys, &force), 0);
            energy = read_output(sys, "energy", 0) + read_output(sys, "energy", 1);
            if (force == 0 && !(energy < before + 3 * G * 3.5 * h))
                fail_msg("damping %g, step %g: %g J more at %g s", c, h, energy - before, n * h);
            before = energy;
        }
        if (c > 0) {
            assert_true(fabs(read_output(sys, "f", 0) - 3 * G) < 1e-6 * G);
            assert_true(fabs(read_output(sys, "f2", 0) - 2 * G) < 1e-6 * G);
        }
        lk_system_free(sys);
    }
}

/* a stop that the step can follow, of the law that is documented: stiffness and damping grow over
 * the onset, the force only pushes */
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
    ret[2] = 0; /* the books */
}

/* Where in a step the contact begins and ends makes a part of the error that changes from step size
 * to step size, as large as the rest. So look over two halvings. */
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
        assert_true(coarse[q] > LEAST_RATIO * LEAST_RATIO * fine[q]);
    }
}

/* ---- joints, one after the other ---- */

/* revolute: a compound pendulum, m = 2, J about the hinge 0.8, l = 0.5, angle from the horizontal.
 * Its products of inertia ask the hinge for torques: H = Rz(angle) (Ixz, Iyz, .) angle' */
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
        .rate = 10, /* twice the largest angle', of the force */
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

/* prismatic: an incline of 0.3 rad with a spring; the joint's point is r away from the centre, and
 * the moment of all forces at the point, r x m (a - g), is the torque of the joint */
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

/* cylindrical: free fall along the axis, and a torque 3 sin(5 t) about it; the centre is 0.2 off
 * the axis, J about the axis 0.1 + 2 0.04 = 0.18 */
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
        .end = 2,
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

/* spherical: a body that goes round with the constant W about the vertical, inclined by 0.5 rad:
 * m g l = W^2 cos(b) (Jt + m l^2 - Ja), and the joint carries its weight and centripetal force */
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

/* universal: two shafts bent by b = 0.6; the first, J = 0.1, is driven by 3 sin(2 t). With the
 * cross in the plane of the shafts at the start tan(second) = cos(b) tan(first). The torque of the
 * drive moves both, J = 0.1 and 0.3. */
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
    /* atan2 that goes on beyond pi */
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
    /* bearings: revolute, three redundant rows; or a ball in a tube, none */
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

/* largest difference between rates (accelerations) of the cross's two coordinates and the central
 * differences of the coordinates (rates) */
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

/* the differences err by h^2/6 of the third derivative, rates up to 12 1/s and angles up to BEND */
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

/* constant-velocity: the same shafts turn alike, against a spring of 40 N m/rad on the second:
 * (0.1 + 0.3) p'' = -40 p. The joint's torque stands along the bisector of the shafts, so that both
 * see the same: on the second T = 0.3 p'' + 40 p = -0.1 p'' */
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

/* planar: a disc on a plane that falls by 0.3 rad: spring along x, free fall down the slope along
 * y, a torsion spring; the plane carries m g cos */
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

/* fixed: two bodies, 1 kg at 0.3 and 2 kg at (0.8, 0.1), swing as one: J = 0.02 + 0.05 + sum m r^2,
 * sum m r = (1.9, 0.2). The joint gives the second what moves it: f = m (a - g). */
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
    /* about the point of the joint, (0.5, 0) in the bodies */
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

/* screw: a nut on a standing spindle, lead 0.1 m, P = 0.1 / 2 pi a radian, a spring on the angle:
 * (J + m P^2) angle'' = -m g P - k angle, over more than a turn. The thread carries m (z'' + g) and
 * gives the torque J angle'' + k angle. */
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

/* point-on-line: a bead of 1 kg on a free rod, J = 0.5: r'' = r W^2, (J + m r^2) W stays; the rod
 * presses the bead across. y: r, r', angle */
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

/* distance: a point on a rod of 0.6 m, from the horizontal; the rod pulls it by m (l W^2 + g sin)
 */
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

/* a spring and damper between two free bodies, 1 and 3 kg, stretched from the start and turning:
 * with the reduced mass u = 0.75 kg, u (r'' - r W^2) = -k (r - 0.8) - c r', r^2 W stays.
 * y: r, r', angle */
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
    ret[0] = 0.75 * (1 - y[0] * c); /* the first, from the common centre at 0.75 */
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

/* gear: T sin(5 t) on the first of two wheels, J = 0.1 and 0.4, ratio -0.5: the first feels
 * 0.1 + 0.25 0.4 = 0.2, and turns on and on */
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

/* A planetary gear train with a standing ring: sun 20, planet 10, ring 40 teeth. Willis: the
 * carrier turns by n = 20 / (20 + 40) of the sun, the planet by n (1 - 40 / 10) in space. Both
 * meshes are gears between joints at the moving carrier. On the sun 0.4 sin(5 t): J = Js + n^2 (Jc
 * + m R^2 + Jp 9), R = 0.3 */
static void observe_planets(double t, const double *y, double *ret)
{
    const double n = 1.0 / 3, J = 0.02 + n * n * (0.1 + 0.5 * 0.09 + 0.01 * 9), A = 0.4 / J, W = 5;
    double sun = A / W * (t - sin(W * t) / W), rate = A / W * (1 - cos(W * t));

    (void)y;
    ret[0] = n * sun;       /* carrier */
    ret[1] = (1 - n) * sun; /* sun against carrier */
    ret[2] = -4 * n * sun;  /* planet against carrier */
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
        .rate = 8, /* of the planet's centre */
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

/* rack: a pinion, J = 0.02, radius 0.1, pushes a rack of 2 kg against a spring:
 * (m + J / r^2) x'' = -k x + T / r sin(5 t), M = 4, w = 6 */
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

/* ---- a run that begins again ---- */

/* A reset leads to the same bits, also where the tangent of a law depends on the place and an input
 * acts from the first step on. */
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
        cmocka_unit_test(harmonic_drive_is_exact),
        cmocka_unit_test(moved_support_has_order_two),
        cmocka_unit_test(table_drive_goes_through_its_points),
        cmocka_unit_test(slow_input_is_followed_smoothly),
        cmocka_unit_test(platform_follows_six_drives),
        cmocka_unit_test(compliant_revolute_swings),
        cmocka_unit_test(compliant_spherical_swings),
        cmocka_unit_test(six_directions_swing),
        cmocka_unit_test(stiff_bushing_is_stable),
        cmocka_unit_test(harmonic_force_shakes_an_oscillator),
        cmocka_unit_test(tables_make_a_duffing_oscillator),
        cmocka_unit_test(friction_sticks_but_for_creep),
        cmocka_unit_test(friction_slides_by_a_constant_force),
        cmocka_unit_test(friction_stops_a_block),
        cmocka_unit_test(smooth_friction_has_order_two),
        cmocka_unit_test(belt_makes_a_block_stick_and_slip),
        cmocka_unit_test(stops_never_give_energy),
        cmocka_unit_test(stops_come_to_rest),
        cmocka_unit_test(stops_in_a_chain_never_give_energy),
        cmocka_unit_test(stops_hold_each_other_up),
        cmocka_unit_test(soft_stop_has_order_two),
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
        cmocka_unit_test(point_on_line_is_a_bead_on_a_rod),
        cmocka_unit_test(distance_is_a_rod),
        cmocka_unit_test(spring_damper_holds_two_bodies),
        cmocka_unit_test(gear_reduces_inertia),
        cmocka_unit_test(planetary_gear_obeys_willis),
        cmocka_unit_test(rack_pushes_a_spring),
        cmocka_unit_test(reset_repeats_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
