/* SPDX-License-Identifier: Apache-2.0 */
/* The draft: a model as blocks of rows between bodies, before memory is laid out.
 *
 * Order of the blocks: joints of the model, rows of drives, compliant rows on coordinates (all
 * springs, friction and stops at one coordinate share one block), spring-dampers, bushings, sway
 * rows of rods and springs (geometric stiffness), held coordinates (only while the initial
 * configuration is assembled), welds between the parts of split bodies.
 *
 * A body with many joints makes one large dense front. If it reduces the operations of a step, such
 * a body becomes a hub, see solve/tree.h. If the body cannot be a hub, or the step is in lanes,
 * which do not support hubs, the body is split into parts. The parts have equal mass and inertia
 * and the same pose, are welded in a chain, and share the joints of the body.
 *
 * The draft is made by passes, each of which uses the model and the results of the passes before
 * it: carriers, rows (with plane, tensions, sways), parts (with hubs and the tree), independence;
 * see passes/. Then batch/ may find a cheaper program in lanes, and fill.h makes the system.
 * Everything here runs when a model is compiled: not for the cycle. */
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
 * @along:  for a sway block: the block of its rod or spring, else -1
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

/** struct lk_draft_share - distribution of a body's blocks to its parts.
 * @blocks: number of blocks at the body;  @taken: number of these blocks that are assigned to a
 *          part
 * @first_extra: index in the system of the second part */
struct lk_draft_share {
    int blocks;
    int taken;
    int first_extra;
};

/** enum lk_draft_reduction - bits in addition to the bits of enum lk_reduction.
 * LOADED: planar reduction also if the omitted rows may have multipliers, see plane.h
 * LANES:  a step in lanes */
enum lk_draft_reduction {
    LK_REDUCTION_LOADED = LK_REDUCTIONS_ALL + 1,
    LK_REDUCTION_LANES = LK_REDUCTION_LOADED << 1,
    LK_DRAFT_REDUCTIONS_ALL = (LK_REDUCTION_LANES << 1) - 1
};

/** struct lk_draft - the whole draft.
 * @interval:   length of a step [s];  @h: equal to @interval, or a fraction of it in a sequence of
 *              a higher order [s]. Rows and their orientation depend only on @interval, so that the
 *              systems of all sequences are alike
 * @n_parts:    number of parts of each body of the model;  @of: body of the model for each body of
 *              the system
 * @exchanged:  whether the sides of each joint are exchanged, see carriers.h; or all 0
 * @frame_of:   frame of each joint whose first body is moved by drives, or -1
 * @holds_coordinates:    coordinates are held: this system only assembles the initial configuration
 * @reductions: allowed reductions: bits of enum lk_reduction and enum lk_draft_reduction
 * @plane:      planar reduction of each body of the model;  @n_in_plane: number of bodies with
 *              planar reduction
 * @n_held:     number of bodies with planar reduction whose mechanism is not planar, or that turn
 *              in place
 * @formulation: formulation that steps the system
 * @engine, @callbacks: see struct lk_options
 * @size:       size of the model [m], see lk_draft_size()
 * @tension:    tension of each body of the model, see tensions.h
 * @is_tense:   the step of `rattle` includes the geometric stiffness of some body
 * @may_close_dampers: a damper may stop a motion within a step, see lk_fill_dampers()
 * @rows_are_independent: see independence.h
 * @follows_sway: the step includes the geometric stiffness of rods and springs, see sways.h
 * @n_sways:    number of these rods and springs
 * @is_hub:     whether each body of the model is a hub;  @hangs_on: hub of the branch of each body
 *              of the system, see struct lk_topology
 * @ends, @sides: bodies of each block, see body and side of struct lk_topology;  @carried:
 * likewise, only if the model has bodies with modes
 * @topology, @plan: topology and elimination plan of the blocks */
struct lk_draft {
    const struct lk_model *model;
    double interval;
    double h;
    int iterations;
    int holds_coordinates;
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
    int n_own_blocks; /* number of blocks without welds */
    struct lk_draft_block *blocks;
    int (*ends)[LK_TREE_SIDES];
    int (*sides)[LK_TREE_SIDES];
    struct lk_carried *carried;
    int *n_rows;
    int *n_rigid;
    struct lk_topology topology;
    struct lk_plan plan;
    struct lk_batches *batches; /* NULL: no step in lanes */
};

/** lk_draft_init() - make blocks, parts and plan of @d->model. Before the call, set model,
 * interval, h, iterations, holds_coordinates, reductions and formulation. Return: 0, -ENOMEM,
 * -ECANCELED. Release with lk_draft_fini(). */
int lk_draft_init(struct lk_draft *d);
void lk_draft_fini(struct lk_draft *d);

/** lk_draft_size() - compute the diagonal of the box around the points of all joints, springs and
 * bushings of @model [m]. */
double lk_draft_size(const struct lk_model *model);

/** lk_draft_plane() - return the planar reduction of a body of joint @def, which is no coupling. */
const struct lk_plane *lk_draft_plane(const struct lk_draft *draft, const struct lk_joint_def *def);

/** lk_draft_has_inertia() - return whether @body has mass and a moment of inertia. */
bool lk_draft_has_inertia(const struct lk_body_def *body);

/** lk_draft_callback() - return the function for @force among @all, which may be NULL; NULL: none.
 */
const struct lk_callback *lk_draft_callback(const struct lk_callback *all, const char *force);

/** lk_draft_may_be_thin() - return whether the inertia of @body about some axis may be negligible
 * compared with the inertia about another axis. */
bool lk_draft_may_be_thin(const struct lk_body_def *body);

/** lk_draft_laws() - count the compliant rows. */
static inline int lk_draft_laws(const struct lk_draft *d)
{
    int n = 0;

    for (int i = 0; i < d->n_blocks; i++)
        n += d->blocks[i].kind >= LK_ROWS_COMPLIANT ? d->n_rows[i] : 0;
    return n;
}

/** lk_draft_stops() - count the end stops of the model. */
static inline int lk_draft_stops(const struct lk_draft *d)
{
    int n = 0;

    for (int i = 0; i < d->model->n_forces; i++)
        n += d->model->forces[i].type == LK_FORCE_STOP;
    return n;
}

/** lk_draft_factors() - count the factorisations of a step. `ali3`: one for the iterations, one
 * for the projections; with one stop two more, to decide contact; with several stops three more.
 * `rattle`: one, and one more with laws. */
int lk_draft_factors(const struct lk_draft *d);

/** lk_draft_solves() - count the solves of a step. `ali3`: one for each iteration, two projections,
 * one for a jump of the loads, and one for each factorisation that stops add. `rattle` has no
 * jumps and decides stops separately; `rattle` also closes the positions, solves each projection
 * twice, and once more for the violation that no motion removes. */
int lk_draft_solves(const struct lk_draft *d);

/** lk_draft_modal_flops() - count the operations of a step for bodies with modes: their kinematics
 * and inertia in each iteration and four times after them, and their elements in the factors. */
double lk_draft_modal_flops(const struct lk_draft *d);

/** lk_draft_flops() - count the operations of a step for the factors, the solves and the modes. */
double lk_draft_flops(const struct lk_draft *d);

#endif
