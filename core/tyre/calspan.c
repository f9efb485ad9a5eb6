/* SPDX-License-Identifier: Apache-2.0 */
/* The tyre of the IAVSD benchmark, after Calspan: side force and aligning moment; J. C. Samin, P.
 * Fisette, Symbolic Modeling of Multibody Systems, 2003. Angles, not their sines. */
#include "maths/elementary.h"
#include "maths/vec.h"
#include "tyre/tyre.h"

/* the side force over the friction, saturated at three times unit slip */
static double saturate(double x)
{
    double size = fabs(x);

    return size < 3 ? x - x * size / 3 + x * x * x / 27 : x < 0 ? -1 : 1;
}

void lk_tyre_calspan(const struct lk_tyre_calspan *p, const struct lk_tyre_slip *slip,
                     struct lk_tyre_forces *ret)
{
    const double *A = p->A;
    double Fz = slip->load, F = fmin(Fz, A[2]);
    double g = fmin(fmax(slip->camber, -1), 1);
    double gamma = lk_atan(g / lk_root(fmax(1 - g * g, 1e-12)));
    double mu = (p->B1 * Fz + p->B3 + p->B4 * Fz * Fz) * p->SN * slip->friction;
    double D = A[1] * F * (F - A[2]) - A[0] * A[2];
    double camber_slip = -A[2] * A[3] * (A[4] - F) * F * gamma / (A[4] * D);
    double slope = Fz <= A[2] ? D / A[2] : -A[0];
    double limit = fmax(mu, 1e-3) * Fz;
    double x = slope / limit * (lk_atan(slip->slope) + camber_slip);
    double fy = limit * saturate(x);

    *ret = (struct lk_tyre_forces){
        .fy = fy,
        .mz = (p->AF[0] * Fz + p->AF[1] * fabs(fy)) * fy,
        .secant = {0, fmax(fabs(x) > 1e-12 ? -slope * saturate(x) / x : -slope, 0)},
        .stiffness = {0, fmax(-slope, 0)},
        .grip = limit,
    };
}
