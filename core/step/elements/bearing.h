/* SPDX-License-Identifier: Apache-2.0 */
/* Friction of a joint that follows the joint's own reaction: a pin in its hole, a slider in its
 * guide. With the force F of the joint's rows on one of its bodies, their torque M about the point
 * of the joint, and its axis a,
 *
 *     N = |F - (F . a) a| + 2 |M - (M . a) a| / length
 *
 * and the level of the friction is scale (coulomb + mu N), times the radius of the pin for an
 * angle. The second term is the pair of forces at both ends of a bearing of this length.
 *
 * In a step of `rattle` N is that of the accelerations at the start of the step, until the step is
 * corrected at its end by those of the new state: the mean of both is that of the step to order 2.
 * The multipliers of the positions are no help: those of different rows are mean values over
 * different parts of the step, and M is a small difference of large ones. `ali3` solves for
 * accelerations, and N follows its iterates. */
#ifndef LK_STEP_BEARING_H
#define LK_STEP_BEARING_H

#include "step/system.h"
#include <stdbool.h>

/** lk_bearing_follows() - return whether joint @j is the row of a coordinate with such friction.
 * The model decides, so that the work is the same in every step. RT: yes. */
LK_RT bool lk_bearing_follows(const struct lk_system *system, const struct lk_joint *j);

/** lk_bearing_follow() - set N of the friction on coordinate row @j from the multipliers @lambda of
 * all rows, at the present poses and Jacobians. Where all multipliers of the joint are 0, which
 * they are in a step before they are solved for, N keeps its value. Does nothing for joints without
 * lk_bearing_follows(), and while elements->keeps_loads is set. RT: yes. */
LK_RT void lk_bearing_follow(const struct lk_system *system, const struct lk_joint *j,
                             const double *lambda);

/** lk_bearings_refer() - set N of all bearings from the multipliers of @state, also where they are
 * 0, at its poses and Jacobians. RT: yes. */
LK_RT void lk_bearings_refer(const struct lk_system *system, const struct lk_state *state);

/** lk_bearing_change() - return by how much the force of row @j, at its value @x and its rate
 * @rate, is larger with the mean of the normal forces at both ends of a step of `rattle` than with
 * those of its start. RT: yes. */
LK_RT double lk_bearing_change(const struct lk_system *system, const struct lk_joint *j, double x,
                               double rate);

#endif
