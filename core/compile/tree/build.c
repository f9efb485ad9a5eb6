/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the merges. The handles of an assembly are its joints to other assemblies and to the hub
 * of its branch. A merge with the hub eliminates the joints to the hub; the motion of the hub
 * remains. */
#include "compile/effort.h"
#include "compile/tree/plan.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct assembly {
    int *handles;
    int n_handles;
    int rows;
    int depth;
    int size;
    bool has_motion; /* the rows include the motion of the hub */
};

#define HUB_CODE(b) (-2 - (b)) /* owner of a side at hub b */

struct builder {
    const struct lk_topology *topology;
    struct assembly *assemblies; /* bodies, then results of merges */
    int n_assemblies;
    int capacity;
    int (*owner)[LK_TREE_SIDES]; /* assembly on each side of each joint, the code of a hub, or
                                    -1: the ground, or a hub whose motion has taken its place */
    struct lk_tree tree;
};

/** struct pair - a possible merge. @eliminated, @remaining: numbers of rows. */
struct pair {
    int part[2];
    int eliminated;
    int remaining;
    int growth; /* remaining rows minus the remaining rows of the larger part */
    int depth;
    int size;
    double flops;
};

static void builder_fini(struct builder *b)
{
    for (int i = 0; b->assemblies && i < b->n_assemblies; i++)
        free(b->assemblies[i].handles);
    free(b->assemblies);
    free(b->owner);
}

static bool joint_is_open(const struct builder *b, int j)
{
    int first = -1;

    for (int s = 0; s < LK_TREE_SIDES; s++) {
        int owner = b->owner[j][s];

        if (owner < -1 || (owner >= 0 && first >= 0 && owner != first))
            return true;
        first = owner >= 0 ? owner : first;
    }
    return false;
}

/* Add joint @j to the handles of its bodies if it connects two bodies. @store: 0: only count */
static void add_handles(struct builder *b, int j, bool store)
{
    for (int s = 0; s < LK_TREE_SIDES; s++) {
        struct assembly *a;

        if (b->owner[j][s] < 0 || !joint_is_open(b, j))
            continue;
        a = &b->assemblies[b->owner[j][s]];
        if (store) {
            a->handles[a->n_handles] = j;
            a->rows += b->topology->n_rows[j];
        }
        a->n_handles++;
    }
}

static int builder_init(struct builder *b, const struct lk_topology *t)
{
    int n_merges = t->n_bodies + 1;

    if (t->hangs_on) /* each merge with a hub eliminates a joint */
        n_merges += t->n_joints;

    *b = (struct builder){.topology = t, .capacity = t->n_bodies + n_merges};
    b->assemblies = calloc((size_t)b->capacity, sizeof(*b->assemblies));
    b->owner = calloc((size_t)t->n_joints + 1, sizeof(*b->owner));
    b->tree.merges = calloc((size_t)n_merges, sizeof(*b->tree.merges));
    if (!b->assemblies || !b->owner || !b->tree.merges)
        return -ENOMEM;
    b->n_assemblies = t->n_bodies;
    for (int i = 0; i < t->n_bodies; i++)
        b->assemblies[i].size = 1;
    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++)
            b->owner[j][s] = t->body[j][s] == t->n_bodies ? -1
                             : lk_tree_is_held(t, j, s)   ? HUB_CODE(t->body[j][s])
                                                          : t->body[j][s];
    for (int count = 1; count >= 0; count--) {
        for (int i = 0; i < t->n_bodies && !count; i++) {
            struct assembly *a = &b->assemblies[i];

            a->handles = malloc(((size_t)a->n_handles + 1) * sizeof(int));
            if (!a->handles)
                return -ENOMEM;
            a->n_handles = 0;
        }
        for (int j = 0; j < t->n_joints; j++)
            add_handles(b, j, !count);
    }
    return 0;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* Return whether all bodies of joint @j are in assemblies @left and @right, one of which may be
 * a hub. */
static bool is_between(const struct builder *b, int j, int left, int right)
{
    for (int s = 0; s < LK_TREE_SIDES; s++)
        if (b->owner[j][s] != -1 && b->owner[j][s] != left && b->owner[j][s] != right)
            return false;
    return true;
}

static bool is_handle_of(const struct builder *b, int j, int assembly)
{
    for (int s = 0; s < LK_TREE_SIDES; s++)
        if (b->owner[j][s] == assembly)
            return true;
    return false;
}

/* Count the rows that a merge of two assemblies eliminates, and the rows that remain. Shared
 * rows count once. */
static struct pair pair_of(const struct builder *b, int one, int other)
{
    int left = one < other ? one : other, right = one + other - left;
    const struct assembly *l = &b->assemblies[left], *r = &b->assemblies[right];
    const struct assembly *fewer = l->n_handles <= r->n_handles ? l : r;
    int shared = 0;
    struct pair p = {.part = {left, right}};

    lk_effort_spend((uint64_t)fewer->n_handles + 1);
    for (int i = 0; i < fewer->n_handles; i++) {
        int j = fewer->handles[i];

        if (!is_handle_of(b, j, fewer == l ? right : left))
            continue;
        shared += b->topology->n_rows[j];
        if (is_between(b, j, left, right))
            p.eliminated += b->topology->n_rows[j];
    }
    shared += l->has_motion && r->has_motion ? LK_MOTION_ROWS : 0;
    p.remaining = l->rows + r->rows - shared - p.eliminated;
    p.growth = p.remaining - max_int(l->rows, r->rows);
    p.flops = lk_front_flops(p.eliminated, p.remaining);
    p.depth = max_int(l->depth, r->depth) + 1;
    p.size = l->size + r->size;
    return p;
}

/* Evaluate the merge of an assembly with its hub. Joints to both another assembly and the hub are
 * not eliminated. */
static struct pair pair_with_hub(const struct builder *b, int one, int hub)
{
    const struct assembly *a = &b->assemblies[one];
    struct pair p = {.part = {one, hub}};

    lk_effort_spend((uint64_t)a->n_handles + 1);
    for (int i = 0; i < a->n_handles; i++)
        if (is_between(b, a->handles[i], one, hub))
            p.eliminated += b->topology->n_rows[a->handles[i]];
    p.remaining = a->rows - p.eliminated + (a->has_motion ? 0 : LK_MOTION_ROWS);
    p.growth = p.remaining - a->rows;
    p.flops = lk_front_flops(p.eliminated, p.remaining);
    p.depth = a->depth + 1;
    p.size = a->size;
    return p;
}

/* Write the pairs that joint @j can merge, at most LK_PAIRS. Return: number of pairs. */
#define LK_PAIRS (LK_TREE_SIDES * (LK_TREE_SIDES - 1) / 2)
static int pairs_of_joint(const struct builder *b, int j, struct pair *ret)
{
    const int *owner = b->owner[j];
    int n = 0;

    for (int s = 0; s < LK_TREE_SIDES; s++)
        for (int t = s + 1; t < LK_TREE_SIDES; t++)
            if (owner[s] >= 0 && owner[t] >= 0 && owner[s] != owner[t])
                ret[n++] = pair_of(b, owner[s], owner[t]);
            else if (owner[s] < -1 && owner[t] >= 0 && is_between(b, j, owner[s], owner[t]))
                ret[n++] = pair_with_hub(b, owner[t], owner[s]);
            else if (owner[t] < -1 && owner[s] >= 0 && is_between(b, j, owner[s], owner[t]))
                ret[n++] = pair_with_hub(b, owner[s], owner[t]);
    return n;
}

/* Merge two assemblies, or an assembly and a hub. The result gets their handles to other
 * assemblies. */
static int merge_pair(struct builder *b, const struct pair *p)
{
    static const struct assembly nothing;
    int index = b->n_assemblies;
    struct assembly *m = &b->assemblies[index];
    const struct assembly *l = &b->assemblies[p->part[0]];
    const struct assembly *r = p->part[1] < 0 ? &nothing : &b->assemblies[p->part[1]];

    m->handles = malloc(((size_t)l->n_handles + (size_t)r->n_handles + 1) * sizeof(int));
    if (!m->handles)
        return -ENOMEM;
    b->n_assemblies++;
    m->depth = p->depth;
    m->size = p->size;
    m->rows = p->remaining;
    m->has_motion = l->has_motion || r->has_motion || p->part[1] < 0;
    for (int part = 0; part < 2; part++) {
        const struct assembly *a = part ? r : l;

        for (int i = 0; i < a->n_handles; i++) {
            int j = a->handles[i];
            bool known = is_handle_of(b, j, index);

            for (int s = 0; s < LK_TREE_SIDES; s++)
                if (b->owner[j][s] == p->part[part])
                    b->owner[j][s] = index;
            if (!known && !is_between(b, j, p->part[1 - part], index))
                m->handles[m->n_handles++] = j;
            for (int s = 0; s < LK_TREE_SIDES && p->part[1] < 0; s++)
                if (b->owner[j][s] == p->part[1] && is_between(b, j, index, p->part[1]))
                    b->owner[j][s] = -1;
        }
    }
    b->tree.merges[b->tree.n_merges++] = (struct lk_merge){{p->part[0], p->part[1]}};
    b->tree.depth = max_int(b->tree.depth, p->depth);
    int looks = l->n_handles + r->n_handles;
    return lk_effort_spend((uint64_t)looks) ? -ECANCELED : 0;
}

#define COMPARE(a, b)                                                                              \
    do {                                                                                           \
        if ((a) != (b))                                                                            \
            return (a) < (b) ? -1 : 1;                                                             \
    } while (0)

static int by_growth(const void *va, const void *vb)
{
    const struct pair *a = va, *b = vb;

    COMPARE(a->growth, b->growth);
    COMPARE(a->flops, b->flops);
    COMPARE(a->depth, b->depth);
    COMPARE(a->size, b->size);
    COMPARE(a->part[0], b->part[0]);
    COMPARE(a->part[1], b->part[1]);
    return 0;
}

static int by_work(const void *va, const void *vb)
{
    const struct pair *a = va, *b = vb;

    COMPARE(a->flops, b->flops);
    return by_growth(a, b);
}

/* make one round of merges: disjoint pairs, best first; after the first pair, stop before a pair
 * with growth */
static int round_of_merges(struct builder *b, struct pair *pairs, bool *taken, int *ret_merged)
{
    int n = 0;

    *ret_merged = 0;
    for (int j = 0; j < b->topology->n_joints; j++)
        n += pairs_of_joint(b, j, pairs + n);
    qsort(pairs, (size_t)n, sizeof(*pairs), by_growth);
    memset(taken, 0, sizeof(*taken) * (size_t)b->capacity);
    for (int i = 0; i < n; i++) {
        const struct pair *p = &pairs[i];

        if (taken[p->part[0]] || (p->part[1] >= 0 && taken[p->part[1]]))
            continue;
        if (*ret_merged > 0 && p->growth > 0)
            break;
        int r = merge_pair(b, p);
        if (r < 0)
            return r;
        taken[p->part[0]] = true;
        if (p->part[1] >= 0)
            taken[p->part[1]] = true;
        (*ret_merged)++;
    }
    return 0;
}

static int build_in_rounds(struct builder *b)
{
    struct pair *pairs = calloc(LK_PAIRS * (size_t)b->topology->n_joints + 1, sizeof(*pairs));
    bool *taken = calloc((size_t)b->capacity, sizeof(*taken));
    int merged = 1;
    int r = pairs && taken ? 0 : -ENOMEM;

    while (r == 0 && merged > 0)
        r = round_of_merges(b, pairs, taken, &merged);
    free(pairs);
    free(taken);
    return r;
}

/* Return the pair of least work at the open joint @j. */
static struct pair cheapest_at(const struct builder *b, int j)
{
    struct pair pairs[LK_PAIRS];
    int n = pairs_of_joint(b, j, pairs), best = 0;

    for (int i = 1; i < n; i++)
        if (by_work(&pairs[i], &pairs[best]) < 0)
            best = i;
    return pairs[best];
}

/* Repeat the merge of least work. Only pairs that include the new assembly must be evaluated again.
 */
static int build_cheapest(struct builder *b)
{
    const struct lk_topology *t = b->topology;
    struct pair *pairs = calloc((size_t)t->n_joints + 1, sizeof(*pairs));
    int r = 0;

    if (!pairs)
        return -ENOMEM;
    for (int j = 0; j < t->n_joints; j++)
        if (joint_is_open(b, j))
            pairs[j] = cheapest_at(b, j);
    while (r == 0) {
        struct pair best;
        int found = -1;

        for (int j = 0; j < t->n_joints; j++)
            if (joint_is_open(b, j) && (found < 0 || by_work(&pairs[j], &pairs[found]) < 0))
                found = j;
        if (found < 0)
            break;
        best = pairs[found];
        r = merge_pair(b, &best);
        if (r < 0)
            break;
        lk_effort_spend((uint64_t)t->n_joints);
        const struct assembly *m = &b->assemblies[b->n_assemblies - 1];
        for (int i = 0; i < m->n_handles; i++)
            pairs[m->handles[i]] = cheapest_at(b, m->handles[i]);
    }
    free(pairs);
    return r;
}

int lk_tree_build(const struct lk_topology *topology, enum lk_tree_strategy strategy,
                  struct lk_tree *ret_tree)
{
    struct builder b;
    int r = builder_init(&b, topology);

    if (r == 0)
        r = strategy == LK_TREE_ROUNDS ? build_in_rounds(&b) : build_cheapest(&b);
    builder_fini(&b);
    if (r < 0) {
        free(b.tree.merges);
        return r;
    }
    *ret_tree = b.tree;
    return 0;
}

void lk_tree_fini(struct lk_tree *tree)
{
    free(tree->merges);
    *tree = (struct lk_tree){0};
}
