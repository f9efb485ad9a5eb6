/* SPDX-License-Identifier: Apache-2.0 */
/* Compute the null space from A = Phi_q^T Phi_q. The eigenvalues of A are squares of the singular
 * values of Phi_q. Therefore singular values below the square root of the machine precision,
 * relative to the largest, are indistinguishable from zero. */
#include "laboratory/complement/families.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Compute A = Phi_q^T Phi_q, n x n, equation 3.10. Zeros are skipped, because rows are sparse. */
static void normal_matrix(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;

    memset(c->A, 0, n * n * sizeof(double));
    for (int r = 0; r < c->g.m; r++) {
        const double *row = &c->g.jacobian[(size_t)r * n];

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n && row[i] != 0; j++)
                c->A[i * n + j] += row[i] * row[j];
    }
}

int lk_complement_zero_eigenvalue(struct lk_complement *c)
{
    int n = c->g.n, info;

    normal_matrix(c);
    info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, c->A, n, c->u);
    memcpy(c->P, c->A, (size_t)n * (size_t)c->s * sizeof(double)); /* ascending order */
    return lk_complement_status(info);
}

/* Copy the Schur vectors of the s smallest eigenvalues to P, in ascending order of the
 * eigenvalues. */
static void take_smallest(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;

    for (int k = 0; k < c->s; k++) {
        size_t least = 0;

        for (size_t i = 1; i < n; i++)
            if (c->u[i] < c->u[least])
                least = i;
        memcpy(&c->P[(size_t)k * n], &c->B[least * n], n * sizeof(double));
        c->u[least] = INFINITY;
    }
}

int lk_complement_schur(struct lk_complement *c)
{
    int n = c->g.n, sorted = 0, info;

    normal_matrix(c);
    info =
        LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, c->A, n, &sorted, c->u, c->v, c->B, n);
    take_smallest(c);
    return lk_complement_status(info);
}
