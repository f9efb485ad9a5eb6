/* SPDX-License-Identifier: Apache-2.0 */
/* Projection of positions and velocities onto the joint constraints after a step, with the smallest
 * change in the mass metric; M. Arnold, DAE aspects of multibody system dynamics, 2016, eqs. (88)
 * to (91). */
#ifndef LK_METHODS_LABORATORY_PROJECTION_H
#define LK_METHODS_LABORATORY_PROJECTION_H

#include "laboratory/coordinates.h"
#include "laboratory/kkt.h"

/** lk_projection_positions() - project @q to Phi(t, q) = 0 by simplified Newton iterations with the
 * Jacobian of the first pose, until the violation no longer decreases. The mechanics is then
 * evaluated at the result.
 * @v:          the current velocities, which laws and rates need; unchanged
 * @move, @phi: scratch of n_velocities and n_rows
 * Return: 0, LK_E_NOT_FINITE, LK_E_SINGULAR. */
int lk_projection_positions(struct lk_kkt *kkt, enum lk_orientation orientation, double t,
                            double *q, const double *v, double *move, double *phi);

/** lk_projection_velocities() - project @v to dPhi/dt = -@decay Phi, with @decay in 1/s, usually 0.
 * Factors the Jacobian at the pose at which the mechanics was last evaluated with @v. The caller
 * must write and evaluate the result.
 * @change, @phi: scratch of n_velocities and n_rows
 * Return: as lk_projection_positions(). */
int lk_projection_velocities(struct lk_kkt *kkt, double decay, double *v, double *change,
                             double *phi);

#endif
