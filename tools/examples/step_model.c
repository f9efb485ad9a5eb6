/* SPDX-License-Identifier: Apache-2.0 */
/* A program outside this source tree. It reads a model, simulates one second, and prints the
 * outputs.
 *
 *     cc step_model.c $(pkg-config --cflags --libs linkage) -o step_model
 *     ./step_model /usr/share/linkage/models/pendulum.yaml */
#include <linkage/linkage.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const struct lk_error *error)
{
    fprintf(stderr, "step_model: %s\n", error->text);
    return 1;
}

static void print_outputs(const struct lk_system *system)
{
    int n;
    const struct lk_channel *channel = lk_system_output_channels(system, &n);
    double *values = calloc((size_t)lk_system_output_size(system) + 1, sizeof(*values));

    if (!values)
        return;
    lk_system_outputs(system, values);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < channel[i].size; k++)
            printf("%s%s%s %.17g %s\n", channel[i].name, *channel[i].component[k] ? "." : "",
                   channel[i].component[k], values[channel[i].offset + k], channel[i].unit[k]);
    free(values);
}

/* Return the initial values of all inputs, on the heap. */
static double *initial_inputs(const struct lk_system *system)
{
    int n;
    const struct lk_channel *channel = lk_system_input_channels(system, &n);
    double *values = calloc((size_t)lk_system_input_size(system) + 1, sizeof(*values));

    for (int i = 0; values && i < n; i++)
        for (int k = 0; k < channel[i].size; k++)
            values[channel[i].offset + k] = channel[i].initial;
    return values;
}

int main(int argc, char **argv)
{
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;
    double *inputs;
    int code;

    if (argc != 2) {
        fprintf(stderr, "usage: step_model MODEL\n");
        return 2;
    }
    if (lk_model_read_file(argv[1], &model, &error) != 0)
        return fail(&error);
    code = lk_system_new(model, NULL, &system, &error);
    lk_model_free(model);
    if (code != 0)
        return fail(&error);
    inputs = initial_inputs(system);
    while (inputs && code == 0 && lk_system_time(system) < 1.0)
        code = lk_system_step(system, inputs);
    print_outputs(system);
    free(inputs);
    lk_system_free(system);
    return code != 0;
}
