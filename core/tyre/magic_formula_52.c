/* SPDX-License-Identifier: Apache-2.0 */
/* Magic Formula 5.2 (PAC2002): H. B. Pacejka, Tyre and Vehicle Dynamics, 2002, chapter 4.3; TNO,
 * MF-Tyre 5.2 equation manual. Equivalent slips are those of the book (4.E77, 4.E78), without the
 * arc tangents of the manual. The moments differ from those of the manual by up to 0.5 N m. */
#include "tyre/magic_formula.h"

static struct lk_magic_length pure_length(const struct lk_tyre_magic *p,
                                          const struct lk_magic_load *l,
                                          const struct lk_tyre_slip *slip,
                                          struct lk_magic_curve *ret_curve)
{
    double d = l->d, g = slip->camber * p->LGAX;
    double kx = slip->kappa + p->LHX * (p->PHX1 + p->PHX2 * d);
    double scale = p->LMUX * slip->friction;
    double mu = lk_max(LK_MAGIC_LEAST, (p->PDX1 + p->PDX2 * d) * (1 - p->PDX3 * g * g)) * scale;
    double D = mu * l->Fz, C = p->PCX1 * p->LCX;
    double K = l->Fz * (p->PKX1 + p->PKX2 * d) * lk_exp(p->PKX3 * d) * p->LKX;
    double E =
        p->LEX * (p->PEX1 + p->PEX2 * d + p->PEX3 * d * d) * (1 - p->PEX4 * lk_magic_sign(kx));

    lk_magic_set_curve(ret_curve, K / (C * D), C, lk_magic_curvature(E), kx);
    return (struct lk_magic_length){
        .D = D,
        .K = K,
        .SV = l->Fz * p->LVX * scale * (p->PVX1 + p->PVX2 * d),
    };
}

static struct lk_magic_side pure_side(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                      const struct lk_tyre_slip *slip,
                                      struct lk_magic_curve *ret_curve)
{
    double d = l->d, g = slip->camber * p->LGAY, scale = p->LMUY * slip->friction;
    struct lk_magic_side s = {
        .mu = lk_max(LK_MAGIC_LEAST, (p->PDY1 + p->PDY2 * d) * (1 - p->PDY3 * g * g)) * scale,
        .K = p->PKY1 * l->F0 * lk_magic_sin_2_atan(l->Fz / (p->PKY2 * l->F0)) *
             lk_max(LK_MAGIC_LEAST, 1 - p->PKY3 * fabs(g)) * p->LKY,
        .Cy = p->PCY1 * p->LCY,
        .SH = p->LHY * (p->PHY1 + p->PHY2 * d) + p->PHY3 * g,
        .SV = l->Fz * p->LVY * scale * (p->PVY1 + p->PVY2 * d + (p->PVY3 + p->PVY4 * d) * g),
    };
    double ay = slip->slope + s.SH;
    double E = p->LEY * (p->PEY1 + p->PEY2 * d) * (1 - (p->PEY3 + p->PEY4 * g) * lk_magic_sign(ay));

    s.By = s.K / (s.Cy * (s.mu * l->Fz));
    lk_magic_set_curve(ret_curve, s.By, s.Cy, lk_magic_curvature(E), ay);
    return s;
}

/* Return the aligning moment without the moment of Fx. @Fy: side force without SVyk;  @ratio: see
 * lk_magic_ratio();  @trail: pneumatic trail without the factor cos alpha */
static double aligning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                       const struct lk_tyre_slip *slip, const struct lk_magic_side *s, double Fy,
                       double ratio, double trail)
{
    double d = l->d, g = slip->camber * p->LGAZ;
    double ar = slip->slope + s->SH + s->SV / lk_magic_divisor(s->K, LK_MAGIC_TINY * l->F0);
    double Br = p->QBZ9 * p->LKY / p->LMUY + p->QBZ10 * s->By * s->Cy;
    double Dr = l->Fz * p->UNLOADED_RADIUS * p->LRES * p->LMUY * slip->friction *
                (p->QDZ6 + p->QDZ7 * d + (p->QDZ8 + p->QDZ9 * d) * g);

    return (Dr * lk_magic_cos_atan(Br * lk_magic_equivalent(ar, ratio)) - trail * Fy) *
           lk_magic_cos_atan(slip->slope);
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
    struct lk_magic_curve curve[LK_MAGIC_UPRIGHT];
    struct lk_magic_load l = lk_magic_load(p, slip);
    struct lk_magic_length x = pure_length(p, &l, slip, &curve[LK_MAGIC_X]);
    struct lk_magic_side y = pure_side(p, &l, slip, &curve[LK_MAGIC_Y]);
    double ratio = lk_magic_ratio(&l, slip, &x, &y), g = slip->camber * p->LGAZ;
    double Bxa = p->RBX1 * lk_magic_cos_atan(p->RBX2 * slip->kappa);
    double Byk = p->RBY1 * lk_magic_cos_atan(p->RBY2 * (slip->slope - p->RBY3));
    double Dt = lk_magic_trail(p, &l, g, slip->slope, ratio, 1, &curve[LK_MAGIC_TRAIL]);
    struct lk_magic_combined c;
    struct lk_magic_moments m;

    lk_magic_weigh(p, &l, slip, Bxa, Byk, curve);
    lk_magic_draw(curve, LK_MAGIC_UPRIGHT);
    lk_magic_close_length(&x, &curve[LK_MAGIC_X]);
    lk_magic_close_side(&y, &l, &curve[LK_MAGIC_Y]);
    lk_magic_combine(p, &l, slip, &x, &y, curve, &c);
    m = (struct lk_magic_moments){
        .mx = overturning(p, &l, slip->camber, c.Fy + c.shift),
        .my = rolling(p, &l, slip, c.Fx),
        .mz = aligning(p, &l, slip, &y, c.Fy, ratio, Dt * curve[LK_MAGIC_TRAIL].cosine),
    };
    lk_magic_forces(p, &l, slip, &x, &y, &c, &m, ret);
}
