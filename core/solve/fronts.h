/* SPDX-License-Identifier: Apache-2.0 */
/* The fronts of a plan in the arena: assembly (factor, forward) and disassembly (backward).
 *
 * The matrix is E + s Phi_q W Phi_q^T over all rows in the order of elimination, symmetric and
 * positive definite; with the motions of hubs among the rows, see tree.h, it is quasi-definite. The
 * matrix is never formed as a whole. Each front adds the elements of its bodies, the Jacobians
 * Phi_h between its rows and the motions of hubs, and the remainders of its children. The front
 * then factors the eliminated rows (L D L^T) and passes the Schur complement to its parent. The
 * plan alone fixes the arithmetic, whatever the order of execution. */
#ifndef LK_SOLVE_FRONTS_H
#define LK_SOLVE_FRONTS_H

#include "linkage/error.h"
#include "maths/arena.h"
#include "rows/joint.h"
#include "solve/flexible.h"
#include "solve/tree.h"

/** struct lk_block - rows of one joint inside the element of a body. @at: first row in the front;
 * @node: of a body with modes: the node at which the joint is */
struct lk_block {
    struct lk_side side;
    int at;
    int node;
};

/** struct lk_child - contribution of a child front to its parent.
 * @rest:    number of remaining rows
 * @corner:  offset of the child's remainder (Schur complement) in the matrices, columns @stride
 *           values apart
 * @reduced: offset of the child's remaining right-hand side in the sums
 * @pull:    offset of a map: for each row of the parent, padded to whole vectors, the index of the
 *           sum to add
 * @is_first: remaining row r adds to row r of the parent
 * @place:   offset of the indices in the parent's matrix to which the lower triangle of the
 *           remainder is added, column by column. All of them are in the lower triangle, even if
 *           the map swaps rows */
struct lk_child {
    int rest;
    int stride;
    int corner;
    int reduced;
    int pull;
    int is_first;
    int place;
};

/** struct lk_element - element of a body: blocks sorted by their place in the front.
 * @flexible: index of the modes of the body, or -1 */
struct lk_element {
    int body;
    int flexible;
    int first_block;
    int n_blocks;
};

/** struct lk_hub_block - the motion of a hub in a front, and the joint rows of this front that act
 * on the hub.
 * @body:     the hub;  @at: first of its six rows in the front
 * @has_mass: the six rows are eliminated in this front, which adds M/s of the hub */
struct lk_hub_block {
    int body;
    int at;
    int has_mass;
    int first_block;
    int n_blocks;
};

/* (e, n) of the fronts for which the kernels are instantiated: in chains and loops of joints with
 * 2, 3, 5 and 6 rows, at hubs, and where joints of several kinds, tyres or springs meet */
#define LK_FRONTS_ALIKE(X)                                                                         \
    X(2, 2) X(2, 4) X(2, 6) X(3, 3) X(3, 6) X(3, 9) X(5, 5) X(5, 10) X(5, 15) X(6, 6) X(6, 11)     \
        X(6, 12)
#define LK_FRONTS_SMALL(X)                                                                         \
    X(1, 3) X(1, 4) X(1, 5) X(1, 7) X(1, 8) X(2, 3) X(2, 5) X(2, 9) X(3, 4) X(3, 5) X(3, 7)        \
        X(3, 8) X(3, 10) X(4, 4) X(4, 7) X(4, 8) X(5, 6) X(5, 8) X(5, 9) X(6, 7) X(6, 10)
#define LK_FRONTS_LARGE(X) X(5, 11) X(5, 12) X(5, 13) X(6, 13)
#define LK_FRONTS(X)       LK_FRONTS_ALIKE(X) LK_FRONTS_SMALL(X) LK_FRONTS_LARGE(X)

/* (e, height in vectors of four rows) of larger fronts, for which all but the number of columns is
 * a constant: at the joints between the loops of a car few rows are eliminated, and 8 to 26 remain
 */
#define LK_FRONTS_TALL(X)                                                                          \
    X(1, 3) X(3, 3)                                                                                \
    X(3, 4) X(3, 5) X(3, 6) X(4, 3) X(4, 4) X(4, 5) X(4, 6) X(5, 4) X(5, 5) X(5, 6) X(5, 7)        \
        X(5, 8) X(6, 4) X(6, 5) X(6, 6) X(6, 7) X(6, 8) X(7, 4)

/** enum lk_front_shape - instance of the kernels for a front. */
enum lk_front_shape {
    LK_FRONT_ANY,
#define X(E, N) LK_FRONT_##E##_##N,
    LK_FRONTS(X)
#undef X
#define X(E, HEIGHT) LK_FRONT_TALL_##E##_##HEIGHT,
        LK_FRONTS_TALL(X)
#undef X
};

/** struct lk_front - one dense block of whole vectors, see kernels.h.
 * @shape:    instance of the kernels
 * @n, @e:    rows, rows eliminated
 * @row:      index of the first eliminated row among all rows
 * @matrix:   offset of the columns in the matrices;  @across, @pivot: offsets of the transposed
 * columns and the pivots, see kernels.h
 * @reduced:  offset of n values in the sums: reduced right-hand side, of which the last n - e are
 * added to the parent;  @solved: offset of e values: part of the solution that does not depend on
 * the remaining rows. The parent need not wait for these values
 * @rest:     offset of the row indices of the n - e remaining rows
 * @parent:   front of the plan that receives the remainder, or -1 */
struct lk_front {
    enum lk_front_shape shape;
    int n;
    int e;
    int row;
    int matrix;
    int across;
    int pivot;
    int reduced;
    int solved;
    int rest;
    int parent;
    int first_child;
    int n_children;
    int first_element;
    int n_elements;
    int first_hub;
    int n_hubs;
};

/** struct lk_fronts - all fronts. lk_fronts_factor() and lk_fronts_solve() write only @matrices,
 * @sums and @local; the rest is written when a model is compiled.
 * @front: fronts in the order of execution;  @plan_front: fronts in the order of the plan
 * @zero:  index of a sum that is always 0
 * @hub:   hub motions of all fronts
 * @motions: index of the first motion in a solution, after all rows;  @n_motions: number of
 * motions, of six values each */
struct lk_fronts {
    int n_fronts;
    int n_rows;
    int largest;
    int zero;
    struct lk_front *front;
    struct lk_front *plan_front;
    struct lk_child *child;
    struct lk_element *element;
    struct lk_block *block;
    int *pull;
    int *place;
    int *rest;
    double *matrices;
    double *sums;
    double *local;                      /* scratch of one front's rows */
    const struct lk_flexible *flexible; /* bodies with modes, see flexible.h */
    struct lk_hub_block *hub;
    int motions;
    int n_motions;
};

/** struct lk_inverse_mass - W, or s W, of one body: 1/m [1/kg] and J^-1 [1/(kg m^2)], body axes. */
struct lk_inverse_mass {
    double mass;
    double inertia[6];
};

/** lk_fronts_factor() - assemble and factor E + Phi_q (s W) Phi_q^T at the current Jacobians.
 * @regular: diagonal of E, in the order of elimination;  @sW: h^2 / 4 W, one per body
 * Thread: cycle.  RT: yes, 2 * factor_flops at most. */
LK_RT void lk_fronts_factor(struct lk_fronts *fronts, const double *regular,
                            const struct lk_inverse_mass *sW);

/** lk_fronts_solve() - solve with the last factor, in place: assembly, then disassembly.
 * @x: values of all rows in the order of elimination, then space for the motions of the hubs
 * Thread: cycle.  RT: yes. */
LK_RT void lk_fronts_solve(struct lk_fronts *fronts, double *x);

/** lk_fronts_schedule() - change the order of execution. Results stay bit-identical.
 * @order: indices into the plan, each front once, children before their parents */
void lk_fronts_schedule(struct lk_fronts *fronts, const int *order);

/** lk_fronts_smallest_pivot() - return the smallest pivot of the last factor, relative to the scale
 * of its row. The result is near 1 if rows are independent, and near the regularisation if rows
 * are redundant.
 * @scale: n_rows values
 * Thread: cycle.  RT: yes. */
LK_RT double lk_fronts_smallest_pivot(const struct lk_fronts *fronts, const double *scale);

/** lk_fronts_dependent_rows() - return the number of rows in which E is more than the fraction
 * @share of the pivot of the last factor. @regular: n_rows values: E, or 0 for rows not to count
 * Thread: cycle.  RT: yes. */
LK_RT int lk_fronts_dependent_rows(const struct lk_fronts *fronts, const double *regular,
                                   double share);

#endif
