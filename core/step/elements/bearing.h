/* SPDX-License-Identifier: Apache-2.0 */
/* Friction of a joint by its own reaction: a pin in its hole, a slider in its guide. The rows of
 * the joint exert the force F [N] and, about the point of the joint, the torque M [N m] on one of
 * its bodies; a is its axis; all in world axes. The normal force is
 *
 *     N = |F - (F . a) a| + 2 |M - (M . a) a| / length
 *
 * and the level of the friction is scale (coulomb + mu N), for an angle scale (coulomb + mu radius
 * N). The second term of N is the pair of forces at both ends of a bearing. Friction of joints by
 * their reactions: E. J. Haug, S. C. Wu, S. M. Yang, Dynamics of mechanical systems with Coulomb
 * friction, stiction, impact and constraint addition-deletion, Mech. Mach. Theory 21 (1986)
 * 401-406.
 *
 * A step of `rattle` uses N of the accelerations at its start. At its end it is corrected with N of
 * the new state: the mean of both is the mean N of the step to order 2. The multipliers of the
 * positions are not used: they are mean values over different parts of the step for different rows,
 * and M is a small difference of large terms. `ali3` solves for accelerations, and N follows its
 * iterates. */
#ifndef LK_STEP_BEARING_H
#define LK_STEP_BEARING_H

#include "step/system.h"
#include <stdbool.h>

/** lk_bearing_follows() - return whether joint @j is the row of a coordinate with friction by load.
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
