/* SPDX-License-Identifier: Apache-2.0 */
/* How the directions of cut rows turn: what Hamilton's form asks of a cut joint beyond its
 * Jacobian.
 *
 * The momenta of the tree hold the impulses sigma of the cut rows, P + Phi_q^T sigma, so their
 * derivative holds d/dt(Phi_q^T) sigma. For joints with D matrices that is (dS/dt D + S dD/dt)
 * sigma (K. Chadaj, P. Malczyk, J. Fraczek, 2016, eq. (77)). Here it comes from gamma of the rows,
 * for any row there is: gamma is the quadratic form g(v) = J'(v) v, and derivatives along two
 * fields of velocities, constant in the directions of this project (world for translations, body
 * axes for rotations), differ by their commutator, u x v of the angular velocities:
 *
 *     J'(v) u + J'(u) v = (g(v + u) - g(v - u)) / 2        J'(v) u - J'(u) v = J (v x u)
 *
 * whose sum is 2 J'(v) u, without a derivative by differences. Rows between coordinates (gears,
 * drives) have a g that is right for motions that their joints allow; what it lacks for others is a
 * reaction of these joints, which no motion shows. */
#ifndef LK_METHODS_FORMULATIONS_CUT_ROWS_H
#define LK_METHODS_FORMULATIONS_CUT_ROWS_H

#include "methods/relative/relative.h"

/** lk_cut_rows_add_impulses() - @ret += Phi_q^T @sigma of the cut rows of @relative alone, n_bodies
 * [force world, torque body], with the blocks of the last factor. RT: yes. */
LK_RT void lk_cut_rows_add_impulses(const struct lk_relative *relative, const double *sigma,
                                    struct lk_twist *ret);

/** lk_cut_rows_add_loads() - @ret += d/dt(Phi_q^T) @sigma as a load: the derivative of the wrench
 * as the world sees it, about a fixed point, referred to the centre of mass. Poses and twists are
 * those of the system. RT: yes. */
LK_RT void lk_cut_rows_add_loads(const struct lk_relative *relative, const double *sigma,
                                 struct lk_twist *ret);

#endif
