/* SPDX-License-Identifier: Apache-2.0 */
/* Absolute coordinates of all bodies, in the representation of orientations that the user chose.
 * Shared by complement methods, DAE integrators and explicit methods in absolute coordinates.
 *
 * Positions q, for each body: x [m, world], then a unit quaternion (LK_ORIENTATION_LIE and
 * _PARAMETERS, 7 numbers per body) or three angles [rad] (6 numbers per body). The angles are yaw,
 * pitch, roll (_ANGLES, _RESAL) or precession, nutation, spin (_EULER).
 *
 * Velocities v, for each body: six numbers, [v world, w body]. With _RESAL, w is given in axes that
 * yaw and pitch but do not roll (axes of Resal). Then a body that spins about its x axis has
 * velocities that do not oscillate. q' = K(q) v; M. Arnold, DAE aspects of multibody system
 * dynamics, 2016, section 3.1. */
#ifndef LK_METHODS_LABORATORY_COORDINATES_H
#define LK_METHODS_LABORATORY_COORDINATES_H

#include "methods/mechanics/equations.h"

/** lk_coordinates_size() - return the size of q: 7 or 6 numbers per body. */
int lk_coordinates_size(enum lk_orientation orientation, int n_bodies);

/** lk_coordinates_read() - copy q and v of the last accepted state to @q and @v; @v may be NULL. */
void lk_coordinates_read(const struct lk_mechanics *mechanics, enum lk_orientation orientation,
                         double *q, double *v);

/** lk_coordinates_write() - copy @q and @v to lk_mechanics_motion(), without evaluating the
 * mechanics. Quaternions are scaled to unit length in the copy; @q remains unchanged. */
void lk_coordinates_write(struct lk_mechanics *mechanics, enum lk_orientation orientation,
                          const double *q, const double *v);

/** lk_coordinates_rates() - compute q' = K(q) v. Return: 0, LK_E_SINGULAR if the angles are
 * singular: |cos pitch| or |sin nutation| < 1e-6. */
int lk_coordinates_rates(enum lk_orientation orientation, int n_bodies, const double *q,
                         const double *v, double *ret);

/** lk_coordinates_turn() - convert a vector in place from body axes to the axes of Resal.
 * lk_coordinates_turn_back() - convert in the opposite direction.
 * @a: yaw, pitch, roll of the body */
void lk_coordinates_turn(const double a[3], double w[3]);
void lk_coordinates_turn_back(const double a[3], double w[3]);

/** lk_coordinates_normalise() - normalise the quaternions of q; angles stay unchanged. */
void lk_coordinates_normalise(enum lk_orientation orientation, int n_bodies, double *q);

/** lk_coordinates_move() - apply the exponential map q := q o exp(d), d = [dx world, dtheta body]
 * per body. In every representation, orientations rotate by the rotation vector dtheta. @from and
 * @ret may be the same.
 * Return: 0, LK_E_SINGULAR if the new angles are singular. */
int lk_coordinates_move(enum lk_orientation orientation, int n_bodies, const double *from,
                        const double *d, double *ret);

#endif
