/* SPDX-License-Identifier: Apache-2.0 */
/* The state of `rattle` besides the motion of the bodies (lk_state.own). */
#ifndef LK_STEP_RATTLE_STATE_H
#define LK_STEP_RATTLE_STATE_H

#include "step/system.h"

/** struct lk_rattle_own - additional state of a body. @x, @q: pose of the last factor
 * @moved: u and theta of the last step;  @curvature: change of @moved since the previous step,
 *         divided by h^2; 0 before the first step */
struct lk_rattle_own {
    double x[3];
    double q[4];
    double moved[6];
    double curvature[6];
};

LK_INLINE struct lk_rattle_own *lk_rattle_own(const struct lk_state *state)
{
    return (struct lk_rattle_own *)state->own;
}

/** lk_rattle_has_differences() - return whether some velocities or accelerations are computed as
 * differences of positions, for bodies that lack inertia or along stiff dampers. RT: yes. */
LK_INLINE bool lk_rattle_has_differences(const struct lk_system *sys)
{
    return sys->closes_dampers || sys->n_massless > 0 || sys->n_thin > 0;
}

/** lk_rattle_own_size() - see lk_formulation.own_size. */
int lk_rattle_own_size(int n_bodies);

/** lk_rattle_begin_body() - initialise the additional state of a body in system->now at a start or
 * reset. The pose of the factor is the pose of the body; the last motion is computed from velocity
 * and acceleration. RT: yes. */
LK_RT void lk_rattle_begin_body(struct lk_system *system, int b);

/** lk_rattle_reset_prediction() - predict the next step from the velocities of system->next, not
 * from the motion of the last step. RT: yes. */
LK_RT void lk_rattle_reset_prediction(struct lk_system *system);

#endif
