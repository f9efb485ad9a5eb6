/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted cost of a step, by which engine and workers are chosen. It depends on model, engine and
 * price table only, never on a clock: the choice is reproducible. */
#ifndef LK_COMPILE_BATCH_COST_H
#define LK_COMPILE_BATCH_COST_H

#include "compile/batch/batches.h"
#include "compile/batch/prices.h"
#include "compile/workers.h"

struct lk_draft;

/** lk_batches_work() - count the work of a batched step, one number for each enum lk_batch_work,
 * without what is found one by one.
 * lk_batches_time() - its time on one worker at @prices [ns]. */
void lk_batches_work(const struct lk_batches *batches, double ret[LK_BATCH_WORKS]);
double lk_batches_time(const struct lk_batches *batches, const struct lk_prices *prices);

/** lk_classic_work(), lk_classic_time() - the same for the step one by one, step/scripts/ali3.c. */
void lk_classic_work(const struct lk_draft *draft, double ret[LK_CLASSIC_WORKS]);
double lk_classic_time(const struct lk_draft *draft, const struct lk_prices *prices);

/** lk_batches_cost() - costs of the phases of a step as a thread pool shares them. */
void lk_batches_cost(const struct lk_batches *batches, const struct lk_prices *prices,
                     struct lk_step_cost *ret);

#endif
