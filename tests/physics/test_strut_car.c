/* SPDX-License-Identifier: Apache-2.0 */
/* A whole car compared with a program that shares no code with this one
 * (tests/reference/strut-car): at rest, a step of steer at 25 m/s, braking from this speed, braking
 * to a stand, and standing with blocked wheels on a slope of 0.1 rad. The reference has a moment of
 * inertia about the vertical that no rigid body can have, so the tests set this moment. */
#include "car.h"
#include "cmocka_all.h"
#include "compared.h"
#include "linkage/linkage.h"
#include "maths/vec.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IZZ     1791.6
#define COLUMNS 20

enum column {
    T,
    X,
    Y,
    Z,
    PITCH,
    ROLL,
    YAW,
    VX,
    VY,
    WZ,
    SPIN_FL,
    SPIN_RR,
    FX_FL,
    FY_FL,
    FZ_FL,
    FX_RR,
    FY_RR,
    FZ_RR,
    AX,
    AY
};

/** struct run - one manoeuvre
 * @gravity:    text that replaces that of the model;  @speed: [m/s]
 * @steer:      [rad], from 0.2 s within 0.1 s
 * @brake:      front and rear torque [N m], from 0.2 s within 0.2 s
 * @is_blocked: the wheels are held
 * @h:          step [s]
 * @bounds:     largest differences of lengths [m], angles [rad], velocities [m/s], spins [rad/s],
 *              forces [N] */
struct run {
    const char *name;
    const char *gravity;
    double speed;
    double steer;
    double brake[2];
    int is_blocked;
    double h;
    double bounds[5];
};

/* ---- the model ---- */

static double ramp(double u)
{
    u = fmin(fmax(u, 0), 1);
    return u * u * u * (10 + u * (6 * u - 15));
}

/* Write the steering drive of a manoeuvre as a table with points every 2 ms. */
static void write_steer(const struct run *run, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "{table: {time: [0, 0.1");
    const int points = 51;

    for (int i = 0; i < points; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.4f", 0.2 + 0.002 * i);
    n += (size_t)snprintf(text + n, size - n, ", 0.4, 9], value: [0, 0");
    for (int i = 0; i < points; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.12g", run->steer * ramp(0.02 * i));
    snprintf(text + n, size - n, ", %.12g, %.12g]}}", run->steer, run->steer);
}

static void write_model(const struct run *run, char *text)
{
    char steer[4096], brake[64];

    car_read("config/models/strut-car.yaml", text);
    car_replace(text, "[0, 0, -9.81]", run->gravity);
    write_steer(run, steer, sizeof(steer));
    car_replace(text, "{input: steer, period: 0.005}", steer);
    car_replace(text, "{input: steer, period: 0.005}", steer);
    car_replace(text, "  steer: {type: drive, limits: [-0.5, 0.5], rate: 5}\n", "");
    for (int i = 0; i < 4; i++) {
        snprintf(brake, sizeof(brake), "coulomb: %g,", run->brake[i / 2] + 1e-9);
        car_replace(text, i < 2 ? "coulomb: 900," : "coulomb: 500,", brake);
    }
    for (int i = 0; i < 4 && run->is_blocked; i++)
        car_replace(text, "axis: [0, 1, 0]}\n",
                    "axis: [0, 1, 0], drive: {table: {time: [0, 1], value: [0, 0]}}}\n");
}

/* Return the rate of a wheel that rolls without slip, from its effective radius under its load at
 * rest. */
static double rolling_rate(double load, double speed)
{
    double f = load / 4850;

    return speed / (0.344 - 4850 / 280835.0 * (0.27 * atan(8.4 * f) + 0.07 * f));
}

static struct lk_system *make_car(const struct run *run)
{
    static char text[CAR_TEXT];
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;
    const struct lk_options options = {.step = run->h};

    write_model(run, text);
    if (lk_model_read_text(run->name, text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    model->bodies[0].inertia[2] = IZZ;
    for (int i = 0; i < model->n_bodies; i++) {
        struct lk_body_def *b = &model->bodies[i];

        b->velocity[0] = run->speed;
        if (strncmp(b->name, "wheel", 5) == 0)
            b->angular_velocity[1] = rolling_rate(
                b->position[0] > 0 ? 2926.063323529412 : 2436.5731764705884, run->speed);
    }
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

/* ---- the comparison ---- */

static void take_row(const struct lk_system *sys, double t, double row[COLUMNS])
{
    double *out = calloc((size_t)lk_system_output_size(sys), sizeof(double));
    const double *pose = out + car_offset(sys, "chassis"),
                 *motion = out + car_offset(sys, "motion");
    const double *fl = out + car_offset(sys, "tyre_fl"), *rr = out + car_offset(sys, "tyre_rr");
    double angle[3], R[9];

    assert_non_null(out);
    lk_system_outputs(sys, out);
    car_angles(pose + 3, angle);
    lk_quat_matrix(pose + 3, R);
    row[T] = t;
    memcpy(row + X, pose, 3 * sizeof(double));
    memcpy(row + PITCH, angle, sizeof(angle));
    row[VX] = R[0] * motion[0] + R[3] * motion[1] + R[6] * motion[2]; /* axes of the car */
    row[VY] = R[1] * motion[0] + R[4] * motion[1] + R[7] * motion[2];
    row[WZ] = R[2] * motion[3] + R[5] * motion[4] + R[8] * motion[5];
    row[SPIN_FL] = out[car_offset(sys, "spin_fl")];
    row[SPIN_RR] = out[car_offset(sys, "spin_rr")];
    memcpy(row + FX_FL, fl, 3 * sizeof(double));
    memcpy(row + FX_RR, rr, 3 * sizeof(double));
    free(out);
}

static int bound_of(enum column c)
{
    return c <= Z ? 0 : c <= YAW ? 1 : c <= WZ ? 2 : c <= SPIN_RR ? 3 : 4;
}

static void compare_row(const struct lk_system *sys, const double *reference,
                        struct compared *worst)
{
    double row[COLUMNS];
    char when[32];

    snprintf(when, sizeof(when), "%g s", reference[T]);

    take_row(sys, reference[T], row);
    for (int c = X; c <= FZ_RR; c++)
        compared_see(&worst[c], reference[c], row[c], 1, when);
}

static void advance_to(struct lk_system *sys, double h, double t, int *step)
{
    for (; *step < (int)lround(t / h); ++*step) {
        /* brake and grip, no motor; the value at the middle of the step */
        double inputs[4] = {ramp(((*step + 0.5) * h - 0.2) / 0.2), 1};

        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
}

static void judge(const struct run *run, const struct compared *worst)
{
    static const char *const kinds[5] = {"place [m]", "angle [rad]", "velocity [m/s, rad/s]",
                                         "spin of a wheel [rad/s]", "force of a tyre [N]"};

    for (int kind = 0; kind < 5; kind++) {
        const struct compared *most = NULL;

        for (int c = X; c <= FZ_RR; c++)
            if (bound_of((enum column)c) == kind && (most == NULL || worst[c].off > most->off))
                most = &worst[c];
        compared_say(run->name, kinds[kind], most);
    }
    for (int c = X; c <= FZ_RR; c++)
        if (!(worst[c].off <= run->bounds[bound_of((enum column)c)]))
            fail_msg("%s: column %d is off by %.3g at %s", run->name, c, worst[c].off,
                     worst[c].where);
}

static void drive(const struct run *run)
{
    char path[128];
    struct lk_system *sys = make_car(run);
    struct compared worst[COLUMNS] = {{0}};
    double reference[COLUMNS] = {0};
    int step = 0;
    FILE *file;

    snprintf(path, sizeof(path), "tests/reference/strut-car/%s.csv", run->name);
    file = fopen(path, "r");
    assert_non_null(file);
    car_read_row(file, COLUMNS, reference); /* names of the columns */
    while (car_read_row(file, COLUMNS, reference)) {
        advance_to(sys, run->h, reference[T], &step);
        compare_row(sys, reference, worst);
    }
    fclose(file);
    lk_system_free(sys);
    assert_true(step > 500);
    judge(run, worst);
}

#define LEVEL "[0, 0, -9.81]"

static void stands(void **state)
{
    (void)state;
    drive(&(struct run){"static", LEVEL, .h = 0.001, .bounds = {1e-8, 1e-9, 1e-7, 5e-6, 1e-3}});
}

static void steers(void **state)
{
    (void)state;
    drive(&(struct run){"step", LEVEL, 25, .h = 0.001, .steer = 0.03,
                        .bounds = {2e-3, 1e-3, 3e-3, 1e-2, 15}});
}

static void brakes(void **state)
{
    (void)state;
    drive(&(struct run){"brake", LEVEL, 25, .h = 0.001, .brake = {550, 250},
                        .bounds = {2e-6, 5e-7, 5e-6, 2e-4, 1}});
}

static void stops(void **state)
{
    (void)state;
    drive(&(struct run){"lock", LEVEL, 3, .h = 0.00025, .brake = {900, 500},
                        .bounds = {5e-7, 1e-7, 2e-6, 1e-5, 1}});
}

static void holds_on_a_slope(void **state)
{
    (void)state;
    drive(&(struct run){"slope", "[-0.97936586457149, 0, -9.7609908615477]", .is_blocked = 1,
                        .h = 0.001, .bounds = {5e-7, 3e-7, 5e-5, 1e-12, 1}});
}

/* A turn to the right is the mirror image of a turn to the left, also with braking in the turn,
 * tyre laws and carcasses. */
static void turns_alike_to_either_side(void **state)
{
    struct run run = {"mirror", LEVEL, 25, .h = 0.001, .steer = 0.03, .brake = {300, 200}};
    struct lk_system *left = make_car(&run), *right;
    double a[COLUMNS], b[COLUMNS];
    int step = 0, other = 0;

    (void)state;
    run.steer = -run.steer;
    right = make_car(&run);
    advance_to(left, run.h, 2, &step);
    advance_to(right, run.h, 2, &other);
    take_row(left, 2, a);
    take_row(right, 2, b);
    assert_true(fabs(a[Y]) > 2);
    assert_true(fabs(a[X] - b[X]) < 1e-9 && fabs(a[Y] + b[Y]) < 1e-9 && fabs(a[Z] - b[Z]) < 1e-9);
    assert_true(fabs(a[ROLL] + b[ROLL]) < 1e-10 && fabs(a[YAW] + b[YAW]) < 1e-10);
    lk_system_free(left);
    lk_system_free(right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands),           cmocka_unit_test(steers),
        cmocka_unit_test(brakes),           cmocka_unit_test(stops),
        cmocka_unit_test(holds_on_a_slope), cmocka_unit_test(turns_alike_to_either_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
