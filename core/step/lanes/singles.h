/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are evaluated joint by joint, outside of the lanes: rows of rare types, compliant rows
 * and driven rows. The functions of executor `one` (evaluate.c, laws.c, drives.c) compute these
 * rows from poses and twists that the bodies copy to the scratch of the system. The results are
 * written into the lane of the joint. Afterwards these rows are treated like other rows: elements,
 * fronts, solutions and forces on bodies are computed in lanes.
 *
 * Each function uses one block and the scratch of its bodies only, so that tasks may run it at the
 * same time, except in the sections "for all". All are for the cycle, RT: yes. */
#ifndef LK_STEP_BATCH_SINGLES_H
#define LK_STEP_BATCH_SINGLES_H

#include "step/elements/loads.h"
#include "step/lanes/batch.h"

/** lk_singles_show_pose() - copy to system->pose the poses of those bodies in @block that rows
 * outside of the lanes need. @field: X or NOW_X */
LK_RT void lk_singles_show_pose(struct lk_system *system, const struct lk_batches *batches,
                                int block, int field);

/** lk_singles_show_twist() - copy to system->twist the twists of those bodies in @block that rows
 * outside of the lanes need. @field: OLD_V (state), or the field of a stage */
LK_RT void lk_singles_show_twist(struct lk_system *system, const struct lk_batches *batches,
                                 int block, int field);

/** lk_singles_show_values() - copy twists of the bodies in @block to system->twist from @v: six
 * vectors, the velocity (world axes) and the angular velocity (body axes). */
LK_RT void lk_singles_show_values(struct lk_system *system, const struct lk_batches *batches,
                                  int block, const double *v);

/** lk_singles_show_iterate() - copy the pose of an iterate; also its estimate of the twist at
 * the end of the step, if rows depend on velocities. */
LK_RT void lk_singles_show_iterate(struct lk_system *system, const struct lk_batches *batches,
                                   int block);

/** lk_singles_violate() - compute Phi of a block of joints into its right-hand side; for a
 * soft block, (f - lambda) E with the multipliers in its lanes. @is_first: also compute E of
 * soft rows from the tangents of their laws. Return: the largest |Phi| of a rigid row. */
LK_RT double lk_singles_violate(struct lk_system *system, const struct lk_batches *batches,
                                int block, bool is_first);

/** lk_singles_release() - do the work of lk_law_steps_release() for a soft block. */
LK_RT void lk_singles_release(struct lk_system *system, const struct lk_batches *batches,
                              int block);

/** lk_singles_close() - compute Phi at the pose of the factor into the right-hand side; soft rows:
 * 0, and E from the tangents of system->next. */
LK_RT void lk_singles_close(struct lk_system *system, const struct lk_batches *batches, int block);

/** lk_singles_turn() - compute system->jacobian of a block of joints, and copy it to the lanes.
 * @is_known: system->jacobian is up to date */
LK_RT void lk_singles_turn(struct lk_system *system, const struct lk_batches *batches, int block,
                           bool is_known);

/** lk_singles_turn_to() - compute system->jacobian of a block of joints at the present pose,
 * and copy it to @ret in the layout of the lanes. */
LK_RT void lk_singles_turn_to(struct lk_system *system, const struct lk_batches *batches, int block,
                              double *ret);

/** lk_singles_drift() - add dPhi/dt with all bodies at rest, caused by drives and moving frames, to
 * @ret, a vector for each row. */
LK_RT void lk_singles_drift(const struct lk_system *system, const struct lk_batches *batches,
                            int block, double *ret);

/** lk_singles_gamma() - compute gamma and the contribution of moving frames to Phi_q a, into the
 * right-hand side; soft rows: 0. */
LK_RT void lk_singles_gamma(const struct lk_system *system, const struct lk_batches *batches,
                            int block);

/** lk_singles_end() - copy the multipliers of a soft block from its lanes to system->next;
 * @is_kept: use the multipliers of the last accepted iterate. */
LK_RT void lk_singles_end(struct lk_system *system, const struct lk_batches *batches, int block,
                          bool is_kept);

/* ---- laws of `ali3`, whose multipliers are kept from step to step like those of rigid rows ----
 */

/** lk_singles_follow_pose() - compute (f - lambda) E of a soft block into its right-hand
 * side, with system->jacobian of the present pose; @is_first: also E. See
 * lk_law_steps_follow_pose(). */
LK_RT void lk_singles_follow_pose(struct lk_system *system, const struct lk_batches *batches,
                                  int block, bool is_first);

/** lk_singles_jump() - compute Phi_q times the change of accelerations in system->correction into
 * the right-hand side of a soft block. */
LK_RT void lk_singles_jump(struct lk_system *system, const struct lk_batches *batches, int block);

/** lk_singles_take_multipliers() - copy the multipliers of all soft rows from system->next to their
 * lanes. */
LK_RT void lk_singles_take_multipliers(const struct lk_system *system,
                                       const struct lk_batches *batches);

/** lk_singles_hold() - write @rates, a vector for each row, into the right-hand side of the rows in
 * a soft block whose stops were hit. @is_acceleration: add gamma, and write only rows that rest on
 * their stops. */
LK_RT void lk_singles_hold(struct lk_system *system, const struct lk_batches *batches, int block,
                           bool is_acceleration, const double *rates);

/** lk_singles_bounce() - write the rates of restitution at stops that were hit into the
 * right-hand side of a soft block; other soft rows: 0. */
LK_RT void lk_singles_bounce(const struct lk_system *system, const struct lk_batches *batches,
                             int block);

/** lk_singles_decouple() - set E of all soft rows in their lanes to LK_DECOUPLED, so that a
 * projection does not change these rows. */
LK_RT void lk_singles_decouple(const struct lk_batches *batches);

/** lk_singles_regularise() - copy E of all soft rows to their lanes. */
LK_RT void lk_singles_regularise(const struct lk_system *system, const struct lk_batches *batches);

/* ---- laws, functions for all blocks ---- */

/** lk_singles_take_laws() - initialise the multipliers of all soft rows in the iterations with
 * those of system->next. */
LK_RT void lk_singles_take_laws(struct lk_system *system, const struct lk_batches *batches);

/** lk_singles_turn_soft() - compute system->jacobian of all soft rows at the present poses. */
LK_RT void lk_singles_turn_soft(struct lk_system *system, const struct lk_batches *batches);

/** lk_singles_keep_rates() - copy @rates of the rows of a soft block, as vectors, to the field rate
 * of struct lk_element_work.  lk_singles_give_damping() - copy the multipliers of dampers in the
 * velocity projection to system->solution. lk_singles_share() - add the solution of a soft block to
 * the multipliers of system->next. */
LK_RT void lk_singles_keep_rates(const struct lk_system *system, const struct lk_batches *batches,
                                 int block, const double *rates);
LK_RT void lk_singles_give_damping(struct lk_system *system, const struct lk_batches *batches);
LK_RT void lk_singles_share(const struct lk_system *system, const struct lk_batches *batches,
                            int block);

/** lk_singles_follow() - if laws are loads: compute the coordinates of system->next, Jacobians and
 * multipliers of all soft rows, at the poses and twists of the system. Return: powers of the laws.
 */
LK_RT struct lk_law_powers lk_singles_follow(struct lk_system *system,
                                             const struct lk_batches *batches);

/** lk_singles_pull() - add Phi_q^T lambda of all soft rows to @sum, with the multipliers of
 * system->next. */
LK_RT void lk_singles_pull(const struct lk_system *system, const struct lk_batches *batches,
                           struct lk_twist *sum);

/* ---- hard stops, functions for all blocks; see step/elements/stops.c ---- */

/** lk_singles_push() - apply lk_stops_push() to the increments of all bodies and soft rows. */
LK_RT bool lk_singles_push(struct lk_system *system, const struct lk_batches *batches,
                           int iteration);

/** lk_singles_shove() - copy motions of all bodies to their lanes, SHOVE.  lk_singles_held() - copy
 * the response of the rows to system->correction, and the multipliers to system->solution: from
 * lambda if @is_refined, else from the solution. */
LK_RT void lk_singles_shove(const struct lk_system *system, const struct lk_batches *batches,
                            const struct lk_twist *shove);
LK_RT void lk_singles_held(struct lk_system *system, const struct lk_batches *batches,
                           bool is_refined);

#endif
