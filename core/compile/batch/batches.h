/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the program of the batched step (step/lanes/batch.h): finds alike parts (pieces.c), lays
 * out their memory (plan.c, fill.c), decides whether it pays (draft.c, cost.c). Not for the cycle.
 */
#ifndef LK_COMPILE_BATCH_BATCHES_H
#define LK_COMPILE_BATCH_BATCHES_H

#include "step/lanes/batch.h"

/** lk_engine_check() - check the name of an engine. Return: 0; LK_E_MODEL unless @name is "auto",
 * "none" or an engine that this processor can run. */
int lk_engine_check(const char *name, struct lk_error *ret_error);

/** lk_batches_new() - lay out pieces, blocks and fronts of a mechanism.
 * @kind: of each joint in lanes, see fields.h;  @formulation: one in lanes, with @iterations a step
 * @has_rare: bodies have fields of step/lanes/rare.h, and the iterations a factor of their own
 * @carries: see struct lk_batches, only with @has_rare
 * Return: 0, -ENOMEM. Release with lk_batches_free(). */
int lk_batches_new(const struct lk_topology *topology, const int *kind,
                   const struct lk_engine *engine, const struct lk_formulation *formulation,
                   int iterations, bool has_rare, bool carries, struct lk_batches **ret);
void lk_batches_free(struct lk_batches *batches);

/** lk_batches_may_be() - whether batches support the formulation, the bodies and the outputs of
 * @draft, and its engine is not one by one. */
struct lk_draft;
bool lk_batches_may_be(const struct lk_draft *draft);

/** lk_batches_draft() - set draft->batches if the batched step supports all of the model: for the
 * engine that the draft names, else for the cheapest of @engines (NULL-terminated) by cost.h among
 * those of four lanes or more and the first. NULL where stepping one by one, which takes @least_ns,
 * costs no more. The draft has no hubs. Return: 0, -ENOMEM. */
int lk_batches_draft(struct lk_draft *draft, const struct lk_engine *const *engines,
                     double least_ns);

/** lk_batches_layout() - reserve memory for a copy of @plan with as many bodies and rows as @system
 * has; once the arena is allocated, also copy it. lk_batches_fill() sets the constants later, from
 * those of the system. */
struct lk_batches *lk_batches_layout(const struct lk_batches *plan, const struct lk_system *system,
                                     struct lk_arena *arena);
void lk_batches_fill(struct lk_system *system);

#endif
