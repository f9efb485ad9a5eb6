/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions where numbers of a model stand, and named points. */
#include "cmocka_all.h"
#include "linkage/parameters.h"
#include "model/expression.h"
#include "model/model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find(void *data, const char *name, size_t size, double *ret)
{
    (void)data;
    if (size == 1 && name[0] >= 'a' && name[0] <= 'd') {
        *ret = 2 + (name[0] - 'a');
        return 0;
    }
    if (size == 3 && strncmp(name, "p.y", 3) == 0) {
        *ret = 0.25;
        return 0;
    }
    return LK_E_MODEL;
}

static int evaluate(const char *text, double *ret, const char **ret_why, size_t *ret_at)
{
    const struct lk_expression_names names = {find, NULL};
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    int result = lk_expression(text, c, &names, ret, ret_why, ret_at);

    freelocale(c);
    return result;
}

static void values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1", 1},
        {" 1 + 2 * 3 ", 7},
        {"(1 + 2) * 3", 9},
        {"7 - 2 - 1", 4},
        {"16 / 4 / 2", 2},
        {"2 ^ 3 ^ 2", 512},
        {"-3 ^ 2", -9},
        {"(-3) ^ 2", 9},
        {"2 ^ -1 * 4", 2},
        {"2 * -3", -6},
        {"- - 3", 3},
        {"+a - -b", 5},
        {"-2 + 5", 3},
        {"1.5e-3 * 2E+3", 3},
        {".5", 0.5},
        {"a / b", 2.0 / 3},
        {"p.y * 4", 1},
        {"pi", M_PI},
        {"sqrt(a * a + 3 * b + 3)", 4},
        {"sin(0) + cos(0) + tan(0) + asin(0) + atan(0)", 1},
        {"acos(-1)", M_PI},
        {"atan2(1, -1)", 0.75 * M_PI},
        {"hypot(3, 4)", 5},
        {"abs(-a) + min(3, 1, 2) + max(1, a, 2)", 5},
        {"min(1, 2) - 3", -2},
        {"max(min(a, 1) * 2, -(b)) ^ 2", 4},
        {"((((((((((1))))))))))", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *why = NULL;
        double value = NAN;
        size_t at;

        if (evaluate(rows[i].text, &value, &why, &at) != 0)
            fail_msg("%s: %s", rows[i].text, why);
        if (!(fabs(value - rows[i].value) <= 1e-15 * fabs(rows[i].value)))
            fail_msg("%s is %.17g", rows[i].text, value);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *text;
        const char *why;
        size_t at;
    } rows[] = {
        {"", "a value is missing", 0},
        {"1 +", "a value is missing", 3},
        {"1 2", "an operator is missing", 2},
        {"a b", "an operator is missing", 2},
        {"(1", "a bracket is not closed", 2},
        {"1)", "a bracket closes that was not opened", 2},
        {"()", "a value is missing", 1},
        {"1, 2", "a comma outside of a function", 2},
        {"(1, 2)", "a comma outside of a function", 3},
        {"sqrt(1, 2)", "the function takes another number of values", 10},
        {"min(1)", "the function takes another number of values", 6},
        {"sqrt()", "a value is missing", 5},
        {"sinh(1)", "there is no such function", 0},
        {"1.2.3", "this is no number", 0},
        {"1e", "this is no number", 0},
        {"1 / 0", "a value in it is not finite", 5},
        {"sqrt(-1)", "a value in it is not finite", 8},
        {"max(sqrt(-1), 5)", "a value in it is not finite", 16},
        {"1 / (1 / 0)", "a value in it is not finite", 11},
        {"(0 / 0)^0", "a value in it is not finite", 9},
        {"1 / 1e400", "a value in it is not finite", 9},
        {"3 $ 4", "an operator is missing", 2},
        {"* 3", "a value is missing", 0},
        {"e", NULL, 0},
    };
    char deep[2 * LK_EXPRESSION_DEPTH], text[LK_EXPRESSION_MAX + 2];
    const char *why;
    double value;
    size_t at;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        why = NULL;
        assert_int_equal(evaluate(rows[i].text, &value, &why, &at),
                         rows[i].why ? LK_E_TEXT : LK_E_MODEL);
        if (rows[i].why &&
            (strncmp(why, rows[i].why, strlen(rows[i].why)) != 0 || at != rows[i].at))
            fail_msg("'%s': %s at %zu", rows[i].text, why, at);
    }
    memset(deep, '(', sizeof(deep) - 1);
    deep[sizeof(deep) - 1] = '\0';
    assert_int_equal(evaluate(deep, &value, &why, &at), LK_E_TEXT);
    assert_string_equal(why, "nested too deeply");
    memset(text, ' ', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(evaluate(text, &value, &why, &at), LK_E_TEXT);
    assert_string_equal(why, "longer than 512 bytes");
}

/* ---- in models ---- */

#define MODEL(parameters, points, body)                                                            \
    "linkage: 1\nname: m\n" parameters points "bodies:\n  a: {" body "}\n"                         \
    "joints:\n  h: {type: revolute, bodies: [ground, a], point: hinge, axis: [0, =a*0, 1]}\n"
#define TWO   "parameters: {a: {value: 2}, long_name: {value: 3}}\n"
#define PLACE "points:\n  hinge: [=a/4, 0, 1]\n  tip: [=hinge.x + hinge.z, 2, =long_name]\n"
#define ALONE "mass: =long_name^2, inertia: [1, =1/2 + 0.5, 1], position: tip"

static struct lk_model *read(const char *text, const struct lk_setting *settings, int n)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;

    if (lk_model_read_text_with(NULL, "m", text, strlen(text), settings, n, &model, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    return model;
}

static void models_have_expressions(void **state)
{
    const struct lk_setting settings[] = {
        {"a", 6}, {"points.hinge.3", 5}, {"bodies.a.inertia.2", 0.75}};
    struct lk_model *model = read(MODEL(TWO, PLACE, ALONE), NULL, 0);
    const struct lk_body_def *b = &model->bodies[0];

    (void)state;
    assert_true(b->mass == 9 && b->inertia[1] == 1);
    assert_true(b->position[0] == 1.5 && b->position[1] == 2 && b->position[2] == 3);
    assert_true(model->joints[0].point[1][0] == 0.5 && model->joints[0].point[1][2] == 1);
    lk_model_free(model);

    model = read(MODEL(TWO, PLACE, ALONE), settings, 3);
    b = &model->bodies[0];
    assert_true(b->position[0] == 6.5 && b->inertia[1] == 0.75);
    assert_true(model->joints[0].point[0][0] == 1.5 && model->joints[0].point[0][2] == 5);
    lk_model_free(model);
}

static void models_refuse_expressions(void **state)
{
    static const struct {
        const char *text;
        const char *line;
    } rows[] = {
        {MODEL(TWO, PLACE, "mass: =b"),
         "m:8:13: '=b': there is no 'b', expected a name of parameters, or POINT.x of points"},
        {MODEL(TWO, PLACE, "mass: =longname"),
         "m:8:13: '=longname': there is no 'longname', did you mean 'long_name'?"},
        {MODEL(TWO, PLACE, "mass: =hinge.r"),
         "m:8:13: '=hinge.r': expected .x, .y or .z of a point"},
        {MODEL(TWO, PLACE, "mass: =2*(a"),
         "m:8:13: '=2*(a': a bracket is not closed, before 'the end'"},
        {MODEL(TWO, PLACE, "mass: =2 a + 1"),
         "m:8:13: '=2 a + 1': an operator is missing, before 'a + 1'"},
        {MODEL(TWO, "points: {hinge: [=tip.x, 0, 0], tip: [1, 2, 3]}\n", ALONE),
         "m:4:18: '=tip.x': point 'tip' is not above, expected points that are"},
        {MODEL(TWO, "points: {hinge: [0, 0]}\n", ALONE),
         "m:4:17: hinge has 2 entries, expected a list of 3 numbers"},
        {MODEL(TWO, "points: 3\n", ALONE), "m:4:9: points are no map, expected NAME: [x, y, z]"},
        {MODEL(TWO, "points: {hing: [0, 0, 0], tip: [0, 0, 0]}\n", ALONE),
         "m:8:51: point is 'hinge', did you mean the point 'hing'?"},
        {MODEL(TWO, "points: {other: [0, 0, 0], tip: [0, 0, 0]}\n", ALONE),
         "m:8:51: point is 'hinge', expected a list of 3 numbers, or a name of the section points"},
        {MODEL(TWO, PLACE, "mass: =-a, inertia: [1, 1, 1], position: tip"),
         "m:8:13: mass is -2, expected 0 or at least 1e-15 kg (=-a)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lk_model *model = NULL;
        struct lk_errors errors;
        bool found = false;

        assert_int_equal(lk_model_read_text_with(NULL, "m", rows[i].text, strlen(rows[i].text),
                                                 NULL, 0, &model, &errors),
                         LK_E_TEXT);
        for (int k = 0; k < errors.n; k++)
            found |= strcmp(errors.line[k].text, rows[i].line) == 0;
        if (!found)
            fail_msg("row %zu: '%s' instead of '%s'", i, errors.line[0].text, rows[i].line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(refusals),
        cmocka_unit_test(models_have_expressions),
        cmocka_unit_test(models_refuse_expressions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
