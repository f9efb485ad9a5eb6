/* SPDX-License-Identifier: Apache-2.0 */
/* A ride saved as numbers: a ride that is restored from them continues bit for bit, with the
 * sensors, orders and gains of the recorded steps. */
#include "cmocka_all.h"
#include "cueing/ride_numbers.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

#define H 1e-3
#define G LK_CUEING_GRAVITY

static uint64_t dice = 5;

static int draw(int n)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (int)(dice >> 33) % n;
}

static void begin(struct lk_ride *ride, enum lk_platform_kind kind)
{
    const struct lk_hexapod hexapod = {1.65, 0.12217, 1.60, 0.92502, 1.70};
    struct lk_ride_config config = {.set = lk_washout_named(0), .h = H, .fade = 0.5, .pace = 0.5};
    struct lk_actuator_limits limits[LK_PLATFORM_ACTUATORS];

    for (int i = 0; i < LK_PLATFORM_ACTUATORS; i++)
        limits[i] = (struct lk_actuator_limits){-0.3, 0.3, 0.6, 6};
    assert_true(lk_platform_init(&config.platform, kind, &hexapod, limits));
    lk_ride_init(ride, &config);
}

/* Give random orders and gains, sometimes several between two steps. */
static void disturb(struct lk_ride *ride)
{
    for (int n = draw(200) ? 0 : 1 + draw(3); n > 0; n--) {
        int what = draw(8);

        if (what < 3)
            lk_ride_engage(ride);
        else if (what == 3)
            lk_ride_end(ride, (enum lk_ride_cause)(1 + draw(7)));
        else if (what == 4)
            lk_ride_release(ride);
        else
            lk_gains_want(&ride->gains, draw(LK_WASHOUT_VALUES), 0.1 * draw(20));
    }
}

static void check_same(const struct lk_ride *a, const struct lk_ride *b)
{
    double first[LK_RIDE_WHOLE_NUMBERS], second[LK_RIDE_WHOLE_NUMBERS];

    lk_ride_save(a, first);
    lk_ride_save(b, second);
    assert_memory_equal(first, second, sizeof(first));
}

static void check_follows(enum lk_platform_kind kind)
{
    double whole[LK_RIDE_WHOLE_NUMBERS], number[LK_RIDE_STEP_NUMBERS], again[LK_RIDE_STEP_NUMBERS];
    double sensor[6] = {0, 0, G, 0, 0, 0};
    struct lk_ride ride, other;
    int states = 0, n_gains = 0;

    begin(&ride, kind);
    for (int i = 0; i < 60000; i++) {
        if (i % 7000 == 0) { /* a recording could begin here */
            lk_ride_save(&ride, whole);
            assert_true(lk_ride_load(&other, whole));
        }
        disturb(&ride);
        sensor[draw(3)] += 0.01 * (draw(101) - 50);
        lk_ride_step(&ride, sensor);
        lk_ride_show_step(&ride, sensor, number);

        if (number[LK_RIDE_N_GAINS] == 1)
            memcpy(other.gains.wanted, ride.gains.wanted, sizeof(other.gains.wanted));
        n_gains += number[LK_RIDE_N_GAINS] == 1;
        assert_true(lk_ride_obey(&other, number[LK_RIDE_N_ORDERS]));
        lk_ride_step(&other, number + LK_RIDE_N_SENSOR);
        lk_ride_show_step(&other, number + LK_RIDE_N_SENSOR, again);
        again[LK_RIDE_N_GAINS] = number[LK_RIDE_N_GAINS];
        assert_memory_equal(number, again, sizeof(number));
        states |= 1 << ride.state;
        if (i % 100 == 0)
            check_same(&ride, &other);
    }
    check_same(&ride, &other);
    assert_int_equal(states, 0x3e); /* the ride was in all its states */
    assert_true(n_gains > 50);
}

static void test_follows(void **state)
{
    (void)state;
    check_follows(LK_PLATFORM_HEXAPOD);
    check_follows(LK_PLATFORM_SIX_AXIS);
    check_follows(LK_PLATFORM_THREE_AXIS);
}

/* Each number has a name of its own, and all names fit. */
static void test_names(void **state)
{
    const struct lk_channel *channels;
    int n, next = 0;

    (void)state;
    channels = lk_ride_step_channels(&n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(channels[i].offset, next);
        next += channels[i].size;
    }
    assert_int_equal(next, LK_RIDE_STEP_NUMBERS);
    channels = lk_ride_whole_channels(&n);
    assert_true(n <= LK_RIDE_WHOLE_NUMBERS);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(channels[i].name, channels[k].name);
}

/* Impossible numbers are refused, and so are more orders than a step can have. */
static void test_refusals(void **state)
{
    double whole[LK_RIDE_WHOLE_NUMBERS], bad[LK_RIDE_WHOLE_NUMBERS];
    struct lk_ride ride;
    int n;

    (void)state;
    begin(&ride, LK_PLATFORM_SIX_AXIS);
    lk_ride_save(&ride, whole);
    lk_ride_whole_channels(&n);
    for (int i = n - 6; i < n; i++) {
        memcpy(bad, whole, sizeof(bad));
        bad[i] = 0.5;
        assert_false(lk_ride_load(&ride, bad));
        bad[i] = i == n - 6 ? 3 : -1;
        assert_false(lk_ride_load(&ride, bad));
    }
    memcpy(bad, whole, sizeof(bad));
    bad[3] = NAN;
    assert_false(lk_ride_load(&ride, bad));
    assert_true(lk_ride_load(&ride, whole));
    for (int i = 0; i < 10; i++) {
        lk_ride_end(&ride, LK_RIDE_EMERGENCY);
        lk_ride_release(&ride);
    }
    lk_ride_step(&ride, (const double[6]){0});
    assert_true(ride.obeyed == LK_RIDE_ORDERS_LOST && ride.orders == 0);
    assert_false(lk_ride_obey(&ride, ride.obeyed));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follows),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
