/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the cost of a step: sums of operation counts times prices. */
#include "compile/batch/cost.h"
#include "compile/draft.h"
#include "step/scripts/rattle.h"
#include <math.h>

/** enum batch_work - units of work of a batched step. STEP: fixed cost of a step; BODIES: blocks of
 * bodies; ROWS: rows of blocks of joints; FRONTS, FRONT_FLOPS: fronts that are links (see struct
 * lk_batch_part) and their operations; GENERAL_FLOPS: operations of all other fronts; FAR_FRONTS,
 * FAR_FLOPS: surcharge for fronts that gather operands from several places, multiplied by GENERAL
 * for fronts that are not links. */
enum batch_work {
    STEP,
    BODIES,
    ROWS,
    FRONTS,
    FRONT_FLOPS,
    GENERAL_FLOPS,
    FAR_FRONTS,
    FAR_FLOPS,
    BATCH_WORKS
};
#define GENERAL 1.6

/* numbers of lanes for which there are prices: eight, four, two, one */
enum width { WIDTH_8, WIDTH_4, WIDTH_2, WIDTH_1, WIDTHS };

/* Prices [ns], typical of three processors of 2021 to 2024. For 84 measured steps of `ali3`
 * (tests/unit/step_times.h) the engine chosen by these prices is within 5 % of the fastest, except
 * for three measurements of one chain, with 1.07 to 1.19 times the shortest time. With separate
 * prices for each processor, fitted to its times, these three are within 5 % too. */
static const double prices[WIDTHS][BATCH_WORKS] = {
    [WIDTH_8] = {120, 240, 130, 93, 0.66, 0.92, 180, 0.52},
    [WIDTH_4] = {126, 210, 100, 65, 0.52, 0.62, 220, 0.54},
    [WIDTH_2] = {140, 220, 96, 24, 0.65, 1.24, 275, 0.18},
    [WIDTH_1] = {130, 210, 85, 0, 0.65, 1.27, 0, 0},
};

/* prices of a step one by one [ns]: per step, per body, per row, per operation of a front */
#define STEP_CLASSIC 180
#define BODY         55
#define ROW          78
#define FLOP         0.078

static enum width width_of(int lanes)
{
    return lanes >= 8 ? WIDTH_8 : lanes >= 4 ? WIDTH_4 : lanes >= 2 ? WIDTH_2 : WIDTH_1;
}

/* factorisations and solves of a step of ali3, for which the prices were measured */
#define PRICED_FACTORS 2
#define PRICED_SOLVES  5

/* Return the operations on a front in a step with @effort, relative to those in a step of `ali3`,
 * for which the prices were measured. @factor, @solve: operations of a factorisation, a solve */
static double share_of(const struct lk_lane_effort *effort, double factor, double solve)
{
    return (effort->n_factors * factor + effort->n_solves * solve) /
           (PRICED_FACTORS * factor + PRICED_SOLVES * solve);
}

static void add_front(const struct lk_batches *p, const struct lk_batch_front *f,
                      double work[BATCH_WORKS])
{
    double factor = lk_front_flops(f->e, f->n - f->e), more = f->merge >= 0 ? 1 : GENERAL;
    double flops = factor * share_of(&p->effort, factor, lk_front_solve_flops(f->e, f->n - f->e));
    double sweeps = p->effort.in_lanes;
    int is_far = 0;

    for (int i = f->first_child; i < f->first_child + f->n_children; i++)
        is_far |= p->children[i].remainder.map >= 0;
    for (int i = f->first_element; i < f->first_element + f->n_elements; i++)
        is_far |= p->elements[i].body.map >= 0;
    if (f->merge >= 0)
        work[FRONTS] += sweeps;
    work[f->merge >= 0 ? FRONT_FLOPS : GENERAL_FLOPS] += flops;
    if (is_far) {
        work[FAR_FRONTS] += more * sweeps;
        work[FAR_FLOPS] += more * flops;
    }
}

/* Price of a product in the matrix of the root, relative to an operation of a front. On a Zen 5,
 * for chain-32 with rattle, a product takes 0.6 ns in the factor and 0.4 ns in a solution (from the
 * shares in `perf record` of linkage run). An operation of a front takes 0.5 ns. */
#define ROOT_PRODUCT 0.8

static void add_root(const struct lk_batches *p, double work[BATCH_WORKS])
{
    double n = p->n_root_rows, vectors = lk_root_stride(p->lanes, p->n_root_rows) / p->lanes;
    double factor = 2.0 / 3 * n * n * vectors, solve = 2 * n * vectors;

    work[FRONTS] += p->effort.in_lanes;
    work[FRONT_FLOPS] += ROOT_PRODUCT * (p->effort.n_factors * factor + p->effort.n_solves * solve);
}

static void add_op(const struct lk_batches *p, const struct lk_batch_op *op,
                   double work[BATCH_WORKS])
{
    switch (op->what) {
    case LK_BATCH_BODIES:
        work[BODIES] += p->effort.in_lanes;
        break;
    case LK_BATCH_JOINTS:
        work[ROWS] += p->effort.in_lanes * lk_kind_rows(lk_lane_kind(p->joints[op->index].kind));
        break;
    case LK_BATCH_FRONT:
        if (p->fronts[op->index].root == LK_BATCH_BELOW_ROOT)
            add_front(p, &p->fronts[op->index], work);
        else if (p->fronts[op->index].root == LK_BATCH_IS_ROOT)
            add_root(p, work);
        break;
    }
}

static void add_task(const struct lk_batches *p, int task, double work[BATCH_WORKS])
{
    const struct lk_batch_task *t = &p->tasks[task];

    for (int i = t->first_op; i < t->first_op + t->n_ops; i++)
        add_op(p, &p->ops[i], work);
}

static double time_of(const struct lk_batches *p, const double work[BATCH_WORKS])
{
    const double *price = prices[width_of(p->lanes)];
    double sum = 0;

    for (int i = 0; i < BATCH_WORKS; i++)
        sum += work[i] * price[i];
    return sum;
}

/* Cost of a compliant or driven row in a step one by one, in units of one row and one body of ali3
 * one by one. rattle needs 0.55 to 0.65 us a step for such a row if it is in only one of the two
 * factors (planar chains of hinges, 32 and 128 bodies, springs at all or half of the hinges). In a
 * step in lanes, such a row needs 1.1 to 1.9 us, because poses must be read from lanes;
 * effort.single is this cost. ali3 needs 0.5 to 0.9 us one by one. In a step in lanes, ali3 needs
 * 0.6 us if all rows of a block are in use, up to 2.2 us if few are (linkage bench -t 0.08, spatial
 * chains of hinges, 16 to 128 bodies, springs at all, half or a quarter of the hinges, AMD Zen 5).
 */
#define SINGLE_CLASSIC 2.2

static double singles_time(const struct lk_batches *p, int task)
{
    const struct lk_batch_task *t = &p->tasks[task];
    int rows = 0;

    for (int i = t->first_op; i < t->first_op + t->n_ops; i++) {
        const struct lk_batch_joints *j = &p->joints[p->ops[i].index];

        if (p->ops[i].what != LK_BATCH_JOINTS || j->kind < LK_KIND_SINGLE)
            continue;
        for (int l = 0; l < p->lanes; l++)
            rows += j->joint[l] < 0 ? 0 : lk_kind_rows(lk_lane_kind(j->kind));
    }
    return p->effort.single * p->effort.in_lanes * (ROW + BODY) * rows;
}

/* Cost of a compliant row whose law is applied as a load, in units of one row and one body of ali3
 * one by one. rk4 needs 0.3 to 0.4 us a step for such a row, both one by one and in lanes. LOAD,
 * the price in lanes, is fitted so that the choice is right for spatial chains of hinges, 8 to 128
 * bodies, springs at all, half or a quarter of the hinges (test_cost). */
#define LOAD         2.0
#define LOAD_CLASSIC 0.7

static double loads_time(const struct lk_batches *p)
{
    return LOAD * (ROW + BODY) * p->n_law_loads;
}

static double task_time(const struct lk_batches *p, int task)
{
    double work[BATCH_WORKS] = {0};

    add_task(p, task, work);
    return time_of(p, work) + singles_time(p, task);
}

double lk_batches_time(const struct lk_batches *p)
{
    double work[BATCH_WORKS] = {[STEP] = 1}, singles = 0;

    for (int t = 0; t < p->n_tasks; t++) {
        add_task(p, t, work);
        singles += singles_time(p, t);
    }
    return time_of(p, work) + singles + loads_time(p);
}

/* Return the time of the compliant and driven rows in a step one by one. The prices were measured
 * with rattle; the work is the same with `ali3`. */
static double follow_time(const struct lk_draft *d)
{
    int rows = 0;

    if (!d->formulation->in_lanes)
        return 0; /* there is no step in lanes to compare with */
    if (d->formulation->in_lanes->laws_are_loads)
        return LOAD_CLASSIC * (ROW + BODY) * lk_draft_laws(d);
    for (int i = 0; i < d->n_blocks; i++)
        rows += d->blocks[i].kind == LK_ROWS_RIGID ? 0 : d->n_rows[i];
    return SINGLE_CLASSIC * d->formulation->in_lanes->effort.in_lanes * (ROW + BODY) * rows;
}

double lk_classic_time(const struct lk_draft *d)
{
    const struct lk_formulation *lanes = d->formulation->in_lanes;
    double body = lanes ? lanes->effort.body : 1, row = lanes ? lanes->effort.row : 1;
    int rows = 0;

    for (int i = 0; i < d->n_blocks; i++)
        rows += d->n_rows[i];
    return STEP_CLASSIC + BODY * body * d->n_bodies + ROW * row * rows +
           FLOP * (lk_draft_factors(d) * d->plan.factor_flops +
                   lk_draft_solves(d) * d->plan.solve_flops) +
           follow_time(d);
}

void lk_batches_cost(const struct lk_batches *p, struct lk_step_cost *ret)
{
    double step_ns = prices[width_of(p->lanes)][STEP];
    struct lk_phase_cost phase = {0};

    *ret =
        (struct lk_step_cost){.serial_ns = step_ns + task_time(p, p->n_tasks - 1) + loads_time(p)};
    for (int t = 0; t < p->n_tasks - 1; t++) {
        double time = task_time(p, t) / p->effort.n_phases;

        phase.work_ns += time;
        phase.largest_ns = fmax(phase.largest_ns, time);
    }
    for (int i = 0; i < p->effort.n_phases && p->n_tasks > 2; i++)
        ret->phase[ret->n_phases++] = phase;
    if (p->n_tasks <= 2)
        ret->serial_ns += p->effort.n_phases * phase.work_ns;
}
