/* SPDX-License-Identifier: Apache-2.0 */
/* What joints do to their bodies: by the multipliers of their rows, and, where rows are left out
 * that would keep bodies upright (compile/passes/plane.h), by the balance of what hangs on them.
 *
 * Cut free at such a joint, with all that it alone holds upright, bodies have the balance
 *
 *     M a - Q + Phi_q^T lambda = what the rows that are left out do,
 *
 * in the directions that these hold, as W has none there: the other rows and the accelerations are
 * those of the state. Joints within the cut do not count, whatever they carry. */
#ifndef LK_STEP_REACTIONS_H
#define LK_STEP_REACTIONS_H

#include "linkage/error.h"
#include <stdbool.h>

struct lk_system;

/** struct lk_cut - what hangs on a joint that lacks rows: bodies @first to @end of
 * system->hanging; none where no cut tells what it carries, as bodies are held in a circle.
 * @side:   of the joint, on which they are
 * @normal: about which the body on it turns [unit vector, world]; 0: it does not turn
 * @is_in_place: all that the joint carries is left out */
struct lk_cut {
    int first;
    int end;
    int side;
    bool is_in_place;
    double normal[3];
};

/** lk_reaction_is_known() - whether rows and balance tell what named joint @joint carries: not
 * where bodies are held in a circle, or are held and rows depend on each other. RT: yes. */
LK_RT bool lk_reaction_is_known(const struct lk_system *system, int joint);
/** lk_reaction() - as lk_system_joint_reaction(); NAN where it is not known. RT: yes. */
LK_RT void lk_reaction(const struct lk_system *system, int joint, double ret[6]);
/** lk_reaction_of_rows() - what the rows of any block do to its second body. RT: yes. */
LK_RT void lk_reaction_of_rows(const struct lk_system *system, int block, double ret[6]);

#endif
