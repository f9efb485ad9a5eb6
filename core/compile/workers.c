/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/workers.h"
#include "linkage/linkage.h"
#include "linkage/pool.h"
#include "maths/arithmetic.h"

/* largest time with several workers, as a fraction of the time with one: cores have other uses */
#define LK_WORTH 0.9
#define LK_CLOSE 1.05

double lk_workers_time(const struct lk_step_cost *cost, int n_workers)
{
    double time_ns = cost->serial_ns;

    for (int i = 0; i < cost->n_phases; i++) {
        const struct lk_phase_cost *phase = &cost->phase[i];
        double share = phase->work_ns / n_workers;

        time_ns += share > phase->largest_ns ? share : phase->largest_ns;
        if (n_workers > 1)
            time_ns += LK_MEETING_NS + LK_MEETING_MORE_NS * (n_workers - 2);
    }
    return time_ns;
}

int lk_workers_useful(const struct lk_step_cost *cost, int n_max)
{
    double alone = lk_workers_time(cost, 1), best = alone;
    int n = 1;

    for (int k = 2; k <= n_max; k++) {
        double time = lk_workers_time(cost, k);

        best = time < best ? time : best;
    }
    if (cost->n_phases == 0 || best > LK_WORTH * alone)
        return 1;
    while (n < n_max && lk_workers_time(cost, n) > LK_CLOSE * best)
        n++;
    return n;
}

int lk_system_shares_work(const struct lk_system *system)
{
    const struct lk_formulation *f = system->formulation;

    return system->cost.n_phases > 0 || (f->shares_work && f->shares_work(system));
}

int lk_system_workers_useful(const struct lk_system *system)
{
    LK_ARITHMETIC;

    return lk_workers_useful(&system->cost, LK_POOL_MAX);
}
