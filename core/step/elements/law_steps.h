/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of compliant rows over a step, see law_steps.c. All functions are for the cycle, RT:
 * yes. */
#ifndef LK_STEP_ELEMENTS_LAW_STEPS_H
#define LK_STEP_ELEMENTS_LAW_STEPS_H

#include "step/elements/elements.h"

/** lk_law_steps_follow() - compute (f - lambda) E of the compliant rows of joint @j at the pose of
 * an iterate, into system->solution. @is_first: at the predicted pose, whose tangent gives E. */
LK_RT void lk_law_steps_follow(struct lk_system *system, int j, bool is_first);

/** lk_slip_rates() - compute the rates of the rows of joint @j that have no coordinate, such as
 * slip: the mean of the Jacobians at both ends of the step, those in system->jacobian and those of
 * the present poses, times the mean of the velocities.
 * @ret: LK_ROWS_MAX */
LK_RT void lk_slip_rates(const struct lk_system *system, int j, double *ret);

/** lk_law_steps_slide() - compute K v h/2 of the nonholonomic rows of joint @j with @jacobian, K at
 * the pose of an iterate of `ali3`, into system->solution. Its derivative by the pose is K, with v
 * of the trapezoidal rule. */
LK_RT void lk_law_steps_slide(struct lk_system *system, int j, struct lk_jacobian jacobian);

/** lk_law_steps_release() - compute E of the compliant rows of joint @j in the factor of velocities
 * and accelerations, at the present poses, into system->next.tangent: LK_DECOUPLED, or
 * lk_law_closing() if the system has closes_dampers. */
LK_RT void lk_law_steps_release(struct lk_system *system, int j);

/** lk_law_steps_keep_rates() - store the rates that compliant rows have after the half kick,
 * before any multiplier acts, at the present twists. */
LK_RT void lk_law_steps_keep_rates(struct lk_system *system);

/** lk_law_steps_change() - evaluate the laws that follow normal forces at the present poses and
 * twists, with the normal forces of @state, and store their multipliers in system->next. @sum: the
 * change of Phi_q^T lambda is added to each body */
LK_RT void lk_law_steps_change(struct lk_system *system, const struct lk_state *state,
                               struct lk_twist *sum);

/** lk_law_steps_follow_pose() - compute, in a step of `ali3`, (f - lambda) E of the compliant
 * rows of joint @j at the present poses and twists into system->solution, with the multipliers
 * of system->next.
 * @jacobian: Jacobian of the joint at the present pose
 * @is_first: at the predicted pose, where E of a nonlinear law is computed from its tangent */
LK_RT void lk_law_steps_follow_pose(struct lk_system *system, int j, struct lk_jacobian jacobian,
                                    bool is_first);

#endif
