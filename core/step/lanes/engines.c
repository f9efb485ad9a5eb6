/* SPDX-License-Identifier: Apache-2.0 */
/* The table of engines, and functions of formulations that step in lanes. */
#include "step/lanes/engines.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/lanes/rare.h"
#include "step/rattle_state.h"
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
#ifdef LK_BUILT_AVX512
    &lk_engine_avx512,
#endif
#ifdef LK_BUILT_AVX2
    &lk_engine_avx2,
#endif
#ifdef LK_BUILT_PORTABLE
    &lk_engine_portable,
#endif
#ifdef LK_BUILT_SCALAR
    &lk_engine_scalar,
#endif
    NULL,
};

const struct lk_engine *lk_engine_find(const char *name)
{
    for (int i = 0; lk_engines[i]; i++)
        if (strcmp(lk_engines[i]->name, name) == 0 && lk_engines[i]->is_supported())
            return lk_engines[i];
    return NULL;
}

void lk_engines_here(const struct lk_engine *ret[LK_ENGINES_MAX + 1])
{
    int n = 0;

    for (int i = 0; lk_engines[i]; i++)
        if (lk_engines[i]->is_supported())
            ret[n++] = lk_engines[i];
    ret[n] = NULL;
}

const char *lk_system_engine(const struct lk_system *system)
{
    return system->batches ? system->batches->engine->name : "one by one";
}

void lk_lanes_rattle_begin(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;

    lk_stops_find(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        lk_rattle_begin_body(sys, b);
        if (p->rare)
            lk_rare_body(sys, p, b);
    }
    if (p->rare)
        lk_rare_find_tense(sys, p);
    for (int i = 0; i < sys->n_laws; i++)
        sys->now.tangent[i] = LK_DECOUPLED;
}
