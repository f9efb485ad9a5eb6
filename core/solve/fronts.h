/* SPDX-License-Identifier: Apache-2.0 */
/* The fronts of a plan in the arena: assembly (factor, forward) and disassembly (backward).
 *
 * The matrix is E + s Phi_q W Phi_q^T over all rows in the order of elimination, symmetric and
 * positive definite; it is never formed as a whole. Each front adds the elements of its bodies and
 * the remainders of its children, factors the eliminated rows (L D L^T) and leaves the Schur
 * complement for its parent. The arithmetic is fixed by the plan, not by who executes it. */
#ifndef LK_SOLVE_FRONTS_H
#define LK_SOLVE_FRONTS_H

#include "linkage/error.h"
#include "maths/arena.h"
#include "rows/joint.h"
#include "solve/tree.h"

/** struct lk_block - rows of one joint inside the element of a body. @at: first row in the front.
 */
struct lk_block {
    struct lk_side side;
    int at;
};

/** struct lk_child - what a child front hands to its parent.
 * @rest:    its remaining rows
 * @corner:  offset of its remainder in the matrices, columns @stride apart
 * @reduced: offset of its remaining right-hand side
 * @map:     remaining row r goes to row map[r] of the parent;  @is_first: to row r itself
 * @place:   the lower triangle of the remainder, column by column: where each value goes in the
 *           parent's matrix (always the lower triangle, though the map may swap rows) */
struct lk_child {
    int rest;
    int stride;
    int corner;
    int reduced;
    int map;
    int is_first;
    int place;
};

/** struct lk_element - element of a body: blocks sorted by their place in the front. */
struct lk_element {
    int body;
    int first_block;
    int n_blocks;
};

/* Rows eliminated and rows in all of the fronts that chains and loops of joints with 3, 5 and 6
 * rows make: the kernels are instantiated for them. Small fronts fit into registers. */
#define LK_SMALL_FRONTS(X) X(3, 3) X(3, 6) X(5, 5) X(6, 6)
#define LK_LARGE_FRONTS(X) X(3, 9) X(5, 10) X(5, 15) X(6, 11) X(6, 12)

/** enum lk_front_shape - which instance of the kernels a front takes. */
enum lk_front_shape {
    LK_FRONT_ANY,
#define X(E, N) LK_FRONT_##E##_##N,
    LK_SMALL_FRONTS(X) LK_LARGE_FRONTS(X)
#undef X
};

/** struct lk_front - one dense block, column-major with n rows.
 * @shape:    instance of the kernels
 * @n, @e:    rows, rows eliminated
 * @row:      the first eliminated row among all
 * @matrix:   offset of n * n values, rounded up to whole vectors, see lk_kernel_factor()
 * @reduced:  offset of n - e values: what the forward sweep leaves for the parent
 * @rest:     offset of the n - e row numbers of the remaining rows
 * @parent:   front of the plan that takes the remainder, or -1 */
struct lk_front {
    enum lk_front_shape shape;
    int n;
    int e;
    int row;
    int matrix;
    int reduced;
    int rest;
    int parent;
    int first_child;
    int n_children;
    int first_element;
    int n_elements;
};

/** struct lk_fronts - all of them; written once when a model is compiled, but @matrices and @sums.
 * @front: in the order in which they are worked on;  @plan_front: in the order of the plan */
struct lk_fronts {
    int n_fronts;
    int n_rows;
    int largest;
    struct lk_front *front;
    struct lk_front *plan_front;
    struct lk_child *child;
    struct lk_element *element;
    struct lk_block *block;
    int *map;
    int *place;
    int *rest;
    double *matrices;
    double *sums;
    double *local; /* scratch of one front's rows */
};

/** struct lk_inverse_mass - W, or s W, of one body: 1/m [1/kg] and J^-1 [1/(kg m^2)], body axes. */
struct lk_inverse_mass {
    double mass;
    double inertia[6];
};

/** lk_fronts_factor() - assemble and factor E + Phi_q (s W) Phi_q^T at the present Jacobians.
 * @regular: diagonal of E, in the order of elimination;  @sW: h^2 / 4 W, one a body
 * Thread: cycle.  RT: yes, 2 * factor_flops at most. */
LK_RT void lk_fronts_factor(struct lk_fronts *fronts, const double *regular,
                            const struct lk_inverse_mass *sW);

/** lk_fronts_solve() - solve with the last factor, in place: assembly upwards, disassembly
 * downwards.
 * @x: n_rows values in the order of elimination
 * Thread: cycle.  RT: yes. */
LK_RT void lk_fronts_solve(struct lk_fronts *fronts, double *x);

/** lk_fronts_schedule() - work on the fronts in another order from now on. Nothing but the order
 * changes: results keep their bits.
 * @order: every front once, children before their parents, by their place in the plan */
void lk_fronts_schedule(struct lk_fronts *fronts, const int *order);

/** lk_fronts_smallest_pivot() - smallest pivot of the last factor, each against its row's own
 * scale: near 1 where rows are independent, near the regularisation where they depend on each
 * other.
 * @scale: n_rows values
 * Thread: cycle.  RT: yes. */
LK_RT double lk_fronts_smallest_pivot(const struct lk_fronts *fronts, const double *scale);

#endif
