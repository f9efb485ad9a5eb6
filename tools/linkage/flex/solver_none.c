/* SPDX-License-Identifier: Apache-2.0 */
/* In place of solver.c in a build without ARPACK and SuiteSparse. */
#include "solid.h"

#include <errno.h>

const bool flex_has_solver = false;

int flex_factor_new(const struct flex_sparse *A, struct flex_factor **ret)
{
    (void)A;
    (void)ret;
    return -ENOSYS;
}

int flex_factor_solve(const struct flex_factor *factor, const double *b, double *x)
{
    (void)factor;
    (void)b;
    (void)x;
    return -ENOSYS;
}

void flex_factor_free(struct flex_factor *factor)
{
    (void)factor;
}

int flex_lowest(const struct flex_factor *factor, long n_rows, const struct flex_sparse *M,
                double shift, int n_wanted, double *ret_lambda, double *ret_x)
{
    (void)factor;
    (void)n_rows;
    (void)M;
    (void)shift;
    (void)n_wanted;
    (void)ret_lambda;
    (void)ret_x;
    return -ENOSYS;
}
