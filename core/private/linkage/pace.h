/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a mechanism goes for its step: turns, modes, and what the iterations need.
 *
 * At the start, or at rates that a run will reach. For `linkage check`; meson dependency
 * `linkage_findings`. Thread: any but the cycle.  RT: no. */
#ifndef LINKAGE_PACE_H
#define LINKAGE_PACE_H

#include "linkage/findings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_PACE_TURNS      4
#define LK_PACE_INCREMENTS 20
#define LK_PACE_SHARE      1e-9 /* of the way of a step that its iterations may leave */
#define LK_PACE_AHEAD      512  /* steps that are looked ahead */
#define LK_PACE_LEFT_AHEAD 1e-8 /* of the way of many steps */
#define LK_PACE_SWING      1e-3 /* of the kinetic energy */

/** struct lk_pace_rate - a @joint of the model by name, and the rate of its first coordinate
 * [rad/s, m/s]. */
struct lk_pace_rate {
    const char *joint;
    double rate;
};

/** struct lk_pace_turn - a @body of the model and how far it turns in a step [rad]. */
struct lk_pace_turn {
    int body;
    double turn;
};

/** struct lk_pace_mode - the fastest of a kind [rad/s], of a damper [1/s], 0: there is none;
 * @where: the element or the body that does most of it */
struct lk_pace_mode {
    double rate;
    char where[LK_TEXT_SIZE];
};

/** struct lk_pace - @h: the step [s];  @turn: the bodies that turn most, @n_turns of them
 * @spring, @damper, @nutation, @swing: modes of the whole mechanism; a swing is across the forces
 *              in the joints
 * @increment:  largest component of each Newton increment of a step from here [m or rad], @n of
 *              them, 0 where the step does not iterate or fails
 * @way:        largest displacement or turn of a body in that step [m or rad]
 * @contraction: of an increment to the next, from the second on, down to round-off; 0: the second
 *              is there
 * @status:     of that step, 0 or what lk_system_step() returned
 * @needed:     iterations that leave less than LK_PACE_SHARE of the way; 0: no number does
 * @needed_ahead: iterations that leave less than LK_PACE_LEFT_AHEAD of the way in the LK_PACE_AHEAD
 * steps from here, while each input with limits is thrown about between them as fast as its rate
 * allows; 0: LK_PACE_INCREMENTS do not, or the step does not iterate
 * @energy_swing: of what turns out of balance, in the LK_PACE_AHEAD steps from here with inputs as
 *              they start: by how much of the kinetic energy, from least to most, a look once a
 * step is off the energy that `rattle` keeps; 0: nothing does, or the step is another
 * @calm_step:  at which that is LK_PACE_SWING [s], 0: no swing */
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

/** lk_pace_init() - measure @system, compiled from @model, and return it to its start. With @n
 * @rates it has the motion that blows along these coordinates make, one after another, and is
 * stepped five times first, with the initial values of its inputs.
 * @findings: too-few-iterations is added where the iterations of the system are too few here or in
 *            the steps ahead, energy-appears where energy does within LK_PACE_AHEAD steps
 *            (linkage/energy.h), and step-fails where a step from here fails
 * Return: 0; -ENOENT, @ret_error names the rate whose joint there is not, has no coordinate or
 * cannot move; -ENOMEM. */
int lk_pace_init(const struct lk_model *model, struct lk_system *system,
                 const struct lk_pace_rate *rates, int n, struct lk_findings *findings,
                 struct lk_pace *ret_pace, struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
