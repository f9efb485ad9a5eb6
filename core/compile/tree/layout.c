/* SPDX-License-Identifier: Apache-2.0 */
/* Places the fronts of a plan into the arena. */
#include "compile/tree/plan.h"
#include <stdlib.h>
#include <string.h>

_Static_assert(LK_TREE_SIDES == LK_SIDES_MAX, "a joint has as many sides in the tree");

/* where the rows of joint @j begin inside front @f */
static int row_in_front(const struct lk_topology *t, const struct lk_front_plan *f, int j)
{
    int at = 0;

    for (int i = 0; i < f->n_joints && f->joints[i] != j; i++)
        at += t->n_rows[f->joints[i]];
    return at;
}

static int by_place(const void *va, const void *vb)
{
    const struct lk_block *a = va, *b = vb;

    return a->at - b->at;
}

/* counts of all items, to reserve memory */
struct counts {
    int children, elements, blocks, pull, place, rest, matrices, sums;
};

static int joints_at(const struct lk_topology *t, int body)
{
    int n = 0;

    for (int j = 0; j < t->n_joints; j++)
        for (int s = 0; s < LK_TREE_SIDES; s++)
            n += t->body[j][s] == body;
    return n;
}

static void fill_elements(struct lk_fronts *fr, const struct lk_topology *t,
                          const struct lk_plan *plan, const struct lk_front_plan *f,
                          const struct lk_jacobian *jacobian, struct counts *c)
{
    for (int k = 0; k < f->n_bodies; k++) {
        struct lk_element *el = &fr->element[c->elements++];

        *el = (struct lk_element){.body = f->bodies[k], .first_block = c->blocks};
        for (int i = 0; i < f->n_joints; i++) {
            int j = f->joints[i];

            for (int s = 0; s < LK_TREE_SIDES; s++)
                if (t->body[j][s] == f->bodies[k])
                    fr->block[c->blocks++] = (struct lk_block){
                        .side = lk_side_of(jacobian[j], s, plan->row[j], t->n_rows[j]),
                        .at = row_in_front(t, f, j)};
        }
        el->n_blocks = c->blocks - el->first_block;
        qsort(fr->block + el->first_block, (size_t)el->n_blocks, sizeof(*fr->block), by_place);
    }
}

/* doubles of @n rows in whole vectors */
static int padded(int n)
{
    return (n + 3) / 4 * 4;
}

/* of the columns of a front; a block of rows is added in whole vectors, beyond the last column, too
 */
static int column_values(int n)
{
    return padded(n) * n + LK_ROWS_PAD;
}

/* of a factor */
static int front_values(int n, int e)
{
    return column_values(n) + padded(e) * n + padded(e);
}

/* row of front @f for each remaining row of its child. Return: whether they are its first rows, in
 * this order */
static int map_child(const struct lk_topology *t, const struct lk_front_plan *f,
                     const struct lk_front_plan *child, int *map)
{
    int n = 0, is_first = 1;

    for (int i = child->n_elim; i < child->n_joints; i++) {
        int at = row_in_front(t, f, child->joints[i]);

        for (int r = 0; r < t->n_rows[child->joints[i]]; r++, n++) {
            map[n] = at + r;
            is_first &= map[n] == n;
        }
    }
    return is_first;
}

/* indices in the lower triangle of a remainder, through its map */
static void fill_places(struct lk_fronts *fr, const int *map, int rest, int n, struct counts *c)
{
    for (int column = 0; column < rest; column++)
        for (int row = column; row < rest; row++) {
            int low = map[row] > map[column] ? map[row] : map[column];
            int left = map[row] + map[column] - low;

            fr->place[c->place++] = left * padded(n) + low;
        }
}

static void fill_children(struct lk_fronts *fr, const struct lk_topology *t,
                          const struct lk_plan *plan, const struct lk_front_plan *f, int *map,
                          struct counts *c)
{
    for (int k = 0; k < f->n_children; k++) {
        const struct lk_front_plan *child = &plan->fronts[f->children[k]];
        struct lk_front *from = &fr->front[f->children[k]];
        struct lk_child *to = &fr->child[c->children++];

        from->parent = (int)(f - plan->fronts);
        *to = (struct lk_child){
            .rest = from->n - from->e,
            .stride = padded(from->n),
            .corner = from->matrix + from->e * (padded(from->n) + 1),
            .reduced = from->reduced + from->e,
            .pull = c->pull,
            .is_first = map_child(t, f, child, map),
            .place = c->place,
        };
        for (int r = 0; r < padded(f->rows); r++)
            fr->pull[c->pull + r] = fr->zero;
        for (int r = 0; r < to->rest; r++)
            fr->pull[c->pull + map[r]] = to->reduced + r;
        c->pull += padded(f->rows);
        fill_places(fr, map, to->rest, f->rows, c);
    }
}

static enum lk_front_shape shape_of(int e, int n)
{
#define X(E, N)                                                                                    \
    if (e == (E) && n == (N))                                                                      \
        return LK_FRONT_##E##_##N;
    LK_FRONTS(X)
#undef X
    return LK_FRONT_ANY;
}

static void fill_front(struct lk_fronts *fr, const struct lk_topology *t,
                       const struct lk_plan *plan, const struct lk_jacobian *jacobian, int i,
                       int *map, struct counts *c)
{
    const struct lk_front_plan *f = &plan->fronts[i];
    int n = f->rows, e = f->elim_rows;

    fr->front[i] = (struct lk_front){
        .shape = shape_of(e, n),
        .parent = -1,
        .n = n,
        .e = e,
        .row = plan->row[f->joints[0]],
        .matrix = c->matrices,
        .across = c->matrices + column_values(n),
        .pivot = c->matrices + column_values(n) + padded(e) * n,
        .reduced = c->sums,
        .solved = c->sums + padded(n),
        .rest = c->rest,
        .first_child = c->children,
        .n_children = f->n_children,
        .first_element = c->elements,
        .n_elements = f->n_bodies,
    };
    memset(fr->matrices + c->matrices, 0, (size_t)front_values(n, e) * sizeof(double));
    for (int r = e; r < padded(e); r++)
        fr->matrices[fr->front[i].pivot + r] = 1;
    fill_children(fr, t, plan, f, map, c);
    fill_elements(fr, t, plan, f, jacobian, c);
    for (int k = f->n_elim; k < f->n_joints; k++) {
        for (int r = 0; r < t->n_rows[f->joints[k]]; r++)
            fr->rest[c->rest++] = plan->row[f->joints[k]] + r;
    }
    c->matrices += front_values(n, e);
    c->sums += padded(n) + padded(e);
}

static struct counts count_items(const struct lk_topology *t, const struct lk_plan *plan)
{
    struct counts c = {0};

    for (int i = 0; i < plan->n_fronts; i++) {
        const struct lk_front_plan *f = &plan->fronts[i];
        int rest = f->rows - f->elim_rows;

        c.children += f->n_children;
        c.elements += f->n_bodies;
        for (int k = 0; k < f->n_bodies; k++)
            c.blocks += joints_at(t, f->bodies[k]);
        for (int k = 0; k < f->n_children; k++) {
            const struct lk_front_plan *child = &plan->fronts[f->children[k]];
            int left = child->rows - child->elim_rows;

            c.pull += padded(f->rows);
            c.place += left * (left + 1) / 2;
        }
        c.rest += rest;
        c.matrices += front_values(f->rows, f->elim_rows);
        c.sums += padded(f->rows) + padded(f->elim_rows);
    }
    return c;
}

void lk_fronts_layout(struct lk_fronts *fronts, const struct lk_topology *topology,
                      const struct lk_plan *plan, const struct lk_jacobian *jacobian,
                      struct lk_arena *arena)
{
    struct counts c = count_items(topology, plan);
    int *map;

    fronts->n_fronts = plan->n_fronts;
    fronts->largest = plan->largest;
    fronts->n_rows = 0;
    for (int j = 0; j < topology->n_joints; j++)
        fronts->n_rows += topology->n_rows[j];
    fronts->front = lk_arena_take(arena, (size_t)plan->n_fronts, sizeof(*fronts->front));
    fronts->plan_front = lk_arena_take(arena, (size_t)plan->n_fronts, sizeof(*fronts->plan_front));
    fronts->child = lk_arena_take(arena, (size_t)c.children, sizeof(*fronts->child));
    fronts->element = lk_arena_take(arena, (size_t)c.elements, sizeof(*fronts->element));
    fronts->block = lk_arena_take(arena, (size_t)c.blocks, sizeof(*fronts->block));
    fronts->pull = lk_arena_take(arena, (size_t)c.pull, sizeof(int));
    fronts->place = lk_arena_take(arena, (size_t)c.place, sizeof(int));
    fronts->rest = lk_arena_take(arena, (size_t)c.rest, sizeof(int));
    fronts->matrices = lk_arena_take(arena, (size_t)c.matrices, sizeof(double));
    fronts->sums = lk_arena_take(arena, (size_t)c.sums + 1, sizeof(double));
    fronts->zero = c.sums;
    fronts->local = lk_arena_take(arena, 2 * (size_t)padded(plan->largest), sizeof(double));
    map = lk_arena_take(arena, (size_t)plan->largest, sizeof(int));
    if (!arena->base)
        return;
    fronts->sums[fronts->zero] = 0;
    c = (struct counts){0};
    for (int i = 0; i < plan->n_fronts; i++)
        fill_front(fronts, topology, plan, jacobian, i, map, &c);
    for (int i = 0; i < plan->n_fronts; i++)
        fronts->plan_front[i] = fronts->front[i];
}
