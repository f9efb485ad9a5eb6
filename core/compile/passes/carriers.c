/* SPDX-License-Identifier: Apache-2.0 */
/* See carriers.h. */
#include "compile/passes/carriers.h"
#include "maths/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 1e-3 /* rotations in a step that differ by less count as equal [rad] */

/** struct search - breadth-first search for the distance of each body from its root.
 * @first: n_bodies + 1: index of each body's first neighbour in @other
 * @away:  number of joints to the root, or -1: not found yet
 * @queue: bodies in the order in which they are found, @n_found of them */
struct search {
    int *first;
    int *other;
    int *away;
    int *queue;
    int n_found;
};

static int connects(const struct lk_joint_def *j)
{
    return lk_coupled_joints(j->type) == 0;
}

static void find_neighbours(const struct lk_model *m, struct search *f)
{
    for (int fill = 0; fill < 2; fill++) {
        for (int i = 0; i < m->n_joints; i++)
            for (int s = 0; s < 2 && connects(&m->joints[i]); s++) {
                int b = lk_model_leader(m, m->joints[i].body[s]);

                if (b == LK_GROUND)
                    continue;
                if (fill)
                    f->other[--f->first[b]] = lk_model_leader(m, m->joints[i].body[1 - s]);
                else
                    f->first[b]++;
            }
        for (int b = 0; b < m->n_bodies && !fill; b++)
            f->first[b + 1] += f->first[b];
    }
}

static void found(struct search *f, int b, int away)
{
    if (f->away[b] >= 0)
        return;
    f->away[b] = away;
    f->queue[f->n_found++] = b;
}

/* Find the distances of all bodies connected with the bodies in the queue, which is processed
 * from index @from on. */
static void follow(struct search *f, int from)
{
    for (int i = from; i < f->n_found; i++) {
        int b = f->queue[i];

        for (int k = f->first[b]; k < f->first[b + 1]; k++)
            if (f->other[k] != LK_GROUND)
                found(f, f->other[k], f->away[b] + 1);
    }
}

/* Measure distances from the ground. In a mechanism without ground, measure them from its
 * heaviest body, which a first search from any of its bodies finds. */
static void measure(const struct lk_model *m, struct search *f)
{
    for (int b = 0; b < m->n_bodies; b++)
        for (int k = f->first[b]; k < f->first[b + 1]; k++)
            if (f->other[k] == LK_GROUND)
                found(f, b, 1);
    follow(f, 0);
    for (int b = 0; b < m->n_bodies; b++) {
        int from = f->n_found, heaviest = b;

        if (f->away[b] >= 0)
            continue;
        found(f, b, 0);
        follow(f, from);
        for (int i = from; i < f->n_found; i++) {
            int c = f->queue[i];

            heaviest = m->bodies[c].mass > m->bodies[heaviest].mass ? c : heaviest;
            f->away[c] = -1;
        }
        f->n_found = from;
        found(f, heaviest, 0);
        follow(f, from);
    }
}

static double rate_about(const struct lk_model *m, int body, const double axis[3])
{
    return body == LK_GROUND ? 0 : fabs(lk_dot(m->bodies[body].angular_velocity, axis));
}

static int is_exchanged(const struct lk_model *m, const struct search *f, double h, int joint)
{
    const struct lk_joint_def *j = &m->joints[joint];
    double rate[2];
    int away[2];

    if ((j->type != LK_JOINT_REVOLUTE && j->type != LK_JOINT_CYLINDRICAL) || j->has_compliance)
        return 0;
    for (int s = 0; s < 2; s++) {
        rate[s] = rate_about(m, j->body[s], j->axis[s]);
        away[s] = j->body[s] == LK_GROUND ? 0 : f->away[lk_model_leader(m, j->body[s])];
    }
    if (fabs(rate[1] - rate[0]) * h > TURNS)
        return rate[1] > rate[0];
    return away[1] > away[0];
}

int lk_carriers_find(const struct lk_model *m, double h, int *ret)
{
    size_t bodies = (size_t)m->n_bodies, joints = (size_t)m->n_joints;
    struct search f = {
        .first = calloc(bodies + 2, sizeof(int)),
        .other = malloc((2 * joints + 1) * sizeof(int)),
        .away = malloc((bodies + 1) * sizeof(int)),
        .queue = malloc((bodies + 1) * sizeof(int)),
    };
    int r = f.first && f.other && f.away && f.queue ? 0 : -ENOMEM;

    if (r == 0) {
        memset(f.away, -1, (bodies + 1) * sizeof(int));
        find_neighbours(m, &f);
        measure(m, &f);
        for (int i = 0; i < m->n_joints; i++)
            ret[i] = is_exchanged(m, &f, h, i);
    }
    free(f.first);
    free(f.other);
    free(f.away);
    free(f.queue);
    return r;
}

struct lk_joint_def lk_carriers_exchange(const struct lk_joint_def *def)
{
    struct lk_joint_def ret = *def;

    for (int s = 0; s < 2; s++) {
        ret.body[s] = def->body[1 - s];
        memcpy(ret.point[s], def->point[1 - s], sizeof(ret.point[s]));
        for (int i = 0; i < 3; i++)
            ret.axis[s][i] = -def->axis[1 - s][i];
    }
    return ret;
}
