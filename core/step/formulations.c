/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of formulations: a new one is a file of its own and a line here. */
#include "step/system.h"
#include <string.h>

static const struct lk_formulation *const formulations[] = {
    &lk_formulation_ali3,
    &lk_formulation_euler,
    &lk_formulation_rk4,
};

const struct lk_formulation *lk_formulation_find(const char *name, enum lk_coordinates coordinates)
{
    for (size_t i = 0; i < sizeof(formulations) / sizeof(*formulations); i++)
        if (strcmp(formulations[i]->name, name) == 0 && formulations[i]->coordinates == coordinates)
            return formulations[i];
    return NULL;
}
