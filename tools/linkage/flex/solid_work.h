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
 * @T:         basis, n_z x n_columns
 * @recovered: recovery matrix: @n_recovered rows, a column for each degree of freedom, for
 *             displacements in the units of the files */
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
    long n_recovered;
    struct flex_triplets recovered;
};

/** flex_build() - compute the columns of Craig-Bampton: static ones, then fixed-interface modes.
 * flex_build_free() - compute the rigid motions about @center, then free elastic modes.
 * @rigid: from flex_mesh_rigid()
 * Return: 0; -EDOM: the interface does not hold the body, or no convergence; -ENOMEM. */
int flex_build(struct flex_work *work);
int flex_build_free(struct flex_work *work, const double center[3], const double *rigid);

/* ---- solid.c ---- */

/** flex_condense_load() - compute C^T f. flex_expand() - compute C z. */
void flex_condense_load(const struct flex_work *work, const double *f, double *ret);
void flex_expand(const struct flex_work *work, const double *z, double *ret);

/* ---- stiffening.c ---- */

/** flex_stiffen() - compute the geometric stiffening of a mesh with elements, with the columns of
 * flex_build(). @body: with its modes and the number of its pairs */
int flex_stiffen(const struct flex_work *work, struct flex_body *body);

/* ---- recovery.c ---- */

/** flex_recovery_read() - read the matrices and gauges of the recovery. @body: its list is written,
 * without values */
int flex_recovery_read(const struct flex_files *files, struct flex_work *work,
                       struct flex_body *body);
/** flex_recovery_add() - add the quantities of the displacements @x of all degrees of freedom. */
void flex_recovery_add(const struct flex_work *work, const double *x, double *ret);
/** flex_recovery_share() - copy the values from the modes of the body to its list. */
int flex_recovery_share(struct flex_body *body);

#endif
