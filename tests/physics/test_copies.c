/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a mechanism side by side: each has the bits that it has alone, in whichever lane,
 * beside whatever else, also one that fails; which may be side by side. */
#include "cmocka_all.h"
#include "compile/copies.h"
#include "linkage/file.h"
#include "linkage/parameters.h"
#include "sanitized.h"
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS  (SANITIZED ? 5 : 60)
#define FOLDER "config/models/"

/** struct text - of a model, and the path of a mass in it, "": there is none. */
struct text {
    const char *path;
    char *bytes;
    size_t size;
    char mass[LK_PATH_SIZE];
    double value;
};

static struct text read_text(const char *path)
{
    struct text t = {.path = path};
    struct lk_numbers *numbers;
    struct lk_errors errors;
    int n;

    assert_int_equal(lk_file_read(path, 1 << 24, &t.bytes, &t.size), 0);
    assert_int_equal(lk_numbers_new(path, t.bytes, t.size, NULL, 0, &numbers, &errors), 0);
    const struct lk_number *list = lk_numbers_list(numbers, &n);

    for (int i = 0; i < n; i++) {
        size_t size = strlen(list[i].path);

        if (strncmp(list[i].path, "bodies.", 7) == 0 &&
            strcmp(list[i].path + size - 5, ".mass") == 0) {
            strcpy(t.mass, list[i].path);
            t.value = list[i].value;
        }
    }
    lk_numbers_free(numbers);
    return t;
}

/* copy @c of the model: its mass differs from those of others. NULL: this engine is not here */
static struct lk_system *compile(const struct text *t, const char *engine, int c)
{
    struct lk_setting setting = {t->mass, t->value * (1 + 0.01 * c)};
    struct lk_options options = {.engine = engine};
    struct lk_errors errors = {0};
    struct lk_error error = {""};
    struct lk_model *model;
    struct lk_system *sys;

    if (lk_model_read_text_with(FOLDER, t->path, t->bytes, t->size, &setting, t->mass[0] != '\0',
                                &model, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s: %s", t->path, error.text);
    lk_model_free(model);
    return sys;
}

static double *new_inputs(const struct lk_system *sys, int c)
{
    int n, size = lk_system_input_size(sys);
    const struct lk_channel *channels = lk_system_input_channels(sys, &n);
    double *values = calloc((size_t)size + 1, sizeof(*values));

    assert_non_null(values);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < channels[i].size; k++)
            values[channels[i].offset + k] =
                fmin(channels[i].high, fmax(channels[i].low, channels[i].initial + 0.1 * c));
    return values;
}

static void assert_bits(const struct lk_system *a, const struct lk_system *b, const char *path,
                        int c, int k)
{
    double *outputs[2];
    size_t n = (size_t)lk_system_output_size(a) * sizeof(double);

    if (memcmp(a->now.block, b->now.block, a->state_size * sizeof(double)) != 0)
        fail_msg("%s: the state of copy %d differs after step %d", path, c, k);
    for (int i = 0; i < 2; i++)
        outputs[i] = calloc(1, n + 8);
    lk_system_outputs(a, outputs[0]);
    lk_system_outputs(b, outputs[1]);
    if (memcmp(outputs[0], outputs[1], n) != 0)
        fail_msg("%s: an output of copy %d differs after step %d", path, c, k);
    free(outputs[0]);
    free(outputs[1]);
}

/** struct pair - a copy, and its twin that steps alone. */
struct pair {
    struct lk_system *copy;
    struct lk_system *twin;
    double *inputs;
};

/* A copy begins somewhere in its motion. */
static struct pair new_pair(const struct text *t, const char *engine, int c)
{
    struct pair p = {compile(t, engine, c), compile(t, engine, c), NULL};

    p.inputs = new_inputs(p.copy, c);
    for (int k = 0; k < 3 * c; k++) {
        assert_int_equal(lk_system_step(p.copy, p.inputs), 0);
        assert_int_equal(lk_system_step(p.twin, p.inputs), 0);
    }
    return p;
}

static void free_pair(struct pair *p)
{
    lk_system_free(p->copy);
    lk_system_free(p->twin);
    free(p->inputs);
}

/* @n copies, of which the second one gets an input that is too much after @fails_after steps */
static void step_pairs(struct pair *p, int n, const char *path, int fails_after)
{
    struct lk_system *systems[LK_LANES_MAX];
    const double *inputs[LK_LANES_MAX];
    int fault[LK_LANES_MAX], expected[LK_LANES_MAX] = {0};
    struct lk_copies *copies;

    for (int c = 0; c < n; c++) {
        systems[c] = p[c].copy;
        inputs[c] = p[c].inputs;
        assert_true(lk_copies_fit(systems[0], systems[c]));
    }
    assert_int_equal(lk_copies_new(systems, n, &copies), 0);
    for (int k = 0; k < STEPS; k++) {
        for (int i = 0; k == fails_after && n > 1 && i < lk_system_input_size(p[1].copy); i++)
            p[1].inputs[i] = 1e200;
        lk_copies_step(copies, inputs, fault);
        for (int c = 0; c < n; c++) {
            expected[c] = expected[c] != 0 ? expected[c] : lk_system_step(p[c].twin, p[c].inputs);
            assert_int_equal(fault[c], expected[c]);
            if (expected[c] == 0)
                assert_bits(p[c].copy, p[c].twin, path, c, k);
        }
    }
    lk_copies_free(copies);
    for (int c = 0; c < n; c++) { /* on their own again */
        for (int k = 0; k < 3 && expected[c] == 0; k++) {
            assert_int_equal(lk_system_step(p[c].copy, p[c].inputs), 0);
            assert_int_equal(lk_system_step(p[c].twin, p[c].inputs), 0);
            assert_bits(p[c].copy, p[c].twin, path, c, STEPS + k);
        }
        lk_system_reset(p[c].copy);
        lk_system_reset(p[c].twin);
        assert_bits(p[c].copy, p[c].twin, path, c, 0);
        if (fails_after >= 0 && n > 1)
            assert_true((expected[c] != 0) == (c == 1));
    }
}

/* Return: how many lanes it has. */
static int check_model(const char *path, const char *engine, int n_less, int fails_after)
{
    struct text t = read_text(path);
    struct pair p[LK_LANES_MAX];
    const char *why;
    struct lk_system *sys = compile(&t, engine, 0);
    int lanes = lk_copies_lanes(sys, &why), n = lanes - n_less;

    assert_true((lanes == 1) == (why != NULL) || strcmp(engine, "scalar-copies") == 0);
    lk_system_free(sys);
    if (lanes > 1 && n > 0) {
        for (int c = 0; c < n; c++)
            p[c] = new_pair(&t, engine, c);
        step_pairs(p, n, path, fails_after);
        for (int c = 0; c < n; c++)
            free_pair(&p[c]);
    }
    free(t.bytes);
    return lanes;
}

static void test_bits(void **state)
{
    const struct lk_engine *engines[LK_ENGINES_MAX + 1];
    glob_t models;
    int n_side_by_side = 0;

    (void)state;
    lk_engines_here(engines);
    assert_int_equal(glob(FOLDER "*.yaml", 0, NULL, &models), 0);
    for (size_t i = 0; i < models.gl_pathc; i++)
        for (int e = 0; engines[e] != NULL; e++)
            if (engines[e]->lanes > 1)
                n_side_by_side += check_model(models.gl_pathv[i], engines[e]->copies, 0, -1) > 1;
    printf("%d of %zu models and engines are side by side\n", n_side_by_side, models.gl_pathc);
    assert_true(n_side_by_side > 0);
    globfree(&models);
}

/* lanes that are empty, and a copy that fails beside others */
static void test_fewer_and_failures(void **state)
{
    (void)state;
    for (int less = 0; less < 3; less++)
        check_model(FOLDER "four-bar.yaml", "copies", less, STEPS / 2);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *model, *engine, *why;
    } known[] = {{"four-bar.yaml", "none", "it is stepped one by one"},
                 {"chain-128.yaml", "auto", "it is stepped one by one"}};
    const char *why;

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
        char path[64];
        struct text t;
        struct lk_system *sys;

        snprintf(path, sizeof(path), FOLDER "%s", known[i].model);
        t = read_text(path);
        sys = compile(&t, known[i].engine, 0);
        assert_int_equal(lk_copies_lanes(sys, &why), 1);
        assert_string_equal(why, known[i].why);
        lk_system_free(sys);
        free(t.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_fewer_and_failures),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
