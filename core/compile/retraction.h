/* SPDX-License-Identifier: Apache-2.0 */
/* Moves bodies along their joints. The given motion of each body is applied relative to the parent
 * of the body in a spanning tree. Hinges, slides, balls and planes of the tree remain closed to
 * round-off. Their coordinates change by exactly the given amounts, even if these are large. */
#ifndef LK_COMPILE_RETRACTION_H
#define LK_COMPILE_RETRACTION_H

#include "step/system.h"

/** struct lk_retraction - a spanning tree of the rigid joints.
 * @order: bodies, parents before children
 * @via:   for each body, the joint to its parent, -1: none;  @side: the side of the body in this
 *          joint
 * @leads: for each joint, whether it is in the tree
 * @pose, @motion: poses and motions of all bodies before a move; also the poses of the ground
 *          and of frames */
struct lk_retraction {
    struct lk_system *sys;
    int *order;
    int *via;
    int *side;
    bool *leads;
    struct lk_pose *pose;
    struct lk_motion *motion;
};

/** lk_retraction_init() - build a spanning tree of the joints of @system. Release with
 * lk_retraction_fini(), also after a failure. Return: 0, -ENOMEM. */
int lk_retraction_init(struct lk_system *system, struct lk_retraction *ret);
void lk_retraction_fini(struct lk_retraction *retraction);

/** lk_retraction_move() - move the bodies of system->now.
 * @by: six values per body: translation of the centre of mass [m], world axes; rotation vector
 *      [rad], body axes */
void lk_retraction_move(struct lk_retraction *retraction, const double *by);

/** lk_retraction_move_body() - move body @b alone. */
void lk_retraction_move_body(struct lk_system *system, int b, const double by[6]);

#endif
