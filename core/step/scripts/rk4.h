/* SPDX-License-Identifier: Apache-2.0 */
/* Formulation `rk4`, see rk4.c for its equations. */
#ifndef LK_STEP_SCRIPTS_RK4_H
#define LK_STEP_SCRIPTS_RK4_H

#define LK_RK4_ROUNDS      2 /* Newton iterations that project the positions */
#define LK_RK4_REFINEMENTS 3 /* solves for the multipliers of a state whose rows are redundant */

/* E of rigid rows, see lk_fill_regularise(): of any step, as nothing here is divided by its square,
 * of which the noise of the trapezoidal rule grows. What E leaves of a pose in which rows nearly
 * depend on each other acts in all stages: with one that grows with 1/h^2 the order is lost there.
 */
#define LK_RK4_REGULARISATION 1e-8

#endif
