/* SPDX-License-Identifier: Apache-2.0 */
/* Magic Formula 6.1 without turn slip: H. B. Pacejka, Tyre and Vehicle Dynamics, 2012, 4.E9 to
 * 4.E78; pressure after I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, An improved Magic
 * Formula/Swift tyre model that can handle inflation pressure changes, 2010. */
#include "tyre/magic_formula.h"

static double quadratic(double x, double a, double b)
{
    return 1 + x * (a + b * x);
}

static struct lk_magic_length pure_length(const struct lk_tyre_magic *p,
                                          const struct lk_magic_load *l,
                                          const struct lk_tyre_slip *slip)
{
    double d = l->d, g = slip->camber, scale = p->LMUX * slip->friction;
    double kx = slip->kappa + p->LHX * (p->PHX1 + p->PHX2 * d);
    double mu = fmax((p->PDX1 + p->PDX2 * d) * (1 - p->PDX3 * g * g), LK_MAGIC_LEAST) *
                quadratic(l->dp, p->PPX3, p->PPX4) * scale;
    double D = mu * l->Fz, C = p->PCX1 * p->LCX;
    double K = l->Fz * (p->PKX1 + p->PKX2 * d) * lk_exp(p->PKX3 * d) *
               quadratic(l->dp, p->PPX1, p->PPX2) * p->LKX;
    double E =
        p->LEX * (p->PEX1 + p->PEX2 * d + p->PEX3 * d * d) * (1 - p->PEX4 * lk_magic_sign(kx));
    double F = D * lk_magic_sine(K / (C * D), C, lk_magic_curvature(E), kx);

    return (struct lk_magic_length){
        .Fx0 = F + l->Fz * p->LVX * scale * (p->PVX1 + p->PVX2 * d),
        .K = K,
        .secant = fabs(kx) > LK_MAGIC_TINY ? fmax(F / kx, 0) : fmax(K, 0),
    };
}

static double cornering_stiffness(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                  double g)
{
    double load = (p->PKY2 + p->PKY5 * g * g) * quadratic(l->dp, p->PPY2, 0), s, c;

    lk_sin_cos(p->PKY4 * lk_atan(l->Fz / l->F0 / lk_magic_divisor(load, LK_MAGIC_LEAST)), &s, &c);
    return p->PKY1 * l->F0 * quadratic(l->dp, p->PPY1, 0) *
           fmax(1 - p->PKY3 * fabs(g), LK_MAGIC_LEAST) * s * p->LKY;
}

static struct lk_magic_side pure_side(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                      const struct lk_tyre_slip *slip, double g)
{
    double d = l->d, scale = p->LMUY * slip->friction;
    double SVg = l->Fz * (p->PVY3 + p->PVY4 * d) * g * p->LKYC * scale;
    double Kg0 = l->Fz * (p->PKY6 + p->PKY7 * d) * quadratic(l->dp, p->PPY5, 0) * p->LKYC;
    struct lk_magic_side s = {
        .mu = fmax((p->PDY1 + p->PDY2 * d) * (1 - p->PDY3 * g * g), LK_MAGIC_LEAST) *
              quadratic(l->dp, p->PPY3, p->PPY4) * scale,
        .K = cornering_stiffness(p, l, g),
        .Cy = p->PCY1 * p->LCY,
        .SV = l->Fz * p->LVY * scale * (p->PVY1 + p->PVY2 * d) + SVg,
    };
    double D = s.mu * l->Fz, ay, E, F;

    s.SH = p->LHY * (p->PHY1 + p->PHY2 * d) +
           (Kg0 * g - SVg) / lk_magic_divisor(s.K, LK_MAGIC_TINY * l->F0);
    ay = slip->slope + s.SH;
    E = p->LEY * (p->PEY1 + p->PEY2 * d) *
        (1 + p->PEY5 * g * g - (p->PEY3 + p->PEY4 * g) * lk_magic_sign(ay));
    s.By = s.K / (s.Cy * D);
    F = D * lk_magic_sine(s.By, s.Cy, lk_magic_curvature(E), ay);
    s.Fy0 = F + s.SV;
    s.secant = fabs(ay) > LK_MAGIC_TINY ? fmax(-F / ay, 0) : fmax(-s.K, 0);
    return s;
}

/* without the lever of Fx. @Fy: weighted, of a wheel without camber;  @ratio: Kx kappa / Ky */
static double aligning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                       const struct lk_tyre_slip *slip, const struct lk_magic_side *s, double Fy,
                       double ratio)
{
    double d = l->d, g = slip->camber, cos_alpha = lk_magic_cos_atan(slip->slope);
    double at = slip->slope + p->QHZ1 + p->QHZ2 * d + (p->QHZ3 + p->QHZ4 * d) * g;
    double ar = slip->slope + s->SH + s->SV / lk_magic_divisor(s->K, LK_MAGIC_TINY * l->F0);
    double Br = p->QBZ9 * p->LKY / p->LMUY + p->QBZ10 * s->By * s->Cy;
    double Dr =
        l->Fz * p->UNLOADED_RADIUS * p->LMUY * slip->friction * cos_alpha *
        ((p->QDZ6 + p->QDZ7 * d) * p->LRES +
         ((p->QDZ8 + p->QDZ9 * d) * (1 + p->PPZ2 * l->dp) + (p->QDZ10 + p->QDZ11 * d) * fabs(g)) *
             g * p->LKZC);
    double t =
        lk_magic_trail(p, l, g, at, lk_magic_equivalent(at, ratio), cos_alpha, 1 - p->PPZ1 * l->dp);

    return Dr * lk_magic_cos_atan(Br * lk_magic_equivalent(ar, ratio)) - t * Fy;
}

static double overturning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                          double camber, double Fy)
{
    double g = fmin(fmax(camber, -1), 1), f = l->Fz / l->F0, y = Fy / l->F0, s, c, s5, c5;
    double angle = lk_atan(g / lk_root(fmax(1 - g * g, LK_MAGIC_TINY)));

    lk_sin_cos(p->QSX7 * angle + p->QSX8 * lk_atan(p->QSX9 * y), &s, &c);
    lk_sin_cos(p->QSX5 * lk_atan(p->QSX6 * f * p->QSX6 * f), &s5, &c5);
    return p->UNLOADED_RADIUS * l->Fz * p->LMX *
           (p->LVMX * p->QSX1 - p->QSX2 * angle * (1 + p->PPMX1 * l->dp) + p->QSX3 * y +
            p->QSX4 * c5 * s + p->QSX10 * lk_atan(p->QSX11 * f) * angle);
}

static double rolling(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                      const struct lk_tyre_slip *slip, double Fx)
{
    double v = slip->speed / p->LONGVL, f = l->Fz / l->F0, g = slip->camber;
    double pressure = p->NOMPRES > 0 && p->pressure > 0 ? p->pressure / p->NOMPRES : 1;

    return -p->UNLOADED_RADIUS * l->F0 * p->LMY *
           (p->QSY1 + p->QSY2 * Fx / l->F0 + p->QSY3 * fabs(v) + p->QSY4 * v * v * v * v +
            (p->QSY5 + p->QSY6 * f) * g * g) *
           lk_power(f, p->QSY7) * lk_power(pressure, p->QSY8);
}

void lk_tyre_mf61(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip,
                  struct lk_tyre_forces *ret)
{
    struct lk_magic_load l = lk_magic_load(p, slip);
    struct lk_magic_length x = pure_length(p, &l, slip);
    struct lk_magic_side y = pure_side(p, &l, slip, slip->camber);
    struct lk_magic_side upright = slip->camber != 0 ? pure_side(p, &l, slip, 0) : y;
    double g2 = slip->camber * slip->camber;
    double Bxa = (p->RBX1 + p->RBX3 * g2) * lk_magic_cos_atan(p->RBX2 * slip->kappa);
    double Byk = (p->RBY1 + p->RBY4 * g2) * lk_magic_cos_atan(p->RBY2 * (slip->slope - p->RBY3));
    struct lk_magic_combined c = lk_magic_combine(p, &l, slip, &x, &y, Bxa, Byk);
    struct lk_magic_moments m = {
        .mx = overturning(p, &l, slip->camber, c.Fy + c.shift),
        .my = rolling(p, &l, slip, c.Fx),
        .mz = aligning(p, &l, slip, &y, c.Gy * upright.Fy0, c.ratio),
    };

    *ret = lk_magic_forces(p, &l, slip, &x, &y, &c, &m);
}
