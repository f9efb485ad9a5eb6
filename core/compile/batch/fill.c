/* SPDX-License-Identifier: Apache-2.0 */
/* Copies a program into the memory of a system: its lists, and the constants of bodies and joints.
 */
#include "compile/batch/batches.h"
#include "compile/batch/cost.h"
#include "maths/vec.h"
#include <stdlib.h>
#include <string.h>

/* copies an array of @plan into the arena */
#define COPY(to, arena, plan, array, n)                                                            \
    do {                                                                                           \
        void *memory = lk_arena_take(arena, (size_t)(plan)->n, sizeof(*(plan)->array));            \
        if ((arena)->base && (plan)->n > 0)                                                        \
            memcpy(memory, (plan)->array, (size_t)(plan)->n * sizeof(*(plan)->array));             \
        if ((arena)->base)                                                                         \
            (to)->array = memory;                                                                  \
    } while (0)

struct lk_batches *lk_batches_layout(const struct lk_batches *plan, const struct lk_system *sys,
                                     struct lk_arena *arena)
{
    struct lk_batches *p = lk_arena_take(arena, 1, sizeof(*p));
    size_t lane = sizeof(double) * (size_t)plan->lanes, bodies = (size_t)sys->n_bodies + 1;

    if (arena->base)
        *p = *plan;
    /* a vector is aligned to its own size */
    void *values = lk_arena_take(arena, (size_t)plan->n_values, lane);
#define X(list, n) COPY(p, arena, plan, list, n);
    LK_BATCHES_LISTS(X)
#undef X
    void *watch = lk_arena_take(arena, (size_t)plan->n_tasks * LK_WATCHES, lane);
    void *sums = lk_arena_take(arena, (size_t)plan->n_tasks * LK_SUMS, lane);
    void *loaded = lk_arena_take(arena, bodies, sizeof(int));
    void *watched = lk_arena_take(arena, bodies, sizeof(int));
    void *place = lk_arena_take(arena, bodies, sizeof(int));
    void *soft = lk_arena_take(arena, (size_t)sys->n_laws, sizeof(*p->soft));
    void *tense = lk_arena_take(arena, plan->rare ? bodies : 0, sizeof(*p->tense));
    void *sides =
        lk_arena_take(arena, plan->rare ? 2 * (size_t)sys->n_joints : 0, sizeof(*p->tense_sides));
    if (!arena->base)
        return NULL;
    p->values = values;
    p->watch = watch;
    p->sums = sums;
    p->loaded = loaded;
    p->watched = watched;
    p->place = place;
    p->soft = soft;
    p->tense = tense;
    p->tense_sides = sides;
    return p;
}

static void set_value(struct lk_batches *p, int at, int lane, double value)
{
    p->values[at * p->lanes + lane] = value;
}

/* Return whether a body has equal moments of inertia about all axes. A body with planar reduction
 * does not count, because its W allows rotation about one axis only. */
static bool is_ball(const struct lk_system *sys, int body)
{
    const double *J = sys->body[body].inertia;

    return !sys->body[body].is_in_plane && J[0] == J[1] && J[1] == J[2] && J[3] == 0 && J[4] == 0 &&
           J[5] == 0;
}

/* Set s R J^-1 R^T of a body for which this product does not depend on the rotation: the moments of
 * inertia are equal, or the body has planar reduction. */
static void fill_constant(const struct lk_system *sys, struct lk_batches *p, int at, int lane,
                          int body)
{
    const double *S = sys->sW[body].inertia, *R = sys->pose[body].R;
    double own[3], turned[3];

    for (int k = 0; k < 3; k++) {
        lk_sym_mul(S, R + 3 * k, own);
        lk_rotate(R, own, turned);
        for (int i = 0; i <= k; i++) {
            int entry = lk_sym_at(i, k);

            set_value(p, at + LK_BODY_A + entry, lane,
                      sys->body[body].is_in_plane ? turned[i] : S[entry]);
        }
    }
}

static void find_linear(const struct lk_system *sys, struct lk_batches *p)
{
    for (int i = 0; i < p->n_bodies; i++) {
        struct lk_batch_bodies *b = &p->bodies[i];
        bool are_in_plane = true;

        b->are_balls = p->rare == 0;
        for (int l = 0; l < p->lanes; l++) {
            b->are_balls &= b->body[l] < 0 || is_ball(sys, b->body[l]);
            are_in_plane &= b->body[l] < 0 || sys->body[b->body[l]].is_in_plane;
        }
        b->are_linear = b->are_balls || (are_in_plane && p->rare == 0);
        for (int l = 0; l < p->lanes && b->are_linear; l++)
            if (b->body[l] >= 0)
                fill_constant(sys, p, b->at, l, b->body[l]);
    }
}

static bool is_in_linear(const struct lk_batches *p, int body)
{
    for (int i = 0; i < p->n_bodies; i++)
        for (int l = 0; l < p->lanes; l++)
            if (p->bodies[i].body[l] == body)
                return p->bodies[i].are_linear;
    return true; /* the ground */
}

/* Set the constants of bodies. A lane without a body has no mass, no motion and identity
 * orientation. */
static void fill_bodies(const struct lk_system *sys, struct lk_batches *p)
{
    find_linear(sys, p);
    for (int i = 0; i < p->n_bodies; i++)
        for (int l = 0; l < p->lanes; l++) {
            int at = p->bodies[i].at, b = p->bodies[i].body[l];

            set_value(p, at + LK_BODY_OLD_Q, l, 1);
            if (b < 0)
                continue;
            p->place[b] = at * p->lanes + l;
            set_value(p, at + LK_BODY_MASS, l, sys->body[b].mass);
            set_value(p, at + LK_BODY_SM, l, sys->sW[b].mass);
            for (int k = 0; k < 6; k++) {
                set_value(p, at + LK_BODY_J + k, l, sys->body[b].inertia[k]);
                set_value(p, at + LK_BODY_SJ + k, l, sys->sW[b].inertia[k]);
            }
        }
    for (int l = 0; l < p->lanes; l++)
        for (int k = 0; k < 3; k++) {
            set_value(p, p->ground + LK_BODY_R + 4 * k, l, 1);
            set_value(p, p->ground + LK_BODY_NOW_R + 4 * k, l, 1);
        }
}

/* Set the constants of joints. A lane without a joint has E = 1, which keeps its rows regular. */
static void fill_joints(const struct lk_system *sys, struct lk_batches *p)
{
    for (int i = 0; i < p->n_joints; i++) {
        struct lk_batch_joints *block = &p->joints[i];
        const struct lk_joint_kind *k = lk_lane_kind(block->kind);

        block->joins_linear = block->kind < LK_KINDS;
        for (int l = 0; l < p->lanes; l++) {
            const struct lk_joint *j = block->joint[l] < 0 ? NULL : &sys->joint[block->joint[l]];

            for (int r = 0; r < lk_kind_rows(k); r++)
                set_value(p, block->at + lk_kind_regular(k) + r, l,
                          j ? sys->regular[j->row + r] : 1);
            if (!j)
                continue;
            block->row[l] = j->row;
            for (int s = 0; s < 2; s++)
                block->joins_linear &= is_in_linear(p, j->body[s]);
            for (int s = 0; s < 2; s++)
                for (int c = 0; c < 3; c++) {
                    set_value(p, block->at + lk_kind_points(k) + 3 * s + c, l, j->p[s][c]);
                    for (int d = 0; d < k->n_dir[s]; d++)
                        set_value(p, block->at + lk_kind_directions(k, s) + 3 * d + c, l,
                                  j->f[s][k->dir[s][d]][c]);
                }
        }
    }
}

/* Add @body to the list unless the list contains it. */
static void name_body(const struct lk_system *sys, int *list, int *n, int body)
{
    if (body < 0 || body >= sys->n_bodies)
        return;
    for (int i = 0; i < *n; i++)
        if (list[i] == body)
            return;
    list[(*n)++] = body;
}

static void name_joint(const struct lk_system *sys, int *list, int *n, int joint)
{
    for (int s = 0; s < sys->joint[joint].n_sides; s++)
        name_body(sys, list, n, sys->joint[joint].body[s]);
}

/* mark the lane of @body so that its pose is stored for singles */
static void show_body(struct lk_batches *p, int body)
{
    for (int i = 0; i < p->n_bodies; i++)
        for (int l = 0; l < p->lanes; l++)
            if (p->bodies[i].body[l] == body)
                p->bodies[i].shown |= 1u << l;
}

/* Add a compliant joint to the list @soft. @block, @lane: block and lane of the joint; block -1:
 * its laws are applied as loads */
static void name_soft(struct lk_system *sys, struct lk_batches *p, int joint, int block, int lane)
{
    name_joint(sys, p->watched, &p->n_watched, joint);
    name_joint(sys, p->loaded, &p->n_loaded, joint);
    p->soft[p->n_soft++] = (struct lk_batch_soft){.joint = joint, .block = block, .lane = lane};
}

/* list the singles (joints whose rows are found one by one), their bodies, and the compliant joints
 */
static void name_singles(struct lk_system *sys, struct lk_batches *p)
{
    p->n_soft = 0;
    for (int i = 0; i < sys->n_joints && sys->formulation->laws_are_loads; i++)
        if (lk_is_compliant(&sys->joint[i]))
            name_soft(sys, p, i, -1, -1);
    for (int i = 0; i < p->n_joints; i++)
        for (int l = 0; l < p->lanes && p->joints[i].kind >= LK_KIND_SINGLE; l++) {
            int joint = p->joints[i].joint[l];

            if (joint < 0)
                continue;
            for (int s = 0; s < sys->joint[joint].n_sides; s++)
                show_body(p, sys->joint[joint].body[s]);
            name_joint(sys, p->watched, &p->n_watched, joint);
            if (lk_lane_is_soft(p->joints[i].kind))
                name_soft(sys, p, joint, i, l);
        }
}

static void name_bodies(struct lk_system *sys, struct lk_batches *p)
{
    p->n_loaded = p->n_watched = 0;
    name_singles(sys, p);
    for (int i = 0; i < sys->n_loads; i++)
        name_body(sys, p->loaded, &p->n_loaded, sys->load[i].body);
    for (int i = 0; i < sys->n_inputs; i++) {
        const struct lk_input *in = &sys->input[i];

        if (lk_input_is_along(in->type))
            name_joint(sys, p->loaded, &p->n_loaded, in->joint);
        else if (lk_input_is_load(in->type))
            name_body(sys, p->loaded, &p->n_loaded, in->load.body);
    }
    for (int i = 0; i < p->n_loaded; i++)
        name_body(sys, p->watched, &p->n_watched, p->loaded[i]);
    for (int i = 0; i < sys->n_outputs; i++)
        name_body(sys, p->watched, &p->n_watched, sys->output[i].body);
    for (int i = 0; i < sys->n_named_joints; i++)
        if (sys->joint[i].needs_coordinate)
            name_joint(sys, p->watched, &p->n_watched, i);
    for (int i = 0; i < sys->n_outputs; i++)
        if (sys->output[i].joint >= 0 && sys->output[i].joint < sys->n_joints)
            name_joint(sys, p->watched, &p->n_watched, sys->output[i].joint);
}

void lk_batches_fill(struct lk_system *sys)
{
    struct lk_batches *p = sys->batches;

    p->keeps_gaps = sys->formulation == &lk_formulation_rattle_lanes && !sys->rows_are_independent;
    fill_bodies(sys, p);
    fill_joints(sys, p);
    for (int k = 0; k < p->n_nothing * p->lanes; k++)
        p->values[(p->nothing + p->n_nothing) * p->lanes + k] = 1;
    for (int i = 0; i < p->n_masks; i++)
        for (int l = 0; l < p->lanes; l++)
            set_value(p, p->masks[i].at, l, (p->masks[i].lanes >> l) & 1);
    name_bodies(sys, p);
    lk_batches_cost(p, &sys->cost);
}
