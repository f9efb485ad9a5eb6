/* SPDX-License-Identifier: Apache-2.0 */
/* Time derivative of the Jacobian of cut rows, which Hamilton's equations need.
 *
 * The momenta of the tree include the impulses sigma of the cut rows, P + Phi_q^T sigma. Therefore
 * their derivative includes d/dt(Phi_q^T) sigma. For joints with D matrices this term is (dS/dt D +
 * S dD/dt) sigma (K. Chadaj, P. Malczyk, J. Fraczek, 2016, eq. (77)). Here it is computed from
 * gamma, for rows of any type. gamma is the quadratic form g(v) = J'(v) v. Consider two velocity
 * fields u and v that are constant in the coordinates used here (world for translations, body axes
 * for rotations). Derivatives along u and v differ by the commutator u x v of the angular
 * velocities:
 *
 *     J'(v) u + J'(u) v = (g(v + u) - g(v - u)) / 2        J'(v) u - J'(u) v = J (v x u)
 *
 * The sum of both equations is 2 J'(v) u, exactly and without finite differences. For rows between
 * coordinates (gears, drives), g is exact for motions that their joints allow. For other motions
 * the error is a reaction of these joints and does not affect the motion. */
#ifndef LK_METHODS_FORMULATIONS_CUT_ROWS_H
#define LK_METHODS_FORMULATIONS_CUT_ROWS_H

#include "methods/relative/relative.h"

/** lk_cut_rows_add_impulses() - compute @ret += Phi_q^T @sigma over the cut rows of @relative, with
 * the blocks of the last factorisation.
 * @ret: n_bodies, [force world, torque body]
 * RT: yes. */
LK_RT void lk_cut_rows_add_impulses(const struct lk_relative *relative, const double *sigma,
                                    struct lk_twist *ret);

/** lk_cut_rows_add_loads() - add d/dt(Phi_q^T) @sigma to @ret as a load. The load is the time
 * derivative of the wrench in world axes about a fixed point, moved to the centre of mass. Uses the
 * poses and twists of the system.
 * RT: yes. */
LK_RT void lk_cut_rows_add_loads(const struct lk_relative *relative, const double *sigma,
                                 struct lk_twist *ret);

#endif
