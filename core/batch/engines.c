/* SPDX-License-Identifier: Apache-2.0 */
/* The table of engines and the choice among them. */
#include "batch/engines.h"
#include <stdlib.h>
#include <string.h>

int lk_engine_has_avx512(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

int lk_engine_has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

int lk_engine_has_two(void)
{
    return 1;
}

int lk_engine_has_one(void)
{
    return 1;
}

const struct lk_engine *const lk_engines[] = {
#if defined(__x86_64__)
    &lk_engine_avx512,   &lk_engine_avx2,
#endif
    &lk_engine_portable, &lk_engine_scalar, NULL,
};

static const struct lk_engine *named(void)
{
    const char *name = getenv("LINKAGE_ENGINE");

    for (int i = 0; name && lk_engines[i]; i++)
        if (strcmp(lk_engines[i]->name, name) == 0 && lk_engines[i]->is_supported())
            return lk_engines[i];
    return NULL;
}

int lk_engine_is_named(void)
{
    return named() != NULL;
}

int lk_engine_check(struct lk_error *ret_error)
{
    const char *name = getenv("LINKAGE_ENGINE");
    char known[64] = "";

    if (!name || strcmp(name, "none") == 0 || named())
        return 0;
    for (int i = 0; lk_engines[i]; i++)
        if (lk_engines[i]->is_supported()) {
            strcat(known, lk_engines[i]->name);
            strcat(known, ", ");
        }
    lk_error_set(ret_error, "LINKAGE_ENGINE is '%s', expected %snone, or no such variable", name,
                 known);
    return LK_E_MODEL;
}

const struct lk_engine *lk_engine_best(void)
{
    const char *name = getenv("LINKAGE_ENGINE");

    if (name && strcmp(name, "none") == 0)
        return NULL;
    if (named())
        return named();
    for (int i = 0; lk_engines[i]; i++)
        if (lk_engines[i]->is_supported())
            return lk_engines[i];
    return NULL;
}
