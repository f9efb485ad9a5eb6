/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of plan.c: the state that the layout (plan.c) and the references in it
 * (plan_references.c) share. */
#ifndef LK_COMPILE_BATCH_PLANNER_H
#define LK_COMPILE_BATCH_PLANNER_H

#include "compile/batch/pieces.h"

/** struct lk_spot - block and lane of a body or joint. */
struct lk_spot {
    int block;
    int lane;
};

/** struct lk_gap - a free range in the stack of a task. */
struct lk_gap {
    int at;
    int size;
};

/** struct lk_planner - working state of the layout.
 * @p: the program;  @body, @joint: block and lane of each body and joint
 * @iterations: number of iterations in a step;  @gaps: free ranges in the stack of the current
 *              task;  @failed: an allocation failed */
struct lk_planner {
    const struct lk_topology *t;
    const int *kind;
    int iterations;
    struct lk_pieces pieces;
    struct lk_batches *p;
    struct lk_spot *body;
    struct lk_spot *joint;
    int *joints_of; /* first block of joints of each front, or -1 */
    int *user;      /* front that uses the remainder of each front, or -1 */
    struct lk_gap *gaps;
    int n_gaps;
    int failed;
};

/** lk_planner_grow() - grow @array, which has @n elements of @size bytes, by room for one more.
 * Return: the array; after a failed allocation, @array unchanged, and @pl->failed is set. */
void *lk_planner_grow(struct lk_planner *pl, void *array, int n, size_t size);

/** LK_PLANNER_ADD() - append an element to @array, which has @n elements. Does nothing after a
 * failed allocation. */
#define LK_PLANNER_ADD(pl, array, n, ...)                                                          \
    do {                                                                                           \
        (array) = lk_planner_grow(pl, array, n, sizeof(*(array)));                                 \
        if (!(pl)->failed)                                                                         \
            (array)[(n)++] = __VA_ARGS__;                                                          \
    } while (0)

/** lk_planner_rows() - count the rows of a joint of @kind.
 * lk_planner_front_rows() - count the rows of the slots @first to @end - 1 of a front. */
static inline int lk_planner_rows(int kind)
{
    return lk_kind_rows(lk_lane_kind(kind));
}

static inline int lk_planner_front_rows(const struct lk_piece_front *f, int first, int end)
{
    int n = 0;

    for (int i = first; i < end; i++)
        n += lk_planner_rows(f->slots[i].kind);
    return n;
}

/** lk_planner_reserve() - reserve room for @n vectors of values. Return: its offset. */
static inline int lk_planner_reserve(struct lk_batches *p, int n)
{
    int at = p->n_values;

    p->n_values += n;
    return at;
}

/** lk_planner_mask_front() - in front @i, mask the rows that bodies lack in some lanes. */
void lk_planner_mask_front(struct lk_planner *pl, int i);

/** lk_planner_refer_sides() - set the references from all bodies to their joints, and from all
 * joints to their bodies. */
void lk_planner_refer_sides(struct lk_planner *pl);

/** lk_planner_refer_front() - set the references of front @i to joints, bodies, children and merge.
 */
void lk_planner_refer_front(struct lk_planner *pl, int i);

/** lk_planner_refer_root() - choose the fronts of the root and set the references to their rows.
 * Call after all other fronts are placed. */
void lk_planner_refer_root(struct lk_planner *pl);

#endif
