/* SPDX-License-Identifier: Apache-2.0 */
/* The engines, and functions that return whether the running processor supports them; for
 * the table in engines.c. */
#ifndef LK_STEP_BATCH_ENGINES_H
#define LK_STEP_BATCH_ENGINES_H

#include "step/lanes/batch.h"

int lk_engine_has_avx512(void);
int lk_engine_has_avx2(void);
int lk_engine_has_two(void);
int lk_engine_has_one(void);

/** lk_lanes_rattle_begin() - see struct lk_formulation. */
LK_RT void lk_lanes_rattle_begin(struct lk_system *system);

extern const struct lk_engine lk_engine_avx512;
extern const struct lk_engine lk_engine_avx2;
extern const struct lk_engine lk_engine_portable;
extern const struct lk_engine lk_engine_scalar;

#endif
