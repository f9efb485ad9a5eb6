/* SPDX-License-Identifier: Apache-2.0 */
/* The draft: a model as blocks of rows between bodies, before memory is laid out.
 *
 * Order of the blocks: joints of the model, rows of drives, compliant rows on coordinates (all
 * springs, friction and stops at one coordinate share one), spring-dampers, bushings, rows across
 * rods and springs whose sway is followed, held coordinates (only while the initial configuration
 * is assembled), welds between the parts of split bodies.
 *
 * A body with many joints makes one large dense front. Where it lowers the work, such a body is a
 * hub, see solve/tree.h; where it cannot be one, and in lanes, which know none, it is split into
 * parts of equal mass and inertia at the same place, welded in a chain; each part takes some of the
 * joints.
 *
 * Passes make the draft, each from the model and from what those before it have set, before any
 * memory is laid out: carriers, rows (with plane, tensions, sways), parts (with hubs and the tree),
 * independence; see passes/. Then batch/ may find a program of lanes that costs less, and fill.h
 * makes the system. Everything here runs when a model is compiled: not for the cycle. */
#ifndef LK_COMPILE_DRAFT_H
#define LK_COMPILE_DRAFT_H

#include "compile/passes/plane.h"
#include "compile/tree/plan.h"
#include "model/model.h"
#include "rows/joint.h"
#include <stdbool.h>

struct lk_batches;
struct lk_formulation;

/** struct lk_draft_block - one block of rows.
 * @type:   selects the functions of its rows;  @kind: rigid, compliant or driven
 * @joint:  index in the model: the joint itself, or the joint whose coordinate @which the row acts
 *          on; -1: none
 * @drive, @force, @hold: index in the model of the element that makes the block, or -1; @force:
 *          spring-damper or bushing
 * @along:  block of the rod or spring across which it follows the sway, or -1
 * @body:   bodies of the system, ground and frames included;  @n_sides: number of them in use
 * @is_exchanged: side 0 is the second body of the joint, see carriers.h */
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
    int along;
    int is_exchanged;
    int n_sides;
    int body[LK_SIDES_MAX];
};

/** struct lk_draft_share - distribution of a body's blocks to its parts. @blocks: number at the
 * body;  @taken: number that have a part;  @first_extra: index in the system of its second part */
struct lk_draft_share {
    int blocks;
    int taken;
    int first_extra;
};

/** enum lk_draft_reduction - bits beside those of enum lk_reduction. LOADED: planar reduction where
 * the rows that are left out may carry something, see plane.h;  LANES: a step in lanes */
enum lk_draft_reduction {
    LK_REDUCTION_LOADED = LK_REDUCTIONS_ALL + 1,
    LK_REDUCTION_LANES = LK_REDUCTION_LOADED << 1,
    LK_DRAFT_REDUCTIONS_ALL = (LK_REDUCTION_LANES << 1) - 1
};

/** struct lk_draft - the whole draft.
 * @interval:   of a step; @h is a part of it in the sequences of a higher order, whose systems must
 *              be alike: what rows there are and which way round depends on the interval alone [s]
 * @n_parts:    parts of each body of the model;  @of: body of the model for each of the system
 * @exchanged:  of each joint: see carriers.h, or all 0
 * @frame_of:   frame of each joint whose first body is moved by drives, or -1
 * @in_hold:    coordinates are held: this system only assembles the initial configuration
 * @reductions: that may be used: bits of enum lk_reduction and enum lk_draft_reduction
 * @plane:      how each body of the model is held;  @n_in_plane: how many are;  @n_held: in no
 * plane or in place
 * @formulation: steps the system
 * @engine, @callbacks: see struct lk_options
 * @size:       of the model, see lk_draft_size()
 * @tension:    of each body of the model, see tensions.h;  @is_tense: `rattle` follows that of some
 * @may_close_dampers: if one may stop a motion within a step, see lk_fill_dampers()
 * @rows_are_independent: see independence.h
 * @follows_sway: and that of rods and springs, see sways.h: @n_sways of them
 * @is_hub:     of each body of the model;  @hangs_on: of each body of the system, see struct
 *              lk_topology
 * @topology, @plan: of the blocks */
struct lk_draft {
    const struct lk_model *model;
    double interval;
    double h;
    int iterations;
    int in_hold;
    unsigned reductions;
    int n_in_plane;
    int n_held;
    struct lk_plane *plane;
    const struct lk_formulation *formulation;
    const char *engine;
    const struct lk_callback *callbacks;
    double size;
    double *tension;
    bool is_tense;
    bool may_close_dampers;
    bool rows_are_independent;
    bool follows_sway;
    int n_sways;
    int n_bodies;
    int n_frames;
    int n_coordinates;
    int *n_parts;
    struct lk_draft_share *share;
    int *of;
    int n_hubs;
    bool *is_hub;
    int *hangs_on;
    int *exchanged;
    int *frame_of;
    int n_blocks;
    int n_own_blocks; /* without welds */
    struct lk_draft_block *blocks;
    int (*ends)[LK_TREE_SIDES];
    int *n_rows;
    int *n_rigid;
    struct lk_topology topology;
    struct lk_plan plan;
    struct lk_batches *batches; /* or NULL: no step side by side */
};

/** lk_draft_init() - make blocks, parts and plan of @d->model. The caller has set model, interval,
 * h, iterations, in_hold, reductions and formulation. Return: 0, -ENOMEM,
 * -ECANCELED. Release with lk_draft_fini(). */
int lk_draft_init(struct lk_draft *d);
void lk_draft_fini(struct lk_draft *d);

/** lk_draft_size() - diagonal of the box around the places of all joints, springs and bushings of
 * @model [m]. */
double lk_draft_size(const struct lk_model *model);

/** lk_draft_plane() - how a body of @def, no coupling, is kept upright. */
const struct lk_plane *lk_draft_plane(const struct lk_draft *draft, const struct lk_joint_def *def);

/** lk_draft_may_be_thin() - whether the inertia of @body about some axis may be none beside that
 * about another. */
bool lk_draft_may_be_thin(const struct lk_body_def *body);

/** lk_draft_laws() - number of rows that follow laws. */
static inline int lk_draft_laws(const struct lk_draft *d)
{
    int n = 0;

    for (int i = 0; i < d->n_blocks; i++)
        n += d->blocks[i].kind >= LK_ROWS_COMPLIANT ? d->n_rows[i] : 0;
    return n;
}

/** lk_draft_stops() - number of end stops in the model. */
static inline int lk_draft_stops(const struct lk_draft *d)
{
    int n = 0;

    for (int i = 0; i < d->model->n_forces; i++)
        n += d->model->forces[i].type == LK_FORCE_STOP;
    return n;
}

/** lk_draft_factors() - factorisations in a step. `ali3`: one for the iterations, one for the
 * projections, two more with stops, which decide contact, and a third with several stops; `rattle`:
 * one, and one more with laws. */
int lk_draft_factors(const struct lk_draft *d);

/** lk_draft_solves() - solves in a step: iterations, two projections, one for a jump of the loads,
 * and one for each factorisation that stops add. `rattle` has no jumps and decides
 * stops apart; it closes the positions, solves each projection twice, and one time more for what no
 * motion removes. */
int lk_draft_solves(const struct lk_draft *d);

#endif
