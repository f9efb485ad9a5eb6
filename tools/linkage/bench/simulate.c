/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

static double sum_of_tasks(const struct simulate_phase *phase, int first, int end)
{
    double sum = 0;

    for (int t = first; t < end; t++)
        sum += phase->task_ns[t];
    return sum;
}

static bool is_shared(const struct simulate_phase *phase, int workers)
{
    return workers > 1 && phase->n_tasks > 1;
}

/* The first worker gives the order and begins immediately; the others begin when they have read it,
 * and the first reads in turn that they are done: this covers the whole fork and join. */
static double phase_time(const struct simulate_shared *s, const struct simulate_phase *phase,
                         int workers)
{
    double others_ns = s->fork_ns + s->more_ns * (workers - 2) + s->hand_ns, time = 0;
    int n = phase->n_tasks;

    if (!is_shared(phase, workers))
        return sum_of_tasks(phase, 0, n);
    for (int k = 0; k < workers; k++)
        time = fmax(time, sum_of_tasks(phase, n * k / workers, n * (k + 1) / workers) +
                              (k > 0 ? others_ns : 0));
    return time + s->hand_ns;
}

int simulate_shared(const struct simulate_shared *s, int n_workers, double *ret_step_ns)
{
    double time = s->after_ns;

    if (n_workers < 1 || n_workers > SIMULATE_WORKERS_MAX || s->n_phases < 0)
        return -EINVAL;
    for (int i = 0; i < s->n_phases; i++)
        if (s->phases[i].n_tasks < 0)
            return -EINVAL;
    for (int i = 0; i < s->n_phases; i++)
        time += s->phases[i].before_ns + phase_time(s, &s->phases[i], n_workers);
    *ret_step_ns = time;
    return 0;
}
