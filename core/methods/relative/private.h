/* SPDX-License-Identifier: Apache-2.0 */
/* Private header of core/methods/relative.
 *
 * A joint of a model has two frames F0, F1 and two points P0, P1. F0 and F1 are the axes f[0],
 * f[1], which turn with their bodies. In every joint of the tree F1 = F0 turn(q) and P1 = P0 +
 * F0 shift(q). The outboard body may be either side. */
#ifndef LK_METHODS_RELATIVE_PRIVATE_H
#define LK_METHODS_RELATIVE_PRIVATE_H

#include "methods/relative/relative.h"

/** struct lk_relative_frames - constants of the joint between a body and its parent, and the frames
 * of this joint. The members from @axis on are valid after lk_relative_place().
 * @inboard:      quaternion that turns vectors in joint axes into axes of the parent
 * @outboard:     quaternion that turns vectors in joint axes into axes of the body
 * @p_in, @p_out: point of the joint on the parent and on the body, relative to the centre of mass
 *                [m], body axes
 * @zero:         coordinates at which both frames coincide
 * @pitch:        pitch of a screw
 * @axis:         the vectors of F0, world
 * @second:       F1[2], second axis of a universal joint, world
 * @shift:        P1 - P0, world [m] */
struct lk_relative_frames {
    double inboard[4];
    double outboard[4];
    double p_in[3];
    double p_out[3];
    double zero[3];
    double pitch;
    double axis[3][3];
    double second[3];
    double shift[3];
};

/** struct lk_relative_body - rotation and angular motion of a body, world axes.
 * @R, @w: rotation matrix and angular velocity at the last place
 * @al:    angular acceleration of the last lk_relative_accelerate() */
struct lk_relative_body {
    double R[9];
    double w[3];
    double al[3];
};

/** struct lk_relative_scratch - memory of an evaluation.
 * @body: n_bodies + 1; the last one is the ground
 * @assembly, @rows, @rates, @correction: memory of lk_relative_project() */
struct lk_relative_scratch {
    struct lk_relative_frames *frames;
    struct lk_relative_body *body;
    struct lk_assembly *assembly;
    double *rows;
    double *rates;
    struct lk_twist *correction;
};

/** lk_relative_grow() - build the tree: set the members on, order and cut. In tree.c.
 * Return: 0, -ENOMEM. */
int lk_relative_grow(struct lk_relative *relative);

/** lk_relative_turn() - compute the angular velocity of body @b from the angular velocity of its
 * parent, the rates @nu and the present frames. */
LK_RT void lk_relative_turn(const struct lk_relative *relative, int b, const double *nu);

/** lk_relative_directions() - compute H, H_rate and dual of the joint of body @b from the present
 * frames and angular velocities, and the rates @nu; in directions.c. RT: yes. */
LK_RT void lk_relative_directions(const struct lk_relative *relative, int b, const double *nu,
                                  struct lk_relative_joint *joint);

static inline struct lk_relative_scratch *lk_relative_scratch_of(const struct lk_relative *relative)
{
    return relative->scratch;
}

#endif
