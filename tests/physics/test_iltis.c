/* SPDX-License-Identifier: Apache-2.0 */
/* The Iltis of the IAVSD benchmark: its published static equilibrium, and whole runs with ramps and
 * a sine of the rack and over bumps that lift its wheels. They are compared with a program with ten
 * coordinates that shares no code with this one (tests/reference/iltis). Its eigenvalues:
 * test_iltis_modes.c. */
#include "car.h"
#include "cmocka_all.h"
#include "compared.h"
#include "linkage/linkage.h"
#include "maths/vec.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MODEL     "config/models/iltis.yaml"
#define WHEELS    4
#define DRIVE     "{input: rack, period: 0.005}"
#define STILL     "{harmonic: {amplitude: 0, omega: 1}}"
#define BUMP      0.1 /* height above and below the road [m] */
#define BUMP_FROM 0.97
#define BUMP_LONG 5.0

enum column { T, X, Y, Z, PITCH, ROLL, YAW, LOAD, COLUMNS = LOAD + WHEELS };

static const char *const corners[WHEELS] = {"fl", "fr", "rl", "rr"};

/** struct run - one manoeuvre
 * @rack:   drive of the rack
 * @swing:  initial rate of the rack [m/s];  @speed: [m/s]
 * @bump:   height above and below each track [m]
 * @bounds: largest differences of metres and radians, and of loads [N] */
struct run {
    const char *name;
    const char *rack;
    double swing;
    double speed;
    double bump[2];
    double bounds[2];
};

/* ---- the model ---- */

/* Write a ramp of the rack with 4 mm/s to 2 mm. Its points are close where the rate jumps. */
static void write_ramp(char *text, size_t size)
{
    static const double later[] = {0.4995, 0.4998, 0.5,   0.5002, 0.5005, 0.501, 0.502,
                                   0.504,  0.506,  0.508, 0.51,   0.514,  0.518, 0.522,
                                   0.53,   0.54,   0.56,  0.6,    0.7,    0.8,   0.9,
                                   1,      1.5,    2,     3,      4,      5,     6};
    const int even = 249, n_later = sizeof(later) / sizeof(*later);
    size_t n = (size_t)snprintf(text, size, "{table: {time: [0, 0.001");

    for (int i = 1; i <= even; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.3f", 0.002 * i);
    for (int i = 0; i < n_later; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.4f", later[i]);
    n += (size_t)snprintf(text + n, size - n, "], value: [0, 4e-6");
    for (int i = 1; i <= even; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.6g", 8e-6 * i);
    for (int i = 0; i < n_later; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.7g", fmin(4e-3 * later[i], 2e-3));
    snprintf(text + n, size - n, "]}}");
}

static void write_track(double height, char *text, size_t size)
{
    const int points = 501;
    size_t n = (size_t)snprintf(text, size, "{distance: [0");

    for (int i = 1; i < points; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.2f", 0.01 * i);
    n += (size_t)snprintf(text + n, size - n, "], height: [0");
    for (int i = 1; i < points; i++)
        n += (size_t)snprintf(text + n, size - n, ", %.12g",
                              height * (1 - cos(2 * M_PI * 0.01 * i / BUMP_LONG)));
    snprintf(text + n, size - n, "]}");
}

static void write_road(const struct run *run, char *text)
{
    static char track[2][1 << 14], road[1 << 16];

    write_track(run->bump[0], track[0], sizeof(track[0]));
    write_track(run->bump[1], track[1], sizeof(track[1]));
    snprintf(road, sizeof(road), "{type: profile, point: [%g, 0, 0], left: %s,\n    right: %s}",
             BUMP_FROM, track[0], track[1]);
    car_replace(text, "{type: plane}", road);
}

static void write_spin(char *text, const char *rate, double speed, double radius)
{
    char to[64];

    snprintf(to, sizeof(to), "{ramp: {rate: %.17g} }", speed / radius);
    for (int i = 0; i < 2; i++)
        car_replace(text, rate, to);
}

static void write_model(const struct run *run, char *text)
{
    static char ramp[1 << 14];

    car_read(MODEL, text);
    write_ramp(ramp, sizeof(ramp));
    car_replace(text, DRIVE, run->rack ? run->rack : ramp);
    car_replace(text, "inputs:\n  rack: {type: drive, limits: [-0.05, 0.05], rate: 0.5}\n", "");
    write_spin(text, "{ramp: {rate: 54.8960406}}", run->speed, 0.364325);
    write_spin(text, "{ramp: {rate: 54.9734478}}", run->speed, 0.363812);
    if (run->bump[0] != 0)
        write_road(run, text);
}

static const struct lk_joint_def *joint_of(const struct lk_model *m, const char *kind,
                                           const char *corner)
{
    char name[32];

    snprintf(name, sizeof(name), "%s_%s", kind, corner);
    for (int i = 0; i < m->n_joints; i++)
        if (strcmp(m->joints[i].name, name) == 0)
            return &m->joints[i];
    fail_msg("no joint '%s'", name);
    return NULL;
}

/* The rack already moves at the start. Set the velocities of hub and wheel so that they rotate
 * about the kingpin as the rod requires; otherwise the car would get an impulse. */
static void swing_wheel(struct lk_model *m, const char *corner, double rate)
{
    const struct lk_joint_def *pin = joint_of(m, "kingpin", corner);
    const struct lk_joint_def *rod = joint_of(m, "rod", corner);
    const struct lk_joint_def *axle = joint_of(m, "axle", corner);
    double u[3], arm[3], along[3], way[3], k;

    lk_sub(rod->point[1], pin->point[0], arm);
    lk_sub(rod->point[1], rod->point[0], along);
    k = 1 / lk_norm(pin->axis[0]);
    for (int i = 0; i < 3; i++)
        u[i] = k * pin->axis[0][i];
    lk_cross(u, arm, way);
    k = rate * along[1] / lk_dot(way, along);
    for (int side = 0; side < 2; side++) {
        struct lk_body_def *b = &m->bodies[axle->body[side]];

        lk_sub(b->position, pin->point[0], arm);
        lk_cross(u, arm, way);
        for (int i = 0; i < 3; i++) {
            b->velocity[i] += k * way[i];
            b->angular_velocity[i] += k * u[i];
        }
    }
}

static void set_speed(const struct run *run, struct lk_model *m)
{
    for (int i = 0; i < m->n_bodies; i++) {
        struct lk_body_def *b = &m->bodies[i];

        b->angular_velocity[1] *= run->speed / b->velocity[0];
        b->velocity[0] = run->speed;
    }
    for (int c = 0; c < 2; c++)
        swing_wheel(m, corners[c], run->swing);
}

static struct lk_system *compile(const char *text, double h, const struct run *run)
{
    const struct lk_options options = {.step = h};
    struct lk_model *model;
    struct lk_system *sys;
    struct lk_error error;

    if (lk_model_read_text("iltis", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    set_speed(run, model);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return sys;
}

static struct lk_system *make_car(const struct run *run)
{
    static char text[CAR_TEXT];

    write_model(run, text);
    return compile(text, 0.001, run);
}

/* ---- whole runs ---- */

static void take_row(const struct lk_system *sys, double row[COLUMNS])
{
    double *out = calloc((size_t)lk_system_output_size(sys), sizeof(double));
    const double *pose = out + car_offset(sys, "chassis");

    assert_non_null(out);
    lk_system_outputs(sys, out);
    memcpy(row + X, pose, 3 * sizeof(double));
    car_angles(pose + 3, row + PITCH);
    for (int i = 0; i < WHEELS; i++) {
        char name[16];

        snprintf(name, sizeof(name), "tyre_%s", corners[i]);
        row[LOAD + i] = out[car_offset(sys, name) + 2];
    }
    free(out);
}

/* Compare the present outputs with a row of the reference.
 * @from:  x of the start, which the equilibrium of the car does not depend on
 * @worst: largest difference of each column */
static void compare_row(const struct lk_system *sys, const double *reference, double from,
                        struct compared worst[COLUMNS])
{
    double row[COLUMNS];
    char when[32];

    take_row(sys, row);
    row[X] -= from;
    snprintf(when, sizeof(when), "%g s", reference[T]);
    for (int c = X; c < COLUMNS; c++)
        compared_see(&worst[c], reference[c], row[c], 1, when);
}

/* Judge groups of columns, each with its own bound: positions, angles, loads. */
static void judge(const struct run *run, const struct compared worst[COLUMNS])
{
    static const struct {
        const char *name;
        int from, to, bound;
    } groups[] = {{"place [m]", X, Z, 0},
                  {"angle [rad]", PITCH, YAW, 0},
                  {"load of a wheel [N]", LOAD, COLUMNS - 1, 1}};

    for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
        const struct compared *most = &worst[groups[g].from];

        for (int c = groups[g].from; c <= groups[g].to; c++)
            most = worst[c].off > most->off ? &worst[c] : most;
        compared_say(run->name, groups[g].name, most);
        for (int c = groups[g].from; c <= groups[g].to; c++)
            if (!(worst[c].off <= run->bounds[groups[g].bound]))
                fail_msg("%s: column %d off by %.3g at %s", run->name, c, worst[c].off,
                         worst[c].where);
    }
}

static void drive(const struct run *run)
{
    struct lk_system *sys = make_car(run);
    struct compared worst[COLUMNS] = {{0}};
    double reference[COLUMNS] = {0}, row[COLUMNS];
    char path[128];
    int step = 0, rows = 0;
    FILE *file;

    snprintf(path, sizeof(path), "tests/reference/iltis/%s.csv", run->name);
    file = fopen(path, "r");
    assert_non_null(file);
    car_read_row(file, COLUMNS, reference); /* names of the columns */
    take_row(sys, row);
    while (car_read_row(file, COLUMNS, reference)) {
        for (; step < (int)lround(reference[T] / 0.001); step++)
            assert_int_equal(lk_system_step(sys, NULL), 0);
        compare_row(sys, reference, row[X], worst);
        rows++;
    }
    fclose(file);
    lk_system_free(sys);
    assert_true(rows > 20);
    judge(run, worst);
}

static void steers_by_a_ramp(void **state)
{
    (void)state;
    drive(&(struct run){"ramp-10", NULL, 0, 10, .bounds = {2e-4, 1}});
    drive(&(struct run){"ramp-20", NULL, 0, 20, .bounds = {2e-4, 1}});
}

static void steers_by_a_sine(void **state)
{
    static const char sine[] = "{harmonic: {amplitude: 0.002, omega: 6.283185307179586}}";

    (void)state;
    drive(&(struct run){"sine-2", sine, 0.002 * 2 * M_PI, 20, .bounds = {2e-4, 2}});
}

static void flies_over_bumps(void **state)
{
    (void)state;
    drive(&(struct run){"bump", STILL, 0, 10, {BUMP, BUMP}, {2e-3, 1500}});
    drive(&(struct run){"bump-and-hole", STILL, 0, 10, {BUMP, -BUMP}, {2e-3, 1500}});
}

/* ---- static equilibrium ---- */

static double output(const struct lk_system *sys, const double *out, const char *kind,
                     const char *corner)
{
    char name[32];

    snprintf(name, sizeof(name), "%s_%s", kind, corner);
    return out[car_offset(sys, name)];
}

/* Return the force of the leaf spring, computed from its moment about the hinge of the link. */
static double leaf_force(const struct lk_system *sys, const double *out, const char *corner)
{
    const double along = 0.488 - 0.1585, up = 0.531 - 0.6;
    double angle = atan2(up, along) + output(sys, out, "lift", corner);

    return output(sys, out, "leaf", corner) / (hypot(along, up) * cos(angle));
}

static void is_near(const char *what, double ours, double published, double bound)
{
    compared_one("at rest", what, published, ours);
    assert_true(fabs(ours - published) < bound);
}

/* Road force at the contact, no side force: heights within 1e-6 m, forces within 0.01 N. */
static void rests_as_published(void **state)
{
    static const double shocks[2] = {-335.317, -241.653}, leaves[2] = {-3068.685, -2885.538};
    static const double loads[2] = {3831.3157, 3591.9114};
    static const char *const ends[2][3] = {
        {"load, front [N]", "shock, front [N]", "leaf, front [N]"},
        {"load, rear [N]", "shock, rear [N]", "leaf, rear [N]"}};
    struct lk_system *sys = make_car(&(struct run){"rest", STILL, 0, 20});
    double *out = calloc((size_t)lk_system_output_size(sys), sizeof(double)), row[COLUMNS];

    (void)state;
    lk_system_outputs(sys, out);
    take_row(sys, row);
    is_near("height against the drawing [m]", row[Z] - 0.57, -7.08464e-3, 1e-6);
    is_near("roll [rad]", row[ROLL], 0, 1e-9);
    is_near("pitch [deg]", row[PITCH] * 180 / M_PI, 0.146565, 5e-6);
    for (int i = 0; i < WHEELS; i++) {
        is_near(ends[i / 2][0], row[LOAD + i], loads[i / 2], 0.01);
        is_near(ends[i / 2][1], output(sys, out, "shock", corners[i]), shocks[i / 2], 0.01);
        is_near(ends[i / 2][2], leaf_force(sys, out, corners[i]), leaves[i / 2], 0.01);
    }
    free(out);
    lk_system_free(sys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rests_as_published),
        cmocka_unit_test(steers_by_a_ramp),
        cmocka_unit_test(steers_by_a_sine),
        cmocka_unit_test(flies_over_bumps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
