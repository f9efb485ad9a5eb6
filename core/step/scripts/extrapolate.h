/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a higher order by extrapolation: the plain step over the same interval with h, h/2 and
 * h/3, combined so that the leading errors cancel. See extrapolate.c. All are for the cycle, RT:
 * yes. */
#ifndef LK_STEP_EXTRAPOLATE_H
#define LK_STEP_EXTRAPOLATE_H

#include "step/system.h"

#define LK_EXTRAPOLATE_ROUNDS 2 /* Newton iterations that project the combined positions */

extern const struct lk_extrapolation lk_extrapolation_ali3;
extern const struct lk_extrapolation lk_extrapolation_rattle;

/** lk_extrapolate() - replace the plain step in system->next by the combination of all sequences.
 * The work is fixed.  Return: 0, LK_E_NOT_FINITE, LK_E_TURN. */
LK_RT int lk_extrapolate(struct lk_system *system, const double *inputs);

#endif
