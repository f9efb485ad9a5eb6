/* SPDX-License-Identifier: Apache-2.0 */
/* Finds similar assemblies and makes the fronts of batches from them; see pieces.h. */
#include "compile/batch/pieces.h"
#include "compile/effort.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define TASK_BLOCKS 8 /* bodies per lane that a task has at least */
#define TASKS_MAX   4

/* slots of outgoing joints sort behind those of internal joints */
#define KEY_GROUND   (INT_MAX - 1)
#define KEY_EXTERNAL INT_MAX

/** struct assembly - a body or the result of a merge. @first, @size: range of places of its bodies;
 * @class: equal for similar assemblies; -1: similar to none
 * @root: the last assembly that contains it
 * @front, @lane: its front and lane in it; -1: a body without a front */
struct assembly {
    int part[2];
    int parent;
    int root;
    int n_ground; /* of a root: number of joints to the ground */
    int first;
    int size;
    int class;
    int is_open; /* its parent is not in a batch, or it has none */
    int front;
    int lane;
};

struct maker {
    const struct lk_topology *t;
    const int *kind;
    int lanes;
    int n_bodies;
    int n;              /* assemblies */
    struct assembly *a; /* bodies, then merges in their order */
    int *place;         /* of each body */
    int *first_joint;   /* of each body, into: */
    int *joints;
    int *seen;
    int failed; /* memory, or: */
    bool is_over;
    int task;
    int root_first[LK_LANES_MAX]; /* first places and size of the pieces being made */
    int root_size;
    struct lk_pieces *out;
};

/** struct node - a part of the pieces being made: a front, or bodies whose element is in no front
 * yet. */
struct node {
    int front;
    int body[LK_LANES_MAX];
    int n_slots;
    struct lk_piece_slot *slots;
};

static void *grow(struct maker *m, void *array, int n, size_t size)
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

static int other_body(const struct lk_topology *t, int j, int body)
{
    return t->body[j][0] == body ? t->body[j][1] : t->body[j][0];
}

/* Whether the mechanism of @body has a single joint to the ground. That joint is then not
 * eliminated with its body but kept up to the root, so that this body, and every piece, resembles
 * the others. */
static int hangs(const struct maker *m, int body)
{
    int root = m->a[body].root;

    return m->a[root].n_ground == 1 && m->a[root].size > 1;
}

/* ---- classes ---- */

/** struct tie - a joint that a merge makes internal; the places of its bodies. */
struct tie {
    int place[2];
    int kind;
};

static int by_tie(const void *va, const void *vb)
{
    return memcmp(va, vb, sizeof(struct tie));
}

/** struct class - the pattern of a merge. @is_hung: a whole mechanism with one joint to the ground,
 * which only its root eliminates */
struct class
{
    int part[2];
    int is_hung;
    int n;
    struct tie *ties;
};

static int is_inside(const struct maker *m, const struct assembly *a, int body)
{
    return body < m->n_bodies && m->place[body] >= a->first && m->place[body] < a->first + a->size;
}

/* finds the joints between the parts of assembly @a, sorted */
static int find_ties(struct maker *m, const struct assembly *a, const int *body_at,
                     struct tie **ret)
{
    const struct assembly *p = &m->a[a->part[0]], *q = &m->a[a->part[1]];
    struct tie *ties = NULL;
    int n = 0;

    /* search along the smaller part */
    if (q->size < p->size) {
        const struct assembly *swap = p;

        p = q;
        q = swap;
    }
    for (int i = p->first; i < p->first + p->size; i++)
        for (int k = m->first_joint[body_at[i]]; k < m->first_joint[body_at[i] + 1]; k++) {
            int j = m->joints[k];

            if (!is_inside(m, q, other_body(m->t, j, body_at[i])))
                continue;
            ties = grow(m, ties, n, sizeof(*ties));
            if (m->failed)
                break;
            ties[n++] = (struct tie){
                {m->place[m->t->body[j][0]] - a->first, m->place[m->t->body[j][1]] - a->first},
                m->kind[j]};
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
static void classify(struct maker *m, const int *body_at)
{
    struct class *classes = NULL;
    int n = 0;

    for (int i = m->n_bodies; i < m->n && !m->failed; i++) {
        struct assembly *a = &m->a[i];
        struct class c = {.part = {m->a[a->part[0]].class, m->a[a->part[1]].class}};
        int k = n - 1;

        c.is_hung = a->parent < 0 && a->n_ground == 1;
        c.n = find_ties(m, a, body_at, &c.ties);
        m->is_over = lk_effort_spend((uint64_t)(n + a->size));
        m->failed |= m->is_over;
        while (k >= 0 && !same_class(&classes[k], &c))
            k--;
        if (k < 0) {
            classes = grow(m, classes, n, sizeof(*classes));
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

/* ---- slots of bodies ---- */

static int by_slot(const void *va, const void *vb)
{
    const struct lk_piece_slot *a = va, *b = vb;

    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind - b->kind;
    if (a->side != b->side)
        return a->side - b->side;
    return a->joint[0] - b->joint[0];
}

/* the joints of one body, sorted; equal ones are numbered in .order; the joint is in joint[0] */
static int slots_of_body(struct maker *m, int body, int lane, struct lk_piece_slot *ret)
{
    int n = 0;

    for (int k = m->first_joint[body]; k < m->first_joint[body + 1]; k++) {
        int j = m->joints[k], other = other_body(m->t, j, body);
        struct lk_piece_slot s = {.kind = m->kind[j], .side = m->t->body[j][0] == body ? 0 : 1};

        s.joint[0] = j;
        s.key = KEY_EXTERNAL;
        if (other == m->t->n_bodies)
            s.key = hangs(m, body) ? KEY_EXTERNAL : KEY_GROUND;
        else if (m->root_size > 1 && m->place[other] >= m->root_first[lane] &&
                 m->place[other] < m->root_first[lane] + m->root_size)
            s.key = m->place[other] - m->root_first[lane];
        ret[n++] = s;
    }
    qsort(ret, (size_t)n, sizeof(*ret), by_slot);
    for (int i = 1; i < n; i++)
        if (ret[i].key == ret[i - 1].key && ret[i].kind == ret[i - 1].kind &&
            ret[i].side == ret[i - 1].side)
            ret[i].order = ret[i - 1].order + 1;
    return n;
}

static int compare_slots(const struct lk_piece_slot *a, const struct lk_piece_slot *b)
{
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind - b->kind;
    if (a->side != b->side)
        return a->side - b->side;
    return a->order - b->order;
}

/* the slots of bodies side by side: all slots that any lane has */
static int unite_slots(struct maker *m, const int *body, struct lk_piece_slot **ret)
{
    struct lk_piece_slot *own[LK_LANES_MAX] = {0}, *all = NULL;
    int n_own[LK_LANES_MAX] = {0}, at[LK_LANES_MAX] = {0}, n = 0;

    for (int l = 0; l < m->lanes; l++) {
        if (body[l] < 0)
            continue;
        own[l] = calloc((size_t)(m->first_joint[body[l] + 1] - m->first_joint[body[l]]) + 1,
                        sizeof(*own[l]));
        if (!own[l])
            m->failed = 1;
        else
            n_own[l] = slots_of_body(m, body[l], l, own[l]);
    }
    while (!m->failed) {
        const struct lk_piece_slot *next = NULL;

        for (int l = 0; l < m->lanes; l++)
            if (at[l] < n_own[l] && (!next || compare_slots(&own[l][at[l]], next) < 0))
                next = &own[l][at[l]];
        if (!next)
            break;
        all = grow(m, all, n, sizeof(*all));
        if (m->failed)
            break;
        struct lk_piece_slot first = *next;
        all[n] = first;
        for (int l = 0; l < LK_LANES_MAX; l++) {
            int has =
                l < m->lanes && at[l] < n_own[l] && compare_slots(&own[l][at[l]], &first) == 0;

            all[n].joint[l] = has ? own[l][at[l]++].joint[0] : -1;
        }
        n++;
    }
    for (int l = 0; l < LK_LANES_MAX; l++)
        free(own[l]);
    *ret = all;
    return n;
}

static struct lk_piece_slot *copy_slots(struct maker *m, const struct lk_piece_slot *slots, int n)
{
    struct lk_piece_slot *copy = malloc(((size_t)n + 1) * sizeof(*copy));

    if (!copy)
        m->failed = 1;
    else if (n > 0)
        memcpy(copy, slots, (size_t)n * sizeof(*copy));
    return copy;
}

static void add_bodies(struct maker *m, const int *body, const struct lk_piece_slot *slots, int n)
{
    struct lk_pieces *out = m->out;

    out->bodies = grow(m, out->bodies, out->n_bodies, sizeof(*out->bodies));
    if (m->failed)
        return;
    struct lk_piece_bodies *b = &out->bodies[out->n_bodies++];

    *b = (struct lk_piece_bodies){.task = m->task, .n_slots = n, .slots = copy_slots(m, slots, n)};
    memcpy(b->body, body, sizeof(b->body));
}

/* ---- fronts ---- */

static int add_front(struct maker *m, int is_aligned)
{
    struct lk_pieces *out = m->out;

    out->fronts = grow(m, out->fronts, out->n_fronts, sizeof(*out->fronts));
    if (m->failed)
        return -1;
    out->fronts[out->n_fronts] = (struct lk_piece_front){.is_aligned = is_aligned, .task = m->task};
    return out->n_fronts++;
}

static int front_slot(struct maker *m, struct lk_piece_front *f, const struct lk_piece_slot *s)
{
    f->slots = grow(m, f->slots, f->n_slots, sizeof(*f->slots));
    if (m->failed)
        return 0;
    f->slots[f->n_slots] = *s;
    return f->n_slots++;
}

static void add_part(struct maker *m, struct lk_piece_front *f, const struct node *node)
{
    struct lk_piece_part *p = &f->parts[f->n_parts++];

    *p = (struct lk_piece_part){.is_body = node->front < 0};
    memcpy(p->body, node->body, sizeof(p->body));
    for (int l = 0; l < LK_LANES_MAX; l++) {
        p->child[l] = node->front;
        p->lane[l] = l;
    }
    p->slot = malloc(((size_t)node->n_slots + 1) * sizeof(int));
    p->from = malloc(((size_t)node->n_slots + 1) * sizeof(int));
    if (!p->slot || !p->from)
        m->failed = 1;
}

/* the joint of slot @s in the first lane that has one */
static int some_joint(const struct lk_piece_slot *s)
{
    for (int l = 0; l < LK_LANES_MAX; l++)
        if (s->joint[l] >= 0)
            return s->joint[l];
    return -1;
}

static int same_joints(const struct lk_piece_slot *a, const struct lk_piece_slot *b)
{
    return memcmp(a->joint, b->joint, sizeof(a->joint)) == 0;
}

/* joins the slots of the parts of front @f; eliminated ones first */
static void join_slots(struct maker *m, struct lk_piece_front *f, const struct node *node, int n,
                       int (*is_eliminated)(const struct maker *, const struct lk_piece_slot *,
                                            const void *),
                       const void *context)
{
    for (int part = 0; part < n; part++)
        add_part(m, f, &node[part]);
    for (int eliminated = 1; eliminated >= 0 && !m->failed; eliminated--) {
        for (int part = 0; part < n && !m->failed; part++)
            for (int i = 0; i < node[part].n_slots && !m->failed; i++) {
                const struct lk_piece_slot *s = &node[part].slots[i];
                struct lk_piece_part *p = &f->parts[part];
                int at = f->n_slots;

                if (is_eliminated(m, s, context) != eliminated)
                    continue;
                for (int k = 0; k < f->n_slots; k++)
                    if (same_joints(&f->slots[k], s))
                        at = k;
                if (at == f->n_slots)
                    front_slot(m, f, s);
                p->slot[p->n] = at;
                p->from[p->n++] = p->is_body ? s->side : i;
            }
        if (eliminated)
            f->n_elim = f->n_slots;
    }
}

static int is_grounded(const struct maker *m, const struct lk_piece_slot *s, const void *context)
{
    (void)m;
    (void)context;
    return s->key == KEY_GROUND;
}

/* @context: for each lane the assembly that the front makes, or -1 */
static int is_internal(const struct maker *m, const struct lk_piece_slot *s, const void *context)
{
    const int *assembly = context;

    for (int l = 0; l < m->lanes; l++)
        if (s->joint[l] >= 0) {
            const struct assembly *a = &m->a[assembly[l]];
            const int *body = m->t->body[s->joint[l]];

            /* among joints to the ground, only those kept to the root reach this place */
            if (body[0] == m->t->n_bodies || body[1] == m->t->n_bodies)
                return a->parent < 0;
            return is_inside(m, a, m->t->body[s->joint[l]][0]) &&
                   is_inside(m, a, m->t->body[s->joint[l]][1]);
        }
    return 0;
}

/* makes @node the remainder of a front: its slots that are not eliminated, in their order */
static void leave(struct maker *m, struct node *node, int front)
{
    const struct lk_piece_front *f = &m->out->fronts[front];

    free(node->slots);
    node->front = front;
    node->n_slots = f->n_slots - f->n_elim;
    node->slots = copy_slots(m, f->slots + f->n_elim, node->n_slots);
}

/* makes a node of bodies side by side; bodies with joints to the ground get a front at once */
static struct node emit_bodies(struct maker *m, const int *body, int is_aligned)
{
    struct node node = {.front = -1};
    int grounded = 0;

    memcpy(node.body, body, sizeof(node.body));
    node.n_slots = unite_slots(m, body, &node.slots);
    if (is_aligned)
        add_bodies(m, body, node.slots, node.n_slots);
    for (int i = 0; i < node.n_slots; i++)
        grounded |= node.slots[i].key == KEY_GROUND;
    if (grounded && !m->failed) {
        int front = add_front(m, is_aligned);

        if (!m->failed)
            join_slots(m, &m->out->fronts[front], &node, 1, is_grounded, NULL);
        if (!m->failed)
            leave(m, &node, front);
    }
    return node;
}

static struct node merge_nodes(struct maker *m, struct node part[2], const int *assembly,
                               int is_aligned)
{
    struct node node = {.front = -1};
    int front = m->failed ? -1 : add_front(m, is_aligned);

    if (!m->failed)
        join_slots(m, &m->out->fronts[front], part, 2, is_internal, assembly);
    if (!m->failed)
        leave(m, &node, front);
    for (int k = 0; k < 2; k++)
        free(part[k].slots);
    return node;
}

/* makes the fronts of similar assemblies, one per lane, and of all their parts; @share: bodies per
 * lane from which on parts become tasks of their own */
static struct node emit(struct maker *m, const int *assembly, int share)
{
    int some = 0;
    struct node part[2];

    while (assembly[some] < 0)
        some++;
    if (assembly[some] < m->n_bodies)
        return emit_bodies(m, assembly, 1);
    int size = m->a[assembly[some]].size;
    for (int k = 0; k < 2; k++) {
        int sub[LK_LANES_MAX];

        for (int l = 0; l < LK_LANES_MAX; l++)
            sub[l] = assembly[l] < 0 ? -1 : m->a[assembly[l]].part[k];
        /* large assemblies are divided: their parts become tasks; their own front belongs to the
         * top, and so do parts that are too small for a task */
        int part_size = m->a[m->a[assembly[some]].part[k]].size;
        if (size > share && part_size <= share)
            m->task = 4 * part_size >= share ? m->out->n_tasks++ : -1;
        part[k] = emit(m, sub, share);
    }
    if (size > share)
        m->task = -1;
    return merge_nodes(m, part, assembly, 1);
}

static void set_result(struct maker *m, const int *assembly, const struct node *node)
{
    for (int l = 0; l < m->lanes; l++)
        if (assembly[l] >= 0) {
            m->a[assembly[l]].front = node->front;
            m->a[assembly[l]].lane = l;
        }
}

static void emit_group(struct maker *m, const int *assembly, int share)
{
    const struct assembly *a = NULL;

    m->root_size = 1;
    for (int l = 0; l < m->lanes; l++)
        if (assembly[l] >= 0) {
            a = &m->a[assembly[l]];
            m->root_first[l] = a->first;
            m->root_size = a->size;
        }
    m->task = m->root_size <= share ? m->out->n_tasks++ : -1;
    struct node node = emit(m, assembly, share);
    set_result(m, assembly, &node);
    free(node.slots);
}

/* ---- the choice ---- */

static int by_size(const void *va, const void *vb, void *context)
{
    const struct maker *m = context;
    const struct assembly *a = &m->a[*(const int *)va], *b = &m->a[*(const int *)vb];

    if (a->size != b->size)
        return b->size - a->size;
    if (a->class != b->class)
        return a->class - b->class;
    return *(const int *)va < *(const int *)vb ? -1 : 1;
}

static void open_assembly(struct maker *m, int a)
{
    for (int k = 0; k < 2; k++)
        m->a[m->a[a].part[k]].is_open = 1;
    m->a[a].lane = -1; /* in the top */
}

/* @order: all @n open assemblies of one class */
static void group_class(struct maker *m, const int *order, int n, int share)
{
    int size = m->a[order[0]].size, full = n / m->lanes * m->lanes;

    /* a nearly full batch costs less than taking its assemblies apart */
    if (n - full >= (3 * m->lanes + 3) / 4)
        full = n;
    if (size == 1)
        return;
    for (int i = 0; i < full; i += m->lanes) {
        int lane[LK_LANES_MAX];

        for (int l = 0; l < LK_LANES_MAX; l++)
            lane[l] = l < m->lanes && i + l < full ? order[i + l] : -1;
        emit_group(m, lane, share);
    }
    for (int i = full; i < n; i++)
        open_assembly(m, order[i]);
}

static void choose(struct maker *m, int *order, int share)
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

/* places bodies outside of pieces side by side, in their order */
static void group_loose_bodies(struct maker *m)
{
    int lane[LK_LANES_MAX], n = 0;

    m->root_size = 0;
    for (int b = 0; b <= m->n_bodies && !m->failed; b++) {
        struct lk_piece_slot *slots = NULL;

        if (b < m->n_bodies && (!m->a[b].is_open || m->a[b].front >= 0))
            continue;
        if (b < m->n_bodies)
            lane[n++] = b;
        if (n == 0 || (b < m->n_bodies && n < m->lanes))
            continue;
        for (; n < LK_LANES_MAX; n++)
            lane[n] = -1;
        int n_slots = unite_slots(m, lane, &slots);
        add_bodies(m, lane, slots, n_slots);
        free(slots);
        n = 0;
    }
}

/* ---- the top ---- */

/* the remainder of assembly @a, in lane 0 of the node; the slots of a body are its joints */
static struct node node_of(struct maker *m, int a, int *ret_lane)
{
    struct node node = {.front = m->a[a].front};

    *ret_lane = 0;
    for (int l = 0; l < LK_LANES_MAX; l++)
        node.body[l] = -1;
    if (node.front < 0) {
        node.body[0] = a;
        node.n_slots = unite_slots(m, node.body, &node.slots);
        return node;
    }
    const struct lk_piece_front *f = &m->out->fronts[node.front];

    *ret_lane = m->a[a].lane;
    node.n_slots = f->n_slots - f->n_elim;
    node.slots = copy_slots(m, f->slots + f->n_elim, node.n_slots);
    for (int i = 0; i < node.n_slots && !m->failed; i++) {
        int joint = node.slots[i].joint[*ret_lane];

        for (int l = 0; l < LK_LANES_MAX; l++)
            node.slots[i].joint[l] = l == 0 ? joint : -1;
    }
    return node;
}

/* slots that the lane lacks are not slots of the top */
static int is_dropped(const struct lk_piece_slot *s)
{
    return some_joint(s) < 0;
}

static void drop_slots(struct lk_piece_front *f, int part, const struct node *node, int lane)
{
    struct lk_piece_part *p = &f->parts[part];

    (void)node;
    for (int l = 0; l < LK_LANES_MAX; l++) {
        p->lane[l] = l == 0 ? lane : -1;
        if (l > 0)
            p->child[l] = -1;
    }
}

/* removes empty slots and keeps in .order the child's index of the others */
static void number_slots(struct node *node)
{
    int n = 0;

    for (int i = 0; i < node->n_slots; i++) {
        node->slots[i].order = i;
        if (!is_dropped(&node->slots[i]))
            node->slots[n++] = node->slots[i];
    }
    node->n_slots = n;
}

static void restore_from(struct lk_piece_front *f, int part, const struct node *node)
{
    struct lk_piece_part *p = &f->parts[part];

    for (int i = 0; i < p->n && !p->is_body; i++)
        p->from[i] = node->slots[p->from[i]].order;
}

/* makes one front of the top, in lane 0 */
static void top_front(struct maker *m, int a, const int *parts, int n_parts)
{
    struct node node[2];
    int lane[2] = {0}, assembly[LK_LANES_MAX], level = 0;
    int front = add_front(m, 0);

    for (int l = 0; l < LK_LANES_MAX; l++)
        assembly[l] = a;
    for (int k = 0; k < n_parts; k++) {
        node[k] = node_of(m, parts[k], &lane[k]);
        if (node[k].front >= 0 && !m->failed)
            number_slots(&node[k]);
    }
    if (!m->failed) {
        struct lk_piece_front *f = &m->out->fronts[front];

        join_slots(m, f, node, n_parts, n_parts == 1 ? is_grounded : is_internal, assembly);
        for (int k = 0; k < n_parts && !m->failed; k++) {
            restore_from(f, k, &node[k]);
            drop_slots(f, k, &node[k], lane[k]);
            if (node[k].front >= 0 && m->out->fronts[node[k].front].level >= level)
                level = m->out->fronts[node[k].front].level + 1;
        }
        f->level = level;
    }
    for (int k = 0; k < n_parts; k++)
        free(node[k].slots);
    m->a[a].front = front;
    m->a[a].lane = 0;
}

static int has_ground(const struct maker *m, int body)
{
    if (hangs(m, body))
        return 0;
    for (int k = m->first_joint[body]; k < m->first_joint[body + 1]; k++)
        if (other_body(m->t, m->joints[k], body) == m->t->n_bodies)
            return 1;
    return 0;
}

static void make_top(struct maker *m)
{
    m->task = -1;
    m->root_size = 0;
    for (int b = 0; b < m->n_bodies && !m->failed; b++)
        if (m->a[b].is_open && m->a[b].front < 0 && has_ground(m, b))
            top_front(m, b, &b, 1);
    for (int i = m->n_bodies; i < m->n && !m->failed; i++)
        if (m->a[i].lane == -1 && m->a[i].is_open)
            top_front(m, i, m->a[i].part, 2);
}

/* ---- fronts of the top side by side ---- */

/* whether the remainders of two children have rows of the same kinds in the same order */
static int same_rest(const struct lk_piece_front *a, const struct lk_piece_front *b)
{
    int n = a->n_slots - a->n_elim;

    if (b->n_slots - b->n_elim != n)
        return 0;
    for (int i = 0; i < n; i++)
        if (a->slots[a->n_elim + i].kind != b->slots[b->n_elim + i].kind)
            return 0;
    return 1;
}

/* the slot of @a that corresponds to slot @i of part @part of @b; -1: none or several */
static int like_slot(const struct lk_piece_front *a, const struct lk_piece_front *b, int part,
                     int i)
{
    const struct lk_piece_part *p = &a->parts[part], *q = &b->parts[part];
    int found = -1;

    for (int k = 0; k < p->n; k++) {
        const struct lk_piece_slot *s = &a->slots[p->slot[k]], *other = &b->slots[q->slot[i]];

        if (p->from[k] != q->from[i] || s->kind != other->kind ||
            (p->slot[k] < a->n_elim) != (q->slot[i] < b->n_elim))
            continue;
        if (found >= 0)
            return -1;
        found = p->slot[k];
    }
    return found;
}

/* Whether @b fits into another lane of @a: parts of the same sort; @a has all slots of @b, with the
 * same ones eliminated. @packed, @now: new places of their children;  @ret_slot: of @a, for each
 * slot of @b. */
static int fits(const struct lk_piece_front *a, const struct lk_piece_front *b,
                const struct lk_piece_front *packed, const int *now, int *ret_slot)
{
    if (a->level != b->level || a->n_slots < b->n_slots || a->n_elim != b->n_elim ||
        a->n_parts != b->n_parts)
        return 0;
    for (int i = 0; i < b->n_slots; i++)
        ret_slot[i] = -1;
    for (int k = 0; k < a->n_parts; k++) {
        const struct lk_piece_part *p = &a->parts[k], *q = &b->parts[k];

        if (p->is_body != q->is_body)
            return 0;
        if (!p->is_body && !same_rest(&packed[now[p->child[0]]], &packed[now[q->child[0]]]))
            return 0;
        for (int i = 0; i < q->n; i++) {
            int slot = like_slot(a, b, k, i), *to = &ret_slot[q->slot[i]];

            if (slot < 0 || (*to >= 0 && *to != slot))
                return 0;
            *to = slot;
        }
    }
    for (int i = 0; i < b->n_slots; i++)
        for (int k = 0; k < i; k++)
            if (ret_slot[i] == ret_slot[k])
                return 0;
    return 1;
}

static void front_free(struct lk_piece_front *f)
{
    free(f->slots);
    for (int k = 0; k < f->n_parts; k++) {
        free(f->parts[k].slot);
        free(f->parts[k].from);
    }
}

/* copies lane 0 of @from into lane @lane of @to;  @slot: see fits() */
static void take_lane(struct lk_piece_front *to, const struct lk_piece_front *from, int lane,
                      const int *slot)
{
    for (int i = 0; i < from->n_slots; i++)
        to->slots[slot[i]].joint[lane] = from->slots[i].joint[0];
    for (int k = 0; k < to->n_parts; k++) {
        to->parts[k].body[lane] = from->parts[k].body[0];
        to->parts[k].child[lane] = from->parts[k].child[0];
        to->parts[k].lane[lane] = from->parts[k].lane[0];
    }
}

/** struct packing - distributes the fronts of the top over lanes. @now: new index of each front;
 * @lane: its new lane, or -1 for fronts that were aligned before;  @filled: used lanes of each new
 * front */
struct packing {
    struct lk_piece_front *packed;
    int n;
    int *now;
    int *lane;
    int *filled;
    int *slot;
};

/* renumbers the slots of front @i in the fronts that use it */
static void renumber_slots(struct maker *m, int i, const int *slot)
{
    int n_elim = m->out->fronts[i].n_elim;

    for (int g = i + 1; g < m->out->n_fronts; g++)
        for (int k = 0; k < m->out->fronts[g].n_parts; k++) {
            struct lk_piece_part *p = &m->out->fronts[g].parts[k];

            for (int n = 0; n < p->n && !p->is_body && p->child[0] == i; n++)
                p->from[n] = slot[n_elim + p->from[n]] - n_elim;
        }
}

/* adds front @i to one of the new fronts from @first on, or makes it a new one */
static void pack_front(struct maker *m, struct packing *pk, int i, int first)
{
    struct lk_piece_front *f = &m->out->fronts[i];
    int k = first;

    while (k < pk->n &&
           (pk->filled[k] == m->lanes || !fits(&pk->packed[k], f, pk->packed, pk->now, pk->slot)))
        k++;
    pk->now[i] = k;
    pk->lane[i] = pk->filled[k];
    if (k == pk->n) {
        pk->packed[pk->n++] = *f;
    } else {
        take_lane(&pk->packed[k], f, pk->filled[k], pk->slot);
        renumber_slots(m, i, pk->slot);
        front_free(f);
    }
    pk->filled[k]++;
}

/* Packs the fronts of the top by level, those with the most slots first, into as few as possible.
 */
static void pack_top(struct maker *m, struct packing *pk)
{
    struct lk_pieces *out = m->out;
    int left = 0, most = 0;

    for (int i = 0; i < out->n_fronts; i++) {
        const struct lk_piece_front *f = &out->fronts[i];

        if (f->is_aligned) {
            pk->now[i] = pk->n;
            pk->lane[i] = -1;
            pk->packed[pk->n++] = *f;
        }
        left += !f->is_aligned;
        most = f->n_slots > most ? f->n_slots : most;
    }
    pk->slot = malloc(((size_t)most + 1) * sizeof(int));
    m->failed |= !pk->slot;
    for (int level = 0; left > 0 && !m->failed; level++) {
        int first = pk->n;

        m->is_over = lk_effort_spend((uint64_t)most * (uint64_t)out->n_fronts);
        m->failed |= m->is_over;
        for (int slots = most; slots > 0 && !m->failed; slots--)
            for (int i = 0; i < out->n_fronts; i++)
                if (!out->fronts[i].is_aligned && out->fronts[i].level == level &&
                    out->fronts[i].n_slots == slots) {
                    pack_front(m, pk, i, first);
                    left--;
                    /* freed above, so it must not be read again */
                    out->fronts[i].level = -1;
                }
    }
}

/* replaces children by their new indices */
static void renumber(struct maker *m, const int *now, const int *lane)
{
    for (int i = 0; i < m->out->n_fronts; i++)
        for (int k = 0; k < m->out->fronts[i].n_parts; k++) {
            struct lk_piece_part *p = &m->out->fronts[i].parts[k];

            for (int l = 0; l < LK_LANES_MAX && !p->is_body; l++) {
                if (p->child[l] < 0)
                    continue;
                if (lane[p->child[l]] >= 0)
                    p->lane[l] = lane[p->child[l]];
                p->child[l] = now[p->child[l]];
            }
        }
}

static void join_top(struct maker *m)
{
    size_t n = (size_t)m->out->n_fronts + 1;
    struct packing pk = {.packed = calloc(n, sizeof(*pk.packed)),
                         .now = calloc(n, sizeof(int)),
                         .lane = calloc(n, sizeof(int)),
                         .filled = calloc(n, sizeof(int))};

    m->failed |= !pk.packed || !pk.now || !pk.lane || !pk.filled;
    if (!m->failed)
        pack_top(m, &pk);
    if (!m->failed) {
        free(m->out->fronts);
        m->out->fronts = pk.packed;
        m->out->n_fronts = pk.n;
        renumber(m, pk.now, pk.lane);
    } else {
        free(pk.packed);
    }
    free(pk.now);
    free(pk.lane);
    free(pk.filled);
    free(pk.slot);
}

/* ---- assemblies of a tree ---- */

static void find_joints(struct maker *m)
{
    const struct lk_topology *t = m->t;
    int n = 0;

    for (int b = 0; b < m->n_bodies; b++)
        m->seen[b] = 0;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < 2; s++)
            if (t->body[j][s] < m->n_bodies)
                m->seen[t->body[j][s]]++;
    for (int b = 0; b < m->n_bodies; b++) {
        m->first_joint[b] = n;
        n += m->seen[b];
        m->seen[b] = 0;
    }
    m->first_joint[m->n_bodies] = n;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < 2; s++) {
            int b = t->body[j][s];

            if (b < m->n_bodies)
                m->joints[m->first_joint[b] + m->seen[b]++] = j;
        }
}

/* orders the parts of each assembly by their smallest body, then numbers the places of bodies */
static void place_bodies(struct maker *m, const struct lk_tree *tree, int *least, int *body_at)
{
    int n = 0;

    for (int b = 0; b < m->n_bodies; b++) {
        m->a[b] = (struct assembly){.parent = -1, .size = 1, .front = -1, .lane = 0};
        least[b] = b;
    }
    for (int k = 0; k < tree->n_merges; k++) {
        int i = m->n_bodies + k, p = tree->merges[k].part[0], q = tree->merges[k].part[1];
        int swap = least[q] < least[p];

        m->a[i] = (struct assembly){.part = {swap ? q : p, swap ? p : q},
                                    .parent = -1,
                                    .size = m->a[p].size + m->a[q].size,
                                    .front = -1};
        m->a[p].parent = m->a[q].parent = i;
        least[i] = swap ? least[q] : least[p];
    }
    for (int i = m->n - 1; i >= 0; i--) {
        struct assembly *a = &m->a[i];

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
    for (int j = 0; j < m->t->n_joints; j++) {
        const int *body = m->t->body[j];

        if (body[0] == m->n_bodies || body[1] == m->n_bodies)
            m->a[m->a[body[0] == m->n_bodies ? body[1] : body[0]].root].n_ground++;
    }
}

/* bodies per lane of a task, so that there are enough tasks and none is too small */
static int share_of(const struct maker *m)
{
    int share = m->n_bodies / m->lanes / TASKS_MAX;

    return share < TASK_BLOCKS ? TASK_BLOCKS : share;
}

static void make(struct maker *m, const struct lk_tree *tree)
{
    int *least = calloc((size_t)m->n + 1, sizeof(int));
    int *order = calloc((size_t)m->n + 1, sizeof(int));
    int *body_at = calloc((size_t)m->n + 1, sizeof(int));

    m->failed |= !least || !order || !body_at;
    if (!m->failed) {
        find_joints(m);
        place_bodies(m, tree, least, body_at);
        classify(m, body_at);
    }
    if (!m->failed)
        choose(m, order, share_of(m));
    m->task = -1;
    if (!m->failed)
        group_loose_bodies(m);
    if (!m->failed)
        make_top(m);
    if (!m->failed)
        join_top(m);
    free(least);
    free(order);
    free(body_at);
}

/* assigns the rest to the last task */
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
    struct maker m = {.t = t, .kind = kind, .lanes = lanes, .n_bodies = t->n_bodies, .out = ret};
    struct lk_tree tree;
    int r = lk_tree_build(t, LK_TREE_ROUNDS, &tree);

    *ret = (struct lk_pieces){.lanes = lanes};
    if (r < 0)
        return r;
    m.n = t->n_bodies + tree.n_merges;
    m.a = calloc((size_t)m.n + 1, sizeof(*m.a));
    m.place = calloc((size_t)t->n_bodies + 1, sizeof(int));
    m.first_joint = calloc((size_t)t->n_bodies + 2, sizeof(int));
    m.joints = calloc(2 * (size_t)t->n_joints + 1, sizeof(int));
    m.seen = calloc((size_t)t->n_bodies + 1, sizeof(int));
    m.failed = !m.a || !m.place || !m.first_joint || !m.joints || !m.seen;
    if (!m.failed)
        make(&m, &tree);
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
        front_free(&p->fronts[i]);
    for (int i = 0; i < p->n_bodies; i++)
        free(p->bodies[i].slots);
    free(p->fronts);
    free(p->bodies);
    *p = (struct lk_pieces){0};
}
