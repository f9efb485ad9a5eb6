/* SPDX-License-Identifier: Apache-2.0 */
/* Tension: geometric stiffness of a body, by which the forces of its joints turn it back. A light
 * body under a large load swings across it faster than a step. Where that may happen, the first
 * half kick of `rattle` includes the change of these torques over the step. */
#ifndef LK_STEP_TENSION_H
#define LK_STEP_TENSION_H

#include "step/system.h"
#include <math.h>

/** lk_tension_holds_point() - whether the first three rows of a joint hold a point of either body.
 * RT: yes. */
LK_RT int lk_tension_holds_point(const struct lk_system *system, int joint);

/** lk_tension_add_joint() - add to @sum the contribution of @joint to K of the body on its @side,
 * with the multipliers of system->now. @R: of that body. RT: yes. */
LK_RT void lk_tension_add_joint(const struct lk_system *system, int joint, int side,
                                const double R[9], double sum[6]);

/** lk_tension_of() - K of body @b in system->now [N m/rad]: the torque of its joints' forces
 * changes by -K delta when the body turns by delta: sum of (l.f) 1 - (l f^T + f l^T) / 2 over its
 * point rows with lever l and force f. Body axes, xx yy zz xy xz yz. The parts of a split body turn
 * as one. Each has the same share of the sum, as of the moment of inertia. RT: yes. */
LK_RT void lk_tension_of(const struct lk_system *system, int b, double ret[6]);

/** lk_tension_all() - K of all bodies, in one pass over the joints; system->pose is that of
 * system->now. @ret: n_bodies. RT: yes. */
LK_RT void lk_tension_all(const struct lk_system *system, double (*ret)[6]);

/** lk_tension_root() - L, lower, with J = L L^T (xx yy zz yx zx zy). Return: 0 where J has no
 * inverse, else 1. RT: yes. */
LK_RT int lk_tension_root(const double J[6], double ret[6]);

/** lk_tension_stiffest() - the largest eigenvalue of L^-1 K L^-T [1/s^2]. RT: yes. */
LK_RT double lk_tension_stiffest(const double root[6], const double K[6]);

/** lk_tension_part() - compute the part of @K that is too stiff for the step, again as a stiffness:
 * with e and U the eigenvalues and eigenvectors of @s L^-1 K L^-T, L U e' U^T L^T / s, where e' is
 * 0 below e = 0.1, then rises to e at 0.2. RT: yes, the same work for any K. */
LK_RT void lk_tension_part(const double root[6], double s, const double K[6], double ret[6]);

#define LK_TENSION_SLOW 0.1 /* largest s K / J, or s K / m, that a step resolves */

/** lk_tension_share() - return the share of a stiffness with @e = s K / J that is too stiff for the
 * step: 0 to 1, continuous in @e. RT: yes. */
static inline double lk_tension_share(double e)
{
    return fmin(1, fmax(0, e / LK_TENSION_SLOW - 1));
}

#define LK_TENSE 0.03 /* bound of s K / J above which rattle follows the tension of a body */

/** lk_tension_is_followed() - whether `rattle` follows the tension in body @b: where it may be
 * large, but not in the parts of a step of higher order, whose results could then not be combined.
 * A chain swings across its tension with up to four times the bound of one lever, and a swinging
 * load pulls with up to three times its weight. RT: yes. */
static inline bool lk_tension_is_followed(const struct lk_system *system, int b)
{
    return !system->is_part && system->body[b].tension > LK_TENSE;
}

/** lk_tension_count() - number of bodies whose tension `rattle` follows. Not for the cycle. */
int lk_tension_count(const struct lk_system *system);

#endif
