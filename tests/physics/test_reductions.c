/* SPDX-License-Identifier: Apache-2.0 */
/* The reductions that the compiler makes do not change the motion: all models are compared with and
 * without them. */
#include "cmocka_all.h"
#include "linkage/linkage.h"
#include "linkage/treatment.h"
#include "model/model.h"
#include "undisturbed.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 40

static struct lk_model *read_model(const char *folder, const char *file)
{
    struct lk_model *model;
    struct lk_error error;
    char path[512];

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    if (lk_model_read_file(path, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

static struct lk_system *compile(const struct lk_model *model, const char *engine)
{
    struct lk_options options = {.engine = engine};
    struct lk_system *system = NULL;
    struct lk_error error;

    if (lk_system_new(model, &options, &system, &error) != 0)
        fail_msg("%s: %s", model->name, error.text);
    return system;
}

/* Return the largest distance between two poses of @model, relative to its extent. */
static double distance(const struct lk_model *model, const struct lk_system *a,
                       const struct lk_system *b)
{
    double far = 0, size = 1;

    for (int k = 0; k < model->n_bodies; k++) {
        struct lk_body_state p, q;

        lk_system_body_state(a, k, &p);
        lk_system_body_state(b, k, &q);
        for (int i = 0; i < 3; i++) {
            size = fmax(size, fabs(p.position[i]));
            far = fmax(far, fabs(p.position[i] - q.position[i]));
        }
        for (int i = 0; i < 4; i++)
            far = fmax(far, fabs(p.orientation[i] - q.orientation[i]));
    }
    return far / size;
}

static double largest; /* largest error of all models but one */

/* Return the tolerance: four times the largest difference in builds with and without contraction of
 * products and sums. That of a car is 9e-10. A tonne swings below two rods of 1 kg: the
 * regularisation of their rows, with forces of 10 kN, moves the knee by 4e-9. */
static double tolerance(const struct lk_model *model)
{
    return strcmp(model->name, "hung-tonne") == 0 ? 2e-8 : 4e-9;
}

static void compare(const char *folder, const char *file, const char *engine, unsigned reductions)
{
    struct lk_model *model = read_model(folder, file);
    struct lk_system *with = compile(model, engine), *without;
    double far;

    model->solver.reductions = reductions;
    without = compile(model, engine);
    assert_int_equal(step_undisturbed(with, STEPS), step_undisturbed(without, STEPS));
    far = distance(model, with, without);
    if (strcmp(model->name, "hung-tonne") != 0)
        largest = fmax(largest, far);
    if (!(far < tolerance(model)))
        fail_msg("%s, engine %s, reductions %x: %g of its size off", model->name, engine,
                 reductions, far);
    lk_system_free(with);
    lk_system_free(without);
    lk_model_free(model);
}

static void compare_folder(const char *folder, const char *engine, unsigned reductions)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    int n = 0;

    assert_non_null(all);
    while ((entry = readdir(all)))
        if (strstr(entry->d_name, ".yaml")) {
            compare(folder, entry->d_name, engine, reductions);
            n++;
        }
    closedir(all);
    assert_true(n > 10);
}

/* Without any reduction, then with more and more of them. */
static void test_all(void **state)
{
    (void)state;
    for (unsigned left = 0; left < LK_REDUCTIONS_ALL; left = 2 * left + 1) {
        compare_folder("config/models", "none", left);
        compare_folder("tests/physics/machines", "none", left);
    }
    compare_folder("config/models", "auto", 0);
    compare_folder("tests/physics/machines", "auto", 0);
    printf("    at most %.1e of its size off after %d steps\n", largest, STEPS);
}

static unsigned used_by(const struct lk_model *model)
{
    struct lk_system *system = compile(model, "none");
    struct lk_treatment treatment;
    unsigned used;

    assert_int_equal(lk_treatment_init(model, system, &treatment), 0);
    used = treatment.reductions;
    lk_treatment_fini(&treatment);
    lk_system_free(system);
    return used;
}

/* Return twelve arms on a hub, with the split of bodies as the only reduction. */
static struct lk_model *star(void)
{
    char text[8192];
    int n = snprintf(text, sizeof(text),
                     "linkage: 1\nname: star\nsolver: {reductions: [splits]}\nbodies:\n"
                     "  hub: {mass: 10, inertia: [1, 1, 1], position: [0, 0, 0]}\n");
    struct lk_model *model;
    struct lk_error error;

    for (int i = 0; i < 12; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  arm%d: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [%.6f, %.6f, 0]}\n",
                      i, 1.5 * cos(i), 1.5 * sin(i));
    n += snprintf(text + n, sizeof(text) - (size_t)n, "joints:\n");
    for (int i = 0; i < 12; i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n,
                      "  j%d: {type: spherical, bodies: [hub, arm%d], point: [%.6f, %.6f, 0]}\n", i,
                      i, cos(i), sin(i));
    if (lk_model_read_text("star", text, (size_t)n, &model, &error) != 0)
        fail_msg("%s", error.text);
    return model;
}

/* Each reduction is used by some model, and not used if it is switched off. */
static void test_switch(void **state)
{
    struct lk_model *models[] = {read_model("config/models", "four-bar.yaml"),
                                 read_model("config/models", "sedan.yaml"), star(),
                                 read_model("config/models", "chain-8.yaml")};

    (void)state;
    for (unsigned k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
        assert_true(used_by(models[k]) & 1u << k);
        models[k]->solver.reductions &= ~(1u << k);
        assert_false(used_by(models[k]) & 1u << k);
        models[k]->solver.reductions = 0;
        assert_int_equal(used_by(models[k]), 0);
        lk_model_free(models[k]);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *solver;
        const char *error;
    } cases[] = {
        {"{reductions: some}", "m:2:22: reductions is 'some', expected all, none, or a list of "
                               "those to use: planar, hubs, splits, independent-rows"},
        {"{reductions: [hubs, lanes]}", "m:2:29: a reduction is 'lanes', expected planar, hubs, "
                                        "splits, independent-rows"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        struct lk_model *model;
        struct lk_error error;
        int n = snprintf(text, sizeof(text),
                         "linkage: 1\nsolver: %s\nname: one\nbodies:\n  a: {mass: 1, inertia: [1, "
                         "1, 1], position: [0, 0, 0]}\n",
                         cases[i].solver);

        assert_int_equal(lk_model_read_text("m", text, (size_t)n, &model, &error), LK_E_TEXT);
        assert_string_equal(error.text, cases[i].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
