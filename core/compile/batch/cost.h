/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted cost of a step, used to choose the engine and the number of workers. The cost
 * depends only on the model and the engine, not on measured times or the processor, so that the
 * choice is reproducible. Not for the cycle. */
#ifndef LK_COMPILE_BATCH_COST_H
#define LK_COMPILE_BATCH_COST_H

#include "compile/batch/batches.h"
#include "compile/workers.h"

struct lk_draft;

/** lk_batches_time(), lk_classic_time() - predict the time of a step on one worker [ns], in lanes
 * and one by one. */
double lk_batches_time(const struct lk_batches *batches);
double lk_classic_time(const struct lk_draft *draft);

/** lk_batches_cost() - predict the cost of each phase of a step whose tasks a thread pool shares.
 */
void lk_batches_cost(const struct lk_batches *batches, struct lk_step_cost *ret);

#endif
