/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of how the bodies of a model are eliminated: whole, as hubs, or split into parts. A pass
 * of the draft. */
#ifndef LK_COMPILE_PASSES_PARTS_H
#define LK_COMPILE_PASSES_PARTS_H

#include "compile/draft.h"

/** lk_parts_find() - choose bodies and welds of the system, and the elimination tree. Each body is
 * tried as a hub (hubs.h) and split into more and more parts; a change is kept if it reduces the
 * operations of a step. Before the call the blocks of @draft refer to bodies of the model,
 * afterwards to bodies of the system. Sets n_parts, of, is_hub, hangs_on, n_hubs, n_bodies, ends,
 * n_rows, n_rigid, topology and plan. Return: 0, -ENOMEM, -ECANCELED. */
int lk_parts_find(struct lk_draft *draft);

#endif
