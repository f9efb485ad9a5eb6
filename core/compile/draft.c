/* SPDX-License-Identifier: Apache-2.0 */
/* From a model to blocks, parts and the plan of the fronts. */
#include "compile/draft.h"
#include "compile/batch/batches.h"
#include "compile/carriers.h"
#include "compile/effort.h"
#include "compile/hubs.h"
#include "compile/pulls.h"
#include "compile/sways.h"
#include "compile/tensions.h"
#include "compile/tree/plan.h"
#include "maths/vec.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT_ROWS 24   /* a body with fewer rows is not split */
#define SPLIT_GAIN 0.9  /* largest fraction of the work that a split may leave */
#define HUB_ROWS   16   /* a body with fewer rows is no hub */
#define HUB_GAIN   0.97 /* as SPLIT_GAIN, but a hub adds no rows */

/* of a determinant of moments: one axis may have no inertia */
#define THIN 1e-6

/* bodies in blocks before placement: of the model, the ground, frames */
#define FRAME_CODE(k) (-2 - (k))

static struct lk_draft_block *add_block(struct lk_draft *d, enum lk_joint_type type, int joint)
{
    struct lk_draft_block *b = &d->blocks[d->n_blocks++];

    *b = (struct lk_draft_block){
        .type = type,
        .n_rows = lk_joint_traits[type].n_rows,
        .n_length = lk_joint_traits[type].n_length,
        .joint = joint,
        .drive = -1,
        .force = -1,
        .hold = -1,
        .along = -1,
        .n_sides = 2,
    };
    for (int s = 0; s < LK_SIDES_MAX; s++)
        b->body[s] = LK_GROUND;
    return b;
}

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

const struct lk_plane *lk_draft_plane(const struct lk_draft *d, const struct lk_joint_def *def)
{
    return &d->plane[def->body[0] != LK_GROUND ? def->body[0] : def->body[1]];
}

/* the type of the rows of joint @def */
static enum lk_joint_type type_of(const struct lk_draft *d, const struct lk_joint_def *def)
{
    if (def->type == LK_JOINT_FIXED && def->has_compliance)
        return LK_JOINT_BUSHING;
    return lk_coupled_joints(def->type) > 0 ? def->type : lk_plane_rows(def, d->plane);
}

static void add_joints(struct lk_draft *d)
{
    const struct lk_model *m = d->model;

    for (int i = 0; i < m->n_drives; i++) {
        int joint = m->drives[i].joint;

        if (m->joints[joint].type == LK_JOINT_FIXED && d->frame_of[joint] < 0)
            d->frame_of[joint] = d->n_frames++;
    }
    for (int i = 0; i < m->n_joints; i++) {
        const struct lk_joint_def *def = &m->joints[i];
        enum lk_joint_type type = type_of(d, def);
        struct lk_draft_block *b = add_block(d, type, i);

        b->kind = def->has_compliance ? LK_ROWS_COMPLIANT : LK_ROWS_RIGID;
        if (type == LK_JOINT_GEAR)
            b->n_length =
                !lk_joint_coordinate_is_angle(m->joints[def->joint[0]].type, def->coupled[0]);
        if (lk_coupled_joints(type) > 0)
            continue;
        b->is_exchanged = d->exchanged[i];
        b->body[b->is_exchanged] = d->frame_of[i] >= 0 ? FRAME_CODE(d->frame_of[i]) : def->body[0];
        b->body[!b->is_exchanged] = def->body[1];
    }
}

/* makes a row on coordinate @which of joint @joint */
static struct lk_draft_block *add_coordinate(struct lk_draft *d, int joint, int which)
{
    const struct lk_model *m = d->model;
    struct lk_draft_block *b = add_block(d, LK_JOINT_COORDINATE, joint);

    b->which = which;
    b->n_length = !lk_joint_coordinate_is_angle(m->joints[joint].type, which);
    return b;
}

/* makes one row for all elements at a coordinate, unless it is there */
static void add_law_of_coordinate(struct lk_draft *d, int joint, int coordinate)
{
    const struct lk_force_def *forces = d->model->forces;
    enum lk_row_kind kind = LK_ROWS_COMPLIANT;

    for (int i = 0; i < d->n_blocks; i++)
        if (d->blocks[i].type == LK_JOINT_COORDINATE && d->blocks[i].kind >= LK_ROWS_COMPLIANT &&
            d->blocks[i].joint == joint && d->blocks[i].which == coordinate)
            return;
    for (int k = 0; k < d->model->n_forces; k++)
        if (forces[k].type == LK_FORCE_STOP && forces[k].joint == joint &&
            forces[k].coordinate == coordinate)
            kind = LK_ROWS_UNILATERAL;
    add_coordinate(d, joint, coordinate)->kind = kind;
}

static void add_laws(struct lk_draft *d)
{
    const struct lk_model *m = d->model;

    for (int i = 0; i < m->n_forces; i++)
        if (lk_force_is_on_coordinate(&m->forces[i]))
            add_law_of_coordinate(d, m->forces[i].joint, m->forces[i].coordinate);
        else if (m->forces[i].type == LK_FORCE_LINE)
            for (int k = 0; k < 2; k++)
                add_law_of_coordinate(d, m->forces[i].line.joint[k],
                                      m->forces[i].line.coordinate[k]);
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (lk_force_is_on_coordinate(f) || f->type == LK_FORCE_LINE ||
            (f->type >= LK_FORCE_CONSTANT_FORCE && f->type != LK_FORCE_TYRE &&
             f->type != LK_FORCE_DRAG))
            continue;
        struct lk_draft_block *b = add_block(d,
                                             f->type == LK_FORCE_BUSHING ? LK_JOINT_BUSHING
                                             : f->type == LK_FORCE_CREEP ? LK_JOINT_CREEP
                                             : f->type == LK_FORCE_TYRE  ? LK_JOINT_TYRE
                                             : f->type == LK_FORCE_DRAG  ? LK_JOINT_AIR
                                                                         : LK_JOINT_DISTANCE,
                                             -1);
        b->kind = LK_ROWS_COMPLIANT;
        b->force = i;
        b->body[0] = f->body[0];
        b->body[1] = f->body[1];
    }
}

static void add_sways(struct lk_draft *d)
{
    int n = d->follows_sway ? d->n_blocks : 0;
    double load = n > 0 ? lk_pulls_most(d->model, true) : 0;

    for (int i = 0; i < n; i++) {
        struct lk_draft_block *b;

        if (!lk_sways_across(d, i, load))
            continue;
        b = add_block(d, LK_JOINT_SWAY, -1);
        b->kind = LK_ROWS_COMPLIANT;
        b->along = i;
        b->is_exchanged = d->blocks[i].is_exchanged;
        memcpy(b->body, d->blocks[i].body, sizeof(b->body));
        d->n_sways++;
    }
}

static void add_drives(struct lk_draft *d)
{
    for (int i = 0; i < d->model->n_drives; i++) {
        const struct lk_drive_def *def = &d->model->drives[i];
        struct lk_draft_block *b;

        if (d->model->joints[def->joint].type == LK_JOINT_FIXED)
            continue;
        b = add_coordinate(d, def->joint, def->coordinate);
        b->kind = LK_ROWS_DRIVEN;
        b->drive = i;
    }
}

static void add_holds(struct lk_draft *d)
{
    for (int i = 0; i < d->model->n_joints && d->in_hold; i++)
        for (int k = 0; k < LK_COORDINATES_MAX; k++)
            if ((d->model->joints[i].hold >> k) & 1)
                add_coordinate(d, i, k)->hold = i;
}

/* ---- parts ---- */

/* index in the system of the part of body @body that takes the next block; the blocks of a body are
 * assigned to its parts in order */
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
    return body < LK_GROUND ? d->n_bodies + 1 + (FRAME_CODE(0) - body) : part_of(d, body);
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

/* the different bodies of coupled joints, without the ground */
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
    /* the joints connect the ground and one body: a block has at least two sides */
    b->n_sides = b->n_sides < 2 ? 2 : b->n_sides;
}

/* @original: blocks with their bodies in the model; rows on coordinates follow their joint */
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
            struct lk_draft_block *weld = add_block(d, LK_JOINT_FIXED, -1);

            for (int s = 0; s < LK_SIDES_MAX; s++)
                weld->body[s] = d->n_bodies;
            weld->body[0] = k == 1 ? b : part - 1;
            weld->body[1] = part;
            d->of[part] = b;
        }
    }
}

/* makes the blocks for the currently chosen parts, and their plan */
static int make_plan(struct lk_draft *d, const struct lk_draft_block *original)
{
    lk_plan_fini(&d->plan);
    d->n_blocks = d->n_own_blocks;
    d->n_bodies = 0;
    for (int b = 0; b < d->model->n_bodies; b++)
        d->n_bodies += d->n_parts[b];
    place_blocks(d, original);
    add_welds(d);
    d->n_hubs = 0;
    for (int i = 0; i < d->n_blocks; i++) {
        d->n_rows[i] = d->blocks[i].n_rows;
        d->n_rigid[i] = d->blocks[i].kind >= LK_ROWS_COMPLIANT ? 0 : d->n_rows[i];
        for (int s = 0; s < LK_TREE_SIDES; s++)
            d->ends[i][s] = d->blocks[i].body[s] < d->n_bodies ? d->blocks[i].body[s] : d->n_bodies;
    }
    if (!d->is_plain)
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
    };
    return lk_plan_best(&d->topology, lk_draft_solves(d), &d->plan);
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

/* work of a step */
static double work_of(const struct lk_draft *d)
{
    return lk_draft_factors(d) * d->plan.factor_flops + lk_draft_solves(d) * d->plan.solve_flops;
}

/* ---- which bodies are hubs, and which are split ---- */

/** struct stake - rows of a body's joints in a front: eliminated there, remaining. */
struct stake {
    int e;
    int r;
};

/** struct times - how often a step factors and solves: found once, for all fronts. */
struct times {
    int factors;
    int solves;
};

/* work of a step at a front that eliminates @e rows and keeps @r */
static double front_work(struct times times, double e, double r)
{
    return times.factors * lk_front_flops(e, r) + times.solves * lk_front_solve_flops(e, r);
}

/* adds what front @f would save without the rows of a body, and resets the counts */
static void save_front(const struct lk_draft *d, struct times times, const struct lk_front_plan *f,
                       struct stake *stake, double *saved)
{
    int e = f->elim_rows, r = f->rows - e;

    for (int i = 0; i < f->n_joints; i++)
        for (int s = 0; s < LK_TREE_SIDES && f->joints[i] < d->n_blocks; s++) {
            int b = d->ends[f->joints[i]][s];
            struct stake *own = b < d->n_bodies ? &stake[d->of[b]] : NULL;

            if (!own || own->e + own->r == 0)
                continue;
            saved[d->of[b]] += front_work(times, e, r) - front_work(times, e - own->e, r - own->r);
            *own = (struct stake){0};
        }
}

/* Upper bound on the work that a hub or a split could save in the present fronts: all rows of
 * its joints. A trial costs a whole plan, and most bodies of a net cannot save that much.
 * Return: 0, -ECANCELED. */
static int bound_savings(const struct lk_draft *d, struct stake *stake, double *saved)
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
                    *(i < f->n_elim ? &stake[d->of[b]].e : &stake[d->of[b]].r) += rows;
            }
        save_front(d, times, f, stake, saved);
        if (lk_effort_spend((uint64_t)f->n_joints))
            return -ECANCELED;
    }
    return 0;
}

/* a hub on which nothing hangs any more is none: all of it hangs on another one. Return: as
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

/* makes @body a hub where that lowers the work */
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

/* tries increasing numbers of parts for one body, and keeps the best */
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

/* @rows, @blocks: of each body */
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
    return !d->plane[b].is_held && rows >= SPLIT_ROWS && blocks >= 4;
}

/* @counts: two per body, zero;  @stake, @saved: of each body, zero */
static int try_bodies(struct lk_draft *d, const struct lk_draft_block *original, int *counts,
                      struct stake *stake, double *saved)
{
    int *rows = counts, *blocks = counts + d->model->n_bodies;
    int r;

    count_at_bodies(d, original, rows, blocks);
    r = bound_savings(d, stake, saved);
    for (int b = 0; b < d->model->n_bodies && r == 0; b++) {
        if (!d->has_no_hubs && rows[b] >= HUB_ROWS && saved[b] > (1 - HUB_GAIN) * work_of(d))
            r = try_hub(d, original, b);
        if (r == 0 && !d->is_hub[b] && may_be_split(d, b, rows[b], blocks[b]) &&
            saved[b] > (1 - SPLIT_GAIN) * work_of(d))
            r = split_body(d, original, b, blocks[b]);
        if (r == 0 && (d->is_hub[b] || d->n_parts[b] > 1))
            r = bound_savings(d, stake, saved);
    }
    return r;
}

static int relieve_bodies(struct lk_draft *d, const struct lk_draft_block *original)
{
    size_t n = (size_t)d->model->n_bodies + 1;
    int *counts = calloc(2 * n, sizeof(*counts));
    struct stake *stake = calloc(n, sizeof(*stake));
    double *saved = calloc(n, sizeof(*saved));
    int r = counts && stake && saved ? try_bodies(d, original, counts, stake, saved) : -ENOMEM;

    free(counts);
    free(stake);
    free(saved);
    return r;
}

static int take_memory(struct lk_draft *d)
{
    const struct lk_model *m = d->model;
    size_t bodies = (size_t)m->n_bodies, joints = (size_t)m->n_joints;
    size_t own = 2 * joints + (size_t)m->n_drives + 3 * (size_t)m->n_forces +
                 (d->in_hold ? LK_COORDINATES_MAX * joints : 0);
    /* a split leaves two blocks per part, so there are fewer welds than blocks */
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
    d->n_rows = calloc(blocks, sizeof(*d->n_rows));
    d->n_rigid = calloc(blocks, sizeof(*d->n_rigid));
    if (!d->n_parts || !d->share || !d->of || !d->hangs_on || !d->is_hub || !d->exchanged ||
        !d->frame_of || !d->plane || !d->tension || !d->blocks || !d->ends || !d->n_rows ||
        !d->n_rigid)
        return -ENOMEM;
    for (size_t i = 0; i < bodies; i++)
        d->n_parts[i] = 1;
    for (size_t i = 0; i < joints; i++)
        d->frame_of[i] = -1;
    return 0;
}

/* which bodies cannot tilt. Return: 0, -ENOMEM */
static int find_planes(struct lk_draft *d)
{
    const struct lk_model *m = d->model;

    d->n_in_plane = d->n_held = 0;
    memset(d->plane, 0, ((size_t)m->n_bodies + 1) * sizeof(*d->plane));
    if (d->has_all_rows)
        return 0;
    d->n_in_plane = lk_plane_find(m, !d->has_rows_that_carry, d->plane);
    for (int b = 0; b < m->n_bodies && d->n_in_plane >= 0; b++)
        d->n_held += d->plane[b].is_held && (!d->plane[b].is_whole || d->plane[b].is_in_place);
    return d->n_in_plane < 0 ? d->n_in_plane : 0;
}

static void add_blocks(struct lk_draft *d)
{
    d->n_blocks = d->n_sways = 0;
    add_joints(d);
    add_drives(d);
    add_laws(d);
    add_sways(d);
    add_holds(d);
    d->n_own_blocks = d->n_blocks;
}

/* Rows of the model, before parts. What turns a body across the tension in it has its inertia in
 * all directions: where a tension is followed, bodies keep all rows. Return: 0, -ENOMEM */
static int find_rows(struct lk_draft *d)
{
    int n, r = find_planes(d);

    if (r != 0)
        return r;
    add_blocks(d);
    n = lk_tensions_find(d, d->tension);
    if (n > 0 && d->n_in_plane > 0) {
        d->has_all_rows = 1;
        return find_rows(d);
    }
    d->is_tense = n > 0 && d->formulation == &lk_formulation_rattle;
    return n < 0 ? n : 0;
}

/* copies the blocks as they are before parts, and distributes them. Return: 0, -ENOMEM, -ECANCELED
 */
static int find_parts(struct lk_draft *d)
{
    size_t size = ((size_t)d->n_blocks + 1) * sizeof(*d->blocks);
    struct lk_draft_block *original = malloc(size);
    int r;

    if (!original)
        return -ENOMEM;
    memcpy(original, d->blocks, size);
    r = make_plan(d, original);
    if (r == 0 && !d->is_plain)
        r = relieve_bodies(d, original);
    free(original);
    return r;
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
        r = find_rows(d);
    return r == 0 ? find_parts(d) : r;
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
    free(d->n_rows);
    free(d->n_rigid);
}
