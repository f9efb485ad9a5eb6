/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a run: one block of doubles, complete for a restart with the same bits. */
#ifndef LK_STEP_STATE_H
#define LK_STEP_STATE_H

#include "rows/joint.h"

struct lk_carcass;       /* step/elements/tyres.h */
struct lk_contact_state; /* step/elements/contacts.h */
struct lk_drive_samples; /* step/elements/drives.h */

/** struct lk_motion - state of a body. @x, @v, @a: position of the centre of mass, twist,
 * acceleration (translation: world; rotation: body axes); @q: orientation, body to world. */
struct lk_motion {
    double x[3];
    double q[4];
    struct lk_twist v;
    struct lk_twist a;
};

/** struct lk_mode_state - state of a modal coordinate: @q, its rate @v and acceleration @a. Of
 * `rattle`, as in struct lk_rattle_own: @unclosed: of the last factor;  @moved, @curvature */
struct lk_mode_state {
    double q;
    double v;
    double a;
    double unclosed;
    double moved;
    double curvature;
};

/** struct lk_balance - energy balance and residuals of a run; all doubles, part of the state.
 * @steps: number of steps done, exact up to 2^53
 * @taken: energy dissipated by the step itself: by its damping of tensions, and by the impulses of
 *         impedances' dampers in the velocity projection [J]
 * @closing: energy added by closing the remaining violation after the iterations, if
 *         system->books_closing [J] */
struct lk_balance {
    double steps;
    double residual_position;
    double residual_velocity;
    double residual_acceleration;
    double increment;
    double kinetic;
    double potential;
    double work_input;
    double work_drive;
    double work_applied;
    double dissipated;
    double taken;
    double closing;
};

/** struct lk_state - one block of doubles and pointers to its parts.
 * @mode:       modal coordinates of all bodies with modes
 * @lambda:     multipliers of all rows, in the order of elimination [N, N m]
 * @coordinate: coordinates of the joints [rad or m], angles unwrapped;  @rate: their
 *              derivatives; both only if the joint needs_coordinate
 * @inputs:     values that acted in the step to this state: inputs, then blocks
 * @tangent:    E of the rows of all laws, as used in the projections of that step
 * @wind:       wind-up and sliding rate of each friction with wind-up, see wind_up.c
 * @shown:      values of each port with an output, see struct lk_port
 * @samples:    samples of each drive by an input, see drives.h
 * @carcass:    state of each tyre, see tyres.h
 * @contact:    state of each point of contact, see contacts.h
 * @waves:      waves in each transmission line, see lines.c
 * @blocks:     values of the blocks of the model, see blocks.c
 * @own:        further state of a formulation, n_own numbers */
struct lk_state {
    double *block;
    struct lk_motion *motion;
    struct lk_mode_state *mode;
    double *lambda;
    double *coordinate;
    double *rate;
    double *inputs;
    double *tangent;
    double *wind;
    double *shown;
    struct lk_drive_samples *samples;
    struct lk_balance *balance;
    struct lk_carcass *carcass;
    struct lk_contact_state *contact;
    double *waves;
    double *blocks;
    double *own;
};

#endif
