/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a step that all methods share: beginning, end, and renewal of scratch. */
#ifndef LK_STEP_STEP_H
#define LK_STEP_STEP_H

#include "step/elements/loads.h"
#include "step/system.h"

/** lk_step_swap() - make system->next the new system->now. RT: yes. */
LK_RT void lk_step_swap(struct lk_system *system);

/* smallest pivot of an independent row at the start, relative to the scale of its row. A
 * pose with a smaller pivot is near a singular pose */
#define LK_DEPENDENT       1e-5
#define LK_NEARLY_SINGULAR 1e-3

/** lk_step_inputs_are_finite() - return whether all input channels are finite. RT: yes. */
LK_RT bool lk_step_inputs_are_finite(const struct lk_system *system, const double *inputs);
/** lk_step_begin() - do the common beginning of a step: copy the state into system->next, set
 * values of elements from @inputs, write powers at the start into @before. Cycle, RT: yes.
 * lk_step_end() - do the common end: compute coordinates and energies, check that the new state is
 * finite. @result: result of the formulation. Return: @result, or LK_E_NOT_FINITE. Cycle, RT: yes.
 */
LK_RT void lk_step_begin(struct lk_system *system, const double *inputs, struct lk_powers *before);
LK_RT int lk_step_end(struct lk_system *system, const double *inputs,
                      const struct lk_powers *before, int result);

/** lk_step_account() - compute coordinates, residuals and energies of an extrapolated step,
 * in system->next. Cycle, RT: yes. Return: 0, LK_E_NOT_FINITE. */
LK_RT int lk_step_account(struct lk_system *system);

/** lk_script_renew() - lk_formulation.renew of all scripts: call renew of the executor. RT:
 * yes. */
LK_RT void lk_script_renew(struct lk_system *system);

/** lk_start_begin() - initialise lk_state.own of a state that is not the result of a step, then
 * lk_start_resume(). RT: yes. */
LK_RT void lk_start_begin(struct lk_system *system);

/** lk_start_resume() - restore from system->now the scratch that a step begins with, for any
 * executor. Call after a start, a reset or a refused step. Cycle, RT: yes. */
LK_RT void lk_start_resume(struct lk_system *system);

/** lk_system_decouple_laws() - turn compliant rows into applied forces, decoupled from the
 * factor. Call after the start. Not for the cycle. */
void lk_system_decouple_laws(struct lk_system *system);

#endif
