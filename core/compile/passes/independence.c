/* SPDX-License-Identifier: Apache-2.0 */
/* See independence.h. */
#include "compile/passes/independence.h"
#include "rows/table.h"
#include <errno.h>
#include <stdlib.h>

static bool is_rigid(const struct lk_draft_block *b)
{
    return b->kind < LK_ROWS_COMPLIANT;
}

static bool is_regular(const struct lk_draft_block *b)
{
    return b->n_sides == 2 && (lk_kind_of(b->type) != LK_KINDS || b->type == LK_JOINT_SCREW ||
                               b->type == LK_JOINT_DISTANCE);
}

/* Return whether block @i drives a coordinate of a regular rigid joint that no earlier block
 * drives. */
static bool drives_once(const struct lk_draft *d, int i)
{
    const struct lk_draft_block *b = &d->blocks[i], *joint = &d->blocks[b->joint];

    if (!is_rigid(joint) || !is_regular(joint))
        return false;
    for (int k = 0; k < i; k++)
        if (d->blocks[k].type == LK_JOINT_COORDINATE && is_rigid(&d->blocks[k]) &&
            d->blocks[k].joint == b->joint && d->blocks[k].which == b->which)
            return false;
    return true;
}

/* return the representative of all bodies connected with @b */
static int root_of(int *next, int b)
{
    while (next[b] != b) {
        next[b] = next[next[b]];
        b = next[b];
    }
    return b;
}

/* Connect the bodies of a block. Return: whether they were not connected before */
static bool connect(const struct lk_draft *d, int *next, const struct lk_draft_block *b)
{
    int root[2];

    for (int s = 0; s < 2; s++)
        root[s] = root_of(next, b->body[s] < d->n_bodies ? d->carried[b->body[s]].by : d->n_bodies);
    next[root[0]] = root[1];
    return root[0] != root[1];
}

int lk_independence_find(const struct lk_draft *d, bool *ret)
{
    int *next = malloc(((size_t)d->n_bodies + 1) * sizeof(int));

    if (!next)
        return -ENOMEM;
    *ret = true;
    for (int b = 0; b <= d->n_bodies; b++)
        next[b] = b;
    for (int b = 0; b < d->model->n_bodies; b++)
        /* thin bodies count as bodies with inertia: compared with the moments of their neighbours,
         * their artificial moment is large enough for E at round-off, see fill_masses.c */
        *ret = *ret && (d->model->bodies[b].kind == LK_BODY_NODE ||
                        lk_draft_has_inertia(&d->model->bodies[b]));
    for (int i = 0; i < d->n_blocks && *ret; i++) {
        const struct lk_draft_block *b = &d->blocks[i];

        if (is_rigid(b))
            *ret = b->type == LK_JOINT_COORDINATE ? drives_once(d, i)
                                                  : is_regular(b) && connect(d, next, b);
    }
    free(next);
    return 0;
}
