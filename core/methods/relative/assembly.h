/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly and disassembly along a binary tree of bodies, which solve (Phi_q W Phi_q^T) x = b, W =
 * M^-1.
 *
 * The method is the divide and conquer algorithm of R. Featherstone (A divide-and-conquer
 * articulated-body algorithm .., 1999), which Chadaj, Malczyk and Fraczek use for velocities and
 * impulses (2016, eqs. (26)-(46)). Here it is restricted to the directions that the joints
 * constrain: instead of the 6 x 6 matrices xi_hk between handles h and k of a (sub)assembly, the
 * products D_h^T xi_hk D_k with D = Phi_q^T are stored. Therefore the equations of a joint that
 * becomes internal are its rows only. A body or subassembly has any number of handles. A merge
 * eliminates all joints that its two children share. A joint to the ground is eliminated with its
 * body. If a merge closes a loop, its rows may depend on each other, and a pseudo-inverse is used
 * (pseudo_inverse.h).
 *
 * Rows are all rigid rows of the mechanics, with the same numbers. */
#ifndef LK_METHODS_RELATIVE_ASSEMBLY_H
#define LK_METHODS_RELATIVE_ASSEMBLY_H

#include "methods/mechanics/mechanics.h"

struct lk_assembly;

/** lk_assembly_new() - plan the merges of the joints of @mechanics. Not for the cycle.
 * Return: 0, -ENOMEM. */
int lk_assembly_new(struct lk_mechanics *mechanics, struct lk_assembly **ret);
void lk_assembly_free(struct lk_assembly *assembly);

/** lk_assembly_factor() - factor Phi_q W Phi_q^T at the last evaluation of the mechanics.
 * Return: 0, LK_E_SINGULAR.
 * RT: yes. */
LK_RT int lk_assembly_factor(struct lk_assembly *assembly);

/** lk_assembly_solve() - solve in place: assemble from the leaves to the root, then disassemble
 * from the root to the leaves.
 * @x: n_rows; right-hand side, then solution
 * RT: yes. */
LK_RT void lk_assembly_solve(struct lk_assembly *assembly, double *x);

/** lk_assembly_block() - return block @i of the mechanics, as read by the last
 * lk_assembly_factor().
 * RT: yes. */
LK_RT const struct lk_mechanics_block *lk_assembly_block(const struct lk_assembly *assembly, int i);

/** lk_assembly_add_rates() - add Phi_q @v to @ret for all rows.
 * @v: n_bodies
 * RT: yes. */
LK_RT void lk_assembly_add_rates(const struct lk_assembly *assembly, const struct lk_twist *v,
                                 double *ret);

/** lk_assembly_subtract_forces() - subtract Phi_q^T @x from @ret, n_bodies.
 * RT: yes. */
LK_RT void lk_assembly_subtract_forces(const struct lk_assembly *assembly, const double *x,
                                       struct lk_twist *ret);

/** lk_assembly_divide() - compute @ret = W @force, n_bodies each. @ret may be @force.
 * RT: yes. */
LK_RT void lk_assembly_divide(const struct lk_assembly *assembly, const struct lk_twist *force,
                              struct lk_twist *ret);

#endif
