/* SPDX-License-Identifier: Apache-2.0 */
/* Loops with independent rounds, shared by the workers of a system, and the levels of a tree:
 * fronts of one level depend on fronts of lower levels only. This is the parallel scheme of the
 * index-3 DCA paper, section 5.1. Every round does the same operations on every worker, so the
 * results have the same bits for any number of workers. */
#ifndef LK_METHODS_SHARE_H
#define LK_METHODS_SHARE_H

#include "linkage/pool.h"
#include "maths/arena.h"
#include "solve/tree.h"

/** lk_share() - call @round for every i from 0 to @n - 1, each worker of @pool for one interval.
 * @pool: NULL: the caller alone. So are loops too short to pay for a fork.
 * RT: yes, as lk_pool_run(). */
LK_RT void lk_share(struct lk_pool *pool, int n, void (*round)(void *context, int i),
                    void *context);

/** struct lk_levels - the fronts of a plan by level. @first: index in @front of the first front of
 * each level, n + 1 */
struct lk_levels {
    int n;
    int *first;
    int *front;
};

/** lk_levels_layout() - reserve memory for the levels of @plan; once the arena is allocated, also
 * fill it. Not for the cycle. */
void lk_levels_layout(struct lk_levels *levels, const struct lk_plan *plan, struct lk_arena *arena);

#endif
