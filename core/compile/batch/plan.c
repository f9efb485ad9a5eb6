/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out the memory of the pieces: blocks of bodies, joints and fronts in one array, in the order
 * of use. */
#include "compile/batch/planner.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* grows @array for one more element; capacities are powers of two */
void *lk_planner_grow(struct lk_planner *pl, void *array, int n, size_t size)
{
    if (n & (n - 1))
        return array;
    void *larger = realloc(array, (n ? 2 * (size_t)n : 1) * size);

    if (!larger)
        pl->failed = 1;
    return larger ? larger : array;
}

/* ---- blocks ---- */

static void add_joints(struct lk_planner *pl, int kind, const int *joint)
{
    struct lk_batch_joints j = {.kind = kind};

    for (int l = 0; l < LK_LANES_MAX; l++) {
        j.joint[l] = joint[l];
        if (joint[l] >= 0)
            pl->joint[joint[l]] = (struct lk_spot){pl->p->n_joints, l};
    }
    LK_PLANNER_ADD(pl, pl->p->joints, pl->p->n_joints, j);
}

/* Make one block for each joint slot that aligned fronts eliminate, then blocks of the other
 * joints, by kind. */
static void make_joints(struct lk_planner *pl)
{
    const struct lk_pieces *pieces = &pl->pieces;

    for (int i = 0; i < pieces->n_fronts; i++) {
        const struct lk_piece_front *f = &pieces->fronts[i];

        pl->joints_of[i] = f->is_aligned ? pl->p->n_joints : -1;
        for (int k = 0; k < f->n_elim && f->is_aligned; k++)
            add_joints(pl, f->slots[k].kind, f->slots[k].joint);
    }
    for (int kind = 0; kind < LK_LANE_KINDS; kind++) {
        int lane[LK_LANES_MAX], n = 0;

        for (int j = 0; j <= pl->t->n_joints; j++) {
            int is_loose = j < pl->t->n_joints && pl->kind[j] == kind && pl->joint[j].block < 0;

            if (is_loose)
                lane[n++] = j;
            if (n < pieces->lanes && (j < pl->t->n_joints || n == 0))
                continue;
            for (; n < LK_LANES_MAX; n++)
                lane[n] = -1;
            add_joints(pl, kind, lane);
            n = 0;
        }
    }
}

static void make_bodies(struct lk_planner *pl)
{
    for (int i = 0; i < pl->pieces.n_bodies; i++) {
        struct lk_batch_bodies b = {0};

        memcpy(b.body, pl->pieces.bodies[i].body, sizeof(b.body));
        for (int l = 0; l < LK_LANES_MAX; l++)
            if (b.body[l] >= 0)
                pl->body[b.body[l]] = (struct lk_spot){pl->p->n_bodies, l};
        LK_PLANNER_ADD(pl, pl->p->bodies, pl->p->n_bodies, b);
    }
}

/* ---- places ---- */

static int remainder_size(const struct lk_batch_front *f)
{
    int rest = f->n - f->e;

    return rest * (rest + 1) / 2 + rest;
}

/* reserves space on the stack of the task: the first gap that is large enough */
static int push_remainder(struct lk_planner *pl, int size)
{
    for (int i = 0; i < pl->n_gaps; i++)
        if (pl->gaps[i].size >= size) {
            int at = pl->gaps[i].at;

            pl->gaps[i].at += size;
            pl->gaps[i].size -= size;
            return at;
        }
    return lk_planner_reserve(pl->p, size);
}

static void pop_remainder(struct lk_planner *pl, int at, int size)
{
    for (int i = 0; i < pl->n_gaps; i++) {
        if (pl->gaps[i].at + pl->gaps[i].size == at) {
            pl->gaps[i].size += size;
            return;
        }
        if (at + size == pl->gaps[i].at) {
            pl->gaps[i].at = at;
            pl->gaps[i].size += size;
            return;
        }
    }
    LK_PLANNER_ADD(pl, pl->gaps, pl->n_gaps, (struct lk_gap){at, size});
}

static int shape_of(int e, int n)
{
#define X(E, N)                                                                                    \
    if (e == (E) && n == (N))                                                                      \
        return LK_BATCH_SHAPE_##E##_##N;
    LK_BATCH_SHAPES(X)
#undef X
    return LK_BATCH_SHAPE_ANY;
}

static void make_fronts(struct lk_planner *pl)
{
    for (int i = 0; i < pl->pieces.n_fronts; i++) {
        const struct lk_piece_front *f = &pl->pieces.fronts[i];
        struct lk_batch_front out = {.n = lk_planner_front_rows(f, 0, f->n_slots),
                                     .e = lk_planner_front_rows(f, 0, f->n_elim),
                                     .n_elim = f->n_elim,
                                     .n_slots = f->n_slots};

        out.shape = shape_of(out.e, out.n);
        LK_PLANNER_ADD(pl, pl->p->fronts, pl->p->n_fronts, out);
        for (int k = 0; k < f->n_parts; k++)
            for (int l = 0; l < LK_LANES_MAX && !f->parts[k].is_body; l++)
                if (f->parts[k].child[l] >= 0)
                    pl->user[f->parts[k].child[l]] = i;
    }
}

static void add_op(struct lk_planner *pl, enum lk_batch_what what, int index)
{
    LK_PLANNER_ADD(pl, pl->p->ops, pl->p->n_ops, (struct lk_batch_op){what, index});
    pl->p->tasks[pl->p->n_tasks - 1].n_ops++;
}

static void place_bodies(struct lk_planner *pl, int block)
{
    pl->p->bodies[block].at = lk_planner_reserve(pl->p, pl->p->body_size);
    add_op(pl, LK_BATCH_BODIES, block);
}

static void place_joints(struct lk_planner *pl, int block)
{
    pl->p->joints[block].at = lk_planner_reserve(
        pl->p, lk_lane_size(pl->p->joints[block].kind, pl->iterations, pl->p->carries));
    add_op(pl, LK_BATCH_JOINTS, block);
}

/* Return whether the remainder of front @i needs permanent memory, because it is not read by an
 * aligned front of the same task. */
static int remainder_stays(const struct lk_planner *pl, int i)
{
    int user = pl->user[i];

    return user < 0 || !pl->pieces.fronts[user].is_aligned ||
           pl->pieces.fronts[user].task != pl->pieces.fronts[i].task;
}

static void place_front(struct lk_planner *pl, int i)
{
    struct lk_batch_front *f = &pl->p->fronts[i];
    const struct lk_piece_front *from = &pl->pieces.fronts[i];
    int rest = f->n - f->e;

    f->factor = lk_planner_reserve(pl->p, f->e * (f->e + 1) / 2 + f->e * rest);
    f->remainder = remainder_stays(pl, i) ? lk_planner_reserve(pl->p, remainder_size(f))
                                          : push_remainder(pl, remainder_size(f));
    f->sums = f->remainder + rest * (rest + 1) / 2;
    for (int k = 0; k < from->n_parts; k++) {
        int child = from->parts[k].is_body ? -1 : from->parts[k].child[0];

        /* all lanes of an aligned child have the same index; use the first lane that is not empty
         */
        for (int l = 0; l < LK_LANES_MAX && !from->parts[k].is_body && child < 0; l++)
            child = from->parts[k].child[l];
        if (child >= 0 && !remainder_stays(pl, child))
            pop_remainder(pl, pl->p->fronts[child].remainder,
                          remainder_size(&pl->p->fronts[child]));
    }
    add_op(pl, LK_BATCH_FRONT, i);
}

static int scratch_of(const struct lk_planner *pl, int task)
{
    int most = 0;

    for (int i = 0; i < pl->pieces.n_fronts; i++) {
        const struct lk_batch_front *f = &pl->p->fronts[i];

        if (pl->pieces.fronts[i].task == task && f->shape == LK_BATCH_SHAPE_ANY &&
            f->n * f->n + f->e > most)
            most = f->n * f->n + f->e;
    }
    return most;
}

/* Place front @i after its bodies and its eliminated joints. */
static void place_aligned(struct lk_planner *pl, int i)
{
    const struct lk_piece_front *f = &pl->pieces.fronts[i];

    for (int k = 0; k < f->n_parts; k++)
        for (int l = 0; l < LK_LANES_MAX && f->parts[k].is_body; l++)
            if (f->parts[k].body[l] >= 0) {
                int b = pl->body[f->parts[k].body[l]].block;

                if (pl->p->bodies[b].at < 0)
                    place_bodies(pl, b);
                break;
            }
    for (int k = 0; k < f->n_elim; k++)
        place_joints(pl, pl->joints_of[i] + k);
    place_front(pl, i);
}

/* Places pieces front by front. Loose items follow in the top: all bodies before their joints, all
 * joints before the fronts. */
static void place_task(struct lk_planner *pl, int task)
{
    const struct lk_pieces *pieces = &pl->pieces;
    int is_last = task == pieces->n_tasks - 1;
    struct lk_batch_task t = {.first_op = pl->p->n_ops};

    pl->n_gaps = 0;
    LK_PLANNER_ADD(pl, pl->p->tasks, pl->p->n_tasks, t);
    if (pl->failed)
        return;
    for (int i = 0; i < pieces->n_fronts && !pl->failed; i++)
        if (pieces->fronts[i].task == task && pieces->fronts[i].is_aligned)
            place_aligned(pl, i);
    for (int b = 0; b < pl->p->n_bodies && !pl->failed; b++)
        if (pieces->bodies[b].task == task && pl->p->bodies[b].at < 0)
            place_bodies(pl, b);
    for (int j = 0; j < pl->p->n_joints && is_last && !pl->failed; j++)
        if (pl->p->joints[j].at < 0)
            place_joints(pl, j);
    for (int i = 0; i < pieces->n_fronts && !pl->failed; i++)
        if (pieces->fronts[i].task == task && !pieces->fronts[i].is_aligned)
            place_front(pl, i);
    pl->p->tasks[task].scratch = lk_planner_reserve(pl->p, scratch_of(pl, task));
}

static void place_all(struct lk_planner *pl)
{
    for (int i = 0; i < pl->p->n_bodies; i++)
        pl->p->bodies[i].at = -1;
    for (int i = 0; i < pl->p->n_joints; i++)
        pl->p->joints[i].at = -1;
    for (int t = 0; t < pl->pieces.n_tasks && !pl->failed; t++)
        place_task(pl, t);
    pl->p->ground = lk_planner_reserve(pl->p, pl->p->body_size);
}

/* ---- the program ---- */

static int largest_block(const struct lk_planner *pl)
{
    int most = pl->p->body_size;

    for (int k = 0; k < LK_LANE_KINDS; k++)
        if (lk_kind_size(lk_lane_kind(k)) > most)
            most = lk_kind_size(lk_lane_kind(k));
    for (int i = 0; i < pl->p->n_fronts; i++)
        if (remainder_size(&pl->p->fronts[i]) > most)
            most = remainder_size(&pl->p->fronts[i]);
    return most;
}

static void make_program(struct lk_planner *pl)
{
    struct lk_batches *p = pl->p;

    for (int j = 0; j < pl->t->n_joints; j++)
        pl->joint[j].block = -1;
    for (int i = 0; i < pl->pieces.n_fronts; i++)
        pl->user[i] = -1;
    make_bodies(pl);
    make_joints(pl);
    make_fronts(pl);
    if (!pl->failed)
        place_all(pl);
    for (int i = 0; i < p->n_fronts && !pl->failed; i++)
        lk_planner_mask_front(pl, i);
    if (!pl->failed)
        lk_planner_refer_root(pl);
    /* reserve these blocks after all others: distribute() relies on this order */
    p->n_nothing = largest_block(pl);
    p->nothing = lk_planner_reserve(p, p->n_nothing);
    lk_planner_reserve(p, p->n_nothing);
    if (!pl->failed)
        lk_planner_refer_sides(pl);
    for (int i = 0; i < p->n_fronts && !pl->failed; i++)
        lk_planner_refer_front(pl, i);
}

int lk_batches_new(const struct lk_topology *t, const int *kind, const struct lk_engine *engine,
                   const struct lk_formulation *formulation, int iterations, bool has_rare,
                   bool carries, struct lk_batches **ret)
{
    struct lk_planner pl = {.t = t, .kind = kind, .iterations = iterations};
    int r = lk_pieces_init(t, kind, engine->lanes, &pl.pieces);

    if (r < 0)
        return r;
    pl.p = calloc(1, sizeof(*pl.p));
    pl.body = calloc((size_t)t->n_bodies + 1, sizeof(*pl.body));
    pl.joint = calloc((size_t)t->n_joints + 1, sizeof(*pl.joint));
    pl.joints_of = calloc((size_t)pl.pieces.n_fronts + 1, sizeof(int));
    pl.user = calloc((size_t)pl.pieces.n_fronts + 1, sizeof(int));
    pl.failed = !pl.p || !pl.body || !pl.joint || !pl.joints_of || !pl.user;
    if (!pl.failed) {
        pl.p->engine = engine;
        pl.p->lanes = engine->lanes;
        pl.p->effort = formulation->effort;
        /* iterations with laws or tension need one more factorisation */
        pl.p->effort.n_factors += has_rare && formulation == &lk_formulation_rattle_lanes;
        pl.p->body_size = pl.p->effort.fields + iterations * pl.p->effort.fields_iteration;
        pl.p->carries = carries;
        pl.p->rare = has_rare ? pl.p->body_size : 0;
        pl.p->body_size += has_rare ? LK_RARE_SIZE : 0;
        make_program(&pl);
    }
    free(pl.body);
    free(pl.joint);
    free(pl.joints_of);
    free(pl.user);
    free(pl.gaps);
    lk_pieces_fini(&pl.pieces);
    if (pl.failed) {
        lk_batches_free(pl.p);
        return -ENOMEM;
    }
    *ret = pl.p;
    return 0;
}

void lk_batches_free(struct lk_batches *p)
{
    if (!p)
        return;
#define X(list, n) free(p->list);
    LK_BATCHES_LISTS(X)
#undef X
    free(p);
}
