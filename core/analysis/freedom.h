/* SPDX-License-Identifier: Apache-2.0 */
/* Independent coordinates that describe every motion of the rigid rows, one for each degree of
 * freedom. */
#ifndef LK_ANALYSIS_FREEDOM_H
#define LK_ANALYSIS_FREEDOM_H

#include "analysis/loops.h"
#include "linkage/analysis.h"

/** lk_freedom_choose() - choose independent coordinates of the whole mechanism in its present pose.
 * @loops: all loops;  @rank: their factors, with all columns
 * @ret_list: first the coordinates of loops, then those of bodies outside loops; the caller frees
 *            the list
 * Return: 0, LK_E_MODEL (too many motions or bodies in loops), -ENOMEM, -EINVAL (not finite). */
int lk_freedom_choose(const struct lk_loops *loops, const struct lk_rank *rank,
                      struct lk_free_coordinate **ret_list, int *ret_n);

/** lk_freedom_complete() - choose the coordinates that nonholonomic rows leave to the pose alone:
 * with those in @list, as many as there are motions between poses.
 * @all: all bodies and joints;  @holonomic: their factors, with the columns HOLONOMIC
 * @list: @n coordinates of lk_freedom_choose(), with room for 6 of each body; the others are added
 * behind
 * Return: 0, LK_E_MODEL (too many motions or bodies), -ENOMEM. */
int lk_freedom_complete(const struct lk_loops *all, const struct lk_rank *holonomic,
                        struct lk_free_coordinate *list, int *n);

#endif
