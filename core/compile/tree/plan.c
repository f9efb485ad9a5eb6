/* SPDX-License-Identifier: Apache-2.0 */
/* Makes fronts from merges. A merge always eliminates rows and becomes a front. A body becomes a
 * front only if it has joints to the ground; otherwise its element goes directly into the front of
 * its first merge. The bodies in branches of hubs come first. Then each hub becomes a front that
 * adds the remainders of its branches and eliminates the motion of the hub. A front has at most two
 * children, so auxiliary fronts without eliminated rows add remainders in pairs; the memory layout
 * dissolves these auxiliary fronts (layout.c). */
#include "compile/tree/plan.h"
#include "compile/effort.h"
#include <errno.h>
#include <stdlib.h>

/** struct assembly_plan - representative of an assembly while fronts are made: a front, or a body
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
    struct assembly_plan *hanging; /* scratch of the same size */
    int *group;                    /* for each body and merge: the merge that contains it, or -1 */
    int *zone;                     /* for each body and merge: the hub of its branch, or -1 */
    int *seen;                     /* for each joint: its state in the current front */
    int *list;                     /* joints of the current front */
    int n_list;
    struct lk_plan *plan;
};

/* Return the current assembly of body @b. Union-find with path halving: without path halving, a
 * search would take as many steps as the tree has levels. */
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

/* Return whether all bodies of joint @j, except the ground, are in assembly @index. With
 * @with_hub, the hub of their branch is also excepted. */
static int is_internal(struct maker *m, int j, int index, bool with_hub)
{
    const struct lk_topology *t = m->topology;

    if (j >= t->n_joints)
        return 0;
    for (int s = 0; s < LK_TREE_SIDES; s++)
        if (t->body[j][s] != t->n_bodies && !(with_hub && lk_tree_is_held(t, j, s)) &&
            owner_of(m, t->body[j][s]) != index)
            return 0;
    return 1;
}

/* Return the number of rows of joint @j, or of a motion. */
static int rows_of(const struct lk_topology *t, int j)
{
    return j < t->n_joints ? t->n_rows[j] : LK_MOTION_ROWS;
}

/* return the motion of the hub of joint @j, numbered as a joint, or -1 */
static int motion_at(const struct maker *m, int j)
{
    const struct lk_topology *t = m->topology;

    for (int s = 0; s < LK_TREE_SIDES && m->plan->n_hubs > 0 && j < t->n_joints; s++)
        if (t->body[j][s] != t->n_bodies && lk_tree_is_held(t, j, s))
            for (int k = 0; k < m->plan->n_hubs; k++)
                if (m->plan->hub[k] == t->body[j][s])
                    return t->n_joints + k;
    return -1;
}

static void meet_joint(struct maker *m, int j)
{
    if (m->seen[j] == NOT_MET)
        m->list[m->n_list++] = j;
    m->seen[j] = MET;
}

/* joints of each body, as one list with offsets */
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

/* Add the joints of @body to the list, except the joints to its branches if @body is a hub. */
static void meet_body(struct maker *m, const struct incidence *in, int body)
{
    const struct lk_topology *t = m->topology;

    for (int i = in->first[body]; i < in->first[body + 1]; i++) {
        int j = in->joints[i], is_held = 0;

        for (int s = 0; s < LK_TREE_SIDES && t->hangs_on; s++)
            is_held |= t->body[j][s] == body && lk_tree_is_held(t, j, s);
        if (!is_held)
            meet_joint(m, j);
    }
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
        meet_body(m, in, part->body);
    }
}

/* Return the rank of a joint in the order of a front: eliminated joints with rigid rows only,
 * other eliminated joints, joints that remain. */
static int turn_of(const struct maker *m, int j)
{
    const struct lk_topology *t = m->topology;

    if (m->seen[j] != ELIMINATED)
        return 2;
    return j < t->n_joints && t->n_rigid && t->n_rigid[j] < t->n_rows[j];
}

/* choose the internal joints for elimination; the motions of hubs at these joints remain */
static void choose_eliminated(struct maker *m, int index, bool with_hub)
{
    int n = m->n_list;

    for (int i = 0; i < n; i++) {
        int j = m->list[i], motion;

        m->seen[j] = is_internal(m, j, index, with_hub) ? ELIMINATED : KEPT;
        motion = m->seen[j] == ELIMINATED ? motion_at(m, j) : -1;
        if (motion < 0 || m->seen[motion] != NOT_MET)
            continue;
        m->list[m->n_list++] = motion;
        m->seen[motion] = KEPT;
    }
}

/* choose only the motion @motion of a hub for elimination; all joints of the hub remain */
static void choose_motion(struct maker *m, int motion)
{
    for (int i = 0; i < m->n_list; i++)
        m->seen[m->list[i]] = KEPT;
    if (m->seen[motion] == NOT_MET)
        m->list[m->n_list++] = motion;
    m->seen[motion] = ELIMINATED;
}

/* Complete the current front, whose eliminated joints are chosen. */
static int finish_front(struct maker *m, struct lk_front_plan *f)
{
    const struct lk_topology *t = m->topology;

    f->joints = malloc(((size_t)m->n_list + 1) * sizeof(int));
    if (!f->joints)
        return -ENOMEM;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < m->n_list; i++) {
            int j = m->list[i];

            if (turn_of(m, j) != turn)
                continue;
            f->joints[f->n_joints++] = j;
            f->rows += rows_of(t, j);
            if (turn < 2) {
                if (j < t->n_joints) {
                    m->plan->row[j] = m->plan->n_rows;
                    m->plan->n_rows += t->n_rows[j];
                }
                f->n_elim++;
                f->elim_rows += rows_of(t, j);
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

/* make the current front the representative of assembly @ret, @level levels from its bodies */
static int close_assembly(struct maker *m, struct lk_front_plan *f, struct assembly_plan *ret,
                          int level)
{
    *ret = (struct assembly_plan){.front = m->plan->n_fronts, .body = -1, .level = level};
    if (m->plan->depth < level)
        m->plan->depth = level;
    return finish_front(m, f);
}

static int plan_body(struct maker *m, const struct incidence *in, int body)
{
    struct assembly_plan *a = &m->assemblies[body];
    int grounded = 0;

    for (int i = in->first[body]; i < in->first[body + 1]; i++)
        grounded |= is_internal(m, in->joints[i], body, false);
    if (!grounded)
        return 0;
    struct lk_front_plan *f = &m->plan->fronts[m->plan->n_fronts];
    add_part(m, in, f, a);
    choose_eliminated(m, body, false);
    return close_assembly(m, f, a, a->level + 1);
}

static int plan_merge(struct maker *m, const struct incidence *in, const struct lk_merge *merge,
                      int index)
{
    struct lk_front_plan *f = &m->plan->fronts[m->plan->n_fronts];
    struct assembly_plan *ret = &m->assemblies[index];
    int level = 0;

    for (int part = 0; part < 2 && merge->part[part] >= 0; part++) {
        const struct assembly_plan *a = &m->assemblies[merge->part[part]];

        add_part(m, in, f, a);
        m->group[merge->part[part]] = index;
        level = a->level > level ? a->level : level;
    }
    choose_eliminated(m, index, merge->part[1] < 0);
    return close_assembly(m, f, ret, level + 1);
}

/* For each assembly, find the hub whose branch contains all its bodies, or -1. */
static void find_zones(struct maker *m, const struct lk_tree *tree)
{
    const struct lk_topology *t = m->topology;

    for (int b = 0; b < t->n_bodies; b++)
        m->zone[b] = t->hangs_on ? t->hangs_on[b] : -1;
    for (int k = 0; k < tree->n_merges; k++)
        m->zone[t->n_bodies + k] = m->zone[tree->merges[k].part[0]];
}

/* Make a front without eliminated rows that adds the remainders of two fronts at a hub. */
static int add_up(struct maker *m, const struct incidence *in, struct assembly_plan a,
                  struct assembly_plan b, struct assembly_plan *ret)
{
    struct lk_front_plan *f = &m->plan->fronts[m->plan->n_fronts];

    add_part(m, in, f, &a);
    add_part(m, in, f, &b);
    choose_eliminated(m, -1, false);
    return close_assembly(m, f, ret, 1 + (a.level > b.level ? a.level : b.level));
}

/* Add the remainders of all branches of @hub, in pairs. */
static int add_up_all(struct maker *m, const struct incidence *in, int n_assemblies, int hub,
                      struct assembly_plan *ret)
{
    struct assembly_plan *part = m->hanging;
    int n = 0, r = 0;

    for (int i = 0; i < n_assemblies; i++)
        if (m->group[i] < 0 && m->zone[i] == hub)
            part[n++] = m->assemblies[i];
    for (int left = 0; n > 1 && r == 0; n = left, left = 0)
        for (int i = 0; i < n && r == 0; i += 2, left++)
            if (i + 1 < n)
                r = add_up(m, in, part[i], part[i + 1], &part[left]);
            else
                part[left] = part[i];
    *ret = part[0];
    return r;
}

/* Make the front of hub @k. If the hub has joints to the ground, make one more front. */
static int plan_hub(struct maker *m, const struct incidence *in, const struct lk_tree *tree, int k)
{
    int hub = m->plan->hub[k], r;
    struct assembly_plan sum;
    struct lk_front_plan *f;

    r = add_up_all(m, in, m->topology->n_bodies + tree->n_merges, hub, &sum);
    if (r != 0)
        return r;
    f = &m->plan->fronts[m->plan->n_fronts];
    add_part(m, in, f, &sum);
    f->bodies[f->n_bodies++] = hub;
    meet_body(m, in, hub);
    choose_motion(m, m->topology->n_joints + k);
    r = close_assembly(m, f, &m->assemblies[hub], sum.level + 1);
    return r != 0 ? r : plan_body(m, in, hub);
}

/* Make the fronts of the bodies and merges in branches of hubs (@hang), or of all other bodies and
 * merges. */
static int plan_assemblies(struct maker *m, const struct incidence *in, const struct lk_tree *tree,
                           int hang)
{
    int n_bodies = m->topology->n_bodies, r = 0;

    for (int b = 0; b < n_bodies && r == 0; b++)
        if ((m->zone[b] >= 0) == hang && m->assemblies[b].level == 0)
            r = plan_body(m, in, b);
    for (int k = 0; k < tree->n_merges && r == 0; k++)
        if ((m->zone[n_bodies + k] >= 0) == hang)
            r = plan_merge(m, in, &tree->merges[k], n_bodies + k);
    return r;
}

static int make_fronts(struct maker *m, const struct incidence *in, const struct lk_tree *tree)
{
    int n_bodies = m->topology->n_bodies, r = 0;

    for (int i = 0; i < n_bodies + tree->n_merges; i++)
        m->group[i] = -1;
    find_zones(m, tree);
    for (int b = 0; b < n_bodies; b++)
        m->assemblies[b] = (struct assembly_plan){.front = -1, .body = b};
    if (m->plan->n_hubs > 0)
        r = plan_assemblies(m, in, tree, 1);
    for (int k = 0; k < m->plan->n_hubs && r == 0; k++)
        r = plan_hub(m, in, tree, k);
    return r == 0 ? plan_assemblies(m, in, tree, 0) : r;
}

/* Find the hubs: the bodies with branches. Return: 0, -ENOMEM */
static int find_hubs(const struct lk_topology *t, struct lk_plan *ret)
{
    ret->hub = calloc((size_t)t->n_bodies + 1, sizeof(int));
    if (!ret->hub)
        return -ENOMEM;
    for (int b = 0; b < t->n_bodies && t->hangs_on; b++) {
        int is_known = t->hangs_on[b] < 0;

        for (int k = 0; k < ret->n_hubs; k++)
            is_known |= ret->hub[k] == t->hangs_on[b];
        if (!is_known)
            ret->hub[ret->n_hubs++] = t->hangs_on[b];
    }
    return 0;
}

int lk_plan_init(const struct lk_topology *topology, const struct lk_tree *tree,
                 struct lk_plan *ret_plan)
{
    size_t n = (size_t)topology->n_bodies + (size_t)tree->n_merges + 1, joints;
    struct lk_plan plan = {0};
    struct incidence in = {0};
    struct maker m = {.topology = topology, .plan = &plan};
    int r = -ENOMEM;

    if (find_hubs(topology, &plan) < 0)
        return -ENOMEM;
    joints = (size_t)topology->n_joints + (size_t)plan.n_hubs + 1;
    /* Each body, each merge and each hub makes one front. Each addition of two remainders makes one
     * more front. */
    plan.fronts = calloc(plan.n_hubs > 0 ? 2 * n : n, sizeof(*plan.fronts));
    plan.row = calloc((size_t)topology->n_joints + 1, sizeof(int));
    m.assemblies = calloc(n, sizeof(*m.assemblies));
    m.hanging = calloc(n, sizeof(*m.hanging));
    m.group = calloc(n, sizeof(int));
    m.zone = calloc(n, sizeof(int));
    m.seen = calloc(joints, sizeof(int));
    m.list = calloc(joints, sizeof(int));
    if (plan.fronts && plan.row && m.assemblies && m.hanging && m.group && m.zone && m.seen &&
        m.list && incidence_init(topology, &in) == 0)
        r = make_fronts(&m, &in, tree);
    free(m.assemblies);
    free(m.hanging);
    free(m.group);
    free(m.zone);
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
    free(plan->hub);
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

int lk_plan_best(const struct lk_topology *topology, bool is_wide, int solves,
                 struct lk_plan *ret_plan)
{
    struct lk_plan cheapest, rounds;
    int r;

    if (is_wide)
        return plan_by(topology, LK_TREE_ROUNDS, ret_plan);
    r = plan_by(topology, LK_TREE_CHEAPEST, &cheapest);

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
