/* SPDX-License-Identifier: Apache-2.0 */
/* See rows.h. */
#include "compile/passes/rows.h"
#include "compile/passes/plane.h"
#include "compile/passes/pulls.h"
#include "compile/passes/sways.h"
#include "compile/passes/tensions.h"
#include "step/system.h"
#include <string.h>

struct lk_draft_block *lk_rows_add_block(struct lk_draft *d, enum lk_joint_type type, int joint)
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

/* Return the type of the rows of joint @def. */
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
        struct lk_draft_block *b = lk_rows_add_block(d, type, i);

        b->kind = def->has_compliance ? LK_ROWS_COMPLIANT : LK_ROWS_RIGID;
        if (type == LK_JOINT_GEAR)
            b->n_length =
                !lk_joint_coordinate_is_angle(m->joints[def->joint[0]].type, def->coupled[0]);
        if (lk_coupled_joints(type) > 0)
            continue;
        b->is_exchanged = d->exchanged[i];
        b->body[b->is_exchanged] =
            d->frame_of[i] >= 0 ? LK_FRAME_CODE(d->frame_of[i]) : def->body[0];
        b->body[!b->is_exchanged] = def->body[1];
    }
}

/* Make a row on coordinate @which of joint @joint. */
static struct lk_draft_block *add_coordinate(struct lk_draft *d, int joint, int which)
{
    const struct lk_model *m = d->model;
    struct lk_draft_block *b = lk_rows_add_block(d, LK_JOINT_COORDINATE, joint);

    b->which = which;
    b->n_length = !lk_joint_coordinate_is_angle(m->joints[joint].type, which);
    return b;
}

/* Make one row for all elements at a coordinate, unless that row exists. */
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

/* Make the rows of each point of contact @force. */
static void add_contact(struct lk_draft *d, int force)
{
    const struct lk_force_def *f = &d->model->forces[force];

    for (int k = 0; k < f->contact.n_points; k++) {
        struct lk_draft_block *b = lk_rows_add_block(d, LK_JOINT_CONTACT, -1);

        b->kind = LK_ROWS_COMPLIANT;
        b->force = force;
        b->which = k;
        memcpy(b->body, f->body, sizeof(f->body));
    }
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

        if (f->type == LK_FORCE_CONTACT)
            add_contact(d, i);
        if (lk_force_is_on_coordinate(f) || f->type == LK_FORCE_LINE ||
            (f->type >= LK_FORCE_CONSTANT_FORCE && f->type != LK_FORCE_TYRE &&
             f->type != LK_FORCE_DRAG))
            continue;
        struct lk_draft_block *b = lk_rows_add_block(d,
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
        b = lk_rows_add_block(d, LK_JOINT_SWAY, -1);
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
    for (int i = 0; i < d->model->n_joints && d->holds_coordinates; i++)
        for (int k = 0; k < LK_COORDINATES_MAX; k++)
            if ((d->model->joints[i].hold >> k) & 1)
                add_coordinate(d, i, k)->hold = i;
}

/* ---- planar reduction and tension determine the rows ---- */

/* find the bodies that cannot tilt. Return: 0, -ENOMEM */
static int find_planes(struct lk_draft *d)
{
    const struct lk_model *m = d->model;

    d->n_in_plane = d->n_held = 0;
    memset(d->plane, 0, ((size_t)m->n_bodies + 1) * sizeof(*d->plane));
    if (!(d->reductions & LK_REDUCTION_PLANAR))
        return 0;
    d->n_in_plane = lk_plane_find(m, d->reductions & LK_REDUCTION_LOADED, d->plane);
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

/* Make the rows of the model, for unsplit bodies. Geometric stiffness needs the inertia of a body
 * in all directions, so if the step includes it, bodies keep all rows. Return: 0, -ENOMEM */
int lk_rows_find(struct lk_draft *d)
{
    int n, r = find_planes(d);

    if (r != 0)
        return r;
    add_blocks(d);
    n = lk_tensions_find(d, d->tension);
    if (n > 0 && d->n_in_plane > 0) {
        d->reductions &= ~(unsigned)LK_REDUCTION_PLANAR;
        return lk_rows_find(d);
    }
    d->is_tense = n > 0 && d->formulation == &lk_formulation_rattle;
    return n < 0 ? n : 0;
}
