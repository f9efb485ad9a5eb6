/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree of divide and conquer, in multiplier space.
 *
 * Every body contributes the dense element s Phi_b W Phi_b^T over the rows of the joints at it. Two
 * (sub)assemblies that share joints are merged: their elements are added, the shared joints become
 * internal and are eliminated by Cholesky, and an element over the remaining handles is left. A
 * joint to the ground is internal to its body. The merges form binary trees, one for each mechanism
 * that is not connected with the others.
 *
 * lk_tree_build() chooses the merges, lk_plan_new() turns them into fronts: dense blocks with an
 * eliminated and a remaining part, in an order in which children come first. Both run when a model
 * is compiled and allocate; nothing here is called by the cycle. */
#ifndef LK_TREE_TREE_H
#define LK_TREE_TREE_H

#define LK_TREE_SIDES 4 /* bodies that one joint may connect */

/** struct lk_topology - which joints connect which bodies.
 * @body:   the different bodies of each joint; n_bodies stands for the ground and for no body
 * @n_rows: rows of each joint */
struct lk_topology {
    int n_bodies;
    int n_joints;
    const int (*body)[LK_TREE_SIDES];
    const int *n_rows;
};

/** struct lk_merge - two assemblies become one. Index i < n_bodies is the body i, n_bodies + k is
 * the result of merge k. */
struct lk_merge {
    int part[2];
};

/** struct lk_tree - merges in an order in which parts come before what is made of them.
 * @depth: levels from a body to the root */
struct lk_tree {
    int n_merges;
    int depth;
    struct lk_merge *merges;
};

/** enum lk_tree_strategy - how the next merge is chosen.
 * ROUNDS: agglomeration in rounds of disjoint pairs; wide and balanced, for workers and lanes
 * CHEAPEST: always the merge of least work; deep and narrow, least work in total */
enum lk_tree_strategy { LK_TREE_ROUNDS, LK_TREE_CHEAPEST };

/** lk_tree_build() - choose the merges. Return: 0, -ENOMEM. Release with lk_tree_fini(). */
int lk_tree_build(const struct lk_topology *topology, enum lk_tree_strategy strategy,
                  struct lk_tree *ret_tree);
void lk_tree_fini(struct lk_tree *tree);

/** struct lk_front_plan - one dense block of the factor.
 * @n_elim:   joints eliminated here, the first ones of @joints
 * @joints:   eliminated, then remaining joints, @n_joints of them
 * @rows:     rows of all, @elim_rows of the eliminated ones
 * @children: fronts whose remaining part is added here
 * @bodies:   bodies whose element is added here */
struct lk_front_plan {
    int n_elim;
    int n_joints;
    int *joints;
    int rows;
    int elim_rows;
    int n_children;
    int children[2];
    int n_bodies;
    int bodies[2];
};

/** struct lk_plan - the fronts of a tree, children before parents.
 * @row:        first row of each joint in the order of elimination, n_joints
 * @factor_flops, @solve_flops: work of one factorisation, of one solve */
struct lk_plan {
    int n_fronts;
    int depth;
    int largest;
    double factor_flops;
    double solve_flops;
    struct lk_front_plan *fronts;
    int *row;
};

/** lk_plan_init() - fronts of @tree. Return: 0, -ENOMEM. Release with lk_plan_fini(). */
int lk_plan_init(const struct lk_topology *topology, const struct lk_tree *tree,
                 struct lk_plan *ret_plan);
void lk_plan_fini(struct lk_plan *plan);

/** lk_plan_best() - plan of the strategy with the least work of a step on one core: two
 * factorisations and @solves solves. Return: 0, -ENOMEM. */
int lk_plan_best(const struct lk_topology *topology, int solves, struct lk_plan *ret_plan);

/** lk_front_flops() - work of eliminating @e rows where @r remain. */
static inline double lk_front_flops(double e, double r)
{
    return e * e * e / 3 + e * e * r + e * r * r;
}

#endif
