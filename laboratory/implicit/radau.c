/* SPDX-License-Identifier: Apache-2.0 */
/* Radau IIA with three stages, order 5: for y' = f of any formulation, and for the constrained
 * equations of motion in every index, see laboratory/implicit/dae.h.
 *
 * The method is RADAU5 (E. Hairer, G. Wanner, Solving ordinary differential equations II, 1996,
 * section IV.8). A simplified Newton iteration computes the stages Z, in a basis in which the
 * inverse of the Runge-Kutta matrix has one real eigenvalue and one complex pair. Therefore a step
 * factors one real and one complex matrix of the size of y. An embedded formula of order 3
 * estimates the error, and the real matrix filters it. The next step is the smaller result of the
 * usual rule and of the predictive rule (Gustafsson). Errors of variables of index 2 and 3 are
 * multiplied by h and h^2. As in RADAU5, the estimate is of order 3 and is compared with 0.1
 * tolerance^(2/3), so that the error of the result is about the tolerance.
 *
 * The Newton iteration stops when its error is below kappa times this value (lk_problem.kappa).
 * With kappa 0 the rule of RADAU5 is used: at most 0.03, and less for small tolerances. With
 * tolerance 0 steps are fixed, and the iteration continues to round-off. */
#include "laboratory/implicit/radau.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME      "radau"
#define SAFETY    0.9
#define GROWTH    8.0 /* largest ratio of steps */
#define SHRINK    0.2
#define KEEP_RATE 1e-3  /* contraction below which the Jacobian is kept */
#define KEEP_STEP 1.2   /* ratio of steps below which the factors are kept */
#define FIXED     1e-10 /* tolerance that scales increments with fixed steps */
#define FIXED_END 1e-3  /* fraction of FIXED at which the iteration ends */

/* ---- allocation ---- */

static void close_radau(void *self)
{
    struct lk_radau *s = self;

    if (!s)
        return;
    lk_newton_drop(&s->newton);
    lk_dae_free(s->dae);
    free(s->y);
    free(s->memory);
    free(s);
}

static void choose_tolerances(struct lk_radau *s)
{
    const struct lk_problem *p = s->dae->problem;

    s->tolerance = p->tolerance > 0 ? 0.1 * pow(p->tolerance, 2.0 / 3) : FIXED;
    s->kappa = fmax(10 * DBL_EPSILON / s->tolerance, fmin(0.03, sqrt(s->tolerance)));
    if (p->kappa > 0)
        s->kappa = p->kappa;
    if (!(p->tolerance > 0))
        s->kappa = FIXED_END;
}

/* Allocate the arrays of @s, whose members dae and y are already set.
 * Return: 0, -ENOMEM */
static int prepare_memory(struct lk_radau *s)
{
    size_t n = (size_t)s->dae->n;
    double *m = s->memory = calloc(20 * n + 1, sizeof(double));

    s->n = s->dae->n;
    if (lk_newton_take(&s->newton, s->n) < 0 || !m)
        return -ENOMEM;
    s->g = m;
    s->weight = m + n;
    s->stage = m + 2 * n;
    s->slope = m + 3 * n;
    s->z = m + 4 * n;
    s->w = m + 7 * n;
    s->dw = m + 10 * n;
    s->past = m + 13 * n;
    s->Bw = m + 16 * n;
    s->begin = m + 19 * n;
    s->h = s->dae->problem->step;
    s->t = lk_stepping_time(s->dae->problem);
    choose_tolerances(s);
    return 0;
}

static int open_radau(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct lk_radau *s = calloc(1, sizeof(*s));

    (void)ret_error;
    if (!s)
        return -ENOMEM;
    if (lk_dae_over_equations(problem, &s->dae, &s->y) < 0 || prepare_memory(s) < 0) {
        close_radau(s);
        return -ENOMEM;
    }
    *ret = s;
    return 0;
}

static int open_radau_dae(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct lk_radau *s = calloc(1, sizeof(*s));
    double *slope = NULL;
    int r;

    if (!s)
        return -ENOMEM;
    r = lk_dae_over_constraints(problem, NAME, &s->dae, &s->y, &slope, ret_error);
    free(slope);
    if (r == 0)
        r = prepare_memory(s);
    if (r != 0) {
        close_radau(s);
        return r;
    }
    *ret = s;
    return 0;
}

/* ---- steps ---- */

/* Accept the step of length @h, which ends at @t. */
static int take_step(struct lk_radau *s, double t, double h, struct lk_error *ret_error)
{
    int r;

    lk_radau_move(s, h);
    s->t = t;
    s->n_steps++;
    s->dae->problem->counts.steps++;
    r = s->dae->accept(s->dae, t, s->y, s->slope, ret_error);
    if (r != 0)
        return r;
    s->is_fresh = 0;
    s->has_jacobian = s->theta <= KEEP_RATE && !s->dae->is_new;
    s->has_past = !s->dae->is_new;
    s->dae->is_new = 0;
    r = s->dae->rate(s->dae, t, s->y, s->g);
    return r ? lk_stepping_singular(NAME, t, r, ret_error) : 0;
}

static int advance_fixed(struct lk_radau *s, double t, struct lk_error *ret_error)
{
    int n = lk_stepping_divide(s->t, t, s->h), iterations, r = 0;
    double start = s->t, ratio;

    for (int i = 1; i <= n && r == 0; i++) {
        double next = i == n ? t : start + (t - start) * i / n, h = next - s->t;

        r = lk_radau_get_ready(s, h);
        if (r == 0 && lk_radau_solve(s, h, &iterations, &ratio) != 0) {
            s->has_jacobian = 0;
            r = lk_radau_get_ready(s, h);
            r = r ? r : lk_radau_solve(s, h, &iterations, &ratio);
        }
        if (r == LK_E_STALLED)
            lk_error_set(ret_error,
                         "integrator " NAME ": t = %.9g s: the Newton iteration does not converge "
                         "with a step of %.3g s, expected a smaller step",
                         s->t, h);
        else if (r != 0)
            lk_stepping_singular(NAME, s->t, r, ret_error);
        if (r == 0)
            r = take_step(s, next, h, ret_error);
    }
    return r;
}

/* Return the ratio of the next step to the step @h, which was accepted with @error after
 * @iterations. */
static double ratio_after(struct lk_radau *s, double h, double error, int iterations, int is_first)
{
    double safety =
        fmin(SAFETY, SAFETY * (1 + 2 * LK_RADAU_MOST) / (iterations + 2 * LK_RADAU_MOST));
    double bounded = fmax(error, 1e-10), ratio = safety * pow(bounded, -0.25);

    if (!is_first) {
        double predicted = SAFETY * h / s->h_old * pow(s->error_old / (bounded * bounded), 0.25);

        ratio = fmin(ratio, predicted);
    }
    s->error_old = fmax(1e-2, error);
    return fmin(GROWTH, fmax(SHRINK, ratio));
}

/* Choose the next step. The step length is kept if the factors are worth keeping. A step that was
 * shortened to end at a given time must not reduce the next step. */
static void plan_next(struct lk_radau *s, double h, double ratio)
{
    if (h < s->h && ratio * h < s->h)
        return;
    s->h = s->theta <= KEEP_RATE && ratio >= 1 && ratio <= KEEP_STEP ? h : ratio * h;
}

static void reject_step(struct lk_radau *s, double h, double ratio)
{
    s->dae->problem->counts.rejected++;
    s->h = ratio * h;
    s->has_factors = 0;
    if (!s->is_fresh)
        s->has_jacobian = 0;
    s->has_past = 0;
}

/* Make one accepted step that ends at or before @t, or anywhere if problem->may_pass. */
static int advance_step(struct lk_radau *s, double t, struct lk_error *ret_error)
{
    int was_rejected = 0, is_first = s->n_steps == 0, iterations = 0;
    const char *what = "the error is too large";

    for (;;) {
        double h = lk_stepping_length(s->dae->problem, s->t, t, s->h), error, ratio = 0.5;
        int r;

        if (lk_stepping_is_stalled(s->t, h))
            return lk_stepping_stalled(NAME, s->t, h, what, ret_error);
        r = lk_radau_get_ready(s, h);
        if (r == 0)
            r = lk_radau_solve(s, h, &iterations, &ratio);
        if (r == 0) {
            error = lk_radau_error(s, h, is_first || was_rejected);
            what = "the error is too large";
            if (error < 1) {
                ratio = ratio_after(s, h, error, iterations, is_first);
                plan_next(s, h, was_rejected ? fmin(ratio, 1) : ratio);
                return take_step(s, lk_stepping_end(s->dae->problem, s->t, t, h), h, ret_error);
            }
            ratio = isfinite(error) ? fmax(SHRINK, SAFETY * pow(error, -0.25)) : 0.1;
            ratio = is_first ? 0.1 : ratio;
        } else {
            what = r == LK_E_STALLED ? "the Newton iteration does not converge"
                                     : "the equations are singular";
        }
        reject_step(s, h, ratio);
        was_rejected = 1;
    }
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct lk_radau *s = self;
    int r = 0;

    if (lk_stepping_is_there(s->t, t))
        return 0;
    if (!(s->dae->problem->tolerance > 0))
        return advance_fixed(s, t, ret_error);
    while (r == 0 && !lk_stepping_is_there(s->t, t))
        r = advance_step(s, t, ret_error);
    return r;
}

static int show(void *self, double t, struct lk_error *ret_error)
{
    struct lk_radau *s = self;

    lk_radau_interpolate(s, t, s->stage, s->dw);
    return s->dae->accept(s->dae, t, s->stage, s->dw, ret_error);
}

#define PAPER "Hairer, Wanner, Solving ordinary differential equations II, 1996"

const struct lk_integrator lk_integrator_radau = {
    .takes_kappa = 1,
    .name = NAME,
    .paper = PAPER,
    .has_error_control = 1,
    .open = open_radau,
    .close = close_radau,
    .advance = advance,
    .show = show,
};

const struct lk_integrator lk_integrator_radau_dae = {
    .takes_resal = 1,
    .takes_kappa = 1,
    .name = NAME,
    .variants = lk_dae_variants,
    .paper = PAPER,
    .constrained = 1,
    .has_error_control = 1,
    .open = open_radau_dae,
    .close = close_radau,
    .advance = advance,
    .show = show,
};
