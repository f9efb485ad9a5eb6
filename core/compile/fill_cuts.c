/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the bodies behind each joint with omitted rows, see step/outputs/reactions.h. */
#include "compile/fill.h"
#include "step/outputs/reactions.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/** struct limbs - a tree of bodies that are connected by joints with omitted rows.
 * @order:  its @n bodies, parents before children;  @at: index of each body in @order, or -1
 * @by:     joint between each body and its parent;  @weight: number of bodies in its subtree,
 *          including itself
 * @behind: next free index of the subtree of each body in system->hanging */
struct limbs {
    struct lk_system *sys;
    int *order;
    int *at;
    int *by;
    int *weight;
    int *behind;
    int n;
};

/* Return the position of @body in the tree; -1 for the ground, which precedes all bodies. */
static int place_of(const struct limbs *l, int body)
{
    return body >= l->sys->n_bodies ? -1 : l->at[body];
}

static bool is_reached(const struct limbs *l, int body)
{
    return body >= l->sys->n_bodies || l->at[body] >= 0;
}

/* return the side of joint @i with its child body, or -1 if the joint is not in the tree */
static int side_of(const struct limbs *l, int i)
{
    const int *body = l->sys->joint[i].body;

    for (int s = 0; s < 2; s++)
        if (body[s] < l->sys->n_bodies && l->by[body[s]] == i)
            return s;
    return -1;
}

static int bearer_of(const struct limbs *l, int body)
{
    return l->sys->joint[l->by[body]].body[!side_of(l, l->by[body])];
}

/* If the tree contains one side of joint @i but not the other, add the body of the other side. */
static void hang(struct limbs *l, int i)
{
    const struct lk_joint *j = &l->sys->joint[i];

    for (int s = 0; s < 2; s++) {
        int b = j->body[s];

        if (is_reached(l, b) || !is_reached(l, j->body[!s]))
            continue;
        l->by[b] = i;
        l->at[b] = l->n;
        l->order[l->n++] = b;
    }
}

/* Build the tree. Passes over the joints alternate between forward and backward, because a chain
 * may be listed in either order. */
static void hang_all(struct limbs *l)
{
    int n_joints = l->sys->n_named_joints, last = -1;

    for (bool back = false; l->n > last; back = !back) {
        last = l->n;
        for (int i = 0; i < n_joints; i++) {
            int joint = back ? n_joints - 1 - i : i;

            if (!l->sys->joint[joint].is_known)
                hang(l, joint);
        }
    }
}

/* set system->hanging, in which the bodies behind each joint are contiguous, and the range of each
 * joint */
static void lay_out(struct limbs *l, const struct lk_draft *d)
{
    struct lk_system *sys = l->sys;
    int roots = 0;

    for (int k = l->n - 1; k >= 0; k--) {
        int b = l->order[k], bearer = bearer_of(l, b);

        l->weight[b]++;
        if (bearer < sys->n_bodies)
            l->weight[bearer] += l->weight[b];
    }
    for (int k = 0; k < l->n; k++) {
        int b = l->order[k], bearer = bearer_of(l, b);
        int *at = bearer < sys->n_bodies ? &l->behind[bearer] : &roots;
        int joint = l->by[b];
        struct lk_cut *cut = &sys->cut[joint];

        sys->hanging_at[b] = *at;
        sys->hanging[*at] = b;
        cut->first = *at;
        cut->end = *at += l->weight[b];
        cut->side = side_of(l, joint);
        cut->is_in_place = sys->joint[joint].type == LK_JOINT_PIVOT;
        memcpy(cut->normal, d->plane[d->of[b]].normal, sizeof(cut->normal));
        l->behind[b] = sys->hanging_at[b] + 1;
    }
}

/* Empty the ranges of the joints in the loop that joint @i closes, because no force balance
 * determines their reactions. Joints outside the loop support it as a whole. */
static void leave_circle(struct limbs *l, int i)
{
    const struct lk_joint *j = &l->sys->joint[i];
    int b[2] = {j->body[0], j->body[1]};

    while (place_of(l, b[0]) != place_of(l, b[1])) {
        int s = place_of(l, b[1]) > place_of(l, b[0]);
        struct lk_cut *cut = &l->sys->cut[l->by[b[s]]];

        cut->end = cut->first;
        b[s] = bearer_of(l, b[s]);
    }
}

int lk_fill_cuts(struct lk_system *sys, const struct lk_draft *d)
{
    size_t n = (size_t)sys->n_bodies + 1;
    int *memory = calloc(5 * n, sizeof(int));
    struct limbs l = {.sys = sys};

    if (!memory)
        return -ENOMEM;
    l.order = memory;
    l.at = memory + n;
    l.by = memory + 2 * n;
    l.weight = memory + 3 * n;
    l.behind = memory + 4 * n;
    for (int b = 0; b < sys->n_bodies; b++)
        l.at[b] = l.by[b] = sys->hanging_at[b] = -1;
    hang_all(&l);
    lay_out(&l, d);
    for (int i = 0; i < sys->n_named_joints; i++)
        if (!sys->joint[i].is_known && side_of(&l, i) < 0)
            leave_circle(&l, i);
    free(memory);
    return 0;
}
