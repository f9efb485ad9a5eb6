/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates the tyre law of each type; computes relaxation lengths and rolling radius. */
#include "tyre/tyre.h"
#include "maths/elementary.h"
#include "maths/vec.h"

#define SLIP_MAX     100  /* slip beyond which every tyre slides */
#define FRICTION_MIN 1e-3 /* least friction, relative to the parameters */
#define FRICTION_MAX 10
#define LOAD_MIN     1e-6 /* least load with contact [N] */
#define LOAD_MAX     1e8
#define SPEED_MAX    1e3

static double within(double x, double low, double high)
{
    return lk_min(high, lk_max(low, x));
}

/* limit slips to bounds in which no law overflows, and mirror them for a mirrored tyre */
static struct lk_tyre_slip bounded(const struct lk_tyre_slip *slip, double side)
{
    return (struct lk_tyre_slip){
        .load = within(slip->load, LOAD_MIN, LOAD_MAX),
        .kappa = within(slip->kappa, -SLIP_MAX, SLIP_MAX),
        .slope = side * within(slip->slope, -SLIP_MAX, SLIP_MAX),
        .camber = side * within(slip->camber, -1, 1),
        .speed = within(fabs(slip->speed), 0, SPEED_MAX),
        .friction = within(slip->friction, FRICTION_MIN, FRICTION_MAX),
    };
}

void lk_tyre_evaluate(const struct lk_tyre_law *law, const struct lk_tyre_slip *slip,
                      struct lk_tyre_forces *ret)
{
    double side = law->is_mirrored ? -1 : 1;
    struct lk_tyre_slip own = bounded(slip, side);

    *ret = (struct lk_tyre_forces){0};
    if (!(slip->load > LOAD_MIN))
        return;
    switch (law->kind) {
    case LK_TYRE_FIALA:
        lk_tyre_fiala(&law->of.fiala, &own, ret);
        break;
    case LK_TYRE_MF52:
        lk_tyre_mf52(&law->of.magic, &own, ret);
        break;
    case LK_TYRE_MF61:
        lk_tyre_mf61(&law->of.magic, &own, ret);
        break;
    case LK_TYRE_TMEASY:
        lk_tyre_tmeasy(&law->of.tmeasy, &own, ret);
        break;
    case LK_TYRE_CALSPAN:
    case LK_TYRE_LAWS:
        lk_tyre_calspan(&law->of.calspan, &own, ret);
        break;
    }
    ret->fy *= side;
    ret->mx *= side;
    ret->mz *= side;
}

/* compute the relaxation lengths of Pacejka 2002. Adams and Chrono use exp(+), so that PTX3
 * in their files has the opposite sign */
static void relaxation_52(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip,
                          double ret[2])
{
    double F0 = p->LFZO * p->FNOMIN, Fz = within(slip->load, 0, 10 * F0), d = (Fz - F0) / F0;
    double x = Fz / (p->PTY2 > 0 ? p->PTY2 * F0 : F0);

    ret[0] =
        (p->PTX1 + p->PTX2 * d) * lk_exp(-p->PTX3 * d) * p->UNLOADED_RADIUS * Fz / F0 * p->LSGKP;
    ret[1] = p->PTY1 * 2 * x / (1 + x * x) * (1 - p->PKY3 * fabs(within(slip->camber, -1, 1))) *
             p->UNLOADED_RADIUS * p->LSGAL;
}

/* compute the relaxation lengths as slip stiffness / stiffness of the carcass, 4.E79 on */
static void relaxation_61(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip,
                          const struct lk_tyre_forces *forces, double ret[2])
{
    double F0 = p->LFZO * p->FNOMIN, d = (within(slip->load, 0, 10 * F0) - F0) / F0;
    double dp = p->NOMPRES > 0 ? (p->pressure - p->NOMPRES) / p->NOMPRES : 0;
    double Cx =
        p->LONGITUDINAL_STIFFNESS * (1 + d * (p->PCFX1 + p->PCFX2 * d)) * (1 + p->PCFX3 * dp);
    double Cy = p->LATERAL_STIFFNESS * (1 + d * (p->PCFY1 + p->PCFY2 * d)) * (1 + p->PCFY3 * dp);

    ret[0] = Cx > 0 ? forces->stiffness[0] / Cx * p->LSGKP : 0;
    ret[1] = Cy > 0 ? forces->stiffness[1] / Cy * p->LSGAL : 0;
}

void lk_tyre_relaxation(const struct lk_tyre_law *law, const struct lk_tyre_slip *slip,
                        const struct lk_tyre_forces *forces, double ret[2])
{
    ret[0] = ret[1] = 0;
    if (law->kind == LK_TYRE_MF52)
        relaxation_52(&law->of.magic, slip, ret);
    if (law->kind == LK_TYRE_MF61)
        relaxation_61(&law->of.magic, slip, forces, ret);
    for (int i = 0; i < 2; i++)
        ret[i] = lk_max(0, ret[i]);
}

static double magic_radius(const struct lk_tyre_magic *p, double load, double stiffness,
                           double rate)
{
    double F0 = p->LFZO * p->FNOMIN, v = rate * p->UNLOADED_RADIUS / p->LONGVL;
    double f = within(load, 0, 10 * F0) / F0;

    return p->UNLOADED_RADIUS * (p->Q_RE0 + p->Q_V1 * v * v) -
           F0 / stiffness * (p->DREFF * lk_atan(p->BREFF * f) + p->FREFF * f);
}

double lk_tyre_rolling_radius(const struct lk_tyre_law *law, double radius, double loaded,
                              double load, double stiffness, double rate)
{
    switch (law->kind) {
    case LK_TYRE_MF52:
    case LK_TYRE_MF61:
        return magic_radius(&law->of.magic, load, stiffness, rate);
    case LK_TYRE_TMEASY:
        return (2 * radius + loaded) / 3;
    default:
        return radius;
    }
}
