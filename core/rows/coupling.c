/* SPDX-License-Identifier: Apache-2.0 */
/* Coupling: gear (angle to angle), rack (angle to length) or differential (angle to two angles).
 * One row between the coordinates of other joints: c1 + c2 - ratio c0 - offset = 0, where only a
 * differential has c2. The row acts on the bodies of all these joints, up to six. A body that
 * belongs to several of the joints is one side, with the sum of their Jacobians. The ground may be
 * omitted (`at_side`).
 *
 * The coordinates are wrapped here. The step unwraps them before it applies the ratio, which
 * does not commute with whole turns. */
#include "rows/rows.h"

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    phi[0] = lk_rows_coordinate(j, 1, pose) - j->ratio * lk_rows_coordinate(j, 0, pose) - j->offset;
    if (j->of[2])
        phi[0] += lk_rows_coordinate(j, 2, pose);
}

static void row(const struct lk_joint *j, const struct lk_pose *const *pose,
                double J[LK_SIDES_MAX][6])
{
    lk_rows_coordinate_jacobian(j, 1, 1, pose, J);
    lk_rows_coordinate_jacobian(j, 0, -j->ratio, pose, J);
    if (j->of[2])
        lk_rows_coordinate_jacobian(j, 2, 1, pose, J);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[LK_SIDES_MAX][6] = {{0}};

    row(j, pose, J);
    lk_rows_add_load(j->n_sides, J, lambda[0], sum);
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[LK_SIDES_MAX][6] = {{0}};

    row(j, pose, J);
    for (int s = 0; s < j->n_sides; s++)
        lk_jacobian_set_row(ret, s, 0, J[s]);
}

static void gamma_rows(const struct lk_joint *j, const struct lk_pose *const *pose,
                       const struct lk_twist *const *twist, double *ret)
{
    ret[0] = lk_rows_coordinate_gamma(j, 1, pose, twist) -
             j->ratio * lk_rows_coordinate_gamma(j, 0, pose, twist);
    if (j->of[2])
        ret[0] += lk_rows_coordinate_gamma(j, 2, pose, twist);
}

const struct lk_joint_type_ops lk_joint_coupling = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = gamma_rows,
};
