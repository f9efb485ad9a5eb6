/* SPDX-License-Identifier: Apache-2.0 */
/* The number of workers does not change a bit: each model of the command line, by its own and by
 * the other formulations whose loops workers share, is stepped with 1, 2, 3 and 4 workers, and all
 * states, reactions and outputs are compared. Also with workers that sleep between steps, and with
 * a number of workers that changes from step to step. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/pool.h"
#include "model/model.h"
#include "pool_threads.h"
#include "sanitized.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS       (SANITIZED ? 20 : 60)
#define WORKERS_MAX 4

static char **paths;
static int n_paths;

/* The formulations to step with; "" is that of the model. Each is used for the models it accepts.
 */
static const struct form {
    const char *formulation;
    enum lk_coordinates coordinates;
} forms[] = {{"", LK_COORDINATES_LIE},
             {"ali3", LK_COORDINATES_EULER_PARAMETERS},
             {"ali3", LK_COORDINATES_AS_PRINTED},
             {"dca", LK_COORDINATES_LIE},
             {"hdca", LK_COORDINATES_LIE}};
#define N_FORMS (int)(sizeof(forms) / sizeof(*forms))

/* struct record - the results of all steps: all bodies, all joints, then the outputs */
struct record {
    size_t n;
    double *values;
};
static struct lk_system **systems; /* one of each model, compiled only once */
static struct record *by_one;      /* results with one worker, of each model */

/* Compile the model of @path with @form. Return NULL if this formulation refuses the model. */
static struct lk_system *open_system(const char *path, const struct form *form)
{
    struct lk_error error = {0};
    struct lk_system *system = NULL;
    struct lk_model *model;

    if (lk_model_read_file(path, &model, &error))
        fail_msg("%s", error.text);
    if (*form->formulation) {
        strcpy(model->solver.formulation, form->formulation);
        model->solver.coordinates = form->coordinates;
    }
    if (lk_system_new(model, NULL, &system, &error) && !*form->formulation)
        fail_msg("%s", error.text);
    lk_model_free(model);
    return system;
}

static struct record take_record(const struct lk_system *system)
{
    const size_t n_state = sizeof(struct lk_body_state) / sizeof(double);
    struct lk_summary summary;
    struct record record;
    double *at;

    lk_system_summary(system, &summary);
    record.n = (size_t)summary.n_bodies * n_state + (size_t)summary.n_joints * 6 +
               (size_t)lk_system_output_size(system) + sizeof(struct lk_health) / sizeof(double);
    at = record.values = calloc(record.n, sizeof(double));
    assert_non_null(at);
    for (int i = 0; i < summary.n_bodies; i++, at += n_state)
        lk_system_body_state(system, i, (struct lk_body_state *)at);
    for (int i = 0; i < summary.n_joints; i++, at += 6)
        lk_system_joint_reaction(system, i, at);
    lk_system_health(system, (struct lk_health *)at);
    lk_system_outputs(system, at + sizeof(struct lk_health) / sizeof(double));
    return record;
}

/* Run a system from its start. @n_workers: number of workers of each step */
static struct record run(struct lk_system *system, const int *n_workers, int n_kinds, bool rest)
{
    struct pool_threads *threads[WORKERS_MAX] = {NULL};
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(double));
    struct record record;

    assert_non_null(inputs);
    lk_system_reset(system);
    for (int i = 0; i < lk_system_input_size(system); i++)
        inputs[i] = 0.01 * (i + 1);
    for (int i = 0; i < n_kinds; i++)
        assert_int_equal(pool_threads_start(n_workers[i], NULL, &threads[i]), 0);
    for (int i = 0; i < STEPS; i++) {
        struct lk_pool *pool = pool_threads_pool(threads[i % n_kinds]);

        lk_system_set_pool(system, pool);
        assert_int_equal(lk_system_step(system, inputs), 0);
        if (rest)
            lk_pool_rest(pool);
    }
    lk_system_set_pool(system, NULL);
    record = take_record(system);
    for (int i = n_kinds - 1; i >= 0; i--)
        pool_threads_stop(threads[i]);
    free(inputs);
    return record;
}

static void compare(int i, const int *n_workers, int n_kinds, bool rest)
{
    const struct record *one = &by_one[i];
    struct record other;

    if (!systems[i])
        return;
    other = run(systems[i], n_workers, n_kinds, rest);

    assert_int_equal(one->n, other.n);
    if (memcmp(one->values, other.values, other.n * sizeof(double)) != 0)
        fail_msg("%s %s: %d workers have other bits than one", paths[i / N_FORMS],
                 forms[i % N_FORMS].formulation, n_workers[0]);
    free(other.values);
}

static void test_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < n_paths * N_FORMS; i++)
        for (int n = 2; n <= WORKERS_MAX; n++)
            compare(i, &n, 1, false);
}

static void test_rest(void **state)
{
    (void)state;
    for (int i = 0; i < n_paths * N_FORMS; i++)
        compare(i, (const int[]){2}, 1, true);
}

static void test_changing(void **state)
{
    (void)state;
    for (int i = 0; i < n_paths * N_FORMS; i++)
        compare(i, (const int[]){3, 1, 2}, 3, false);
}

static int step_by_one(void **state)
{
    int n_shared = 0;

    (void)state;
    systems = calloc((size_t)n_paths * N_FORMS, sizeof(struct lk_system *));
    by_one = calloc((size_t)n_paths * N_FORMS, sizeof(*by_one));
    if (!systems || !by_one)
        return -1;
    for (int i = 0; i < n_paths * N_FORMS; i++) {
        systems[i] = open_system(paths[i / N_FORMS], &forms[i % N_FORMS]);
        if (!systems[i])
            continue;
        n_shared += i % N_FORMS > 0 && lk_system_shares_work(systems[i]);
        by_one[i] = run(systems[i], (const int[]){1}, 1, false);
    }
    return n_shared < 2 * N_FORMS ? -1 : 0;
}

static int free_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < n_paths * N_FORMS; i++) {
        free(by_one[i].values);
        lk_system_free(systems[i]);
    }
    free(by_one);
    free(systems);
    return 0;
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_changing),
    };

    paths = argv + 1;
    n_paths = argc - 1;
    if (n_paths == 0) {
        fprintf(stderr, "usage: %s MODEL...\n", argv[0]);
        return 2;
    }
    return cmocka_run_group_tests(tests, step_by_one, free_by_one);
}
