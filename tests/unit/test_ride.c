/* SPDX-License-Identifier: Apache-2.0 */
/* A ride from the parking position and back: its states and their transitions, ends at any point of
 * the way, and the limits of the platform, which hold at each step. */
#include "cmocka_all.h"
#include "cueing/ride.h"
#include <math.h>
#include <string.h>

#define N LK_PLATFORM_ACTUATORS
#define H 1e-3
#define G LK_CUEING_GRAVITY

static const double calm[6] = {0, 0, G, 0, 0, 0};
static const double rough[6] = {4, -3, G + 2, 0.5, 0.4, -0.3};

static struct lk_ride ride;
static double before[2][N];

static void begin(enum lk_platform_kind kind)
{
    const struct lk_hexapod hexapod = {1.65, 0.12217, 1.60, 0.92502, 1.70};
    struct lk_ride_config config = {.set = lk_washout_named(0), .h = H, .fade = 2, .pace = 0.25};
    struct lk_actuator_limits limits[N];

    for (int i = 0; i < N; i++)
        limits[i] = (struct lk_actuator_limits){-0.3, 0.3, 0.6, 6};
    assert_true(lk_platform_init(&config.platform, kind, &hexapod, limits));
    lk_ride_init(&ride, &config);
    memcpy(before[0], ride.guard.position, sizeof(before[0]));
    memcpy(before[1], ride.guard.position, sizeof(before[1]));
}

/* Make a step and check the differences that a receiver computes from it. */
static void step(const double sensor[6])
{
    double held[N];

    lk_ride_step(&ride, sensor);
    lk_platform_actuators(&ride.platform, ride.pose, held);
    for (int i = 0; i < ride.platform.n; i++) {
        double q = ride.guard.position[i], v = (q - before[0][i]) / H;
        double old = (before[0][i] - before[1][i]) / H;

        assert_true(fabs(q) <= 0.298 + 1e-12);
        assert_true(fabs(v) <= 0.6);
        assert_true(fabs(v - old) <= 6 * H);
        assert_true(fabs(held[i] - q) <= 1e-9);
        before[1][i] = before[0][i];
        before[0][i] = q;
    }
}

static long steps_to(enum lk_ride_state state, const double sensor[6])
{
    long n = 0;

    for (; ride.state != state; n++) {
        assert_true(n < 60000);
        step(sensor);
    }
    return n;
}

static double highest_speed(void)
{
    double highest = 0;

    for (int i = 0; i < N; i++)
        highest = fmax(highest, fabs(ride.guard.speed[i]));
    return highest;
}

/* ---- from parked to parked ---- */

static void check_ride(enum lk_platform_kind kind)
{
    double parked[N];

    begin(kind);
    memcpy(parked, ride.guard.position, sizeof(parked));
    assert_true(ride.pose[2] < -0.1);
    for (int i = 0; i < 100; i++)
        step(rough);
    assert_memory_equal(parked, ride.guard.position, sizeof(parked));
    assert_int_equal(lk_ride_engage(&ride), LK_RIDE_NO_CAUSE);
    assert_int_equal(ride.state, LK_RIDE_RISING);
    /* 0.298 m at a quarter of 0.6 m/s at most: 1.875 * 0.298 / 0.15 s */
    assert_in_range(steps_to(LK_RIDE_FOLLOWING, rough), 3720, 3730);
    for (int i = 0; i < N; i++)
        assert_true(fabs(ride.guard.position[i]) < 1e-9 && fabs(ride.guard.speed[i]) < 1e-6);
    for (int i = 0; i < 3000; i++)
        step(rough);
    assert_true(ride.guard.position[0] != 0);
    lk_ride_end(&ride, LK_RIDE_ORDERED);
    assert_int_equal(ride.state, LK_RIDE_HOLDING);
    steps_to(LK_RIDE_PARKED, rough);
    assert_int_equal(ride.cause, LK_RIDE_ORDERED);
    for (int i = 0; i < N; i++)
        assert_true(fabs(parked[i] - ride.guard.position[i]) < 1e-9);
}

static void test_from_parked_to_parked(void **state)
{
    (void)state;
    check_ride(LK_PLATFORM_HEXAPOD);
    check_ride(LK_PLATFORM_SIX_AXIS);
    check_ride(LK_PLATFORM_THREE_AXIS);
}

/* After a fade-in, the platform follows the washout. */
static void test_follows_the_washout(void **state)
{
    const double sensor[6] = {1, 0.5, G, 0, 0, 0.05};
    struct lk_washout_state washed = {0};
    double pose[6];

    (void)state;
    begin(LK_PLATFORM_HEXAPOD);
    lk_ride_engage(&ride);
    steps_to(LK_RIDE_FOLLOWING, calm);
    for (int i = 0; i < 5000; i++) {
        step(sensor);
        lk_washout_step(&ride.washout, &washed, sensor, pose);
        for (int k = 0; k < 6 && i >= 2000; k++)
            assert_true(fabs(ride.pose[k] - pose[k]) < 1e-9);
    }
    assert_int_equal(ride.guard.limited, 0);
    assert_true(fabs(pose[4]) > 0.05);
}

/* ---- ends ---- */

/* End a ride @after steps after its start: the platform brakes at once, never rises again, and
 * parks. */
static void check_end(long after, enum lk_ride_cause cause)
{
    double speed, way;

    begin(LK_PLATFORM_HEXAPOD);
    assert_int_equal(lk_ride_engage(&ride), LK_RIDE_NO_CAUSE);
    for (long i = 0; i < after; i++)
        step(i % 700 < 350 ? rough : calm);
    speed = highest_speed();
    memcpy(ride.from, ride.guard.position, sizeof(ride.from));
    lk_ride_end(&ride, cause);
    way = fabs(ride.to[0] - ride.from[0]);
    assert_true(way <= speed * speed / 6 + 1e-9);
    /* braking with 3 m/s^2, with a tolerance of 0.2 s */
    assert_true((double)steps_to(LK_RIDE_SETTLING, rough) * H <= speed / 3 + 0.2);
    assert_true(highest_speed() <= 1e-9);
    assert_int_equal(lk_ride_engage(&ride),
                     cause == LK_RIDE_EMERGENCY ? LK_RIDE_EMERGENCY : LK_RIDE_UNDER_WAY);
    steps_to(LK_RIDE_PARKED, rough);
    assert_int_equal(ride.cause, cause);
}

static void test_ends_from_everywhere(void **state)
{
    (void)state;
    for (long after = 1; after < 9000; after += 997) {
        check_end(after, LK_RIDE_NOT_RUNNING);
        check_end(after, LK_RIDE_EMERGENCY);
    }
}

/* An emergency is latched in each state, and the first cause of an end is kept. */
static void test_emergency(void **state)
{
    (void)state;
    begin(LK_PLATFORM_HEXAPOD);
    lk_ride_end(&ride, LK_RIDE_EMERGENCY);
    assert_int_equal(ride.state, LK_RIDE_PARKED);
    assert_int_equal(lk_ride_engage(&ride), LK_RIDE_EMERGENCY);
    lk_ride_release(&ride);
    assert_int_equal(lk_ride_engage(&ride), LK_RIDE_NO_CAUSE);
    for (int i = 0; i < 500; i++)
        step(calm);
    lk_ride_end(&ride, LK_RIDE_SILENT);
    lk_ride_end(&ride, LK_RIDE_EMERGENCY);
    steps_to(LK_RIDE_PARKED, calm);
    assert_int_equal(ride.cause, LK_RIDE_SILENT);
    assert_int_equal(lk_ride_engage(&ride), LK_RIDE_EMERGENCY);
}

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(lk_ride_state_name(LK_RIDE_SETTLING), "settling");
    assert_string_equal(lk_ride_cause_text(LK_RIDE_UNDER_WAY), "the platform is not parked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_parked_to_parked),
        cmocka_unit_test(test_follows_the_washout),
        cmocka_unit_test(test_ends_from_everywhere),
        cmocka_unit_test(test_emergency),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
