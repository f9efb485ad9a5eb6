/* SPDX-License-Identifier: Apache-2.0 */
/* The car with a driveline, config/models/sedan.yaml: it stays at rest, drives off, steers, brakes
 * to a stand, spins its wheels and falls. Mirrored, rotated or at another place it has the same
 * motion. */
#include "car.h"
#include "cmocka_all.h"
#include "maths/vec.h"
#include "model/model.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL "config/models/sedan.yaml"
#define MASS  1416.36

enum input { STEER, THROTTLE, BRAKE, GRIP, WIND, INPUTS };

static const struct car_place here = {.q = {1}};

/* Set the speed @speed, and the corresponding rate of all parts that rotate with the wheels. */
static void set_off(struct lk_model *m, double speed)
{
    const double spin = speed / 0.3185;

    for (int i = 0; i < m->n_bodies; i++) {
        struct lk_body_def *b = &m->bodies[i];

        b->velocity[0] = speed;
        if (strncmp(b->name, "wheel", 5) == 0 || strncmp(b->name, "flange", 6) == 0 ||
            strncmp(b->name, "shaft", 5) == 0)
            b->angular_velocity[1] = spin;
        else if (strcmp(b->name, "propshaft") == 0)
            b->angular_velocity[0] = 5 * spin;
        else if (strcmp(b->name, "crank") == 0)
            b->angular_velocity[0] = 5 * spin / 0.784;
    }
}

static struct lk_system *make_car(const char *text, const struct car_place *to, double speed,
                                  double h)
{
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    const struct lk_options options = {.step = h};

    if (lk_model_read_text(MODEL, text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    set_off(model, speed);
    car_move(to, model);
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

static void go(struct lk_system *sys, const double inputs[INPUTS], int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, inputs), 0);
}

/* ---- at rest ---- */

/* Although its wheels are free to roll, the car stays where it starts. */
static void stands_where_it_starts(void **state)
{
    static const char *const tyres[] = {"tyre_fl", "tyre_fr", "tyre_rl", "tyre_rr"};
    static const double still[INPUTS] = {[GRIP] = 1};
    static char text[CAR_TEXT];
    struct lk_system *sys;
    double load = 0, x[3], w;

    (void)state;
    car_read(MODEL, text);
    sys = make_car(text, &here, 0, 0.001);
    for (int i = 0; i < 4; i++)
        load += show(sys, tyres[i])[2];
    w = MASS * 9.81;
    assert_true(fabs(load - w) < 1e-3 * w);
    memcpy(x, show(sys, "chassis"), sizeof(x));
    assert_true(fabs(x[2] - 0.55) < 1e-3);
    go(sys, still, 1500 / THINNED);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(show(sys, "chassis")[i] - x[i]) < 1e-6);
    lk_system_free(sys);
}

/* On a slope of 12 % the brakes hold the car without creep: less than 1e-12 m in three seconds. */
static void brakes_hold_on_a_slope(void **state)
{
    static const double hold[INPUTS] = {[GRIP] = 1, [BRAKE] = 1};
    static char text[CAR_TEXT];
    struct lk_system *sys;
    double x[3];

    (void)state;
    car_read(MODEL, text);
    car_replace(text, "[0, 0, -9.81]", "[-1.1688, 0, -9.7401]");
    car_replace(text, "brake: {type: signal, limits: [0, 1], rate: 20}",
                "brake: {type: signal, limits: [0, 1], rate: 20, initial: 1}");
    sys = make_car(text, &here, 0, 0.001);
    go(sys, hold, 2000);
    memcpy(x, show(sys, "chassis"), sizeof(x));
    go(sys, hold, 3000 / THINNED);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(show(sys, "chassis")[i] - x[i]) < 1e-12);
    lk_system_free(sys);
}

/* ---- driving ---- */

/* The engine moves car, wheels and driveline. The half shafts transmit the torque that accelerates
 * the rear wheels and the car: T = I w' + Fx R - My. */
static void drives_off(void **state)
{
    static const double full[INPUTS] = {[GRIP] = 1, [THROTTLE] = 1};
    static char text[CAR_TEXT];
    struct lk_system *sys;
    double v, spin, force, torque, arm, my;
    const double inertia = 0.7795 + 0.005, h = 0.001;

    (void)state;
    car_read(MODEL, text);
    sys = make_car(text, &here, 0, h);
    go(sys, full, 2000);
    spin = show(sys, "spin_rl")[0];
    force = show(sys, "tyre_rl")[0];
    my = show(sys, "tyre_rl")[4];
    torque = show(sys, "half_shaft_l")[0];
    arm = 0.3266 - show(sys, "contact_rl")[3];
    v = show(sys, "motion")[0];
    go(sys, full, 1);
    assert_true(fabs(torque - (inertia * (show(sys, "spin_rl")[0] - spin) / h + force * arm - my)) <
                5e-3 * torque);
    go(sys, full, 999);
    v = show(sys, "motion")[0] - v;
    assert_true(v > 1.5 && v < 4);
    assert_true(fabs(show(sys, "work")[4]) < 1e-6 * show(sys, "energy")[0]);
    assert_true(show(sys, "work")[0] > show(sys, "energy")[0]); /* the difference is friction */
    lk_system_free(sys);
}

/* The brakes slow down all rotating parts, too; engine, drag and tyres contribute. */
static void brakes_and_stands(void **state)
{
    static const double brake[INPUTS] = {[GRIP] = 1, [BRAKE] = 0.5};
    static char text[CAR_TEXT];
    struct lk_system *sys;
    double before, slowing, mass, force;
    const double radius = 0.3185;

    (void)state;
    car_read(MODEL, text);
    sys = make_car(text, &here, 15, 0.001);
    go(sys, brake, 1000);
    before = show(sys, "motion")[0];
    go(sys, brake, 1000);
    slowing = before - show(sys, "motion")[0];
    mass =
        MASS + (4 * 0.7795 + 2 * 0.035 + 25 * (0.05 + 0.2 / (0.784 * 0.784))) / (radius * radius);
    force = 0.5 * 2 * (1500 + 800) / radius + 0.015 * MASS * 9.81 + 0.39 * 12 * 12 +
            5 / 0.784 * 12 / radius; /* brakes, tyres, air, engine */
    assert_true(fabs(slowing - force / mass) < 0.03 * slowing);
    go(sys, brake, 3000);
    assert_true(fabs(show(sys, "motion")[0]) < 1e-3);
    assert_true(show(sys, "chassis")[0] > 20 && show(sys, "chassis")[0] < 25);
    lk_system_free(sys);
}

/* ---- unusual driving ---- */

/* Step the car and check that forces are finite and within the friction limit, and that the energy
 * balance is closed. @most: bound of the energy [J] */
static void stays_sensible(struct lk_system *sys, const double inputs[INPUTS], int steps,
                           double most)
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
            assert_true(hypot(f[0], f[1]) <= 1.1 * f[2] + 100);
        }
    }
    assert_true(fabs(show(sys, "work")[4]) < 1e-3 * most);
}

static void spins_on_ice(void **state)
{
    static const double ice[INPUTS] = {[GRIP] = 0.1, [THROTTLE] = 1};
    static char text[CAR_TEXT];
    struct lk_system *sys;

    (void)state;
    car_read(MODEL, text);
    sys = make_car(text, &here, 0, 0.001);
    stays_sensible(sys, ice, 2000, 1e6);
    assert_true(show(sys, "spin_rl")[0] * 0.3185 > 3 * show(sys, "motion")[0]);
    assert_true(show(sys, "engine_speed")[0] < 740); /* the map limits the speed */
    lk_system_free(sys);
}

static void rolls_backwards_and_stops(void **state)
{
    static const double roll[INPUTS] = {[GRIP] = 1}, brake[INPUTS] = {[GRIP] = 1, [BRAKE] = 1};
    static char text[CAR_TEXT];
    struct lk_system *sys;
    double x;

    (void)state;
    car_read(MODEL, text);
    sys = make_car(text, &here, -5, 0.001);
    stays_sensible(sys, roll, 500, 1e6);
    assert_true(show(sys, "motion")[0] < -4);
    stays_sensible(sys, brake, 3000, 1e6);
    x = show(sys, "chassis")[0];
    go(sys, brake, 500);
    assert_true(fabs(show(sys, "chassis")[0] - x) < 5e-4 && x < -2);
    lk_system_free(sys);
}

/* The car is thrown sideways and rolls: a rigid motion about the centre of mass of the chassis. */
static void falls_on_its_side(void **state)
{
    static const double none[INPUTS] = {[GRIP] = 1};
    static char text[CAR_TEXT];
    const double w[3] = {5, 0, 2}, v[3] = {10, -6, 1.5};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    const struct lk_options options = {.step = 0.001};
    double upright = 1;

    (void)state;
    car_read(MODEL, text);
    car_replace(text, "start: equilibrium\n", "");
    assert_int_equal(lk_model_read_text(MODEL, text, strlen(text), &model, &error), 0);
    for (int i = 0; i < model->n_bodies; i++) {
        struct lk_body_def *b = &model->bodies[i];
        double arm[3];

        lk_sub(b->position, model->bodies[0].position, arm);
        lk_cross(w, arm, b->velocity);
        for (int k = 0; k < 3; k++)
            b->velocity[k] += v[k];
        memcpy(b->angular_velocity, w, sizeof(w));
    }
    assert_int_equal(lk_system_new(model, &options, &sys, &error), 0);
    lk_model_free(model);
    for (int i = 0; i < 15; i++) {
        const double *q;

        stays_sensible(sys, none, 100, 1e6);
        q = show(sys, "chassis") + 3;
        upright = fmin(upright, 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    }
    assert_true(upright < 0.1); /* the car has been on its side or its roof */
    lk_system_free(sys);
}

/* ---- at other places ---- */

/* Drive with throttle, steering and wind for 1.5 s. */
static void manoeuvre(struct lk_system *sys)
{
    for (int i = 0; i < 1500; i++) {
        const double inputs[INPUTS] = {0.6 * sin(0.004 * i), 0.5, 0, 1, 10};

        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
}

static void is_the_same(const struct car_place *to, double bound)
{
    static const char *const names[] = {"spin_fl", "spin_rr", "half_shaft_l", "rack",
                                        "steering_torque"};
    static char text[CAR_TEXT];
    struct lk_system *a, *b;
    double x[3], worst = 0;

    car_read(MODEL, text);
    car_replace(text, "start: equilibrium\n", ""); /* the equilibrium leaves rolling free */
    a = make_car(text, &here, 20, 0.001);
    b = make_car(text, to, 20, 0.001);
    manoeuvre(a);
    manoeuvre(b);
    memcpy(x, show(a, "chassis"), sizeof(x));
    assert_true(fabs(x[1]) > 0.5); /* sideways motion */
    car_move_point(to, x);
    for (int i = 0; i < 3; i++)
        worst = fmax(worst, fabs(show(b, "chassis")[i] - x[i]));
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        double value = show(a, names[i])[0];

        worst = fmax(worst, fabs(show(b, names[i])[0] - value) / fmax(fabs(value), 10));
    }
    print_message("mirrored %d, turned %g: %.1e\n", to->is_mirrored, to->q[3], worst);
    assert_true(worst < bound);
    lk_system_free(a);
    lk_system_free(b);
}

static void does_the_same_elsewhere(void **state)
{
    static const struct car_place mirrored = {.q = {1}, .is_mirrored = 1};
    static const struct car_place turned = {.q = {0.5, 0.5, -0.1, 0.7}};
    static const struct car_place far = {.q = {1}, .shift = {6000, -7000, 4000}};

    (void)state;
    is_the_same(&mirrored, 1e-9);
    is_the_same(&turned, 1e-9);
    is_the_same(&far, 1e-9);
}

/* ---- order ---- */

static void is_of_order_two(void **state)
{
    static const double steady[INPUTS - 1] = {0.3, 0, 1, 0};
    static char text[CAR_TEXT];
    double x[4][3], error[2];

    (void)state;
    car_read(MODEL, text);
    car_replace(text, "drive: {input: steer, period: 0.005}",
                "drive: {harmonic: {amplitude: 0.5, omega: 4}}");
    car_replace(text, "  steer: {type: drive, limits: [-8, 8], rate: 20}\n", "");
    for (int k = 0; k < 3; k++) {
        int n = 500 << k;
        struct lk_system *sys = make_car(text, &here, 20, 1.0 / n);

        for (int i = 0; i < n; i++)
            assert_int_equal(lk_system_step(sys, steady), 0);
        memcpy(x[k], show(sys, "chassis"), sizeof(x[k]));
        lk_system_free(sys);
    }
    for (int k = 0; k < 2; k++)
        error[k] = fabs(x[k + 1][1] - x[k][1]);
    print_message("order: %.2f, %.1e m at 1 ms\n", log2(error[0] / error[1]), error[1]);
    assert_true(error[0] / error[1] > 3.3 && error[0] / error[1] < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_where_it_starts),
        cmocka_unit_test(brakes_hold_on_a_slope),
        cmocka_unit_test(drives_off),
        cmocka_unit_test(brakes_and_stands),
        cmocka_unit_test(spins_on_ice),
        cmocka_unit_test(rolls_backwards_and_stops),
        cmocka_unit_test(falls_on_its_side),
        cmocka_unit_test(does_the_same_elsewhere),
        cmocka_unit_test(is_of_order_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
