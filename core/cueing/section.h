/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of first and second order, discretised with the trapezoidal (Tustin) rule: stable for
 * every step, accurate to order 2 in h. The rule uses the mean of two samples as the input between
 * them. So a jump that first appears in the sample at t acts from t - h/2.
 *
 * The state consists of the variables of the differential equation, not of sums of past samples. If
 * a frequency or a damping changes while the filter runs, the slope of its output changes, but the
 * output does not jump. A recording or a restart has to store the state; zeros mean rest. */
#ifndef LK_CUEING_SECTION_H
#define LK_CUEING_SECTION_H

#include "maths/hot.h"

/** struct lk_section - y'' = u - 2 zeta omega y' - omega^2 y. @y, @rate, @bend: y, y', y'' */
struct lk_section {
    double y;
    double rate;
    double bend;
};

/** lk_section_step() - advance the filter to the sample @u, @h [s] after the previous sample.
 * @omega: natural frequency [rad/s], at least 0;  @zeta: damping ratio. RT: yes. */
LK_INLINE void lk_section_step(struct lk_section *s, double omega, double zeta, double h, double u)
{
    double half = 0.5 * h, damping = 2 * zeta * omega, w2 = omega * omega;
    double rate = s->rate + half * (s->bend + u - w2 * (s->y + half * s->rate));

    rate /= 1 + half * (damping + half * w2);
    s->y += half * (s->rate + rate);
    s->rate = rate;
    s->bend = u - damping * rate - w2 * s->y;
}

/** lk_section_follow() - apply omega^2 / (s^2 + 2 zeta omega s + omega^2) to @u. Return: the
 * output of the filter. */
LK_INLINE double lk_section_follow(struct lk_section *s, double omega, double zeta, double h,
                                   double u)
{
    lk_section_step(s, omega, zeta, h, omega * omega * u);
    return s->y;
}

/** struct lk_leak - state of the filter s / (s + omega). @low: low-pass part that is subtracted
 * from the input;  @rate: its rate */
struct lk_leak {
    double low;
    double rate;
};

/** lk_leak_step() - advance the filter to the sample @u, @h [s] after the previous sample. If
 * @omega is 0 and the filter starts at rest, the output is the input. Return: the output. */
LK_INLINE double lk_leak_step(struct lk_leak *s, double omega, double h, double u)
{
    double half = 0.5 * h;

    s->low = (s->low + half * (s->rate + omega * u)) / (1 + half * omega);
    s->rate = omega * (u - s->low);
    return u - s->low;
}

#endif
