/* SPDX-License-Identifier: Apache-2.0 */
/* Finds similar assemblies of the elimination tree and chooses those that share a batch; see
 * pieces.h. */
#include "compile/batch/piece_maker.h"
#include "compile/effort.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TASK_BLOCKS 8 /* least number of bodies per lane in a task */
#define TASKS_MAX   4

void *lk_piece_grow(struct lk_piece_maker *m, void *array, int n, size_t size)
{
    /* capacities are powers of two */
    if (n & (n - 1))
        return array;
    void *larger = realloc(array, (n ? 2 * (size_t)n : 1) * size);

    if (!larger) {
        m->failed = 1;
        return array;
    }
    return larger;
}

void lk_piece_front_free(struct lk_piece_front *f)
{
    free(f->slots);
    for (int k = 0; k < f->n_parts; k++) {
        free(f->parts[k].slot);
        free(f->parts[k].from);
    }
}

/* ---- classes ---- */

/** struct tie - a joint that a merge makes internal. @place: relative positions of its bodies, -1:
 * none. */
struct tie {
    int place[LK_TREE_SIDES];
    int kind;
};

static int by_tie(const void *va, const void *vb)
{
    return memcmp(va, vb, sizeof(struct tie));
}

/** struct class - the pattern of a merge. @is_hung: the merge completes a mechanism with one joint
 * to the ground, which is eliminated only in this merge */
struct class
{
    int part[2];
    int is_hung;
    int n;
    struct tie *ties;
};

/* Return whether a merge makes joint @j of @body internal, and @body is the first body of @j in
 * part @p. All bodies of the joint must be in @p or @q, at least one of them in @q. */
static int is_tie(const struct lk_piece_maker *m, const struct lk_piece_assembly *p,
                  const struct lk_piece_assembly *q, int j, int body)
{
    const int *sides = m->t->body[j];
    int first = -1, meets = 0, holds = 1;

    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int in_p = lk_piece_is_inside(m, p, sides[s]), in_q = lk_piece_is_inside(m, q, sides[s]);

        first = first < 0 && in_p ? sides[s] : first;
        meets |= in_q;
        holds &= in_p || in_q || sides[s] >= m->n_bodies;
    }
    return first == body && meets && holds;
}

static struct tie make_tie(const struct lk_piece_maker *m, const struct lk_piece_assembly *a, int j)
{
    struct tie tie = {.kind = m->kind[j]};

    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int b = m->t->body[j][s];

        tie.place[s] = b < m->n_bodies ? m->place[b] - a->first : -1;
    }
    return tie;
}

/* finds the joints between the parts of assembly @a, sorted */
static int find_ties(struct lk_piece_maker *m, const struct lk_piece_assembly *a,
                     const int *body_at, struct tie **ret)
{
    const struct lk_piece_assembly *p = &m->a[a->part[0]], *q = &m->a[a->part[1]];
    struct tie *ties = NULL;
    int n = 0;

    /* search along the smaller part */
    if (q->size < p->size) {
        const struct lk_piece_assembly *swap = p;

        p = q;
        q = swap;
    }
    for (int i = p->first; i < p->first + p->size; i++)
        for (int k = m->first_joint[body_at[i]]; k < m->first_joint[body_at[i] + 1]; k++) {
            int j = m->joints[k];

            if (!is_tie(m, p, q, j, body_at[i]))
                continue;
            ties = lk_piece_grow(m, ties, n, sizeof(*ties));
            if (m->failed)
                break;
            ties[n++] = make_tie(m, a, j);
        }
    if (n > 1)
        qsort(ties, (size_t)n, sizeof(*ties), by_tie);
    *ret = ties;
    return n;
}

static int same_class(const struct class *a, const struct class *b)
{
    return a->n == b->n && a->is_hung == b->is_hung &&
           memcmp(a->part, b->part, sizeof(a->part)) == 0 &&
           (a->n == 0 || memcmp(a->ties, b->ties, (size_t)a->n * sizeof(*a->ties)) == 0);
}

/* numbers the classes of all merges; bodies are class 0 */
static void classify_merges(struct lk_piece_maker *m, const int *body_at)
{
    struct class *classes = NULL;
    int n = 0;

    for (int i = m->n_bodies; i < m->n && !m->failed; i++) {
        struct lk_piece_assembly *a = &m->a[i];
        struct class c = {.part = {m->a[a->part[0]].class, m->a[a->part[1]].class}};
        int k = n - 1;

        c.is_hung = a->parent < 0 && a->n_ground == 1;
        c.n = find_ties(m, a, body_at, &c.ties);
        m->is_over = lk_effort_spend((uint64_t)(n + a->size));
        m->failed |= m->is_over;
        while (k >= 0 && !same_class(&classes[k], &c))
            k--;
        if (k < 0) {
            classes = lk_piece_grow(m, classes, n, sizeof(*classes));
            if (!m->failed)
                classes[k = n++] = c;
        } else {
            free(c.ties);
        }
        a->class = k + 1;
    }
    for (int k = 0; k < n; k++)
        free(classes[k].ties);
    free(classes);
}

/* ---- the choice ---- */

static int by_size(const void *va, const void *vb, void *context)
{
    const struct lk_piece_maker *m = context;
    const struct lk_piece_assembly *a = &m->a[*(const int *)va], *b = &m->a[*(const int *)vb];

    if (a->size != b->size)
        return b->size - a->size;
    if (a->class != b->class)
        return a->class - b->class;
    return *(const int *)va < *(const int *)vb ? -1 : 1;
}

static void open_assembly(struct lk_piece_maker *m, int a)
{
    for (int k = 0; k < 2; k++)
        m->a[m->a[a].part[k]].is_open = 1;
    m->a[a].lane = -1; /* the assembly is in the top */
}

/* Make batches of similar assemblies. @order: all @n open assemblies of one class */
static void group_class(struct lk_piece_maker *m, const int *order, int n, int share)
{
    int size = m->a[order[0]].size, full = n / m->lanes * m->lanes;

    /* a nearly full batch costs less than splitting its assemblies */
    if (n - full >= (3 * m->lanes + 3) / 4)
        full = n;
    if (size == 1)
        return;
    for (int i = 0; i < full; i += m->lanes) {
        int lane[LK_LANES_MAX];

        for (int l = 0; l < LK_LANES_MAX; l++)
            lane[l] = l < m->lanes && i + l < full ? order[i + l] : -1;
        lk_piece_add_group(m, lane, share);
    }
    for (int i = full; i < n; i++)
        open_assembly(m, order[i]);
}

static void choose_groups(struct lk_piece_maker *m, int *order, int share)
{
    for (int i = 0; i < m->n; i++)
        order[i] = i;
    qsort_r(order, (size_t)m->n, sizeof(int), by_size, m);
    for (int i = 0, end; i < m->n && !m->failed; i = end) {
        int *open = order + i, n = 0;

        for (end = i; end < m->n && m->a[order[end]].size == m->a[order[i]].size &&
                      m->a[order[end]].class == m->a[order[i]].class;
             end++)
            if (m->a[order[end]].is_open)
                open[n++] = order[end];
        if (n > 0)
            group_class(m, open, n, share);
    }
}

/* ---- assemblies of a tree ---- */

static void find_joints(struct lk_piece_maker *m)
{
    const struct lk_topology *t = m->t;
    int n = 0;

    for (int b = 0; b < m->n_bodies; b++)
        m->seen[b] = 0;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++)
            if (t->body[j][s] < m->n_bodies)
                m->seen[t->body[j][s]]++;
    for (int b = 0; b < m->n_bodies; b++) {
        m->first_joint[b] = n;
        n += m->seen[b];
        m->seen[b] = 0;
    }
    m->first_joint[m->n_bodies] = n;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++) {
            int b = t->body[j][s];

            if (b < m->n_bodies)
                m->joints[m->first_joint[b] + m->seen[b]++] = j;
        }
}

/* Order the two parts of each assembly by their smallest body index, then number the positions of
 * all bodies. */
static void place_bodies(struct lk_piece_maker *m, const struct lk_tree *tree, int *least,
                         int *body_at)
{
    int n = 0;

    for (int b = 0; b < m->n_bodies; b++) {
        m->a[b] = (struct lk_piece_assembly){.parent = -1, .size = 1, .front = -1, .lane = 0};
        least[b] = b;
    }
    for (int k = 0; k < tree->n_merges; k++) {
        int i = m->n_bodies + k, p = tree->merges[k].part[0], q = tree->merges[k].part[1];
        int swap = least[q] < least[p];

        m->a[i] = (struct lk_piece_assembly){.part = {swap ? q : p, swap ? p : q},
                                             .parent = -1,
                                             .size = m->a[p].size + m->a[q].size,
                                             .front = -1};
        m->a[p].parent = m->a[q].parent = i;
        least[i] = swap ? least[q] : least[p];
    }
    for (int i = m->n - 1; i >= 0; i--) {
        struct lk_piece_assembly *a = &m->a[i];

        a->root = a->parent < 0 ? i : m->a[a->parent].root;
        if (a->parent < 0) {
            a->is_open = 1;
            a->first = n;
            n += a->size;
        }
        if (i < m->n_bodies) {
            m->place[i] = a->first;
            body_at[a->first] = i;
            continue;
        }
        m->a[a->part[0]].first = a->first;
        m->a[a->part[1]].first = a->first + m->a[a->part[0]].size;
    }
    for (int j = 0; j < m->t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES && lk_piece_bodies_of(m->t, j) == 1; s++)
            if (m->t->body[j][s] < m->n_bodies)
                m->a[m->a[m->t->body[j][s]].root].n_ground++;
}

/* Return the number of bodies per lane of a task, such that there are enough tasks and none is
 * too small. */
static int share_of(const struct lk_piece_maker *m)
{
    int share = m->n_bodies / m->lanes / TASKS_MAX;

    return share < TASK_BLOCKS ? TASK_BLOCKS : share;
}

static void make_pieces(struct lk_piece_maker *m, const struct lk_tree *tree)
{
    int *least = calloc((size_t)m->n + 1, sizeof(int));
    int *order = calloc((size_t)m->n + 1, sizeof(int));
    int *body_at = calloc((size_t)m->n + 1, sizeof(int));

    m->failed |= !least || !order || !body_at;
    if (!m->failed) {
        find_joints(m);
        place_bodies(m, tree, least, body_at);
        classify_merges(m, body_at);
    }
    if (!m->failed)
        choose_groups(m, order, share_of(m));
    m->task = -1;
    if (!m->failed)
        lk_piece_add_loose_bodies(m);
    if (!m->failed)
        lk_piece_add_top(m);
    if (!m->failed)
        lk_piece_pack_top(m);
    free(least);
    free(order);
    free(body_at);
}

/* assign all remaining bodies and fronts to the last task */
static void close_tasks(struct lk_pieces *p)
{
    for (int i = 0; i < p->n_fronts; i++)
        if (p->fronts[i].task < 0)
            p->fronts[i].task = p->n_tasks;
    for (int i = 0; i < p->n_bodies; i++)
        if (p->bodies[i].task < 0)
            p->bodies[i].task = p->n_tasks;
    p->n_tasks++;
}

int lk_pieces_init(const struct lk_topology *t, const int *kind, int lanes, struct lk_pieces *ret)
{
    struct lk_piece_maker m = {
        .t = t, .kind = kind, .lanes = lanes, .n_bodies = t->n_bodies, .out = ret};
    struct lk_tree tree;
    int r = lk_tree_build(t, LK_TREE_ROUNDS, &tree);

    *ret = (struct lk_pieces){.lanes = lanes};
    if (r < 0)
        return r;
    m.n = t->n_bodies + tree.n_merges;
    m.a = calloc((size_t)m.n + 1, sizeof(*m.a));
    m.place = calloc((size_t)t->n_bodies + 1, sizeof(int));
    m.first_joint = calloc((size_t)t->n_bodies + 2, sizeof(int));
    m.joints = calloc(LK_TREE_SIDES * (size_t)t->n_joints + 1, sizeof(int));
    m.seen = calloc((size_t)t->n_bodies + 1, sizeof(int));
    m.failed = !m.a || !m.place || !m.first_joint || !m.joints || !m.seen;
    if (!m.failed)
        make_pieces(&m, &tree);
    free(m.a);
    free(m.place);
    free(m.first_joint);
    free(m.joints);
    free(m.seen);
    lk_tree_fini(&tree);
    if (m.failed) {
        lk_pieces_fini(ret);
        return m.is_over ? -ECANCELED : -ENOMEM;
    }
    close_tasks(ret);
    return 0;
}

void lk_pieces_fini(struct lk_pieces *p)
{
    for (int i = 0; i < p->n_fronts; i++)
        lk_piece_front_free(&p->fronts[i]);
    for (int i = 0; i < p->n_bodies; i++)
        free(p->bodies[i].slots);
    free(p->fronts);
    free(p->bodies);
    *p = (struct lk_pieces){0};
}
