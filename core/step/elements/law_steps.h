/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of compliant rows over a step, see law_steps.c. All for the cycle, RT: yes. */
#ifndef LK_STEP_ELEMENTS_LAW_STEPS_H
#define LK_STEP_ELEMENTS_LAW_STEPS_H

#include "step/elements/elements.h"

/** lk_law_steps_begin() - values of their rows at q_n, and the powers that lk_law_steps_book()
 * replaces; their multipliers begin with those of system->now. */
LK_RT void lk_law_steps_begin(struct lk_system *system);

/** lk_law_steps_follow() - (f - lambda) E of the compliant rows of joint @j at the pose of an
 * iterate into system->solution; @is_first: at the predicted one, whose tangent gives E. */
LK_RT void lk_law_steps_follow(struct lk_system *system, int j, bool is_first);

/** lk_law_steps_turn() - the multipliers of laws, which are those of rows at the start of the step,
 * for the rows at its end: a rotation may have passed half a turn. Call at closed poses, before the
 * kick. */
LK_RT void lk_law_steps_turn(struct lk_system *system);

/** lk_law_steps_release() - E of the compliant rows of joint @j in the factor of velocities and
 * accelerations, at the present poses, into system->next.tangent: LK_DECOUPLED, or
 * lk_law_closing() where the system closes_dampers. */
LK_RT void lk_law_steps_release(struct lk_system *system, int j);

/** lk_law_steps_settle() - multipliers of compliant rows in system->next by their laws, at the
 * present poses and twists and the coordinates of @state. */
LK_RT void lk_law_steps_settle(struct lk_system *system, const struct lk_state *state);

/** lk_law_steps_keep_rates() - rates of their rows by the half kick alone, at the present twists.
 */
LK_RT void lk_law_steps_keep_rates(struct lk_system *system);

/** lk_law_steps_book_damping() - the work of the impulses that close dampers: s @sigma, the
 * solution of the projection of velocities, times the mean of the rates before and after it. It
 * counts as dissipated, that of impedances as taken by the step. */
LK_RT void lk_law_steps_book_damping(struct lk_system *system, const double *sigma);

/** lk_law_steps_book() - what the dampers of soft stops, and of all laws where the system
 * closes_dampers, take in the step, in place of what the powers at its ends tell; coordinates and
 * twists of system->next are up to date. */
LK_RT void lk_law_steps_book(struct lk_system *system);

/** lk_law_steps_follow_pose() - of `ali3`: (f - lambda) E of the compliant rows of joint @j at the
 * present poses and twists into system->solution, with the multipliers of system->next.
 * @jacobian: of the joint at that pose
 * @is_first: at the predicted one, where E of a nonlinear law is made anew of its tangent */
LK_RT void lk_law_steps_follow_pose(struct lk_system *system, int j, struct lk_jacobian jacobian,
                                    bool is_first);

#endif
