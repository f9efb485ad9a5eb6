/* SPDX-License-Identifier: Apache-2.0 */
/* Executor `one` of each script. */
#ifndef LK_STEP_ONE_EXECUTORS_H
#define LK_STEP_ONE_EXECUTORS_H

#include "step/executor.h"

extern const struct lk_executor lk_one_rattle;
extern const struct lk_executor lk_one_ali3;
extern const struct lk_executor lk_one_rk4;

#endif
