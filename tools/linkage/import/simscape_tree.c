/* SPDX-License-Identifier: Apache-2.0 */
#include "simscape.h"

#include "maths/vec.h"

#include <stdlib.h>
#include <string.h>

/* Create the limbs of @tie, from its side @first to the other side. */
static void write_tie(struct reading *r, struct tie *tie, int first, bool closes)
{
    int parent = tie->link[first], child = tie->link[1 - first];
    const double *at = tie->at[first];

    tie->done = true;
    for (int k = 0; k < tie->n; k++) {
        const struct part *part = &tie->part[first == 0 ? k : tie->n - 1 - k];
        bool is_last = k == tie->n - 1;
        struct limb *limb;
        char name[300];
        int link = child;

        snprintf(name, sizeof(name), is_last ? "%.250s" : "%.250s_%d", tie->name, k + 1);
        if (!is_last) {
            struct link *inner = robot_link(r->robot, name);

            link = inner != NULL ? (int)(inner - r->robot->links) : LINK_NONE;
        }
        limb = link != LINK_NONE ? robot_limb(r->robot, name) : NULL;
        if (limb == NULL) {
            note(r->notes, NOTE_ERROR, tie->line, "too many bodies or joints, or no memory");
            return;
        }
        limb->line = r->robot->links[link].line = tie->line;
        limb->kind = part->kind;
        limb->parent = parent;
        limb->child = link;
        limb->closes = closes && is_last;
        limb->drawn = tie->value;
        lk_sub(at, r->origin[parent], limb->origin.r);
        if (limb->closes)
            lk_sub(tie->at[1 - first], r->origin[link], limb->closing.r);
        else
            memcpy(r->origin[link], at, sizeof(r->origin[link]));
        for (int i = 0; i < 3; i++) /* seen from the other side the rotation has the opposite
                                     * sign */
            limb->axis[i] = limb->child_axis[i] = first == 0 ? part->axis[i] : -part->axis[i];
        parent = link;
    }
}

/* Make the first link not reached by a joint free.
 * Return: false: all links were reached. */
static bool free_one(struct reading *r, int root, int n_links, bool *reached)
{
    for (int i = 0; i < n_links; i++) {
        struct limb *limb;

        if (reached[i])
            continue;
        limb = robot_limb(r->robot, r->robot->links[i].name);
        if (limb == NULL)
            return false;
        limb->kind = KIND_FLOATING;
        limb->parent = root;
        limb->child = i;
        memcpy(r->origin[i], r->cg[i], sizeof(r->origin[i]));
        lk_sub(r->cg[i], r->origin[root], limb->origin.r);
        limb->line = r->robot->links[i].line;
        note(r->notes, NOTE_SAID, limb->line, "body '%s' hangs on nothing that stands: it is free",
             r->robot->links[i].name);
        reached[i] = true;
        return true;
    }
    return false;
}

static bool reach_more(struct reading *r, bool *reached)
{
    bool changed = false;

    for (int i = 0; i < r->n_ties && r->notes->n_errors == 0; i++) {
        struct tie *tie = &r->tie[i];

        if (tie->done || reached[tie->link[0]] == reached[tie->link[1]])
            continue;
        write_tie(r, tie, reached[tie->link[0]] ? 0 : 1, false);
        reached[tie->link[0]] = reached[tie->link[1]] = changed = true;
    }
    return changed;
}

void simscape_make_tree(struct reading *r)
{
    int n = r->robot->n_links, root = r->ground != LINK_NONE ? r->ground : 0;
    bool *reached = calloc((size_t)n + 1, sizeof(*reached));

    if (reached == NULL || n == 0) {
        note(r->notes, NOTE_ERROR, 0, reached != NULL ? "there is no <Body>" : "no memory");
        free(reached);
        return;
    }
    reached[root] = true;
    while (r->notes->n_errors == 0 && (reach_more(r, reached) || free_one(r, root, n, reached)))
        ;
    for (int i = 0; i < r->n_ties && r->notes->n_errors == 0; i++)
        if (!r->tie[i].done)
            write_tie(r, &r->tie[i], 0, true);
    for (int i = 0; i < n; i++) {
        struct link *link = &r->robot->links[i];

        lk_sub(r->cg[i], r->origin[i], link->centre.r);
        memcpy(link->centre.q, r->turn[i], sizeof(link->centre.q));
    }
    free(reached);
}
