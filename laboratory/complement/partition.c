/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate partitioning. For dependent coordinates u and independent coordinates v, u'' = g - E
 * v'', E = Phi_u^+ Phi_v and g = Phi_u^+ Gamma. The reduced mass and force of equation 3.39 are P^T
 * M P and P^T (Q - M [g; 0]) with P = [-E; 1]. lk_complement_reduce() computes both. */
#include "laboratory/complement/families.h"

#include <lapacke.h>
#include <string.h>

/* Write Phi_u to A, m x r, and compute its QR decomposition. The columns of Phi_u are
 * independent. */
static int factor_dependent(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n, m = (size_t)c->g.m;

    for (int j = 0; j < c->r; j++)
        for (size_t i = 0; i < m; i++)
            c->A[(size_t)j * m + i] = c->g.jacobian[i * n + (size_t)c->choice[j]];
    return LAPACKE_dgeqrf(LAPACK_COL_MAJOR, c->g.m, c->r, c->A, c->g.m, c->tau);
}

/* Factor Phi_u, and choose dependent coordinates again if Phi_u is nearly singular. The paper
 * chooses once and advises to monitor the choice. */
static int watch_choice(struct lk_complement *c)
{
    int info = c->n_choices > 0 || lk_complement_choose(c, 1) == 0 ? factor_dependent(c) : 1;

    if (info == 0 && !lk_complement_keep(c, lk_complement_margin(c->A, c->g.m, c->r)))
        info = lk_complement_choose(c, 1) == 0 ? factor_dependent(c) : 1;
    if (info != 0)
        return info;
    return lk_complement_margin(c->A, c->g.m, c->r) < LK_COMPLEMENT_SINGULAR;
}

/* Compute B = Phi_u^+ [Phi_v Gamma] in its first r rows, m x (s + 1). */
static int divide_dependent(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n, m = (size_t)c->g.m;
    int info, columns = c->s + 1;

    for (size_t j = 0; j < (size_t)c->s; j++)
        for (size_t i = 0; i < m; i++)
            c->B[j * m + i] = c->g.jacobian[i * n + (size_t)c->choice[(size_t)c->r + j]];
    memcpy(&c->B[(size_t)c->s * m], c->g.gamma, m * sizeof(double));
    info = LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', c->g.m, columns, c->r, c->A, c->g.m, c->tau,
                          c->B, c->g.m);
    if (info == 0)
        info = LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'U', 'N', 'N', c->r, columns, c->A, c->g.m, c->B,
                              c->g.m);
    return info;
}

int lk_complement_partition(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n, m = (size_t)c->g.m;
    int info = 0;

    memset(c->P, 0, n * (size_t)c->s * sizeof(double));
    memset(c->q2, 0, n * sizeof(double));
    if (c->r > 0)
        info = watch_choice(c);
    else
        for (int i = 0; i < c->s; i++)
            c->choice[i] = i;
    if (info == 0 && c->r > 0)
        info = divide_dependent(c);
    if (info != 0)
        return lk_complement_status(info);
    for (int i = 0; i < c->r; i++) {
        for (size_t j = 0; j < (size_t)c->s; j++)
            c->P[j * n + (size_t)c->choice[i]] = -c->B[j * m + (size_t)i];
        c->q2[c->choice[i]] = c->B[(size_t)c->s * m + (size_t)i];
    }
    for (size_t j = 0; j < (size_t)c->s; j++)
        c->P[j * n + (size_t)c->choice[(size_t)c->r + j]] = 1;
    return lk_complement_reduce(c);
}
