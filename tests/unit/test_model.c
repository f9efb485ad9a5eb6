/* SPDX-License-Identifier: Apache-2.0 */
/* core/model: the meaning of valid files. test_model_errors.c has the messages for invalid
 * files. */
#include "model/model.h"
#include "model/reader.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *models; /* directory of the shipped models */

static struct lk_model *read_text(const char *text)
{
    struct lk_model *model = NULL;
    struct lk_error error = {""};

    if (lk_model_read_text("m", text, strlen(text), &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static struct lk_model *read_shipped(const char *file)
{
    struct lk_model *model = NULL;
    struct lk_error error = {""};
    char path[1024];

    snprintf(path, sizeof(path), "%s/%s", models, file);
    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static void assert_vector(const double *v, double x, double y, double z)
{
    assert_true(v[0] == x && v[1] == y && v[2] == z);
}

static void test_four_bar(void **state)
{
    struct lk_model *model = read_shipped("four-bar.yaml");

    (void)state;
    assert_string_equal(lk_model_name(model), "four-bar");
    assert_vector(model->gravity, 0, -9.81, 0);
    assert_int_equal(model->n_bodies, 3);
    assert_string_equal(model->bodies[2].name, "rocker");
    assert_true(model->bodies[0].mass == 1);
    assert_vector(model->bodies[0].inertia, 1, 1, 1);
    assert_vector(model->bodies[0].inertia + 3, 0, 0, 0);
    assert_vector(model->bodies[0].position, 0.35355339059327, 0.35355339059327, 0);
    assert_true(fabs(model->bodies[0].orientation[0] - cos(0.785398163397448 / 2)) < 1e-16);
    assert_true(fabs(model->bodies[0].orientation[3] - sin(0.785398163397448 / 2)) < 1e-16);
    assert_true(model->bodies[1].orientation[0] == 1);
    assert_int_equal(model->n_joints, 4);
    assert_int_equal(model->joints[0].type, LK_JOINT_REVOLUTE);
    assert_int_equal(model->joints[0].body[0], LK_GROUND);
    assert_int_equal(model->joints[0].body[1], 0);
    assert_int_equal(model->joints[3].body[1], LK_GROUND);
    assert_vector(model->joints[3].point[0], 1, 0, 0);
    assert_vector(model->joints[3].point[1], 1, 0, 0);
    assert_vector(model->joints[3].axis[1], 0, 0, 1);
    assert_int_equal(model->n_forces, 1);
    assert_int_equal(model->forces[0].type, LK_FORCE_JOINT_SPRING_DAMPER);
    assert_true(model->forces[0].damping == 0.05);
    assert_int_equal(model->n_inputs, 1);
    assert_int_equal(model->inputs[0].type, LK_INPUT_JOINT_TORQUE);
    assert_int_equal(model->n_outputs, 7);
    assert_int_equal(model->outputs[3].type, LK_OUTPUT_JOINT_REACTION);
    assert_vector(model->outputs[5].point, 1.20710678118655, 0.8, 0);
    assert_int_equal(model->outputs[5].body, 1);
    assert_string_equal(model->solver.formulation, "auto");
    assert_true(model->solver.step == 0.001);
    assert_int_equal(model->solver.iterations, 0);
    assert_int_equal(model->solver.order, 2);
    lk_model_free(model);
}

#define HEAD "linkage: 1\nname: m\n"
#define BODY "{mass: 1, inertia: [1, 1, 1], position: [1, 2, 3]}\n"

static void test_defaults(void **state)
{
    struct lk_model *model = read_text(HEAD "bodies:\n  b: " BODY);

    (void)state;
    assert_vector(model->gravity, 0, 0, 0);
    assert_vector(model->bodies[0].velocity, 0, 0, 0);
    assert_vector(model->bodies[0].angular_velocity, 0, 0, 0);
    assert_true(model->bodies[0].orientation[0] == 1);
    assert_int_equal(model->n_joints + model->n_forces + model->n_inputs + model->n_outputs, 0);
    assert_true(model->solver.step == 0.001);
    assert_int_equal(model->solver.iterations, 0);
    assert_int_equal(model->solver.order, 2);
    assert_string_equal(model->solver.formulation, "auto");
    lk_model_free(model);
}

static void test_every_key(void **state)
{
    struct lk_model *model = read_text(
        HEAD "bodies:\n"
             "  a: {mass: 2, inertia: [2, 3, 4, 0.1, -0.2, 0.3], position: [1, 2, 3],\n"
             "      orientation: {quaternion: [0.6, 0, 0.8, 0]}, velocity: [1, 0, 0],\n"
             "      angular_velocity: [0, 0, 5]}\n"
             "  b: " BODY "joints:\n"
             "  slide: {type: prismatic, bodies: [a, b], points: [[0, 0, 0], [0, 0, 1]],\n"
             "          axes: [[0, 0, 2], [0, 3, 4]], coordinate: 0.5}\n"
             "  weld: {type: fixed, bodies: [b, ground], point: [1, 1, 1]}\n"
             "forces:\n"
             "  s: {type: joint-spring-damper, joint: slide, stiffness: 7, damping: 8, rest: -1}\n"
             "  f: {type: constant-force, body: b, force: [1, 2, 3], frame: body}\n"
             "  t: {type: constant-torque, body: a, torque: [4, 5, 6]}\n"
             "inputs:\n"
             "  i: {type: joint-force, joint: slide}\n"
             "  j: {type: body-force, body: a, point: [9, 9, 9]}\n"
             "  k: {type: body-torque, body: b, frame: body}\n"
             "outputs:\n"
             "  w: {type: work}\n"
             "  v: {type: point-velocity, body: b, point: [0, 0, 1]}\n"
             "solver: {step: 1e-2, iterations: 7, order: 4}\n");

    (void)state;
    assert_true(model->bodies[0].inertia[5] == 0.3 && model->bodies[0].inertia[4] == -0.2);
    assert_true(fabs(model->bodies[0].orientation[2] - 0.8) < 1e-16);
    assert_vector(model->bodies[0].angular_velocity, 0, 0, 5);
    assert_vector(model->joints[0].point[1], 0, 0, 1);
    assert_vector(model->joints[0].axis[0], 0, 0, 1);
    assert_vector(model->joints[0].axis[1], 0, 0.6, 0.8);
    assert_true(model->joints[0].coordinate[0] == 0.5);
    assert_int_equal(model->joints[1].type, LK_JOINT_FIXED);
    assert_true(model->forces[0].rest == -1 && model->forces[0].stiffness == 7);
    assert_vector(model->forces[1].point[0], 1, 2, 3); /* at the centre of mass */
    assert_int_equal(model->forces[1].frame, LK_FRAME_BODY);
    assert_int_equal(model->forces[2].frame, LK_FRAME_WORLD);
    assert_int_equal(model->inputs[0].joint, 0);
    assert_vector(model->inputs[1].point, 9, 9, 9);
    assert_int_equal(model->inputs[2].body, 1);
    assert_int_equal(model->inputs[2].frame, LK_FRAME_BODY);
    assert_int_equal(model->outputs[0].type, LK_OUTPUT_WORK);
    assert_int_equal(model->outputs[1].body, 1);
    assert_true(model->solver.step == 0.01);
    assert_int_equal(model->solver.iterations, 7);
    assert_int_equal(model->solver.order, 4);
    lk_model_free(model);
}

/* A rate in steps per second: the step is the double nearest to 1 / rate, even if no decimal number
 * equals it. */
static void test_rate(void **state)
{
    static const double rates[] = {10, 60, 1024, 3000, 44100, 1e6};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        char text[160];
        struct lk_model *model;

        snprintf(
            text, sizeof(text),
            "linkage: 1\nname: m\nbodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
            "solver: {rate: %g}\n",
            rates[i]);
        model = read_text(text);
        assert_true(model->solver.step == 1 / rates[i]);
        lk_model_free(model);
    }
}

/* A quaternion rounded to seven digits is accepted and normalised. */
static void test_quaternion_is_normalised(void **state)
{
    struct lk_model *model =
        read_text(HEAD "bodies:\n  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0],\n"
                       "      orientation: {quaternion: [0.7071068, 0.7071068, 0, 0]}}\n");
    const double *q = model->bodies[0].orientation;

    (void)state;
    assert_true(fabs(q[0] * q[0] + q[1] * q[1] - 1) < 1e-15);
    lk_model_free(model);
}

static void expect_refusal(const char *text, const char *line)
{
    struct lk_model *model = NULL;
    struct lk_error error = {""};

    assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), LK_E_TEXT);
    assert_string_equal(error.text, line);
    assert_null(model);
}

#define BOX(name) "  " name ": {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
#define TWO       HEAD "bodies:\n" BOX("a") BOX("b") "joints:\n"
#define ON_AB     "bodies: [a, b], point: [0, 0, 0]"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-15;
}

static void assert_near(const double *v, double x, double y, double z)
{
    assert_true(near(v[0], x) && near(v[1], y) && near(v[2], z));
}

static void test_every_joint(void **state)
{
    struct lk_model *model = read_text(
        TWO "  cy: {type: cylindrical, " ON_AB ", axis: [0, 0, 3],\n"
            "       coordinate: {travel: 0.1, angle: 0.2}, start: {angle: -1}}\n"
            "  un: {type: universal, " ON_AB ", axes: [[0, 0, 2], [0, 3, 0.002]]}\n"
            "  pl: {type: planar, " ON_AB ", axis: [0, 0, 1], coordinate: {angle: 3},\n"
            "       start: {x: 4, y: 5}}\n"
            "  sc: {type: screw, " ON_AB ", axis: [1, 0, 0], pitch: -0.002, start: 7}\n"
            "  li: {type: point-on-line, " ON_AB ", axes: [[0, 1, 0], [0, 0, 1]]}\n"
            "  ro: {type: distance, bodies: [a, ground], points: [[0, 0, 0], [0, 3, 4]]}\n"
            "  r2: {type: distance, bodies: [a, b], points: [[0, 0, 0], [0, 3, 4]], length: 5.5}\n"
            "  cv: {type: constant-velocity, " ON_AB ", axes: [[1, 0, 0], [0, 1, 0]]}\n");
    const struct lk_joint_def *j = model->joints;

    (void)state;
    assert_int_equal(j[0].type, LK_JOINT_CYLINDRICAL);
    assert_vector(j[0].axis[1], 0, 0, 1);
    assert_vector(j[0].coordinate, 0.1, 0.2, 0);
    assert_int_equal(j[0].hold, 2);
    assert_vector(j[0].start, 0, -1, 0);
    assert_int_equal(j[1].type, LK_JOINT_UNIVERSAL);
    assert_vector(j[1].axis[0], 0, 0, 1);
    assert_true(fabs(j[1].axis[1][2] - 0.002 / 3) < 1e-9);
    assert_int_equal(j[2].type, LK_JOINT_PLANAR);
    assert_vector(j[2].direction, 1, 0, 0);
    assert_vector(j[2].coordinate, 0, 0, 3);
    assert_int_equal(j[2].hold, 3);
    assert_vector(j[2].start, 4, 5, 0);
    assert_int_equal(j[3].type, LK_JOINT_SCREW);
    assert_true(near(j[3].pitch, -0.001 / M_PI)); /* in m/rad; the file has m per turn */
    assert_true(j[3].hold == 1 && j[3].start[0] == 7);
    assert_int_equal(j[4].type, LK_JOINT_POINT_ON_LINE);
    assert_vector(j[4].axis[0], 0, 1, 0);
    assert_vector(j[4].axis[1], 0, 0, 1);
    assert_int_equal(j[5].type, LK_JOINT_DISTANCE);
    assert_int_equal(j[5].body[1], LK_GROUND);
    assert_vector(j[5].point[1], 0, 3, 4);
    assert_true(j[5].length == 5 && j[6].length == 5.5);
    assert_int_equal(j[7].type, LK_JOINT_CONSTANT_VELOCITY);
    assert_vector(j[7].axis[1], 0, 1, 0);
    assert_true(j[0].joint[0] == -1 && j[0].has_compliance == 0 && model->n_drives == 0);
    lk_model_free(model);
}

/* Direction of coordinate x in a plane: the given direction, or the world's x axis, or its y axis
 * if x is nearly the normal. It is projected onto the plane. */
static void test_direction_of_plane(void **state)
{
    struct lk_model *model =
        read_text(TWO "  given: {type: planar, " ON_AB ", axis: [0, 0, 1], direction: [0, 5, 7]}\n"
                      "  along: {type: planar, " ON_AB ", axis: [-1, 0, 0]}\n"
                      "  steep: {type: planar, " ON_AB ", axis: [0.91, 0.41460824883255762, 0]}\n"
                      "  slope: {type: planar, " ON_AB ", axis: [0.8, 0, 0.6]}\n");
    const struct lk_joint_def *j = model->joints;

    (void)state;
    assert_near(j[0].direction, 0, 1, 0);
    assert_near(j[1].direction, 0, 1, 0);
    assert_near(j[2].direction, -0.41460824883255762, 0.91, 0);
    assert_near(j[3].direction, 0.6, 0, -0.8);
    lk_model_free(model);
}

static void test_couplings(void **state)
{
    struct lk_model *model = read_text(
        TWO "  before: {type: gear, joints: [hinge, {joint: tube, coordinate: angle}], ratio: -2}\n"
            "  hinge: {type: revolute, " ON_AB ", axis: [0, 0, 1]}\n"
            "  tube: {type: cylindrical, " ON_AB ", axis: [0, 0, 1]}\n"
            "  plane: {type: planar, " ON_AB ", axis: [0, 0, 1]}\n"
            "  rack: {type: rack, joints: [tube, {joint: plane, coordinate: y}], radius: 0.3,\n"
            "         compliance: {stiffness: [4], damping: [5]}}\n");
    const struct lk_joint_def *gear = &model->joints[0], *rack = &model->joints[4];

    (void)state;
    assert_int_equal(gear->type, LK_JOINT_GEAR);
    assert_true(gear->joint[0] == 1 && gear->coupled[0] == 0);
    assert_true(gear->joint[1] == 2 && gear->coupled[1] == 1);
    assert_true(gear->ratio == -2 && !gear->has_compliance);
    assert_true(gear->body[0] == LK_GROUND && gear->body[1] == LK_GROUND);
    assert_int_equal(rack->type, LK_JOINT_RACK);
    assert_true(rack->joint[0] == 2 && rack->coupled[0] == 1); /* the default: the only angle */
    assert_true(rack->joint[1] == 3 && rack->coupled[1] == 1);
    assert_true(rack->ratio == 0.3 && rack->has_compliance);
    assert_true(rack->compliance.stiffness[0] == 4 && rack->compliance.damping[0] == 5);
    lk_model_free(model);
}

static void test_compliance(void **state)
{
    struct lk_model *model = read_text(
        TWO "  weld: {type: fixed, " ON_AB ", compliance: {stiffness: [1, 2, 3, 4, 5, 6]}}\n"
            "  ball: {type: spherical, " ON_AB ",\n"
            "         compliance: {stiffness: [0, 0, 0], damping: [7, 8, 9]}}\n");
    const struct lk_joint_def *j = model->joints;

    (void)state;
    assert_true(j[0].has_compliance && j[1].has_compliance);
    assert_vector(j[0].compliance.stiffness, 1, 2, 3);
    assert_vector(j[0].compliance.stiffness + 3, 4, 5, 6);
    assert_vector(j[0].compliance.damping, 0, 0, 0);
    assert_vector(j[1].compliance.stiffness, 0, 0, 0);
    assert_vector(j[1].compliance.damping, 7, 8, 9);
    lk_model_free(model);
}

static void assert_drive(const struct lk_drive_def *drive, enum lk_drive_type type, int joint,
                         int coordinate)
{
    assert_int_equal(drive->type, type);
    assert_int_equal(drive->joint, joint);
    assert_int_equal(drive->coordinate, coordinate);
}

static void test_drives(void **state)
{
    struct lk_model *model = read_text(
        TWO "  hinge: {type: revolute, " ON_AB ", axis: [0, 0, 1],\n"
            "          drive: {input: turn, period: 0.01}}\n"
            "  tube: {type: cylindrical, " ON_AB ", axis: [0, 0, 1],\n"
            "         drive: {angle: {input: turn}, travel: {harmonic: {amplitude: 2, omega: 3,\n"
            "                 phase: 4, offset: 5}}}}\n"
            "  base: {type: fixed, bodies: [ground, a], point: [0, 0, 0],\n"
            "         drive: {yaw: {input: turn}, z: {input: shift}, x: {table: {time: [0, 1, 3],\n"
            "                 value: [1, 5, 1]}, periodic: true}}}\n"
            "  slide: {type: prismatic, " ON_AB ", axis: [0, 0, 1],\n"
            "          drive: {table: {time: [-1, 2], value: [0, 1]}}}\n"
            "inputs:\n  shift: {type: drive}\n  turn: {type: drive}\n"
            "outputs:\n  f: {type: drive-force, joint: base}\n");
    const struct lk_drive_def *d = model->drives;

    (void)state;
    assert_int_equal(model->n_drives, 7);
    assert_drive(&d[0], LK_DRIVE_INPUT, 0, 0);
    assert_true(d[0].input == 1 && d[0].period == 0.01 && d[0].table == -1);
    assert_drive(&d[1], LK_DRIVE_HARMONIC, 1, 0);
    assert_true(d[1].amplitude == 2 && d[1].omega == 3 && d[1].phase == 4 && d[1].offset == 5);
    assert_drive(&d[2], LK_DRIVE_INPUT, 1, 1);
    assert_true(d[2].input == 1 && d[2].period == 0);
    assert_drive(&d[3], LK_DRIVE_TABLE, 2, 0);
    assert_true(d[3].is_periodic && d[3].table == 0 && model->tables[0].n == 3);
    assert_drive(&d[4], LK_DRIVE_INPUT, 2, 2);
    assert_vector(model->tables[0].x, 0, 1, 3);
    assert_vector(model->tables[0].y, 1, 5, 1);
    assert_drive(&d[5], LK_DRIVE_INPUT, 2, 5);
    assert_drive(&d[6], LK_DRIVE_TABLE, 3, 0);
    assert_true(!d[6].is_periodic && d[6].table == 1 && model->n_tables == 2);
    assert_true(model->inputs[0].is_angle == 0 && model->inputs[1].is_angle == 1);
    assert_true(model->outputs[0].joint == 2);
    lk_model_free(model);
}

#define FORCES                                                                                     \
    "  hinge: {type: revolute, " ON_AB ", axis: [0, 0, 1]}\n"                                      \
    "  cross: {type: universal, " ON_AB ", axes: [[0, 0, 1], [0, 1, 0]]}\n"                        \
    "forces:\n"

static void test_springs(void **state)
{
    struct lk_model *model = read_text(
        TWO FORCES
        "  f: {type: joint-spring-damper, joint: cross, coordinate: second, rest: 0.3, damping: "
        "2,\n"
        "      stiffness_table: {deflection: [-1, 1], force: [-4, 4]}}\n"
        "  g: {type: spring-damper, bodies: [ground, b], points: [[0, 0, 0], [1, 2, 3]],\n"
        "      stiffness: 5, damping_table: {rate: [-1, 0, 1], force: [-4, -4, 0]}}\n"
        "  h: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [1, 0, 0]],\n"
        "      rest_length: 0}\n"
        "  i: {type: bushing, bodies: [a, ground], point: [1, 2, 3], stiffness: [1, 2, 3, 4, 5, "
        "6],\n"
        "      damping: [6, 5, 4, 3, 2, 1], orientation: {quaternion: [0, 0, 0, 1]}}\n"
        "outputs:\n"
        "  o: {type: force, force: g}\n");
    const struct lk_force_def *f = model->forces;

    (void)state;
    assert_int_equal(f[0].type, LK_FORCE_JOINT_SPRING_DAMPER);
    assert_true(f[0].joint == 1 && f[0].coordinate == 1 && f[0].rest == 0.3 && f[0].damping == 2);
    assert_true(f[0].stiffness_table == 0 && f[0].damping_table == -1);
    assert_true(model->tables[0].x[0] == -1 && model->tables[0].y[1] == 4);
    assert_int_equal(f[1].type, LK_FORCE_SPRING_DAMPER);
    assert_true(f[1].body[0] == LK_GROUND && f[1].body[1] == 1 && isnan(f[1].rest));
    assert_vector(f[1].point[1], 1, 2, 3);
    assert_true(f[1].stiffness == 5 && f[1].stiffness_table == -1 && f[1].damping_table == 1);
    assert_vector(model->tables[1].y, -4, -4, 0);
    assert_true(f[2].rest == 0);
    assert_int_equal(f[3].type, LK_FORCE_BUSHING);
    assert_true(f[3].body[0] == 0 && f[3].body[1] == LK_GROUND && f[3].orientation[3] == 1);
    assert_vector(f[3].point[0], 1, 2, 3);
    assert_vector(f[3].point[1], 1, 2, 3);
    assert_vector(f[3].compliance.stiffness + 3, 4, 5, 6);
    assert_vector(f[3].compliance.damping, 6, 5, 4);
    assert_int_equal(model->outputs[0].force, 1);
    lk_model_free(model);
}

static void test_friction_stops_and_loads(void **state)
{
    struct lk_model *model = read_text(
        TWO FORCES
        "  f: {type: friction, joint: hinge, coulomb: 3}\n"
        "  g: {type: friction, joint: cross, coordinate: first, coulomb: 3, stick: 4,\n"
        "      stribeck: 0.2, creep: 0.1, damping: 5}\n"
        "  h: {type: stop, joint: hinge, upper: 2, stiffness: 10}\n"
        "  i: {type: stop, joint: hinge, lower: -1, upper: 1, stiffness: 9, damping: 8, onset: 7}\n"
        "  j: {type: harmonic-force, body: b, point: [1, 2, 3], amplitude: [4, 5, 6], omega: 7,\n"
        "      phase: 8, frame: body}\n"
        "  k: {type: harmonic-torque, body: b, amplitude: [4, 5, 6], omega: 7}\n");
    const struct lk_force_def *f = model->forces;

    (void)state;
    assert_int_equal(f[0].type, LK_FORCE_FRICTION);
    assert_true(f[0].coulomb == 3 && f[0].stick == 3 && f[0].stribeck == 0.01);
    assert_true(f[0].creep == 0 && f[0].damping == 0 && f[0].joint == 0);
    assert_true(f[1].joint == 1 && f[1].coordinate == 0 && f[1].stick == 4);
    assert_true(f[1].stribeck == 0.2 && f[1].creep == 0.1 && f[1].damping == 5);
    assert_int_equal(f[2].type, LK_FORCE_STOP);
    assert_true(f[2].lower == -INFINITY && f[2].upper == 2 && f[2].stiffness == 10);
    assert_true(f[2].onset == 0 && f[2].damping == 0);
    assert_true(f[3].lower == -1 && f[3].upper == 1 && f[3].damping == 8 && f[3].onset == 7);
    assert_int_equal(f[4].type, LK_FORCE_HARMONIC_FORCE);
    assert_true(f[4].body[0] == 1 && f[4].omega == 7 && f[4].phase == 8);
    assert_true(f[4].frame == LK_FRAME_BODY);
    assert_vector(f[4].point[0], 1, 2, 3);
    assert_vector(f[4].vector, 4, 5, 6);
    assert_int_equal(f[5].type, LK_FORCE_HARMONIC_TORQUE);
    assert_true(f[5].phase == 0 && f[5].frame == LK_FRAME_WORLD && f[5].joint == -1);
    lk_model_free(model);
}

static void test_wheel_on_rail(void **state)
{
    struct lk_model *model = read_text(
        HEAD "bodies:\n" BOX("a") BOX("b") "joints:\n"
                                           "  wheel: {type: cone-on-rail, bodies: [a, b],\n"
                                           "      points: [[1, 2, 3], [4, 5, 6]],\n"
                                           "      axes: [[2, 0, 0], [0, 0, -3]],\n"
                                           "      half_angle: 0.1, rail_radius: 0.2,\n"
                                           "      wheel_radius: 0.5}\n"
                                           "  blade: {type: skate, bodies: [a, b],\n"
                                           "      point: [1, 2, 3], axis: [0, 2, 0]}\n"
                                           "  disc: {type: rolling, bodies: [a, b],\n"
                                           "      points: [[1, 2, 3], [4, 5, 6]],\n"
                                           "      axes: [[0, 0, 2], [0, 3, 0]],\n"
                                           "      wheel_radius: 0.3}\n"
                                           "forces:\n"
                                           "  free: {type: creep, joint: wheel, lateral: 1,\n"
                                           "      longitudinal: 2, speed: 3}\n"
                                           "  held: {type: creep, joint: wheel, lateral: 1,\n"
                                           "      longitudinal: 2, speed: 3, rail_speed: -4,\n"
                                           "      limit: 5, load: 6, spin: 7,\n"
                                           "      follows_load: true}\n"
                                           "outputs:\n"
                                           "  grip: {type: force, force: held}\n");
    const struct lk_joint_def *j = model->joints;
    const struct lk_force_def *f = model->forces;

    (void)state;
    assert_int_equal(model->joints[1].type, LK_JOINT_SKATE);
    assert_vector(model->joints[1].point[0], 1, 2, 3);
    assert_vector(model->joints[1].point[1], 1, 2, 3);
    assert_vector(model->joints[1].axis[1], 0, 1, 0);
    assert_int_equal(model->joints[2].type, LK_JOINT_ROLLING);
    assert_vector(model->joints[2].point[1], 4, 5, 6);
    assert_vector(model->joints[2].axis[0], 0, 0, 1);
    assert_vector(model->joints[2].axis[1], 0, 1, 0);
    assert_true(model->joints[2].wheel_radius == 0.3 && model->joints[2].length == 0.3);
    assert_int_equal(j->type, LK_JOINT_CONE_ON_RAIL);
    assert_vector(j->point[0], 1, 2, 3);
    assert_vector(j->point[1], 4, 5, 6);
    assert_vector(j->axis[0], 1, 0, 0);
    assert_vector(j->axis[1], 0, 0, -1);
    assert_true(j->half_angle == 0.1 && j->rail_radius == 0.2 && j->wheel_radius == 0.5);
    assert_true(j->length == 0.5 * cos(0.1) + 0.2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f[i].type, LK_FORCE_CREEP);
        assert_true(f[i].joint == 0 && f[i].body[0] == 0 && f[i].body[1] == 1);
        assert_true(f[i].coefficient[0] == 2 && f[i].coefficient[1] == 1 && f[i].speed == 3);
    }
    assert_true(f[0].rail_speed == 0 && f[0].limit == INFINITY);
    assert_true(f[1].rail_speed == -4 && f[1].limit == 5);
    assert_true(f[0].load == 0 && f[0].spin == 0 && !f[0].follows_load);
    assert_true(f[1].load == 6 && f[1].spin == 7 && f[1].follows_load);
    assert_int_equal(model->outputs[0].force, 1);
    lk_model_free(model);
}

static void test_every_channel(void **state)
{
    struct lk_model *model = read_text(
        HEAD "bodies:\n"
             "  a: {mass: 1, inertia: [1, 1, 1], position: [7, 8, 9],\n"
             "      orientation: {quaternion: [0, 1, 0, 0]}}\n" BOX(
                 "b") "joints:\n"
                      "  screw: {type: screw, " ON_AB ", axis: [0, 0, 1], pitch: 1}\n"
                      "  plane: {type: planar, " ON_AB ", axis: [0, 0, 1]}\n"
                      "  cross: {type: universal, " ON_AB ", axes: [[0, 0, 1], [0, 1, 0]]}\n"
                      "inputs:\n"
                      "  a: {type: joint-torque, joint: screw}\n"
                      "  b: {type: joint-torque, joint: plane}\n"
                      "  c: {type: joint-torque, joint: cross, coordinate: second}\n"
                      "  d: {type: joint-force, joint: plane, coordinate: y}\n"
                      "outputs:\n"
                      "  o: {type: joint-acceleration, joint: plane}\n"
                      "  p: {type: body-acceleration, body: b}\n"
                      "  q: {type: point-acceleration, body: b, point: [1, 2, 3]}\n"
                      "  r: {type: inertial-sensor, body: a}\n"
                      "  s: {type: inertial-sensor, body: a, point: [1, 2, 3],\n"
                      "      orientation: {quaternion: [0, 0, 1, 0]}}\n"
                      "  t: {type: condition}\n");
    const struct lk_output_def *o = model->outputs;

    (void)state;
    assert_int_equal(model->inputs[0].coordinate, 0);
    assert_int_equal(model->inputs[1].coordinate, 2); /* the default: the only angle */
    assert_int_equal(model->inputs[2].coordinate, 1);
    assert_int_equal(model->inputs[3].coordinate, 1);
    assert_true(o[0].type == LK_OUTPUT_JOINT_ACCELERATION && o[0].joint == 1 && o[0].body == -1);
    assert_true(o[1].type == LK_OUTPUT_BODY_ACCELERATION && o[1].body == 1 && o[1].force == -1);
    assert_int_equal(o[2].type, LK_OUTPUT_POINT_ACCELERATION);
    assert_vector(o[2].point, 1, 2, 3);
    assert_int_equal(o[3].type, LK_OUTPUT_INERTIAL_SENSOR);
    assert_vector(o[3].point, 7, 8, 9);
    assert_vector(o[3].orientation, 0, 1, 0); /* default: axes of the body */
    assert_vector(o[4].point, 1, 2, 3);
    assert_vector(o[4].orientation, 0, 0, 1);
    assert_int_equal(o[5].type, LK_OUTPUT_CONDITION);
    lk_model_free(model);
}

static void test_solver(void **state)
{
    struct lk_model *model = read_text(HEAD "bodies:\n" BOX("a") "solver: {}\n");

    (void)state;
    assert_int_equal(model->solver.coordinates, LK_COORDINATES_LIE);
    assert_true(model->solver.penalty == 0 && model->solver.soft_redundancy == 0);
    lk_model_free(model);
    model = read_text(HEAD "bodies:\n" BOX(
        "a") "solver: {coordinates: euler-parameters, penalty: 1e7, redundancy: soft}\n");
    assert_int_equal(model->solver.coordinates, LK_COORDINATES_EULER_PARAMETERS);
    assert_true(model->solver.penalty == 1e7 && model->solver.soft_redundancy == 1);
    lk_model_free(model);
}

/* Mass and moments of inertia may be zero, also for a bar oblique to the axes with rounded moments:
 * diag(0, 1, 1) rotated about z by 0.5 rad, in 15 digits. */
static void test_massless_bodies(void **state)
{
    struct lk_model *model =
        read_text(HEAD "bodies:\n"
                       "  none: {mass: 0, inertia: [0, 0, 0], position: [0, 0, 0]}\n"
                       "  point: {mass: 2, inertia: [0, 0, 0], position: [0, 0, 0]}\n"
                       "  bar: {mass: 2, inertia: [3, 0, 3], position: [0, 0, 0]}\n"
                       "  wheel: {mass: 0, inertia: [1, 1, 2], position: [0, 0, 0]}\n"
                       "  askew: {mass: 2, position: [0, 0, 0], inertia: [0.229848847065930,\n"
                       "          0.770151152934070, 1, -0.420735492403948, 0, 0]}\n");

    (void)state;
    assert_true(model->bodies[0].mass == 0 && model->bodies[1].mass == 2);
    assert_vector(model->bodies[1].inertia, 0, 0, 0);
    assert_vector(model->bodies[2].inertia, 3, 0, 3);
    lk_model_free(model);
}

/* The number of tables and drives of a model is limited. */
static void test_bounds_of_drives(void **state)
{
    static char text[200000];
    size_t used = (size_t)snprintf(text, sizeof(text), HEAD "bodies:\n" BOX("a") "joints:\n");

    (void)state;
    for (int i = 0; i <= LK_DRIVES_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "  j%d: {type: revolute, bodies: [ground, a], point: [0, 0, 0], "
                                 "axis: [0, 0, 1],\n    drive: {harmonic: {amplitude: 1, omega: 1}}"
                                 "}\n",
                                 i);
    assert_true(used < sizeof(text) - 1);
    expect_refusal(text, "m:2055:12: there are more than 1024 drives, expected at most that many");
    used = (size_t)snprintf(text, sizeof(text),
                            HEAD "bodies:\n" BOX("a") "joints:\n  j: {type: revolute, bodies: "
                                                      "[ground, a], point: [0, 0, 0], axis: "
                                                      "[0, 0, 1],\n    drive: {table: {time: [0");
    for (int i = 1; i <= LK_POINTS_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, ", %d", i);
    snprintf(text + used, sizeof(text) - used, "], value: [0, 1]}}}\n");
    expect_refusal(text, "m:7:27: time has 4097 entries, expected a list of 2 to 4096 numbers");
}

static void test_shape_of_the_whole(void **state)
{
    (void)state;
    expect_refusal("", "m:1:1: the text is empty, expected a model");
    expect_refusal("# linkage: 1\n", "m:1:1: the text is empty, expected a model");
    expect_refusal(HEAD, "m:1:1: the key 'bodies' is missing, expected at least one body");
    expect_refusal(HEAD "bodies: {}\n", "m:3:9: bodies has no entries, expected at least one body");
    expect_refusal(HEAD "bodies:\n", "m:3:8: bodies is empty, expected a map from names to maps");
    expect_refusal(HEAD "bodies: [b]\n",
                   "m:3:9: bodies is a list, expected a map from names to maps");
    expect_refusal(HEAD "bodies: {b: " BODY "}\noutputs: {o: {type: joint-position, joint: x}}\n",
                   "m:5:44: unknown joint 'x', expected no reference, as there is no joint");
}

static void test_nearest_names_come_first(void **state)
{
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof(text), HEAD "bodies:\n");

    (void)state;
    for (int i = 0; i < 20; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "  link%d: " BODY, i);
    snprintf(text + used, sizeof(text) - used,
             "joints:\n  j: {type: fixed, bodies: [link3, lnk17], point: [0, 0, 0]}\n");
    expect_refusal(text,
                   "m:25:36: unknown body 'lnk17', expected ground, link17, link1, link7, link10, "
                   "link11, link12 or another of 20");
}

static void test_too_many_bodies(void **state)
{
    static char text[400000];
    size_t used = (size_t)snprintf(text, sizeof(text), HEAD "bodies:\n");

    (void)state;
    for (int i = 0; i <= LK_BODIES_MAX; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "  b%d: " BODY, i);
    assert_true(used < sizeof(text) - 1);
    expect_refusal(text, "m:4:3: bodies has 4097 entries, expected at most 4096");
}

/* Principal moments in rotated axes: diag(1, 2, 3), at the limit of the triangle inequality,
 * rotated about x by 30 degrees. Iyy and Izz become 2.25 and 2.75, and Iyz = -sqrt(3)/4. */
static void test_principal_moments(void **state)
{
    const double turned[6] = {1, 2.25, 2.75, 0, 0, -0.433012701892219};
    const double tiny[6] = {3e-12, 2e-12, 4e-12, 1e-14, -2e-14, 3e-14};
    double m[3];

    (void)state;
    lk_principal_moments(turned, m);
    assert_true(fabs(m[0] - 1) < 1e-14 && fabs(m[1] - 2) < 1e-14 && fabs(m[2] - 3) < 1e-14);
    lk_principal_moments(tiny, m);
    assert_true(fabs(m[0] + m[1] + m[2] - 9e-12) < 1e-26);
    assert_true(m[0] <= m[1] && m[1] <= m[2]);
    lk_model_free(read_text(HEAD "bodies:\n  b: {mass: 1, position: [0, 0, 0],\n"
                                 "      inertia: [1, 2.25, 2.75, 0, 0, -0.433012701892219]}\n"));
}

static void test_shipped_models_load(void **state)
{
    DIR *directory = opendir(models);
    int n = 0;

    (void)state;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strstr(entry->d_name, ".yaml") != NULL) {
            lk_model_free(read_shipped(entry->d_name));
            n++;
        }
    }
    closedir(directory);
    assert_true(n >= 9);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_every_joint),
        cmocka_unit_test(test_direction_of_plane),
        cmocka_unit_test(test_couplings),
        cmocka_unit_test(test_compliance),
        cmocka_unit_test(test_drives),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_friction_stops_and_loads),
        cmocka_unit_test(test_wheel_on_rail),
        cmocka_unit_test(test_every_channel),
        cmocka_unit_test(test_solver),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_massless_bodies),
        cmocka_unit_test(test_bounds_of_drives),
        cmocka_unit_test(test_quaternion_is_normalised),
        cmocka_unit_test(test_shape_of_the_whole),
        cmocka_unit_test(test_nearest_names_come_first),
        cmocka_unit_test(test_too_many_bodies),
        cmocka_unit_test(test_principal_moments),
        cmocka_unit_test(test_shipped_models_load),
    };

    if (argc != 2) {
        fprintf(stderr, "usage: test_model DIRECTORY-OF-MODELS\n");
        return 2;
    }
    models = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
