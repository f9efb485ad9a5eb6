/* SPDX-License-Identifier: Apache-2.0 */
/* linkage/parameters.h: paths of numbers, numbers set from outside, the section `parameters`, and
 * the list of numbers. A number set from outside has the same effect as one written in the file. */
#include "../skip.h"
#include "linkage/parameters.h"
#include "model/model.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "linkage: 1\nname: m\ngravity: [0, 0, -9.81]\nbodies:\n"                                       \
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"                                 \
    "  leg: {mass: 2, inertia: [1, 1, 1], position: [0, 0, -2]}\n"                                 \
    "joints:\n  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0]}\n" \
    "  rail: {type: prismatic, bodies: [ground, leg], point: [0, 0, 0], axis: [1, 0, 0]}\n"        \
    "forces:\n  coil: {type: joint-spring-damper, joint: rail, stiffness: 100}\n"                  \
    "  drag: {type: friction, joint: pin, coulomb: 1}\n"

static int try_read(const char *text, const struct lk_setting *settings, int n,
                    struct lk_model **ret, struct lk_errors *errors)
{
    *ret = NULL;
    errors->n = 0;
    return lk_model_read_text_with(NULL, "m.yaml", text, strlen(text), settings, n, ret, errors);
}

static struct lk_model *read_with(const char *text, const struct lk_setting *settings, int n)
{
    struct lk_model *model;
    struct lk_errors errors;

    if (try_read(text, settings, n, &model, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    return model;
}

static void refuse(const char *text, const char *path, double value, const char *words)
{
    struct lk_setting setting = {path, value};
    struct lk_model *model;
    struct lk_errors errors;

    assert_int_equal(try_read(text, &setting, path != NULL, &model, &errors), LK_E_TEXT);
    assert_int_equal(errors.n, 1);
    if (strstr(errors.line[0].text, words) == NULL)
        fail_msg("'%s' lacks '%s'", errors.line[0].text, words);
}

static void test_as_if_written(void **state)
{
    static const struct lk_setting settings[] = {
        {"bodies.arm.mass", 0.1 + 0.2}, {"gravity.3", -1.625},           {"solver.step", 0.002},
        {"forces.coil.rest", -0.25},    {"forces.coil.stiffness", 1e15}, {"joints.pin.start", 0.5}};
    struct lk_model *model = read_with(HEAD, settings, 6);

    (void)state;
    assert_true(model->bodies[0].mass == 0.1 + 0.2);
    assert_true(model->gravity[2] == -1.625);
    assert_true(model->solver.step == 0.002);
    assert_true(model->forces[0].rest == -0.25);
    assert_true(model->forces[0].stiffness == 1e15);
    assert_true(model->joints[0].start[0] == 0.5);
    lk_model_free(model);
}

/* The hash of the model, with which a saved state is checked: equal for a number that is written
 * and one that is set, in any order. */
static void test_hash(void **state)
{
    static const struct lk_setting both[] = {{"bodies.arm.mass", 3}, {"bodies.leg.mass", 4}};
    static const struct lk_setting turned[] = {{"bodies.leg.mass", 4}, {"bodies.arm.mass", 3}};
    static const struct lk_setting same[] = {{"bodies.arm.mass", 1}};
    struct lk_model *plain = read_with(HEAD, NULL, 0), *a = read_with(HEAD, both, 2),
                    *b = read_with(HEAD, turned, 2), *c = read_with(HEAD, same, 1);

    (void)state;
    assert_true(a->hash == b->hash);
    assert_true(a->hash != plain->hash);
    assert_true(c->hash == plain->hash);
    lk_model_free(plain);
    lk_model_free(a);
    lk_model_free(b);
    lk_model_free(c);
}

static void test_refused_paths(void **state)
{
    char long_path[400];

    (void)state;
    refuse(HEAD, "bodies.amr.mass", 1, "did you mean 'arm'");
    refuse(HEAD, "bodies.nothing.mass", 1, "expected one of arm, leg");
    refuse(HEAD, "bodis.arm.mass", 1, "did you mean 'bodies'");
    refuse(HEAD, "bodies.arm.mas", 1, "did you mean 'mass'");
    refuse(HEAD, "bodies.arm.mass", -1, "(parameter bodies.arm.mass = -1)");
    refuse(HEAD, "bodies.arm.mass", NAN, "expected a finite number");
    refuse(HEAD, "bodies.arm.mass.1", 1, "nothing below '1'");
    refuse(HEAD, "bodies.arm", 1, "is a map");
    refuse(HEAD, "gravity", 1, "there is no parameter 'gravity'");
    refuse(HEAD, "gravity.0", 1, "expected 1 to 3");
    refuse(HEAD, "gravity.4", 1, "expected 1 to 3");
    refuse(HEAD, "gravity.99999999999999999999", 1, "expected 1 to 3");
    refuse(HEAD, "forces.coil.type", 1, "there stands 'joint-spring-damper'");
    refuse(HEAD, "linkage", 2, "there is no parameter");
    refuse(HEAD, "bodies..mass", 2, "expected a path");
    refuse(HEAD, "", 2, "expected a path");
    refuse(HEAD, "solver.stpe", 1, "did you mean 'step'");
    refuse(HEAD, "forces.coil.stiffness\n", 1, "expected a path");
    memset(long_path, 'a', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    refuse(HEAD, long_path, 1, "expected a path");
    refuse("", "bodies.arm.mass", 1, "the text is empty");
    refuse("[1, 2]", "bodies.arm.mass", 1, "a model");
}

static void test_twice(void **state)
{
    static const struct lk_setting twice[] = {{"gravity.3", 1}, {"gravity.3", 1}};
    struct lk_setting *many = calloc(LK_SETTINGS_MAX + 1, sizeof(*many));
    struct lk_model *model;
    struct lk_errors errors;

    (void)state;
    assert_int_equal(try_read(HEAD, twice, 2, &model, &errors), LK_E_TEXT);
    assert_non_null(strstr(errors.line[0].text, "given twice"));
    for (int i = 0; i <= LK_SETTINGS_MAX; i++)
        many[i].path = "gravity.3";
    assert_int_equal(try_read(HEAD, many, LK_SETTINGS_MAX + 1, &model, &errors), LK_E_TEXT);
    assert_non_null(strstr(errors.line[0].text, "at most 256"));
    free(many);
}

#define NAMED                                                                                      \
    HEAD "parameters:\n  load: {acts: [bodies.arm.mass, bodies.leg.mass], value: 5, unit: kg, "    \
         "limits: [1, 9]}\n  rate: {acts: forces.coil.stiffness}\n"

static void test_section(void **state)
{
    static const struct lk_setting settings[] = {{"load", 7}, {"forces.coil.stiffness", 50}};
    const struct lk_parameter *list;
    struct lk_model *model = read_with(NAMED, NULL, 0);
    int n;

    (void)state;
    assert_true(model->bodies[0].mass == 5 && model->bodies[1].mass == 5);
    list = lk_model_parameters(model, &n);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].name, "load");
    assert_string_equal(list[0].acts, "bodies.arm.mass bodies.leg.mass");
    assert_true(list[0].value == 5 && list[0].low == 1 && list[0].high == 9);
    assert_true(list[1].value == 100 && isinf(list[1].low));
    assert_string_equal(list[1].unit, "N/m");
    lk_model_free(model);

    model = read_with(NAMED, settings, 2);
    list = lk_model_parameters(model, &n);
    assert_true(model->bodies[1].mass == 7 && model->forces[0].stiffness == 50);
    assert_true(list[1].value == 50);
    lk_model_free(model);

    refuse(NAMED, "load", 10, "parameter load is 10, expected 1 to 9");
    refuse(NAMED, "lod", 2, "did you mean 'load'");
    refuse(NAMED, "bodies.arm.mass", 2, "'load' acts there and elsewhere");
}

static void test_section_refused(void **state)
{
    (void)state;
    refuse(HEAD "parameters:\n  p: {acts: bodies.amr.mass}\n", NULL, 0, "did you mean 'arm'");
    refuse(HEAD "parameters:\n  p: {acts: bodies}\n", NULL, 0, "expected a path");
    refuse(HEAD "parameters:\n  p: {acts: []}\n", NULL, 0, "expected 1 to 64 paths");
    refuse(HEAD "parameters:\n  p: {limits: [0, 1]}\n", NULL, 0, "expected 1 to 64 paths");
    refuse(HEAD "parameters:\n  p: {acts: parameters.p.value}\n", NULL, 0, "expected a path");
    refuse(HEAD "parameters:\n  p: {acts: [bodies.arm.mass, bodies.leg.mass]}\n", NULL, 0,
           "expected a value of the parameter");
    refuse(HEAD "parameters:\n  p: {acts: forces.coil.rest}\n", NULL, 0,
           "there is no number at forces.coil.rest");
    refuse(HEAD "parameters:\n  p: {acts: bodies.arm.mass, unit: N}\n", NULL, 0,
           "bodies.arm.mass is in kg and the parameter in N");
    refuse(HEAD "parameters:\n  p: {acts: bodies.arm.mass, limits: [2, 3]}\n", NULL, 0,
           "parameter p is 1, expected 2 to 3");
    refuse(HEAD "parameters:\n  p: {acts: bodies.arm.mass, limits: [0, 3], tunable: true}\n", NULL,
           0, "cannot be tuned");
    refuse(HEAD "parameters:\n  p: {acts: forces.drag.scale, value: 1, tunable: true}\n", NULL, 0,
           "without limits");
    refuse(HEAD "parameters:\n  p: {acts: bodies.arm.mass, rate: 1}\n", NULL, 0, "not tunable");
    refuse(HEAD "parameters: {p: {acts: bodies.arm.mass, act: 1}}\n", NULL, 0,
           "did you mean 'acts'");
    refuse(HEAD "parameters: [1]\n", NULL, 0, "expected a map");
}

/* A tunable parameter becomes an input, as if the file had declared one. */
static void test_tunable(void **state)
{
    static const struct lk_setting setting = {"grip", 0.25};
    struct lk_model *model = read_with(HEAD "parameters:\n  grip: {acts: forces.drag.scale, value: "
                                            "0.5, limits: [0, 2], rate: 4, tunable: true}\n",
                                       &setting, 1);
    const struct lk_input_def *input = &model->inputs[0];

    (void)state;
    assert_int_equal(model->n_inputs, 1);
    assert_string_equal(input->name, "grip");
    assert_int_equal(input->type, LK_INPUT_SIGNAL);
    assert_true(input->initial == 0.25 && input->limits[0] == 0 && input->limits[1] == 2);
    assert_true(input->rate == 4);
    assert_int_equal(model->forces[1].scale_input, 0);
    assert_true(model->forces[1].scale == 0.25);
    lk_model_free(model);
    refuse(HEAD "inputs: {grip: {type: signal}}\nparameters:\n  grip: {acts: forces.drag.scale, "
                "value: 1, limits: [0, 2], tunable: true}\n",
           NULL, 0, "the name of an input");
}

static const struct lk_number *number_at(const struct lk_numbers *numbers, const char *path)
{
    int n;
    const struct lk_number *list = lk_numbers_list(numbers, &n);

    for (int i = 0; i < n; i++)
        if (strcmp(list[i].path, path) == 0)
            return &list[i];
    return NULL;
}

static void test_numbers(void **state)
{
    static const struct lk_setting settings[] = {{"load", 7}, {"bodies.arm.inertia.2", 1.5}};
    struct lk_numbers *numbers = NULL;
    struct lk_errors errors;
    int n;

    (void)state;
    assert_int_equal(lk_numbers_new("m", NAMED, strlen(NAMED), settings, 2, &numbers, &errors), 0);
    assert_true(number_at(numbers, "bodies.leg.mass")->value == 7);
    assert_string_equal(number_at(numbers, "bodies.leg.mass")->parameter, "load");
    assert_string_equal(number_at(numbers, "bodies.leg.mass")->unit, "kg");
    assert_true(number_at(numbers, "bodies.arm.inertia.2")->value == 1.5);
    assert_false(number_at(numbers, "bodies.arm.mass")->may_be_tuned);
    assert_string_equal(number_at(numbers, "forces.drag.coulomb")->unit, "N m");
    assert_null(number_at(numbers, "linkage"));
    assert_null(number_at(numbers, "parameters.load.value"));

    /* each path of the list can be set */
    lk_numbers_list(numbers, &n);
    for (int i = 0; i < n; i++) {
        const struct lk_number *x = &lk_numbers_list(numbers, &n)[i];
        struct lk_setting same = {x->path, x->value};

        if (x->parameter[0] == '\0')
            lk_model_free(read_with(HEAD, &same, 1));
    }
    lk_numbers_free(numbers);
    lk_numbers_free(NULL);
}

static void test_texts(void **state)
{
    struct lk_settings settings = {0}, back = {0};
    char path[LK_PATH_SIZE], *text = NULL;
    struct lk_error error;
    double value = 0;

    (void)state;
    setlocale(LC_ALL,
              "de_DE.UTF-8"); /* the decimal comma of this locale, if installed, has no effect */
    assert_int_equal(lk_setting_parse("a.b=-2.5e3", path, &value, &error), 0);
    assert_string_equal(path, "a.b");
    assert_true(value == -2500);
    assert_int_equal(lk_setting_parse("a.b", path, &value, &error), LK_E_TEXT);
    assert_int_equal(lk_setting_parse("=1", path, &value, &error), LK_E_TEXT);
    assert_int_equal(lk_setting_parse("a.b=1x", path, &value, &error), LK_E_TEXT);
    assert_int_equal(lk_setting_parse("a.b=nan", path, &value, &error), LK_E_TEXT);
    assert_int_equal(lk_settings_add(&settings, "a.b", 0.1), 0);
    assert_int_equal(lk_settings_add(&settings, "c", 1.0 / 3), 0);
    assert_int_equal(lk_settings_write(&settings, &text), 0);
    assert_string_equal(text, "a.b=0.1 c=0.3333333333333333");
    assert_int_equal(lk_settings_read(text, &back, &error), 0);
    assert_int_equal(back.n, 2);
    assert_true(back.list[1].value == 1.0 / 3);
    for (int i = settings.n; i < LK_SETTINGS_MAX; i++)
        assert_int_equal(lk_settings_add(&settings, "c", 1), 0);
    assert_int_equal(lk_settings_add(&settings, "c", 1), -E2BIG);
    free(text);
    lk_settings_fini(&settings);
    lk_settings_fini(&back);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_if_written), cmocka_unit_test(test_hash),
        cmocka_unit_test(test_refused_paths), cmocka_unit_test(test_twice),
        cmocka_unit_test(test_section),       cmocka_unit_test(test_section_refused),
        cmocka_unit_test(test_tunable),       cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
