/* SPDX-License-Identifier: Apache-2.0 */
/* See independence.h. */
#include "compile/independence.h"
#include "rows/table.h"
#include <errno.h>
#include <stdlib.h>

static bool is_regular(const struct lk_joint *j)
{
    return j->n_sides == 2 && (lk_kind_of(j->type) != LK_KINDS || j->type == LK_JOINT_SCREW ||
                               j->type == LK_JOINT_DISTANCE);
}

/* a drive of a coordinate: one row more of a joint that counts itself */
static bool drives_once(const struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];

    if (j->type != LK_JOINT_COORDINATE || lk_is_compliant(j->of[0]) || !is_regular(j->of[0]))
        return false;
    for (int k = 0; k < i; k++)
        if (sys->joint[k].type == LK_JOINT_COORDINATE && !lk_is_compliant(&sys->joint[k]) &&
            sys->joint[k].of[0] == j->of[0] && sys->joint[k].which[0] == j->which[0])
            return false;
    return true;
}

/* the body that stands for all that @b is connected with */
static int root_of(int *next, int b)
{
    while (next[b] != b) {
        next[b] = next[next[b]];
        b = next[b];
    }
    return b;
}

/* Return: whether they were not connected before */
static bool connect(const struct lk_system *sys, int *next, const struct lk_joint *j)
{
    int root[2];

    for (int s = 0; s < 2; s++)
        root[s] = root_of(next, j->body[s] < sys->n_bodies ? j->body[s] : sys->n_bodies);
    next[root[0]] = root[1];
    return root[0] != root[1];
}

/* Return true if the body has mass and a moment of inertia. The artificial moment of a thin body is
 * large enough beside those of its neighbours for E at round-off, see fill_masses.c. */
static bool has_inertia(const struct lk_body *body)
{
    const double *J = body->inertia;

    return body->mass > 0 && (J[0] > 0 || J[1] > 0 || J[2] > 0);
}

int lk_independence_find(const struct lk_system *sys, bool *ret)
{
    int *next = malloc(((size_t)sys->n_bodies + 1) * sizeof(int));

    if (!next)
        return -ENOMEM;
    *ret = true;
    for (int b = 0; b <= sys->n_bodies; b++)
        next[b] = b;
    for (int b = 0; b < sys->n_bodies; b++)
        *ret = *ret && has_inertia(&sys->body[b]);
    for (int i = 0; i < sys->n_joints && *ret; i++) {
        const struct lk_joint *j = &sys->joint[i];

        if (lk_is_compliant(j))
            continue;
        *ret = j->of[0] ? drives_once(sys, i) : is_regular(j) && connect(sys, next, j);
    }
    free(next);
    return 0;
}
