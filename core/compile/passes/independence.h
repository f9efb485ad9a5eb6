/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the rigid rows of a mechanism can ever depend on each other.
 *
 * Where they cannot, their matrix has no need of a regularisation above round-off, and what such
 * a regularisation leaves need not be solved for again. */
#ifndef LK_COMPILE_INDEPENDENCE_H
#define LK_COMPILE_INDEPENDENCE_H

#include "compile/draft.h"
#include <stdbool.h>

/** lk_independence_find() - whether the rigid rows of @draft are independent at every pose: joints
 * and ground form no loop, each coordinate is driven once at most, nothing relates coordinates.
 * Only types of joint that are regular in all poses count, and only bodies that have mass and
 * inertia. Return: 0, -ENOMEM. */
int lk_independence_find(const struct lk_draft *draft, bool *ret);

#endif
