/* SPDX-License-Identifier: Apache-2.0 */
/* Small dense matrices without symmetry: Gaussian elimination with partial pivoting of the
 * equilibrated matrix. */
#ifndef LK_SOLVE_LU_H
#define LK_SOLVE_LU_H

#include "linkage/error.h"

/** struct lk_lu_scale - scales of rows and columns, and pivots, of an LU factor; n values
 * each. */
struct lk_lu_scale {
    double *rows;
    double *columns;
    int *pivot;
};

/** lk_lu_factor() - factor P A = L U of the equilibrated matrix, n by n, row-major, in place.
 * @noise: entries with at most this absolute value count as zero
 * @least: pivots of the equilibrated matrix with at most this absolute value count as zero
 * Return: -1: success; otherwise the first column without pivot, and the factor must not be
 * used.
 * RT: yes. */
LK_RT int lk_lu_factor(int n, double *A, double noise, double least, struct lk_lu_scale scale);
/** lk_lu_solve() - solve A x = @b with the factor; @b: overwritten by x. RT: yes. */
LK_RT void lk_lu_solve(int n, const double *A, struct lk_lu_scale scale, double *b);

#endif
