/* SPDX-License-Identifier: Apache-2.0 */
/* Which rods and springs may be under such a tension that what is light swings across them faster
 * than the step, see step/elements/sway.h. */
#ifndef LK_COMPILE_SWAYS_H
#define LK_COMPILE_SWAYS_H

#include "compile/draft.h"

/** lk_sways_across() - whether @draft follows the sway across block @block under a tension up to
 * @load. Return: 0, 1. */
int lk_sways_across(const struct lk_draft *draft, int block, double load);

/** lk_sways_points() - points of the rod or spring of @block, which is of type distance: two times
 * three numbers, world [m]. */
const double (*lk_sways_points(const struct lk_draft *draft,
                               const struct lk_draft_block *block))[3];

#endif
