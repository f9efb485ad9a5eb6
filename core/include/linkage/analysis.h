/* SPDX-License-Identifier: Apache-2.0 */
/* Offline analysis of a compiled model: rank, degrees of freedom, redundant rows.
 *
 * Uses LAPACK and allocates; the daemon does not link it (meson dependency `linkage_analysis`). */
#ifndef LINKAGE_ANALYSIS_H
#define LINKAGE_ANALYSIS_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

/** struct lk_mobility - rank of the rigid rows in the present pose.
 * @rank:        of the rigid rows
 * @dof:         degrees of freedom, 6 * bodies - rank
 * @n_redundant: rigid rows - rank
 * @n_joints:    joints that take part in a dependence between rows
 * @joints:      their indices, @n_joints of them, owned by this structure
 */
struct lk_mobility {
    int rank;
    int dof;
    int n_redundant;
    int n_joints;
    int *joints;
};

/** lk_mobility_init() - rank-revealing QR (LAPACK dgeqp3) of the rigid rows, scaled by the square
 * root of the mass, of the part of the mechanism that has loops; everything else has full rank.
 * Thread: any but the cycle.  RT: no.
 * Return: 0, LK_E_MODEL (the loops are too large for a dense matrix of their rows), -ENOMEM.
 * Release with lk_mobility_fini(). */
int lk_mobility_init(const struct lk_system *system, struct lk_mobility *ret_mobility);

/** lk_mobility_fini() - release what lk_mobility_init() took. */
void lk_mobility_fini(struct lk_mobility *mobility);

#ifdef __cplusplus
}
#endif
#endif
