/* SPDX-License-Identifier: Apache-2.0 */
/* Properties that only few bodies have: no inertia about one axis, a tension that is too stiff for
 * the step, dampers. If a system has such bodies, blocks have the fields of enum lk_rare_field. The
 * functions here work body by body; the equations are those of step/one/positions.c and
 * step/one/velocities.c. All for the cycle, RT: yes. */
#ifndef LK_STEP_BATCH_RARE_H
#define LK_STEP_BATCH_RARE_H

#include "step/lanes/batch.h"

/** lk_rare_find_tense() - find the bodies whose tension is included, see tension.h. */
LK_RT void lk_rare_find_tense(const struct lk_system *system, struct lk_batches *batches);

/** lk_rare_body() - write the constant fields of a body. */
LK_RT void lk_rare_body(const struct lk_system *system, const struct lk_batches *batches, int body);

/** lk_rare_share_tension() - compute K of split bodies once, from all joints of the whole body, and
 * copy it to all parts. Call before lk_rare_take_tension(). */
LK_RT void lk_rare_share_tension(const struct lk_system *system, const struct lk_batches *batches);

/** lk_rare_take_tension() - for the bodies of @block whose tension is included, compute K from the
 * multipliers and poses of system->now, and replace s J^-1 by s (J + s K)^-1.
 * lk_rare_leave_tension() - restore s J^-1. */
LK_RT void lk_rare_take_tension(const struct lk_system *system, const struct lk_batches *batches,
                                int block);
LK_RT void lk_rare_leave_tension(const struct lk_system *system, const struct lk_batches *batches,
                                 int block);

/** lk_rare_book_tension() - book the energy that included tensions dissipate, after the second half
 * kick. */
LK_RT void lk_rare_book_tension(const struct lk_system *system, const struct lk_batches *batches);

#endif
