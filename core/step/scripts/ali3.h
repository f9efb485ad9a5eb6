/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the formulation `ali3`, see ali3.c for its equations. All for the cycle, RT: yes. */
#ifndef LK_STEP_ALI3_H
#define LK_STEP_ALI3_H

#include "step/system.h"
#include <stdbool.h>

/** lk_ali3_follow_laws() - (f - lambda) E of the compliant rows of joint @i at the present poses
 * and twists into system->solution, with the multipliers of system->next.
 * @jacobian: of the joint at that pose
 * @is_first: at the predicted pose, where E of a nonlinear law is made anew of its tangent */
LK_RT void lk_ali3_follow_laws(struct lk_system *system, int i, struct lk_jacobian jacobian,
                               bool is_first);

#endif
