/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the fronts of pieces from similar assemblies, and the fronts of the top one by one. */
#include "compile/batch/piece_maker.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* keys that sort the slots of outgoing joints behind the slots of internal joints */
#define KEY_GROUND   (INT_MAX - 1)
#define KEY_EXTERNAL INT_MAX

/** struct node - intermediate result: a front, or bodies whose elements are in no front yet. */
struct node {
    int front;
    int body[LK_LANES_MAX];
    int n_slots;
    struct lk_piece_slot *slots;
};

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

static int side_of(const struct lk_topology *t, int j, int body)
{
    int side = 0;

    while (t->body[j][side] != body)
        side++;
    return side;
}

/* Return the sort key of joint @j at @body. If the piece contains all bodies of the joint, the key
 * is the largest position of the joint's other bodies; else one of the keys above. */
static int key_of(const struct lk_piece_maker *m, int j, int body, int lane)
{
    const struct lk_piece_assembly root = {.first = m->root_first[lane], .size = m->root_size};
    int key = 0;

    if (lk_piece_bodies_of(m->t, j) == 1)
        return lk_piece_hangs_on_one_joint(m, body) ? KEY_EXTERNAL : KEY_GROUND;
    if (m->root_size <= 1 || !lk_piece_holds_joint(m, &root, j))
        return KEY_EXTERNAL;
    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int b = m->t->body[j][s], place = b < m->n_bodies ? m->place[b] - root.first : 0;

        key = b != body && place > key ? place : key;
    }
    return key;
}

/* Make the sorted slots of one body; joint[0] of a slot is the joint. Joints with equal keys are
 * numbered in .order. */
static int slots_of_body(struct lk_piece_maker *m, int body, int lane, struct lk_piece_slot *ret)
{
    int n = 0;

    for (int k = m->first_joint[body]; k < m->first_joint[body + 1]; k++) {
        int j = m->joints[k];

        ret[n++] = (struct lk_piece_slot){.kind = m->kind[j],
                                          .side = side_of(m->t, j, body),
                                          .key = key_of(m, j, body, lane),
                                          .joint[0] = j};
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

/* Make the union of the slots of the bodies in all lanes. */
static int unite_slots(struct lk_piece_maker *m, const int *body, struct lk_piece_slot **ret)
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
        all = lk_piece_grow(m, all, n, sizeof(*all));
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

static struct lk_piece_slot *copy_slots(struct lk_piece_maker *m, const struct lk_piece_slot *slots,
                                        int n)
{
    struct lk_piece_slot *copy = malloc(((size_t)n + 1) * sizeof(*copy));

    if (!copy)
        m->failed = 1;
    else if (n > 0)
        memcpy(copy, slots, (size_t)n * sizeof(*copy));
    return copy;
}

static void add_bodies(struct lk_piece_maker *m, const int *body, const struct lk_piece_slot *slots,
                       int n)
{
    struct lk_pieces *out = m->out;

    out->bodies = lk_piece_grow(m, out->bodies, out->n_bodies, sizeof(*out->bodies));
    if (m->failed)
        return;
    struct lk_piece_bodies *b = &out->bodies[out->n_bodies++];

    *b = (struct lk_piece_bodies){.task = m->task, .n_slots = n, .slots = copy_slots(m, slots, n)};
    memcpy(b->body, body, sizeof(b->body));
}

/* ---- fronts ---- */

static int add_front(struct lk_piece_maker *m, int is_aligned)
{
    struct lk_pieces *out = m->out;

    out->fronts = lk_piece_grow(m, out->fronts, out->n_fronts, sizeof(*out->fronts));
    if (m->failed)
        return -1;
    out->fronts[out->n_fronts] = (struct lk_piece_front){.is_aligned = is_aligned, .task = m->task};
    return out->n_fronts++;
}

static int front_slot(struct lk_piece_maker *m, struct lk_piece_front *f,
                      const struct lk_piece_slot *s)
{
    f->slots = lk_piece_grow(m, f->slots, f->n_slots, sizeof(*f->slots));
    if (m->failed)
        return 0;
    f->slots[f->n_slots] = *s;
    return f->n_slots++;
}

static void add_part(struct lk_piece_maker *m, struct lk_piece_front *f, const struct node *node)
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

/* Return the joint of slot @s in the first lane that has a joint. */
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

/* Join the slots of the parts of front @f; slots that @f eliminates come first. */
static void join_slots(struct lk_piece_maker *m, struct lk_piece_front *f, const struct node *node,
                       int n,
                       int (*is_eliminated)(const struct lk_piece_maker *,
                                            const struct lk_piece_slot *, const void *),
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

static int is_grounded(const struct lk_piece_maker *m, const struct lk_piece_slot *s,
                       const void *context)
{
    (void)m;
    (void)context;
    return s->key == KEY_GROUND;
}

/* Return whether a slot is internal to its front. @context: for each lane the assembly that the
 * front makes, or -1 */
static int is_internal(const struct lk_piece_maker *m, const struct lk_piece_slot *s,
                       const void *context)
{
    const int *assembly = context;

    for (int l = 0; l < m->lanes; l++)
        if (s->joint[l] >= 0) {
            const struct lk_piece_assembly *a = &m->a[assembly[l]];

            /* any joint to the ground that is left here is eliminated only at the root */
            if (lk_piece_bodies_of(m->t, s->joint[l]) == 1)
                return a->parent < 0;
            return lk_piece_holds_joint(m, a, s->joint[l]);
        }
    return 0;
}

/* Replace @node with the remainder of a front: the slots that are not eliminated, in their order.
 */
static void leave_remainder(struct lk_piece_maker *m, struct node *node, int front)
{
    const struct lk_piece_front *f = &m->out->fronts[front];

    free(node->slots);
    node->front = front;
    node->n_slots = f->n_slots - f->n_elim;
    node->slots = copy_slots(m, f->slots + f->n_elim, node->n_slots);
}

/* Make a node of one body per lane. If bodies have joints to the ground, make a front that
 * eliminates these joints. */
static struct node emit_bodies(struct lk_piece_maker *m, const int *body, int is_aligned)
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
            leave_remainder(m, &node, front);
    }
    return node;
}

static struct node merge_nodes(struct lk_piece_maker *m, struct node part[2], const int *assembly,
                               int is_aligned)
{
    struct node node = {.front = -1};
    int front = m->failed ? -1 : add_front(m, is_aligned);

    if (!m->failed)
        join_slots(m, &m->out->fronts[front], part, 2, is_internal, assembly);
    if (!m->failed)
        leave_remainder(m, &node, front);
    for (int k = 0; k < 2; k++)
        free(part[k].slots);
    return node;
}

/* Make the fronts of similar assemblies, one per lane, and of all their parts. @share: largest
 * number of bodies per lane of a task; larger assemblies are divided into tasks */
static struct node emit_assembly(struct lk_piece_maker *m, const int *assembly, int share)
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
        /* large assemblies are divided: their parts become tasks. The front that merges the parts
         * belongs to the top, and so do parts that are too small for a task */
        int part_size = m->a[m->a[assembly[some]].part[k]].size;
        if (size > share && part_size <= share)
            m->task = 4 * part_size >= share ? m->out->n_tasks++ : -1;
        part[k] = emit_assembly(m, sub, share);
    }
    if (size > share)
        m->task = -1;
    return merge_nodes(m, part, assembly, 1);
}

static void set_result(struct lk_piece_maker *m, const int *assembly, const struct node *node)
{
    for (int l = 0; l < m->lanes; l++)
        if (assembly[l] >= 0) {
            m->a[assembly[l]].front = node->front;
            m->a[assembly[l]].lane = l;
        }
}

void lk_piece_add_group(struct lk_piece_maker *m, const int *assembly, int share)
{
    const struct lk_piece_assembly *a = NULL;

    m->root_size = 1;
    for (int l = 0; l < m->lanes; l++)
        if (assembly[l] >= 0) {
            a = &m->a[assembly[l]];
            m->root_first[l] = a->first;
            m->root_size = a->size;
        }
    m->task = m->root_size <= share ? m->out->n_tasks++ : -1;
    struct node node = emit_assembly(m, assembly, share);
    set_result(m, assembly, &node);
    free(node.slots);
}

/* Distribute the bodies outside of pieces over the lanes, in their order. */
void lk_piece_add_loose_bodies(struct lk_piece_maker *m)
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

/* Make a node of the remainder of assembly @a, in lane 0; the slots of a body are its joints. */
static struct node node_of(struct lk_piece_maker *m, int a, int *ret_lane)
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

/* Return whether slot @s is empty in its lane, so that the top does not need it. */
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

/* removes empty slots and stores the child's index of each remaining slot in .order */
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
static void top_front(struct lk_piece_maker *m, int a, const int *parts, int n_parts)
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

static int has_ground(const struct lk_piece_maker *m, int body)
{
    if (lk_piece_hangs_on_one_joint(m, body))
        return 0;
    for (int k = m->first_joint[body]; k < m->first_joint[body + 1]; k++)
        if (lk_piece_bodies_of(m->t, m->joints[k]) == 1)
            return 1;
    return 0;
}

void lk_piece_add_top(struct lk_piece_maker *m)
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
