/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `ali3`, see ali3.c for its equations. */
#ifndef LK_STEP_SCRIPTS_ALI3_H
#define LK_STEP_SCRIPTS_ALI3_H

#include "step/system.h"

/** lk_ali3_finish() - finish the combined state of a higher order in system->next: close its
 * joints, and project its velocities and accelerations. Cycle, RT: yes. */
LK_RT void lk_ali3_finish(struct lk_system *system);

#endif
