/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the formulation `rk4`, see rk4.c, which one by one and lanes share. */
#ifndef LK_STEP_RK4_H
#define LK_STEP_RK4_H

#include "step/elements/loads.h"
#include "step/system.h"

#define LK_RK4_STAGES      4
#define LK_RK4_ROUNDS      2 /* Newton iterations that project the positions */
#define LK_RK4_REFINEMENTS 3 /* solves for the multipliers of a state whose rows are redundant */

/* E of rigid rows, see lk_fill_regularise(): of any step, as nothing here is divided by its square,
 * of which the noise of the trapezoidal rule grows. What E leaves of a pose in which rows nearly
 * depend on each other acts in all stages: with one that grows with 1/h^2 the order is lost there.
 */
#define LK_RK4_REGULARISATION 1e-8

/* when a stage is, in steps after the start, and its weight (W. Kutta, Beitrag zur naeherungsweisen
 * Integration totaler Differentialgleichungen, 1901) */
static const double lk_rk4_when[LK_RK4_STAGES] = {0, 0.5, 0.5, 1};
static const double lk_rk4_weight[LK_RK4_STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

/** lk_rk4_correct_balance() - add @share [s] of the powers of inputs, loads, drives and dampers at
 * time @t to the energy balance of system->next, at its poses and twists: the difference between
 * Kutta's rule and the trapezoidal rule by which lk_step_end() books. @laws: of
 * lk_loads_accelerate() at the same, or NULL: they are evaluated. RT: yes. */
LK_RT void lk_rk4_correct_balance(struct lk_system *system, double t, double share,
                                  const double *inputs, const struct lk_law_powers *laws);

/** lk_rk4_prepare() - see struct lk_formulation: no law is in a factor. Not for the cycle. */
int lk_rk4_prepare(struct lk_system *system, const char *name, struct lk_error *ret_error);

#endif
