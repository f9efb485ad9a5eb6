/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo upper triangular decomposition. For both methods the independent rows must come first.
 * With elimination, H is not orthogonal: P^T P is not the identity, and the second of equations 3.4
 * does not hold with B = P^T. Equations 3.5 to 3.8 remain valid, because they only require that X =
 * [Phi_q; P^T] is invertible. */
#include "laboratory/complement/families.h"

#include <lapacke.h>
#include <string.h>

/* Copy the columns of Phi_q^T for the r chosen rows. */
static void pick_rows(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;

    for (int i = 0; i < c->r; i++)
        memcpy(&c->A[(size_t)i * n], &c->g.jacobian[(size_t)c->choice[i] * n], n * sizeof(double));
}

static int reflect_rows(struct lk_complement *c)
{
    pick_rows(c);
    return LAPACKE_dgeqrf(LAPACK_COL_MAJOR, c->g.n, c->r, c->A, c->g.n, c->tau);
}

static int eliminate_rows(struct lk_complement *c)
{
    pick_rows(c);
    return LAPACKE_dgetrf(LAPACK_COL_MAJOR, c->g.n, c->r, c->A, c->g.n, c->pivot);
}

/* Factor the chosen rows. Choose rows again if the chosen rows have become dependent. */
static int factor_chosen(struct lk_complement *c, int (*method)(struct lk_complement *c))
{
    int info = c->n_choices > 0 || lk_complement_choose(c, 0) == 0 ? method(c) : 1;

    if (info < 0)
        return info;
    if (info == 0 && lk_complement_keep(c, lk_complement_margin(c->A, c->g.n, c->r)))
        return 0;
    return lk_complement_choose(c, 0) == 0 ? method(c) : 1;
}

int lk_complement_putd_h(struct lk_complement *c)
{
    int info = factor_chosen(c, reflect_rows);

    return info != 0 ? lk_complement_status(info) : lk_complement_last_columns(c);
}

/* Compute P from elimination. Permuted rows of Phi_q^T are [L1; L2] U: H^T = [L1 0; L2 1]^-1.
 * Without the permutation the last columns of H are [-L1^-T L2^T; 1]. */
int lk_complement_putd_g(struct lk_complement *c)
{
    int n = c->g.n, r = c->r, s = c->s, info = factor_chosen(c, eliminate_rows);
    size_t rows = (size_t)n;

    if (info != 0 || s == 0)
        return lk_complement_status(info);
    memset(c->P, 0, rows * (size_t)s * sizeof(double));
    for (int j = 0; j < s; j++) {
        for (int i = 0; i < r; i++)
            c->P[(size_t)j * rows + (size_t)i] = -c->A[(size_t)i * rows + (size_t)(r + j)];
        c->P[(size_t)j * rows + (size_t)(r + j)] = 1;
    }
    if (r == 0)
        return 0;
    info = LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'T', 'U', r, s, c->A, n, c->P, n);
    if (info == 0)
        info = LAPACKE_dlaswp(LAPACK_COL_MAJOR, s, c->P, n, 1, r, c->pivot, -1);
    return lk_complement_status(info);
}
