/* SPDX-License-Identifier: Apache-2.0 */
/* Construction of the spanning tree, joint by joint. The next joint connects a body in the tree
 * with a new body. Among such joints, the one with the most rows is chosen, so that few rows are
 * cut. Among joints with equally many rows, the joint nearest to the root is chosen, so that
 * branches are short. A further joint to the ground is used only if no other joint leads to a new
 * body. Therefore a mechanism with several joints to the ground has all but one cut. If no joint
 * leads to a new body, the heaviest remaining body becomes the base of a floating mechanism. */
#include "methods/relative/private.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** struct grower - working state.
 * @place: position of every body in the order; -1: not in the tree yet */
struct grower {
    struct lk_relative *relative;
    int *place;
    int n_placed;
};

/* Set the kind and the measured quantities of a joint in the tree.
 * Return: number of coordinates; -1: this type has no joint coordinates, the joint is cut. */
static int coordinates_of(const struct lk_joint *j, struct lk_relative_joint *ret)
{
    enum lk_kind kind = lk_kind_of(j->type);
    const struct lk_joint_kind *k = &lk_joint_kinds[kind < LK_KINDS ? kind : 0];

    if (j->type == LK_JOINT_SCREW) {
        ret->kind = LK_RELATIVE_SCREW;
        ret->measure[0] = LK_ABOUT_AXIS;
        return 1;
    }
    if (j->type == LK_JOINT_SPHERICAL) {
        ret->kind = LK_RELATIVE_SPHERICAL;
        return 3;
    }
    if (kind == LK_KINDS || lk_kind_rows(k) + k->n_coordinates != 6)
        return -1;
    ret->kind = LK_RELATIVE_MEASURED;
    memcpy(ret->measure, k->measure, sizeof(ret->measure));
    return k->n_coordinates;
}

/* Return whether joint @j can be in the tree, and set its kind and number of coordinates. A joint
 * at a frame that a drive moves cannot be in the tree. */
static int fill_kind(const struct lk_joint *j, int n_bodies, struct lk_relative_joint *ret)
{
    int n;

    if (j->n_sides != 2 || j->body[0] == j->body[1] || j->body[0] > n_bodies ||
        j->body[1] > n_bodies)
        return 0;
    n = coordinates_of(j, ret);
    ret->n_v = n;
    ret->n_q = ret->kind == LK_RELATIVE_SPHERICAL ? 4 : n;
    return n >= 0;
}

/* Find the side of joint @j that is a new body, and the position of its parent.
 * Return: 0 if both ends are in the tree already, or none is. */
static int leads_on(const struct grower *g, const struct lk_joint *j, int *ret_place, int *ret_side)
{
    int n = g->relative->mechanics->n_bodies, place[2];

    for (int s = 0; s < 2; s++)
        place[s] = j->body[s] == n ? n : g->place[j->body[s]];
    if ((place[0] < 0) == (place[1] < 0))
        return 0;
    *ret_side = place[0] < 0 ? 0 : 1;
    *ret_place = place[1 - *ret_side];
    return 1;
}

/* Return the best block to add next, or -1. The ground has the last position, after all bodies. */
static int best_block(const struct grower *g)
{
    const struct lk_mechanics *m = g->relative->mechanics;
    int best = -1, best_rows = 0, best_place = 0, best_ground = 0;

    for (int i = 0; i < m->n_blocks; i++) {
        const struct lk_joint *j = &m->system->joint[m->block[i]];
        struct lk_relative_joint joint = {0};
        int place, side, ground;

        if (!fill_kind(j, m->n_bodies, &joint) || !leads_on(g, j, &place, &side))
            continue;
        ground = place == m->n_bodies;
        if (best >= 0 &&
            (ground > best_ground ||
             (ground == best_ground &&
              (j->n_rows < best_rows || (j->n_rows == best_rows && place >= best_place)))))
            continue;
        best = i;
        best_rows = j->n_rows;
        best_place = place;
        best_ground = ground;
    }
    return best;
}

static void hang_body(struct grower *g, int b, struct lk_relative_joint joint)
{
    struct lk_relative *r = g->relative;

    joint.body = b;
    joint.at_q = r->n_q;
    joint.at_v = r->n_v;
    r->n_q += joint.n_q;
    r->n_v += joint.n_v;
    r->on[b] = joint;
    g->place[b] = g->n_placed;
    r->order[g->n_placed++] = b;
}

static void hang_on_block(struct grower *g, int block)
{
    const struct lk_mechanics *m = g->relative->mechanics;
    const struct lk_joint *j = &m->system->joint[m->block[block]];
    struct lk_relative_joint joint = {.joint = m->block[block]};
    int place, side = 0;

    fill_kind(j, m->n_bodies, &joint);
    leads_on(g, j, &place, &side);
    joint.parent = j->body[1 - side];
    joint.is_reversed = side == 0;
    hang_body(g, j->body[side], joint);
}

static void float_heaviest(struct grower *g)
{
    const struct lk_mechanics *m = g->relative->mechanics;
    const struct lk_body *body = m->system->body;
    int best = -1;

    for (int b = 0; b < m->n_bodies; b++)
        if (g->place[b] < 0 && (best < 0 || body[b].mass > body[best].mass))
            best = b;
    hang_body(
        g, best,
        (struct lk_relative_joint){
            .kind = LK_RELATIVE_FREE, .parent = m->n_bodies, .joint = -1, .n_q = 7, .n_v = 6});
}

static int is_in_tree(const struct lk_relative *r, int joint)
{
    for (int b = 0; b < r->mechanics->n_bodies; b++)
        if (r->on[b].joint == joint)
            return 1;
    return 0;
}

int lk_relative_grow(struct lk_relative *r)
{
    const struct lk_mechanics *m = r->mechanics;
    struct grower g = {.relative = r, .place = malloc(((size_t)m->n_bodies + 1) * sizeof(int))};

    if (!g.place)
        return -ENOMEM;
    for (int b = 0; b < m->n_bodies; b++)
        g.place[b] = -1;
    while (g.n_placed < m->n_bodies) {
        int block = best_block(&g);

        if (block >= 0)
            hang_on_block(&g, block);
        else
            float_heaviest(&g);
    }
    for (int i = 0; i < m->n_blocks; i++) {
        if (is_in_tree(r, m->block[i]))
            continue;
        r->cut[r->n_cut++] = i;
        r->n_cut_rows += m->first_row[i + 1] - m->first_row[i];
    }
    free(g.place);
    return 0;
}
