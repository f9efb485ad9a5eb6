/* SPDX-License-Identifier: Apache-2.0 */
#include "cueing/transfer.h"
#include <complex.h>
#include <math.h>

#define LOWEST  1e-3 /* lowest frequency of the search [rad/s] */
#define HIGHEST 1e3
#define RATIO   1.005

static double complex second_order(double complex numerator, double omega, double zeta,
                                   double complex s)
{
    return numerator / (s * s + 2 * zeta * omega * s + omega * omega);
}

static double complex felt_force(const struct lk_washout_set *set, int axis, double complex s)
{
    double complex high = second_order(s * s, set->frequency[axis], set->damping[axis], s);
    double complex low = second_order(set->tilt_frequency * set->tilt_frequency,
                                      set->tilt_frequency, set->tilt_damping, s);

    high *= s / (s + set->leak[axis]);
    if (axis == 2)
        return high;
    return low + high * (1 - set->coupled * low);
}

struct lk_transfer lk_transfer_at(const struct lk_washout_set *set, int axis, double omega)
{
    double complex s = omega * (double complex)_Complex_I, felt;

    felt = axis < 3
               ? felt_force(set, axis, s)
               : second_order(s * s, set->turn_frequency[axis - 3], set->turn_damping[axis - 3], s);
    return (struct lk_transfer){cabs(felt), carg(felt)};
}

double lk_transfer_sag(const struct lk_washout_set *set, int axis)
{
    double lowest = LOWEST;

    for (double omega = LOWEST; omega < HIGHEST; omega *= RATIO)
        if (lk_transfer_at(set, axis, omega).gain < lk_transfer_at(set, axis, lowest).gain)
            lowest = omega;
    return lowest;
}

double lk_transfer_corner(const struct lk_washout_set *set, int axis)
{
    double omega = HIGHEST;

    while (omega > LOWEST && lk_transfer_at(set, axis, omega).gain > M_SQRT1_2)
        omega /= RATIO;
    return omega;
}
