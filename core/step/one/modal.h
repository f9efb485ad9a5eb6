/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with modes in the stages of `rattle`, executor `one`; they do nothing in a system without
 * such bodies. All are for the cycle, RT: yes. */
#ifndef LK_STEP_ONE_MODAL_H
#define LK_STEP_ONE_MODAL_H

#include "step/one/rattle.h"

/** lk_one_modal_kick() - begin a step: predict the modes, compute momenta and the kick of the
 * forces in system->residual; W is the one of the iterations from here on. */
LK_RT void lk_one_modal_kick(struct lk_system *system);
/** lk_one_modal_put() - compute poses of the nodes, and their motion in the step, of the iterate.
 */
LK_RT void lk_one_modal_put(struct lk_system *system);
/** lk_one_modal_residual() - do the same, and compute s W g of bodies with modes and their nodes.
 */
LK_RT void lk_one_modal_residual(struct lk_system *system);
/** lk_one_modal_find() - compute the increment of the modes in @iteration, from the solution.
 * lk_one_modal_multiply() - return the product of two increments in the norm of the mass.
 * lk_one_modal_blend() - add @alpha times an increment @before.
 * lk_one_modal_apply() - apply @part of the increment; @increment: of the bodies, already scaled */
LK_RT void lk_one_modal_find(struct lk_system *system, int iteration);
LK_RT double lk_one_modal_multiply(struct lk_system *system, int iteration, int before);
LK_RT void lk_one_modal_blend(struct lk_system *system, int iteration, int before, double alpha);
LK_RT void lk_one_modal_apply(struct lk_system *system, const struct lk_rattle_increment *increment,
                              int iteration, double part);
/** lk_one_modal_keep(), lk_one_modal_take_kept() - store the present iterate, unless the iterations
 * have ended; restore it, with W = M^-1 from here on. */
LK_RT void lk_one_modal_keep(const struct lk_system *system);
LK_RT void lk_one_modal_take_kept(struct lk_system *system);
/** lk_one_modal_place_unclosed() - place the nodes with the coordinates before closing. */
LK_RT void lk_one_modal_place_unclosed(struct lk_system *system, const struct lk_state *state);
/** lk_one_modal_close() - compute the closed coordinates and poses of system->next. */
LK_RT void lk_one_modal_close(struct lk_system *system);
/** lk_one_modal_velocities() - compute the velocities after the second half kick.
 * lk_one_modal_free() - compute the accelerations without joints.
 * lk_one_modal_subtract() - subtract the last correction from the rates or accelerations of modes.
 */
LK_RT void lk_one_modal_velocities(struct lk_system *system);
LK_RT void lk_one_modal_free(struct lk_system *system);
LK_RT void lk_one_modal_subtract(struct lk_system *system, struct lk_state *state,
                                 bool is_acceleration);
/** lk_one_modal_add() - add @scale times the last result of lk_evaluate_weigh() to the rates of the
 * modes of system->next. */
LK_RT void lk_one_modal_add(struct lk_system *system, double scale);
/** lk_one_modal_begin() - initialise the modes of system->now at a start or reset. */
LK_RT void lk_one_modal_begin(struct lk_system *system);

#endif
