/* SPDX-License-Identifier: Apache-2.0 */
/* The judgement of a step: energies that the test invents step by step, the limits of a policy, and
 * the example models, none of which may ever exceed the default limits. Usage: test_judge MODELS */
#include "judge.h"
#include "sanitized.h"
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *models;

static struct lk_energy_watch watch;
static struct lk_health now;

static int begin(void **state)
{
    (void)state;
    now = (struct lk_health){.kinetic = 10};
    watch = (struct lk_energy_watch){.before = now, .kinetic = now.kinetic};
    return 0;
}

static double share(void)
{
    lk_energy_account(&watch, &now);
    return watch.jump;
}

/* ---- energy ---- */

/* Energy that changes its form, is put in, taken out or dissipated does not count as energy that
 * appears. */
static void test_balanced(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        double swing = sin(0.1 * i), work = 5 * sin(0.7 * i), lost = 0.01 * i;

        now.potential = 5 * swing;
        now.work_input = 2 * work;
        now.work_drive = -0.5 * work;
        now.work_applied = work;
        now.dissipated = lost;
        now.kinetic = 40 - now.potential + 2.5 * work - lost;
        if (i == 0)
            watch = (struct lk_energy_watch){.before = now};
        assert_true(share() < 1e-12);
    }
    assert_true(watch.jumped < 1e-9);
}

/* From 10 J to 20 J in one step: the energy that appears is half of the new energy. */
static void test_one_step(void **state)
{
    (void)state;
    now.kinetic = 20;
    assert_float_equal(share(), 0.5, 1e-5);
    assert_float_equal(watch.jumped, 10, 1e-9);
    for (int i = 0; i < 100; i++)
        share();
    assert_true(share() < 1e-3); /* the jump decays */
    now.potential = 80;
    assert_float_equal(share(), 0.8, 1e-2); /* from 20 J to 80 J */
}

/* The energy grows by a factor in each step: for large factors the share is high at once; for small
 * ones it accumulates. */
static void test_growth(void **state)
{
    const double factor[] = {1.001, 1.1, 2, 1e6}, least[] = {0, 0.45, 0.88, 0.99},
                 most[] = {0.02, 0.6, 1, 1.00001};

    for (int k = 0; k < 4; k++) {
        double largest = 0;

        begin(state);
        for (int i = 0; i < 40; i++) {
            now.kinetic *= factor[k];
            largest = fmax(largest, share());
        }
        if (!(largest >= least[k] && largest <= most[k]))
            fail_msg("growth by %g shows as %g", factor[k], largest);
    }
}

/* Energy that is lost does not count, even if more is booked as dissipated than was there. */
static void test_losses(void **state)
{
    (void)state;
    now.kinetic = 1;
    assert_true(share() == 0);
    now.dissipated += 1000;
    assert_true(share() == 0);
    now.dissipated -= 2; /* a force law that drives and books its work */
    now.kinetic += 2;
    assert_true(share() < 1e-9);
    now.kinetic += 2;
    assert_true(share() > 1e-4);
}

/* A loss directly after a gain cancels it. This happens if work is booked one step late. */
static void test_cancels(void **state)
{
    (void)state;
    now.kinetic = 13;
    assert_true(share() > 0.2);
    now.kinetic = 10;
    assert_true(share() < 1e-9);
}

/* Round-off of large sums, of a system at rest, and of one that never moved is no energy that
 * appears. */
static void test_round_off(void **state)
{
    (void)state;
    now = (struct lk_health){.potential = -6e10};
    watch = (struct lk_energy_watch){.before = now};
    now.potential += 1e-4;
    assert_true(share() < 1e-5);

    begin(state);
    share();
    now.dissipated = 10;
    now.kinetic = 0;
    for (int i = 0; i < 1000; i++)
        share();
    now.kinetic = 1e-12;
    assert_true(share() < 1e-6);

    now = (struct lk_health){0};
    watch = (struct lk_energy_watch){.before = now};
    assert_true(share() == 0);
    now.kinetic = 1e-25;
    assert_true(share() < 1e-10);
}

/* ---- limits ---- */

static struct lkd_policy policy;
static struct lkd_findings found;
static struct lkd_beyond beyond;

static int begin_rules(void **state)
{
    (void)state;
    policy = lkd_policy_default();
    found = (struct lkd_findings){.extent = {.farthest = 3, .fastest = 4}};
    return 0;
}

static int rule(void)
{
    beyond = (struct lkd_beyond){0};
    return lkd_judge_rule(&policy, &found, &beyond);
}

static void is_beyond(enum lkd_condition condition, double value, double limit)
{
    assert_int_equal(rule(), condition);
    assert_true(isnan(value) ? isnan(beyond.value) : beyond.value == value);
    assert_true(beyond.limit == limit);
}

static void test_bounds(void **state)
{
    (void)state;
    found.extent.position = 1e8;
    found.extent.speed = 1e5;
    assert_int_equal(rule(), -1);
    found.extent.speed = 2e5;
    is_beyond(LKD_CONDITION_BOUNDS, 2e5, 1e5);
    assert_int_equal(beyond.body, 4);
    assert_true(beyond.is_speed);
    found.extent.position = 1e22;
    is_beyond(LKD_CONDITION_BOUNDS, 1e22, 1e8);
    assert_int_equal(beyond.body, 3);
    assert_false(beyond.is_speed);
    found.extent.position = NAN;
    is_beyond(LKD_CONDITION_BOUNDS, NAN, 1e8);
    policy.rule[LKD_CONDITION_BOUNDS].action = LKD_ACTION_HOLD; /* the guard applies this action */
    found.extent.position = 1e22;
    assert_int_equal(rule(), -1);
}

static void test_residual(void **state)
{
    (void)state;
    found.health.residual_position = 2e-3;
    is_beyond(LKD_CONDITION_RESIDUAL, 2e-3, 1e-3);
    policy.rule[LKD_CONDITION_RESIDUAL].action = LKD_ACTION_COUNT;
    assert_int_equal(rule(), -1);
}

/* Check a threshold: violations of the limit are only counted until the fault threshold is
 * exceeded; with the rule `fault` the limit itself causes a fault. */
static void try_threshold(enum lkd_condition condition, double *value,
                          struct lkd_threshold *threshold)
{
    double limit = threshold->limit, fault = threshold->fault;

    *value = fault;
    assert_int_equal(rule(), -1);
    *value = 1.01 * fault;
    is_beyond(condition, 1.01 * fault, fault);
    policy.rule[condition].action = LKD_ACTION_FAULT;
    *value = 1.01 * limit;
    is_beyond(condition, 1.01 * limit, limit);
    policy.rule[condition].action = LKD_ACTION_COUNT;
    threshold->fault = INFINITY;
    *value = 1e300;
    assert_int_equal(rule(), -1);
}

static void test_thresholds(void **state)
{
    (void)state;
    watch = (struct lk_energy_watch){.jumped = 7};
    found.energy = &watch;
    try_threshold(LKD_CONDITION_ENERGY_JUMP, &found.energy_jump, &policy.energy_jump);
    found.energy_jump = 0.95;
    policy.energy_jump.fault = 0.9;
    is_beyond(LKD_CONDITION_ENERGY_JUMP, 0.95, 0.9);
    assert_true(beyond.energy == 7);
    found.energy_jump = 0;
    try_threshold(LKD_CONDITION_INCREMENT, &found.health.increment, &policy.increment);
}

/* Energy that has appeared since the start causes a fault unless the policy says otherwise. */
static void test_energy(void **state)
{
    (void)state;
    watch = (struct lk_energy_watch){.appeared = 3, .explained = 0.5, .moved = 9, .body = 2};
    found.energy = &watch;
    found.appears = true;
    is_beyond(LKD_CONDITION_ENERGY, 3, 0.5);
    assert_true(beyond.energy == 9);
    assert_int_equal(beyond.body, 2);
    policy.rule[LKD_CONDITION_ENERGY].action = LKD_ACTION_COUNT;
    assert_int_equal(rule(), -1);
}

/* ---- the example models ---- */

/* Choose inputs: each scalar at one of its limits, changed every @hold steps. */
static void choose_inputs(const struct lk_system *system, int step, int hold, double *inputs)
{
    static uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    const struct lk_channel *channels;
    int n;

    channels = lk_system_input_channels(system, &n);
    if (step % hold != 0)
        return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < channels[i].size; j++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            inputs[channels[i].offset + j] =
                random >> 63 ? fmin(channels[i].high, 100) : fmax(channels[i].low, -100);
        }
}

static void judge_model(const char *path, int hold)
{
    const struct lkd_policy defaults = lkd_policy_default();
    struct lk_system *system;
    struct lk_model *model;
    struct lkd_judge judge;
    struct lk_error error;
    double *inputs;

    if (lk_model_read_file(path, &model, &error) || lk_system_new(model, NULL, &system, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));
    assert_non_null(inputs);
    lkd_judge_begin(&judge, system, defaults.pivot_limit);
    for (int i = 0; i < (SANITIZED ? 100 : 500); i++) {
        int condition;

        choose_inputs(system, i, hold, inputs);
        assert_int_equal(lk_system_step(system, inputs), 0);
        lkd_judge_look(&judge, system, &found);
        condition = lkd_judge_rule(&defaults, &found, &beyond);
        if (condition >= 0)
            fail_msg("%s, step %d: condition %d: %g of %g", path, i, condition, beyond.value,
                     beyond.limit);
    }
    free(inputs);
    lk_system_free(system);
}

/* The example models never exceed a limit, whatever their inputs. */
static void test_example_models(void **state)
{
    struct dirent *entry;
    DIR *folder = opendir(models);
    int n = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        char path[1024];

        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof(path), "%s/%s", models, entry->d_name);
        judge_model(path, 20);
        judge_model(path, 1);
        n++;
    }
    closedir(folder);
    assert_true(n > 20);
}

/* Return the number of steps of a model within @seconds in which it is at a change point. */
static int change_points(const char *name, double seconds)
{
    const struct lkd_policy defaults = lkd_policy_default();
    struct lk_system *system;
    struct lk_model *model;
    struct lkd_judge judge;
    struct lk_error error;
    double *inputs;
    char path[1024];
    int n = 0;

    snprintf(path, sizeof(path), "%s/%s", models, name);
    if (lk_model_read_file(path, &model, &error) || lk_system_new(model, NULL, &system, &error))
        fail_msg("%s", error.text);
    lk_model_free(model);
    inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*inputs));
    assert_non_null(inputs);
    lkd_judge_begin(&judge, system, defaults.pivot_limit);
    for (int i = 0; i < (int)(seconds / lk_system_step_size(system)); i++) {
        assert_int_equal(lk_system_step(system, inputs), 0);
        lkd_judge_look(&judge, system, &found);
        n += found.dependent > 0;
    }
    free(inputs);
    lk_system_free(system);
    return n;
}

/* Models that pass through a change point, and models that do not, among them models with redundant
 * rows. All models over 60 s: doc/reference/fail-safes.md. */
static void test_change_points(void **state)
{
    (void)state;
    assert_true(change_points("four-bar.yaml", 10) > 0);
    assert_true(change_points("four-bar-vertical.yaml", 10) > 0);
    assert_true(change_points("ladder-2.yaml", 10) > 0);
    assert_true(change_points("../../tests/physics/machines/peaucellier.yaml", 1) > 0);
    assert_true(change_points("../../tests/physics/machines/pantograph.yaml", 1) > 0);
    assert_int_equal(change_points("closed-loop-four.yaml", 10), 0);
    assert_int_equal(change_points("double-closed-loop-eight.yaml", 5), 0);
    assert_int_equal(change_points("slider-crank.yaml", 10), 0);
    assert_int_equal(change_points("steering.yaml", 5), 0);
    assert_int_equal(change_points("chain-128.yaml", 0.5), 0);
}

/* A step with more dependent rows than usual is reported, until the higher number has lasted so
 * long that it counts as usual. */
static void test_rows(void **state)
{
    struct lkd_judge judge = {.usual = 4};

    (void)state;
    assert_int_equal(lkd_judge_rows(&judge, 4), 0);
    assert_int_equal(lkd_judge_rows(&judge, 2), 0);
    assert_int_equal(lkd_judge_rows(&judge, 4), 2);
    assert_int_equal(lkd_judge_rows(&judge, 2), 0);
    for (int i = 1; i < LKD_JUDGE_LASTING; i++)
        assert_int_equal(lkd_judge_rows(&judge, i % 2 ? 3 : 4), i % 2 ? 1 : 2);
    assert_int_equal(lkd_judge_rows(&judge, 3), 0);
    assert_int_equal(lkd_judge_rows(&judge, 3), 0);
    assert_int_equal(lkd_judge_rows(&judge, 2), 0);
    assert_int_equal(lkd_judge_rows(&judge, 4), 1);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_balanced, begin),
        cmocka_unit_test_setup(test_one_step, begin),
        cmocka_unit_test_setup(test_growth, begin),
        cmocka_unit_test_setup(test_losses, begin),
        cmocka_unit_test_setup(test_cancels, begin),
        cmocka_unit_test_setup(test_round_off, begin),
        cmocka_unit_test_setup(test_bounds, begin_rules),
        cmocka_unit_test_setup(test_residual, begin_rules),
        cmocka_unit_test_setup(test_thresholds, begin_rules),
        cmocka_unit_test_setup(test_energy, begin_rules),
        cmocka_unit_test(test_change_points),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_example_models),
    };

    if (argc != 2)
        return 1;
    models = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
