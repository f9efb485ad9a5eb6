/* SPDX-License-Identifier: Apache-2.0 */
/* The classical washout: responses from an independent program (tests/reference/cueing/cues.txt),
 * closed forms, and properties for each set and any sensor values: the tilt rate is within its
 * limit, and all results are finite. */
#include "cmocka_all.h"
#include "cueing/attitude.h"
#include "cueing/washout.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H 1e-3
#define G LK_CUEING_GRAVITY

static const char *cues_path;

static void init(struct lk_washout *washout, const char *name, bool coupled)
{
    struct lk_washout_set set = {0};

    for (int i = 0; lk_washout_names[i]; i++)
        if (strcmp(lk_washout_names[i], name) == 0)
            set = lk_washout_named(i);
    set.coupled = coupled;
    lk_washout_init(washout, &set, H);
}

/* ---- cues.txt ---- */

/** struct ride - a section of the file, and the sensor values that belong to it */
struct ride {
    const char *title;
    bool coupled;
    void (*sense)(double t, double sensor[6]);
};

static void sense_step_1(double t, double sensor[6])
{
    (void)t;
    sensor[0] = 1;
}

static void sense_step_2(double t, double sensor[6])
{
    (void)t;
    sensor[0] = 2;
}

static void sense_corner(double t, double sensor[6])
{
    sensor[1] = t < 8 - H / 2 ? 3 : 0;
    sensor[5] = t < 8 - H / 2 ? 0.2 : 0;
}

static void sense_heave(double t, double sensor[6])
{
    sensor[2] += 2 * sin(2 * M_PI * 1.5 * t);
}

static const struct ride rides[] = {
    {"surge step 1 m/s^2", false, sense_step_1},
    {"surge step 2 m/s^2", true, sense_step_2},
    {"corner:", true, sense_corner},
    {"heave 2 m/s^2", true, sense_heave},
};

/* Compute the pose after @n steps. A jump of the sensor between two samples acts in their middle,
 * so the time of a sample after the jump corresponds to the mean of two poses. */
static void pose_at(const struct ride *ride, int n, double ret[6])
{
    struct lk_washout_state state = {0};
    struct lk_washout washout;
    double pose[6] = {0}, before[6] = {0};

    init(&washout, "delft", ride->coupled);
    for (int i = 0; i <= n; i++) {
        double sensor[6] = {0, 0, G, 0, 0, 0};

        memcpy(before, pose, sizeof(before));
        ride->sense(i * H, sensor);
        lk_washout_step(&washout, &state, sensor, pose);
    }
    for (int i = 0; i < 6; i++)
        ret[i] = ride->sense == sense_heave ? pose[i] : 0.5 * (pose[i] + before[i]);
}

static void check_row(const struct ride *ride, const double *row)
{
    double pose[6];

    pose_at(ride, (int)lrint(row[0] / H), pose);
    for (int i = 0; i < 6 && row[0] > 0; i++)
        if (!(fabs(pose[i] - row[1 + i]) <= 1e-4))
            fail_msg("%s at %g s: value %d is %.7f instead of %.7f", ride->title, row[0], i,
                     pose[i], row[1 + i]);
}

static void test_independent_program(void **state)
{
    FILE *f = fopen(cues_path, "r");
    const struct ride *ride = NULL;
    char line[200];
    int rows = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        double row[7];

        for (size_t i = 0; i < sizeof(rides) / sizeof(rides[0]); i++)
            if (strncmp(line, rides[i].title, strlen(rides[i].title)) == 0)
                ride = &rides[i];
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &row[0], &row[1], &row[2], &row[3], &row[4],
                   &row[5], &row[6]) != 7)
            continue;
        check_row(ride, row);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 21 + 21 + 29 + 17);
}

/* ---- closed forms ---- */

static void test_closed_forms(void **state)
{
    const double times[] = {0.5, 2, 5};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double t = times[i], pose[6];
        double x = 0.9375 * (1 - exp(-0.8 * t) * (1 + 0.8 * t));
        double pitch = -asin(0.6 * (1 - exp(-2 * t) * (1 + 2 * t)) / G);

        pose_at(&rides[0], (int)lrint(t / H), pose);
        assert_true(fabs(pose[0] - x) < 1e-6);
        assert_true(fabs(pose[4] - pitch) < 1e-6);
        assert_true(pose[1] == 0 && pose[2] == 0 && pose[3] == 0 && pose[5] == 0);
    }
}

/* Check yaw, which has no tilt. The response of s / (s^2 + 2 z w s + w^2) to a step r is r t
 * exp(-t) for w = z = 1, and r (exp(-0.12 t) - exp(-1.02 t)) / 0.9 with the poles 1.02 and 0.12. */
static void check_yaw(const char *name, double t, double wanted)
{
    struct lk_washout_state state = {0};
    double pose[6] = {0}, before[6] = {0};
    struct lk_washout washout;

    init(&washout, name, true);
    for (int i = 0; i <= lrint(t / H); i++) {
        memcpy(before, pose, sizeof(before));
        lk_washout_step(&washout, &state, (const double[6]){0, 0, G, 0, 0, 0.1}, pose);
    }
    assert_true(fabs(0.5 * (pose[5] + before[5]) - wanted) < 1e-6);
}

static void test_yaw(void **state)
{
    (void)state;
    check_yaw("delft", 2, 0.06 * 2 * exp(-2));
    check_yaw("reid-nahon", 2, 0.1 * (exp(-0.24) - exp(-2.04)) / 0.9);
    check_yaw("tripod", 2, 0.1 * 2 * exp(-5));
}

/* A head above the reference point is displaced by the translation only, whatever the attitude. */
static void test_head(void **state)
{
    const double head[3] = {0.3, -0.2, 0.9}, sensor[6] = {1, 2, G + 1, 0.3, -0.2, 0.1};
    struct lk_washout_state at_head = {0}, plain = {0};
    struct lk_washout_set set = lk_washout_named(0);
    double pose[6], other[6], R[9], r[3];
    struct lk_washout washout, without;

    (void)state;
    lk_washout_init(&without, &set, H);
    memcpy(set.head, head, sizeof(head));
    lk_washout_init(&washout, &set, H);
    for (int i = 0; i < 1500; i++) {
        lk_washout_step(&washout, &at_head, sensor, pose);
        lk_washout_step(&without, &plain, sensor, other);
    }
    lk_attitude_matrix(pose + 3, R);
    lk_rotate(R, head, r);
    assert_true(fabs(pose[4]) > 0.01);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(pose[i] + r[i] - head[i] - other[i]) < 1e-15);
        assert_true(pose[3 + i] == other[3 + i]);
    }
}

/* ---- any sensor values ---- */

static uint64_t dice = 7;

static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)dice / 9.3e18;
}

static void draw_sensor(double sensor[6])
{
    const double wild[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0};

    for (int i = 0; i < 6; i++)
        sensor[i] = draw() > 0.9 ? wild[(int)(3 + 2.9 * draw())] : 50 * draw();
}

static void check_wild(const char *name, double acceleration)
{
    struct lk_washout_state state = {0};
    struct lk_washout washout;
    double sensor[6], pose[6], rate, tilt[2] = {0}, tilting[2] = {0};

    init(&washout, name, true);
    washout.set.tilt_acceleration = acceleration;
    rate = washout.set.tilt_rate > 0 ? washout.set.tilt_rate : 1e9;
    for (int i = 0; i < 200000; i++) {
        if (i % 100 == 0 || draw() > 0.5)
            draw_sensor(sensor);
        lk_washout_step(&washout, &state, sensor, pose);
        for (int k = 0; k < 6; k++)
            assert_true(isfinite(pose[k]) && fabs(pose[k]) < 100);
        for (int k = 0; k < 2; k++) {
            assert_true(fabs(state.tilt[k] - tilt[k]) <= rate * H * (1 + 1e-9));
            assert_true(fabs(state.tilt[k]) <= washout.set.tilt_limit + 1e-12);
            if (acceleration > 0)
                assert_true(fabs((state.tilt[k] - tilt[k]) / H - tilting[k]) <=
                            acceleration * H * (1 + 1e-9) + 1e-12);
            tilting[k] = (state.tilt[k] - tilt[k]) / H;
            tilt[k] = state.tilt[k];
        }
    }
}

static void test_wild_sensors(void **state)
{
    (void)state;
    for (int i = 0; lk_washout_names[i]; i++)
        for (int k = 0; k < 3; k++)
            check_wild(lk_washout_names[i], (const double[]){0, 0.14, 5}[k]);
}

/* After a step of force, the tilt accelerates with its limit, continues at its rate limit,
 * decelerates with its limit and reaches its aim without overshoot. Without the limit a it arrives
 * w / a earlier. */
static void test_tilt_begins_and_ends_smoothly(void **state)
{
    const double sensor[6] = {0, 2, LK_CUEING_GRAVITY, 0, 0, 0}, a = 0.14;
    struct lk_washout_state limited = {0}, plain = {0};
    struct lk_washout washout, other;
    double pose[6], aim = asin(0.6 * 2 / LK_CUEING_GRAVITY);

    (void)state;
    init(&washout, "delft", true);
    init(&other, "delft", true);
    washout.set.tilt_acceleration = a;
    for (int i = 0; i < 10000; i++) {
        lk_washout_step(&washout, &limited, sensor, pose);
        lk_washout_step(&other, &plain, sensor, pose);
        if (i == 99)
            assert_true(limited.tilt[0] > 0 && limited.tilt[0] < 0.5 * plain.tilt[0]);
        assert_true(limited.tilt[0] <= aim + 1e-12);
    }
    assert_true(fabs(limited.tilt[0] - aim) < 1e-6);
    assert_true(limited.tilt[0] < plain.tilt[0] + 1e-9);
}

/* If an element of a sample is NaN or infinite, its last finite value is used. */
static void test_what_is_no_number(void **state)
{
    const double sensor[6] = {1, 2, G, 0.1, 0.2, 0.3};
    struct lk_washout_state plain = {0}, holey = {0};
    double pose[6], other[6];
    struct lk_washout washout;

    (void)state;
    init(&washout, "delft", true);
    for (int i = 0; i < 1000; i++) {
        double broken[6];

        memcpy(broken, sensor, sizeof(broken));
        if (i % 10 > 0)
            broken[i % 6] = i % 2 ? NAN : INFINITY;
        lk_washout_step(&washout, &plain, sensor, pose);
        lk_washout_step(&washout, &holey, broken, other);
        assert_memory_equal(pose, other, sizeof(pose));
    }
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_independent_program),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_yaw),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_wild_sensors),
        cmocka_unit_test(test_tilt_begins_and_ends_smoothly),
        cmocka_unit_test(test_what_is_no_number),
    };

    if (argc != 2)
        return 2;
    cues_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
