/* SPDX-License-Identifier: Apache-2.0 */
/* Arc tangent, sine, cosine, exponential and logarithm for the cycle, computed with basic
 * arithmetic only: the bits do not depend on the mathematical library of the machine, only on the
 * build. Results are within 2 units in the last place of the true value in the range stated at each
 * function. Beyond this range the result stays finite. Thread: any. RT: yes. Not for NaN. */
#ifndef LK_MATHS_ELEMENTARY_H
#define LK_MATHS_ELEMENTARY_H

#include "maths/hot.h"

/** lk_atan() - return the arc tangent of any @x; pi/2 for infinity.
 * lk_atan_four() - compute four arc tangents at once, with the same bits. */
double lk_atan(double x);
void lk_atan_four(const lk_four *x, lk_four *ret);

/** lk_sin_cos() - compute sine and cosine of @x [rad], |x| <= 1e5.
 * lk_sin_cos_four() - compute four sines and cosines at once, with the same bits. */
void lk_sin_cos(double x, double *ret_sin, double *ret_cos);
void lk_sin_cos_four(const lk_four *x, lk_four *ret_sin, lk_four *ret_cos);

/** lk_exp() - return exp(@x), with x clipped to [-700, 700]. */
double lk_exp(double x);

/** lk_log() - return the natural logarithm of a normal @x > 0; -708.4 for smaller x. */
double lk_log(double x);

/** lk_power() - return @x to the power @y, x > 0; relative error about |y log x| units in the
 * last place. */
double lk_power(double x, double y);

#endif
