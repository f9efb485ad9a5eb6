/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of operations [ns], measured as CPU time of whole steps (least of 60 batches) of chains
 * with 2 to 1024 spherical and revolute links, the four-bar without damper and the N-four-bar with
 * N = 2, on an Intel Xeon of family 6, model 167. They meet those times within a fifth; only their
 * ratios count. */
#include "batch/cost.h"
#include "step/draft.h"
#include <math.h>

/* all that happens to a block of bodies, to a row of a block of joints, in a step */
#define BODIES_NS 400.0
#define ROW_NS    40.0

/* a front: two factorisations and five solves, by the work of one elimination */
#define FRONT_NS      360.0
#define FRONT_FLOP_NS 0.75
/* ... more where its operands are collected from several places */
#define FAR_NS      250.0
#define FAR_FLOP_NS 0.5
/* ... and times this where it is no link, see struct lk_batch_part */
#define GENERAL 1.6

/* one by one: a body, a row, a flop of the fronts */
#define CLASSIC_BODY_NS 20.0
#define CLASSIC_ROW_NS  93.0
#define CLASSIC_FLOP_NS 0.108

/* phases of a step that its tasks share: prediction, rows, five times up and down */
#define PHASES 12

/* a block of fewer lanes costs less, though not in proportion */
static double width_factor(int lanes)
{
    return lanes >= 8 ? 1 : lanes >= 4 ? 0.62 : lanes >= 2 ? 0.5 : 0.45;
}

static double front_time(const struct lk_batches *p, const struct lk_batch_front *f)
{
    double flops = lk_front_flops(f->e, f->n - f->e), time = FRONT_NS + FRONT_FLOP_NS * flops;
    int is_far = 0;

    for (int i = f->first_child; i < f->first_child + f->n_children; i++)
        is_far |= p->children[i].remainder.map >= 0;
    for (int i = f->first_element; i < f->first_element + f->n_elements; i++)
        is_far |= p->elements[i].body.map >= 0;
    if (is_far)
        time += FAR_NS + FAR_FLOP_NS * flops;
    return f->merge >= 0 ? time : GENERAL * time;
}

static double op_time(const struct lk_batches *p, const struct lk_batch_op *op)
{
    switch (op->what) {
    case LK_BATCH_BODIES:
        return BODIES_NS;
    case LK_BATCH_JOINTS:
        return ROW_NS * lk_kind_rows(&lk_joint_kinds[p->joints[op->index].kind]);
    case LK_BATCH_FRONT:
        return front_time(p, &p->fronts[op->index]);
    }
    return 0;
}

static double task_time(const struct lk_batches *p, int task)
{
    const struct lk_batch_task *t = &p->tasks[task];
    double sum = 0;

    for (int i = t->first_op; i < t->first_op + t->n_ops; i++)
        sum += op_time(p, &p->ops[i]);
    return sum * width_factor(p->lanes);
}

double lk_batches_time(const struct lk_batches *p)
{
    double sum = 0;

    for (int t = 0; t < p->n_tasks; t++)
        sum += task_time(p, t);
    return sum;
}

double lk_classic_time(const struct lk_draft *d)
{
    double flops =
        lk_draft_factors(d) * d->plan.factor_flops + lk_draft_solves(d) * d->plan.solve_flops;
    double rows = 0;

    for (int i = 0; i < d->n_blocks; i++)
        rows += d->n_rows[i];
    return CLASSIC_BODY_NS * d->n_bodies + CLASSIC_ROW_NS * rows + CLASSIC_FLOP_NS * flops;
}

void lk_batches_cost(const struct lk_batches *p, struct lk_step_cost *ret)
{
    struct lk_phase_cost phase = {0};

    *ret = (struct lk_step_cost){.serial_ns = task_time(p, p->n_tasks - 1)};
    for (int t = 0; t < p->n_tasks - 1; t++) {
        double time = task_time(p, t) / PHASES;

        phase.work_ns += time;
        phase.largest_ns = fmax(phase.largest_ns, time);
    }
    for (int i = 0; i < PHASES && p->n_tasks > 2; i++)
        ret->phase[ret->n_phases++] = phase;
    if (p->n_tasks <= 2)
        ret->serial_ns += PHASES * phase.work_ns;
}
