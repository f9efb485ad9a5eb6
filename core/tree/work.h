/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of a solve with one front; those of its factorisation are in tree.h. */
#ifndef LK_TREE_WORK_H
#define LK_TREE_WORK_H

/** lk_front_solve_flops() - both ways, @e rows eliminated, @r remaining. */
static inline double lk_front_solve_flops(double e, double r)
{
    return 2 * (e * e + 2 * e * r);
}

#endif
