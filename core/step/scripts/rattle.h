/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle`, see rattle.c for its equations. */
#ifndef LK_STEP_SCRIPTS_RATTLE_H
#define LK_STEP_SCRIPTS_RATTLE_H

#include "step/system.h"
#include <stdbool.h>

#define LK_RATTLE_ITERATIONS 5

/* E of rigid rows, see lk_fill_regularise(): nothing is carried on that would have to leak, so it
 * is as small as redundant rows of mixed units allow. What passes a change point is wrong by about
 * its square root (ladder-2, 1 ms: 5 % of the error of the step), so less would be better there;
 * but with 1e-8 the rates of a Bennett linkage at 5 ms are closed to 1.3e-9 m/s instead of 2e-12,
 * with 4e-9 it breaks, and turned in space its reactions differ by 5e-8 instead of 3e-9; with 4e-9
 * and 4e-11 a Peaucellier linkage leaves its aligned pose worse, not better. */
#define LK_RATTLE_REGULARISATION 4e-8

/** lk_rattle_may_jump() - whether an input can change the power of drives at once: not one that
 * drives follow, whose motion is smooth. It holds for a model, whatever its inputs are. RT: yes. */
LK_RT bool lk_rattle_may_jump(const struct lk_system *system);

/** lk_rattle_finish() - the combination of a higher order in system->next: closed, with its
 * accelerations and multipliers. Cycle, RT: yes. */
LK_RT void lk_rattle_finish(struct lk_system *system, const double *inputs);

#endif
