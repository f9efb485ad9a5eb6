/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/creep.h"
#include "maths/vec.h"
#include "rows/cone.h"
#include "step/elements/laws.h"
#include <math.h>

/* lower limit of N relative to the load, so that the coefficients of a lifted wheel stay above 0 */
#define LEAST 1e-9

bool lk_creep_follows(const struct lk_system *sys, const struct lk_joint *j)
{
    return j->type == LK_JOINT_CREEP && (sys->term[sys->law[j->law].first_term].contact >= 0 ||
                                         sys->term[sys->law[j->law + 1].first_term].spin > 0);
}

double lk_creep_spin(const struct lk_system *sys, const struct lk_joint *j,
                     const struct lk_twist *rail, const struct lk_twist *wheel)
{
    const struct lk_pose *pose[2] = {&sys->pose[j->body[0]], &sys->pose[j->body[1]]};
    double rail_w[3], wheel_w[3], relative[3], rolling[3], spin;
    struct lk_cone c;

    lk_cone_contact(j, pose, &c);
    lk_rotate(pose[0]->R, rail->w, rail_w);
    lk_rotate(pose[1]->R, wheel->w, wheel_w);
    lk_sub(wheel_w, rail_w, relative);
    /* n points into the rail: up is -n; a wheel that rolls along t turns about -n x t */
    spin = -lk_dot(relative, c.n);
    lk_cross(c.t, c.n, rolling);
    return copysign(spin, spin * lk_dot(relative, rolling));
}

/* Reduce both forces so that their sum does not exceed the limit, which is the same for both rows.
 */
static void limit_sum(const struct lk_system *sys, const struct lk_joint *j, const double *rates)
{
    const struct lk_law *law = &sys->law[j->law];
    double square = 0, limit = sys->term[law->first_term].now->limit, part;

    for (int row = 0; row < 2; row++) {
        const struct lk_term *t = &sys->term[law[row].first_term];
        double force = tanh(t->now->damping * (rates[row] + law[row].now->carry) / limit);

        square += force * force;
    }
    part = 1 / sqrt(lk_max(square, 1));
    for (int row = 0; row < 2; row++) {
        struct lk_term_now *now = sys->term[law[row].first_term].now;

        now->damping *= part;
        now->limit *= part;
    }
}

void lk_creep_take_load(const struct lk_system *sys, const struct lk_joint *j, const double *lambda)
{
    for (int row = 0; row < j->n_rows && lk_creep_follows(sys, j); row++) {
        const struct lk_term *t = &sys->term[sys->law[j->law + row].first_term];
        double normal = t->contact < 0 ? 0 : -lambda[sys->joint[t->contact].row];

        if (normal != 0)
            t->now->scale = lk_max(normal / t->load, LEAST);
    }
}

void lk_creep_follow(const struct lk_system *sys, const struct lk_joint *j, const double *lambda,
                     const double *rates, double spin)
{
    lk_creep_take_load(sys, j, lambda);
    for (int row = 0; row < j->n_rows; row++) {
        const struct lk_law *law = &sys->law[j->law + row];
        const struct lk_term *t = &sys->term[law->first_term];
        double root = cbrt(t->now->scale);

        if (t->contact >= 0) {
            t->now->damping = t->coulomb * root * root;
            t->now->limit = t->stick * t->now->scale;
        }
        if (row == 1)
            law->now->carry = t->spin * root * spin;
    }
    if (sys->term[sys->law[j->law].first_term].contact >= 0 &&
        !isinf(sys->term[sys->law[j->law].first_term].stick))
        limit_sum(sys, j, rates);
}

void lk_creep_follow_pose(const struct lk_system *sys, const struct lk_joint *j,
                          const double *lambda, const double *rates)
{
    if (lk_creep_follows(sys, j))
        lk_creep_follow(sys, j, lambda, rates,
                        lk_creep_spin(sys, j, &sys->twist[j->body[0]], &sys->twist[j->body[1]]));
}
