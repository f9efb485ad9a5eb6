/* SPDX-License-Identifier: Apache-2.0 */
/* What the versions of the Magic Formula share (H. B. Pacejka, Tyre and Vehicle Dynamics, 2012,
 * chapter 4.3). Letters are those of the book; alpha stands for tan alpha, gamma for sin gamma. */
#ifndef LK_TYRE_MAGIC_FORMULA_H
#define LK_TYRE_MAGIC_FORMULA_H

#include "maths/elementary.h"
#include "maths/vec.h"
#include "tyre/tyre.h"

#define LK_MAGIC_LOAD_MAX 10    /* times the nominal load; beyond it forces stay as they are */
#define LK_MAGIC_LEAST    1e-3  /* friction and fade of stiffness with camber, of their values */
#define LK_MAGIC_TINY     1e-12 /* below it a slip is none */

/** struct lk_magic_load - @d: (Fz - F0) / F0 with the scaled nominal load @F0;  @dp: (p - p0) / p0
 */
struct lk_magic_load {
    double Fz;
    double F0;
    double d;
    double dp;
};

/** struct lk_magic_side - pure side slip and what combined slip and moments need of it. @Fy0; @mu,
 * @K, @By, @Cy; @SH, @SV: shifts;  @secant: see struct lk_tyre_forces */
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

/** struct lk_magic_length - pure longitudinal slip */
struct lk_magic_length {
    double Fx0;
    double K;
    double secant;
};

/** struct lk_magic_combined - both slips together. @Gx, @Gy: weights;  @Fx;  @Fy: without @shift,
 * SVyk;  @ratio: Kx kappa / Ky, for the equivalent slips */
struct lk_magic_combined {
    double Gx;
    double Gy;
    double Fx;
    double Fy;
    double shift;
    double ratio;
};

/** struct lk_magic_moments - about the axes of the contact; @mz without the lever of Fx */
struct lk_magic_moments {
    double mx;
    double my;
    double mz;
};

LK_INLINE double lk_magic_sign(double x)
{
    return x >= 0 ? 1 : -1;
}

/* every curvature factor is cut at 1 */
LK_INLINE double lk_magic_curvature(double E)
{
    return fmin(E, 1);
}

/* C atan(B x - E (B x - atan B x)) */
LK_INLINE double lk_magic_angle(double B, double C, double E, double x)
{
    double bx = B * x;

    return C * lk_atan(bx - E * (bx - lk_atan(bx)));
}

LK_INLINE double lk_magic_sine(double B, double C, double E, double x)
{
    double s, c;

    lk_sin_cos(lk_magic_angle(B, C, E, x), &s, &c);
    return s;
}

LK_INLINE double lk_magic_cosine(double B, double C, double E, double x)
{
    double s, c;

    lk_sin_cos(lk_magic_angle(B, C, E, x), &s, &c);
    return c;
}

LK_INLINE double lk_magic_cos_atan(double x)
{
    return 1 / lk_root(1 + x * x);
}

/* sin(2 atan x) */
LK_INLINE double lk_magic_sin_2_atan(double x)
{
    return 2 * x / (1 + x * x);
}

/* @x away from zero, so that it divides */
LK_INLINE double lk_magic_divisor(double x, double least)
{
    return fabs(x) >= least ? x : x >= 0 ? least : -least;
}

struct lk_magic_load lk_magic_load(const struct lk_tyre_magic *p, const struct lk_tyre_slip *slip);

/** lk_magic_weight() - G of combined slip: cosine at @x + @shift over that at @shift. */
double lk_magic_weight(double B, double C, double E, double shift, double x);

/** lk_magic_equivalent() - the slip at that has the effect of both, Pacejka 4.E77. @ratio: Kx / Ky
 * kappa */
LK_INLINE double lk_magic_equivalent(double at, double ratio)
{
    return lk_magic_sign(at) * lk_root(at * at + ratio * ratio);
}

/** lk_magic_combine() - forces of combined slip, 4.E50 to 4.E67. @Bxa, @Byk: stiffness factors,
 * with the camber as each version has it */
struct lk_magic_combined lk_magic_combine(const struct lk_tyre_magic *p,
                                          const struct lk_magic_load *l,
                                          const struct lk_tyre_slip *slip,
                                          const struct lk_magic_length *x,
                                          const struct lk_magic_side *y, double Bxa, double Byk);

/** lk_magic_trail() - pneumatic trail t [m] by cos alpha, 4.E33 on. @slip_eq: equivalent slip */
double lk_magic_trail(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double camber,
                      double at, double slip_eq, double cos_alpha, double pressure);

/** lk_magic_forces() - what all of it comes to, with the lever of Fx about the vertical, 4.E76. */
struct lk_tyre_forces lk_magic_forces(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                                      const struct lk_tyre_slip *slip,
                                      const struct lk_magic_length *x,
                                      const struct lk_magic_side *y,
                                      const struct lk_magic_combined *c,
                                      const struct lk_magic_moments *m);

#endif
