/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo upper triangular decomposition. For both methods the independent rows must come first.
 * With elimination, H is not orthogonal: P^T P is not the identity, and the second of equations 3.4
 * does not hold with B = P^T. Equations 3.5 to 3.8 remain valid, because they only require that X =
 * [Phi_q; P^T] is invertible. */
#include "laboratory/complement/families.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
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

/* ---- H formed explicitly ---- */

static void set_identity(int n, double *ret)
{
    memset(ret, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        ret[(size_t)i * (size_t)(n + 1)] = 1;
}

/* Compute @x := C @x, n x @columns, by way of D. */
static void multiply(struct lk_complement *c, double *x, int columns)
{
    int n = c->g.n;

    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, columns, n, 1, c->C, n, x, n, 0, c->D,
                n);
    memcpy(x, c->D, (size_t)n * (size_t)columns * sizeof(double));
}

/* Set C to the reflection that eliminates column @k of A below row @k. */
static void set_reflection(struct lk_complement *c, int k)
{
    size_t n = (size_t)c->g.n;
    double *v = c->u, *a = &c->A[(size_t)k * n], sum = 0, square = 0;

    memset(v, 0, n * sizeof(double));
    for (size_t i = (size_t)k; i < n; i++)
        sum += a[i] * a[i];
    for (size_t i = (size_t)k; i < n; i++)
        v[i] = a[i];
    v[k] += copysign(sqrt(sum), a[k]);
    for (size_t i = (size_t)k; i < n; i++)
        square += v[i] * v[i];
    set_identity((int)n, c->C);
    for (size_t j = (size_t)k; j < n && square > 0; j++)
        for (size_t i = (size_t)k; i < n; i++)
            c->C[j * n + i] -= 2 / square * v[i] * v[j];
}

/* Set C to the row exchange and the elimination of column @k of A below row @k. */
static void set_elimination(struct lk_complement *c, int k)
{
    size_t n = (size_t)c->g.n, most = (size_t)k;
    const double *a = &c->A[(size_t)k * n];

    for (size_t i = (size_t)k; i < n; i++)
        most = fabs(a[i]) > fabs(a[most]) ? i : most;
    set_identity((int)n, c->C);
    for (size_t i = (size_t)k + 1; i < n && a[most] != 0; i++)
        c->C[(size_t)k * n + i] = -(i == most ? a[k] : a[i]) / a[most];
    /* columns k and most of the elimination change places: the exchange comes first */
    for (size_t i = 0; i < n && most != (size_t)k; i++) {
        double kept = c->C[(size_t)k * n + i];

        c->C[(size_t)k * n + i] = c->C[most * n + i];
        c->C[most * n + i] = kept;
    }
}

/* Form H^T in B, so that H^T Phi_q^T is upper trapezoidal, and copy its last rows to P. */
static int form_explicitly(struct lk_complement *c, void (*set)(struct lk_complement *c, int k))
{
    size_t n = (size_t)c->g.n, r = (size_t)c->r;

    if (lk_complement_choose(c, 0) != 0)
        return LK_E_SINGULAR;
    pick_rows(c);
    set_identity((int)n, c->B);
    for (int k = 0; k < c->r; k++) {
        set(c, k);
        multiply(c, c->A, c->r);
        multiply(c, c->B, (int)n);
    }
    for (size_t j = 0; j < (size_t)c->s; j++)
        for (size_t i = 0; i < n; i++)
            c->P[j * n + i] = c->B[i * n + r + j];
    return 0;
}

int lk_complement_putd_h_explicit(struct lk_complement *c)
{
    return form_explicitly(c, set_reflection);
}

int lk_complement_putd_g_explicit(struct lk_complement *c)
{
    return form_explicitly(c, set_elimination);
}
