/* SPDX-License-Identifier: Apache-2.0 */
/* The elimination tree of divide and conquer, in multiplier space.
 *
 * Every body contributes the dense element s Phi_b W Phi_b^T over the rows of its joints. Two
 * (sub)assemblies that share joints are merged: their elements are added, the shared joints become
 * internal and are eliminated (L D L^T), and an element over the rows of the remaining handles
 * results. A joint to the ground is internal to its body. The merges form binary trees, one for
 * each mechanism that is not connected with the others.
 *
 * A hub, a body with many joints, would have one large dense element. The motion of the hub, u = s
 * W Phi_h^T lambda is an additional unknown instead, with six rows besides the rows of the joints:
 *
 *     (E + s Phi W Phi^T of the other bodies) lambda + Phi_h u = b
 *     Phi_h^T lambda - M/s u = 0
 *
 * A branch of a hub is a set of bodies that only the hub connects to the other bodies. Rigid rows
 * must not connect the branch with both the hub and the ground. The bodies of a branch are merged,
 * and then merged with the hub. The merge eliminates the joints between branch and hub, and the six
 * rows of the motion remain. The six rows are eliminated when all branches are merged. M/s has then
 * become the articulated-body inertia of the hub with its branches (R. Featherstone, Rigid Body
 * Dynamics Algorithms, 2008, section 7.1). The remainder acts on the other joints of the hub as the
 * element of a body. Multipliers within a branch that move none of its bodies have no resultant on
 * the hub. So if all rows are independent, the rows of a branch are independent with the hub at
 * rest.
 *
 * compile/tree/ chooses the merges and turns them into fronts: dense blocks with an eliminated and
 * a remaining part, in an order in which children come first. */
#ifndef LK_SOLVE_TREE_H
#define LK_SOLVE_TREE_H

#define LK_TREE_SIDES 6 /* bodies that one joint may connect */

/** struct lk_carried - a body that is a node of a body with modes. @by: that body;  @node: index of
 * the node;  @flexible: index of the modes of this body, if it has them. Else @by is the body
 * itself, and the others -1 */
struct lk_carried {
    int by;
    int node;
    int flexible;
};

/** struct lk_topology - which joints connect which bodies.
 * @body:   distinct bodies of each joint; n_bodies stands for the ground and for unused entries
 * @n_rows: number of rows of each joint
 * @n_rigid: number of rigid rows of each joint, all or none; NULL: all rows are rigid. A front
 *          eliminates rigid rows first
 * @hangs_on: for each body, the hub whose branch contains the body, or -1; NULL: there are no hubs
 * @side:   bodies of all sides of each joint, nodes among them; in @body the body with modes stands
 *          for its nodes, once for each joint. NULL: as @body;  @carried: for each body, if @side
 * is not NULL */
struct lk_topology {
    int n_bodies;
    int n_joints;
    const int (*body)[LK_TREE_SIDES];
    const int *n_rows;
    const int *n_rigid;
    const int *hangs_on;
    const int (*side)[LK_TREE_SIDES];
    const struct lk_carried *carried;
};

#define LK_MOTION_ROWS 6 /* unknowns of a hub */

/** struct lk_merge - a merge of two assemblies. Index i < n_bodies is body i, n_bodies + k is
 * the result of merge k. If the second index is below 0, the first assembly is merged with the
 * hub of its branch. */
struct lk_merge {
    int part[2];
};

/** struct lk_tree - a list of merges, each after the merges of its parts.
 * @depth: number of levels from a body to the root */
struct lk_tree {
    int n_merges;
    int depth;
    struct lk_merge *merges;
};

/** struct lk_front_plan - one dense block of the factor.
 * @joints:   @n_joints joints: first the @n_elim joints eliminated here, then the remaining ones;
 *            indices beyond the joints of the topology are motions of hubs
 * @rows:     number of rows of all these joints;  @elim_rows: number of rows of the eliminated
 *            joints
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
 * @hub:      the @n_hubs bodies that are hubs; in a front, the motion of hub i has the joint index
 *            n_joints + i
 * @row:      first row of each joint in the order of elimination, n_joints values. The motions
 *            of the hubs follow all @n_rows rows
 * @factor_flops, @solve_flops: floating point operations of one factorisation, of one solve */
struct lk_plan {
    int n_fronts;
    int depth;
    int largest;
    double factor_flops;
    double solve_flops;
    struct lk_front_plan *fronts;
    int n_rows;
    int *row;
    int n_hubs;
    int *hub;
};

#endif
