/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms and their guard: lengths of legs compared with those of an independent program, the
 * inverse computation from legs to a pose, and strokes, speeds and accelerations under arbitrary
 * demands. Usage: test_platform SECONDS (simulated time of wild demands for each platform). */
#include "cmocka_all.h"
#include "cueing/leg_guard.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N LK_PLATFORM_ACTUATORS
#define H 1e-3

static const double degree = 0.017453292519943295;
static double wild_seconds;

static void take_limits(struct lk_actuator_limits *limits, double stroke)
{
    for (int i = 0; i < N; i++)
        limits[i] = (struct lk_actuator_limits){-stroke, stroke, 0.6, 6};
}

static bool take_hexapod(struct lk_platform *platform, double base_angle, double stroke)
{
    const struct lk_hexapod hexapod = {1.65, base_angle * degree, 1.60, 53 * degree, 1.70};
    struct lk_actuator_limits limits[N];

    take_limits(limits, stroke);
    return lk_platform_init(platform, LK_PLATFORM_HEXAPOD, &hexapod, limits);
}

static void take_platform(struct lk_platform *platform, enum lk_platform_kind kind)
{
    struct lk_actuator_limits limits[N];

    take_limits(limits, 0.3);
    if (kind == LK_PLATFORM_HEXAPOD)
        assert_true(take_hexapod(platform, 7, 0.3));
    else
        assert_true(lk_platform_init(platform, kind, NULL, limits));
}

/* ---- kinematics ---- */

static void check_legs(const double pose[6], const double length[N])
{
    struct lk_platform platform;
    double position[N], back[6] = {0};

    take_platform(&platform, LK_PLATFORM_HEXAPOD);
    lk_platform_actuators(&platform, pose, position);
    for (int i = 0; i < N; i++)
        if (!(fabs(platform.neutral[i] + position[i] - length[i]) < 1e-9))
            fail_msg("leg %d is %.10f instead of %.10f", i + 1, platform.neutral[i] + position[i],
                     length[i]);
    assert_true(lk_platform_pose(&platform, position, back) < 1e-9);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(back[i] - pose[i]) < 1e-9);
}

static void test_legs_of_another_program(void **state)
{
    (void)state;
    check_legs((double[]){0, 0, 0, 0, 0, 0}, (double[]){2.122428751, 2.122428751, 2.122428751,
                                                        2.122428751, 2.122428751, 2.122428751});
    check_legs((double[]){0.2, 0, 0, 0, 0, 0}, (double[]){2.186946599, 2.009167324, 2.194224840,
                                                          2.194224840, 2.009167324, 2.186946599});
    check_legs(
        (double[]){0.1, -0.05, 0.08, 0.1, -0.15, 0.2},
        (double[]){2.294214342, 2.358927232, 2.008289016, 2.253184163, 1.756317062, 2.529269605});
}

static void test_axes_of_the_others(void **state)
{
    const double pose[6] = {1, 2, 3, 4, 5, 6};
    struct lk_platform platform;
    double position[N], back[6] = {9, 9, 9, 9, 9, 9};

    (void)state;
    take_platform(&platform, LK_PLATFORM_SIX_AXIS);
    lk_platform_actuators(&platform, pose, position);
    assert_memory_equal(position, pose, sizeof(pose));
    assert_true(lk_platform_pose(&platform, position, back) == 0);
    assert_memory_equal(back, pose, sizeof(pose));
    take_platform(&platform, LK_PLATFORM_THREE_AXIS);
    lk_platform_actuators(&platform, pose, position);
    assert_memory_equal(position, ((double[N]){4, 5, 3, 0, 0, 0}), sizeof(position));
    assert_true(lk_platform_pose(&platform, position, back) == 0);
    assert_memory_equal(back, ((double[6]){0, 0, 3, 4, 5, 0}), sizeof(back));
}

/* Hexapods that cannot hold their platform are refused: with a longer stroke the legs reach one
 * plane, and nearly parallel legs do not resist yaw. For legs without a pose, the last pose is
 * kept. */
static void test_legs_that_do_not_hold(void **state)
{
    struct lk_platform platform;
    double far[N] = {5, -1, 5, -1, 5, -1}, pose[6] = {0.1, 0, 0, 0, 0, 0};

    (void)state;
    assert_true(take_hexapod(&platform, 7, 0.35));
    assert_true(lk_platform_pose(&platform, far, pose) > 1e-9);
    assert_true(pose[0] == 0.1 && pose[1] == 0);
    assert_false(take_hexapod(&platform, 7, 1.6));
    assert_true(take_hexapod(&platform, 40, 1e-3));
    assert_false(take_hexapod(&platform, 52.5, 1e-3));
}

/* ---- the guard ---- */

/** struct watch - the guard, and the largest speeds and accelerations of its positions, from
 * differences as a receiver computes them */
struct watch {
    const struct lk_platform *platform;
    struct lk_leg_guard guard;
    double before[2][N];
    double pose[6];
    double worst[3];
    double worst_pose;
};

static void begin(struct watch *w, const struct lk_platform *platform)
{
    double start[N];

    for (int i = 0; i < N; i++)
        start[i] = platform->limits[i].low;
    *w = (struct watch){.platform = platform};
    lk_leg_guard_init(&w->guard, platform, H, start);
    memcpy(w->before[0], w->guard.position, sizeof(start));
    memcpy(w->before[1], w->guard.position, sizeof(start));
    lk_platform_pose(platform, start, w->pose);
}

/* Update the worst values, relative to the limits: 1 or more is a violation. */
static void look(struct watch *w)
{
    for (int i = 0; i < w->platform->n; i++) {
        const struct lk_actuator_limits *l = &w->platform->limits[i];
        double q = w->guard.position[i], speed = (q - w->before[0][i]) / H;
        double old = (w->before[0][i] - w->before[1][i]) / H;

        w->worst[0] = fmax(w->worst[0], fmax(q / l->high, q / l->low));
        w->worst[1] = fmax(w->worst[1], fabs(speed) / l->speed);
        w->worst[2] = fmax(w->worst[2], fabs(speed - old) / H / l->acceleration);
        w->before[1][i] = w->before[0][i];
        w->before[0][i] = q;
    }
    w->worst_pose = fmax(w->worst_pose, lk_platform_pose(w->platform, w->guard.position, w->pose));
}

static void finish(const struct watch *w, const char *title)
{
    print_message("%s: %.9f of the strokes, %.9f of the speeds, %.9f of the accelerations, pose "
                  "%.1e\n",
                  title, w->worst[0], w->worst[1], w->worst[2], w->worst_pose);
    for (int i = 0; i < 3; i++)
        assert_true(w->worst[i] < 1);
    assert_true(w->worst[0] <= 0.298 / 0.3 + 1e-12);
    assert_true(w->worst_pose <= 1e-9);
}

static uint64_t dice = 11;

static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)dice / 9.3e18;
}

/** struct demand - a kind of demand for some time: constant, oscillation, noise, jumps, a ramp far
 * beyond the stroke, or values that are no finite numbers */
struct demand {
    int kind;
    int left;
    double centre[N];
    double size[N];
    double frequency[N];
};

static void draw_demand(struct demand *d)
{
    d->kind = (int)(3 + 2.99 * draw());
    d->left = 1 + (int)(1000 * fabs(draw() * draw()));
    for (int i = 0; i < N; i++) {
        d->centre[i] = 0.4 * draw();
        d->size[i] = 0.4 * draw();
        d->frequency[i] = 40 * fabs(draw() * draw() * draw());
    }
}

static void make_demand(struct demand *d, double t, double ret[N])
{
    const double none[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};

    if (d->left-- <= 0)
        draw_demand(d);
    for (int i = 0; i < N; i++) {
        double wave = sin(6.28 * d->frequency[i] * t);

        ret[i] = d->centre[i];
        if (d->kind == 1)
            ret[i] += d->size[i] * wave;
        else if (d->kind == 2)
            ret[i] += d->size[i] * draw();
        else if (d->kind == 3)
            ret[i] += d->size[i] * (wave > 0 ? 1 : -1);
        else if (d->kind == 4)
            ret[i] = 10 * d->size[i] * t;
        else if (d->kind == 5)
            ret[i] = none[(int)(2.5 + 2.49 * draw())];
    }
}

static void check_wild(enum lk_platform_kind kind, const char *title)
{
    struct lk_platform platform;
    struct demand demand = {0};
    struct watch w;
    double aim[N];

    take_platform(&platform, kind);
    begin(&w, &platform);
    for (long i = 0; i < lrint(wild_seconds / H); i++) {
        make_demand(&demand, (double)i * H, aim);
        lk_leg_guard_step(&w.guard, aim);
        look(&w);
    }
    finish(&w, title);
    assert_true(w.worst[0] > 0.99 && w.worst[1] > 0.99 && w.worst[2] > 0.99); /* near all limits */
}

static void test_wild_demands(void **state)
{
    (void)state;
    check_wild(LK_PLATFORM_HEXAPOD, "hexapod");
    check_wild(LK_PLATFORM_SIX_AXIS, "six axes");
    check_wild(LK_PLATFORM_THREE_AXIS, "three axes");
}

/* Demands within the limits are followed exactly and without lag. */
static void test_follows(void **state)
{
    struct lk_platform platform;
    struct watch w;
    double aim[N];

    (void)state;
    take_platform(&platform, LK_PLATFORM_SIX_AXIS);
    begin(&w, &platform);
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < N; k++)
            aim[k] = i < 3000 ? 0 : 0.1 * (1 - cos(2 * (i - 3000) * H));
        lk_leg_guard_step(&w.guard, aim);
        look(&w);
        if (i == 2999)
            w.guard.limited = 0;
        for (int k = 0; k < N && i >= 3000; k++)
            assert_true(fabs(w.guard.position[k] - aim[k]) < 1e-12);
    }
    assert_int_equal(w.guard.limited, 0);
    finish(&w, "followed");
}

/* A jump is followed in about the shortest time that the limits permit, without overshoot. */
static void test_jump(void **state)
{
    const double aim[N] = {0.2, 0.2, 0.2, 0.2, 0.2, 0.2};
    struct lk_platform platform;
    struct watch w;
    int steps = 0;

    (void)state;
    take_platform(&platform, LK_PLATFORM_SIX_AXIS);
    begin(&w, &platform);
    for (; fabs(w.guard.position[0] - 0.2) > 1e-6; steps++) {
        assert_true(steps < 2000);
        lk_leg_guard_step(&w.guard, aim);
        look(&w);
        assert_true(w.guard.position[0] <= 0.2 + 1e-9);
    }
    /* 0.498 m at 0.6 m/s, plus half of 0.1 s to accelerate with 6 m/s^2 and half of 0.2 s to brake
     * with 3 m/s^2 */
    assert_true(fabs(steps * H - (0.498 / 0.6 + 0.05 + 0.1)) < 0.02);
    finish(&w, "jump");
}

/* If an element of the demand is NaN or infinite, its last value is used. */
static void test_no_number(void **state)
{
    const double aim[N] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    const double none[N] = {NAN, -NAN, INFINITY, -INFINITY, NAN, NAN};
    struct lk_platform platform;
    struct watch w;

    (void)state;
    take_platform(&platform, LK_PLATFORM_SIX_AXIS);
    begin(&w, &platform);
    for (int i = 0; i < 3000; i++) {
        lk_leg_guard_step(&w.guard, i < 100 ? aim : none);
        look(&w);
    }
    for (int i = 0; i < N; i++)
        assert_true(fabs(w.guard.position[i] - 0.1) < 1e-6);
    assert_int_equal(w.guard.limited, 3000);
    finish(&w, "no number");
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legs_of_another_program),
        cmocka_unit_test(test_axes_of_the_others),
        cmocka_unit_test(test_legs_that_do_not_hold),
        cmocka_unit_test(test_wild_demands),
        cmocka_unit_test(test_follows),
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_no_number),
    };

    if (argc != 2)
        return 2;
    wild_seconds = atof(argv[1]) / THINNED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
