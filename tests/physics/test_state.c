/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is continued from the bytes of a state has the bits of the run that was not
 * interrupted: every shipped model, all formulations that step, orders and engines. Bytes of
 * something else are refused, and what is refused changes nothing.
 * usage: test_state MODEL... */
#include "cmocka_all.h"
#include "compile/state.h"
#include "linkage/hash.h"
#include "linkage/run.h"
#include "linkage/state.h"
#include "model/model.h"
#include "sanitized.h"
#include "step/lanes/batch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE (120 / THINNED)
#define AFTER  (60 / THINNED)

static char **paths;
static int n_paths;

static struct lk_model *read_model(const char *path)
{
    struct lk_model *model;
    struct lk_error error;

    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

/* inputs that change, within what a model bears */
static void step_from(struct lk_system *sys, int first, int n)
{
    int n_channels;
    const struct lk_channel *channel = lk_system_input_channels(sys, &n_channels);
    double *inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(*inputs));

    assert_non_null(inputs);
    for (int k = first; k < first + n; k++) {
        for (int c = 0; c < n_channels; c++)
            for (int i = 0; i < channel[c].size; i++)
                inputs[channel[c].offset + i] =
                    channel[c].initial + fmin(0.1 * channel[c].high, 5) * sin(2.0 * k + i + 1);
        assert_int_equal(lk_system_step(sys, inputs), 0);
    }
    free(inputs);
}

static void *state_of(const struct lk_system *sys)
{
    void *bytes = malloc(lk_system_state_size(sys));

    assert_non_null(bytes);
    lk_system_state_get(sys, bytes);
    return bytes;
}

static void expect_same(const char *what, struct lk_system *a, struct lk_system *b)
{
    size_t size = lk_system_state_size(a);
    void *of_a = state_of(a), *of_b = state_of(b);

    if (memcmp(of_a, of_b, size) != 0)
        fail_msg("%s: another motion after the state was taken", what);
    free(of_a);
    free(of_b);
}

/* Return: false: no system of this model with these options */
static bool try_continue(const char *what, const struct lk_model *model,
                         const struct lk_options *options)
{
    struct lk_system *sys, *other;
    struct lk_error error;
    void *bytes;

    if (lk_system_new(model, options, &sys, &error) != 0)
        return false;
    assert_int_equal(lk_system_new(model, options, &other, &error), 0);
    step_from(sys, 0, BEFORE);
    bytes = state_of(sys);
    step_from(sys, BEFORE, AFTER);
    step_from(other, 7, 3);
    if (lk_system_state_set(other, bytes, lk_system_state_size(sys), &error) != 0)
        fail_msg("%s: %s", what, error.text);
    assert_int_equal(lk_system_step_count(other), BEFORE);
    step_from(other, BEFORE, AFTER);
    expect_same(what, sys, other);
    /* and its first run is that after a reset */
    lk_system_reset(other);
    step_from(other, 0, BEFORE);
    if (lk_system_state_set(sys, bytes, lk_system_state_size(sys), &error) != 0)
        fail_msg("%s: %s", what, error.text);
    expect_same(what, sys, other);
    free(bytes);
    lk_system_free(sys);
    lk_system_free(other);
    return true;
}

/* an engine of this processor and build */
static const char *lanes_here(void)
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];

    lk_engines_here(here);
    return here[0]->name;
}

static void test_shipped_models(void **state)
{
    const char *const engines[] = {NULL, "none", lanes_here()};
    int n = 0;

    (void)state;
    for (int i = 0; i < n_paths; i++) {
        struct lk_model *model = read_model(paths[i]);

        for (int order = 2; order <= LK_ORDER_MAX; order += 2)
            for (int e = 0; e < 3; e++)
                n += try_continue(paths[i], model,
                                  &(struct lk_options){.order = order, .engine = engines[e]});
        lk_model_free(model);
    }
    assert_true(n >= 4 * n_paths); /* not all have every order */
}

static void test_formulations(void **state)
{
    static const struct {
        const char *name;
        enum lk_coordinates coordinates;
    } formulations[] = {
        {"rattle", LK_COORDINATES_LIE},    {"ali3", LK_COORDINATES_LIE},
        {"rk4", LK_COORDINATES_LIE},       {"ali3", LK_COORDINATES_EULER_PARAMETERS},
        {"recursive", LK_COORDINATES_LIE}, {"ali3", LK_COORDINATES_AS_PRINTED},
        {"dca", LK_COORDINATES_LIE},       {"hdca", LK_COORDINATES_LIE},
    };
    int n_of[sizeof(formulations) / sizeof(*formulations)] = {0};

    (void)state;
    for (int i = 0; i < n_paths; i++)
        for (size_t f = 0; f < sizeof(formulations) / sizeof(*formulations); f++) {
            struct lk_model *model = read_model(paths[i]);
            char what[256];

            snprintf(what, sizeof(what), "%s by %s, coordinates %d", paths[i], formulations[f].name,
                     (int)formulations[f].coordinates);
            snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s",
                     formulations[f].name);
            model->solver.coordinates = formulations[f].coordinates;
            n_of[f] += try_continue(what, model, NULL);
            lk_model_free(model);
        }
    for (size_t f = 0; f < sizeof(formulations) / sizeof(*formulations); f++)
        assert_true(n_of[f] > 2);
}

static void expect_refused(struct lk_system *sys, const void *bytes, size_t size, const char *why)
{
    void *before = state_of(sys), *after;
    struct lk_error error = {.text = ""};

    assert_int_equal(lk_system_state_set(sys, bytes, size, &error), LK_E_STATE);
    if (!strstr(error.text, why))
        fail_msg("'%s' does not say '%s'", error.text, why);
    after = state_of(sys);
    assert_memory_equal(before, after, lk_system_state_size(sys));
    free(before);
    free(after);
}

/* @at: of a number of the state, which becomes @value; the sum is right */
static void expect_number_refused(struct lk_system *sys, size_t at, double value)
{
    struct lk_state_header header;
    size_t size = lk_system_state_size(sys);
    char *bytes = state_of(sys);

    memcpy(bytes + sizeof(header) + at * sizeof(double), &value, sizeof(value));
    memcpy(&header, bytes, sizeof(header));
    header.sum = lk_hash(LK_HASH_BEGIN, bytes + sizeof(header), size - sizeof(header));
    memcpy(bytes, &header, sizeof(header));
    expect_refused(sys, bytes, size, "no state of a mechanism");
    free(bytes);
}

static void test_refused(void **state)
{
    struct lk_model *model = read_model(paths[0]), *second = read_model(paths[1]);
    struct lk_system *sys, *twin, *of_second, *slow, *by_lanes;
    struct lk_error error;
    size_t size;
    char *bytes;

    (void)state;
    assert_int_equal(lk_system_new(model, NULL, &sys, &error), 0);
    assert_int_equal(lk_system_new(model, NULL, &twin, &error), 0);
    assert_int_equal(lk_system_new(second, NULL, &of_second, &error), 0);
    assert_int_equal(lk_system_new(model, &(struct lk_options){.step = 2e-3}, &slow, &error), 0);
    assert_int_equal(
        lk_system_new(model, &(struct lk_options){.engine = lanes_here()}, &by_lanes, &error), 0);
    size = lk_system_state_size(sys);
    step_from(sys, 0, 5);
    bytes = state_of(sys);
    expect_refused(of_second, bytes, size, "another model");
    expect_refused(slow, bytes, size, "another step size");
    expect_refused(by_lanes, bytes, size, "another engine");
    expect_refused(sys, bytes, size - 1, "damaged");
    expect_refused(sys, bytes, 8, "not a state");
    expect_refused(sys, bytes, 0, "not a state");
    bytes[size - 1] ^= 1;
    expect_refused(sys, bytes, size, "damaged");
    bytes[0] ^= 1;
    expect_refused(sys, bytes, size, "not a state");
    expect_number_refused(sys, 0, NAN);
    expect_number_refused(sys, 3, 2); /* of a quaternion */
    step_from(sys, 5, 3);
    step_from(twin, 0, 8);
    expect_same("after refusals", sys, twin);
    lk_system_free(twin);
    free(bytes);
    lk_system_free(sys);
    lk_system_free(of_second);
    lk_system_free(slow);
    lk_system_free(by_lanes);
    lk_model_free(model);
    lk_model_free(second);
}

/* comments and layout are no part of a model, its numbers are */
/* inputs that change; one row of outputs after each third step */
static void test_many_steps_in_one_call(void **state)
{
    enum { STEPS = 31, EVERY = 3, ROWS = STEPS / EVERY };

    (void)state;
    for (int i = 0; i < n_paths; i++) {
        struct lk_model *model = read_model(paths[i]);
        struct lk_system *sys, *other;
        struct lk_error error;
        struct lk_run run = {.steps = STEPS, .every = EVERY};
        double *inputs, *alone, *rows, times[ROWS];
        size_t n, width;
        uint64_t done;

        assert_int_equal(lk_system_new(model, NULL, &sys, &error), 0);
        assert_int_equal(lk_system_new(model, NULL, &other, &error), 0);
        n = (size_t)lk_system_input_size(sys);
        width = (size_t)lk_system_output_size(sys);
        inputs = calloc(STEPS * n + 1, sizeof(*inputs));
        rows = calloc(ROWS * width + 1, sizeof(*rows));
        alone = calloc(width + 1, sizeof(*alone));
        assert_true(inputs != NULL && rows != NULL && alone != NULL);
        for (size_t k = 0; k < STEPS * n; k++)
            inputs[k] = 1e-3 * sin(0.1 * (double)k);
        run.inputs = inputs;
        run.stride = n;
        run.times = times;
        run.outputs = rows;
        assert_int_equal(lk_system_run(sys, &run, &done), 0);
        assert_int_equal(done, STEPS);
        for (size_t k = 0; k < STEPS; k++) {
            assert_int_equal(lk_system_step(other, inputs + k * n), 0);
            if ((k + 1) % EVERY != 0)
                continue;
            lk_system_outputs(other, alone);
            assert_true(times[k / EVERY] == lk_system_time(other));
            assert_memory_equal(rows + k / EVERY * width, alone, width * sizeof(*rows));
        }
        expect_same(paths[i], sys, other);
        free(inputs);
        free(rows);
        free(alone);
        lk_system_free(sys);
        lk_system_free(other);
        lk_model_free(model);
    }
}

static void test_run_ends_at_the_step_that_fails(void **state)
{
    struct lk_model *model = read_model(paths[0]);
    struct lk_system *sys = NULL;
    struct lk_error error;
    double inputs[4 * 32] = {0};
    struct lk_run run = {.steps = 4, .inputs = inputs};
    uint64_t done;

    (void)state;
    for (int i = 0; i < n_paths; i++) { /* the first model with inputs */
        lk_model_free(model);
        lk_system_free(sys);
        model = read_model(paths[i]);
        assert_int_equal(lk_system_new(model, NULL, &sys, &error), 0);
        run.stride = (size_t)lk_system_input_size(sys);
        if (run.stride > 0 && run.stride <= 32)
            break;
    }
    assert_true(run.stride > 0 && run.stride <= 32);
    inputs[2 * run.stride] = NAN;
    assert_int_equal(lk_system_run(sys, &run, &done), LK_E_NOT_FINITE);
    assert_int_equal(done, 2);
    assert_int_equal(lk_system_step_count(sys), 2);
    lk_system_free(sys);
    lk_model_free(model);
}

static void test_same_words(void **state)
{
    static const char *const texts[] = {
        "linkage: 1\nname: x\nbodies: {a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n",
        "# the same\nlinkage:   1\nname: x\nbodies:\n  a:\n    mass: 1\n    inertia: [1, 1, 1]\n   "
        " position: [0, 0, 0]\n",
        "linkage: 1\nname: x\nbodies: {a: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}}\n",
    };
    uint64_t hash[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct lk_model *model;
        struct lk_error error;

        if (lk_model_read_text("x.yaml", texts[i], strlen(texts[i]), &model, &error) != 0)
            fail_msg("%s", error.text);
        hash[i] = model->hash;
        lk_model_free(model);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_models),
        cmocka_unit_test(test_formulations),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_same_words),
        cmocka_unit_test(test_many_steps_in_one_call),
        cmocka_unit_test(test_run_ends_at_the_step_that_fails),
    };

    paths = argv + 1;
    n_paths = argc - 1;
    return n_paths < 2 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
