/* SPDX-License-Identifier: Apache-2.0 */
#include "box_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LEAF 32 /* items that share a box */

struct lk_box lk_box_empty(void)
{
    return (struct lk_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
}

void lk_box_join(struct lk_box *box, const struct lk_box *other)
{
    for (int k = 0; k < 2; k++) {
        box->low[k] = fmin(box->low[k], other->low[k]);
        box->high[k] = fmax(box->high[k], other->high[k]);
    }
}

bool lk_box_touches(const struct lk_box *a, const struct lk_box *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1];
}

int lk_box_tree_new(int n, struct lk_box_tree *ret)
{
    *ret = (struct lk_box_tree){.n = n, .n_leaves = 1};
    while (ret->n_leaves < (n - 1) / LEAF + 1)
        ret->n_leaves *= 2;
    ret->box = calloc(2 * (size_t)ret->n_leaves, sizeof(*ret->box));
    if (ret->box == NULL)
        return -ENOMEM;
    for (int i = 0; i < 2 * ret->n_leaves; i++)
        ret->box[i] = lk_box_empty();
    return 0;
}

void lk_box_tree_set(struct lk_box_tree *tree, int item, const struct lk_box *box)
{
    lk_box_join(&tree->box[tree->n_leaves + item / LEAF], box);
}

void lk_box_tree_close(struct lk_box_tree *tree)
{
    for (int i = 2 * tree->n_leaves - 1; i > 1; i--)
        lk_box_join(&tree->box[i / 2], &tree->box[i]);
}

static void find_below(const struct lk_box_tree *tree, const struct lk_box *box, int i,
                       lk_box_found *found, void *context)
{
    int first = (i - tree->n_leaves) * LEAF;

    if (!lk_box_touches(&tree->box[i], box))
        return;
    if (i < tree->n_leaves) {
        find_below(tree, box, 2 * i, found, context);
        find_below(tree, box, 2 * i + 1, found, context);
        return;
    }
    for (int k = first; k < first + LEAF && k < tree->n; k++)
        found(context, k);
}

void lk_box_tree_find(const struct lk_box_tree *tree, const struct lk_box *box, lk_box_found *found,
                      void *context)
{
    find_below(tree, box, 1, found, context);
}

void lk_box_tree_free(struct lk_box_tree *tree)
{
    free(tree->box);
    *tree = (struct lk_box_tree){.box = NULL};
}
