/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include "linkage/errors.h"
#include "linkage/parameters.h"
#include "linkage/state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* read the model as the daemon did, with its external values */
static struct lk_model *read_model(const Linkage__V1__ModelText *text, const char *roads,
                                   struct lk_errors *errors)
{
    struct lk_settings settings = {0};
    struct lk_model *model = NULL;
    int r = 0;

    for (size_t i = 0; i < text->n_settings && r == 0; i++)
        r = lk_settings_add(&settings, text->settings[i]->path, text->settings[i]->value);
    if (r == 0)
        r = lk_model_read_text_with(roads, text->name, (const char *)text->text.data,
                                    text->text.len, settings.list, settings.n, &model, errors);
    lk_settings_fini(&settings);
    return r == 0 ? model : NULL;
}

int ahead_new(const Linkage__V1__ModelText *text, const char *roads, struct ahead *ret,
              struct lk_error *error)
{
    struct lk_errors errors = {0};
    struct lk_model *model = read_model(text, roads, &errors);
    struct ahead a = {.known = false};
    int r = -EINVAL;

    if (model == NULL)
        lk_error_set(error, "%s", errors.n > 0 ? errors.line[0].text : "out of memory");
    else
        r = lk_system_new(model, NULL, &a.system, error);
    lk_model_free(model);
    if (r != 0)
        return r;
    a.channels = lk_system_input_channels(a.system, &a.n_channels);
    a.n = lk_system_input_size(a.system);
    a.acting = calloc((size_t)a.n + 1, sizeof(double));
    a.slope = calloc((size_t)a.n + 1, sizeof(double));
    a.inputs = calloc((size_t)a.n + 1, sizeof(double));
    if (a.acting == NULL || a.slope == NULL || a.inputs == NULL) {
        lk_error_set(error, "out of memory");
        ahead_free(&a);
        return -ENOMEM;
    }
    *ret = a;
    return 0;
}

void ahead_free(struct ahead *a)
{
    lk_system_free(a->system);
    free(a->acting);
    free(a->slope);
    free(a->inputs);
    *a = (struct ahead){.known = false};
}

int ahead_take(struct ahead *a, const Linkage__V1__StateCopy *copy, struct lk_error *error)
{
    double since;
    int r;

    if (copy->n_acting != (size_t)a->n) {
        lk_error_set(error, "a copy with %zu inputs, expected %d", copy->n_acting, a->n);
        return -EINVAL;
    }
    r = lk_system_state_set(a->system, copy->state.data, copy->state.len, error);
    if (r != 0)
        return r;
    since = lk_system_time(a->system) - a->time_s;
    for (int i = 0; i < a->n; i++) {
        bool follows = a->known && since > 0 && since <= AHEAD_SLOPE_S;

        a->slope[i] = follows ? (copy->acting[i] - a->acting[i]) / since : 0;
        a->acting[i] = copy->acting[i];
    }
    a->time_s = lk_system_time(a->system);
    a->known = true;
    return 0;
}

int ahead_run(struct ahead *a, int steps, bool holds)
{
    int r = 0;

    for (int k = 0; k < steps && r == 0; k++) {
        double since = lk_system_time(a->system) - a->time_s;

        for (int c = 0; c < a->n_channels; c++)
            for (int i = a->channels[c].offset; i < a->channels[c].offset + a->channels[c].size;
                 i++) {
                double value = a->acting[i] + (holds ? 0 : since * a->slope[i]);

                a->inputs[i] = fmin(fmax(value, a->channels[c].low), a->channels[c].high);
            }
        r = lk_system_step(a->system, a->inputs);
    }
    return r;
}
