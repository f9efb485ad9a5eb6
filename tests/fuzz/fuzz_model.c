/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a model: refused with one line, or compiled and stepped without harm. */
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "linkage/scene.h"
#include "model/model.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_MAX 64 /* larger models only cost time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void step(struct lk_system *system)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(double));
    double *outputs = calloc((size_t)lk_system_output_size(system) + 1, sizeof(double));

    if (inputs == NULL || outputs == NULL)
        abort();
    for (int i = 0; i < 3; i++)
        lk_system_step(system, inputs);
    lk_system_outputs(system, outputs);
    free(inputs);
    free(outputs);
}

/* Select another formulation for the same model, depending on the length of the input. */
static void choose_formulation(struct lk_model *model, size_t size)
{
    static const char *const others[] = {NULL, "dca", "hdca:corrected", "recursive",
                                         "recursive:projected"};
    const char *name = others[size % (sizeof(others) / sizeof(*others))];

    if (name != NULL)
        snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s", name);
}

/* Check that a refusal is one line that is not empty. */
static void check_line(const struct lk_error *error)
{
    if (error->text[0] == '\0' || strlen(error->text) >= sizeof(error->text) ||
        strchr(error->text, '\n') != NULL)
        abort();
}

/* Check that all lines begin with their place and that no two are equal. */
static void check_lines(const struct lk_errors *errors)
{
    if (errors->n < 1 || errors->n > LK_ERRORS_MAX)
        abort();
    for (int i = 0; i < errors->n; i++) {
        check_line(&errors->line[i]);
        if (strncmp(errors->line[i].text, "fuzz:", 5) != 0)
            abort();
        for (int k = 0; k < i; k++) {
            if (strcmp(errors->line[i].text, errors->line[k].text) == 0)
                abort();
        }
    }
}

/* Check that every number of the model's scene is finite. */
static void look(const struct lk_model *model)
{
    struct lk_scene *scene;

    if (lk_scene_new(model, &scene) != 0)
        abort();
    for (int i = 0; i < scene->n_shapes; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(scene->shape[i].position[k]) || !isfinite(scene->shape[i].size[k]))
                abort();
    for (int i = 0; i < scene->n_joints; i++) {
        struct lk_scene_gap gap;

        lk_scene_gap(scene, i, scene->drawn, &gap);
        if (!isfinite(gap.shift) || !isfinite(gap.tilt))
            abort();
    }
    lk_scene_free(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lk_model *model = NULL;
    struct lk_system *system = NULL;
    struct lk_errors errors = {0};
    struct lk_error error = {""};

    if (lk_model_read_text_all("fuzz", (const char *)data, size, &model, &errors) != 0) {
        check_lines(&errors);
        return 0;
    }
    choose_formulation(model, size);
    if (model->n_bodies <= BODIES_MAX) {
        look(model);
        if (lk_system_new(model, NULL, &system, &error) == 0)
            step(system);
        else
            check_line(&error);
    }
    lk_system_free(system);
    lk_model_free(model);
    return 0;
}
