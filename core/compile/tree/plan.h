/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree: merges from the topology (build.c), fronts from the merges (plan.c), memory
 * of the fronts (layout.c), and their cost. Terms: solve/tree.h. Everything here allocates: not for
 * the cycle. */
#ifndef LK_COMPILE_TREE_PLAN_H
#define LK_COMPILE_TREE_PLAN_H

#include "solve/fronts.h"
#include <stdbool.h>

/** enum lk_tree_strategy - choice of the next merge.
 * ROUNDS: rounds of merges of disjoint pairs; makes a wide and balanced tree for workers and lanes
 * CHEAPEST: always the merge of least work; makes a deep and narrow tree with the least total
 * work */
enum lk_tree_strategy { LK_TREE_ROUNDS, LK_TREE_CHEAPEST };

/** lk_tree_is_held() - return whether side @s of joint @j is the ground, or the hub whose branch
 * contains another body of the joint. The elimination of joints treats such a hub like the ground.
 */
static inline bool lk_tree_is_held(const struct lk_topology *t, int j, int s)
{
    int body = t->body[j][s];

    if (body == t->n_bodies)
        return true;
    for (int i = 0; i < LK_TREE_SIDES && t->hangs_on; i++)
        if (t->body[j][i] != t->n_bodies && t->hangs_on[t->body[j][i]] == body)
            return true;
    return false;
}

/** lk_tree_build() - choose the merges. Return: 0, -ENOMEM. Release with lk_tree_fini(). */
int lk_tree_build(const struct lk_topology *topology, enum lk_tree_strategy strategy,
                  struct lk_tree *ret_tree);
void lk_tree_fini(struct lk_tree *tree);

/** lk_plan_init() - make the fronts of @tree. Return: 0, -ENOMEM. Release with lk_plan_fini(). */
int lk_plan_init(const struct lk_topology *topology, const struct lk_tree *tree,
                 struct lk_plan *ret_plan);
void lk_plan_fini(struct lk_plan *plan);

/** lk_plan_best() - make the plan of the strategy with the least work of a step on one core, for
 * two factorisations and @solves solves.
 * @is_wide: make the plan in rounds instead, which has the fewest levels
 * Return: 0, -ENOMEM. */
int lk_plan_best(const struct lk_topology *topology, bool is_wide, int solves,
                 struct lk_plan *ret_plan);

/** lk_plan_work() - count the operations of a factorisation and of a solve for the rows of
 * @topology, see lk_fronts_layout(). */
void lk_plan_work(const struct lk_topology *topology, const struct lk_plan *plan,
                  double *ret_factor, double *ret_solve);

/** lk_fronts_layout() - reserve memory for @plan; once the arena is allocated, also fill it.
 * @topology: topology of the plan, or one in which fewer joints have rows. Joints without rows are
 *            omitted; all other rows keep their positions in the order of elimination
 * @jacobian: Jacobian of every joint; each factorisation reads its values */
void lk_fronts_layout(struct lk_fronts *fronts, const struct lk_topology *topology,
                      const struct lk_plan *plan, const struct lk_jacobian *jacobian,
                      struct lk_arena *arena);

/** lk_front_flops() - count the operations to eliminate @e rows with @r remaining. */
static inline double lk_front_flops(double e, double r)
{
    return e * e * e / 3 + e * e * r + e * r * r;
}

/** lk_front_solve_flops() - count the operations of a solve, forward and backward, with @e rows
 * eliminated and @r remaining. */
static inline double lk_front_solve_flops(double e, double r)
{
    return 2 * (e * e + 2 * e * r);
}

#endif
