/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate row: one coordinate of another joint as a row. A spring, a stop or friction can act on
 * this row, or a drive can prescribe it. The sides of the row are the bodies of that joint; the
 * ground may be omitted (`at_side`).
 *
 * The violation is the wrapped coordinate itself; the step unwraps it and subtracts the value of
 * the drive, or passes it to the law. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    phi[0] = lk_rows_coordinate(j, 0, pose);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[LK_SIDES_MAX][6] = {{0}};

    lk_rows_coordinate_jacobian(j, 0, 1, pose, J);
    lk_rows_add_load(j->n_sides, J, lambda[0], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[LK_SIDES_MAX][6] = {{0}};

    lk_rows_coordinate_jacobian(j, 0, 1, pose, J);
    for (int s = 0; s < j->n_sides; s++)
        lk_jacobian_set_row(ret, s, 0, J[s]);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    ret[0] = lk_rows_coordinate_gamma(j, 0, pose, twist);
}

const struct lk_joint_type_ops lk_joint_coordinate_row = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
