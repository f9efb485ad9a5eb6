/* SPDX-License-Identifier: Apache-2.0 */
/* A model as blocks of rows between bodies, before any memory is laid out.
 *
 * Blocks come in this order: the joints of the model, rows of drives, compliant rows on coordinates
 * (all springs, friction and stops at one coordinate share one), spring-dampers, bushings, held
 * coordinates (only while the initial configuration is assembled), welds between the parts of split
 * bodies.
 *
 * A body with many joints would be one large dense front. Where that lowers the work it is split
 * into parts with an equal share of mass and inertia, at the same place, welded in a row; each part
 * takes some of the joints. Everything here runs when a model is compiled. */
#ifndef LK_COMPILE_DRAFT_H
#define LK_COMPILE_DRAFT_H

#include "compile/tree/plan.h"
#include "model/model.h"
#include "rows/joint.h"
#include <stdbool.h>

struct lk_batches;
struct lk_formulation;
struct lk_prices;

/** struct lk_draft_block - a block to be.
 * @type:   whose functions;  @kind: of its rows
 * @joint:  of the model: the joint itself, or the one whose coordinate @which this row is; -1: none
 * @drive, @force, @hold: what made it, or -1: index in the model (of forces: spring-damper,
 * bushing)
 * @body:   of the system, ground and frames included;  @n_sides: how many of them count */
struct lk_draft_block {
    enum lk_joint_type type;
    enum lk_row_kind kind;
    int n_rows;
    int n_length;
    int joint;
    int which;
    int drive;
    int force;
    int hold;
    int n_sides;
    int body[LK_SIDES_MAX];
};

/** struct lk_draft_share - how the blocks of a body go to its parts. @blocks: at the body;  @taken:
 * that have their part;  @first_extra: where its parts but the first are among the bodies of the
 * system */
struct lk_draft_share {
    int blocks;
    int taken;
    int first_extra;
};

/** struct lk_draft - all of it.
 * @n_parts:    of each body of the model;  @of: the body of the model that a body of the system is
 * @frame_of:   frame of each joint whose first body drives move, or -1
 * @in_hold:    coordinates are held: the system is made to assemble the initial configuration
 * @is_plain:   no body is split, no part stepped side by side with another
 * @formulation: that steps it
 * @engine:     see struct lk_options;  @prices: by which one is chosen, @has_own_prices: those of
 *              this very processor
 * @topology, @plan: of the blocks */
struct lk_draft {
    const struct lk_model *model;
    double h;
    int iterations;
    int in_hold;
    int is_plain;
    const struct lk_formulation *formulation;
    const char *engine;
    const struct lk_prices *prices;
    bool has_own_prices;
    int n_bodies;
    int n_frames;
    int n_coordinates;
    int *n_parts;
    struct lk_draft_share *share;
    int *of;
    int *frame_of;
    int n_blocks;
    int n_own_blocks; /* without welds */
    struct lk_draft_block *blocks;
    int (*ends)[LK_TREE_SIDES];
    int *n_rows;
    struct lk_topology topology;
    struct lk_plan plan;
    struct lk_batches *batches; /* or NULL: no step side by side */
};

/** lk_draft_init() - blocks, parts and plan of @model. @d: model, h, iterations, in_hold,
 * is_plain and formulation are set. Return: 0, -ENOMEM, -ECANCELED. Release with lk_draft_fini().
 */
int lk_draft_init(struct lk_draft *d);
void lk_draft_fini(struct lk_draft *d);

/** lk_draft_stops() - end stops in the model. */
static inline int lk_draft_stops(const struct lk_draft *d)
{
    int n = 0;

    for (int i = 0; i < d->model->n_forces; i++)
        n += d->model->forces[i].type == LK_FORCE_STOP;
    return n;
}

/** lk_draft_factors() - factorisations in a step: for the iterations and for the projections; with
 * stops those that decide what they do, with several of them once more. */
static inline int lk_draft_factors(const struct lk_draft *d)
{
    int stops = lk_draft_stops(d);

    return 2 + (stops > 0 ? 2 : 0) + (stops > 1);
}

/** lk_draft_solves() - solves in a step: iterations, projections, a jump of the loads, and with
 * stops as many more as factorisations. */
static inline int lk_draft_solves(const struct lk_draft *d)
{
    int jumps = 0;

    for (int i = 0; i < d->model->n_inputs; i++)
        jumps |= d->model->inputs[i].type != LK_INPUT_DRIVE;
    return d->iterations + 2 + (jumps || lk_draft_stops(d) > 0) + lk_draft_factors(d) - 2;
}

#endif
