/* SPDX-License-Identifier: Apache-2.0 */
/* Tension: geometric stiffness of a body. The forces of its joints turn the body back when it
 * rotates. A light body under a large load may swing across that load with a period shorter than a
 * step. For such a body, the first half kick of `rattle` includes the change of these torques over
 * the step. */
#ifndef LK_STEP_TENSION_H
#define LK_STEP_TENSION_H

#include "step/system.h"
#include <math.h>

/** lk_tension_holds_point() - return whether the first three rows of a joint fix a point of one
 * body to a point of the other. RT: yes. */
LK_RT int lk_tension_holds_point(const struct lk_system *system, int joint);

/** lk_tension_add_joint() - add to @sum the contribution of @joint to K of the body on its @side,
 * with the multipliers of system->now. @R: orientation of that body. RT: yes. */
LK_RT void lk_tension_add_joint(const struct lk_system *system, int joint, int side,
                                const double R[9], double sum[6]);

/** lk_tension_of() - compute K of body @b in system->now [N m/rad]: the torque of its joints'
 * forces changes by -K delta when the body turns by delta. K is the sum of (l.f) 1 - (l f^T + f
 * l^T) / 2 over the joint points of the body, with lever l and force f. Body axes, xx yy zz xy xz
 * yz. The parts of a split body turn as one body. Each part has the same share of the sum as of the
 * moment of inertia.
 * RT: yes. */
LK_RT void lk_tension_of(const struct lk_system *system, int b, double ret[6]);

/** lk_tension_all() - compute K of all bodies, in one pass over the joints; system->pose must be
 * the pose of system->now. @ret: n_bodies. RT: yes. */
LK_RT void lk_tension_all(const struct lk_system *system, double (*ret)[6]);

/** lk_tension_root() - compute the lower triangular matrix L with J = L L^T (xx yy zz yx zx zy).
 * Return: 0 if J has no inverse, else 1. RT: yes. */
LK_RT int lk_tension_root(const double J[6], double ret[6]);

/** lk_tension_stiffest() - return the largest eigenvalue of L^-1 K L^-T [1/s^2]. RT: yes. */
LK_RT double lk_tension_stiffest(const double root[6], const double K[6]);

/** lk_tension_part() - compute the part of @K that is too stiff for the step, as a stiffness.
 * With e and U the eigenvalues and eigenvectors of @s L^-1 K L^-T, it is L U e' U^T L^T / s,
 * where e' is 0 below e = 0.1 and rises to e at 0.2. RT: yes, the same work for any K. */
LK_RT void lk_tension_part(const double root[6], double s, const double K[6], double ret[6]);

#define LK_TENSION_SLOW 0.1 /* largest s K / J, or s K / m, that a step resolves */

/** lk_tension_share() - return the share of a stiffness with @e = s K / J that is too stiff for the
 * step: 0 to 1, continuous in @e. RT: yes. */
static inline double lk_tension_share(double e)
{
    return fmin(1, fmax(0, e / LK_TENSION_SLOW - 1));
}

#define LK_TENSE 0.03 /* value of s K / J above which rattle includes the tension of a body */

/** lk_tension_is_followed() - return whether `rattle` includes the tension of body @b. This is so
 * if the tension may be large, except in the parts of a step of higher order, whose results could
 * then not be combined. A chain swings across its tension with up to four times the bound of one
 * lever, and a swinging load pulls with up to three times its weight. RT: yes. */
static inline bool lk_tension_is_followed(const struct lk_system *system, int b)
{
    return !system->is_part && system->body[b].tension > LK_TENSE;
}

/** lk_tension_count() - return the number of bodies whose tension `rattle` includes. Not for the
 * cycle. */
int lk_tension_count(const struct lk_system *system);

#endif
