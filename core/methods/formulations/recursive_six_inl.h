/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on vectors [linear; angular] in world axes and on 6 x 6 matrices, for the formulation
 * `recursive`. */
#ifndef LK_METHODS_FORMULATIONS_RECURSIVE_SIX_INL_H
#define LK_METHODS_FORMULATIONS_RECURSIVE_SIX_INL_H

#include "methods/formulations/recursive.h"
#include <string.h>

LK_INLINE double lk_six_dot(const double a[6], const double b[6])
{
    return lk_dot(a, b) + lk_dot(a + 3, b + 3);
}

/* Compute the twist @ret at the point that is @d away from the point of the twist @V. */
LK_INLINE void lk_six_shift(const double d[3], const double V[6], double ret[6])
{
    double turn[3];

    lk_cross(V + 3, d, turn);
    for (int i = 0; i < 3; i++) {
        ret[i] = V[i] + turn[i];
        ret[3 + i] = V[3 + i];
    }
}

/* Add the wrench @f to @sum. @f acts at a point that is @d away from the point of @sum. */
LK_INLINE void lk_six_add_wrench(const double d[3], const double f[6], double sum[6])
{
    double moment[3];

    lk_cross(d, f, moment);
    for (int i = 0; i < 3; i++) {
        sum[i] += f[i];
        sum[3 + i] += f[3 + i] + moment[i];
    }
}

LK_INLINE void lk_six_mass_times(const double M[36], const double V[6], double ret[6])
{
    for (int i = 0; i < 6; i++)
        ret[i] = lk_six_dot(M + 6 * i, V);
}

/* Add X^T M X to @sum, where X is the shift by @d. The code first forms the columns of the angular
 * part, then its rows. */
LK_INLINE void lk_six_add_mass(const double d[3], const double M[36], double sum[36])
{
    double MX[36];

    memcpy(MX, M, sizeof(MX));
    for (int i = 0; i < 6; i++) {
        double *row = MX + 6 * i;

        /* a row of M X is [m, mu - m skew(d)] for the row [m, mu] of M, and -m skew(d) = d x m */
        row[3] += d[1] * row[2] - d[2] * row[1];
        row[4] += d[2] * row[0] - d[0] * row[2];
        row[5] += d[0] * row[1] - d[1] * row[0];
    }
    for (int k = 0; k < 6; k++) {
        const double column[3] = {MX[k], MX[6 + k], MX[12 + k]};

        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;

            sum[6 * i + k] += column[i];
            sum[6 * (3 + i) + k] += MX[6 * (3 + i) + k] + d[j] * column[l] - d[l] * column[j];
        }
    }
}

/* Compute the mass matrix of a body about its O.
 * @arm: vector from O to the centre of mass [m] */
LK_INLINE void lk_six_mass_of(const struct lk_body *body, const double R[9], const double arm[3],
                              double ret[36])
{
    double at_com[36] = {0}, turned[9], column[3];

    at_com[0] = at_com[7] = at_com[14] = body->mass;
    for (int k = 0; k < 3; k++) { /* R J */
        const double e[3] = {k == 0, k == 1, k == 2};

        lk_sym_mul(body->inertia, e, column);
        for (int i = 0; i < 3; i++)
            turned[3 * i + k] = lk_dot(R + 3 * i, column);
    }
    for (int i = 0; i < 3; i++) /* R J R^T */
        for (int k = 0; k < 3; k++)
            at_com[6 * (3 + i) + 3 + k] = lk_dot(turned + 3 * i, R + 3 * k);
    memset(ret, 0, 36 * sizeof(double));
    lk_six_add_mass(arm, at_com, ret);
}

#endif
