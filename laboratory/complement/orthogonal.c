/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the null space from an orthogonal decomposition of Phi_q^T itself, n x m. */
#include "laboratory/complement/families.h"

#include <lapacke.h>
#include <string.h>

int lk_complement_svd(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;
    int info;

    memcpy(c->A, c->g.jacobian, n * (size_t)c->g.m * sizeof(double));
    info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'N', c->g.n, c->g.m, c->A, c->g.n, c->u, c->B,
                          c->g.n, NULL, 1, c->v);
    memcpy(c->P, &c->B[(size_t)c->r * n], n * (size_t)c->s * sizeof(double));
    return lk_complement_status(info);
}

/* Decompose Phi_q^T with column pivoting. The leading rows are chosen once, and again if the choice
 * has become poor. If pivots were chosen at each state, they would switch between rows that differ
 * only by drift, and the accelerations would jump. On the strut with redundant rows the error was
 * then nine times that of svd with an error tolerance of 1e-8 (test_complement_drift), and more
 * than a hundred times with 1e-10. */
static int decompose_jacobian(struct lk_complement *c)
{
    size_t n = (size_t)c->g.n;

    memcpy(c->A, c->g.jacobian, n * (size_t)c->g.m * sizeof(double));
    memset(c->pivot, 0, (size_t)c->g.m * sizeof(int));
    for (int i = 0; i < c->r && c->n_choices > 0; i++)
        c->pivot[c->choice[i]] = 1; /* dgeqp3 moves these columns to the front */
    return LAPACKE_dgeqp3(LAPACK_COL_MAJOR, c->g.n, c->g.m, c->A, c->g.n, c->pivot, c->tau);
}

static int choose_leading_rows(struct lk_complement *c)
{
    int info;

    c->n_choices = 0;
    info = decompose_jacobian(c);
    for (int i = 0; i < c->g.m; i++)
        c->choice[i] = c->pivot[i] - 1;
    c->margin = lk_complement_margin(c->A, c->g.n, c->r);
    return info;
}

int lk_complement_qr(struct lk_complement *c)
{
    unsigned long n_choices = c->n_choices;
    int info = n_choices > 0 ? decompose_jacobian(c) : 0;

    if (info == 0 &&
        (n_choices == 0 || !lk_complement_keep(c, lk_complement_margin(c->A, c->g.n, c->r)))) {
        info = choose_leading_rows(c);
        c->n_choices = n_choices + 1;
    }
    return info != 0 ? lk_complement_status(info) : lk_complement_last_columns(c);
}
