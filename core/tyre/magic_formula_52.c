/* SPDX-License-Identifier: Apache-2.0 */
/* Magic Formula 5.2 (PAC2002): H. B. Pacejka, Tyre and Vehicle Dynamics, 2002, chapter 4.3; TNO,
 * MF-Tyre 5.2 equation manual. Equivalent slips are those of the book (4.E77, 4.E78), without the
 * arc tangents of the manual: up to 0.5 N m apart. */
#include "tyre/magic_formula.h"

static struct lk_magic_length pure_length(const struct lk_tyre_magic *p,
                                          const struct lk_magic_load *l,
                                          const struct lk_tyre_slip *slip)
{
    double d = l->d, g = slip->camber * p->LGAX;
    double kx = slip->kappa + p->LHX * (p->PHX1 + p->PHX2 * d);
    double scale = p->LMUX * slip->friction;
    double mu = fmax((p->PDX1 + p->PDX2 * d) * (1 - p->PDX3 * g * g), LK_MAGIC_LEAST) * scale;
    double D = mu * l->Fz, C = p->PCX1 * p->LCX;
    double K = l->Fz * (p->PKX1 + p->PKX2 * d) * lk_exp(p->PKX3 * d) * p->LKX;
    double E =
        p->LEX * (p->PEX1 + p->PEX2 * d + p->PEX3 * d * d) * (1 - p->PEX4 * lk_magic_sign(kx));
    double F = D * lk_magic_sine(K / (C * D), C, lk_magic_curvature(E), kx);

    return (struct lk_magic_length){
        .Fx0 = F + l->Fz * p->LVX * scale * (p->PVX1 + p->PVX2 * d),
        .K = K,
        .secant = fabs(kx) > LK_MAGIC_TINY ? fmax(F / kx, 0) : fmax(K, 0),
    };
}

static struct lk_magic_side pure_side(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                      const struct lk_tyre_slip *slip)
{
    double d = l->d, g = slip->camber * p->LGAY, scale = p->LMUY * slip->friction;
    struct lk_magic_side s = {
        .mu = fmax((p->PDY1 + p->PDY2 * d) * (1 - p->PDY3 * g * g), LK_MAGIC_LEAST) * scale,
        .K = p->PKY1 * l->F0 * lk_magic_sin_2_atan(l->Fz / (p->PKY2 * l->F0)) *
             fmax(1 - p->PKY3 * fabs(g), LK_MAGIC_LEAST) * p->LKY,
        .Cy = p->PCY1 * p->LCY,
        .SH = p->LHY * (p->PHY1 + p->PHY2 * d) + p->PHY3 * g,
        .SV = l->Fz * p->LVY * scale * (p->PVY1 + p->PVY2 * d + (p->PVY3 + p->PVY4 * d) * g),
    };
    double ay = slip->slope + s.SH;
    double E = p->LEY * (p->PEY1 + p->PEY2 * d) * (1 - (p->PEY3 + p->PEY4 * g) * lk_magic_sign(ay));
    double D = s.mu * l->Fz, F;

    s.By = s.K / (s.Cy * D);
    F = D * lk_magic_sine(s.By, s.Cy, lk_magic_curvature(E), ay);
    s.Fy0 = F + s.SV;
    s.secant = fabs(ay) > LK_MAGIC_TINY ? fmax(-F / ay, 0) : fmax(-s.K, 0);
    return s;
}

/* without the lever of Fx. @Fy: without SVyk;  @ratio: Kx kappa / Ky */
static double aligning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                       const struct lk_tyre_slip *slip, const struct lk_magic_side *s, double Fy,
                       double ratio)
{
    double d = l->d, g = slip->camber * p->LGAZ, cos_alpha = lk_magic_cos_atan(slip->slope);
    double at = slip->slope + p->QHZ1 + p->QHZ2 * d + (p->QHZ3 + p->QHZ4 * d) * g;
    double ar = slip->slope + s->SH + s->SV / lk_magic_divisor(s->K, LK_MAGIC_TINY * l->F0);
    double Br = p->QBZ9 * p->LKY / p->LMUY + p->QBZ10 * s->By * s->Cy;
    double Dr = l->Fz * p->UNLOADED_RADIUS * p->LRES * p->LMUY * slip->friction *
                (p->QDZ6 + p->QDZ7 * d + (p->QDZ8 + p->QDZ9 * d) * g);
    double t = lk_magic_trail(p, l, g, at, lk_magic_equivalent(at, ratio), cos_alpha, 1);

    return Dr * lk_magic_cos_atan(Br * lk_magic_equivalent(ar, ratio)) * cos_alpha - t * Fy;
}

static double overturning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                          double camber, double Fy)
{
    return p->UNLOADED_RADIUS * l->Fz * p->LMX *
           (p->LVMX * p->QSX1 - p->QSX2 * camber + p->QSX3 * Fy / l->F0);
}

static double rolling(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                      const struct lk_tyre_slip *slip, double Fx)
{
    double v = slip->speed / p->LONGVL;

    return -p->UNLOADED_RADIUS * l->Fz * p->LMY *
           (p->QSY1 + p->QSY2 * Fx / l->F0 + p->QSY3 * fabs(v) + p->QSY4 * v * v * v * v);
}

void lk_tyre_mf52(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip,
                  struct lk_tyre_forces *ret)
{
    struct lk_magic_load l = lk_magic_load(p, slip);
    struct lk_magic_length x = pure_length(p, &l, slip);
    struct lk_magic_side y = pure_side(p, &l, slip);
    double Bxa = p->RBX1 * lk_magic_cos_atan(p->RBX2 * slip->kappa);
    double Byk = p->RBY1 * lk_magic_cos_atan(p->RBY2 * (slip->slope - p->RBY3));
    struct lk_magic_combined c = lk_magic_combine(p, &l, slip, &x, &y, Bxa, Byk);
    struct lk_magic_moments m = {
        .mx = overturning(p, &l, slip->camber, c.Fy + c.shift),
        .my = rolling(p, &l, slip, c.Fx),
        .mz = aligning(p, &l, slip, &y, c.Fy, c.ratio),
    };

    *ret = lk_magic_forces(p, &l, slip, &x, &y, &c, &m);
}
