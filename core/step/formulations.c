/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the library: a new one is a file of its own and a line here. Formulations that are
 * equations of motion for any explicit integrator have a registry of their own, see
 * core/formulations/registry.h, and one step in common. */
#include "formulations/formulations.h"
#include "step/system.h"
#include <stdio.h>
#include <string.h>

static const struct lk_formulation *const formulations[] = {
    &lk_formulation_ali3,
    &lk_formulation_euler,
    &lk_formulation_rk4,
};

const struct lk_formulation *lk_formulation_find(const char *name, enum lk_coordinates coordinates)
{
    const char *variant;

    for (size_t i = 0; i < sizeof(formulations) / sizeof(*formulations); i++)
        if (strcmp(formulations[i]->name, name) == 0 && formulations[i]->coordinates == coordinates)
            return formulations[i];
    if (coordinates == LK_COORDINATES_LIE && lk_equations_find_fixed(name, &variant))
        return &lk_formulation_explicit;
    return NULL;
}

/* a formulation that there is, with a variant that there is not. Return: 0: it is none of these */
static int refuse_variant(const char *name, struct lk_error *ret_error)
{
    const struct lk_equations *e;
    const char *variant;
    char base[LK_NAME_SIZE], known[LK_NAME_SIZE] = "";

    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, ":"), name);
    e = lk_equations_find_fixed(base, &variant);
    if (!e || strcmp(base, name) == 0)
        return 0;
    for (int i = 0; e->variants && e->variants[i]; i++)
        snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i > 0 ? ", " : "",
                 e->variants[i]);
    lk_error_set(ret_error, "no formulation '%s', expected %s, or with a colon one of %s", name,
                 base, known);
    return 1;
}

void lk_formulation_refuse(const struct lk_model *m, struct lk_error *ret_error)
{
    const char *name = m->solver.formulation, *why = lk_formulation_why_offline(name);

    if (m->solver.coordinates != LK_COORDINATES_LIE)
        lk_error_set(ret_error,
                     "no formulation '%s' with coordinates: euler-parameters, expected "
                     "ali3",
                     name);
    else if (why)
        lk_error_set(ret_error,
                     "formulation '%s' has no fixed work a step: %s; expected one that has (ali3, "
                     "rk4, dca, hdca, recursive), or linkage run and linkage compare instead",
                     name, why);
    else if (!refuse_variant(name, ret_error))
        lk_error_set(ret_error, "no formulation '%s', expected ali3, rk4, dca, hdca or recursive",
                     name);
}
