/* SPDX-License-Identifier: Apache-2.0 */
/* Hurty/Craig-Bampton basis of dense matrices (R. R. Craig, M. C. C. Bampton, Coupling of
 * substructures for dynamic analyses, AIAA J. 6 (1968) 1313-1319).
 *
 * Static columns: displacements of all nodes for a unit displacement of one degree of freedom of
 * the interface, the others fixed. Further columns: the lowest modes with the interface fixed.
 * Rigid motions are combinations of static columns. Without interface the columns are the degrees
 * of freedom themselves. */
#include "flex.h"

#include <cblas.h>
#include <errno.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* struct parts - the degrees of freedom: @at[0 .. n_fixed - 1] of the interface, then those inside.
 * @T: basis, n x n_columns;  @K: stiffness inside, or its Cholesky factor */
struct parts {
    int n;
    int n_fixed;
    int n_inside;
    int *at;
    int n_columns;
    double *T;
    double *K;
    double *M;
};

void flex_modes_free(struct flex_modes *modes)
{
    free(modes->frequency);
    free(modes->damping);
    free(modes->shape);
    free(modes->share);
    free(modes->other);
    *modes = (struct flex_modes){0};
}

static void free_parts(struct parts *p)
{
    free(p->at);
    free(p->T);
    free(p->K);
    free(p->M);
}

static int split(int n_nodes, const bool *is_interface, struct parts *p)
{
    int inside = 0;

    p->n = 6 * n_nodes;
    p->at = calloc((size_t)p->n, sizeof(*p->at));
    if (p->at == NULL)
        return -ENOMEM;
    for (int i = 0; i < p->n; i++)
        p->n_fixed += is_interface[i / 6];
    for (int i = 0, fixed = 0; i < p->n; i++)
        p->at[is_interface[i / 6] ? fixed++ : p->n_fixed + inside++] = i;
    p->n_inside = inside;
    return 0;
}

/* Copy the rows and columns @row, @column of @A. */
static void copy_block(const struct parts *p, const double *A, const int *row, int rows,
                       const int *column, int columns, double *ret)
{
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < rows; i++)
            ret[i + (size_t)k * (size_t)rows] =
                A[(size_t)row[i] + (size_t)column[k] * (size_t)p->n];
}

/* Write the static columns. @p->K becomes the Cholesky factor of the stiffness inside. */
static int add_static(struct parts *p, const double *stiffness)
{
    const int *inside = p->at + p->n_fixed;
    int m = p->n_inside;
    double *X = calloc((size_t)m * (size_t)p->n_fixed + 1, sizeof(*X));
    int result = 0;

    if (X == NULL)
        return -ENOMEM;
    copy_block(p, stiffness, inside, m, inside, m, p->K);
    copy_block(p, stiffness, inside, m, p->at, p->n_fixed, X);
    if (m > 0 && LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', m, p->K, m) != 0)
        result = -EDOM;
    if (result == 0 && m > 0)
        LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', m, p->n_fixed, p->K, m, X, m);
    for (int k = 0; k < p->n_fixed && result == 0; k++) {
        double *column = p->T + (size_t)k * (size_t)p->n;

        column[p->at[k]] = 1;
        for (int i = 0; i < m; i++)
            column[inside[i]] = -X[i + (size_t)k * (size_t)m];
    }
    p->n_columns = p->n_fixed;
    free(X);
    return result;
}

/* Return the number of fixed-interface modes that are wanted, @mu in ascending order. */
static int count_wanted(const struct parts *p, const struct flex_wish *wish, const double *mu)
{
    double limit = wish->to_hz > 0 ? pow(2 * M_PI * wish->to_hz, -2) : 0;
    int n = 0, most = wish->n - (p->n_fixed - FLEX_RIGID);

    if (wish->to_hz > 0)
        most = p->n_inside;
    while (n < most && n < p->n_inside && mu[p->n_inside - 1 - n] > limit)
        n++;
    return n;
}

/* Append the lowest modes with the interface fixed: M x = mu K x, K = L L^T. */
static int add_fixed(struct parts *p, const double *mass, const struct flex_wish *wish)
{
    const int *inside = p->at + p->n_fixed;
    int m = p->n_inside, wanted;
    double *mu = calloc((size_t)m + 1, sizeof(*mu));

    if (mu == NULL)
        return -ENOMEM;
    copy_block(p, mass, inside, m, inside, m, p->M);
    if (m > 0 && (LAPACKE_dsygst(LAPACK_COL_MAJOR, 1, 'L', m, p->M, m, p->K, m) != 0 ||
                  LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', m, p->M, m, mu) != 0)) {
        free(mu);
        return -ENOMEM;
    }
    wanted = count_wanted(p, wish, mu);
    if (m > 0)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, m, m, 1, p->K,
                    m, p->M, m);
    for (int k = 0; k < wanted; k++) {
        double *column = p->T + (size_t)p->n_columns++ * (size_t)p->n;
        const double *x = p->M + (size_t)(m - 1 - k) * (size_t)m;

        for (int i = 0; i < m; i++)
            column[inside[i]] = x[i];
    }
    free(mu);
    return 0;
}

/* Compute @ret = T^T A T. */
static int reduce_matrix(const struct parts *p, const double *A, double *ret)
{
    int n = p->n, c = p->n_columns;
    double *AT = calloc((size_t)n * (size_t)c, sizeof(*AT));

    if (AT == NULL)
        return -ENOMEM;
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, n, c, 1, A, n, p->T, n, 0, AT, n);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, c, c, n, 1, p->T, n, AT, n, 0, ret, c);
    free(AT);
    return 0;
}

/* Reduce the matrices to the basis. Rigid motions have the coefficients of the interface. */
static int reduce_all(const struct parts *p, const double *mass, const double *stiffness,
                      const double *rigid, bool is_free, struct flex_basis *ret)
{
    size_t c = (size_t)p->n_columns, fixed = (size_t)p->n_fixed;
    int result;

    *ret = (struct flex_basis){.n = p->n_columns, .n_static = is_free ? 0 : p->n_fixed};
    ret->mass = calloc(c * c, sizeof(*ret->mass));
    ret->stiffness = calloc(c * c, sizeof(*ret->stiffness));
    ret->rigid = calloc(c * FLEX_RIGID, sizeof(*ret->rigid));
    if (ret->mass == NULL || ret->stiffness == NULL || ret->rigid == NULL)
        return -ENOMEM;
    for (size_t k = 0; k < FLEX_RIGID; k++)
        for (size_t i = 0; i < fixed; i++)
            ret->rigid[i + k * c] = rigid[(size_t)p->at[i] + k * (size_t)p->n];
    result = reduce_matrix(p, mass, ret->mass);
    return result == 0 ? reduce_matrix(p, stiffness, ret->stiffness) : result;
}

static int build_basis(struct parts *p, const double *mass, const double *stiffness,
                       const struct flex_wish *wish)
{
    size_t n = (size_t)p->n, m = (size_t)p->n_inside;
    int result;

    p->T = calloc(n * n, sizeof(*p->T));
    p->K = calloc(m * m + 1, sizeof(*p->K));
    p->M = calloc(m * m + 1, sizeof(*p->M));
    if (p->T == NULL || p->K == NULL || p->M == NULL)
        return -ENOMEM;
    result = add_static(p, stiffness);
    return result == 0 ? add_fixed(p, mass, wish) : result;
}

/* Return the modes of a basis as displacements of the nodes. */
static int expand(const struct parts *p, const double *y, struct flex_modes *ret)
{
    ret->n_nodes = p->n / 6;
    ret->shape = calloc((size_t)p->n * (size_t)(ret->n > 0 ? ret->n : 1), sizeof(*ret->shape));
    if (ret->shape == NULL)
        return -ENOMEM;
    if (ret->n > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, p->n, ret->n, p->n_columns, 1, p->T,
                    p->n, y, p->n_columns, 0, ret->shape, p->n);
    return 0;
}

int flex_reduce(int n_nodes, const double *mass, const double *stiffness, const bool *is_interface,
                const double *rigid, const struct flex_wish *wish, struct flex_modes *ret)
{
    bool *all = calloc((size_t)n_nodes, sizeof(*all));
    struct parts p = {0};
    struct flex_basis basis = {0};
    struct flex_modes modes = {0};
    double *y = NULL;
    int result = all != NULL ? 0 : -ENOMEM;

    if (result == 0) {
        memset(all, 1, (size_t)n_nodes * sizeof(*all));
        result = split(n_nodes, wish->is_free ? all : is_interface, &p);
    }
    if (result == 0)
        result = build_basis(&p, mass, stiffness, wish);
    if (result == 0)
        result = reduce_all(&p, mass, stiffness, rigid, wish->is_free, &basis);
    if (result == 0)
        result = flex_solve(&basis, wish->to_hz > 0 ? p.n : wish->n, &modes.n, &y, &modes.frequency,
                            &modes.share);
    while (result == 0 && wish->is_free && wish->to_hz > 0 && modes.n > 0 &&
           modes.frequency[modes.n - 1] > wish->to_hz)
        modes.n--;
    if (result == 0)
        result = expand(&p, y, &modes);
    if (result == 0) {
        flex_modes_align(&modes);
        *ret = modes;
    } else {
        flex_modes_free(&modes);
    }
    flex_basis_free(&basis);
    free_parts(&p);
    free(all);
    free(y);
    return result;
}
