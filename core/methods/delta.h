/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion of the index-3 DCA paper in the notation of the paper: assembly and disassembly in
 * the coordinates of the handles, for any number of handles.
 *
 * The handles of a (sub)assembly A move under increments dF of the constraint forces at the
 * handles:
 *
 *     dq_i = sum over handles j of delta_ij dF_j + delta_i3            eqs. (24), (28)-(31)
 *
 * A handle here is a body of A on which a joint outside of A acts. The paper has two handles, 1 and
 * 2, and uses the index 3 for the bias. A merge joins the handles of all its parts. It eliminates
 * the rows of the joints between the parts with dlambda = alpha (Phi + Phi_q dq), eq. (34). It
 * keeps the handles that still have a joint outside. In the following, delta contains the blocks of
 * all parts (zero between different parts), and all sums are over all joined handles:
 *
 *     C        = (1/alpha - Phi_q delta Phi_q^T)^-1                    below eq. (35)
 *     beta     = Phi_q delta_3 + Phi                                   below eq. (35)
 *     dlambda  = C (Phi_q delta dF + beta)                             eq. (35)
 *     delta_C  = delta + delta Phi_q^T C Phi_q delta                   eqs. (36)-(38)
 *     delta_C3 = delta_3 + delta Phi_q^T C beta                        eq. (39)
 *
 * With two parts of one handle each these are the four equations of the paper. The transpose that
 * is missing in eq. (37) is included. delta is negative semidefinite. Therefore C is positive
 * definite for every alpha > 0, even if rows are redundant. A plan determines the order of the
 * merges and the sizes of the matrices, see tree.h.
 *
 * The seven coordinates of a body are stored as eight, (x, 0, p), so that vector registers of four
 * doubles fit. */
#ifndef LK_METHODS_DELTA_H
#define LK_METHODS_DELTA_H

#include "linkage/error.h"
#include "maths/arena.h"
#include "maths/hot.h"
#include "methods/share.h"

#define LK_DELTA_Q 8 /* stored coordinates of a body */

/** struct lk_delta_part - a body or a front that takes part in a merge.
 * @n:      number of handles of the part
 * @first:  index of its first handle among the joined handles
 * @delta:  offset of the (8 n)^2 values of delta
 * @vector: offset of the bias and of the forces, 8 n values each */
struct lk_delta_part {
    int n;
    int first;
    int delta;
    int vector;
};

/** struct lk_delta_block - Phi_q of one side of an eliminated joint.
 * @row:          first row within the front
 * @n:            number of rows
 * @phi:          offset of n * 8 values
 * @part, @local: part, and index of the handle within the part, on which the rows act
 * @joined:       index of this handle among all joined handles */
struct lk_delta_block {
    int row;
    int n;
    int phi;
    int part;
    int local;
    int joined;
};

/** struct lk_delta_kept - a joined handle that remains a handle after the merge. The members are
 * those of struct lk_delta_block. */
struct lk_delta_kept {
    int part;
    int local;
    int joined;
};

/** struct lk_delta_front - one merge.
 * @row:            first eliminated row among all rows
 * @e:              number of eliminated rows
 * @n_joined:       number of handles of all parts
 * @n_kept:         number of handles that remain
 * @factor:         offset of L, e * e values, L L^T = C^-1
 * @reach:          offset of L^-1 Phi_q delta at the kept handles, e * 8 n_kept values
 * @delta, @vector: as in struct lk_delta_part
 * @scratch:        offset of Phi_q delta over all joined handles, e * 8 n_joined values */
struct lk_delta_front {
    int row;
    int e;
    int n_joined;
    int n_kept;
    int first_part;
    int n_parts;
    int first_block;
    int n_blocks;
    int first_kept;
    int factor;
    int reach;
    int delta;
    int vector;
    int scratch;
};

/** struct lk_delta - all merges, children before parents. All members down to @phi_at are constant.
 * @phi_at:       offset in @phi of Phi_q of each joint. The order is side, row, column, with 8
 *                values per row
 * @delta:        matrices of all bodies, then of all fronts
 * @bias, @force: vectors in the same order */
struct lk_delta {
    int n_bodies;
    int n_fronts;
    struct lk_delta_front *front;
    struct lk_delta_part *part;
    struct lk_delta_block *block;
    struct lk_delta_kept *kept;
    int *phi_at;
    double *phi;
    double *delta;
    double *bias;
    double *force;
    double *factors;
    double *scratch;
    struct lk_levels levels;
};

/** lk_delta_layout() - reserve memory for @plan. If the arena is already allocated, also fill this
 * memory. Uses malloc(): not for the cycle.
 * Return: 0, -ENOMEM. */
int lk_delta_layout(struct lk_delta *delta, const struct lk_topology *topology,
                    const struct lk_plan *plan, struct lk_arena *arena);

/** lk_delta_factor() - compute delta of all merges from delta of the bodies and the present Phi_q.
 * @soft: 1/alpha of every row, in the order of elimination
 * @pool: workers that share the fronts of a level, or NULL;  Thread: cycle.  RT: yes. */
LK_RT void lk_delta_factor(struct lk_delta *delta, const double *soft, struct lk_pool *pool);

/** lk_delta_solve() - assemble the biases up the tree, and disassemble down the tree, with the last
 * factor.
 * @delta: its @bias holds delta_i3 of the bodies, and is replaced by dq
 * @x:     Phi of all rows in the order of elimination, replaced by dlambda
 * @pool:  see lk_delta_factor()
 * Thread: cycle. RT: yes. */
LK_RT void lk_delta_solve(struct lk_delta *delta, double *x, struct lk_pool *pool);

#endif
