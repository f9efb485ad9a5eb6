/* SPDX-License-Identifier: Apache-2.0 */
/* See parts.h. */
#include "compile/passes/parts.h"
#include "compile/effort.h"
#include "compile/passes/hubs.h"
#include "compile/passes/rows.h"
#include "compile/tree/plan.h"
#include "step/formulation.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT_ROWS 24   /* a body with fewer rows is not split */
#define SPLIT_GAIN 0.9  /* largest work after a split, relative to the work before */
#define HUB_ROWS   16   /* a body with fewer rows is no hub */
#define HUB_GAIN   0.97 /* as SPLIT_GAIN, but for a hub, which adds no rows */

/* return the index in the system of the part of body @body that gets the next block; the blocks of
 * a body are assigned to its parts in order */
static int part_of(struct lk_draft *d, int body)
{
    struct lk_draft_share *share = &d->share[body];
    int part;

    if (d->n_parts[body] == 1)
        return body;
    part = share->taken++ * d->n_parts[body] / share->blocks;
    return part == 0 ? body : share->first_extra + part - 1;
}

static int place_of(struct lk_draft *d, int body)
{
    if (body == LK_GROUND)
        return d->n_bodies;
    return body < LK_GROUND ? d->n_bodies + 1 + (LK_FRAME_CODE(0) - body) : part_of(d, body);
}

static void begin_shares(struct lk_draft *d, const struct lk_draft_block *original)
{
    int extra = d->model->n_bodies;

    for (int b = 0; b < d->model->n_bodies; b++) {
        d->share[b] = (struct lk_draft_share){.first_extra = extra};
        extra += d->n_parts[b] - 1;
    }
    for (int i = 0; i < d->n_own_blocks; i++)
        for (int s = 0; s < 2; s++)
            if (original[i].body[s] >= 0)
                d->share[original[i].body[s]].blocks++;
}

/* List the different bodies of coupled joints, without the ground. */
static void place_coupling(struct lk_draft *d, struct lk_draft_block *b)
{
    const struct lk_joint_def *def = &d->model->joints[b->joint];

    b->n_sides = 0;
    for (int k = 0; k < lk_coupled_joints(b->type); k++)
        for (int s = 0; s < 2; s++) {
            int body = d->blocks[def->joint[k]].body[s], known = body >= d->n_bodies;

            for (int i = 0; i < b->n_sides; i++)
                known |= b->body[i] == body;
            if (!known)
                b->body[b->n_sides++] = body;
        }
    for (int i = b->n_sides; i < LK_SIDES_MAX; i++)
        b->body[i] = d->n_bodies;
    /* a block has at least two sides, even if the joints connect only the ground and one body */
    b->n_sides = b->n_sides < 2 ? 2 : b->n_sides;
}

/* Set the bodies of the blocks. @original: blocks with their bodies in the model; rows on
 * coordinates use the bodies of their joint */
static void place_blocks(struct lk_draft *d, const struct lk_draft_block *original)
{
    begin_shares(d, original);
    for (int i = 0; i < d->n_own_blocks; i++)
        for (int s = 0; s < LK_SIDES_MAX; s++)
            d->blocks[i].body[s] = place_of(d, original[i].body[s]);
    for (int i = 0; i < d->n_own_blocks; i++) {
        struct lk_draft_block *b = &d->blocks[i];

        if (b->type == LK_JOINT_COORDINATE)
            memcpy(b->body, d->blocks[b->joint].body, sizeof(b->body));
        if (lk_coupled_joints(b->type) > 0)
            place_coupling(d, b);
    }
}

static void add_welds(struct lk_draft *d)
{
    int part = d->model->n_bodies;

    for (int b = 0; b < d->model->n_bodies; b++) {
        d->of[b] = b;
        for (int k = 1; k < d->n_parts[b]; k++, part++) {
            struct lk_draft_block *weld = lk_rows_add_block(d, LK_JOINT_FIXED, -1);

            for (int s = 0; s < LK_SIDES_MAX; s++)
                weld->body[s] = d->n_bodies;
            weld->body[0] = k == 1 ? b : part - 1;
            weld->body[1] = part;
            d->of[part] = b;
        }
    }
}

/* For each body, find the body with modes of which it is a node. */
static void find_carried(struct lk_draft *d)
{
    for (int b = 0; b < d->n_bodies; b++) {
        const struct lk_body_def *def = &d->model->bodies[d->of[b]];

        d->carried[b] = (struct lk_carried){b, -1, -1};
        if (def->kind == LK_BODY_MODAL)
            d->carried[b].flexible = def->modal;
        if (def->kind == LK_BODY_NODE)
            d->carried[b] = (struct lk_carried){d->model->modals[def->modal].body, def->node, -1};
    }
}

/* List the bodies of block @i: all sides, and each body once, which stands for its nodes. */
static void list_ends(struct lk_draft *d, int i)
{
    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int b = d->blocks[i].body[s] < d->n_bodies ? d->blocks[i].body[s] : d->n_bodies;
        int end = b < d->n_bodies ? d->carried[b].by : b;

        d->sides[i][s] = b;
        for (int k = 0; k < s && end != b; k++)
            if (d->ends[i][k] == end)
                end = d->n_bodies;
        d->ends[i][s] = end;
    }
}

/* Make the blocks for the currently chosen parts, and their plan. */
static int make_plan(struct lk_draft *d, const struct lk_draft_block *original)
{
    lk_plan_fini(&d->plan);
    d->n_blocks = d->n_own_blocks;
    d->n_bodies = 0;
    for (int b = 0; b < d->model->n_bodies; b++)
        d->n_bodies += d->n_parts[b];
    place_blocks(d, original);
    add_welds(d);
    find_carried(d);
    d->n_hubs = 0;
    for (int i = 0; i < d->n_blocks; i++) {
        d->n_rows[i] = d->blocks[i].n_rows;
        d->n_rigid[i] = d->blocks[i].kind >= LK_ROWS_COMPLIANT ? 0 : d->n_rows[i];
        list_ends(d, i);
    }
    if (d->reductions & LK_REDUCTION_HUBS)
        d->n_hubs = lk_hubs_hang(d);
    if (d->n_hubs < 0)
        return d->n_hubs;
    d->topology = (struct lk_topology){
        .n_bodies = d->n_bodies,
        .n_joints = d->n_blocks,
        .body = (const int(*)[LK_TREE_SIDES])d->ends,
        .n_rows = d->n_rows,
        .n_rigid = d->n_rigid,
        .hangs_on = d->n_hubs > 0 ? d->hangs_on : NULL,
        .side = d->model->n_modals > 0 ? (const int(*)[LK_TREE_SIDES])d->sides : NULL,
        .carried = d->carried,
    };
    return lk_plan_best(&d->topology, d->formulation->wants_wide_tree, lk_draft_solves(d),
                        &d->plan);
}

/* Return the operations of a step. */
static double work_of(const struct lk_draft *d)
{
    return lk_draft_flops(d);
}

/* ---- which bodies are hubs, and which are split ---- */

/** struct front_rows - number of rows of a body's joints in a front: rows eliminated in the
 * front, rows remaining. */
struct front_rows {
    int e;
    int r;
};

/** struct times - how often a step factors and solves; found once, for all fronts. */
struct times {
    int factors;
    int solves;
};

/* Return the work of a step at a front that eliminates @e rows and keeps @r. */
static double front_work(struct times times, double e, double r)
{
    return times.factors * lk_front_flops(e, r) + times.solves * lk_front_solve_flops(e, r);
}

/* For each body, add to @saved the work that front @f would save without the rows of this body;
 * then reset @front_rows. */
static void save_front(const struct lk_draft *d, struct times times, const struct lk_front_plan *f,
                       struct front_rows *front_rows, double *saved)
{
    int e = f->elim_rows, r = f->rows - e;

    for (int i = 0; i < f->n_joints; i++)
        for (int s = 0; s < LK_TREE_SIDES && f->joints[i] < d->n_blocks; s++) {
            int b = d->ends[f->joints[i]][s];
            struct front_rows *own = b < d->n_bodies ? &front_rows[d->of[b]] : NULL;

            if (!own || own->e + own->r == 0)
                continue;
            saved[d->of[b]] += front_work(times, e, r) - front_work(times, e - own->e, r - own->r);
            *own = (struct front_rows){0};
        }
}

/* For each body, compute an upper bound of the work that a hub or a split could save: the work for
 * all rows of the body's joints. The bound avoids most trials, each of which needs a new plan.
 * Return: 0, -ECANCELED. */
static int bound_savings(const struct lk_draft *d, struct front_rows *front_rows, double *saved)
{
    const struct times times = {lk_draft_factors(d), lk_draft_solves(d)};

    for (int b = 0; b < d->model->n_bodies; b++)
        saved[b] = 0;
    for (int k = 0; k < d->plan.n_fronts; k++) {
        const struct lk_front_plan *f = &d->plan.fronts[k];

        for (int i = 0; i < f->n_joints; i++)
            for (int s = 0; s < LK_TREE_SIDES && f->joints[i] < d->n_blocks; s++) {
                int b = d->ends[f->joints[i]][s], rows = d->n_rows[f->joints[i]];

                if (b < d->n_bodies)
                    *(i < f->n_elim ? &front_rows[d->of[b]].e : &front_rows[d->of[b]].r) += rows;
            }
        save_front(d, times, f, front_rows, saved);
        if (lk_effort_spend((uint64_t)f->n_joints))
            return -ECANCELED;
    }
    return 0;
}

/* Drop hubs without branches; their former branches now belong to other hubs. Return: as
 * make_plan() */
static int drop_empty_hubs(struct lk_draft *d, const struct lk_draft_block *original)
{
    bool is_any = false;

    for (int h = 0; h < d->model->n_bodies; h++) {
        bool is_empty = d->is_hub[h];

        for (int b = 0; b < d->n_bodies && is_empty; b++)
            is_empty = d->hangs_on[b] != h;
        d->is_hub[h] &= !is_empty;
        is_any |= is_empty;
    }
    return is_any ? make_plan(d, original) : 0;
}

/* Make @body a hub if this reduces the operations of a step. */
static int try_hub(struct lk_draft *d, const struct lk_draft_block *original, int body)
{
    double least = work_of(d) * HUB_GAIN;
    int r = lk_hubs_may_be(d, body);

    if (r <= 0)
        return r;
    d->is_hub[body] = true;
    r = make_plan(d, original);
    if (r != 0)
        return r;
    if (work_of(d) < least)
        return drop_empty_hubs(d, original);
    d->is_hub[body] = false;
    return make_plan(d, original);
}

/* Try increasing numbers of parts for one body, and keep the best. */
static int split_body(struct lk_draft *d, const struct lk_draft_block *original, int body,
                      int blocks)
{
    double least = work_of(d);
    int best = 1, r = 0;

    for (int parts = 2; parts <= (blocks + 1) / 2 && r == 0; parts += (parts + 1) / 2) {
        d->n_parts[body] = parts;
        r = make_plan(d, original);
        if (r == 0 && work_of(d) < least * (best == 1 ? SPLIT_GAIN : 1)) {
            least = work_of(d);
            best = parts;
        }
    }
    d->n_parts[body] = best;
    return r == 0 ? make_plan(d, original) : r;
}

/* Count the rows and the blocks at each body. */
static void count_at_bodies(const struct lk_draft *d, const struct lk_draft_block *original,
                            int *rows, int *blocks)
{
    for (int i = 0; i < d->n_own_blocks; i++)
        for (int s = 0; s < 2; s++)
            if (original[i].body[s] >= 0) {
                rows[original[i].body[s]] += original[i].n_rows;
                blocks[original[i].body[s]]++;
            }
}

static bool may_be_split(const struct lk_draft *d, int b, int rows, int blocks)
{
    return (d->reductions & LK_REDUCTION_SPLITS) && !d->plane[b].is_held &&
           d->model->bodies[b].kind == LK_BODY_RIGID && rows >= SPLIT_ROWS && blocks >= 4;
}

/* Try all bodies as hubs and splits. @counts: two zeros per body;  @front_rows, @saved: one zero
 * per body */
static int try_bodies(struct lk_draft *d, const struct lk_draft_block *original, int *counts,
                      struct front_rows *front_rows, double *saved)
{
    int *rows = counts, *blocks = counts + d->model->n_bodies;
    int r;

    count_at_bodies(d, original, rows, blocks);
    r = bound_savings(d, front_rows, saved);
    for (int b = 0; b < d->model->n_bodies && r == 0; b++) {
        if ((d->reductions & LK_REDUCTION_HUBS) && rows[b] >= HUB_ROWS &&
            saved[b] > (1 - HUB_GAIN) * work_of(d))
            r = try_hub(d, original, b);
        if (r == 0 && !d->is_hub[b] && may_be_split(d, b, rows[b], blocks[b]) &&
            saved[b] > (1 - SPLIT_GAIN) * work_of(d))
            r = split_body(d, original, b, blocks[b]);
        if (r == 0 && (d->is_hub[b] || d->n_parts[b] > 1))
            r = bound_savings(d, front_rows, saved);
    }
    return r;
}

static int relieve_bodies(struct lk_draft *d, const struct lk_draft_block *original)
{
    size_t n = (size_t)d->model->n_bodies + 1;
    int *counts = calloc(2 * n, sizeof(*counts));
    struct front_rows *front_rows = calloc(n, sizeof(*front_rows));
    double *saved = calloc(n, sizeof(*saved));
    int r = counts && front_rows && saved ? try_bodies(d, original, counts, front_rows, saved)
                                          : -ENOMEM;

    free(counts);
    free(front_rows);
    free(saved);
    return r;
}

/* Copy the blocks of unsplit bodies, and distribute them to parts. Return: 0, -ENOMEM,
 * -ECANCELED. */
int lk_parts_find(struct lk_draft *d)
{
    size_t size = ((size_t)d->n_blocks + 1) * sizeof(*d->blocks);
    struct lk_draft_block *original = malloc(size);
    int r;

    if (!original)
        return -ENOMEM;
    memcpy(original, d->blocks, size);
    r = make_plan(d, original);
    if (r == 0 && (d->reductions & (LK_REDUCTION_HUBS | LK_REDUCTION_SPLITS)))
        r = relieve_bodies(d, original);
    free(original);
    return r;
}
