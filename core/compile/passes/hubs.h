/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of hubs, and of the branches of each hub, see solve/tree.h. Offline. */
#ifndef LK_COMPILE_HUBS_H
#define LK_COMPILE_HUBS_H

#include "compile/draft.h"

/** lk_hubs_may_be() - test whether body @b of the model, not split, may be a hub. Without this body
 * the mechanism must fall into at least two groups of bodies, and at least one group must be a
 * branch of the body. The inverse mass matrix of the body must be invertible. Return: 0, 1,
 * -ENOMEM. */
int lk_hubs_may_be(const struct lk_draft *draft, int b);

/** lk_hubs_hang() - set draft->hangs_on of every body of the system from draft->is_hub. Call once
 * the blocks have their bodies. A group of bodies is a branch of a hub if only the hub connects
 * the group with the rest of the mechanism. The group must contain no other hub and no body with
 * planar reduction, and rigid rows must not connect it with both the hub and the ground.
 * Return: number of hubs with at least one branch, -ENOMEM. */
int lk_hubs_hang(struct lk_draft *draft);

#endif
