/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates that describe every motion the rigid rows allow, as many as degrees of freedom. */
#ifndef LK_ANALYSIS_FREEDOM_H
#define LK_ANALYSIS_FREEDOM_H

#include "analysis/loops.h"
#include "linkage/analysis.h"

/** lk_freedom_choose() - independent coordinates of the whole mechanism in its present pose.
 * @loops: all of them;  @rank: their factors, with all columns
 * @ret_list: bodies outside the loops come after the loops; to be freed
 * Return: 0, LK_E_MODEL (too many motions or bodies in loops), -ENOMEM, -EINVAL (not finite). */
int lk_freedom_choose(const struct lk_loops *loops, const struct lk_rank *rank,
                      struct lk_free_coordinate **ret_list, int *ret_n);

#endif
