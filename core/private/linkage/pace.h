/* SPDX-License-Identifier: Apache-2.0 */
/* Pace: speed of a mechanism relative to its step. Measures rotations, modes, and the number of
 * iterations that the step needs, at the start or at rates that a run will reach.
 *
 * For `linkage check`; meson dependency `linkage_findings`.
 * Thread: any but the cycle.  RT: no. */
#ifndef LINKAGE_PACE_H
#define LINKAGE_PACE_H

#include "linkage/findings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_PACE_TURNS      4
#define LK_PACE_INCREMENTS 20
#define LK_PACE_SHARE      1e-9 /* allowed error of a step, relative to its motion */
#define LK_PACE_AHEAD      512  /* steps that are examined ahead */
#define LK_PACE_LEFT_AHEAD 1e-8 /* allowed error of these steps, relative to their motion */
#define LK_PACE_SWING      1e-3 /* energy swing at calm_step, relative to kinetic energy */

/** struct lk_pace_rate - rate of the first coordinate of a joint [rad/s, m/s]. @joint: name
 * of the joint in the model */
struct lk_pace_rate {
    const char *joint;
    double rate;
};

/** struct lk_pace_turn - rotation of a body in a step [rad]. @body: name of the body in the
 * model */
struct lk_pace_turn {
    int body;
    double turn;
};

/** struct lk_pace_mode - the fastest mode of one type.
 * @rate:  [rad/s], of a damper [1/s]; 0: there is no such mode
 * @where: the element or the body that contributes most */
struct lk_pace_mode {
    double rate;
    char where[LK_TEXT_SIZE];
};

/** struct lk_pace - result of lk_pace_init().
 * @h: step [s];  @turn: the bodies that turn most, @n_turns of them
 * @spring, @damper, @nutation, @swing: fastest modes of the whole mechanism; a swing is across the
 *              forces in the joints (geometric stiffness)
 * @increment:  largest component of each Newton increment of the next step [m or rad], @n of them;
 *              @n is 0 if the step does not iterate or fails
 * @way:        largest displacement or rotation of a body in that step [m or rad]
 * @contraction: mean ratio of an increment to the one before, from the second increment down to
 *              round-off; 0: the second is at round-off
 * @status:     return code of lk_system_step() for that step
 * @needed:     number of iterations for an error below LK_PACE_SHARE of @way; 0: no number suffices
 * @needed_ahead: number of iterations for an error below LK_PACE_LEFT_AHEAD of the motion in the
 *              next LK_PACE_AHEAD steps. In these steps each input with limits moves between its
 *              limits at random, as fast as its rate allows. 0: LK_PACE_INCREMENTS do not suffice,
 *              or the step does not iterate
 * @energy_swing: range of h^2/24 a.M a, the difference between the true energy and the energy that
 *              `rattle` conserves, in the next LK_PACE_AHEAD steps with the initial inputs, as a
 *              share of the kinetic energy. 0: no body rotates out of balance, or the step is not
 *              `rattle`
 * @calm_step:  step at which @energy_swing is LK_PACE_SWING [s]; 0: no swing */
struct lk_pace {
    double h;
    int n_turns;
    struct lk_pace_turn turn[LK_PACE_TURNS];
    struct lk_pace_mode spring;
    struct lk_pace_mode damper;
    struct lk_pace_mode nutation;
    struct lk_pace_mode swing;
    int n;
    double increment[LK_PACE_INCREMENTS];
    double way;
    double contraction;
    int needed;
    int needed_ahead;
    double energy_swing;
    double calm_step;
    int status;
};

/** lk_pace_init() - measure @system, compiled from @model, and reset it to its start.
 * @rates:    if @n > 0, impulses along these coordinates, one after another, produce the initial
 *            motion, and the system makes five steps with the initial inputs before it is
 *            measured
 * @findings: too-few-iterations is added if the iterations of the system are too few now or in
 *            the steps ahead, energy-appears if energy appears within LK_PACE_AHEAD steps
 *            (linkage/energy.h), and step-fails if the next step fails
 * Return: 0; -ENOENT, @ret_error names the rate whose joint does not exist, has no coordinate or
 *         cannot move; -ENOMEM. */
int lk_pace_init(const struct lk_model *model, struct lk_system *system,
                 const struct lk_pace_rate *rates, int n, struct lk_findings *findings,
                 struct lk_pace *ret_pace, struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
