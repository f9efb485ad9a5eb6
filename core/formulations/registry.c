/* SPDX-License-Identifier: Apache-2.0 */
#include "formulations/formulations.h"
#include <string.h>

#define ENTRY(name, symbol) &symbol,
static const struct lk_equations *const fixed[] = {LK_FORMULATIONS_FIXED(ENTRY)};
#undef ENTRY

static const struct offline {
    const char *name;
    const char *why;
} offline[] = {
#define ENTRY(name, symbol, why) {name, why},
    LK_FORMULATIONS_OFFLINE(ENTRY)
#undef ENTRY
};

static int is_called(const char *known, const char *name, const char **ret_variant)
{
    size_t n = strcspn(name, ":");

    *ret_variant = name[n] ? name + n + 1 : "";
    return strlen(known) == n && strncmp(known, name, n) == 0;
}

static int has_variant(const struct lk_equations *e, const char *variant)
{
    for (int i = 0; e->variants && e->variants[i]; i++)
        if (strcmp(e->variants[i], variant) == 0)
            return 1;
    return !*variant;
}

const struct lk_equations *lk_equations_find_fixed(const char *name, const char **ret_variant)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        if (is_called(fixed[i]->name, name, ret_variant))
            return has_variant(fixed[i], *ret_variant) ? fixed[i] : NULL;
    return NULL;
}

const char *lk_formulation_why_offline(const char *name)
{
    const char *variant;

    for (size_t i = 0; i < sizeof(offline) / sizeof(*offline); i++)
        if (is_called(offline[i].name, name, &variant))
            return offline[i].why;
    return NULL;
}
