/* SPDX-License-Identifier: Apache-2.0 */
/* The draft of a model: its passes in their order. */
#include "compile/draft.h"
#include "compile/batch/batches.h"
#include "compile/passes/carriers.h"
#include "compile/passes/independence.h"
#include "compile/passes/parts.h"
#include "compile/passes/rows.h"
#include "maths/vec.h"
#include "step/system.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* determinant of the inertia, relative to the cube of its largest moment, below which a body may
 * have no inertia about one axis */
#define THIN 1e-6

static void surround(const double point[3], double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], point[k]);
        high[k] = fmax(high[k], point[k]);
    }
}

double lk_draft_size(const struct lk_model *m)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double across[3];

    for (int i = 0; i < m->n_joints; i++)
        for (int s = 0; s < 2 && lk_coupled_joints(m->joints[i].type) == 0; s++)
            surround(m->joints[i].point[s], low, high);
    for (int i = 0; i < m->n_forces; i++)
        for (int s = 0; s < 2; s++)
            if (m->forces[i].type == LK_FORCE_SPRING_DAMPER ||
                m->forces[i].type == LK_FORCE_BUSHING)
                surround(m->forces[i].point[s], low, high);
    lk_sub(high, low, across);
    return high[0] < low[0] ? 0 : lk_norm(across);
}

bool lk_draft_may_be_thin(const struct lk_body_def *b)
{
    const double *J = b->inertia;
    double largest = J[0] > J[1] ? J[0] : J[1];
    double determinant = J[0] * (J[1] * J[2] - J[5] * J[5]) - J[3] * (J[3] * J[2] - J[4] * J[5]) +
                         J[4] * (J[3] * J[5] - J[4] * J[1]);

    largest = J[2] > largest ? J[2] : largest;
    return !(determinant > THIN * largest * largest * largest);
}

bool lk_draft_has_inertia(const struct lk_body_def *b)
{
    return b->mass > 0 && (b->inertia[0] > 0 || b->inertia[1] > 0 || b->inertia[2] > 0);
}

const struct lk_callback *lk_draft_callback(const struct lk_callback *all, const char *force)
{
    for (; all && all->force; all++)
        if (strcmp(all->force, force) == 0)
            return all;
    return NULL;
}

const struct lk_plane *lk_draft_plane(const struct lk_draft *d, const struct lk_joint_def *def)
{
    return &d->plane[def->body[0] != LK_GROUND ? def->body[0] : def->body[1]];
}

int lk_draft_factors(const struct lk_draft *d)
{
    int stops = lk_draft_stops(d);

    if (d->formulation == &lk_formulation_rattle)
        return 1 + (lk_draft_laws(d) > 0);
    if (d->formulation == &lk_formulation_rk4)
        return d->formulation->in_lanes->effort.n_factors;
    return 2 + (stops > 0 ? 2 : 0) + (stops > 1);
}

double lk_draft_modal_flops(const struct lk_draft *d)
{
    double sum = 0;

    for (int i = 0; i < d->model->n_modals; i++) {
        const struct lk_modal_def *m = &d->model->modals[i];
        double shapes = 40.0 * m->n_pairs, rows = 6.0 * m->n_nodes;

        for (int a = 0; a < m->n_nodes; a++)
            shapes += 24.0 * m->node[a].n_pairs + 100.0 * m->n;
        sum += (d->iterations + 4) * shapes + lk_draft_factors(d) * (6 + m->n) * rows * rows;
    }
    return sum;
}

double lk_draft_flops(const struct lk_draft *d)
{
    return lk_draft_factors(d) * d->plan.factor_flops + lk_draft_solves(d) * d->plan.solve_flops +
           lk_draft_modal_flops(d);
}

int lk_draft_solves(const struct lk_draft *d)
{
    int stops = lk_draft_stops(d), again = (stops > 0 ? 2 : 0) + (stops > 1), jumps = 0;

    for (int i = 0; i < d->model->n_inputs; i++)
        jumps |= lk_input_is_load(d->model->inputs[i].type);
    if (d->formulation == &lk_formulation_rattle)
        return d->iterations + 6;
    if (d->formulation == &lk_formulation_rk4)
        return d->formulation->in_lanes->effort.n_solves + jumps;
    return d->iterations + 2 + (jumps || stops > 0) + again;
}

static int take_memory(struct lk_draft *d)
{
    const struct lk_model *m = d->model;
    size_t bodies = (size_t)m->n_bodies, joints = (size_t)m->n_joints;
    size_t own = 2 * joints + (size_t)m->n_drives + 3 * (size_t)m->n_forces +
                 (size_t)lk_model_points(m, m->n_forces) +
                 (d->holds_coordinates ? LK_COORDINATES_MAX * joints : 0);
    /* at least two blocks of the body remain at each of its parts, so there are fewer welds than
     * blocks */
    size_t blocks = 3 * own + 1;

    d->n_parts = malloc((bodies + 1) * sizeof(int));
    d->share = malloc((bodies + 1) * sizeof(*d->share));
    d->of = malloc((bodies + 2 * own + 1) * sizeof(int));
    d->hangs_on = malloc((bodies + 2 * own + 1) * sizeof(int));
    d->is_hub = calloc(bodies + 1, sizeof(*d->is_hub));
    d->exchanged = calloc(joints + 1, sizeof(int));
    d->frame_of = malloc((joints + 1) * sizeof(int));
    d->plane = calloc(bodies + 1, sizeof(*d->plane));
    d->tension = calloc(bodies + 1, sizeof(*d->tension));
    d->blocks = calloc(blocks, sizeof(*d->blocks));
    d->ends = calloc(blocks, sizeof(*d->ends));
    d->sides = calloc(blocks, sizeof(*d->sides));
    d->carried = calloc(bodies + 2 * own + 1, sizeof(*d->carried));
    d->n_rows = calloc(blocks, sizeof(*d->n_rows));
    d->n_rigid = calloc(blocks, sizeof(*d->n_rigid));
    if (!d->n_parts || !d->share || !d->of || !d->hangs_on || !d->is_hub || !d->exchanged ||
        !d->frame_of || !d->plane || !d->tension || !d->blocks || !d->ends || !d->sides ||
        !d->carried || !d->n_rows || !d->n_rigid)
        return -ENOMEM;
    for (size_t i = 0; i < bodies; i++)
        d->n_parts[i] = 1;
    for (size_t i = 0; i < joints; i++)
        d->frame_of[i] = -1;
    return 0;
}

int lk_draft_init(struct lk_draft *d)
{
    int r = take_memory(d);

    d->size = lk_draft_size(d->model);
    for (int i = 0; i < d->model->n_joints; i++)
        d->n_coordinates += lk_joint_traits[d->model->joints[i].type].n_coordinates;
    if (r == 0 && d->formulation->keeps_rows)
        r = lk_carriers_find(d->model, d->interval, d->exchanged);
    if (r == 0)
        r = lk_rows_find(d);
    if (r == 0)
        r = lk_parts_find(d);
    if (r == 0 && (d->reductions & LK_REDUCTION_INDEPENDENT_ROWS) &&
        !d->model->solver.soft_redundancy)
        r = lk_independence_find(d, &d->rows_are_independent);
    return r;
}

void lk_draft_fini(struct lk_draft *d)
{
    lk_plan_fini(&d->plan);
    lk_batches_free(d->batches);
    free(d->n_parts);
    free(d->share);
    free(d->of);
    free(d->hangs_on);
    free(d->is_hub);
    free(d->exchanged);
    free(d->frame_of);
    free(d->plane);
    free(d->tension);
    free(d->blocks);
    free(d->ends);
    free(d->sides);
    free(d->carried);
    free(d->n_rows);
    free(d->n_rigid);
}
