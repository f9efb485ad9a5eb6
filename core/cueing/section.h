/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of first and second order, discretised by Tustin's rule (s = 2/h (z-1)/(z+1)): stable for
 * every step, right to order 2 in h. The rule takes the input between two samples as their mean, so
 * a jump that the sample at t shows first acts from t - h/2.
 *
 * Coefficients and state are apart: the state is what a recording or a restart has to keep. */
#ifndef LK_CUEING_SECTION_H
#define LK_CUEING_SECTION_H

#include "maths/hot.h"

/** struct lk_section - y = b0 u + b1 u' + b2 u'' - a1 y' - a2 y'', primes are samples before.
 * struct lk_section_state - of the transposed direct form II; zeros are rest. */
struct lk_section {
    double b[3];
    double a[2];
};
struct lk_section_state {
    double z[2];
};

/** lk_section_second() - (n[0] s^2 + n[1] s + n[2]) / (s^2 + 2 zeta omega s + omega^2).
 * @omega: natural frequency [rad/s], at least 0;  @zeta: damping ratio;  @h: step [s] */
LK_INLINE struct lk_section lk_section_second(const double n[3], double omega, double zeta,
                                              double h)
{
    double k = 2 / h, damping = 2 * zeta * omega * k, w2 = omega * omega;
    double lead = k * k + damping + w2;

    return (struct lk_section){
        .b = {(n[0] * k * k + n[1] * k + n[2]) / lead, 2 * (n[2] - n[0] * k * k) / lead,
              (n[0] * k * k - n[1] * k + n[2]) / lead},
        .a = {2 * (w2 - k * k) / lead, (k * k - damping + w2) / lead},
    };
}

/** lk_section_wash() - s / (s + omega); with @omega 0 the input itself. */
LK_INLINE struct lk_section lk_section_wash(double omega, double h)
{
    double k = 2 / h, lead = k + omega;

    if (omega == 0)
        return (struct lk_section){.b = {1, 0, 0}};
    return (struct lk_section){.b = {k / lead, -k / lead, 0}, .a = {(omega - k) / lead, 0}};
}

/** lk_section_step() - the output that belongs to the next sample @u. RT: yes. */
LK_INLINE double lk_section_step(const struct lk_section *f, struct lk_section_state *state,
                                 double u)
{
    double y = f->b[0] * u + state->z[0];

    state->z[0] = f->b[1] * u - f->a[0] * y + state->z[1];
    state->z[1] = f->b[2] * u - f->a[1] * y;
    return y;
}

#endif
