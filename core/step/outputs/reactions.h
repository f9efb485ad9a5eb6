/* SPDX-License-Identifier: Apache-2.0 */
/* Reactions of joints: from the multipliers of their rows, and, if planar reduction omits rows
 * (compile/passes/plane.h), from the force balance of the subtree behind the joint.
 *
 * The subtree of such a joint is the set of bodies that this joint alone keeps from tilting. If it
 * is cut free, it has the balance
 *
 *     M a - Q + Phi_q^T lambda = force of the omitted rows,
 *
 * in the directions of the omitted rows, where W is 0. The multipliers of all other rows and the
 * accelerations are taken from the state. Reactions of joints within the subtree cancel. */
#ifndef LK_STEP_REACTIONS_H
#define LK_STEP_REACTIONS_H

#include "linkage/error.h"
#include <stdbool.h>

struct lk_system;

/** struct lk_cut - subtree of a joint with omitted rows: bodies @first to @end of
 * system->hanging. Empty if no cut determines the reaction, because the bodies form a loop of
 * such joints.
 * @side:   side of the joint that the subtree belongs to
 * @normal: axis about which the body on this side turns [unit vector, world]; 0: it does not
 *          turn
 * @is_in_place: all rows of the joint are omitted */
struct lk_cut {
    int first;
    int end;
    int side;
    bool is_in_place;
    double normal[3];
};

/** lk_reaction_is_known() - return whether rows and balance determine the reaction of named joint
 * @joint. They do not determine it if bodies form a loop of joints with omitted rows, or if planar
 * reduction omitted rows and the remaining rows depend on each other. RT: yes. */
LK_RT bool lk_reaction_is_known(const struct lk_system *system, int joint);
/** lk_reaction() - compute what lk_system_joint_reaction() returns; NAN if the reaction is
 * not known.
 * RT: yes. */
LK_RT void lk_reaction(const struct lk_system *system, int joint, double ret[6]);
/** lk_reaction_of_rows() - compute the reaction of the rows of any compiled joint on its second
 * body. RT: yes. */
LK_RT void lk_reaction_of_rows(const struct lk_system *system, int block, double ret[6]);

#endif
