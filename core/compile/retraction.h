/* SPDX-License-Identifier: Apache-2.0 */
/* Moves bodies along their joints: by given small motions of all bodies, each relative to the one
 * that a joint hangs it on. What hinges, slides, balls and planes hold in a tree stays closed to
 * round-off, and their coordinates change by exactly what the motions say, however far that is. */
#ifndef LK_COMPILE_RETRACTION_H
#define LK_COMPILE_RETRACTION_H

#include "step/system.h"

/** struct lk_retraction - a spanning tree of the rigid joints.
 * @order: bodies, each behind the one that it moves along with
 * @via:   the joint between both, -1: none;  @side: the body's of it; both by body
 * @leads: of each joint, whether it is one of them
 * @pose, @motion: of all before a move, with those of the ground and of frames */
struct lk_retraction {
    struct lk_system *sys;
    int *order;
    int *via;
    int *side;
    bool *leads;
    struct lk_pose *pose;
    struct lk_motion *motion;
};

/** lk_retraction_init() - a tree of the joints of @system. Release with lk_retraction_fini(), also
 * after a failure. Return: 0, -ENOMEM. */
int lk_retraction_init(struct lk_system *system, struct lk_retraction *ret);
void lk_retraction_fini(struct lk_retraction *retraction);

/** lk_retraction_move() - move the bodies of system->now.
 * @by: six a body: shift of the centre of mass [m], world axes; turn [rad], body axes */
void lk_retraction_move(struct lk_retraction *retraction, const double *by);

/** lk_retraction_move_body() - move body @b alone. */
void lk_retraction_move_body(struct lk_system *system, int b, const double by[6]);

#endif
