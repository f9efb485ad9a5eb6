/* SPDX-License-Identifier: Apache-2.0 */
#include "machines.h"
#include "cmocka_all.h"
#include "trajectory.h"
#include <math.h>
#include <string.h>

struct lk_system *machine(const char *path, const char *const *replace, double h, int iterations)
{
    struct lk_model *model = trajectory_model(path, replace);
    struct lk_options options = {.step = h, .iterations = iterations};
    struct lk_system *sys = NULL;
    struct lk_error error;

    if (lk_system_new(model, &options, &sys, &error) != 0)
        fail_msg("%s: %s", path, error.text);
    lk_model_free(model);
    return sys;
}

double machine_output(const struct lk_system *sys, const char *name, int component)
{
    double values[128];
    int n;
    const struct lk_channel *channel = lk_system_output_channels(sys, &n);

    assert_true(lk_system_output_size(sys) <= 128);
    lk_system_outputs(sys, values);
    for (int i = 0; i < n; i++)
        if (strcmp(channel[i].name, name) == 0)
            return values[channel[i].offset + component];
    fail_msg("no output '%s'", name);
    return NAN;
}

void machine_advance(struct lk_system *sys, int steps, const double *inputs)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(lk_system_step(sys, inputs), 0);
}
