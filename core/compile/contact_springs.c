/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/contact_springs.h"
#include "maths/vec.h"
#include "step/kinematics.h"

void lk_contact_anchor(const struct lk_system *sys, int index, double ret[2][3])
{
    const struct lk_joint *j = &sys->joint[sys->contact[index].joint];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    struct lk_contact_place place;
    double arm[3];

    lk_contact_place(j->pair, pose, &place);
    lk_rotate_back(pose[0]->R, place.at, ret[0]);
    for (int k = 0; k < 3; k++)
        arm[k] = place.at[k] - (pose[1]->x[k] - pose[0]->x[k]);
    lk_rotate_back(pose[1]->R, arm, ret[1]);
}

void lk_contact_deflections(const struct lk_system *sys, int index, const double anchor[2][3],
                            double ret[3])
{
    const struct lk_joint *j = &sys->joint[sys->contact[index].joint];
    const struct lk_pose *const pose[2] = LK_TWO_SIDES(sys->pose, j);
    struct lk_contact_place place;
    double arm[2][3], shift[3];

    lk_contact_place(j->pair, pose, &place);
    for (int s = 0; s < 2; s++)
        lk_rotate(pose[s]->R, anchor[s], arm[s]);
    for (int k = 0; k < 3; k++)
        shift[k] = (pose[1]->x[k] - pose[0]->x[k]) + arm[1][k] - arm[0][k];
    ret[0] = lk_dot(place.axes[0], shift);
    ret[1] = lk_dot(place.axes[1], shift);
    ret[2] = place.gap;
}
