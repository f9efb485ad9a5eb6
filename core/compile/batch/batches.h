/* SPDX-License-Identifier: Apache-2.0 */
/* A program for the step on batches (step/batch/batch.h): which parts are alike (pieces.c), where
 * everything lies (plan.c, fill.c), whether it pays (draft.c, cost.c). Not for the cycle. */
#ifndef LK_COMPILE_BATCH_BATCHES_H
#define LK_COMPILE_BATCH_BATCHES_H

#include "step/batch/batch.h"

/** lk_engine_check() - Return: 0; LK_E_MODEL where @name is none of this processor, nor "auto", nor
 * "none". */
int lk_engine_check(const char *name, struct lk_error *ret_error);

/** lk_batches_new() - pieces, blocks and fronts of a mechanism.
 * @kind: enum lk_kind of each joint
 * Return: 0, -ENOMEM. Release with lk_batches_free(). */
int lk_batches_new(const struct lk_topology *topology, const int *kind,
                   const struct lk_engine *engine, struct lk_batches **ret);
void lk_batches_free(struct lk_batches *batches);

/** lk_batches_draft() - a program for the draft of a model, if batches know all that is in it: for
 * the engine that it names, else for the cheapest of @engines (NULL at the end) by the prices of
 * cost.h: of four lanes or more, or the first. None where one by one costs no more.
 * Return: 0, -ENOMEM. */
struct lk_draft;
int lk_batches_draft(struct lk_draft *draft, const struct lk_engine *const *engines);

/** lk_batches_layout() - take memory for a copy of @plan; with the arena in place fill it.
 * Constants come with lk_batches_fill(), when those of the system are known. */
struct lk_batches *lk_batches_layout(const struct lk_batches *plan, int n_bodies,
                                     struct lk_arena *arena);
void lk_batches_fill(struct lk_system *system);

#endif
