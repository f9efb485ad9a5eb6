/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that methods.c lists. Sections and equations are those of Pekal, Fraczek 2016, see
 * complement.h. All functions return 0, LK_E_SINGULAR, or LK_E_NOT_FINITE. */
#ifndef LK_METHODS_LABORATORY_COMPLEMENT_FAMILIES_H
#define LK_METHODS_LABORATORY_COMPLEMENT_FAMILIES_H

#include "laboratory/complement/complement.h"

/** eigen.c: compute P from eigenvectors of Phi_q^T Phi_q that belong to the smallest eigenvalues.
 * Section 3.2.1 (equations 3.10, 3.15): from the symmetric eigenvalue problem (dsyevd). Section
 * 3.2.2 (3.16, 3.19): as Schur vectors (dgees). */
int lk_complement_zero_eigenvalue(struct lk_complement *c);
int lk_complement_schur(struct lk_complement *c);

/** orthogonal.c: compute P from orthogonal decompositions of Phi_q^T. Section 3.2.4 (3.25, 3.28):
 * left singular vectors beyond the rank (dgesvd). Section 3.2.5 (3.31, 3.36): last columns of Q in
 * Phi_q^T E = Q R (dgeqp3). */
int lk_complement_svd(struct lk_complement *c);
int lk_complement_qr(struct lk_complement *c);

/** putd.c: compute P from the pseudo upper triangular decomposition, section 3.2.3 (3.20 to 3.23).
 * H^T Phi_q^T is upper trapezoidal, and P consists of the last columns of H. H comes from
 * Householder reflections (dgeqrf) or Gaussian elimination (dgetrf). Dependent rows come last. The
 * order of the rows is chosen once, and again if the choice has become poor. */
int lk_complement_putd_h(struct lk_complement *c);
int lk_complement_putd_g(struct lk_complement *c);

/** putd.c: the same with H formed as in (3.20), as the product of one dense n x n matrix for each
 * eliminated row. The paper names this as the possible cause of the times of its PUTD. */
int lk_complement_putd_h_explicit(struct lk_complement *c);
int lk_complement_putd_g_explicit(struct lk_complement *c);

/** partition.c: coordinate partitioning, section 3.3.1 (3.37 to 3.39). Solve for the accelerations
 * of independent coordinates, then compute those of the dependent coordinates with Phi_u^+. */
int lk_complement_partition(struct lk_complement *c);

/** wang_huston.c: compute multipliers with (Phi_q M^-1 Phi_q^T)^+, section 3.3.2 (3.40 to 3.42). A
 * threshold determines the rank of the pseudo-inverse, or the rank is that at the start. */
int lk_complement_wang_huston(struct lk_complement *c);
int lk_complement_wang_huston_fixed(struct lk_complement *c);

#endif
