/* SPDX-License-Identifier: Apache-2.0 */
/* What a step costs, to choose who does it. Depends on model, engine and the row of prices alone,
 * never on the clock: the same model is stepped the same way every time. */
#ifndef LK_COMPILE_BATCH_COST_H
#define LK_COMPILE_BATCH_COST_H

#include "compile/batch/batches.h"
#include "compile/batch/prices.h"
#include "compile/workers.h"

struct lk_draft;

/** lk_batches_work() - what a step is made of;  lk_batches_time() - how long it takes one worker at
 * these prices [ns]. */
void lk_batches_work(const struct lk_batches *batches, double ret[LK_BATCH_WORKS]);
double lk_batches_time(const struct lk_batches *batches, const struct lk_prices *prices);

/** lk_classic_work(), lk_classic_time() - of the same step one by one, step/ali3.c. */
void lk_classic_work(const struct lk_draft *draft, double ret[LK_CLASSIC_WORKS]);
double lk_classic_time(const struct lk_draft *draft, const struct lk_prices *prices);

/** lk_batches_cost() - the phases of a step as a pool shares them. */
void lk_batches_cost(const struct lk_batches *batches, const struct lk_prices *prices,
                     struct lk_step_cost *ret);

#endif
