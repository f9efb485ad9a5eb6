/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse Craig-Bampton reduction: data that solid.c and solid_basis.c share.
 *
 * The coordinates z are the degrees of freedom outside of rigid spiders, then six for each of
 * these: x = C z. */
#ifndef TOOLS_LINKAGE_FLEX_SOLID_WORK_H
#define TOOLS_LINKAGE_FLEX_SOLID_WORK_H

#include "solid.h"

/** struct flex_work - data of a reduction.
 * @free_at: z of each degree of freedom; of a node of a rigid spider: -1
 * @spider_of: rigid spider of each node, or -1
 * @first:     z of the first coordinate of each rigid spider; of an averaging one: its first row of
 *             multipliers, after the n_free rows
 * @n_free, @n_z, @n_rows: coordinates outside of rigid spiders, all, rows of the factor
 * @T:         basis, n_z x n_columns */
struct flex_work {
    const struct flex_wish *wish;
    struct flex_mesh mesh;
    int n_spiders;
    struct flex_spider *spider;
    long *free_at;
    int *spider_of;
    long first[FLEX_SPIDERS_MAX];
    long n_free;
    long n_z;
    long n_rows;
    struct flex_sparse M;
    struct flex_sparse K;
    int n_columns;
    double *T;
    struct flex_factor *factor;
};

/** flex_build() - compute the columns of Craig-Bampton: static ones, then fixed-interface modes.
 * flex_build_free() - compute the rigid motions about @center, then free elastic modes.
 * @rigid: from flex_mesh_rigid()
 * Return: 0; -EDOM: the interface does not hold the body, or no convergence; -ENOMEM. */
int flex_build(struct flex_work *work);
int flex_build_free(struct flex_work *work, const double center[3], const double *rigid);

#endif
