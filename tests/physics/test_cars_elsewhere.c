/* SPDX-License-Identifier: Apache-2.0 */
/* strut-car and iltis under changes that must not matter: rotated, ten kilometres away, and
 * mirrored; also the order of their step. test_sedan.c has the same for the sedan. */
#include "car.h"
#include "cmocka_all.h"
#include "sanitized.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/** struct car - a car
 * @steer:  text of its steering drive
 * @moved:  format of its replacement
 * @input:  line of the input
 * @size:   amplitude of its steering
 * @radius: radius of its wheels [m]; 0: the car moves as shipped */
struct car {
    const char *path;
    const char *steer;
    const char *moved;
    const char *input;
    int n_drives;
    int n_inputs;
    double size;
    double radius;
};

static const struct car strut_car = {"config/models/strut-car.yaml",
                                     "{input: steer, period: 0.005}",
                                     "{harmonic: {amplitude: 0.03, omega: 4}}",
                                     "  steer: {type: drive, limits: [-0.5, 0.5], rate: 5}\n",
                                     2,
                                     5,
                                     0.04,
                                     0.3345};
static const struct car iltis = {
    "config/models/iltis.yaml",
    "{input: rack, period: 0.005}",
    "{harmonic: {amplitude: 0.003, omega: 4}}",
    "inputs:\n  rack: {type: drive, limits: [-0.05, 0.05], rate: 0.5}\n",
    1,
    1,
    0.004,
    0};
static const struct car_place here = {.q = {1}};

static struct lk_system *make_car(const struct car *car, const char *text,
                                  const struct car_place *to, double h)
{
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    const struct lk_options options = {.step = h};

    if (lk_model_read_text(car->path, text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    for (int i = 0; i < model->n_bodies && car->radius > 0; i++) {
        model->bodies[i].velocity[0] = 20;
        if (strncmp(model->bodies[i].name, "wheel", 5) == 0)
            model->bodies[i].angular_velocity[1] = 20 / car->radius;
    }
    car_move(to, model);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static void see(const struct lk_system *sys, double x[3], double load[4])
{
    static const char *const tyres[] = {"tyre_fl", "tyre_fr", "tyre_rl", "tyre_rr"};
    double out[256];

    assert_true(lk_system_output_size(sys) <= 256);
    lk_system_outputs(sys, out);
    memcpy(x, out + car_offset(sys, "chassis"), 3 * sizeof(*x));
    for (int i = 0; i < 4; i++)
        load[i] = out[car_offset(sys, tyres[i]) + 2];
}

/* Steer to both sides, and brake a little if there is a brake input. @side: -1: mirrored
 * steering */
static void ride(struct lk_system *sys, const struct car *car, double side)
{
    for (int i = 0; i < 1500 / THINNED; i++) {
        const double inputs[5] = {side * car->size * sin(0.004 * i), 0.1, 1};

        assert_int_equal(lk_system_input_size(sys), car->n_inputs);
        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
}

/* Read a car without a start in equilibrium, because the equilibrium does not determine how far the
 * car rolls. */
static void read_car(const struct car *car, char *text)
{
    car_read(car->path, text);
    if (strstr(text, "start: equilibrium\n") != NULL)
        car_replace(text, "start: equilibrium\n", "");
}

static void is_the_same(const struct car *car, const struct car_place *to)
{
    static char text[CAR_TEXT];
    struct lk_system *a, *b;
    double x[3], moved[3], load[4], other[4], worst = 0;

    read_car(car, text);
    a = make_car(car, text, &here, 0.001);
    b = make_car(car, text, to, 0.001);
    ride(a, car, 1);
    ride(b, car, 1);
    see(a, x, load);
    see(b, moved, other);
    assert_true(SANITIZED || fabs(x[1]) > 0.5); /* sideways motion */
    car_move_point(to, x);
    for (int i = 0; i < 3; i++)
        worst = fmax(worst, fabs(moved[i] - x[i]));
    for (int i = 0; i < 4; i++)
        worst = fmax(worst, fabs(other[i] - load[i]) / 3000);
    print_message("%s, turned %g: %.1e\n", car->path, to->q[3], worst);
    assert_true(worst < 1e-9);
    lk_system_free(a);
    lk_system_free(b);
}

static void do_the_same_elsewhere(void **state)
{
    static const struct car_place turned = {.q = {0.5, 0.5, -0.1, 0.7}};
    static const struct car_place far = {.q = {1}, .shift = {6000, -7000, 4000}};

    (void)state;
    is_the_same(&strut_car, &turned);
    is_the_same(&strut_car, &far);
    is_the_same(&iltis, &turned);
    is_the_same(&iltis, &far);
}

/* A turn to the right is the mirror image of a turn to the left. */
static void turn_alike_to_either_side(void **state)
{
    const struct car *const cars[] = {&strut_car, &iltis};
    static char text[CAR_TEXT];

    (void)state;
    for (int c = 0; c < 2; c++) {
        struct lk_system *a, *b;
        double x[3], y[3], load[4], other[4];

        read_car(cars[c], text);
        a = make_car(cars[c], text, &here, 0.001);
        b = make_car(cars[c], text, &here, 0.001);
        ride(a, cars[c], 1);
        ride(b, cars[c], -1);
        see(a, x, load);
        see(b, y, other);
        assert_true(fabs(x[0] - y[0]) < 1e-9 && fabs(x[1] + y[1]) < 1e-9);
        assert_true(fabs(x[2] - y[2]) < 1e-9);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(load[i] - other[i ^ 1]) < 1e-5);
        lk_system_free(a);
        lk_system_free(b);
    }
}

static void is_of_order_two(const struct car *car)
{
    static const double steady[4] = {0.1, 1};
    static char text[CAR_TEXT];
    double x[3][3], load[4], error[2];

    car_read(car->path, text);
    for (int i = 0; i < car->n_drives; i++)
        car_replace(text, car->steer, car->moved);
    car_replace(text, car->input, "");
    for (int k = 0; k < 3; k++) {
        int n = 500 << k;
        struct lk_system *sys = make_car(car, text, &here, 1.0 / n);

        for (int i = 0; i < n; i++)
            assert_int_equal(lk_system_step(sys, steady), 0);
        see(sys, x[k], load);
        lk_system_free(sys);
    }
    for (int k = 0; k < 2; k++)
        error[k] = fabs(x[k + 1][1] - x[k][1]);
    print_message("%s: order %.2f, %.1e m at 1 ms\n", car->path, log2(error[0] / error[1]),
                  error[1]);
    assert_true(error[0] / error[1] > 3.3 && error[0] / error[1] < 5);
}

static void are_of_order_two(void **state)
{
    (void)state;
    is_of_order_two(&strut_car);
    is_of_order_two(&iltis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(do_the_same_elsewhere),
        cmocka_unit_test(turn_alike_to_either_side),
        cmocka_unit_test(are_of_order_two),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
