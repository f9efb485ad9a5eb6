/* SPDX-License-Identifier: Apache-2.0 */
/* The classical Runge-Kutta method of order 4 with fixed steps, on y' = f of any formulation
 * (W. Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, 1901). */
#include "laboratory/integrator.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <stdlib.h>

#define NAME "rk4"

struct rk4 {
    struct lk_problem *problem;
    int n;
    double t;
    double *y;
    double *memory; /* arrays k, stage and sum of make_step() */
};

static void close_rk4(void *self)
{
    struct rk4 *s = self;

    if (!s)
        return;
    free(s->y);
    free(s->memory);
    free(s);
}

static int open_rk4(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct rk4 *s = calloc(1, sizeof(*s));

    (void)ret_error;
    if (!s)
        return -ENOMEM;
    s->problem = problem;
    s->t = lk_stepping_time(problem);
    if (lk_stepping_start(problem, &s->n, &s->y) < 0 ||
        !(s->memory = calloc(3 * (size_t)s->n + 1, sizeof(double)))) {
        close_rk4(s);
        return -ENOMEM;
    }
    *ret = s;
    return 0;
}

/* Make one step of length @h from t. Overwrites y. */
static int make_step(struct rk4 *s, double h)
{
    static const double when[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double *k = s->memory, *stage = k + s->n, *sum = stage + s->n;

    for (int i = 0; i < 4; i++) {
        int r;

        for (int j = 0; j < s->n; j++)
            stage[j] = i == 0 ? s->y[j] : s->y[j] + when[i] * h * k[j];
        r = lk_stepping_rate(s->problem, s->t + when[i] * h, stage, k);
        if (r != 0)
            return r;
        for (int j = 0; j < s->n; j++)
            sum[j] = (i == 0 ? 0 : sum[j]) + weight[i] * k[j];
    }
    for (int j = 0; j < s->n; j++)
        s->y[j] += h * sum[j];
    return 0;
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct rk4 *s = self;
    int n = lk_stepping_divide(s->t, t, s->problem->step);
    double start = s->t;

    if (lk_stepping_is_there(s->t, t))
        return 0;
    for (int i = 1; i <= n; i++) {
        double next = i == n ? t : start + (t - start) * i / n;
        int r = make_step(s, next - s->t);

        if (r != 0)
            return lk_stepping_singular(NAME, s->t, r, ret_error);
        s->t = next;
        s->problem->counts.steps++;
        r = lk_problem_accept(s->problem, s->t, s->y, ret_error);
        if (r != 0)
            return r;
    }
    return 0;
}

const struct lk_integrator lk_integrator_rk4 = {
    .name = NAME,
    .paper = "Kutta, Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen, "
             "1901",
    .open = open_rk4,
    .close = close_rk4,
    .advance = advance,
};
