/* SPDX-License-Identifier: Apache-2.0 */
/* Arc tangent, sine, cosine, exponential and logarithm for the cycle, by arithmetic alone: the bits
 * do not depend on the mathematical library of the machine, only on the build. Within 2 units in
 * the last place of the true value in the range that each names; beyond it the result stays finite.
 * Thread: any. RT: yes. Not for NaN. */
#ifndef LK_MATHS_ELEMENTARY_H
#define LK_MATHS_ELEMENTARY_H

/** lk_atan() - any @x; pi/2 for infinity. */
double lk_atan(double x);

/** lk_sin_cos() - both of @x [rad], |x| <= 1e5. */
void lk_sin_cos(double x, double *ret_sin, double *ret_cos);

/** lk_exp() - exp(@x), x clipped to [-700, 700]. */
double lk_exp(double x);

/** lk_log() - of a normal @x > 0; -708.4 for all below. */
double lk_log(double x);

/** lk_power() - @x to the @y, x > 0; relative error about |y log x| units in the last place. */
double lk_power(double x, double y);

#endif
