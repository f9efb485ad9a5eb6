/* SPDX-License-Identifier: Apache-2.0 */
/* The normal force of a tyre: a spring over the depth, a second spring from rim contact on, and a
 * damper. A factor for spin and for forces along the road multiplies the springs. */
#ifndef LK_STEP_TYRE_LOAD_H
#define LK_STEP_TYRE_LOAD_H

#include "maths/vec.h"
#include "step/elements/laws.h"
#include "step/elements/tyres.h"
#include <math.h>

#define LK_TYRE_WAY_MIN     1e-6 /* smallest relative change of a depth that exceeds round-off */
#define LK_TYRE_STIFF_LEAST 0.1  /* least tangent in contact, relative to the stiffness */
#define LK_TYRE_SHARE_LEAST 0.1  /* lower bound of lk_tyre_share() */

/** lk_tyre_stored(), lk_tyre_elastic(), lk_tyre_slope() - return the energy [J], the force
 * [N] and its tangent [N/m] for a depth, without spin and forces along the road. */
LK_INLINE double lk_tyre_stored(const struct lk_tyre *t, double depth)
{
    double d = lk_max(0, depth), rim = lk_max(0, depth - t->rim_depth);

    return d * d * (0.5 * t->stiffness[0] + d * t->stiffness[1] / 3) +
           0.5 * t->rim_stiffness * rim * rim;
}

LK_INLINE double lk_tyre_elastic(const struct lk_tyre *t, double depth)
{
    double d = lk_max(0, depth), rim = lk_max(0, depth - t->rim_depth);

    return d * (t->stiffness[0] + d * t->stiffness[1]) + t->rim_stiffness * rim;
}

LK_INLINE double lk_tyre_slope(const struct lk_tyre *t, double depth)
{
    return depth > 0 ? t->stiffness[0] + 2 * depth * t->stiffness[1] +
                           (depth > t->rim_depth ? t->rim_stiffness : 0)
                     : 0;
}

/** lk_tyre_share() - return the factor on the springs, 1 + Q_V2 R0 / V0 |Omega| - (Q_FCX Fx /
 * F0)^2
 * - (Q_FCY Fy / F0)^2 (I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, 2010, equation of
 * the vertical force). @lambda: present estimate of the multipliers of the rows */
LK_INLINE double lk_tyre_share(const struct lk_tyre *t, double spin,
                               const double lambda[LK_TYRE_ROWS])
{
    double ahead = t->sag[0] * lambda[1], left = t->sag[1] * lambda[2];

    return lk_max(LK_TYRE_SHARE_LEAST, 1 + t->swell * fabs(spin) - ahead * ahead - left * left);
}

/** lk_tyre_load() - return the mean force over the change of the depth from @before to @after,
 * never negative, and write its tangent to @ret. @share: lk_tyre_share() */
LK_INLINE double lk_tyre_load(const struct lk_tyre *t, double share, double before, double after,
                              double rate, struct lk_law_value *ret)
{
    double way = after - before, mid = 0.5 * (before + after), force = lk_tyre_elastic(t, mid);

    *ret = (struct lk_law_value){.stiffness = lk_tyre_slope(t, mid)};
    if (fabs(way) > LK_TYRE_WAY_MIN * lk_max(fabs(after), fabs(before))) {
        force = (lk_tyre_stored(t, after) - lk_tyre_stored(t, before)) / way;
        ret->stiffness = 2 * (lk_tyre_elastic(t, after) - force) / way;
    }
    ret->stiffness =
        share * lk_max(after > 0 ? LK_TYRE_STIFF_LEAST * t->stiffness[0] : 0, ret->stiffness);
    ret->damping = mid > 0 ? t->damping : 0;
    return lk_max(0, share * force + ret->damping * rate);
}

#endif
