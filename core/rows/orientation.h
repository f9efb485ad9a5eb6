/* SPDX-License-Identifier: Apache-2.0 */
/* Three square rows that hold the frames of both sides parallel; fixed and prismatic joints share
 * them. Near the assembled pose each row is one component of the relative rotation vector. */
#ifndef LK_ROWS_ORIENTATION_H
#define LK_ROWS_ORIENTATION_H

#include "rows/rows.h"

/* row i squares direction i of side 0 with direction i + 1 of side 1 */
LK_INLINE void lk_orientation_violation(const struct lk_joint *j, const struct lk_pose *const *pose,
                                        double *phi)
{
    for (int i = 0; i < 3; i++)
        phi[i] = lk_rows_square(pose, j->f[0][i], j->f[1][(i + 1) % 3]);
}

LK_INLINE void lk_orientation_load(const struct lk_joint *j, const struct lk_pose *const *pose,
                                   const double *lambda, struct lk_twist *const *sum)
{
    for (int i = 0; i < 3; i++)
        lk_rows_square_load(pose, j->f[0][i], j->f[1][(i + 1) % 3], lambda[i], sum);
}

LK_INLINE void lk_orientation_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                                       int row, struct lk_jacobian ret)
{
    for (int i = 0; i < 3; i++)
        lk_rows_square_jacobian(pose, j->f[0][i], j->f[1][(i + 1) % 3], row + i, ret);
}

LK_INLINE void lk_orientation_gamma(const struct lk_joint *j, const struct lk_pose *const *pose,
                                    const struct lk_twist *const *twist, double *ret)
{
    for (int i = 0; i < 3; i++)
        ret[i] = lk_rows_square_gamma(pose, twist, j->f[0][i], j->f[1][(i + 1) % 3]);
}

#endif
