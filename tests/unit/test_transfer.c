/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a small cue that reaches the driver: compared with closed forms from another program,
 * and with the washout itself for a sine. */
#include "cmocka_all.h"
#include "cueing/transfer.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define H 4e-3
#define G LK_CUEING_GRAVITY

static struct lk_washout_set delft(bool coupled)
{
    struct lk_washout_set set = lk_washout_named(0);

    set.coupled = coupled;
    return set;
}

static void test_other_program(void **state)
{
    const double rows[][3] = {
        {0.1, 0.9823, -5.6}, {0.398, 0.7971, -15.3}, {1, 0.6155, -4.2}, {10, 0.9563, 8.6}};
    struct lk_washout_set set = delft(false);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct lk_transfer t = lk_transfer_at(&set, 0, rows[i][0]);

        assert_true(fabs(t.gain - rows[i][1]) < 1e-4);
        assert_true(fabs(t.phase * 180 / M_PI - rows[i][2]) < 0.06);
    }
}

/* Return the value that a sensor at the driver's head would measure along @axis at the middle of
 * the last three poses. Axes 0 to 2: acceleration of the translation plus the gravity component of
 * the tilt; others: rate of an angle. */
static double feel(double pose[3][6], int axis)
{
    if (axis >= 3)
        return (pose[2][axis] - pose[0][axis]) / (2 * H);
    return (pose[2][axis] - 2 * pose[1][axis] + pose[0][axis]) / (H * H) +
           (axis == 0   ? -G * sin(pose[1][4])
            : axis == 1 ? G * sin(pose[1][3])
                        : 0);
}

/* Return the sine and cosine parts of the perceived value in the last whole periods of a cue with
 * frequency @omega [rad/s]. */
static struct lk_transfer drive(const struct lk_washout_set *set, int axis, double omega)
{
    double scale = axis < 3 ? set->force_scale[axis] : set->rate_scale[axis - 3], size = 1e-3;
    long period = lrint(2 * M_PI / omega / H), n = 20 * period;
    double pose[3][6] = {{0}}, in = 0, out = 0;
    struct lk_washout_state state = {0};
    struct lk_washout washout;

    lk_washout_init(&washout, set, H);
    for (long i = 0; i < n; i++) {
        double sensor[6] = {0, 0, G, 0, 0, 0};

        sensor[axis] += size * sin(omega * (double)i * H);
        memmove(pose[0], pose[1], 2 * sizeof(pose[0]));
        lk_washout_step(&washout, &state, sensor, pose[2]);
        if (i >= n - 4 * period) {
            double phase = omega * (double)(i - 1) * H, felt = feel(pose, axis);

            in += felt * sin(phase);
            out += felt * cos(phase);
        }
    }
    in *= 2 / (4 * (double)period * size * scale);
    out *= 2 / (4 * (double)period * size * scale);
    return (struct lk_transfer){hypot(in, out), atan2(out, in)};
}

static void check_axis(const struct lk_washout_set *set, int axis, double omega)
{
    struct lk_transfer felt = drive(set, axis, omega), t = lk_transfer_at(set, axis, omega);

    if (!(fabs(felt.gain - t.gain) < 2e-3) || !(fabs(sin(felt.phase - t.phase)) < 5e-3))
        fail_msg("axis %d at %g rad/s: %.5f, %.4f rad instead of %.5f, %.4f rad", axis, omega,
                 felt.gain, felt.phase, t.gain, t.phase);
}

static void test_the_washout_itself(void **state)
{
    const double omegas[] = {0.4, 1, 3};

    (void)state;
    for (int name = 0; lk_washout_names[name]; name++)
        for (int coupled = 0; coupled < 2; coupled++) {
            struct lk_washout_set set = lk_washout_named(name);

            set.coupled = coupled != 0;
            for (int axis = 0; axis < LK_TRANSFER_AXES; axis++)
                for (size_t i = 0; i < 3; i++)
                    check_axis(&set, axis, omegas[i]);
        }
}

static void test_sag_and_corner(void **state)
{
    struct lk_washout_set set = delft(false);
    double sag = lk_transfer_sag(&set, 0), gain = lk_transfer_at(&set, 0, sag).gain;

    (void)state;
    for (double omega = 0.01; omega < 100; omega *= 1.1)
        assert_true(lk_transfer_at(&set, 0, omega).gain >= gain - 1e-5);
    assert_true(sag > 1 && sag < 2 && gain < 0.6155);
    /* w^2/(1 + w^2) = 1/sqrt 2 for a frequency of 1, damping 1 */
    assert_true(fabs(lk_transfer_corner(&set, 5) - sqrt(1 / (M_SQRT2 - 1))) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_program),
        cmocka_unit_test(test_the_washout_itself),
        cmocka_unit_test(test_sag_and_corner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
