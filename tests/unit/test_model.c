/* SPDX-License-Identifier: Apache-2.0 */
/* core/model: what good files mean. What bad ones are told stands in test_model_errors.c. */
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
    assert_string_equal(model->solver.formulation, "ali3");
    assert_true(model->solver.step == 0.001);
    assert_int_equal(model->solver.iterations, 3);
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
    assert_int_equal(model->solver.iterations, 3);
    assert_string_equal(model->solver.formulation, "ali3");
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
             "solver: {step: 1e-2, iterations: 7}\n");

    (void)state;
    assert_true(model->bodies[0].inertia[5] == 0.3 && model->bodies[0].inertia[4] == -0.2);
    assert_true(fabs(model->bodies[0].orientation[2] - 0.8) < 1e-16);
    assert_vector(model->bodies[0].angular_velocity, 0, 0, 5);
    assert_vector(model->joints[0].point[1], 0, 0, 1);
    assert_vector(model->joints[0].axis[0], 0, 0, 1);
    assert_vector(model->joints[0].axis[1], 0, 0.6, 0.8);
    assert_true(model->joints[0].coordinate == 0.5);
    assert_int_equal(model->joints[1].type, LK_JOINT_FIXED);
    assert_true(model->forces[0].rest == -1 && model->forces[0].stiffness == 7);
    assert_vector(model->forces[1].point, 1, 2, 3); /* the centre of mass */
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
    lk_model_free(model);
}

/* A quaternion that was rounded to seven digits is taken and made exact. */
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

static void refuse(const char *text, const char *line)
{
    struct lk_model *model = NULL;
    struct lk_error error = {""};

    assert_int_equal(lk_model_read_text("m", text, strlen(text), &model, &error), LK_E_TEXT);
    assert_string_equal(error.text, line);
    assert_null(model);
}

static void test_shape_of_the_whole(void **state)
{
    (void)state;
    refuse("", "m:1:1: the text is empty, expected a model");
    refuse("# linkage: 1\n", "m:1:1: the text is empty, expected a model");
    refuse(HEAD, "m:1:1: the key 'bodies' is missing, expected at least one body");
    refuse(HEAD "bodies: {}\n", "m:3:9: bodies has no entries, expected at least one body");
    refuse(HEAD "bodies:\n", "m:3:8: bodies is empty, expected a map from names to maps");
    refuse(HEAD "bodies: [b]\n", "m:3:9: bodies is a list, expected a map from names to maps");
    refuse(HEAD "bodies: {b: " BODY "}\noutputs: {o: {type: joint-position, joint: x}}\n",
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
    refuse(text, "m:25:36: unknown body 'lnk17', expected ground, link17, link1, link7, link10, "
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
    refuse(text, "m:4:3: bodies has 4097 entries, expected at most 4096");
}

/* Moments of a turned body: diag(1, 2, 3), which is the edge of the triangle inequality, turned
 * about the x axis by 30 degrees: Iyy and Izz mix to 2.25, 2.75 and Iyz = -sqrt(3)/4. */
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
