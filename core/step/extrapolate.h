/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of order 3 and 4: the plain step taken several times over the same stretch, with h, h/2 and
 * h/3, and combined so that the leading errors cancel. See extrapolate.c. */
#ifndef LK_STEP_EXTRAPOLATE_H
#define LK_STEP_EXTRAPOLATE_H

#include "step/system.h"

#define LK_EXTRAPOLATE_ROUNDS 2 /* Newton iterations that project the combined positions */

/** lk_extrapolate_check() - whether @model moves smoothly enough for sequences to be combined:
 * no friction, end stop or table, no drive from an input, no mode of its springs and dampers that
 * is faster than the step. @system: order 3 or 4, or `rk4`, with its start. Not for the cycle.
 * Return: 0, LK_E_MODEL (@ret_error names what is in the way). */
int lk_extrapolate_check(struct lk_system *system, const struct lk_model *model,
                         struct lk_error *ret_error);

/** lk_extrapolate_adopt() - make @sequence, compiled from the same model with a shorter step, step
 * from the states of @system: the same joints, those of its assembled drawing. Not for the cycle.
 */
void lk_extrapolate_adopt(const struct lk_system *system, struct lk_system *sequence);

/** lk_extrapolate() - replace the plain step in system->next by the combination of all sequences.
 * Thread: cycle.  RT: yes, fixed work.  Return: 0, LK_E_NOT_FINITE, LK_E_TURN. */
LK_RT int lk_extrapolate(struct lk_system *system, const double *inputs);

#endif
