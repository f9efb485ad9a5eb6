/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of a step as a sum of work times price (prices.h). The prices reproduce the times from which
 * they were fitted to within 20 %; the choice of an engine only needs ratios. */
#include "compile/batch/cost.h"
#include "compile/draft.h"
#include "step/scripts/rattle.h"
#include <math.h>
#include <string.h>

/* the steps that prices were measured with: ali3's */
#define PRICED_FACTORS 2
#define PRICED_SOLVES  5

/* What a step does beside its solves, in solves: rattle, with eleven, takes 1.2 to 1.5 times ali3
 * in lanes and 1.2 to 1.4 times one by one, on chains, trees and ladders of 8 to 40 bodies. */
#define BESIDE_SOLVES         12
#define BESIDE_SOLVES_CLASSIC 25

/* work at bodies and rows, relative to those */
static double sweeps_beside(const struct lk_lane_effort *effort, double beside)
{
    return (effort->n_solves + beside) / (PRICED_SOLVES + beside);
}

static double sweeps_of(const struct lk_lane_effort *effort)
{
    return sweeps_beside(effort, BESIDE_SOLVES);
}

/* likewise operations of a front */
static double share_of(const struct lk_lane_effort *effort, double factor, double solve)
{
    return (effort->n_factors * factor + effort->n_solves * solve) /
           (PRICED_FACTORS * factor + PRICED_SOLVES * solve);
}

static void add_front(const struct lk_batches *p, const struct lk_batch_front *f,
                      double work[LK_BATCH_WORKS])
{
    double factor = lk_front_flops(f->e, f->n - f->e), more = f->merge >= 0 ? 1 : LK_GENERAL;
    double flops = factor * share_of(&p->effort, factor, lk_front_solve_flops(f->e, f->n - f->e));
    double sweeps = sweeps_of(&p->effort);
    int is_far = 0;

    for (int i = f->first_child; i < f->first_child + f->n_children; i++)
        is_far |= p->children[i].remainder.map >= 0;
    for (int i = f->first_element; i < f->first_element + f->n_elements; i++)
        is_far |= p->elements[i].body.map >= 0;
    work[f->merge >= 0 ? LK_WORK_FRONTS : LK_WORK_GENERAL_FRONTS] += sweeps;
    work[f->merge >= 0 ? LK_WORK_FRONT_FLOPS : LK_WORK_GENERAL_FLOPS] += flops;
    if (is_far) {
        work[LK_WORK_FAR_FRONTS] += more * sweeps;
        work[LK_WORK_FAR_FLOPS] += more * flops;
    }
}

/* Products of the root in its factor and its solutions. On a Zen 5, of chain-32 by rattle, one
 * takes 0.6 ns in a factor and 0.4 in a solution (by the shares of `perf record` of linkage run),
 * where an operation of a front takes 0.5. */
#define ROOT_PRODUCT 0.8

static void add_root(const struct lk_batches *p, double work[LK_BATCH_WORKS])
{
    double n = p->n_root_rows, vectors = lk_root_stride(p->lanes, p->n_root_rows) / p->lanes;
    double factor = 2.0 / 3 * n * n * vectors, solve = 2 * n * vectors;

    work[LK_WORK_FRONTS] += sweeps_of(&p->effort);
    work[LK_WORK_FRONT_FLOPS] +=
        ROOT_PRODUCT * (p->effort.n_factors * factor + p->effort.n_solves * solve);
}

static void add_op(const struct lk_batches *p, const struct lk_batch_op *op,
                   double work[LK_BATCH_WORKS])
{
    switch (op->what) {
    case LK_BATCH_BODIES:
        work[LK_WORK_BODIES] += sweeps_of(&p->effort);
        break;
    case LK_BATCH_JOINTS:
        work[LK_WORK_ROWS] +=
            sweeps_of(&p->effort) * lk_kind_rows(lk_lane_kind(p->joints[op->index].kind));
        break;
    case LK_BATCH_FRONT:
        if (p->fronts[op->index].root == LK_BATCH_BELOW_ROOT)
            add_front(p, &p->fronts[op->index], work);
        else if (p->fronts[op->index].root == LK_BATCH_IS_ROOT)
            add_root(p, work);
        break;
    }
}

static void add_task(const struct lk_batches *p, int task, double work[LK_BATCH_WORKS])
{
    const struct lk_batch_task *t = &p->tasks[task];

    for (int i = t->first_op; i < t->first_op + t->n_ops; i++)
        add_op(p, &p->ops[i], work);
}

static double sum_of(const double *work, const double *price, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += work[i] * price[i];
    return sum;
}

/* What a row that follows a law or a drive costs one by one, in rows and bodies of ali3 one by one:
 * rattle takes 0.55 to 0.65 us a step for it, where it is in one of the two factors alone, in
 * chains of hinges in a plane with springs at all or half of them, of 32 and 128 bodies. Beside
 * lanes, where its bodies show their poses, it takes 1.1 to 1.9 us, which is effort.single. ali3
 * takes 0.5 to 0.9 us, and beside lanes 0.6 where all rows of a block are in use, up to 2.2 where
 * few are (linkage bench -t 0.08, chains of hinges in space of 16 to 128 bodies, with springs at
 * all, half or a quarter of them, AMD Zen 5). */
#define SINGLE_CLASSIC 2.2

static double singles_time(const struct lk_batches *p, const struct lk_prices *prices, int task)
{
    const struct lk_batch_task *t = &p->tasks[task];
    double price = prices->classic[LK_WORK_ROW] + prices->classic[LK_WORK_BODY];
    int rows = 0;

    for (int i = t->first_op; i < t->first_op + t->n_ops; i++) {
        const struct lk_batch_joints *j = &p->joints[p->ops[i].index];

        if (p->ops[i].what != LK_BATCH_JOINTS || j->kind < LK_KIND_SINGLE)
            continue;
        for (int l = 0; l < p->lanes; l++)
            rows += j->joint[l] < 0 ? 0 : lk_kind_rows(lk_lane_kind(j->kind));
    }
    return p->effort.single * sweeps_of(&p->effort) * price * rows;
}

/* What a row costs that follows a law and is a load, in rows and bodies as above. rk4 takes 0.3 to
 * 0.4 us a step for it, beside lanes as one by one; the price beside lanes is less than that, by so
 * much that the choice is right for chains of hinges in space with springs at all, half or a
 * quarter of them, of 8 to 128 bodies (test_cost). */
#define LOAD         1.6
#define LOAD_CLASSIC 0.7

static double loads_time(const struct lk_batches *p, const struct lk_prices *prices)
{
    return LOAD * (prices->classic[LK_WORK_ROW] + prices->classic[LK_WORK_BODY]) * p->n_law_loads;
}

static double task_time(const struct lk_batches *p, const struct lk_prices *prices, int task)
{
    double work[LK_BATCH_WORKS] = {0};

    add_task(p, task, work);
    return sum_of(work, prices->batches[lk_width_of(p->lanes)], LK_BATCH_WORKS) +
           singles_time(p, prices, task);
}

void lk_batches_work(const struct lk_batches *p, double ret[LK_BATCH_WORKS])
{
    memset(ret, 0, LK_BATCH_WORKS * sizeof(double));
    ret[LK_WORK_STEP] = 1;
    for (int t = 0; t < p->n_tasks; t++)
        add_task(p, t, ret);
}

double lk_batches_time(const struct lk_batches *p, const struct lk_prices *prices)
{
    double work[LK_BATCH_WORKS], singles = 0;

    for (int t = 0; t < p->n_tasks; t++)
        singles += singles_time(p, prices, t);
    lk_batches_work(p, work);
    return sum_of(work, prices->batches[lk_width_of(p->lanes)], LK_BATCH_WORKS) + singles +
           loads_time(p, prices);
}

void lk_classic_work(const struct lk_draft *d, double ret[LK_CLASSIC_WORKS])
{
    const struct lk_formulation *lanes = d->formulation->in_lanes;
    double sweeps = lanes ? sweeps_beside(&lanes->effort, BESIDE_SOLVES_CLASSIC) : 1;

    ret[LK_WORK_CLASSIC_STEP] = 1;
    ret[LK_WORK_BODY] = sweeps * d->n_bodies;
    ret[LK_WORK_ROW] = 0;
    for (int i = 0; i < d->n_blocks; i++)
        ret[LK_WORK_ROW] += sweeps * d->n_rows[i];
    ret[LK_WORK_FLOP] =
        lk_draft_factors(d) * d->plan.factor_flops + lk_draft_solves(d) * d->plan.solve_flops;
}

/* rows of laws and drives; they were measured with rattle, and are the same work by `ali3` */
static double follow_time(const struct lk_draft *d, const struct lk_prices *prices)
{
    double price = prices->classic[LK_WORK_ROW] + prices->classic[LK_WORK_BODY];
    int rows = 0;

    if (!d->formulation->in_lanes)
        return 0; /* nothing to choose from */
    if (d->formulation->in_lanes->laws_are_loads)
        return LOAD_CLASSIC * price * lk_draft_laws(d);
    for (int i = 0; i < d->n_blocks; i++)
        rows += d->blocks[i].kind == LK_ROWS_RIGID ? 0 : d->n_rows[i];
    return SINGLE_CLASSIC * sweeps_of(&d->formulation->in_lanes->effort) * price * rows;
}

double lk_classic_time(const struct lk_draft *d, const struct lk_prices *prices)
{
    double work[LK_CLASSIC_WORKS];

    lk_classic_work(d, work);
    return sum_of(work, prices->classic, LK_CLASSIC_WORKS) + follow_time(d, prices);
}

void lk_batches_cost(const struct lk_batches *p, const struct lk_prices *prices,
                     struct lk_step_cost *ret)
{
    double step_ns = prices->batches[lk_width_of(p->lanes)][LK_WORK_STEP];
    struct lk_phase_cost phase = {0};

    *ret = (struct lk_step_cost){.serial_ns = step_ns + task_time(p, prices, p->n_tasks - 1) +
                                              loads_time(p, prices)};
    for (int t = 0; t < p->n_tasks - 1; t++) {
        double time = task_time(p, prices, t) / p->effort.n_phases;

        phase.work_ns += time;
        phase.largest_ns = fmax(phase.largest_ns, time);
    }
    for (int i = 0; i < p->effort.n_phases && p->n_tasks > 2; i++)
        ret->phase[ret->n_phases++] = phase;
    if (p->n_tasks <= 2)
        ret->serial_ns += p->effort.n_phases * phase.work_ns;
}
