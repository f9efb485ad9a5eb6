/* SPDX-License-Identifier: Apache-2.0 */
/* Factor, solves and projections for executor `one`. All are for the cycle, RT: yes. */
#ifndef LK_STEP_ONE_EVALUATE_H
#define LK_STEP_ONE_EVALUATE_H

#include "step/system.h"

/** lk_evaluate_jacobians() - compute system->jacobian at the current poses. */
LK_RT void lk_evaluate_jacobians(struct lk_system *system);
/** lk_evaluate_factor() - compute the factor at the current Jacobians. */
LK_RT void lk_evaluate_factor(struct lk_system *system);
/** lk_evaluate_rigid_factor() - compute the factor of the rigid rows at the current Jacobians, if
 * @system has leaves_laws; otherwise of all rows. Until the next factor the right-hand sides of
 * compliant rows outside this factor must be 0; their solutions are 0. */
LK_RT void lk_evaluate_rigid_factor(struct lk_system *system);
/** lk_evaluate_rigid() - compute Jacobians of the rows of lk_evaluate_rigid_factor(), then call
 * lk_evaluate_rigid_factor(). */
LK_RT void lk_evaluate_rigid(struct lk_system *system);
/** lk_evaluate_solve() - solve for all rows with the last factor, in place; @x:
 * system->solution. */
LK_RT void lk_evaluate_solve(struct lk_system *system, double *x);
/** lk_evaluate_reduce() - subtract Phi_q @motion from system->solution, for all rows of the
 * last factor. @motion: s W g, or another motion of the bodies. */
LK_RT void lk_evaluate_reduce(struct lk_system *system, const struct lk_twist *motion);
/** lk_evaluate_correction() - solve with the right-hand side in system->solution, then
 * compute system->correction = s W Phi_q^T solution. */
LK_RT void lk_evaluate_correction(struct lk_system *system);
/** lk_evaluate_spread() - compute system->correction = s W Phi_q^T solution, with the
 * solution in system->solution. */
LK_RT void lk_evaluate_spread(struct lk_system *system);

/** lk_evaluate_refined() - do lk_evaluate_correction() with iterative refinement, which
 * removes most of the effect of E: solve (E + A) x = b, then (E + A) x' = E x, and add both. If
 * rows are independent, E is at round-off and only x is used.
 * @scratch: n_rows. */
LK_RT void lk_evaluate_refined(struct lk_system *system, double *scratch);

#define LK_LEAST_SOLVES 3 /* number of solves if rows are redundant */

/** lk_evaluate_velocity_violation() - compute dPhi/dt of rigid rows at the present twists
 * into system->solution; 0 for compliant rows except those of stops that are hit. */
LK_RT void lk_evaluate_velocity_violation(struct lk_system *system);

/** lk_project_velocities() - project the velocities of @state onto the joints: solve for sigma with
 * the last factor and the right-hand side dPhi/dt (0 for compliant rows), then v -= s W Phi_q^T
 * sigma. Index-3 DCA paper, mass-orthogonal projection; twists must be those of @state and are
 * updated. */
LK_RT void lk_project_velocities(struct lk_system *system, struct lk_state *state);

/** lk_project_accelerations() - project the accelerations of @state onto the joints: solve for
 * kappa with the right-hand side Phi_q a + d2Phi/dt2, then a -= s W Phi_q^T kappa, and lambda += s
 * kappa, so that the multipliers converge with order 2.
 * @jump: W dQ of loads that have just jumped, n_bodies + 1 + n_frames, or NULL; see
 * lk_evaluate_acceleration_violation() */
LK_RT void lk_project_accelerations(struct lk_system *system, struct lk_state *state,
                                    const struct lk_twist *jump);

/** lk_evaluate_acceleration_violation() - compute Phi_q a + d2Phi/dt2 of rigid rows into
 * system->solution, with the accelerations of @state. Compliant rows: 0, or Phi_q @jump. With
 * @jump, rows that are stiff for the step transmit a jump of the loads at once, like rigid rows;
 * soft rows do not. */
LK_RT void lk_evaluate_acceleration_violation(struct lk_system *system,
                                              const struct lk_state *state,
                                              const struct lk_twist *jump);

/** lk_evaluate_rigid_violations() - compute Phi of the rigid rows at the present poses into the
 * right-hand side; 0 for other rows. */
LK_RT void lk_evaluate_rigid_violations(struct lk_system *system);

/** lk_correct_positions(), lk_correct_velocities() - subtract system->correction from the poses, or
 * from the velocities and twists, of @state. Return: largest component [m, rad]. */
LK_RT double lk_correct_positions(struct lk_system *system, struct lk_state *state);
LK_RT void lk_correct_velocities(struct lk_system *system, struct lk_state *state);

/** lk_correct_accelerations() - subtract s W Phi_q^T times system->solution from the accelerations
 * of @state, and add s times system->solution to its multipliers. */
LK_RT void lk_correct_accelerations(struct lk_system *system, struct lk_state *state);

/** lk_evaluate_rebounds() - write the rates of restitution at stops that were hit into the
 * right-hand side; 0 for other rows. */
LK_RT void lk_evaluate_rebounds(struct lk_system *system);

/** lk_start_renew() - compute the scratch at the start of a step for executor `one`: poses, twists,
 * drives, Jacobians and factor of system->now. Cycle, RT: yes. */
LK_RT void lk_start_renew(struct lk_system *system);

/** lk_start_take_tangents() - compute E of compliant rows from the tangents in system->now. Cycle,
 * RT:
 * yes. */
LK_RT void lk_start_take_tangents(struct lk_system *system);

#endif
