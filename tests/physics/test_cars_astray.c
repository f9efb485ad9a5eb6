/* SPDX-License-Identifier: Apache-2.0 */
/* Unusual driving of strut-car and iltis, as far as their models permit: they drive off, stop,
 * reverse, spin their wheels, spin around, and fall on their sides. Energy and forces stay finite
 * and within the friction limit, and the energy balance is closed. test_sedan.c has the same for
 * the sedan. */
#include "car.h"
#include "cmocka_all.h"
#include "maths/vec.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STRUT_CAR "config/models/strut-car.yaml"
#define ILTIS     "config/models/iltis.yaml"

enum input {
    STEER,
    BRAKE,
    GRIP,
    MOTOR_L,
    MOTOR_R,
    INPUTS
}; /* inputs of strut-car; iltis has the rack only */

/** struct motion - initial motion of the car: a rigid motion about the centre of mass of its
 * chassis, and the spin of its wheels about their axles */
struct motion {
    double velocity[3];
    double turn[3];
    double spin;
};

static void set_off(const struct motion *motion, struct lk_model *m)
{
    for (int i = 0; i < m->n_bodies; i++) {
        struct lk_body_def *b = &m->bodies[i];
        double arm[3];

        lk_sub(b->position, m->bodies[0].position, arm);
        lk_cross(motion->turn, arm, b->velocity);
        for (int k = 0; k < 3; k++)
            b->velocity[k] += motion->velocity[k];
        memcpy(b->angular_velocity, motion->turn, sizeof(motion->turn));
        if (strncmp(b->name, "wheel", 5) == 0)
            b->angular_velocity[1] += motion->spin;
    }
}

static struct lk_system *make_car(const char *path, const struct motion *motion)
{
    static char text[CAR_TEXT];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    const struct lk_options options = {.step = 0.001};

    car_read(path, text);
    if (strcmp(path, ILTIS) == 0) { /* its wheels always spin as they roll */
        static const char *const rates[] = {"rate: 54.8960406", "rate: 54.8960406",
                                            "rate: 54.9734478", "rate: 54.9734478"};
        char rate[32];

        snprintf(rate, sizeof(rate), "rate: %.17g", motion->spin);
        car_replace(text, "start: equilibrium\n", "");
        for (int i = 0; i < 4; i++)
            car_replace(text, rates[i], rate);
    }
    if (lk_model_read_text(path, text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    set_off(motion, model);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static const double *show(const struct lk_system *sys, const char *name)
{
    static double out[256];

    assert_true(lk_system_output_size(sys) <= 256);
    lk_system_outputs(sys, out);
    return out + car_offset(sys, name);
}

/* Step the car and check its energy and forces. @most: bound of the energy [J], which no sensible
 * motion reaches */
static void stays_sensible(struct lk_system *sys, const double *inputs, int steps, double most)
{
    static const char *const tyres[] = {"tyre_fl", "tyre_fr", "tyre_rl", "tyre_rr"};

    for (int i = 0; i < steps; i++) {
        double energy;

        assert_int_equal(lk_system_step(sys, inputs), 0);
        energy = show(sys, "energy")[0];
        assert_true(isfinite(energy) && energy < most);
        for (int k = 0; k < 4; k++) {
            const double *f = show(sys, tyres[k]);

            assert_true(f[2] > -1e-9 && f[2] < 3e5);
            assert_true(hypot(f[0], f[1]) <= 1.4 * f[2] + 100);
        }
    }
    assert_true(fabs(show(sys, "work")[4]) < 1e-4 * most);
}

static double speed(const struct lk_system *sys)
{
    return show(sys, "motion")[0];
}

/* ---- strut-car ---- */

static void drives_off_stops_and_reverses(void **state)
{
    static const double ahead[INPUTS] = {[GRIP] = 1, [MOTOR_L] = 400, [MOTOR_R] = 400};
    static const double back[INPUTS] = {[GRIP] = 1, [MOTOR_L] = -400, [MOTOR_R] = -400};
    static const double brake[INPUTS] = {[BRAKE] = 0.7, [GRIP] = 1};
    const double mass = 1093.3 + 4 * 1.7 / (0.334 * 0.334);
    struct lk_system *sys = make_car(STRUT_CAR, &(struct motion){.spin = 0});
    double x, v;

    (void)state;
    stays_sensible(sys, ahead, 1000, 2e4);
    v = speed(sys);
    stays_sensible(sys, ahead, 1000, 2e4);
    v = speed(sys) - v; /* force of two motors, less 1 % rolling resistance */
    assert_true(fabs(v - (800 / 0.334 - 0.01 * 1093.3 * 9.81) / mass) < 0.05 * v);
    stays_sensible(sys, brake, 1500, 2e4);
    assert_true(fabs(speed(sys)) < 0.02); /* friction with creep: nearly at rest */
    x = show(sys, "chassis")[0];
    assert_true(x > 4 && x < 8);
    stays_sensible(sys, back, 1500, 2e4);
    assert_true(speed(sys) < -2 && show(sys, "chassis")[0] < x - 1);
    stays_sensible(sys, brake, 1500, 2e4);
    assert_true(fabs(speed(sys)) < 0.02);
    lk_system_free(sys);
}

static void spins_its_wheels_on_ice(void **state)
{
    static const double ice[INPUTS] = {[GRIP] = 0.1, [MOTOR_L] = 600, [MOTOR_R] = 600};
    struct lk_system *sys = make_car(STRUT_CAR, &(struct motion){.spin = 0});

    (void)state;
    stays_sensible(sys, ice, 1000, 1e6);
    assert_true(show(sys, "spin_rl")[0] * 0.334 > 10 * speed(sys) && speed(sys) > 0.1);
    lk_system_free(sys);
}

/* At 25 m/s on a wet road, the motors lock the rear wheels and the car steers: it spins around. */
static void spins(void **state)
{
    static const double inputs[INPUTS] = {0.1, 0, 0.4, -600, -600};
    struct lk_system *sys =
        make_car(STRUT_CAR, &(struct motion){{25, 0, 0}, {0, 0, 0}, 25 / 0.3345});
    double turn = 0;

    (void)state;
    for (int i = 0; i < 30; i++) {
        stays_sensible(sys, inputs, 100, 1e6);
        turn += 0.1 * show(sys, "motion")[5];
    }
    assert_true(fabs(turn) > 2);
    lk_system_free(sys);
}

/* ---- both cars ---- */

/* A car thrown sideways and rolling falls on its side. */
static void falls_on_its_side(const char *path, const double *inputs)
{
    struct lk_system *sys = make_car(path, &(struct motion){{10, -6, 1.5}, {5, 0, 2}, 0});
    double upright = 1;

    for (int i = 0; i < 15; i++) {
        const double *q;

        stays_sensible(sys, inputs, 100, 1e6);
        q = show(sys, "chassis") + 3;
        upright = fmin(upright, 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    }
    assert_true(upright < 0.1); /* the car has been on its side or its roof */
    lk_system_free(sys);
}

static void fall_on_their_sides(void **state)
{
    static const double none[INPUTS] = {[GRIP] = 1};

    (void)state;
    falls_on_its_side(STRUT_CAR, none);
    falls_on_its_side(ILTIS, none);
}

/* ---- iltis ---- */

static void reverses(void **state)
{
    static const double lock = 0.02;
    struct lk_system *sys = make_car(ILTIS, &(struct motion){{-8, 0, 0}, {0, 0, 0}, -8 / 0.364});

    (void)state;
    stays_sensible(sys, &lock, 3000, 1e6);
    assert_true(speed(sys) > -8 && show(sys, "chassis")[0] < -5);
    lk_system_free(sys);
}

/* The rack moves back and forth with its largest rate over its whole travel. */
static void is_thrown_about(void **state)
{
    const double rate = 0.5, end = 0.05;
    struct lk_system *sys = make_car(ILTIS, &(struct motion){{20, 0, 0}, {0, 0, 0}, 20 / 0.364});
    double rack = 0, way = 0.001 * rate, most = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        way = fabs(rack + way) > end ? -way : way;
        rack += way;
        stays_sensible(sys, &rack, 1, 1e6);
        most = fmax(most, fabs(show(sys, "motion")[5]));
    }
    assert_true(most > 0.2);
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_off_stops_and_reverses),
        cmocka_unit_test(spins_its_wheels_on_ice),
        cmocka_unit_test(spins),
        cmocka_unit_test(fall_on_their_sides),
        cmocka_unit_test(reverses),
        cmocka_unit_test(is_thrown_about),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
