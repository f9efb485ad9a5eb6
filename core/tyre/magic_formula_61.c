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
                                          const struct lk_tyre_slip *slip,
                                          struct lk_magic_curve *ret_curve)
{
    double d = l->d, g = slip->camber, scale = p->LMUX * slip->friction;
    double kx = slip->kappa + p->LHX * (p->PHX1 + p->PHX2 * d);
    double mu = lk_max(LK_MAGIC_LEAST, (p->PDX1 + p->PDX2 * d) * (1 - p->PDX3 * g * g)) *
                quadratic(l->dp, p->PPX3, p->PPX4) * scale;
    double D = mu * l->Fz, C = p->PCX1 * p->LCX;
    double K = l->Fz * (p->PKX1 + p->PKX2 * d) * lk_exp(p->PKX3 * d) *
               quadratic(l->dp, p->PPX1, p->PPX2) * p->LKX;
    double E =
        p->LEX * (p->PEX1 + p->PEX2 * d + p->PEX3 * d * d) * (1 - p->PEX4 * lk_magic_sign(kx));

    lk_magic_set_curve(ret_curve, K / (C * D), C, lk_magic_curvature(E), kx);
    return (struct lk_magic_length){
        .D = D,
        .K = K,
        .SV = l->Fz * p->LVX * scale * (p->PVX1 + p->PVX2 * d),
    };
}

static double load_of_peak(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double g)
{
    double load = (p->PKY2 + p->PKY5 * g * g) * quadratic(l->dp, p->PPY2, 0);

    return l->Fz / l->F0 / lk_magic_divisor(load, LK_MAGIC_LEAST);
}

/* compute the cornering stiffness with the camber @g, and without camber */
static void cornering_stiffness(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                double g, double ret[2])
{
    lk_four angle = {load_of_peak(p, l, g), load_of_peak(p, l, 0), 0, 0}, s, c;
    double upright = p->PKY1 * l->F0 * quadratic(l->dp, p->PPY1, 0) * p->LKY;

    lk_atan_four(&angle, &angle);
    angle *= p->PKY4;
    lk_sin_cos_four(&angle, &s, &c);
    ret[0] = upright * lk_max(LK_MAGIC_LEAST, 1 - p->PKY3 * fabs(g)) * s[0];
    ret[1] = upright * s[1];
}

/* compute pure side slip. @K: cornering stiffness with the camber @g */
static struct lk_magic_side pure_side(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                      const struct lk_tyre_slip *slip, double g, double K,
                                      struct lk_magic_curve *ret_curve)
{
    double d = l->d, scale = p->LMUY * slip->friction;
    double SVg = l->Fz * (p->PVY3 + p->PVY4 * d) * g * p->LKYC * scale;
    double Kg0 = l->Fz * (p->PKY6 + p->PKY7 * d) * quadratic(l->dp, p->PPY5, 0) * p->LKYC;
    struct lk_magic_side s = {
        .mu = lk_max(LK_MAGIC_LEAST, (p->PDY1 + p->PDY2 * d) * (1 - p->PDY3 * g * g)) *
              quadratic(l->dp, p->PPY3, p->PPY4) * scale,
        .K = K,
        .Cy = p->PCY1 * p->LCY,
        .SV = l->Fz * p->LVY * scale * (p->PVY1 + p->PVY2 * d) + SVg,
    };
    double ay, E;

    s.SH = p->LHY * (p->PHY1 + p->PHY2 * d) +
           (Kg0 * g - SVg) / lk_magic_divisor(s.K, LK_MAGIC_TINY * l->F0);
    ay = slip->slope + s.SH;
    E = p->LEY * (p->PEY1 + p->PEY2 * d) *
        (1 + p->PEY5 * g * g - (p->PEY3 + p->PEY4 * g) * lk_magic_sign(ay));
    s.By = s.K / (s.Cy * (s.mu * l->Fz));
    lk_magic_set_curve(ret_curve, s.By, s.Cy, lk_magic_curvature(E), ay);
    return s;
}

/* Return the aligning moment without the moment of Fx. @Fy: weighted side force of a wheel without
 * camber;
 * @ratio: see lk_magic_ratio();  @trail: pneumatic trail without the factor cos alpha */
static double aligning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                       const struct lk_tyre_slip *slip, const struct lk_magic_side *s, double Fy,
                       double ratio, double trail)
{
    double d = l->d, g = slip->camber, cos_alpha = lk_magic_cos_atan(slip->slope);
    double ar = slip->slope + s->SH + s->SV / lk_magic_divisor(s->K, LK_MAGIC_TINY * l->F0);
    double Br = p->QBZ9 * p->LKY / p->LMUY + p->QBZ10 * s->By * s->Cy;
    double Dr =
        l->Fz * p->UNLOADED_RADIUS * p->LMUY * slip->friction * cos_alpha *
        ((p->QDZ6 + p->QDZ7 * d) * p->LRES +
         ((p->QDZ8 + p->QDZ9 * d) * (1 + p->PPZ2 * l->dp) + (p->QDZ10 + p->QDZ11 * d) * fabs(g)) *
             g * p->LKZC);

    return Dr * lk_magic_cos_atan(Br * lk_magic_equivalent(ar, ratio)) - trail * cos_alpha * Fy;
}

static struct lk_magic_curve tilt_curve(const struct lk_tyre_magic *p,
                                        const struct lk_magic_load *l)
{
    double f = l->Fz / l->F0;

    return (struct lk_magic_curve){.B = p->QSX6 * f, .C = p->QSX5, .E = 0, .x = p->QSX6 * f};
}

/* Return the overturning moment. @c5: cosine of tilt_curve() */
static double overturning(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                          double camber, double Fy, double c5)
{
    double g = lk_min(1, lk_max(-1, camber)), f = l->Fz / l->F0, y = Fy / l->F0, s, c;
    const lk_four of = {g / lk_root(lk_max(LK_MAGIC_TINY, 1 - g * g)), p->QSX9 * y, p->QSX11 * f,
                        0};
    lk_four angles;
    double angle;

    lk_atan_four(&of, &angles);
    angle = angles[0];
    lk_sin_cos(p->QSX7 * angle + p->QSX8 * angles[1], &s, &c);
    return p->UNLOADED_RADIUS * l->Fz * p->LMX *
           (p->LVMX * p->QSX1 - p->QSX2 * angle * (1 + p->PPMX1 * l->dp) + p->QSX3 * y +
            p->QSX4 * c5 * s + p->QSX10 * angles[2] * angle);
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
    static const struct lk_magic_curve none = {.B = 0};
    struct lk_magic_curve curve[LK_MAGIC_CURVES];
    struct lk_magic_load l = lk_magic_load(p, slip);
    struct lk_magic_length x = pure_length(p, &l, slip, &curve[LK_MAGIC_X]);
    struct lk_magic_side y, upright;
    double g = slip->camber, K[2], ratio, Dt;
    double Bxa = (p->RBX1 + p->RBX3 * g * g) * lk_magic_cos_atan(p->RBX2 * slip->kappa);
    double Byk = (p->RBY1 + p->RBY4 * g * g) * lk_magic_cos_atan(p->RBY2 * (slip->slope - p->RBY3));
    struct lk_magic_combined c;
    struct lk_magic_moments m;

    cornering_stiffness(p, &l, g, K);
    y = pure_side(p, &l, slip, g, K[0], &curve[LK_MAGIC_Y]);
    upright = pure_side(p, &l, slip, 0, K[1], &curve[LK_MAGIC_UPRIGHT]);
    ratio = lk_magic_ratio(&l, slip, &x, &y);
    Dt = lk_magic_trail(p, &l, g, slip->slope, ratio, 1 - p->PPZ1 * l.dp, &curve[LK_MAGIC_TRAIL]);
    lk_magic_weigh(p, &l, slip, Bxa, Byk, curve);
    curve[LK_MAGIC_TILT] = tilt_curve(p, &l);
    for (int i = LK_MAGIC_TILT + 1; i < LK_MAGIC_CURVES; i++)
        curve[i] = none;
    lk_magic_draw(curve, LK_MAGIC_CURVES);
    lk_magic_close_length(&x, &curve[LK_MAGIC_X]);
    lk_magic_close_side(&y, &l, &curve[LK_MAGIC_Y]);
    lk_magic_close_side(&upright, &l, &curve[LK_MAGIC_UPRIGHT]);
    lk_magic_combine(p, &l, slip, &x, &y, curve, &c);
    m = (struct lk_magic_moments){
        .mx = overturning(p, &l, g, c.Fy + c.shift, curve[LK_MAGIC_TILT].cosine),
        .my = rolling(p, &l, slip, c.Fx),
        .mz =
            aligning(p, &l, slip, &y, c.Gy * upright.Fy0, ratio, Dt * curve[LK_MAGIC_TRAIL].cosine),
    };
    lk_magic_forces(p, &l, slip, &x, &y, &c, &m, ret);
}
