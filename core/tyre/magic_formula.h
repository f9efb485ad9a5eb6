/* SPDX-License-Identifier: Apache-2.0 */
/* Common equations of the versions of the Magic Formula (H. B. Pacejka, Tyre and Vehicle Dynamics,
 * 2012, chapter 4.3). Symbols are those of the book; alpha stands for tan alpha, gamma for sin
 * gamma. */
#ifndef LK_TYRE_MAGIC_FORMULA_H
#define LK_TYRE_MAGIC_FORMULA_H

#include "maths/elementary.h"
#include "maths/vec.h"
#include "tyre/tyre.h"

#define LK_MAGIC_LOAD_MAX 10    /* largest load / nominal load; forces are constant beyond it */
#define LK_MAGIC_LEAST    1e-3  /* lower bound of friction and stiffness factors */
#define LK_MAGIC_TINY     1e-12 /* slips below it count as 0 */

/** struct lk_magic_load - load of the tyre.
 * @F0: scaled nominal load;  @d: (Fz - F0) / F0;  @dp: relative change of pressure, (p - p0) / p0
 */
struct lk_magic_load {
    double Fz;
    double F0;
    double d;
    double dp;
};

/** struct lk_magic_curve - the curve C atan(B x - E (B x - atan B x)), with its sine and its
 * cosine */
struct lk_magic_curve {
    double B;
    double C;
    double E;
    double x;
    double sine;
    double cosine;
};

/** enum lk_magic_place - curves of a tyre. The curves are independent of each other, so that four
 * are evaluated at a time. @LK_MAGIC_X, @LK_MAGIC_Y: pure slip;  @LK_MAGIC_GX, @LK_MAGIC_GY:
 * weights of combined slip, @LK_MAGIC_GX0, @LK_MAGIC_GY0 without slip;  @LK_MAGIC_SHIFT: SVyk;
 * @LK_MAGIC_TRAIL;  only in version 6.1: @LK_MAGIC_UPRIGHT: LK_MAGIC_Y without camber;
 * @LK_MAGIC_TILT: overturning moment */
enum lk_magic_place {
    LK_MAGIC_X,
    LK_MAGIC_Y,
    LK_MAGIC_GX,
    LK_MAGIC_GX0,
    LK_MAGIC_GY,
    LK_MAGIC_GY0,
    LK_MAGIC_SHIFT,
    LK_MAGIC_TRAIL,
    LK_MAGIC_UPRIGHT,
    LK_MAGIC_TILT,
    LK_MAGIC_CURVES = 12 /* a multiple of four */
};

/** struct lk_magic_side - pure side slip, and values for combined slip and moments: friction
 * @mu, cornering stiffness @K, factors @By and @Cy of the curve, shifts @SH and @SV.
 * lk_magic_close_side() sets @Fy0 and @secant, see struct lk_tyre_forces */
struct lk_magic_side {
    double Fy0;
    double mu;
    double K;
    double By;
    double Cy;
    double SH;
    double SV;
    double secant;
};

/** struct lk_magic_length - pure longitudinal slip: its peak @D, stiffness @K and shift @SV.
 * lk_magic_close_length() sets @Fx0 and @secant */
struct lk_magic_length {
    double Fx0;
    double D;
    double K;
    double SV;
    double secant;
};

/** struct lk_magic_combined - forces of both slips together. @Gx, @Gy: weights;  @Fx, @Fy:
 * forces, Fy without SVyk;  @shift: SVyk */
struct lk_magic_combined {
    double Gx;
    double Gy;
    double Fx;
    double Fy;
    double shift;
};

/** struct lk_magic_moments - moments about the axes of the contact; @mz without the moment of Fx */
struct lk_magic_moments {
    double mx;
    double my;
    double mz;
};

/** lk_magic_set_curve() - set @curve before lk_magic_draw(), value by value: a copy of the whole
 * structure would wait for the single stores. */
LK_INLINE void lk_magic_set_curve(struct lk_magic_curve *curve, double B, double C, double E,
                                  double x)
{
    curve->B = B;
    curve->C = C;
    curve->E = E;
    curve->x = x;
}

LK_INLINE double lk_magic_sign(double x)
{
    return x >= 0 ? 1 : -1;
}

/* Limit a curvature factor to 1. */
LK_INLINE double lk_magic_curvature(double E)
{
    return lk_min(1, E);
}

LK_INLINE double lk_magic_cos_atan(double x)
{
    return 1 / lk_root(1 + x * x);
}

/* Return sin(2 atan x). */
LK_INLINE double lk_magic_sin_2_atan(double x)
{
    return 2 * x / (1 + x * x);
}

/* Return @x, with a magnitude of at least @least, so that it can be a divisor. */
LK_INLINE double lk_magic_divisor(double x, double least)
{
    return fabs(x) >= least ? x : x >= 0 ? least : -least;
}

struct lk_magic_load lk_magic_load(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip);

/** lk_magic_draw() - compute sines and cosines of the first @n curves; @n is a multiple of
 * four. */
void lk_magic_draw(struct lk_magic_curve *curve, int n);

/** lk_magic_close_length(), lk_magic_close_side() - compute the forces of pure slip from their
 * curves. */
void lk_magic_close_length(struct lk_magic_length *x, const struct lk_magic_curve *curve);
void lk_magic_close_side(struct lk_magic_side *y, const struct lk_magic_load *l,
                         const struct lk_magic_curve *curve);

/** lk_magic_equivalent() - return the equivalent slip that combines @at with the other slip,
 * Pacejka 4.E77. @ratio: Kx / Ky kappa */
LK_INLINE double lk_magic_equivalent(double at, double ratio)
{
    return lk_magic_sign(at) * lk_root(at * at + ratio * ratio);
}

/** lk_magic_weigh() - set the curves of combined slip, 4.E50 to 4.E67. @Bxa, @Byk: stiffness
 * factors, with the camber terms of each version */
void lk_magic_weigh(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                    const struct lk_tyre_slip *slip, double Bxa, double Byk,
                    struct lk_magic_curve *curve);

/** lk_magic_ratio() - return Kx kappa / Ky, for the equivalent slips. */
LK_INLINE double lk_magic_ratio(const struct lk_magic_load *l, const struct lk_tyre_slip *slip,
                                const struct lk_magic_length *x, const struct lk_magic_side *y)
{
    return x->K * slip->kappa / lk_magic_divisor(y->K, LK_MAGIC_TINY * l->F0);
}

/** lk_magic_combine() - compute the forces of combined slip from all curves. */
void lk_magic_combine(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                      const struct lk_tyre_slip *slip, const struct lk_magic_length *x,
                      const struct lk_magic_side *y, const struct lk_magic_curve *curve,
                      struct lk_magic_combined *ret);

/** lk_magic_trail() - set the curve of the pneumatic trail, from equation 4.E33 on. @slope: tan
 * alpha;  @ratio: see lk_magic_ratio(). Return: Dt [m]; the trail is Dt times the cosine of the
 * curve and cos alpha. */
double lk_magic_trail(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double camber,
                      double slope, double ratio, double pressure,
                      struct lk_magic_curve *ret_curve);

/** lk_magic_forces() - compute the resulting forces and moments, with the moment of Fx about the
 * vertical, 4.E76. */
void lk_magic_forces(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                     const struct lk_tyre_slip *slip, const struct lk_magic_length *x,
                     const struct lk_magic_side *y, const struct lk_magic_combined *c,
                     const struct lk_magic_moments *m, struct lk_tyre_forces *ret);

#endif
