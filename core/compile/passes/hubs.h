/* SPDX-License-Identifier: Apache-2.0 */
/* What hangs on a hub, see solve/tree.h. Offline. */
#ifndef LK_COMPILE_HUBS_H
#define LK_COMPILE_HUBS_H

#include "compile/draft.h"

/** lk_hubs_may_be() - whether body @b of the model, not split, may be one: the mechanism falls
 * apart without it, something hangs on it, and the matrix can take the inverse of its inverse
 * inertia. Return: 0, 1, -ENOMEM. */
int lk_hubs_may_be(const struct lk_draft *draft, int b);

/** lk_hubs_hang() - set draft->hangs_on of every body of the system from draft->is_hub, once the
 * blocks have their bodies. On a hub hangs what is connected with the rest by the hub alone, with
 * no other hub in it, no body that moves in a plane, and not both hub and ground at the ends of
 * rigid rows.
 * Return: number of hubs on which something hangs, -ENOMEM. */
int lk_hubs_hang(struct lk_draft *draft);

#endif
