/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rattle`, see rattle.c for its equations. */
#ifndef LK_STEP_SCRIPTS_RATTLE_H
#define LK_STEP_SCRIPTS_RATTLE_H

#include "step/system.h"
#include <stdbool.h>

#define LK_RATTLE_ITERATIONS 5

/* E of rigid rows, see lk_fill_regularise(). Multipliers of redundant rows are not kept from step
 * to step and need not decay, so E is as small as redundant rows of mixed units allow.
 *
 * The error of a motion through a change point is about the square root of E (ladder-2, 1 ms: 5 %
 * of the error of the step), so a smaller E would be better in this case. But smaller values are
 * worse in other cases. With 1e-8 the rates of a Bennett linkage at 5 ms are closed to 1.3e-9 m/s
 * instead of 2e-12. With 4e-9 the linkage breaks, and its reactions differ by 5e-8 instead of 3e-9
 * if the model is rotated in space. With 4e-9 and 4e-11 a Peaucellier linkage leaves its aligned
 * pose with a larger error. */
#define LK_RATTLE_REGULARISATION 4e-8

/** lk_rattle_may_jump() - return whether an input can change the power of drives at once. Inputs of
 * drives cannot, because the resulting motion is smooth; contacts book the work of drives from
 * their impulses. The result holds for a model with any
 * inputs. RT: yes. */
LK_RT bool lk_rattle_may_jump(const struct lk_system *system);

/** lk_rattle_finish() - finish the combined state of a higher order in system->next: close its
 * joints, and compute its accelerations and multipliers. Cycle, RT: yes. */
LK_RT void lk_rattle_finish(struct lk_system *system, const double *inputs);

#endif
