/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/air.h"
#include "maths/vec.h"

void lk_air_follow(const struct lk_system *sys, const struct lk_joint *j, double axes[3][3],
                   const double *rates)
{
    const struct lk_law *law = sys->law + j->law;
    double square = 0;

    for (int i = 0; i < 3; i++) {
        const struct lk_term *t = &sys->term[law[i].first_term];
        double v;

        law[i].now->carry = -t->now->scale * lk_dot(axes[i], t->wind_velocity);
        v = rates[i] + law[i].now->carry;
        square += v * v;
    }
    for (int i = 0; i < 3; i++)
        sys->term[law[i].first_term].now->speed = sqrt(square);
}

void lk_air_follow_pose(const struct lk_system *sys, const struct lk_joint *j, const double *rates)
{
    double axes[3][3];

    if (j->type != LK_JOINT_AIR)
        return;
    for (int i = 0; i < 3; i++)
        lk_rotate(sys->pose[j->body[1]].R, j->f[1][i], axes[i]);
    lk_air_follow(sys, j, axes, rates);
}
