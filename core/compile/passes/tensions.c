/* SPDX-License-Identifier: Apache-2.0 */
/* See tensions.h. */
#include "compile/passes/tensions.h"
#include "compile/passes/pulls.h"
#include "maths/vec.h"
#include "step/elements/tension.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/** struct levers - lever arms of a body: the longest from its centre of mass to a point that a
 * joint holds [m], and the number of such points. */
struct levers {
    double longest;
    int n;
};

static void find_levers(const struct lk_draft *d, struct levers *ret)
{
    for (int i = 0; i < d->n_blocks; i++) {
        const struct lk_draft_block *b = &d->blocks[i];

        if (!lk_joint_is_point(b->type, b->kind))
            continue;
        for (int s = 0; s < 2; s++) {
            int body = b->body[s ^ b->is_exchanged];
            double arm[3];

            if (body < 0) /* the ground or a frame */
                continue;
            lk_sub(d->model->joints[b->joint].point[s], d->model->bodies[body].position, arm);
            ret[body].longest = fmax(ret[body].longest, lk_norm(arm));
            ret[body].n++;
        }
    }
}

int lk_tensions_find(const struct lk_draft *d, double *ret)
{
    const struct lk_model *m = d->model;
    struct levers *levers = calloc((size_t)m->n_bodies + 1, sizeof(*levers));
    double weight = 0, most = lk_pulls_most(m, false);
    int n = 0;

    if (!levers)
        return -ENOMEM;
    find_levers(d, levers);
    for (int b = 0; b < m->n_bodies; b++)
        weight += m->bodies[b].mass * lk_pulls_gravity(m);
    for (int b = 0; b < m->n_bodies; b++) {
        const double *J = m->bodies[b].inertia;
        double pull = levers[b].n > 1 ? most : weight;
        /* A lever arm does not turn a slender body about its own axis: use the mean of the other
         * two moments. */
        double moment = 0.5 * (J[0] + J[1] + J[2]);

        ret[b] = moment > 0 && m->bodies[b].kind == LK_BODY_RIGID
                     ? 0.25 * d->h * d->h * pull * levers[b].longest / moment
                     : 0;
        n += ret[b] > LK_TENSE;
    }
    free(levers);
    return n;
}
