/* SPDX-License-Identifier: Apache-2.0 */
/* From a topology to merges (build.c), from merges to fronts (plan.c), their
 * memory (layout.c), and what they cost. All runs
 * when a model is compiled, and allocates; the terms are those of solve/tree.h. */
#ifndef LK_COMPILE_TREE_PLAN_H
#define LK_COMPILE_TREE_PLAN_H

#include "solve/fronts.h"

/** enum lk_tree_strategy - how the next merge is chosen.
 * ROUNDS: agglomeration in rounds of disjoint pairs; wide and balanced, for workers and lanes
 * CHEAPEST: always the merge of least work; deep and narrow, least work in total */
enum lk_tree_strategy { LK_TREE_ROUNDS, LK_TREE_CHEAPEST };

/** lk_tree_build() - choose the merges. Return: 0, -ENOMEM. Release with lk_tree_fini(). */
int lk_tree_build(const struct lk_topology *topology, enum lk_tree_strategy strategy,
                  struct lk_tree *ret_tree);
void lk_tree_fini(struct lk_tree *tree);

/** lk_plan_init() - fronts of @tree. Return: 0, -ENOMEM. Release with lk_plan_fini(). */
int lk_plan_init(const struct lk_topology *topology, const struct lk_tree *tree,
                 struct lk_plan *ret_plan);
void lk_plan_fini(struct lk_plan *plan);

/** lk_plan_best() - plan of the strategy with the least work of a step on one core: two
 * factorisations and @solves solves. Return: 0, -ENOMEM. */
int lk_plan_best(const struct lk_topology *topology, int solves, struct lk_plan *ret_plan);

/** lk_fronts_layout() - take memory for @plan; with the arena in place also fill it.
 * @jacobian: of every joint; their values are read by each factorisation */
void lk_fronts_layout(struct lk_fronts *fronts, const struct lk_topology *topology,
                      const struct lk_plan *plan, const struct lk_jacobian *jacobian,
                      struct lk_arena *arena);

/** lk_front_flops() - work of eliminating @e rows where @r remain. */
static inline double lk_front_flops(double e, double r)
{
    return e * e * e / 3 + e * e * r + e * r * r;
}

/** lk_front_solve_flops() - both ways, @e rows eliminated, @r remaining. */
static inline double lk_front_solve_flops(double e, double r)
{
    return 2 * (e * e + 2 * e * r);
}

#endif
