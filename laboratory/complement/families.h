/* SPDX-License-Identifier: Apache-2.0 */
/* The functions in methods.c. Sections and equations are those of Pekal, Fraczek 2016, see
 * complement.h; all return 0, LK_E_SINGULAR, or LK_E_NOT_FINITE. */
#ifndef LK_METHODS_LABORATORY_COMPLEMENT_FAMILIES_H
#define LK_METHODS_LABORATORY_COMPLEMENT_FAMILIES_H

#include "laboratory/complement/complement.h"

/** eigen.c: eigenvectors of Phi_q^T Phi_q to the smallest eigenvalues, 3.2.1
 * (equations 3.10, 3.15), by the symmetric eigenvalue problem (dsyevd) or, 3.2.2 (3.16, 3.19), as
 * Schur vectors (dgees). */
int lk_complement_zero_eigenvalue(struct lk_complement *c);
int lk_complement_schur(struct lk_complement *c);

/** orthogonal.c: 3.2.4 (3.25, 3.28), left singular vectors of Phi_q^T beyond the rank (dgesvd);
 * 3.2.5 (3.31, 3.36), last columns of Q in Phi_q^T E = Q R (dgeqp3). */
int lk_complement_svd(struct lk_complement *c);
int lk_complement_qr(struct lk_complement *c);

/** putd.c: pseudo upper triangular decomposition, 3.2.3 (3.20 to 3.23): H^T Phi_q^T upper
 * trapezoidal, P the last columns of H; by Householder reflections (dgeqrf) or Gaussian elimination
 * (dgetrf). Dependent rows come last, by a choice made once and again when it has become poor. */
int lk_complement_putd_h(struct lk_complement *c);
int lk_complement_putd_g(struct lk_complement *c);

/** partition.c: 3.3.1 (3.37 to 3.39): accelerations of independent coordinates, the others from
 * Phi_u^+. */
int lk_complement_partition(struct lk_complement *c);

/** wang_huston.c: 3.3.2 (3.40 to 3.42): multipliers from (Phi_q M^-1 Phi_q^T)^+, whose rank is what
 * a threshold leaves, or that of the start. */
int lk_complement_wang_huston(struct lk_complement *c);
int lk_complement_wang_huston_fixed(struct lk_complement *c);

#endif
