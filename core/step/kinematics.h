/* SPDX-License-Identifier: Apache-2.0 */
/* Kinematics of bodies and rows of joints, at the poses and twists in the scratch of a
 * system. All functions are for the cycle, RT: yes. */
#ifndef LK_STEP_KINEMATICS_H
#define LK_STEP_KINEMATICS_H

#include "step/system.h"

/** lk_evaluate_poses() - compute system->pose of every body of @state. */
LK_RT void lk_evaluate_poses(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_pose_of() - compute the pose of one body, of the ground or of a frame in
 * system->now. The result is valid even if system->pose is out of date, as it is for bodies in
 * lanes. */
LK_RT void lk_evaluate_pose_of(const struct lk_system *system, int body, struct lk_pose *ret);
/** lk_evaluate_twists() - compute system->twist from the velocities of @state. */
LK_RT void lk_evaluate_twists(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_violation() - compute Phi of all rows of joint @j at the current poses.
 * Coordinates of coupled and driven joints are unwrapped, and u(t) of a drive is subtracted. Phi
 * of compliant rows is their deflection; their law is not evaluated. @ret has LK_ROWS_MAX. */
LK_RT void lk_evaluate_violation(const struct lk_system *system, int j, double *ret);
/** lk_evaluate_gamma() - compute gamma of the rows of joint @j, less the second derivative of
 * u(t) of a drive. */
LK_RT void lk_evaluate_gamma(const struct lk_system *system, int j, double *ret);
/** lk_evaluate_coordinate() - compute coordinate @which of @joint at the current poses, and its
 * rate at the current twists. Poses define an angle only modulo 2 pi. The angle is unwrapped to the
 * value nearest to the trapezoidal prediction from system->now, so that two bodies may turn
 * relative to each other by more than half a turn in a step. @ret_rate: written. */
LK_RT double lk_evaluate_coordinate(const struct lk_system *system, const struct lk_joint *joint,
                                    int which, double *ret_rate);
/** lk_evaluate_coordinate_near() - compute coordinate @which of @joint at the current poses,
 * unwrapped to the value nearest @near. */
LK_RT double lk_evaluate_coordinate_near(const struct lk_system *system,
                                         const struct lk_joint *joint, int which, double near);
/** lk_evaluate_coordinate_rate() - compute the rate of coordinate @which at @twist. */
LK_RT double lk_evaluate_coordinate_rate(const struct lk_system *system,
                                         const struct lk_joint *joint, int which,
                                         const struct lk_twist *twist);
/** lk_evaluate_coordinate_acceleration() - compute the second derivative of coordinate @which
 * with the accelerations of @state; poses and twists are those of system->now. */
LK_RT double lk_evaluate_coordinate_acceleration(const struct lk_system *system,
                                                 const struct lk_state *state,
                                                 const struct lk_joint *joint, int which);
/** lk_evaluate_row_rates() - compute Phi_q (@twist) of all rows of joint @j; @ret has
 * LK_ROWS_PAD. */
LK_RT void lk_evaluate_row_rates(const struct lk_system *system, int j,
                                 const struct lk_twist *twist, double *ret);
/** lk_evaluate_weigh() - multiply by the inverse mass: @sum := @W @sum. @sum: forces on all bodies,
 * 0 on moving frames. */
LK_RT void lk_evaluate_weigh(const struct lk_system *system, const struct lk_inverse_mass *W,
                             struct lk_twist *sum);
/** lk_evaluate_transpose() - compute Phi_q^T @lambda of every body; @lambda: of a state, or
 * the solution. Reads up to LK_ROWS_PAD values beyond the last row. */
LK_RT void lk_evaluate_transpose(const struct lk_system *system, const double *lambda,
                                 struct lk_twist *ret);
/** lk_evaluate_law_forces() - compute Phi_q^T @lambda of every body with the multipliers of rigid
 * rows replaced by 0, without reading them. */
LK_RT void lk_evaluate_law_forces(const struct lk_system *system, const double *lambda,
                                  struct lk_twist *ret);

/** lk_evaluate_clear_frames() - set ground and frames to 0 in an array of n_bodies + 1 +
 * n_frames. */
LK_RT void lk_evaluate_clear_frames(const struct lk_system *system, struct lk_twist *array);

/** lk_evaluate_accelerations() - copy the accelerations of all bodies in @state, and of frames,
 * into system->residual. RT: yes. */
LK_RT void lk_evaluate_accelerations(struct lk_system *system, const struct lk_state *state);

/** lk_keep_coordinates() - compute coordinates and rates of system->next at the current poses
 * and twists. Cycle, RT: yes. */
LK_RT void lk_keep_coordinates(struct lk_system *system);

#endif
