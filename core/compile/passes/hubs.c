/* SPDX-License-Identifier: Apache-2.0 */
/* See hubs.h. */
#include "compile/passes/hubs.h"
#include "compile/effort.h"
#include <errno.h>
#include <stdlib.h>

/** struct groups - groups of bodies that rows connect (union-find).
 * @of: for each body another body of its group; for the representative, itself
 * @is_at_hub: for each representative, whether rows connect the group with the hub
 * @is_held: for each representative, whether the group must not be a branch of the hub */
struct groups {
    int *of;
    bool *is_at_hub;
    bool *is_held;
};

/** struct parts - groups of bodies, found without a hub.
 * @all: groups connected by any rows;  @rigid: groups connected by rigid rows; is_held: rigid
 *       rows connect the group with the ground */
struct parts {
    struct groups all;
    struct groups rigid;
};

static int first_of(const struct groups *g, int b)
{
    while (g->of[b] != b) {
        g->of[b] = g->of[g->of[b]];
        b = g->of[b];
    }
    return b;
}

static bool touches_ground(const struct lk_draft *d, const struct lk_draft_block *b)
{
    const struct lk_joint_def *def;

    if (lk_coupled_joints(b->type) == 0)
        return b->body[0] >= d->n_bodies || b->body[1] >= d->n_bodies;
    def = &d->model->joints[b->joint];
    for (int k = 0; k < lk_coupled_joints(b->type); k++)
        if (touches_ground(d, &d->blocks[def->joint[k]]))
            return true;
    return false;
}

static bool is_body(const struct lk_draft *d, int b, int hub)
{
    return b != d->n_bodies && b != hub;
}

/* unite the groups of the bodies of block @i, except @hub */
static void join(const struct lk_draft *d, const struct groups *g, int i, int hub)
{
    int one = -1;

    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int b = d->ends[i][s];

        if (!is_body(d, b, hub))
            continue;
        if (one >= 0)
            g->of[first_of(g, b)] = first_of(g, one);
        one = b;
    }
}

static void mark(const struct lk_draft *d, const struct groups *g, int i, int hub, bool is_held)
{
    bool is_at_hub = false;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        is_at_hub |= d->ends[i][s] == hub;
    for (int s = 0; s < LK_TREE_SIDES; s++)
        if (is_body(d, d->ends[i][s], hub)) {
            int first = first_of(g, d->ends[i][s]);

            g->is_at_hub[first] |= is_at_hub;
            g->is_held[first] |= is_held;
        }
}

static bool is_rigid(const struct lk_draft *d, int i)
{
    return d->blocks[i].kind < LK_ROWS_COMPLIANT;
}

/* find the groups into which the mechanism falls without @hub */
static void take_apart(const struct lk_draft *d, const struct parts *p, int hub)
{
    const struct groups *all = &p->all, *rigid = &p->rigid;

    for (int b = 0; b < d->n_bodies; b++) {
        all->of[b] = rigid->of[b] = b;
        all->is_at_hub[b] = rigid->is_at_hub[b] = all->is_held[b] = rigid->is_held[b] = false;
    }
    for (int i = 0; i < d->n_blocks; i++) {
        join(d, all, i, hub);
        if (is_rigid(d, i))
            join(d, rigid, i, hub);
    }
    for (int i = 0; i < d->n_blocks; i++) {
        mark(d, all, i, hub, false);
        if (is_rigid(d, i))
            mark(d, rigid, i, hub, touches_ground(d, &d->blocks[i]));
    }
    for (int b = 0; b < d->n_bodies; b++) {
        int first = first_of(rigid, b);

        all->is_held[first_of(all, b)] |= (rigid->is_at_hub[first] && rigid->is_held[first]) ||
                                          d->is_hub[d->of[b]] || d->plane[d->of[b]].is_held;
    }
    lk_effort_spend((uint64_t)d->n_blocks);
}

static bool hangs_on(const struct parts *p, int b, int hub)
{
    int first = first_of(&p->all, b);

    return b != hub && p->all.is_at_hub[first] && !p->all.is_held[first];
}

/* Set hangs_on of all bodies in branches of @hub. Return: whether @hub has any branch */
static bool hang_on(struct lk_draft *d, const struct parts *p, int hub)
{
    bool is_any = false;

    take_apart(d, p, hub);
    for (int b = 0; b < d->n_bodies; b++)
        if (hangs_on(p, b, hub)) {
            d->hangs_on[b] = hub;
            is_any = true;
        }
    return is_any;
}

static int groups_init(size_t n, struct groups *g)
{
    g->of = malloc((n + 1) * sizeof(int));
    g->is_at_hub = malloc((n + 1) * sizeof(bool));
    g->is_held = malloc((n + 1) * sizeof(bool));
    return g->of && g->is_at_hub && g->is_held ? 0 : -ENOMEM;
}

static void groups_fini(struct groups *g)
{
    free(g->of);
    free(g->is_at_hub);
    free(g->is_held);
}

static int parts_init(const struct lk_draft *d, struct parts *p)
{
    int all = groups_init((size_t)d->n_bodies, &p->all);
    int rigid = groups_init((size_t)d->n_bodies, &p->rigid);

    return all != 0 ? all : rigid;
}

static void parts_fini(struct parts *p)
{
    groups_fini(&p->all);
    groups_fini(&p->rigid);
}

int lk_hubs_may_be(const struct lk_draft *d, int body)
{
    struct parts p;
    int r, at_hub = 0, hanging = 0;

    if (d->model->bodies[body].kind != LK_BODY_RIGID || d->plane[body].is_held ||
        !(d->model->bodies[body].mass > 0) || lk_draft_may_be_thin(&d->model->bodies[body]))
        return 0;
    r = parts_init(d, &p);
    if (r == 0)
        take_apart(d, &p, body);
    for (int b = 0; b < d->n_bodies && r == 0; b++)
        if (b != body && first_of(&p.all, b) == b) {
            at_hub += p.all.is_at_hub[b];
            hanging += hangs_on(&p, b, body);
        }
    parts_fini(&p);
    return r == 0 ? at_hub >= 2 && hanging >= 1 : r;
}

int lk_hubs_hang(struct lk_draft *d)
{
    struct parts p;
    int r = parts_init(d, &p), hubs = 0;

    for (int b = 0; b < d->n_bodies; b++)
        d->hangs_on[b] = -1;
    for (int b = 0; b < d->model->n_bodies && r == 0; b++)
        if (d->is_hub[b])
            hubs += hang_on(d, &p, b);
    parts_fini(&p);
    return r == 0 ? hubs : r;
}
