/* SPDX-License-Identifier: Apache-2.0 */
/* Test whether the rigid rows of a mechanism can ever depend on each other.
 *
 * If the rows are always independent, their matrix needs no regularisation above round-off, and no
 * second solve to remove the error of a regularisation. */
#ifndef LK_COMPILE_INDEPENDENCE_H
#define LK_COMPILE_INDEPENDENCE_H

#include "compile/draft.h"
#include <stdbool.h>

/** lk_independence_find() - test whether the rigid rows of @draft are independent at every pose:
 * joints and ground form no loop, each coordinate is driven at most once, and no row relates
 * coordinates. All joints must be of types that are regular in all poses, and all bodies must have
 * mass and inertia. Return: 0, -ENOMEM. */
int lk_independence_find(const struct lk_draft *draft, bool *ret);

#endif
