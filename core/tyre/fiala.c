/* SPDX-License-Identifier: Apache-2.0 */
/* Fiala as in Adams and Chrono: a brush model with one coefficient of friction that
 * decreases with the total slip. Fx and Fy do not share the friction: the model has no combined
 * slip. */
#include "maths/vec.h"
#include "tyre/tyre.h"

static double longitudinal(const struct lk_tyre_fiala *p, double kappa, double limit)
{
    double size = fabs(kappa);
    double force = size <= 0.5 * limit / p->slip ? p->slip * size
                                                 : limit - limit * limit / (4 * size * p->slip);

    return kappa < 0 ? -force : force;
}

void lk_tyre_fiala(const struct lk_tyre_fiala *p, const struct lk_tyre_slip *slip,
                   struct lk_tyre_forces *ret)
{
    double total = lk_min(lk_root(slip->kappa * slip->kappa + slip->slope * slip->slope), 1);
    double mu = (p->friction[1] - (p->friction[1] - p->friction[0]) * total) * slip->friction;
    double limit = mu * slip->load, size = fabs(slip->slope);
    double H = lk_max(0, 1 - p->cornering * size / (3 * limit)), H3 = H * H * H;
    double side = slip->slope < 0 ? -1 : 1;
    double fx = longitudinal(p, slip->kappa, limit), fy = -limit * (1 - H3) * side;

    *ret = (struct lk_tyre_forces){
        .fx = fx,
        .fy = fy,
        .my = -p->rolling * slip->load,
        .mz = limit * p->width * (1 - H) * H3 * side,
        .secant = {slip->kappa != 0 ? fx / slip->kappa : p->slip,
                   size > 1e-12 ? -fy / slip->slope : p->cornering},
        .stiffness = {p->slip, p->cornering},
        .grip = limit,
    };
}
