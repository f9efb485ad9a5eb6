/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree of divide and conquer, in multiplier space.
 *
 * Every body contributes the dense element s Phi_b W Phi_b^T over the rows of the joints at it. Two
 * (sub)assemblies that share joints are merged: their elements are added, the shared joints become
 * internal and are eliminated (L D L^T), and an element over the remaining handles is left. A
 * joint to the ground is internal to its body. The merges form binary trees, one for each mechanism
 * that is not connected with the others.
 *
 * compile/tree/ chooses the merges and turns them into fronts: dense blocks with an eliminated and
 * a remaining part, in an order in which children come first. */
#ifndef LK_SOLVE_TREE_H
#define LK_SOLVE_TREE_H

#define LK_TREE_SIDES 6 /* bodies that one joint may connect */

/** struct lk_topology - which joints connect which bodies.
 * @body:   distinct bodies of each joint; n_bodies stands for the ground and for unused entries
 * @n_rows: rows of each joint;  @n_rigid: those that hold exactly, all or none, or NULL: all. Of
 * the rows that a front eliminates they are the first */
struct lk_topology {
    int n_bodies;
    int n_joints;
    const int (*body)[LK_TREE_SIDES];
    const int *n_rows;
    const int *n_rigid;
};

/** struct lk_merge - merges two assemblies. Index i < n_bodies is body i, n_bodies + k is the
 * result of merge k. */
struct lk_merge {
    int part[2];
};

/** struct lk_tree - merges, each after those of its parts.
 * @depth: levels from a body to the root */
struct lk_tree {
    int n_merges;
    int depth;
    struct lk_merge *merges;
};

/** struct lk_front_plan - one dense block of the factor.
 * @n_elim:   joints eliminated here, the first ones of @joints
 * @joints:   eliminated, then remaining joints, @n_joints of them
 * @rows:     rows of all, @elim_rows of the eliminated ones
 * @children: fronts whose remainder is added here
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
 * @row:        first row of each joint in the order of elimination, n_joints values
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

#endif
