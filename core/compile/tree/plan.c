/* SPDX-License-Identifier: Apache-2.0 */
/* From merges to fronts. A merge always eliminates rows and becomes a front; a body becomes a front
 * only if it has joints to the ground, otherwise its element goes directly into the front of its
 * first merge. */
#include "compile/tree/plan.h"
#include "compile/effort.h"
#include <errno.h>
#include <stdlib.h>

/** struct assembly_plan - what represents an assembly while fronts are made: a front, or a body
 * whose element has not been added yet. */
struct assembly_plan {
    int front; /* -1: none */
    int body;  /* -1: already in a front */
    int level;
};

/* state of a joint in the current front */
enum { NOT_MET, MET, ELIMINATED, KEPT };

struct maker {
    const struct lk_topology *topology;
    struct assembly_plan *assemblies;
    int *group; /* of bodies and merges: a merge that contains them, or -1 */
    int *seen;  /* of joints: their state in the current front */
    int *list;  /* joints of the current front */
    int n_list;
    int n_rows;
    struct lk_plan *plan;
};

/* current assembly of body @b: union-find with path halving; otherwise a search would take the
 * depth of the tree */
static int owner_of(struct maker *m, int b)
{
    while (m->group[b] >= 0) {
        if (m->group[m->group[b]] >= 0)
            m->group[b] = m->group[m->group[b]];
        b = m->group[b];
        lk_effort_spend(1);
    }
    return b;
}

/* whether all bodies of joint @j, except the ground, are in assembly @index */
static int is_internal(struct maker *m, int j, int index)
{
    const struct lk_topology *t = m->topology;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        if (t->body[j][s] != t->n_bodies && owner_of(m, t->body[j][s]) != index)
            return 0;
    return 1;
}

static void meet_joint(struct maker *m, int j)
{
    if (m->seen[j] == NOT_MET)
        m->list[m->n_list++] = j;
    m->seen[j] = MET;
}

/* joints at each body, as one list with offsets */
struct incidence {
    int *first;
    int *joints;
};

static int incidence_init(const struct lk_topology *t, struct incidence *in)
{
    in->first = calloc((size_t)t->n_bodies + 2, sizeof(int));
    in->joints = calloc(LK_TREE_SIDES * (size_t)t->n_joints + 1, sizeof(int));
    if (!in->first || !in->joints)
        return -ENOMEM;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++)
            in->first[t->body[j][s] + 1]++;
    for (int b = 0; b <= t->n_bodies; b++)
        in->first[b + 1] += in->first[b];
    int *fill = calloc((size_t)t->n_bodies + 1, sizeof(int));
    if (!fill)
        return -ENOMEM;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++) {
            int b = t->body[j][s];

            in->joints[in->first[b] + fill[b]++] = j;
        }
    free(fill);
    return 0;
}

static void add_part(struct maker *m, const struct incidence *in, struct lk_front_plan *f,
                     const struct assembly_plan *part)
{
    if (part->front >= 0) {
        const struct lk_front_plan *child = &m->plan->fronts[part->front];

        f->children[f->n_children++] = part->front;
        for (int i = child->n_elim; i < child->n_joints; i++)
            meet_joint(m, child->joints[i]);
    } else {
        f->bodies[f->n_bodies++] = part->body;
        for (int i = in->first[part->body]; i < in->first[part->body + 1]; i++)
            meet_joint(m, in->joints[i]);
    }
}

/* the order of joints in a front: eliminated rigid ones, other eliminated ones, those that remain
 */
static int turn_of(const struct maker *m, int j)
{
    const struct lk_topology *t = m->topology;

    if (m->seen[j] != ELIMINATED)
        return 2;
    return t->n_rigid && t->n_rigid[j] < t->n_rows[j];
}

/* completes the current front, of assembly @index: eliminates the joints that lead nowhere else */
static int finish_front(struct maker *m, struct lk_front_plan *f, int index)
{
    const struct lk_topology *t = m->topology;

    f->joints = malloc(((size_t)m->n_list + 1) * sizeof(int));
    if (!f->joints)
        return -ENOMEM;
    for (int i = 0; i < m->n_list; i++)
        m->seen[m->list[i]] = is_internal(m, m->list[i], index) ? ELIMINATED : KEPT;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < m->n_list; i++) {
            int j = m->list[i];

            if (turn_of(m, j) != turn)
                continue;
            f->joints[f->n_joints++] = j;
            f->rows += t->n_rows[j];
            if (turn < 2) {
                m->plan->row[j] = m->n_rows;
                m->n_rows += t->n_rows[j];
                f->n_elim++;
                f->elim_rows += t->n_rows[j];
            }
        }
    }
    for (int i = 0; i < m->n_list; i++)
        m->seen[m->list[i]] = NOT_MET;
    m->n_list = 0;

    double e = f->elim_rows, r = f->rows - f->elim_rows;
    m->plan->factor_flops += lk_front_flops(e, r);
    m->plan->solve_flops += lk_front_solve_flops(e, r);
    if (f->rows > m->plan->largest)
        m->plan->largest = f->rows;
    m->plan->n_fronts++;
    return lk_effort_spend((uint64_t)f->n_joints) ? -ECANCELED : 0;
}

static int plan_body(struct maker *m, const struct incidence *in, int body)
{
    struct assembly_plan *a = &m->assemblies[body];
    int grounded = 0;

    *a = (struct assembly_plan){.front = -1, .body = body};
    for (int i = in->first[body]; i < in->first[body + 1]; i++)
        grounded |= is_internal(m, in->joints[i], body);
    if (!grounded)
        return 0;
    struct lk_front_plan *f = &m->plan->fronts[m->plan->n_fronts];
    add_part(m, in, f, a);
    *a = (struct assembly_plan){.front = m->plan->n_fronts, .body = -1, .level = 1};
    if (m->plan->depth < 1)
        m->plan->depth = 1;
    return finish_front(m, f, body);
}

static int plan_merge(struct maker *m, const struct incidence *in, const struct lk_merge *merge,
                      int index)
{
    struct lk_front_plan *f = &m->plan->fronts[m->plan->n_fronts];
    struct assembly_plan *ret = &m->assemblies[index];
    int level = 0;

    for (int part = 0; part < 2; part++) {
        const struct assembly_plan *a = &m->assemblies[merge->part[part]];

        add_part(m, in, f, a);
        m->group[merge->part[part]] = index;
        level = a->level > level ? a->level : level;
    }
    *ret = (struct assembly_plan){.front = m->plan->n_fronts, .body = -1, .level = level + 1};
    if (m->plan->depth < level + 1)
        m->plan->depth = level + 1;
    return finish_front(m, f, index);
}

static int make_fronts(struct maker *m, const struct incidence *in, const struct lk_tree *tree)
{
    int n_bodies = m->topology->n_bodies;
    int r = 0;

    for (int i = 0; i < n_bodies + tree->n_merges; i++)
        m->group[i] = -1;
    for (int b = 0; b < n_bodies && r == 0; b++)
        r = plan_body(m, in, b);
    for (int k = 0; k < tree->n_merges && r == 0; k++)
        r = plan_merge(m, in, &tree->merges[k], n_bodies + k);
    return r;
}

int lk_plan_init(const struct lk_topology *topology, const struct lk_tree *tree,
                 struct lk_plan *ret_plan)
{
    size_t capacity = (size_t)topology->n_bodies + (size_t)tree->n_merges + 1;
    struct lk_plan plan = {0};
    struct incidence in = {0};
    struct maker m = {.topology = topology, .plan = &plan};
    int r = -ENOMEM;

    plan.fronts = calloc(capacity, sizeof(*plan.fronts));
    plan.row = calloc((size_t)topology->n_joints + 1, sizeof(int));
    m.assemblies = calloc(capacity, sizeof(*m.assemblies));
    m.group = calloc(capacity, sizeof(int));
    m.seen = calloc((size_t)topology->n_joints + 1, sizeof(int));
    m.list = calloc((size_t)topology->n_joints + 1, sizeof(int));
    if (plan.fronts && plan.row && m.assemblies && m.group && m.seen && m.list &&
        incidence_init(topology, &in) == 0)
        r = make_fronts(&m, &in, tree);
    free(m.assemblies);
    free(m.group);
    free(m.seen);
    free(m.list);
    free(in.first);
    free(in.joints);
    if (r < 0)
        lk_plan_fini(&plan);
    else
        *ret_plan = plan;
    return r;
}

void lk_plan_fini(struct lk_plan *plan)
{
    for (int i = 0; plan->fronts && i < plan->n_fronts; i++)
        free(plan->fronts[i].joints);
    free(plan->fronts);
    free(plan->row);
    *plan = (struct lk_plan){0};
}

static int plan_by(const struct lk_topology *topology, enum lk_tree_strategy strategy,
                   struct lk_plan *ret_plan)
{
    struct lk_tree tree;
    int r = lk_tree_build(topology, strategy, &tree);

    if (r < 0)
        return r;
    r = lk_plan_init(topology, &tree, ret_plan);
    lk_tree_fini(&tree);
    return r;
}

int lk_plan_best(const struct lk_topology *topology, int solves, struct lk_plan *ret_plan)
{
    struct lk_plan cheapest, rounds;
    int r = plan_by(topology, LK_TREE_CHEAPEST, &cheapest);

    if (r < 0)
        return r;
    r = plan_by(topology, LK_TREE_ROUNDS, &rounds);
    if (r < 0) {
        lk_plan_fini(&cheapest);
        return r;
    }
    double work_cheapest = 2 * cheapest.factor_flops + solves * cheapest.solve_flops;
    double work_rounds = 2 * rounds.factor_flops + solves * rounds.solve_flops;
    if (work_rounds < work_cheapest) {
        lk_plan_fini(&cheapest);
        *ret_plan = rounds;
    } else {
        lk_plan_fini(&rounds);
        *ret_plan = cheapest;
    }
    return 0;
}
