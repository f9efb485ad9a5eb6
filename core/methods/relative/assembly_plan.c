/* SPDX-License-Identifier: Apache-2.0 */
/* Plan of an assembly. The merges are those of core/compile/tree in their balanced form. The fronts
 * differ from those of core/compile/tree because rows of a loop may depend on each other. */
#include "compile/tree/plan.h"
#include "maths/arena.h"
#include "methods/relative/assembly_fronts.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** struct draft - working state of the plan.
 * @body:  for each block, its bodies; n_bodies for the ground and for unused sides
 * @at:    first row of each block in the present front
 * @group: union-find structure of the ground and the bodies that joints already connect */
struct draft {
    struct lk_topology topology;
    struct lk_plan plan;
    int (*body)[LK_TREE_SIDES];
    int *n_rows;
    int *at;
    int *group;
};

static void draft_fini(struct draft *d)
{
    lk_plan_fini(&d->plan);
    free(d->body);
    free(d->n_rows);
    free(d->at);
    free(d->group);
}

static int draft_init(struct draft *d, const struct lk_mechanics *m)
{
    size_t blocks = (size_t)m->n_blocks + 1;
    struct lk_tree tree;
    int r;

    *d = (struct draft){.body = calloc(blocks, sizeof(*d->body)),
                        .n_rows = calloc(blocks, sizeof(int)),
                        .at = calloc(blocks, sizeof(int)),
                        .group = calloc((size_t)m->n_bodies + 1, sizeof(int))};
    if (!d->body || !d->n_rows || !d->at || !d->group)
        return -ENOMEM;
    for (int i = 0; i < m->n_blocks; i++) {
        const struct lk_joint *j = &m->system->joint[m->block[i]];

        d->n_rows[i] = lk_rigid_rows(j);
        for (int s = 0; s < LK_TREE_SIDES; s++)
            d->body[i][s] = s < j->n_sides && j->body[s] < m->n_bodies ? j->body[s] : m->n_bodies;
    }
    for (int b = 0; b <= m->n_bodies; b++)
        d->group[b] = b;
    d->topology = (struct lk_topology){m->n_bodies, m->n_blocks,
                                       (const int(*)[LK_TREE_SIDES])d->body, d->n_rows};
    r = lk_tree_build(&d->topology, LK_TREE_ROUNDS, &tree);
    if (r != 0)
        return r;
    r = lk_plan_init(&d->topology, &tree, &d->plan);
    lk_tree_fini(&tree);
    return r;
}

static int group_of(const struct draft *d, int b)
{
    while (d->group[b] != b)
        b = d->group[b];
    return b;
}

/* Return whether the eliminated joints of a front close a loop. A joint closes a loop if it
 * connects bodies of one group, or relates more than two bodies. */
static int closes_loop(struct draft *d, const struct lk_front_plan *plan)
{
    int closes = 0;

    for (int i = 0; i < plan->n_elim; i++) {
        const int *body = d->body[plan->joints[i]];
        int a = group_of(d, body[0]), b = group_of(d, body[1]);

        closes |= a == b || body[2] != d->topology.n_bodies;
        d->group[a] = b;
    }
    return closes;
}

/* ---- layout: count, then place ---- */

static int count_links(const struct draft *d, const struct lk_front_plan *plan)
{
    int n = 0;

    for (int i = 0; i < plan->n_bodies; i++)
        for (int k = 0; k < d->topology.n_joints; k++)
            for (int s = 0; s < LK_TREE_SIDES; s++)
                n += d->body[k][s] == plan->bodies[i];
    return n;
}

static void take_front(struct lk_assembly_front *fronts, int index,
                       const struct lk_front_plan *plan, int n_links, int closes,
                       struct lk_arena *arena)
{
    int n = plan->rows, e = plan->elim_rows;
    size_t rows = (size_t)n;
    double *numbers = lk_arena_take(arena, (size_t)lk_pseudo_inverse_doubles(e), sizeof(double));
    int *counts = lk_arena_take(arena, (size_t)lk_pseudo_inverse_ints(e), sizeof(int));
    struct lk_assembly_front taken = {
        .n = n,
        .e = e,
        .n_children = plan->n_children,
        .n_bodies = plan->n_bodies,
        .child = {plan->children[0], plan->children[1]},
        .body = {plan->bodies[0], plan->bodies[1]},
        .row = lk_arena_take(arena, rows, sizeof(int)),
        .map = {lk_arena_take(arena, rows, sizeof(int)), lk_arena_take(arena, rows, sizeof(int))},
        .link = lk_arena_take(arena, (size_t)n_links, sizeof(struct lk_assembly_link)),
        .matrix = lk_arena_take(arena, rows * rows, sizeof(double)),
        .weight = lk_arena_take(arena, rows * rows, sizeof(double)),
        .diagonal = lk_arena_take(arena, rows, sizeof(double)),
        .x = lk_arena_take(arena, rows, sizeof(double)),
    };

    if (!arena->base)
        return;
    lk_pseudo_inverse_init(&taken.K, e, closes, numbers, counts);
    fronts[index] = taken;
}

/* Set the rows of a front, and the positions in the front of the rows of its children and
 * bodies. */
static void fill_front(struct lk_assembly *a, const struct draft *d, int index)
{
    const struct lk_front_plan *plan = &d->plan.fronts[index];
    const int *first = a->mechanics->first_row;
    struct lk_assembly_front *f = &a->front[index];
    int at = 0, n_links = 0;

    for (int i = 0; i < plan->n_joints; i++) {
        int k = plan->joints[i];

        d->at[k] = at;
        for (int r = 0; r < d->n_rows[k]; r++)
            f->row[at++] = first[k] + r;
    }
    for (int c = 0; c < plan->n_children; c++) {
        const struct lk_front_plan *child = &d->plan.fronts[plan->children[c]];

        at = 0;
        for (int i = child->n_elim; i < child->n_joints; i++)
            for (int r = 0; r < d->n_rows[child->joints[i]]; r++)
                f->map[c][at++] = d->at[child->joints[i]] + r;
    }
    for (int i = 0; i < plan->n_bodies; i++) {
        for (int k = 0; k < d->topology.n_joints; k++) {
            int side = 0;

            for (int s = 0; s < LK_TREE_SIDES; s++) {
                if (d->body[k][s] == plan->bodies[i])
                    f->link[n_links++] = (struct lk_assembly_link){k, side, d->at[k]};
                side += d->body[k][s] != d->topology.n_bodies;
            }
        }
        f->first_link[i + 1] = n_links;
    }
}

static void layout_fronts(struct lk_assembly *a, const struct draft *d, const int *closes,
                          struct lk_arena *arena)
{
    const struct lk_mechanics *m = a->mechanics;
    struct lk_assembly_front *fronts =
        lk_arena_take(arena, (size_t)d->plan.n_fronts + 1, sizeof(*fronts));

    a->front = fronts;
    a->block = lk_arena_take(arena, (size_t)m->n_blocks + 1, sizeof(*a->block));
    a->diagonal = lk_arena_take(arena, (size_t)m->n_rows + 1, sizeof(double));
    lk_levels_layout(&a->levels, &d->plan, arena);
    for (int i = 0; i < d->plan.n_fronts; i++) {
        take_front(fronts, i, &d->plan.fronts[i], count_links(d, &d->plan.fronts[i]), closes[i],
                   arena);
        if (arena->base)
            fill_front(a, d, i);
    }
}

static int make_assembly(struct lk_assembly *a, struct draft *d)
{
    struct lk_arena arena = {0};
    int *closes = calloc((size_t)d->plan.n_fronts + 1, sizeof(int));

    if (!closes)
        return -ENOMEM;
    for (int i = 0; i < d->plan.n_fronts; i++)
        closes[i] = closes_loop(d, &d->plan.fronts[i]);
    a->n_fronts = d->plan.n_fronts;
    layout_fronts(a, d, closes, &arena);
    arena.used = (arena.used + LK_CACHE_LINE - 1) / LK_CACHE_LINE * LK_CACHE_LINE;
    a->memory = aligned_alloc(LK_CACHE_LINE, arena.used);
    if (a->memory) {
        memset(a->memory, 0, arena.used);
        arena = (struct lk_arena){.base = a->memory};
        layout_fronts(a, d, closes, &arena);
    }
    free(closes);
    return a->memory ? 0 : -ENOMEM;
}

int lk_assembly_new(struct lk_mechanics *mechanics, struct lk_assembly **ret)
{
    struct lk_assembly *a = calloc(1, sizeof(*a));
    struct draft d;
    int r;

    if (!a)
        return -ENOMEM;
    a->mechanics = mechanics;
    r = draft_init(&d, mechanics);
    if (r == 0)
        r = make_assembly(a, &d);
    draft_fini(&d);
    if (r != 0) {
        lk_assembly_free(a);
        return r;
    }
    *ret = a;
    return 0;
}

void lk_assembly_free(struct lk_assembly *a)
{
    if (a)
        free(a->memory);
    free(a);
}
