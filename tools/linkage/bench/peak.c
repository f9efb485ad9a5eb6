/* SPDX-License-Identifier: Apache-2.0 */
/* Measurement of the peak arithmetic of one core: multiply-adds in registers. The same source is
 * compiled once for each vector instruction set that an engine of the step uses
 * (core/step/lanes/engines.c). Unsupported sets are not run. */
#include "bench.h"
#include "commands.h"

#include <stdlib.h>
#include <string.h>

/* Number of independent chains of dependent multiply-adds. There are enough chains to keep two
 * units busy, each with a latency of four cycles, and few enough for sixteen registers. */
#define CHAINS 12
#define ROUND  10000 /* multiply-adds per chain between two readings of the clock */

/* volatile, so that the compiler can neither evaluate the start values and factors in advance nor
 * remove the results. */
static volatile double unknown = 0.999;
static volatile double sink;

/* fma_<name>(): ROUND multiply-adds x := x a + b in each of CHAINS chains; a below 1 keeps x
 * finite. */
#define KERNELS(name, lanes, target)                                                               \
    typedef double vector_##name __attribute__((vector_size(8 * (lanes))));                        \
                                                                                                   \
    target static void fma_##name(void)                                                            \
    {                                                                                              \
        double start = unknown;                                                                    \
        vector_##name a, b, x[CHAINS];                                                             \
                                                                                                   \
        for (int k = 0; k < (lanes); k++) {                                                        \
            a[k] = start;                                                                          \
            b[k] = 1 - start;                                                                      \
        }                                                                                          \
        for (int c = 0; c < CHAINS; c++)                                                           \
            x[c] = b * (double)c;                                                                  \
        for (int i = 0; i < ROUND; i++)                                                            \
            for (int c = 0; c < CHAINS; c++)                                                       \
                x[c] = x[c] * a + b;                                                               \
        for (int c = 1; c < CHAINS; c++)                                                           \
            x[0] += x[c];                                                                          \
        sink = x[0][0];                                                                            \
    }

#if defined(__x86_64__)
KERNELS(avx512, 8, __attribute__((target("avx512f,avx512dq,avx512vl,fma"))))
KERNELS(avx2, 4, __attribute__((target("avx2,fma"))))

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif
KERNELS(portable, 2, )

static bool has_portable(void)
{
    return true;
}

/** struct sort - a vector instruction set, named like the engine that uses it; widest first. */
static const struct sort {
    const char *name;
    int lanes;
    bool (*is_there)(void);
    void (*fma)(void);
} sorts[] = {
#if defined(__x86_64__)
    {"avx512", 8, has_avx512, fma_avx512},
    {"avx2", 4, has_avx2, fma_avx2},
#endif
    {"portable", 2, has_portable, fma_portable},
};
#define N_SORTS (int)(sizeof(sorts) / sizeof(sorts[0]))

/* Return the instruction set of the engine that liblinkage selects on this processor: the widest
 * one, or the one named in the environment. */
static const struct sort *sort_of_step(void)
{
    const char *name = getenv("LINKAGE_ENGINE");
    const struct sort *widest = NULL;

    for (int i = 0; i < N_SORTS; i++) {
        if (!sorts[i].is_there())
            continue;
        if (widest == NULL)
            widest = &sorts[i];
        if (name != NULL && strcmp(sorts[i].name, name) == 0)
            return &sorts[i];
    }
    /* The scalar engine is only a reference for tests. For the portable engine the peak of the
     * widest set is returned, because it shows the unused potential. */
    return name != NULL && strcmp(name, "scalar") == 0 ? &sorts[N_SORTS - 1] : widest;
}

/* Return the peak rate from the fastest round, because other rounds may have been disturbed. */
static double best_flops(void (*round)(void), double flops, double time_s)
{
    double begin = now_s(), best = 0, last = begin, now;

    do {
        round();
        now = now_s();
        if (now > last && flops / (now - last) > best)
            best = flops / (now - last);
        last = now;
    } while (now - begin < time_s);
    return best;
}

void bench_peak_measure(double time_s, struct bench_peak *ret)
{
    const struct sort *of_step = sort_of_step();

    ret->n_units = 0;
    for (int i = 0; i < N_SORTS; i++) {
        struct bench_unit *unit = &ret->units[ret->n_units];

        if (!sorts[i].is_there())
            continue;
        *unit = (struct bench_unit){sorts[i].name, sorts[i].lanes, 0};
        unit->flops =
            best_flops(sorts[i].fma, 2.0 * unit->lanes * CHAINS * ROUND, time_s / N_SORTS);
        if (&sorts[i] == of_step)
            ret->step = *unit;
        ret->n_units++;
    }
}
