/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out the fronts of a plan in the arena. */
#include "compile/tree/plan.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LK_TREE_SIDES == LK_SIDES_MAX, "a joint has as many sides in the tree");

/* Return the number of rows of joint @j, or of a motion. */
static int joint_rows(const struct lk_topology *t, int j)
{
    return j < t->n_joints ? t->n_rows[j] : LK_MOTION_ROWS;
}

/* Return the first row of joint @j in the order of elimination. */
static int first_row(const struct lk_topology *t, const struct lk_plan *plan, int j)
{
    return j < t->n_joints ? plan->row[j] : plan->n_rows + (j - t->n_joints) * LK_MOTION_ROWS;
}

/* Return the index in front @f of the first row of joint @j. */
static int row_in_front(const struct lk_topology *t, const struct lk_front_plan *f, int j)
{
    int at = 0;

    for (int i = 0; i < f->n_joints && f->joints[i] != j; i++)
        at += joint_rows(t, f->joints[i]);
    return at;
}

static int by_place(const void *va, const void *vb)
{
    const struct lk_block *a = va, *b = vb;

    return a->at - b->at;
}

/* counts of all items, to reserve memory */
struct counts {
    int fronts, largest, children, elements, blocks, hubs, pull, place, rest, matrices, sums;
};

/* Return whether side @s of joint @j is at @body or one of its nodes. */
static bool is_side_of(const struct lk_topology *t, int j, int s, int body)
{
    int b = t->side ? t->side[j][s] : t->body[j][s];

    return b == body || (t->side && b < t->n_bodies && t->carried[b].by == body);
}

static int joints_at(const struct lk_topology *t, int body)
{
    int n = 0;

    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++)
            n += is_side_of(t, j, s, body);
    return n;
}

/* Count the rows of the joints of a front, from index @from to before @to. */
static int rows_of(const struct lk_topology *t, const struct lk_front_plan *f, int from, int to)
{
    int n = 0;

    for (int i = from; i < to; i++)
        n += joint_rows(t, f->joints[i]);
    return n;
}

static int all_rows(const struct lk_topology *t, const struct lk_front_plan *f)
{
    return rows_of(t, f, 0, f->n_joints);
}

/* Count the rows that a front eliminates. A front that eliminates no rows is dissolved: its bodies
 * and children move to its parent. */
static int eliminated_rows(const struct lk_topology *t, const struct lk_front_plan *f)
{
    return rows_of(t, f, 0, f->n_elim);
}

void lk_plan_work(const struct lk_topology *t, const struct lk_plan *plan, double *ret_factor,
                  double *ret_solve)
{
    *ret_factor = *ret_solve = 0;
    for (int i = 0; i < plan->n_fronts; i++) {
        double e = eliminated_rows(t, &plan->fronts[i]), r = all_rows(t, &plan->fronts[i]) - e;

        *ret_factor += lk_front_flops(e, r);
        *ret_solve += lk_front_solve_flops(e, r);
    }
}

static bool is_hub(const struct lk_plan *plan, int body)
{
    for (int k = 0; k < plan->n_hubs; k++)
        if (plan->hub[k] == body)
            return true;
    return false;
}

/* Add a block for each side at @body of the joints of front @host, from index @from to before @to.
 */
static void add_blocks(struct lk_fronts *fr, const struct lk_topology *t,
                       const struct lk_plan *plan, const struct lk_front_plan *host, int from,
                       int to, int body, const struct lk_jacobian *jacobian, struct counts *c)
{
    for (int i = from; i < to; i++) {
        int j = host->joints[i];

        for (int s = 0; j < t->n_joints && s < LK_TREE_SIDES && t->n_rows[j] > 0; s++)
            if (is_side_of(t, j, s, body))
                fr->block[c->blocks++] = (struct lk_block){
                    .side = lk_side_of(jacobian[j], s, plan->row[j], t->n_rows[j]),
                    .at = row_in_front(t, host, j),
                    .node = t->side ? t->carried[t->side[j][s]].node : -1};
    }
}

/* Set the blocks between motions of hubs and rows. A front that eliminates joints on a hub has the
 * blocks with these joints. The front that eliminates the motion has the blocks with the other
 * joints of the hub, which remain. */
static void fill_hubs(struct lk_fronts *fr, const struct lk_topology *t, const struct lk_plan *plan,
                      const struct lk_front_plan *f, const struct lk_jacobian *jacobian,
                      struct counts *c)
{
    for (int i = 0; i < f->n_joints; i++) {
        bool is_own = i < f->n_elim;
        int j = f->joints[i];
        struct lk_hub_block *hub = &fr->hub[c->hubs];

        if (j < t->n_joints)
            continue;
        *hub = (struct lk_hub_block){.body = plan->hub[j - t->n_joints],
                                     .at = row_in_front(t, f, j),
                                     .has_mass = is_own,
                                     .first_block = c->blocks};
        add_blocks(fr, t, plan, f, is_own ? f->n_elim : 0, is_own ? f->n_joints : f->n_elim,
                   hub->body, jacobian, c);
        hub->n_blocks = c->blocks - hub->first_block;
        c->hubs += is_own || hub->n_blocks > 0;
    }
}

/* Add the elements of the bodies of @f to front @host. */
static void fill_elements(struct lk_fronts *fr, const struct lk_topology *t,
                          const struct lk_plan *plan, const struct lk_front_plan *f,
                          const struct lk_front_plan *host, const struct lk_jacobian *jacobian,
                          struct counts *c)
{
    for (int k = 0; k < f->n_bodies; k++) {
        if (is_hub(plan, f->bodies[k]))
            continue;
        struct lk_element *el = &fr->element[c->elements++];

        *el = (struct lk_element){.body = f->bodies[k],
                                  .flexible = t->side ? t->carried[f->bodies[k]].flexible : -1,
                                  .first_block = c->blocks};
        add_blocks(fr, t, plan, host, 0, host->n_joints, f->bodies[k], jacobian, c);
        el->n_blocks = c->blocks - el->first_block;
        qsort(fr->block + el->first_block, (size_t)el->n_blocks, sizeof(*fr->block), by_place);
    }
    for (int k = 0; k < f->n_children; k++)
        if (eliminated_rows(t, &plan->fronts[f->children[k]]) == 0)
            fill_elements(fr, t, plan, &plan->fronts[f->children[k]], host, jacobian, c);
}

/* Return the number of doubles of @n rows in whole vectors. */
static int padded(int n)
{
    return (n + 3) / 4 * 4;
}

/* count the doubles of the columns of a front; a block of rows is added in whole vectors, also
 * beyond the last column */
static int column_values(int n)
{
    return padded(n) * n + LK_ROWS_PAD;
}

/* Return the number of doubles of a front and its factor. */
static int front_values(int n, int e)
{
    return column_values(n) + padded(e) * n + padded(e);
}

/* find the row of front @f for each remaining row of its child. Return: whether they are the first
 * rows of @f, in the same order */
static int map_child(const struct lk_topology *t, const struct lk_front_plan *f,
                     const struct lk_front_plan *child, int *map)
{
    int n = 0, is_first = 1;

    for (int i = child->n_elim; i < child->n_joints; i++) {
        int at = row_in_front(t, f, child->joints[i]);

        for (int r = 0; r < joint_rows(t, child->joints[i]); r++, n++) {
            map[n] = at + r;
            is_first &= map[n] == n;
        }
    }
    return is_first;
}

/* Write the indices of the entries of a remainder in the lower triangle of its front, through
 * @map. */
static void fill_places(struct lk_fronts *fr, const int *map, int rest, int n, struct counts *c)
{
    for (int column = 0; column < rest; column++)
        for (int row = column; row < rest; row++) {
            int low = map[row] > map[column] ? map[row] : map[column];
            int left = map[row] + map[column] - low;

            fr->place[c->place++] = left * padded(n) + low;
        }
}

/* Add child @from to a front of @rows rows; @map: as returned by map_child() */
static void fill_child(struct lk_fronts *fr, const struct lk_front *from, int rows, bool is_first,
                       const int *map, struct counts *c)
{
    struct lk_child *to = &fr->child[c->children++];

    *to = (struct lk_child){
        .rest = from->n - from->e,
        .stride = padded(from->n),
        .corner = from->matrix + from->e * (padded(from->n) + 1),
        .reduced = from->reduced + from->e,
        .pull = c->pull,
        .is_first = is_first,
        .place = c->place,
    };
    for (int r = 0; r < padded(rows); r++)
        fr->pull[c->pull + r] = fr->zero;
    for (int r = 0; r < to->rest; r++)
        fr->pull[c->pull + map[r]] = to->reduced + r;
    c->pull += padded(rows);
    fill_places(fr, map, to->rest, rows, c);
}

/* Add the children of @f to front @host; @index: index of each front of the plan */
static void fill_children(struct lk_fronts *fr, const struct lk_topology *t,
                          const struct lk_plan *plan, const struct lk_front_plan *f,
                          const struct lk_front_plan *host, const int *index, int *map,
                          struct counts *c)
{
    for (int k = 0; k < f->n_children; k++) {
        const struct lk_front_plan *child = &plan->fronts[f->children[k]];
        struct lk_front *from = &fr->front[index[f->children[k]]];

        if (eliminated_rows(t, child) == 0) {
            fill_children(fr, t, plan, child, host, index, map, c);
        } else if (from->n > from->e) {
            bool is_first = map_child(t, host, child, map);

            from->parent = index[host - plan->fronts];
            fill_child(fr, from, all_rows(t, host), is_first, map, c);
        }
    }
}

static enum lk_front_shape shape_of(int e, int n)
{
#define X(E, N)                                                                                    \
    if (e == (E) && n == (N))                                                                      \
        return LK_FRONT_##E##_##N;
    LK_FRONTS(X)
#undef X
#define X(E, HEIGHT)                                                                               \
    if (e == (E) && padded(n) == 4 * (HEIGHT))                                                     \
        return LK_FRONT_TALL_##E##_##HEIGHT;
    LK_FRONTS_TALL(X)
#undef X
    return LK_FRONT_ANY;
}

static void fill_front(struct lk_fronts *fr, const struct lk_topology *t,
                       const struct lk_plan *plan, const struct lk_jacobian *jacobian, int i,
                       const int *index, int *map, struct counts *c)
{
    const struct lk_front_plan *f = &plan->fronts[i];
    struct lk_front *to = &fr->front[index[i]];
    int n = all_rows(t, f), e = eliminated_rows(t, f);

    *to = (struct lk_front){
        .shape = shape_of(e, n),
        .parent = -1,
        .n = n,
        .e = e,
        .row = first_row(t, plan, f->joints[0]),
        .matrix = c->matrices,
        .across = c->matrices + column_values(n),
        .pivot = c->matrices + column_values(n) + padded(e) * n,
        .reduced = c->sums,
        .solved = c->sums + padded(n),
        .rest = c->rest,
        .first_child = c->children,
        .first_element = c->elements,
        .first_hub = c->hubs,
    };
    memset(fr->matrices + c->matrices, 0, (size_t)front_values(n, e) * sizeof(double));
    for (int r = e; r < padded(e); r++)
        fr->matrices[to->pivot + r] = 1;
    fill_children(fr, t, plan, f, f, index, map, c);
    fill_elements(fr, t, plan, f, f, jacobian, c);
    to->n_children = c->children - to->first_child;
    to->n_elements = c->elements - to->first_element;
    fill_hubs(fr, t, plan, f, jacobian, c);
    to->n_hubs = c->hubs - to->first_hub;
    for (int k = f->n_elim; k < f->n_joints; k++) {
        for (int r = 0; r < joint_rows(t, f->joints[k]); r++)
            fr->rest[c->rest++] = first_row(t, plan, f->joints[k]) + r;
    }
    c->matrices += front_values(n, e);
    c->sums += padded(n) + padded(e);
}

/* count the items of the children of @f in front @host; dissolved fronts count with their host */
static void count_children(const struct lk_topology *t, const struct lk_plan *plan,
                           const struct lk_front_plan *f, const struct lk_front_plan *host,
                           struct counts *c)
{
    c->elements += f->n_bodies;
    for (int k = 0; k < f->n_bodies; k++)
        c->blocks += joints_at(t, f->bodies[k]);
    for (int k = 0; k < f->n_children; k++) {
        const struct lk_front_plan *child = &plan->fronts[f->children[k]];
        int rest = rows_of(t, child, child->n_elim, child->n_joints);

        if (eliminated_rows(t, child) == 0) {
            count_children(t, plan, child, host, c);
        } else {
            c->children++;
            c->pull += padded(all_rows(t, host));
            c->place += rest * (rest + 1) / 2;
        }
    }
}

/* Count an upper bound of the blocks of hubs. The bodies of a joint are all different. */
static void count_hubs(const struct lk_topology *t, const struct lk_front_plan *f, struct counts *c)
{
    for (int i = 0; i < f->n_joints; i++)
        if (f->joints[i] >= t->n_joints) {
            c->hubs++;
            c->blocks += f->n_joints;
        }
}

static struct counts count_items(const struct lk_topology *t, const struct lk_plan *plan)
{
    struct counts c = {0};

    for (int i = 0; i < plan->n_fronts; i++) {
        const struct lk_front_plan *f = &plan->fronts[i];
        int n = all_rows(t, f), e = eliminated_rows(t, f);

        if (e == 0)
            continue;
        count_children(t, plan, f, f, &c);
        count_hubs(t, f, &c);
        c.fronts++;
        c.largest = n > c.largest ? n : c.largest;
        c.rest += n - e;
        c.matrices += front_values(n, e);
        c.sums += padded(n) + padded(e);
    }
    return c;
}

static void fill_fronts(struct lk_fronts *fr, const struct lk_topology *t,
                        const struct lk_plan *plan, const struct lk_jacobian *jacobian, int *index,
                        int *map)
{
    struct counts c = {0};

    fr->sums[fr->zero] = 0;
    for (int i = 0; i < plan->n_fronts; i++) {
        index[i] = c.fronts;
        if (eliminated_rows(t, &plan->fronts[i]) == 0)
            continue;
        c.fronts++;
        fill_front(fr, t, plan, jacobian, i, index, map, &c);
    }
    for (int i = 0; i < fr->n_fronts; i++)
        fr->plan_front[i] = fr->front[i];
}

void lk_fronts_layout(struct lk_fronts *fronts, const struct lk_topology *topology,
                      const struct lk_plan *plan, const struct lk_jacobian *jacobian,
                      struct lk_arena *arena)
{
    struct counts c = count_items(topology, plan);
    size_t n = (size_t)c.fronts;
    int *index, *map;

    fronts->n_fronts = c.fronts;
    fronts->largest = c.largest;
    fronts->motions = plan->n_rows;
    fronts->n_motions = plan->n_hubs;
    fronts->n_rows = 0;
    for (int j = 0; j < topology->n_joints; j++)
        fronts->n_rows += topology->n_rows[j];
    fronts->front = lk_arena_take(arena, n, sizeof(*fronts->front));
    fronts->plan_front = lk_arena_take(arena, n, sizeof(*fronts->plan_front));
    fronts->child = lk_arena_take(arena, (size_t)c.children, sizeof(*fronts->child));
    fronts->element = lk_arena_take(arena, (size_t)c.elements, sizeof(*fronts->element));
    fronts->block = lk_arena_take(arena, (size_t)c.blocks, sizeof(*fronts->block));
    fronts->hub = lk_arena_take(arena, (size_t)c.hubs, sizeof(*fronts->hub));
    fronts->pull = lk_arena_take(arena, (size_t)c.pull, sizeof(int));
    fronts->place = lk_arena_take(arena, (size_t)c.place, sizeof(int));
    fronts->rest = lk_arena_take(arena, (size_t)c.rest, sizeof(int));
    fronts->matrices = lk_arena_take(arena, (size_t)c.matrices, sizeof(double));
    fronts->sums = lk_arena_take(arena, (size_t)c.sums + 1, sizeof(double));
    fronts->zero = c.sums;
    fronts->local = lk_arena_take(arena, 2 * (size_t)padded(c.largest), sizeof(double));
    map = lk_arena_take(arena, (size_t)c.largest, sizeof(int));
    index = lk_arena_take(arena, (size_t)plan->n_fronts, sizeof(int));
    if (arena->base)
        fill_fronts(fronts, topology, plan, jacobian, index, map);
}
