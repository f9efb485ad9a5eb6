/* SPDX-License-Identifier: Apache-2.0 */
/* What a step costs, to choose who does it. Depends on model and engine alone, never on the clock:
 * the same model is stepped the same way every time. */
#ifndef LK_BATCH_COST_H
#define LK_BATCH_COST_H

#include "batch/batch.h"
#include "schedule/workers.h"

struct lk_draft;

/** lk_batches_time() - of a step by one worker [ns], of the processor that the constants are from.
 */
double lk_batches_time(const struct lk_batches *batches);

/** lk_classic_time() - of the same step one by one, step/ali3.c [ns]. */
double lk_classic_time(const struct lk_draft *draft);

/** lk_batches_cost() - the phases of a step as a crew shares them. */
void lk_batches_cost(const struct lk_batches *batches, struct lk_step_cost *ret);

#endif
