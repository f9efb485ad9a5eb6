/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the program of the batched step (step/lanes/batch.h): finds similar assemblies of bodies
 * (pieces.c), lays out their memory (plan.c, fill.c), and compares the predicted cost with the cost
 * of stepping one by one (draft.c, cost.c). Not for the cycle. */
#ifndef LK_COMPILE_BATCH_BATCHES_H
#define LK_COMPILE_BATCH_BATCHES_H

#include "step/lanes/batch.h"

/** lk_engine_check() - check the name of an engine. Return: 0; LK_E_MODEL unless @name is "auto",
 * "none" or an engine that this processor can run. */
int lk_engine_check(const char *name, struct lk_error *ret_error);

/** lk_batches_new() - lay out pieces, blocks and fronts of a mechanism.
 * @kind: kind of each joint in lanes, see fields.h
 * @formulation: formulation with a step in lanes;  @iterations: number of iterations in a step
 * @has_rare: bodies have the fields of step/lanes/rare.h, and the iterations use a separate factor
 * @carries: see struct lk_batches; true only with @has_rare
 * Return: 0, -ENOMEM. Release with lk_batches_free(). */
int lk_batches_new(const struct lk_topology *topology, const int *kind,
                   const struct lk_engine *engine, const struct lk_formulation *formulation,
                   int iterations, bool has_rare, bool carries, struct lk_batches **ret);
void lk_batches_free(struct lk_batches *batches);

/** lk_batches_may_be() - return whether batches support the formulation, the bodies and the
 * outputs of @draft, and whether its engine is not "none" (a step one by one). */
struct lk_draft;
bool lk_batches_may_be(const struct lk_draft *draft);

/** lk_batches_draft() - set draft->batches if the batched step supports the whole model. If the
 * draft names an engine, that engine is used. Otherwise the engine of @engines (NULL-terminated)
 * with the lowest cost according to cost.h is used; candidates are the first engine and those with
 * four lanes or more. If no engine is named, and a step one by one costs no more (@least_ns),
 * draft->batches remains NULL. The draft has no hubs. Return: 0, -ENOMEM. */
int lk_batches_draft(struct lk_draft *draft, const struct lk_engine *const *engines,
                     double least_ns);

/** lk_batches_layout() - reserve memory for a copy of @plan, sized for the bodies and rows of
 * @system; once the arena is allocated, also copy @plan. lk_batches_fill() sets the constants
 * later, from the constants of the system. */
struct lk_batches *lk_batches_layout(const struct lk_batches *plan, const struct lk_system *system,
                                     struct lk_arena *arena);
void lk_batches_fill(struct lk_system *system);

#endif
