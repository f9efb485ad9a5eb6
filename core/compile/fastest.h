/* SPDX-License-Identifier: Apache-2.0 */
/* Fastest modes of a whole mechanism in its present state, by power iteration with the rigid rows
 * holding; and the motion that a blow makes. Offline; one by one: after them lk_system_reset() or
 * lk_start_resume(). */
#ifndef LK_COMPILE_FASTEST_H
#define LK_COMPILE_FASTEST_H

#include "step/system.h"
#include <stdbool.h>

struct lk_model;

/** lk_steepest_tangent() - stiffness or damping of law @i: linear, or the steepest slope, at which
 * nothing slips. */
double lk_steepest_tangent(const struct lk_system *system, int i, int is_damping);

/** lk_lacks_inertia() - whether body @b has none in some direction. */
int lk_lacks_inertia(const struct lk_system *system, int b);

/** lk_fastest_accelerate() - s a of every body under the forces in system->residual, which it
 * replaces, rigid rows holding: s a = s W (Q - Phi_q^T sigma). The factor is one of the rigid rows
 * alone. */
void lk_fastest_accelerate(struct lk_system *system);

/** lk_fastest_law_name() - the element that contributes most of law @i's stiffness or damping, or
 * the compliant joint. */
const char *lk_fastest_law_name(const struct lk_system *system, const struct lk_model *model, int i,
                                int is_damping);

/** lk_fastest_spring() - fastest frequency of all springs at work together [rad/s];
 * lk_fastest_decay() - fastest rate at which dampers stop a motion [1/s]. Both with system->now's
 * poses; 0 without. @ret_law: of the most, written where there are laws. */
double lk_fastest_spring(struct lk_system *system, int *ret_law);
double lk_fastest_decay(struct lk_system *system, int *ret_law);

/** lk_fastest_nutation() - fastest nutation at the velocities of system->now [rad/s];
 * lk_fastest_swing() - fastest swing across the forces in the joints [rad/s]. What turns about a
 * fixed axis does neither. @ret_body: of the most, of the model, written unless it is 0. Return: of
 * the second 0 or -ENOMEM. */
double lk_fastest_nutation(struct lk_system *system, int *ret_body);
int lk_fastest_swing(struct lk_system *system, double *ret_rate, int *ret_body);

/** lk_fastest_hanging() - fastest swing across the weights that will hang on bodies, see
 * compile/hanging.h, in the present pose of the mechanism [rad/s]: what lk_fastest_swing() finds
 * once it hangs. @ret_body: as above. Return: 0 or -ENOMEM. */
int lk_fastest_hanging(struct lk_system *system, double *ret_rate, int *ret_body);

/** lk_blow_to_rate() - add the motion to system->now that a blow along the first coordinate of
 * @joint makes, until that has @rate [rad/s, m/s]. Return: false: nothing can move it. */
bool lk_blow_to_rate(struct lk_system *system, int joint, double rate);

/** lk_blow_answer() - rates that a unit blow by push @push of the blocks gives what each sensor of
 * theirs sees, rigid rows holding, without springs and dampers [1/kg, 1/(kg m), 1/(kg m^2)].
 * @ret: that of sensor i at [i * @stride] */
void lk_blow_answer(struct lk_system *system, int push, double *ret, int stride);

#endif
