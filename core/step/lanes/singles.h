/* SPDX-License-Identifier: Apache-2.0 */
/* Rows beside the lanes: those of rare kinds, and those that follow laws or drives, are found one
 * by one by the functions that the step one by one has (evaluate.c, laws.c, drives.c), from poses
 * and twists that their bodies show in the scratch of the system, and written into the lane of
 * their joint. From there on they are rows like others: elements, fronts, solutions and what they
 * do to bodies are side by side.
 *
 * Everything here touches one block and the scratch of its bodies alone, so tasks may run it at the
 * same time, except what is said to be for all. All for the cycle, RT: yes. */
#ifndef LK_STEP_BATCH_SINGLES_H
#define LK_STEP_BATCH_SINGLES_H

#include "step/elements/loads.h"
#include "step/lanes/batch.h"

/** lk_singles_show_pose() - system->pose of bodies in @block that are to be shown. @field: X or
 * NOW_X */
LK_RT void lk_singles_show_pose(struct lk_system *system, const struct lk_batches *batches,
                                int block, int field);

/** lk_singles_show_twist() - likewise system->twist. @field: OLD_V, of the state, or that of a
 * stage */
LK_RT void lk_singles_show_twist(struct lk_system *system, const struct lk_batches *batches,
                                 int block, int field);

/** lk_singles_show_values() - likewise, of @v: six vectors, along the world and about body axes. */
LK_RT void lk_singles_show_values(struct lk_system *system, const struct lk_batches *batches,
                                  int block, const double *v);

/** lk_singles_show_iterate() - pose of an iterate, and the twist at the end of the step as far as
 * it is known, for rows that ask for it. */
LK_RT void lk_singles_show_iterate(struct lk_system *system, const struct lk_batches *batches,
                                   int block);

/** lk_singles_violate() - Phi of a block of joints into its right-hand side; of a soft block
 * (f - lambda) E with the multipliers in its lanes, and @is_first E from the tangent of its laws.
 * Return: the largest |Phi| of a rigid row. */
LK_RT double lk_singles_violate(struct lk_system *system, const struct lk_batches *batches,
                                int block, bool is_first);

/** lk_singles_release() - lk_law_steps_release() for a soft block. */
LK_RT void lk_singles_release(struct lk_system *system, const struct lk_batches *batches,
                              int block);

/** lk_singles_close() - Phi at the pose of the factor into the right-hand side; soft rows: 0, and E
 * from the tangents of system->next. */
LK_RT void lk_singles_close(struct lk_system *system, const struct lk_batches *batches, int block);

/** lk_singles_turn() - system->jacobian of a block of joints, and that of its lanes. @is_known: the
 * first one is up to date */
LK_RT void lk_singles_turn(struct lk_system *system, const struct lk_batches *batches, int block,
                           bool is_known);

/** lk_singles_turn_to() - the same at the present pose into @ret, vectors like those of the lanes,
 * which stay as they are. */
LK_RT void lk_singles_turn_to(struct lk_system *system, const struct lk_batches *batches, int block,
                              double *ret);

/** lk_singles_drift() - add dPhi/dt with all bodies at rest, by drives and moving frames, to
 * @ret, a vector for each row. */
LK_RT void lk_singles_drift(const struct lk_system *system, const struct lk_batches *batches,
                            int block, double *ret);

/** lk_singles_gamma() - gamma into the right-hand side, and what moving frames add to Phi_q a; soft
 * rows: 0. */
LK_RT void lk_singles_gamma(const struct lk_system *system, const struct lk_batches *batches,
                            int block);

/** lk_singles_end() - multipliers of a soft block from its lanes into system->next; @is_kept: those
 * of the last iterate but one. */
LK_RT void lk_singles_end(struct lk_system *system, const struct lk_batches *batches, int block,
                          bool is_kept);

/* ---- laws of `ali3`, whose multipliers go on like those of rigid rows ---- */

/** lk_singles_follow_pose() - (f - lambda) E of a soft block into its right-hand side, with
 * system->jacobian of the present pose; @is_first: E, too. See lk_law_steps_follow_pose(). */
LK_RT void lk_singles_follow_pose(struct lk_system *system, const struct lk_batches *batches,
                                  int block, bool is_first);

/** lk_singles_jump() - Phi_q of the change of accelerations in system->correction into the
 * right-hand side of a soft block. */
LK_RT void lk_singles_jump(struct lk_system *system, const struct lk_batches *batches, int block);

/** lk_singles_take_multipliers() - those of all soft rows from system->next into their lanes. */
LK_RT void lk_singles_take_multipliers(const struct lk_system *system,
                                       const struct lk_batches *batches);

/** lk_singles_hold() - @rates, a vector for each row, into the right-hand side of the rows in a
 * soft block whose stops were hit; @is_acceleration: with gamma, of those that rest on theirs. */
LK_RT void lk_singles_hold(struct lk_system *system, const struct lk_batches *batches, int block,
                           bool is_acceleration, const double *rates);

/** lk_singles_bounce() - rates that stops which were hit give, likewise; other soft rows: 0. */
LK_RT void lk_singles_bounce(const struct lk_system *system, const struct lk_batches *batches,
                             int block);

/** lk_singles_decouple() - E of all soft rows in their lanes is so large that a projection leaves
 * them alone. */
LK_RT void lk_singles_decouple(const struct lk_batches *batches);

/** lk_singles_regularise() - E of all soft rows into their lanes. */
LK_RT void lk_singles_regularise(const struct lk_system *system, const struct lk_batches *batches);

/* ---- laws, for all ---- */

/** lk_singles_take_laws() - multipliers of all soft rows of the iterations begin with those of
 * system->next. */
LK_RT void lk_singles_take_laws(struct lk_system *system, const struct lk_batches *batches);

/** lk_singles_turn_soft() - system->jacobian of all soft rows at the present poses. */
LK_RT void lk_singles_turn_soft(struct lk_system *system, const struct lk_batches *batches);

/** lk_singles_keep_rates() - @rates of the rows of a soft block, vectors, into the rate of struct
 * lk_element_work.  lk_singles_give_damping() - what closes dampers, into their rows of
 * system->solution. lk_singles_share() - add the solution of a soft block to the multipliers of
 * system->next. */
LK_RT void lk_singles_keep_rates(const struct lk_system *system, const struct lk_batches *batches,
                                 int block, const double *rates);
LK_RT void lk_singles_give_damping(struct lk_system *system, const struct lk_batches *batches);
LK_RT void lk_singles_share(const struct lk_system *system, const struct lk_batches *batches,
                            int block);

/** lk_singles_follow() - where laws are loads: coordinates of system->next, Jacobians and
 * multipliers of all soft rows, at the poses and twists of the system. Return: powers of the laws.
 */
LK_RT struct lk_law_powers lk_singles_follow(struct lk_system *system,
                                             const struct lk_batches *batches);

/** lk_singles_pull() - add Phi_q^T lambda of all soft rows, of system->next, to @sum. */
LK_RT void lk_singles_pull(const struct lk_system *system, const struct lk_batches *batches,
                           struct lk_twist *sum);

/* ---- hard stops, for all; see step/elements/stops.c ---- */

/** lk_singles_push() - lk_stops_push() on the increments of all bodies and soft rows. */
LK_RT bool lk_singles_push(struct lk_system *system, const struct lk_batches *batches,
                           int iteration);

/** lk_singles_shove() - motions of all bodies into their lanes, SHOVE.  lk_singles_held() - what
 * became of it, into system->correction, and the multipliers into system->solution: those in
 * lambda, or the solution. */
LK_RT void lk_singles_shove(const struct lk_system *system, const struct lk_batches *batches,
                            const struct lk_twist *shove);
LK_RT void lk_singles_held(struct lk_system *system, const struct lk_batches *batches,
                           bool is_refined);

#endif
