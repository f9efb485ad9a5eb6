/* SPDX-License-Identifier: Apache-2.0 */
/* What few bodies have: no inertia about one axis, a tension that is too stiff for the step,
 * dampers. Their blocks have the fields of enum lk_rare_field; what is found one by
 * one is here, the equations are those of step/one/positions.c and step/one/velocities.c. All
 * for the cycle, RT: yes. */
#ifndef LK_STEP_BATCH_RARE_H
#define LK_STEP_BATCH_RARE_H

#include "step/lanes/batch.h"

/** lk_rare_find_tense() - the list of bodies whose tension is followed. */
LK_RT void lk_rare_find_tense(const struct lk_system *system, struct lk_batches *batches);

/** lk_rare_body() - the constant fields of a body. */
LK_RT void lk_rare_body(const struct lk_system *system, const struct lk_batches *batches, int body);

/** lk_rare_share_tension() - K of the parts of split bodies, as all joints of the whole body give
 * it: found once for all of them, before lk_rare_take_tension(). */
LK_RT void lk_rare_share_tension(const struct lk_system *system, const struct lk_batches *batches);

/** lk_rare_take_tension(), lk_rare_leave_tension() - s (J + s K)^-1 in place of s J^-1 for the
 * bodies of @block whose tension is followed, and K, by the multipliers and poses of system->now;
 * and back. */
LK_RT void lk_rare_take_tension(const struct lk_system *system, const struct lk_batches *batches,
                                int block);
LK_RT void lk_rare_leave_tension(const struct lk_system *system, const struct lk_batches *batches,
                                 int block);

/** lk_rare_book_tension() - what following tension took of the energy, once the bodies are kicked. */
LK_RT void lk_rare_book_tension(const struct lk_system *system, const struct lk_batches *batches);

#endif
