/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted cost of a step, by which engine and workers are chosen. It depends on model and engine
 * only, on no clock and no processor: the choice is reproducible. None of it is for the cycle. */
#ifndef LK_COMPILE_BATCH_COST_H
#define LK_COMPILE_BATCH_COST_H

#include "compile/batch/batches.h"
#include "compile/workers.h"

struct lk_draft;

/** lk_batches_time(), lk_classic_time() - of a step on one worker [ns], in lanes and one by one. */
double lk_batches_time(const struct lk_batches *batches);
double lk_classic_time(const struct lk_draft *draft);

/** lk_batches_cost() - costs of the phases of a step as a thread pool shares them. */
void lk_batches_cost(const struct lk_batches *batches, struct lk_step_cost *ret);

#endif
