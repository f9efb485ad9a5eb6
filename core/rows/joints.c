/* SPDX-License-Identifier: Apache-2.0 */
/* The table of joint types. To add a type, add a line to table.h, or a separate file and a
 * line here. */
#include "rows/rows.h"
#include "rows/table.h"

const struct lk_joint_type_ops *const lk_joint_types[LK_JOINT_TYPES] = {
#define X(NAME, ...) [LK_JOINT_##NAME] = &lk_joint_kind_ops[LK_KIND_##NAME],
    LK_JOINT_KINDS(X)
#undef X
        [LK_JOINT_PIN] = &lk_joint_pin,
    [LK_JOINT_PIVOT] = &lk_joint_pivot,
    [LK_JOINT_SCREW] = &lk_joint_screw,
    [LK_JOINT_DISTANCE] = &lk_joint_distance,
    [LK_JOINT_CONSTANT_VELOCITY] = &lk_joint_constant_velocity,
    [LK_JOINT_CONE_ON_RAIL] = &lk_joint_cone_on_rail,
    [LK_JOINT_SKATE] = &lk_joint_skate,
    [LK_JOINT_ROLLING] = &lk_joint_rolling,
    [LK_JOINT_GEAR] = &lk_joint_coupling,
    [LK_JOINT_RACK] = &lk_joint_coupling,
    [LK_JOINT_DIFFERENTIAL] = &lk_joint_coupling,
    [LK_JOINT_BUSHING] = &lk_joint_bushing,
    [LK_JOINT_COORDINATE] = &lk_joint_coordinate_row,
    [LK_JOINT_CREEP] = &lk_joint_creep,
    [LK_JOINT_AIR] = &lk_joint_air,
    [LK_JOINT_SWAY] = &lk_joint_sway,
    [LK_JOINT_TYRE] = &lk_joint_tyre,
    [LK_JOINT_CONTACT] = &lk_joint_contact,
};

void lk_joint_violation(const struct lk_joint *j, const struct lk_pose *const *pose, double *phi)
{
    lk_joint_types[j->type]->violation(j, pose, phi);
    if (lk_is_compliant(j) && lk_joint_types[j->type]->is_point) {
        double d[3];

        lk_rows_gap(j, pose, d);
        for (int i = 0; i < 3; i++)
            phi[i] = lk_rows_sliding(pose, j->f[0][i], d);
    }
}

void lk_joint_jacobian(const struct lk_joint *j, const struct lk_pose *const *pose,
                       struct lk_jacobian ret)
{
    lk_joint_types[j->type]->jacobian(j, pose, ret);
    if (lk_is_compliant(j) && lk_joint_types[j->type]->is_point) {
        double d[3];

        lk_rows_gap(j, pose, d);
        for (int i = 0; i < 3; i++) {
            double J[2][6];

            lk_rows_sliding_jacobian(j, pose, j->f[0][i], d, J[0], J[1]);
            for (int s = 0; s < 2; s++)
                lk_jacobian_set_row(ret, s, i, J[s]);
        }
    }
}

void lk_joint_way(const struct lk_joint *j, const double *before, const double *now, double *ret)
{
    if (lk_joint_types[j->type]->way) {
        lk_joint_types[j->type]->way(j, before, now, ret);
        return;
    }
    for (int r = 0; r < j->n_rows; r++)
        ret[r] = now[r] - before[r];
}
