/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/implicit/dae.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENCE 1.5e-8 /* square root of the machine precision */
#define LEAST      1e-2   /* lower limit of |y| in the size of a difference */

int lk_dae_take(struct lk_dae *dae, int n, int has_mass)
{
    size_t m = (size_t)n;

    dae->n = n;
    dae->index = calloc(m + 1, sizeof(int));
    dae->is_algebraic = calloc(m + 1, sizeof(int));
    dae->work = calloc(2 * m + 1, sizeof(double));
    if (has_mass)
        dae->mass = calloc(m * m + 1, sizeof(double));
    if (!dae->index || !dae->is_algebraic || !dae->work || (has_mass && !dae->mass))
        return -ENOMEM;
    for (int i = 0; i < n; i++)
        dae->index[i] = 1;
    return 0;
}

void lk_dae_free(struct lk_dae *dae)
{
    if (!dae)
        return;
    free(dae->index);
    free(dae->is_algebraic);
    free(dae->work);
    free(dae->mass);
    if (dae->close)
        dae->close(dae);
    else
        free(dae);
}

int lk_dae_differences(struct lk_dae *dae, double t, const double *y, const double *g, int begin,
                       int end, double *ret)
{
    size_t n = (size_t)dae->n;
    double *moved = dae->work;

    memcpy(moved, y, n * sizeof(*y));
    for (int j = begin; j < end; j++) {
        double *column = &ret[(size_t)j * n], step;
        int r;

        moved[j] = y[j] + copysign(DIFFERENCE * fmax(fabs(y[j]), LEAST), y[j]);
        step = moved[j] - y[j];
        r = dae->rate(dae, t, moved, column);
        if (r != 0)
            return r;
        for (size_t i = 0; i < n; i++)
            column[i] = (column[i] - g[i]) / step;
        moved[j] = y[j];
    }
    return 0;
}

void lk_dae_weights(const struct lk_dae *dae, double tolerance, double step, const double *y,
                    double *ret)
{
    double larger[4] = {1, 1, 1 / step, 1 / (step * step)};

    for (int i = 0; i < dae->n; i++)
        ret[i] = tolerance * (lk_problem_floor(dae->problem) + fabs(y[i])) * larger[dae->index[i]];
}

double lk_dae_norm(int n, const double *x, const double *weight)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] / weight[i] * (x[i] / weight[i]);
    return sqrt(sum / (n > 0 ? n : 1));
}

void lk_dae_mass(const struct lk_dae *dae, const double *x, double *ret)
{
    size_t n = (size_t)dae->n;

    if (dae->is_identity) {
        memcpy(ret, x, n * sizeof(double));
        return;
    }
    memset(ret, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n && x[j] != 0; i++)
            ret[i] += dae->mass[j * n + i] * x[j];
}

/* ---- over a formulation ---- */

static int rate(struct lk_dae *dae, double t, const double *y, double *ret)
{
    return lk_stepping_rate(dae->problem, t, y, ret);
}

static int jacobian(struct lk_dae *dae, double t, const double *y, const double *g, double *ret)
{
    dae->problem->counts.jacobians++;
    return lk_dae_differences(dae, t, y, g, 0, dae->n, ret);
}

/* lk_problem_accept() also calls settle() of the formulation, so no other changes of y are
 * needed. */
static int accept_state(struct lk_dae *dae, double t, double *y, const double *slope,
                        struct lk_error *ret_error)
{
    (void)slope;
    return lk_problem_accept(dae->problem, t, y, ret_error);
}

int lk_dae_over_equations(struct lk_problem *problem, struct lk_dae **ret, double **ret_y)
{
    struct lk_dae *dae = calloc(1, sizeof(*dae));
    double *y = NULL;
    int n = 0;

    if (!dae || lk_stepping_start(problem, &n, &y) < 0 || lk_dae_take(dae, n, 0) < 0) {
        free(y);
        lk_dae_free(dae);
        return -ENOMEM;
    }
    dae->problem = problem;
    dae->is_identity = 1;
    dae->rate = rate;
    dae->jacobian = jacobian;
    dae->accept = accept_state;
    *ret = dae;
    *ret_y = y;
    return 0;
}
