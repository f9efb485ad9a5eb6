/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a model can be stepped in batches, and builds its program. */
#include "compile/draft.h"
#include "compile/batch/batches.h"
#include "compile/batch/cost.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Return the kind of a block in lanes, see step/lanes/fields.h. */
static int kind_of(const struct lk_draft *d, const struct lk_draft_block *b)
{
    enum lk_kind kind = lk_kind_of(b->type);
    bool moves = b->body[0] > d->n_bodies || b->kind == LK_ROWS_DRIVEN;

    if (b->kind == LK_ROWS_RIGID && kind < LK_KINDS && !moves)
        return (int)kind;
    if (lk_coupled_joints(b->type) > 0)
        return LK_KIND_COUPLED;
    if (b->n_rows == 0) /* a joint without rows is in no block of lanes */
        return LK_KIND_SINGLE;
    return (b->kind >= LK_ROWS_COMPLIANT ? LK_KIND_SOFT : LK_KIND_SINGLE) + b->n_rows - 1;
}

/* Return whether `rattle` must keep the multipliers of rigid rows from step to step, see struct
 * lk_batches. This is necessary if a body lacks mass or inertia and transmits forces. `ali3` always
 * keeps the multipliers, without this flag. */
static bool carries(const struct lk_draft *d)
{
    bool lacks = false;

    if (d->formulation != &lk_formulation_rattle)
        return false;
    for (int i = 0; i < d->model->n_bodies; i++)
        lacks |= !lk_draft_has_inertia(&d->model->bodies[i]);
    return lacks;
}

/* Return whether bodies have the fields of step/lanes/rare.h. */
static bool has_rare(const struct lk_draft *d, const int *kind)
{
    bool rare = d->is_tense;

    for (int i = 0; i < d->model->n_bodies; i++)
        rare |= lk_draft_may_be_thin(&d->model->bodies[i]);
    for (int i = 0; i < d->n_blocks; i++)
        rare |= lk_lane_is_soft(kind[i]) && !d->formulation->in_lanes->laws_are_loads;
    return rare;
}

/* Return whether batches support the formulation, the bodies and the outputs. The condition
 * number and mobilities need the fronts of the step one by one. */
static int is_known(const struct lk_draft *d)
{
    const struct lk_model *m = d->model;
    int known = d->formulation->in_lanes && !d->holds_coordinates;

    if (!known)
        return false;
    for (int i = 0; i < m->n_bodies; i++)
        known &= !lk_draft_may_be_thin(&m->bodies[i]) || d->formulation != &lk_formulation_rk4;
    for (int i = 0; i < m->n_outputs; i++)
        known &=
            m->outputs[i].type != LK_OUTPUT_CONDITION && m->outputs[i].type != LK_OUTPUT_MOBILITY;
    /* rows that need poses, velocities or the multiplier of another row in each iterate, which
     * lanes keep to themselves */
    for (int i = 0; i < m->n_joints; i++)
        known &= lk_joint_traits[m->joints[i].type].n_slips == 0;
    /* the row of a coupling in lanes is rigid */
    for (int i = 0; i < m->n_joints; i++)
        known &= lk_coupled_joints(m->joints[i].type) == 0 || !m->joints[i].has_compliance;
    for (int i = 0; i < m->n_forces; i++)
        known &= !m->forces[i].has_mu && m->forces[i].type != LK_FORCE_CONTACT &&
                 (m->forces[i].type != LK_FORCE_CREEP ||
                  !(m->forces[i].follows_load || m->forces[i].spin > 0));
    return known;
}

bool lk_batches_may_be(const struct lk_draft *d)
{
    return d->n_bodies > 0 && d->model->n_modals == 0 && strcmp(d->engine, "none") != 0 &&
           is_known(d);
}

/** struct rows_in_lanes - the joints whose rows are in lanes.
 * @of:   index of each joint among all joints of the draft;  @kind: kind of each joint in lanes */
struct rows_in_lanes {
    struct lk_topology topology;
    int *of;
    int *kind;
    int *n_rows;
    int (*body)[LK_TREE_SIDES];
};

static void free_rows(struct rows_in_lanes *rows)
{
    free(rows->of);
    free(rows->kind);
    free(rows->n_rows);
    free(rows->body);
}

/* Choose the joints in lanes: all joints with rows, except compliant joints if the formulation
 * applies laws as loads.
 * Return: 0, -ENOMEM. */
static int choose_rows(const struct lk_draft *d, const int *kind, struct rows_in_lanes *ret)
{
    size_t room = (size_t)d->n_blocks + 1;
    int n = 0;

    *ret = (struct rows_in_lanes){
        .of = malloc(room * sizeof(int)),
        .kind = malloc(room * sizeof(int)),
        .n_rows = malloc(room * sizeof(int)),
        .body = malloc(room * sizeof(*ret->body)),
    };
    if (!ret->of || !ret->kind || !ret->n_rows || !ret->body) {
        free_rows(ret);
        return -ENOMEM;
    }
    for (int i = 0; i < d->n_blocks; i++) {
        if (d->n_rows[i] == 0 ||
            (lk_lane_is_soft(kind[i]) && d->formulation->in_lanes->laws_are_loads))
            continue;
        ret->of[n] = i;
        ret->kind[n] = kind[i];
        ret->n_rows[n] = d->n_rows[i];
        memcpy(ret->body[n++], d->topology.body[i], sizeof(*ret->body));
    }
    ret->topology = (struct lk_topology){
        .n_bodies = d->n_bodies,
        .n_joints = n,
        .body = (const int(*)[LK_TREE_SIDES])ret->body,
        .n_rows = ret->n_rows,
    };
    return 0;
}

static int make_batches(const struct lk_draft *d, const int *kind, const struct lk_engine *engine,
                        struct lk_batches **ret)
{
    struct rows_in_lanes rows;
    int r = choose_rows(d, kind, &rows);

    if (r != 0)
        return r;
    r = lk_batches_new(&rows.topology, rows.kind, engine, d->formulation->in_lanes, d->iterations,
                       has_rare(d, kind), carries(d), ret);
    if (r == 0 && d->formulation->in_lanes->laws_are_loads)
        (*ret)->n_law_loads = lk_draft_laws(d);
    for (int i = 0; r == 0 && i < (*ret)->n_joints; i++)
        for (int l = 0; l < LK_LANES_MAX; l++) {
            int *joint = &(*ret)->joints[i].joint[l];

            *joint = *joint < 0 ? -1 : rows.of[*joint];
        }
    free_rows(&rows);
    return r;
}

/* Least number of lanes of an engine that is chosen by its cost, unless it is the first of the
 * list. Narrower engines are for comparison and for processors without wider ones. In all
 * measurements with both, a narrower engine was never the fastest. */
#define LANES_CHOSEN 4

/* Largest number of bodies for which no engine is chosen by its cost, because one or two bodies
 * leave most lanes empty. For example a door with two hinges (ten rows) needs 1.8 us one by one and
 * 2.6 us in lanes (ali3, AMD Zen 5). */
#define FEW_BODIES 2

/* Replace the best program so far with the program of @engine if the latter costs less. Return: 0,
 * -ENOMEM. */
static int consider_engine(struct lk_draft *d, const int *kind, const struct lk_engine *engine,
                           double *least_ns)
{
    struct lk_batches *batches = NULL, *worse;
    int r = make_batches(d, kind, engine, &batches);

    if (r != 0)
        return r;
    worse = batches;
    if (lk_batches_time(batches) < *least_ns) {
        *least_ns = lk_batches_time(batches);
        worse = d->batches;
        d->batches = batches;
    }
    if (worse)
        lk_batches_free(worse);
    return 0;
}

int lk_engine_check(const char *name, struct lk_error *ret_error)
{
    char known[64] = "";

    if (*name == 0 || strcmp(name, "auto") == 0 || strcmp(name, "none") == 0 ||
        lk_engine_find(name))
        return 0;
    for (int i = 0; lk_engines[i]; i++)
        if (lk_engines[i]->is_supported()) {
            strcat(known, lk_engines[i]->name);
            strcat(known, ", ");
        }
    lk_error_set(ret_error,
                 "the engine is '%.40s', expected one of this processor and build: %snone, auto; a "
                 "build with -Dengines=all has every engine",
                 name, known);
    return LK_E_MODEL;
}

int lk_batches_draft(struct lk_draft *d, const struct lk_engine *const *engines, double least_ns)
{
    const struct lk_engine *named = lk_engine_find(d->engine);
    int *kind = malloc(((size_t)d->n_blocks + 1) * sizeof(int)), r = 0, known;

    if (!kind)
        return -ENOMEM;
    known = lk_batches_may_be(d);
    for (int i = 0; i < d->n_blocks && known; i++)
        kind[i] = kind_of(d, &d->blocks[i]);
    /* Small mechanisms leave most lanes empty. An engine requested by name is used nevertheless. */
    if (known && named)
        r = make_batches(d, kind, named, &d->batches);
    for (int i = 0; known && d->n_bodies > FEW_BODIES && !named && engines[i] && r == 0; i++)
        if (i == 0 || engines[i]->lanes >= LANES_CHOSEN)
            r = consider_engine(d, kind, engines[i], &least_ns);
    free(kind);
    return r;
}
