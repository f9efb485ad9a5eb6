/* SPDX-License-Identifier: Apache-2.0 */
/* Creep: two rows, always compliant, that measure the slip velocity of a wheel on its rail at their
 * contact (cone.h). The slip velocity is the velocity of the wheel's material minus the velocity of
 * the rail's material. Row 0 is its component along the rail, row 1 the component across the rail
 * in the contact plane. No coordinate has these rates, so the value of a row is zero; the law of
 * the rows uses only the rates. */
#include "rows/cone.h"

static void rows_of(const struct lk_joint *j, const struct lk_pose *const *pose, double J[2][2][6])
{
    struct lk_cone c;
    double arm[2][3];

    lk_cone_contact(j, pose, &c);
    lk_cone_arms(j, pose, &c, arm);
    lk_rows_material_row(pose, arm, c.t, -1, J[0]);
    lk_rows_material_row(pose, arm, c.m, -1, J[1]);
}

static void violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    (void)j;
    (void)pose;
    phi[0] = phi[1] = 0;
}

static void jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                     struct lk_jacobian ret)
{
    double J[2][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++)
            lk_jacobian_set_row(ret, s, r, J[r][s]);
}

static void load(const struct lk_joint *j, const struct lk_pose *const *pose, const double *lambda,
                 struct lk_twist *const *sum)
{
    double J[2][2][6];

    rows_of(j, pose, J);
    for (int r = 0; r < 2; r++)
        lk_rows_add_load(2, J[r], lambda[r], sum);
}

const struct lk_joint_type_ops lk_joint_creep = {
    .violation = violation,
    .load = load,
    .jacobian = jacobian,
    .gamma = lk_rows_no_gamma,
};
