/* SPDX-License-Identifier: Apache-2.0 */
/* The gains of a washout are changed while it runs. They change without a jump to the wanted
 * values, stay within their ranges, and the platform's pose stays smooth whatever the operator
 * does. */
#include "cmocka_all.h"
#include "cueing/gains.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define H 1e-3
#define G LK_CUEING_GRAVITY
#define N LK_WASHOUT_VALUES

/* Each value of a set belongs to exactly one field, and the configured range contains the
 * operator's range. */
static void test_fields(void **state)
{
    int next = 0;

    (void)state;
    for (int i = 0; i < LK_GAIN_FIELDS; i++) {
        const struct lk_gain_field *field = &lk_gain_fields[i];

        assert_int_equal(field->first, next);
        assert_true(field->low <= field->least && field->least < field->high);
        next += field->size;
    }
    assert_int_equal(next, N);
}

/* Gains that nobody changes are bitwise those of the set. */
static void test_at_rest(void **state)
{
    struct lk_washout_set set = lk_washout_named(1), now;
    struct lk_gains gains;

    (void)state;
    lk_gains_init(&gains, &set);
    for (int i = 0; i < 10000; i++)
        lk_gains_step(&gains, H, &now);
    assert_memory_equal(&now, &set, sizeof(set));
}

/* A gain covers 1 - (1 + 4 t) exp(-4 t) of its way after the time t. Wanted values are limited to
 * their ranges. */
static void test_glide(void **state)
{
    struct lk_washout_set set = lk_washout_named(0), now;
    struct lk_gains gains;

    (void)state;
    lk_gains_init(&gains, &set);
    lk_gains_want(&gains, 0, 0.2);
    for (int i = 0; i < 1000; i++) {
        lk_gains_step(&gains, H, &now);
        if (i == 499)
            assert_true(fabs(now.force_scale[0] - (0.6 - 0.4 * (1 - 3 * exp(-2)))) < 1e-3);
    }
    assert_true(fabs(now.force_scale[0] - (0.6 - 0.4 * (1 - 5 * exp(-4)))) < 1e-3);
    assert_true(now.force_scale[1] == set.force_scale[1]);
    for (int i = 0; i < N; i++) {
        lk_gains_want(&gains, i, NAN);
        lk_gains_want(&gains, i, -1e9);
    }
    for (int i = 0; i < 20000; i++)
        lk_gains_step(&gains, H, &now);
    assert_true(fabs(now.leak[0] - 0.01) < 1e-9 && fabs(now.tilt_rate - 0.001) < 1e-9);
    assert_true(fabs(now.head[2] + 10) < 1e-9 && fabs(now.coupled) < 1e-9);
    lk_gains_want(&gains, N - 2, 7);
    assert_true(gains.wanted[N - 2] == 1);
    lk_gains_want(&gains, N - 1, 1e6);
    assert_true(gains.wanted[N - 1] == 100);
}

/* ---- the pose ---- */

static uint64_t dice = 11;

static double draw(void)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(dice >> 11) / 9007199254740992.0;
}

/* Return another value for a gain, of a size that an operator may choose. */
static double other_value(const struct lk_gain_field *field, double configured)
{
    double high = fmin(field->high, 3 * configured + 0.5);

    return field->least < 0 ? draw() - 0.5 : field->least + draw() * (high - field->least);
}

/* Return the largest acceleration of the pose, from second differences, in a long corner with
 * braking. Roll and pitch are excluded: where gains or cues reach the limit of the tilt, these
 * angles have a kink. */
static double roughness(bool moves)
{
    static const double sensor[6] = {-3, 4, G, 0.05, -0.05, 0.2};
    struct lk_washout_set set = lk_washout_named(0);
    struct lk_washout_state state = {0};
    double pose[3][6] = {{0}}, worst = 0;
    struct lk_washout washout;
    struct lk_gains gains;

    lk_washout_init(&washout, &set, H);
    lk_gains_init(&gains, &set);
    for (int i = 0; i < 60000; i++) {
        const struct lk_gain_field *field = &lk_gain_fields[(i / 500) % LK_GAIN_FIELDS];

        for (int k = 0; k < field->size && moves && i > 20000 && i % 500 == 0; k++)
            lk_gains_want(
                &gains, field->first + k,
                other_value(field, ((const double *)(const void *)&set)[field->first + k]));
        lk_gains_step(&gains, H, &washout.set);
        memcpy(pose[0], pose[1], sizeof(pose[0]));
        memcpy(pose[1], pose[2], sizeof(pose[1]));
        lk_washout_step(&washout, &state, sensor, pose[2]);
        for (int k = 0; k < 6 && i > 20000; k += k == 2 ? 3 : 1)
            worst = fmax(worst, fabs(pose[2][k] - 2 * pose[1][k] + pose[0][k]) / (H * H));
    }
    return worst;
}

/* If an operator moves a slider every half second, no jolt is felt: the largest acceleration is 70
 * m/s^2, caused by kinks of the tilt with the lever arm of the head. With gains that jump it would
 * be 4.6e5. */
static void test_no_jump(void **state)
{
    (void)state;
    assert_true(roughness(false) < 0.1);
    assert_true(roughness(true) < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_glide),
        cmocka_unit_test(test_no_jump),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
