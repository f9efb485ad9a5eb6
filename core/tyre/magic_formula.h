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

/** lk_magic_combined_x() - Fx of combined slip, 4.E50 on; @Bxa: stiffness factor */
double lk_magic_combined_x(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double Bxa,
                           double slope);

/** lk_magic_combined_y() - weight Gy of the side force, 4.E58 on, and @ret_shift: SVyk */
double lk_magic_combined_y(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                           const struct lk_tyre_slip *slip, double Byk, double mu,
                           double *ret_shift);

/** lk_magic_arm() - s, lever of Fx about the vertical [m] */
LK_INLINE double lk_magic_arm(const struct lk_tyre_magic *p, const struct lk_magic_load *l,
                              double camber, double Fy)
{
    return p->UNLOADED_RADIUS * p->LS *
           (p->SSZ1 + p->SSZ2 * Fy / l->F0 + (p->SSZ3 + p->SSZ4 * l->d) * camber);
}

/** lk_magic_trail() - pneumatic trail t [m] by cos alpha, 4.E33 on. @slip_eq: equivalent slip */
double lk_magic_trail(const struct lk_tyre_magic *p, const struct lk_magic_load *l, double camber,
                      double at, double slip_eq, double cos_alpha, double pressure);

#endif
