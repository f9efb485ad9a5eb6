/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/implicit/newton.h"

#include <errno.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

int lk_newton_take(struct lk_newton *s, int n)
{
    size_t m = (size_t)n;

    s->n = n;
    s->jacobian = calloc(m * m + 1, sizeof(double));
    s->real = calloc(m * m + 1, sizeof(double));
    s->twisted = calloc(m * m + 1, sizeof(double complex));
    s->x = calloc(m + 1, sizeof(double complex));
    s->real_pivot = calloc(m + 1, sizeof(int));
    s->twisted_pivot = calloc(m + 1, sizeof(int));
    return s->jacobian && s->real && s->twisted && s->x && s->real_pivot && s->twisted_pivot
               ? 0
               : -ENOMEM;
}

void lk_newton_drop(struct lk_newton *s)
{
    free(s->jacobian);
    free(s->real);
    free(s->twisted);
    free(s->x);
    free(s->real_pivot);
    free(s->twisted_pivot);
}

int lk_newton_evaluate_jacobian(struct lk_newton *s, struct lk_dae *dae, double t, const double *y,
                                const double *g)
{
    return dae->jacobian(dae, t, y, g, s->jacobian);
}

/* Return element @i of B, column-major. */
static double mass_at(const struct lk_dae *dae, size_t i)
{
    return dae->is_identity ? i % ((size_t)dae->n + 1) == 0 : dae->mass[i];
}

int lk_newton_factor_real(struct lk_newton *s, struct lk_dae *dae, double real)
{
    size_t n = (size_t)s->n;

    dae->problem->counts.factorisations++;
    for (size_t i = 0; i < n * n; i++)
        s->real[i] = real * mass_at(dae, i) - s->jacobian[i];
    return LAPACKE_dgetrf(LAPACK_COL_MAJOR, s->n, s->n, s->real, s->n, s->real_pivot) == 0
               ? 0
               : LK_E_SINGULAR;
}

int lk_newton_factor(struct lk_newton *s, struct lk_dae *dae, double real, double complex twisted)
{
    size_t n = (size_t)s->n;

    for (size_t i = 0; i < n * n; i++)
        s->twisted[i] = twisted * mass_at(dae, i) - s->jacobian[i];
    if (lk_newton_factor_real(s, dae, real) != 0 ||
        LAPACKE_zgetrf(LAPACK_COL_MAJOR, s->n, s->n, (lapack_complex_double *)s->twisted, s->n,
                       s->twisted_pivot) != 0)
        return LK_E_SINGULAR;
    return 0;
}

void lk_newton_solve(struct lk_newton *s, double *x)
{
    LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', s->n, 1, s->real, s->n, s->real_pivot, x, s->n);
}

void lk_newton_solve_twisted(struct lk_newton *s, double *x, double *y)
{
    for (int i = 0; i < s->n; i++)
        s->x[i] = x[i] + I * y[i];
    LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', s->n, 1, (lapack_complex_double *)s->twisted, s->n,
                   s->twisted_pivot, (lapack_complex_double *)s->x, s->n);
    for (int i = 0; i < s->n; i++) {
        x[i] = creal(s->x[i]);
        y[i] = cimag(s->x[i]);
    }
}
