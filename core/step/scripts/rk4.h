/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4`, see rk4.c for its equations. */
#ifndef LK_STEP_SCRIPTS_RK4_H
#define LK_STEP_SCRIPTS_RK4_H

#define LK_RK4_ROUNDS      2 /* Newton iterations that project the positions */
#define LK_RK4_REFINEMENTS 3 /* solves for the multipliers of a state whose rows are redundant */

/* E of rigid rows, see lk_fill_regularise(). It does not depend on the step, because no equation
 * here is divided by h^2, which amplifies round-off in the trapezoidal rule. The effect of E near a
 * pose in which rows nearly depend on each other acts in all stages. If E grew with 1/h^2, the
 * order would be lost there. */
#define LK_RK4_REGULARISATION 1e-8

#endif
