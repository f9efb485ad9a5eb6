/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LK_STEP_ONE_RK4_H
#define LK_STEP_ONE_RK4_H

#include "step/system.h"

/** lk_one_rk4_layout() - see struct lk_formulation. */
int lk_one_rk4_layout(struct lk_system *system, const struct lk_topology *topology,
                      const struct lk_plan *plan, struct lk_arena *arena);

#endif
