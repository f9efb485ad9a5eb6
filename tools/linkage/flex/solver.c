/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of sparse matrices by UMFPACK (T. A. Davis, Algorithm 832, ACM TOMS 30 (2004) 196-199),
 * eigenvalues by ARPACK in shift-invert mode (R. B. Lehoucq, D. C. Sorensen, C. Yang, ARPACK users'
 * guide, 1998). */
#include "solid.h"

#include <arpack/arpack.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/umfpack.h>

const bool flex_has_solver = true;

struct flex_factor {
    struct flex_sparse A;
    void *numeric;
};

static int copy_matrix(const struct flex_sparse *A, struct flex_sparse *ret)
{
    size_t n = (size_t)A->n, entries = (size_t)A->start[n];

    ret->n = A->n;
    ret->start = malloc((n + 1) * sizeof(*ret->start));
    ret->row = malloc((entries + 1) * sizeof(*ret->row));
    ret->value = malloc((entries + 1) * sizeof(*ret->value));
    if (ret->start == NULL || ret->row == NULL || ret->value == NULL)
        return -ENOMEM;
    memcpy(ret->start, A->start, (n + 1) * sizeof(*ret->start));
    memcpy(ret->row, A->row, entries * sizeof(*ret->row));
    memcpy(ret->value, A->value, entries * sizeof(*ret->value));
    return 0;
}

static int result_of(long status)
{
    return status == UMFPACK_OK ? 0 : status == UMFPACK_WARNING_singular_matrix ? -EDOM : -ENOMEM;
}

int flex_factor_new(const struct flex_sparse *A, struct flex_factor **ret)
{
    struct flex_factor *f = calloc(1, sizeof(*f));
    void *symbolic = NULL;
    int result = f != NULL ? copy_matrix(A, &f->A) : -ENOMEM;

    if (result == 0)
        result = result_of(umfpack_dl_symbolic(A->n, A->n, f->A.start, f->A.row, f->A.value,
                                               &symbolic, NULL, NULL));
    if (result == 0)
        result = result_of(umfpack_dl_numeric(f->A.start, f->A.row, f->A.value, symbolic,
                                              &f->numeric, NULL, NULL));
    umfpack_dl_free_symbolic(&symbolic);
    if (result == 0)
        *ret = f;
    else
        flex_factor_free(f);
    return result;
}

/* Solve A x = b with @steps steps of iterative refinement at most. */
static int solve(const struct flex_factor *f, int steps, const double *b, double *x)
{
    double control[UMFPACK_CONTROL];

    umfpack_dl_defaults(control);
    control[UMFPACK_IRSTEP] = steps;
    return result_of(umfpack_dl_solve(UMFPACK_A, f->A.start, f->A.row, f->A.value, x, b, f->numeric,
                                      control, NULL));
}

int flex_factor_solve(const struct flex_factor *f, const double *b, double *x)
{
    return solve(f, 2, b, x);
}

void flex_factor_free(struct flex_factor *factor)
{
    if (factor == NULL)
        return;
    umfpack_dl_free_numeric(&factor->numeric);
    flex_sparse_free(&factor->A);
    free(factor);
}

/* struct lanczos - memory of ARPACK. @b, @x: one vector of all rows each */
struct lanczos {
    int n;
    int n_wanted;
    int n_vectors;
    double *residual;
    double *V;
    double *work;
    double *small;
    double *b;
    double *x;
    int *select;
};

static void free_lanczos(struct lanczos *z)
{
    free(z->residual);
    free(z->V);
    free(z->work);
    free(z->small);
    free(z->b);
    free(z->x);
    free(z->select);
}

static int allocate(long n_rows, struct lanczos *z)
{
    size_t n = (size_t)z->n, m = (size_t)z->n_vectors;

    z->residual = calloc(n, sizeof(double));
    z->V = calloc(n * m, sizeof(double));
    z->work = calloc(3 * n, sizeof(double));
    z->small = calloc(m * (m + 8), sizeof(double));
    z->b = calloc((size_t)n_rows, sizeof(double));
    z->x = calloc((size_t)n_rows, sizeof(double));
    z->select = calloc(m, sizeof(int));
    if (z->residual == NULL || z->V == NULL || z->work == NULL || z->small == NULL ||
        z->b == NULL || z->x == NULL || z->select == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) /* a start that is the same in every run */
        z->residual[i] = 1 + 0.5 * (double)((i * 2654435761u) % 1000) / 1000;
    return 0;
}

/* Compute y = (K - shift M)^-1 b for the @z->n first rows. Refinement would take most of the time.
 */
static int apply(const struct flex_factor *factor, struct lanczos *z, const double *b, double *y)
{
    int result;

    memcpy(z->b, b, (size_t)z->n * sizeof(*b));
    result = solve(factor, 0, z->b, z->x);
    memcpy(y, z->x, (size_t)z->n * sizeof(*y));
    return result;
}

/* Run the iteration to its end. */
static int iterate(const struct flex_factor *factor, const struct flex_sparse *M, double shift,
                   struct lanczos *z, double *ret_lambda, double *ret_x)
{
    int ido = 0, info = 1, parameters[11] = {1, 0, 1000, 1, 0, 0, 3}, pointer[11] = {0};
    int size = z->n_vectors * (z->n_vectors + 8), result = 0;

    while (ido != 99 && result == 0) {
        double *x, *y;

        dsaupd_c(&ido, "G", z->n, "LM", z->n_wanted, 0, z->residual, z->n_vectors, z->V, z->n,
                 parameters, pointer, z->work, z->small, size, &info);
        x = z->work + (pointer[0] > 0 ? pointer[0] - 1 : 0);
        y = z->work + (pointer[1] > 0 ? pointer[1] - 1 : 0);
        if (ido == -1) {
            flex_sparse_multiply(M, x, 1, y);
            result = apply(factor, z, y, y);
        } else if (ido == 1) {
            result = apply(factor, z, z->work + pointer[2] - 1, y);
        } else if (ido == 2) {
            flex_sparse_multiply(M, x, 1, y);
        }
    }
    if (result != 0 || info != 0 || parameters[4] < z->n_wanted)
        return result != 0 ? result : -EDOM;
    dseupd_c(1, "A", z->select, ret_lambda, ret_x, z->n, shift, "G", z->n, "LM", z->n_wanted, 0,
             z->residual, z->n_vectors, z->V, z->n, parameters, pointer, z->work, z->small, size,
             &info);
    return info == 0 ? 0 : -EDOM;
}

/* Sort eigenvalues and their vectors of @n entries. */
static void sort(int count, size_t n, double *lambda, double *x)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && lambda[k] < lambda[k - 1]; k--) {
            double swap = lambda[k], *a = x + (size_t)k * n, *b = a - n;

            lambda[k] = lambda[k - 1];
            lambda[k - 1] = swap;
            for (size_t r = 0; r < n; r++) {
                swap = a[r];
                a[r] = b[r];
                b[r] = swap;
            }
        }
}

int flex_lowest(const struct flex_factor *factor, long n_rows, const struct flex_sparse *M,
                double shift, int n_wanted, double *ret_lambda, double *ret_x)
{
    struct lanczos z = {.n = (int)M->n, .n_wanted = n_wanted};
    int most = 2 * n_wanted + 20, result;

    z.n_vectors = most < z.n ? most : z.n;
    result = allocate(n_rows, &z);
    if (result == 0)
        result = iterate(factor, M, shift, &z, ret_lambda, ret_x);
    if (result == 0)
        sort(n_wanted, (size_t)z.n, ret_lambda, ret_x);
    free_lanczos(&z);
    return result;
}
