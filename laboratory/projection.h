/* SPDX-License-Identifier: Apache-2.0 */
/* Projection of positions and velocities onto the joints after a step, with the smallest change
 * in the mass metric; M. Arnold, DAE aspects of multibody system dynamics, 2016, eqs. (88) to
 * (91). */
#ifndef LK_METHODS_LABORATORY_PROJECTION_H
#define LK_METHODS_LABORATORY_PROJECTION_H

#include "laboratory/coordinates.h"
#include "laboratory/kkt.h"

/** lk_projection_positions() - project @q to Phi(t, q) = 0 by simplified Newton steps with the rows
 * of the first pose, until the violation no longer decreases. @v: the current velocities, used by
 * laws and rates; unchanged.
 * @move, @phi: scratch of n_velocities and n_rows. The mechanics is evaluated at the result.
 * Return: 0, LK_E_NOT_FINITE, LK_E_SINGULAR. */
int lk_projection_positions(struct lk_kkt *kkt, enum lk_orientation orientation, double t,
                            double *q, const double *v, double *move, double *phi);

/** lk_projection_velocities() - project @v to dPhi/dt = 0, or to -@decay Phi [1/s], at the pose
 * where the mechanics was evaluated with @v; factors the rows there. @change, @phi: scratch of
 * n_velocities and n_rows. The caller must write and evaluate the result. Return: as
 * lk_projection_positions(). */
int lk_projection_velocities(struct lk_kkt *kkt, double decay, double *v, double *change,
                             double *phi);

#endif
