/* SPDX-License-Identifier: Apache-2.0 */
/* How the bodies of a model are eliminated: as they are, as hubs, in parts. A pass of the draft. */
#ifndef LK_COMPILE_PASSES_PARTS_H
#define LK_COMPILE_PASSES_PARTS_H

#include "compile/draft.h"

/** lk_parts_find() - bodies and welds of the system, and the elimination tree: each body in turn is
 * tried as a hub (hubs.h) and in more and more parts, and what lowers the work of a step stays.
 * The blocks of @draft have the bodies of the model, and then those of the system. Sets n_parts,
 * of, is_hub, hangs_on, n_hubs, n_bodies, ends, n_rows, n_rigid, topology and plan.
 * Return: 0, -ENOMEM, -ECANCELED. */
int lk_parts_find(struct lk_draft *draft);

#endif
