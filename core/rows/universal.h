/* SPDX-License-Identifier: Apache-2.0 */
/* The angles of a universal joint: the first axis a = f[0][2], fixed to body 0, stays at a right
 * angle to the second axis b = f[1][2], fixed to body 1.
 *
 * Both axes are fixed to a cross-piece without mass. The coordinate `first` is the angle of the
 * cross-piece relative to body 0, about a. The coordinate `second` is the angle of body 1 relative
 * to the cross-piece, about b. Initially f[0][0] = b and f[1][0] = a, and both frames are
 * right-handed. So with both angles measured from this pose
 *
 *   b = cos(first) f[0][0] + sin(first) f[0][1]      b turns with the cross-piece in body 0
 *   a = cos(second) f[1][0] - sin(second) f[1][1]    in body 1, a turns the other way
 *
 * and w1 - w0 = first' a + second' b. With a . b = 0 both rates are products with the axes:
 * first' = a . (w1 - w0), second' = b . (w1 - w0). */
#ifndef LK_ROWS_UNIVERSAL_H
#define LK_ROWS_UNIVERSAL_H

#include "rows/rows.h"

LK_INLINE double lk_universal_angle(const struct lk_joint *j, const struct lk_pose *const *pose,
                                    int i)
{
    if (i == 0)
        return atan2(lk_rows_square(pose, j->f[0][1], j->f[1][2]),
                     lk_rows_square(pose, j->f[0][0], j->f[1][2]));
    return atan2(-lk_rows_square(pose, j->f[0][2], j->f[1][1]),
                 lk_rows_square(pose, j->f[0][2], j->f[1][0]));
}

/* Select the vectors @u and @v of the square rows c (index 0) and s (index 1), with angle 0 =
 * atan2(s, c) and angle 1 = atan2(-s, c). Compliant joints need derivatives of the angles at any
 * pose; the next two functions compute them from these rows. */
LK_INLINE void lk_universal_squares(const struct lk_joint *j, int i, const double *u[2],
                                    const double *v[2])
{
    for (int k = 0; k < 2; k++) {
        u[k] = j->f[0][i == 0 ? k : 2];
        v[k] = j->f[1][i == 0 ? 2 : k];
    }
}

LK_INLINE void lk_universal_exact_jacobian(const struct lk_joint *j,
                                           const struct lk_pose *const *pose, int i, double J[2][6])
{
    const double *u[2], *v[2];
    double value[2], part[2][2][3], sign = i == 0 ? 1 : -1, scale;

    lk_universal_squares(j, i, u, v);
    for (int k = 0; k < 2; k++) {
        value[k] = lk_rows_square(pose, u[k], v[k]);
        lk_rows_square_directions(pose, u[k], v[k], part[k][0], part[k][1]);
    }
    scale = sign / lk_rows_angle_square(value[0], value[1]);
    for (int s = 0; s < 2; s++)
        for (int n = 0; n < 3; n++) {
            J[s][n] = 0;
            J[s][3 + n] = scale * (value[0] * part[1][s][n] - value[1] * part[0][s][n]);
        }
}

LK_INLINE double lk_universal_exact_gamma(const struct lk_joint *j,
                                          const struct lk_pose *const *pose,
                                          const struct lk_twist *const *twist, int i)
{
    const double *u[2], *v[2];
    double value[2], rate[2], gamma[2], sign = i == 0 ? 1 : -1, scale;

    lk_universal_squares(j, i, u, v);
    for (int k = 0; k < 2; k++) {
        value[k] = lk_rows_square(pose, u[k], v[k]);
        rate[k] = lk_rows_square_rate(pose, twist, u[k], v[k]);
        gamma[k] = lk_rows_square_gamma(pose, twist, u[k], v[k]);
    }
    scale = 1 / lk_rows_angle_square(value[0], value[1]);
    return sign * scale *
           (value[0] * gamma[1] - value[1] * gamma[0] -
            2 * (value[0] * rate[0] + value[1] * rate[1]) * scale *
                (value[0] * rate[1] - value[1] * rate[0]));
}

/* Compute the Jacobian of angle @i. For rigid rows it is axis @i, which is fixed to body i, in the
 * axes of each body; this is exact if the rows hold. */
LK_INLINE void lk_universal_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                                     int i, double J[2][6])
{
    double world[3], turn[3];

    if (lk_is_compliant(j)) {
        lk_universal_exact_jacobian(j, pose, i, J);
        return;
    }
    lk_rotate(pose[i]->R, j->f[i][2], world);
    for (int s = 0; s < 2; s++) {
        lk_rotate_back(pose[s]->R, world, turn);
        for (int k = 0; k < 3; k++) {
            J[s][k] = 0;
            J[s][3 + k] = s == 0 ? -turn[k] : turn[k];
        }
    }
}

/* Compute gamma of angle @i. With accelerations zero, w0 and w1 are constant, in world axes and in
 * body axes. So a . w0 is constant, and d/dt (a . w1) = (w0 x a) . w1 = a . (w1 x w0); likewise
 * -d/dt (b . w0) = b . (w1 x w0). */
LK_INLINE double lk_universal_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                    const struct lk_twist *const *twist, int i)
{
    double w0[3], w1[3], axis[3], cross[3];

    if (lk_is_compliant(j))
        return lk_universal_exact_gamma(j, pose, twist, i);
    lk_rotate(pose[0]->R, twist[0]->w, w0);
    lk_rotate(pose[1]->R, twist[1]->w, w1);
    lk_rotate(pose[i]->R, j->f[i][2], axis);
    lk_cross(w1, w0, cross);
    return lk_dot(axis, cross);
}

#endif
