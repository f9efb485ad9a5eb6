/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a system whose inputs keep their initial values. */
#ifndef TESTS_PHYSICS_UNDISTURBED_H
#define TESTS_PHYSICS_UNDISTURBED_H

#include "cmocka_all.h"
#include "linkage/linkage.h"
#include <stdlib.h>

/** step_undisturbed() - Make up to @n steps. Return: the number of steps made. */
static inline int step_undisturbed(struct lk_system *system, int n)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(double));
    int i = 0, channels;
    const struct lk_channel *c = lk_system_input_channels(system, &channels);

    assert_non_null(inputs);
    for (int k = 0; k < channels; k++)
        for (int at = 0; at < c[k].size; at++)
            inputs[c[k].offset + at] = c[k].initial;
    while (i < n && lk_system_step(system, inputs) == 0)
        i++;
    free(inputs);
    return i;
}

#endif
