/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute coordinates of all bodies, with the orientation that the user chose; shared by
 * complement methods, DAE integrators and explicit methods on absolute coordinates.
 *
 * Positions q: of each body x [m, world], then a unit quaternion (LK_ORIENTATION_LIE and
 * _PARAMETERS, 7 numbers per body) or three angles (6 numbers per body): yaw, pitch, roll (_ANGLES)
 * or precession, nutation, spin (_EULER).
 * Velocities v: six per body, [v world, w body]; with _RESAL the angles are yaw, pitch, roll and w
 * is along the axes that yaw and pitch but do not roll (axes of Resal), so that a body that spins
 * about its x axis has velocities that do not oscillate. q' = K(q) v; M. Arnold, DAE aspects of
 * multibody system dynamics, 2016, section 3.1. */
#ifndef LK_METHODS_LABORATORY_COORDINATES_H
#define LK_METHODS_LABORATORY_COORDINATES_H

#include "methods/mechanics/equations.h"

/** lk_coordinates_size() - size of q: 7 or 6 per body. */
int lk_coordinates_size(enum lk_orientation orientation, int n_bodies);

/** lk_coordinates_read() - copy q and v of the last accepted state to @q and @v; @v may be NULL. */
void lk_coordinates_read(const struct lk_mechanics *mechanics, enum lk_orientation orientation,
                         double *q, double *v);

/** lk_coordinates_write() - copy q and v to lk_mechanics_motion(), without evaluating the
 * mechanics. The copy has unit quaternions, @q stays unchanged. */
void lk_coordinates_write(struct lk_mechanics *mechanics, enum lk_orientation orientation,
                          const double *q, const double *v);

/** lk_coordinates_rates() - compute q' = K(q) v. Return: 0, LK_E_SINGULAR if the angles are
 * singular: |cos pitch| or |sin nutation| < 1e-6. */
int lk_coordinates_rates(enum lk_orientation orientation, int n_bodies, const double *q,
                         const double *v, double *ret);

/** lk_coordinates_turn() - turn a vector in body axes, of the body with the angles @a of q, to the
 * axes of w (_RESAL), in place; lk_coordinates_turn_back() - the inverse. */
void lk_coordinates_turn(const double a[3], double w[3]);
void lk_coordinates_turn_back(const double a[3], double w[3]);

/** lk_coordinates_normalise() - normalise the quaternions of q; angles stay unchanged. */
void lk_coordinates_normalise(enum lk_orientation orientation, int n_bodies, double *q);

/** lk_coordinates_move() - apply the exponential map: q := q o exp(d), d = [dx world, dtheta
 * body] per body. Orientations rotate by the rotation vector dtheta in every representation.
 * @from and @ret may be the same. */
int lk_coordinates_move(enum lk_orientation orientation, int n_bodies, const double *from,
                        const double *d, double *ret);

#endif
