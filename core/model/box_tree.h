/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes in the plane, and a binary tree of them that finds those which touch another one. Not for
 * the cycle. */
#ifndef LK_MODEL_BOX_TREE_H
#define LK_MODEL_BOX_TREE_H

#include <stdbool.h>

/** struct lk_box - corners of an area [m]; empty if the low corner is above the high one. */
struct lk_box {
    double low[2];
    double high[2];
};

/** struct lk_box_tree - boxes of @n items. @box: box i contains boxes 2 i and 2 i + 1, box 1 all of
 * them; box @n_leaves + k contains the 32 items from 32 k on */
struct lk_box_tree {
    int n;
    int n_leaves;
    struct lk_box *box;
};

/** typedef lk_box_found - callback for an item that may touch a box. */
typedef void lk_box_found(void *context, int item);

struct lk_box lk_box_empty(void);

/** lk_box_join() - extend @box to contain @other. */
void lk_box_join(struct lk_box *box, const struct lk_box *other);

/** lk_box_touches() - return whether two boxes have a point in common. */
bool lk_box_touches(const struct lk_box *a, const struct lk_box *b);

/** lk_box_tree_new() - allocate a tree of @n empty boxes, n >= 1. Return: 0, -ENOMEM. */
int lk_box_tree_new(int n, struct lk_box_tree *ret);

/** lk_box_tree_set() - extend the box of the leaf of @item. */
void lk_box_tree_set(struct lk_box_tree *tree, int item, const struct lk_box *box);

/** lk_box_tree_close() - compute the boxes above the leaves; call after all lk_box_tree_set(). */
void lk_box_tree_close(struct lk_box_tree *tree);

/** lk_box_tree_find() - call @found for all items, in their order, of the leaves that touch @box.
 */
void lk_box_tree_find(const struct lk_box_tree *tree, const struct lk_box *box, lk_box_found *found,
                      void *context);

void lk_box_tree_free(struct lk_box_tree *tree);

#endif
