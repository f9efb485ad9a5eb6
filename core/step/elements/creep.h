/* SPDX-License-Identifier: Apache-2.0 */
/* Creep whose coefficients follow the normal force N of its contact, and spin creepage (J. J.
 * Kalker; B. Simeon, C. Fuehrer, P. Rentrop, Differential-algebraic equations in vehicle system
 * dynamics, 1991). The contact ellipse has the mean semiaxis c ~ N^(1/3) (Hertz), so
 *
 *     G c^2 C11, G c^2 C22 ~ N^(2/3)      G c^3 C23 ~ N      mu N ~ N
 *
 * and the lateral force is that of the slip velocity v_y + (c C23 / C22) w_n, where w_n is the
 * angular velocity of the wheel relative to the rail about the contact normal, seen with the
 * rolling direction as x axis. The moment of spin is left out, as in that paper.
 *
 * mu N limits both forces together: each saturates at mu N, and if their sum is larger, both are
 * reduced in proportion.
 *
 * N is the multiplier of the contact row in the present iterate. The force of creep changes with N
 * by the friction coefficient at most, so that the iterations of the step include this dependence.
 * At the end of a step N is that of the accelerations, and the step is corrected once by the
 * difference: see follow_loads() in scripts/rattle.c and project_motion() in scripts/ali3.c. */
#ifndef LK_STEP_CREEP_H
#define LK_STEP_CREEP_H

#include "step/system.h"
#include <stdbool.h>

/** lk_creep_follows() - return whether joint @j is a creep element with anything of this file. The
 * model decides, so that the work is the same in every step. RT: yes. */
LK_RT bool lk_creep_follows(const struct lk_system *system, const struct lk_joint *j);

/** lk_creep_spin() - return w_n of creep element @j [rad/s] for the present poses.
 * @rail, @wheel: velocities of both bodies
 * RT: yes. */
LK_RT double lk_creep_spin(const struct lk_system *system, const struct lk_joint *j,
                           const struct lk_twist *rail, const struct lk_twist *wheel);

/** lk_creep_take_load() - store the normal force N of creep element @j, from the multipliers
 * @lambda of all rows. While the multiplier of the contact is 0, which it is only before the first
 * solve, or where a formulation has not solved yet, N keeps its value. Does nothing for
 * joints without lk_creep_follows(). RT: yes. */
LK_RT void lk_creep_take_load(const struct lk_system *system, const struct lk_joint *j,
                              const double *lambda);

/** lk_creep_follow_pose() - do lk_creep_follow() with the spin of the present twists. Does nothing
 * for joints without lk_creep_follows(). RT: yes. */
LK_RT void lk_creep_follow_pose(const struct lk_system *system, const struct lk_joint *j,
                                const double *lambda, const double *rates);

/** lk_creep_follow() - set coefficients, limit and lateral slip of creep element @j for the
 * multipliers @lambda of all rows, the rates @rates of its rows [m/s] and the spin @spin [rad/s].
 * N is that of lk_creep_take_load(). RT: yes. */
LK_RT void lk_creep_follow(const struct lk_system *system, const struct lk_joint *j,
                           const double *lambda, const double *rates, double spin);

#endif
