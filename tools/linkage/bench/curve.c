/* SPDX-License-Identifier: Apache-2.0 */
/* The predicted step on more workers: phases of tasks, each with its measured time, with forks and
 * joins between them. */
#include "bench.h"
#include "simulate.h"

/* a cache line that the caller fetches from each worker's core, one after another */
#define MORE_NS 100.0
/* cache lines that a worker fetches one after another before the processor prefetches: what the
 * order points to, what that points to, and the first of the values. Without them the prediction
 * for two workers is a fifth too short if phases take a few us. */
#define HAND_LINES 3

int bench_curve(double fork_ns, double meeting_ns, struct bench_result *result)
{
    const struct bench_profile *p = &result->profile;
    const struct simulate_shared step = {
        .n_phases = p->n_phases,
        .phases = p->phases,
        .after_ns = p->after_ns,
        .fork_ns = fork_ns,
        .more_ns = MORE_NS,
        .hand_ns = HAND_LINES * meeting_ns,
    };
    int r = 0;

    for (int w = 1; w <= BENCH_WORKERS_MAX && r == 0; w++)
        r = simulate_shared(&step, w, &result->curve_ns[w - 1]);
    result->has_curve = r == 0;
    return r;
}
