/* SPDX-License-Identifier: Apache-2.0 */
/* Find the rods and springs whose tension may be so large that light bodies swing across them
 * faster than the step can resolve, see step/elements/sway.h. */
#ifndef LK_COMPILE_SWAYS_H
#define LK_COMPILE_SWAYS_H

#include "compile/draft.h"

/** lk_sways_across() - return 1 if @draft needs sway rows (geometric stiffness) across block @block
 * under a tension up to @load [N], else 0. */
int lk_sways_across(const struct lk_draft *draft, int block, double load);

/** lk_sways_points() - return both end points of the rod or spring of @block, which is of type
 * distance, world [m]. */
const double (*lk_sways_points(const struct lk_draft *draft,
                               const struct lk_draft_block *block))[3];

#endif
