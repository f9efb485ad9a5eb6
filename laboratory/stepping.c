/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/stepping.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ONE_STEP "rk4, radau, dormand-prince, arkode-erk, arkode-dirk"

int lk_stepping_start(struct lk_problem *p, int *ret_n, double **ret_y)
{
    int n = p->equations->size(p->self);
    double *y = calloc((size_t)n + 1, sizeof(*y));

    if (!y)
        return -ENOMEM;
    p->equations->read(p->self, y);
    *ret_n = n;
    *ret_y = y;
    return 0;
}

int lk_stepping_rate(struct lk_problem *p, double t, const double *y, double *ret)
{
    p->counts.rates++;
    return p->equations->rate(p->self, t, y, ret);
}

/* smallest time to which round-off is relative, because t may be 0 [s] */
#define LEAST_TIME 1e-3

int lk_stepping_is_there(double now, double t)
{
    return t - now <= 16 * DBL_EPSILON * fmax(fabs(t), LEAST_TIME);
}

double lk_stepping_cut(double now, double t, double h)
{
    double left = t - now;

    if (h >= 0.999 * left)
        return left;
    return h > 0.5 * left ? 0.5 * left : h;
}

double lk_stepping_length(const struct lk_problem *p, double now, double t, double h)
{
    return p->may_pass ? h : lk_stepping_cut(now, t, h);
}

double lk_stepping_end(const struct lk_problem *p, double now, double t, double h)
{
    return !p->may_pass && (now + h >= t || h == t - now) ? t : now + h;
}

int lk_stepping_is_stalled(double now, double h)
{
    return !(h > 16 * DBL_EPSILON * fmax(fabs(now), LEAST_TIME));
}

int lk_stepping_divide(double now, double t, double h)
{
    double n = ceil((t - now) / h - 1e-6);

    return n < 1 ? 1 : n > 1e9 ? 1000000000 : (int)n;
}

int lk_stepping_stalled(const char *integrator, double now, double h, const char *what,
                        struct lk_error *ret_error)
{
    lk_error_set(ret_error,
                 "integrator %s: t = %.9g s: %s down to a step of %.1e s, expected a larger "
                 "tolerance, or another integrator, formulation or orientation",
                 integrator, now, what, h);
    return LK_E_STALLED;
}

double lk_stepping_time(const struct lk_problem *p)
{
    return p->mechanics ? p->mechanics->time : 0;
}

int lk_stepping_singular(const char *integrator, double now, int code, struct lk_error *ret_error)
{
    lk_error_set(ret_error,
                 "integrator %s: t = %.9g s: the equations are singular there, or the step is too "
                 "long for them; expected a smaller one, another formulation or orientation",
                 integrator, now);
    return code;
}

int lk_stepping_needs_tolerance(const struct lk_problem *problem, const char *name,
                                struct lk_error *ret_error)
{
    if (problem->tolerance > 0)
        return 0;
    lk_error_set(ret_error,
                 "integrator %s chooses its steps by the error, expected a tolerance; with fixed "
                 "steps: " ONE_STEP,
                 name);
    return LK_E_MODEL;
}

int lk_stepping_settles(const struct lk_problem *problem)
{
    const struct lk_equations *e = problem->equations;

    return e && e->settle && e->settles ? e->settles(problem->self) : 0;
}

int lk_stepping_refuse_settled(const struct lk_problem *problem, const char *name, int projects,
                               struct lk_error *ret_error)
{
    const char *formulation = problem->equations ? problem->equations->name : "";
    int settles = lk_stepping_settles(problem);

    if (settles & LK_SETTLES_MOMENTA)
        lk_error_set(ret_error,
                     "formulation %s chooses its momenta anew after each step, integrator %s goes "
                     "on from those of several steps, expected %s:as-printed with it, or an "
                     "integrator of one step: " ONE_STEP,
                     formulation, name, formulation);
    else if (settles & LK_SETTLES_ROWS && (!projects || settles & LK_SETTLES_IDLE))
        lk_error_set(
            ret_error,
            "formulation %s projects onto the rows after each step, integrator %s goes on "
            "without, expected no projection with it%s, or an integrator of one step: " ONE_STEP,
            formulation, name, settles & LK_SETTLES_IDLE ? "" : ", or cvode:bdf");
    else
        return 0;
    return LK_E_MODEL;
}
