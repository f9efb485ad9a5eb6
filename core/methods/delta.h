/* SPDX-License-Identifier: Apache-2.0 */
/* The recursion of the index-3 DCA paper in the notation of the paper: assembly and disassembly in
 * the coordinates of the handles, for any number of them.
 *
 * A (sub)assembly A moves under increments dF of the constraint forces at its handles by
 *
 *     dq_i = sum over handles j of delta_ij dF_j + delta_i3            eqs. (24), (28)-(31)
 *
 * A handle here is a body of A that a joint outside of A acts on; the paper has two handles, 1 and
 * 2, and uses the index 3 for the bias. A merge joins the handles of all its parts, eliminates the
 * rows that became internal by dlambda = alpha (Phi + Phi_q dq), eq. (34), and keeps the handles
 * that still have a joint outside. With delta of the parts side by side (zero between different
 * parts), all sums over all joined handles:
 *
 *     C        = (1/alpha - Phi_q delta Phi_q^T)^-1                    below eq. (35)
 *     beta     = Phi_q delta_3 + Phi                                   below eq. (35)
 *     dlambda  = C (Phi_q delta dF + beta)                             eq. (35)
 *     delta_C  = delta + delta Phi_q^T C Phi_q delta                   eqs. (36)-(38)
 *     delta_C3 = delta_3 + delta Phi_q^T C beta                        eq. (39)
 *
 * Two handles, one in either part, give the paper's four equations; the transpose that is missing
 * in eq. (37) is included. delta is negative semidefinite, so C is positive definite for every
 * alpha > 0, with redundant rows too. The sizes of the blocks are those of a plan, see tree.h.
 *
 * A body's seven coordinates are stored as eight, (x, 0, p), so that vectors of four fit. */
#ifndef LK_METHODS_DELTA_H
#define LK_METHODS_DELTA_H

#include "linkage/error.h"
#include "maths/arena.h"
#include "maths/hot.h"
#include "methods/share.h"

#define LK_DELTA_Q 8 /* stored coordinates of a body */

/** struct lk_delta_part - a body or a front that is merged.
 * @n:      number of its handles;  @first: index of the first among the joined handles
 * @delta:  offset of its (8 n)^2 values;  @vector: offset of its bias and of its forces, 8 n */
struct lk_delta_part {
    int n;
    int first;
    int delta;
    int vector;
};

/** struct lk_delta_block - Phi_q of one side of an eliminated joint.
 * @row: first row within the front;  @n: number of rows;  @phi: offset of n * 8 values
 * @part, @local: the handle on which the block acts;  @joined: index of this handle among all
 *          joined handles */
struct lk_delta_block {
    int row;
    int n;
    int phi;
    int part;
    int local;
    int joined;
};

/** struct lk_delta_kept - a joined handle that remains a handle after the merge. */
struct lk_delta_kept {
    int part;
    int local;
    int joined;
};

/** struct lk_delta_front - one merge.
 * @row, @e:    first eliminated row among all rows, number of eliminated rows
 * @n_joined:   number of handles of all parts;  @n_kept: number of handles that remain
 * @factor:     offset of L, e * e values, L L^T = C^-1;  @reach: offset of L^-1 Phi_q delta, e * 8
 *              n_kept
 * @delta, @vector: as in struct lk_delta_part;  @scratch: offset of Phi_q delta over all joined
 *              handles */
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

/** struct lk_delta - all merges, children before parents; all members down to @phi_at are
 * constants.
 * @phi_at:  offset of Phi_q of every joint in @phi: side after side, row after row, 8 values each
 * @delta:   matrices of the bodies, one after another, then of the fronts;  @bias, @force:
 *           likewise */
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

/** lk_delta_layout() - reserve memory for @plan; once the arena is allocated, also fill it. Uses
 * malloc(): not for the cycle. Return: 0, -ENOMEM. */
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
