/* SPDX-License-Identifier: Apache-2.0 */
/* Fastest modes of a whole mechanism in its present state, by power iteration under the rigid rows;
 * and the motion after a blow (unit impulse). Offline. The functions use the scratch of the step
 * one by one: call lk_system_reset() or lk_start_resume() afterwards. */
#ifndef LK_COMPILE_FASTEST_H
#define LK_COMPILE_FASTEST_H

#include "step/system.h"
#include <stdbool.h>

struct lk_model;

/** lk_steepest_tangent() - return the stiffness or damping of law @i: the coefficient of a linear
 * law, else the steepest slope, which is the slope without slip. */
double lk_steepest_tangent(const struct lk_system *system, int i, int is_damping);

/** lk_lacks_inertia() - return whether body @b has no mass, or no inertia about some axis. */
int lk_lacks_inertia(const struct lk_system *system, int b);

/** lk_fastest_accelerate() - replace the forces Q in system->residual with s times the
 * accelerations W (Q - Phi_q^T sigma) of the bodies, where sigma are the multipliers of the rigid
 * rows. Call after factoring the rigid rows alone. */
void lk_fastest_accelerate(struct lk_system *system);

/** lk_fastest_law_name() - return the name of the element that contributes most to the stiffness
 * or damping of law @i, or the name of the compliant joint. */
const char *lk_fastest_law_name(const struct lk_system *system, const struct lk_model *model, int i,
                                int is_damping);

/** lk_fastest_spring() - compute the fastest frequency of all springs acting together [rad/s].
 * lk_fastest_decay() - compute the fastest rate at which dampers stop a motion [1/s]. Both use the
 * poses of system->now and return 0 without springs or dampers.
 * @ret_law: law that contributes most, written if there are laws. */
double lk_fastest_spring(struct lk_system *system, int *ret_law);
double lk_fastest_decay(struct lk_system *system, int *ret_law);

/** lk_fastest_nutation() - compute the fastest nutation at the velocities of system->now [rad/s].
 * lk_fastest_swing() - compute the fastest swing across the forces in the joints, due to geometric
 * stiffness [rad/s]. Both are 0 for a body that turns about a fixed axis.
 * @ret_body: body of the model that contributes most, written unless the result is 0
 * Return: lk_fastest_swing(): 0 or -ENOMEM. */
double lk_fastest_nutation(struct lk_system *system, int *ret_body);
int lk_fastest_swing(struct lk_system *system, double *ret_rate, int *ret_body);

/** lk_fastest_hanging() - compute the fastest swing across the weights that bodies will have to
 * support, see compile/hanging.h, in the present pose [rad/s]. lk_fastest_swing() finds this
 * value once the mechanism hangs. @ret_body: body of the model that contributes most. Return: 0
 * or -ENOMEM. */
int lk_fastest_hanging(struct lk_system *system, double *ret_rate, int *ret_body);

/** lk_blow_to_rate() - add to system->now the motion after a blow along the first coordinate of
 * @joint, scaled so that the coordinate has @rate [rad/s, m/s]. Return: false if the coordinate
 * cannot move. */
bool lk_blow_to_rate(struct lk_system *system, int joint, double rate);

/** lk_blow_answer() - compute the rate that each sensor of the blocks measures after a unit impulse
 * of push @push of the blocks, under the rigid rows, without springs and dampers [1/kg, 1/(kg m),
 * 1/(kg m^2)].
 * @ret: rate of sensor i at [i * @stride] */
void lk_blow_answer(struct lk_system *system, int push, double *ret, int stride);

#endif
