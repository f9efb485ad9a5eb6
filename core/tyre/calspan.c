/* SPDX-License-Identifier: Apache-2.0 */
/* The tyre of the IAVSD benchmark, after Calspan: side force and aligning moment; J. C. Samin, P.
 * Fisette, Symbolic Modeling of Multibody Systems, 2003. The model uses the angles alpha and gamma,
 * not tan alpha and sin gamma. */
#include "maths/elementary.h"
#include "maths/vec.h"
#include "tyre/tyre.h"

/* Return the side force relative to the friction limit. From |x| = 3 on the tyre slides. */
static double saturate(double x)
{
    double size = fabs(x);

    return size < 3 ? x - x * size / 3 + x * x * x / 27 : x < 0 ? -1 : 1;
}

void lk_tyre_calspan(const struct lk_tyre_calspan *p, const struct lk_tyre_slip *slip,
                     struct lk_tyre_forces *ret)
{
    const double *A = p->A;
    double Fz = slip->load, F = lk_min(A[2], Fz);
    double g = lk_min(1, lk_max(-1, slip->camber));
    const lk_four tangents = {g / lk_root(lk_max(1e-12, 1 - g * g)), slip->slope, 0, 0};
    lk_four angles;
    double mu = (p->B1 * Fz + p->B3 + p->B4 * Fz * Fz) * p->SN * slip->friction;
    double D = A[1] * F * (F - A[2]) - A[0] * A[2];
    double slope = Fz <= A[2] ? D / A[2] : -A[0];
    double limit = lk_max(1e-3, mu) * Fz;
    double camber_slip, x, fy;

    lk_atan_four(&tangents, &angles);
    camber_slip = -A[2] * A[3] * (A[4] - F) * F * angles[0] / (A[4] * D);
    x = slope / limit * (angles[1] + camber_slip);
    fy = limit * saturate(x);
    *ret = (struct lk_tyre_forces){
        .fy = fy,
        .mz = (p->AF[0] * Fz + p->AF[1] * fabs(fy)) * fy,
        .secant = {0, lk_max(0, fabs(x) > 1e-12 ? -slope * saturate(x) / x : -slope)},
        .stiffness = {0, lk_max(0, -slope)},
        .grip = limit,
    };
}
