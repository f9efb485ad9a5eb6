/* SPDX-License-Identifier: Apache-2.0 */
/* The explicit Runge-Kutta method of order 5 with an embedded method of order 4 by J. R. Dormand
 * and P. J. Prince (A family of embedded Runge-Kutta formulae, 1980), on y' = f of any formulation.
 *
 * The error estimate is the root mean square of the difference between both results, where each
 * component is divided by tolerance (floor + |y|). A PI controller chooses the next step (E.
 * Hairer, S. P. Norsett, G. Wanner, Solving ordinary differential equations I, 1993, sections II.4
 * and II.5; the PI controller is in IV.2 of volume II). With tolerance 0 steps are fixed. */
#include "laboratory/integrator.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME   "dormand-prince"
#define STAGES 7
#define SAFETY 0.9
#define BETA   0.04 /* exponent of the previous error in the PI controller */
#define GROWTH 10   /* largest ratio of steps */
#define SHRINK 0.2  /* smallest ratio of steps */

static const double c[STAGES] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
/* weights of order 5 minus weights of order 4 */
static const double e[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* Weights of the fifth coefficient of the interpolant of order 4 by Shampine (Hairer, Norsett,
 * Wanner, 1993, section II.6, and their program DOPRI5). */
static const double d[STAGES] = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};

/** struct dormand_prince - a run.
 * @has_slope:       k[0] is f at (t, y), from the last stage of the previous step
 * @t_begin, @begin: time and state at the start of the last accepted step
 * @h:               the next step [s]
 * @error:           error of the last accepted step, relative to the tolerance
 * @next:            state at the end of the current step
 * @stage:           scratch state
 * @k:               derivatives at the stages */
struct dormand_prince {
    struct lk_problem *problem;
    int n;
    int has_slope;
    double t;
    double t_begin;
    double h;
    double error;
    double *y;
    double *begin;
    double *next;
    double *stage;
    double *k[STAGES];
    double *memory;
};

static void close_dormand_prince(void *self)
{
    struct dormand_prince *s = self;

    if (!s)
        return;
    free(s->y);
    free(s->memory);
    free(s);
}

static int open_dormand_prince(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct dormand_prince *s = calloc(1, sizeof(*s));
    double *m;

    (void)ret_error;
    if (!s)
        return -ENOMEM;
    s->problem = problem;
    s->t = lk_stepping_time(problem);
    s->h = problem->step;
    s->error = 1e-4;
    if (lk_stepping_start(problem, &s->n, &s->y) < 0 ||
        !(m = s->memory = calloc((STAGES + 3) * (size_t)s->n + 1, sizeof(double)))) {
        close_dormand_prince(s);
        return -ENOMEM;
    }
    s->next = m;
    s->stage = m + s->n;
    s->begin = m + 2 * s->n;
    for (int i = 0; i < STAGES; i++)
        s->k[i] = m + (3 + i) * s->n;
    *ret = s;
    return 0;
}

/* Compute y at stage @i. */
static void add_stages(const struct dormand_prince *s, int i, double h, double *ret)
{
    for (int j = 0; j < s->n; j++) {
        double sum = 0;

        for (int l = 0; l < i; l++)
            sum += a[i][l] * s->k[l][j];
        ret[j] = s->y[j] + h * sum;
    }
}

/* Evaluate all stages of a step of length @h. The last stage is at the end of the step. */
static int try_step(struct dormand_prince *s, double h)
{
    for (int i = s->has_slope ? 1 : 0; i < STAGES; i++) {
        double *stage = i < STAGES - 1 ? s->stage : s->next;
        int r;

        add_stages(s, i, h, stage);
        r = lk_stepping_rate(s->problem, s->t + c[i] * h, stage, s->k[i]);
        if (r != 0)
            return r;
        s->has_slope = 1;
    }
    return 0;
}

/* Return the error of the last attempted step, relative to the tolerance. */
static double error_of(const struct dormand_prince *s, double h)
{
    double sum = 0;

    for (int j = 0; j < s->n; j++) {
        double difference = 0;

        for (int i = 0; i < STAGES; i++)
            difference += e[i] * s->k[i][j];
        difference *= h / (s->problem->tolerance *
                           (lk_problem_floor(s->problem) + fmax(fabs(s->y[j]), fabs(s->next[j]))));
        sum += difference * difference;
    }
    return sqrt(sum / fmax(s->n, 1));
}

/* Accept the step. If settle() of the formulation changed the state, the slope at the end is
 * invalid and is evaluated again. */
static int take_step(struct dormand_prince *s, double t, struct lk_error *ret_error)
{
    size_t size = (size_t)s->n * sizeof(double);
    double *slope = s->k[0];
    int r;

    memcpy(s->begin, s->y, size);
    memcpy(s->y, s->next, size);
    s->t_begin = s->t;
    s->t = t;
    s->problem->counts.steps++;
    r = lk_problem_accept(s->problem, t, s->y, ret_error);
    s->has_slope = memcmp(s->y, s->next, size) == 0;
    s->k[0] = s->k[STAGES - 1];
    s->k[STAGES - 1] = slope;
    return r;
}

static int advance_fixed(struct dormand_prince *s, double t, struct lk_error *ret_error)
{
    int n = lk_stepping_divide(s->t, t, s->problem->step), r = 0;
    double start = s->t;

    for (int i = 1; i <= n && r == 0; i++) {
        double next = i == n ? t : start + (t - start) * i / n;

        r = try_step(s, next - s->t);
        if (r != 0)
            return lk_stepping_singular(NAME, s->t, r, ret_error);
        r = take_step(s, next, ret_error);
    }
    return r;
}

/* Return the ratio of the next step to an accepted step with error @error. */
static double ratio_after(const struct dormand_prince *s, double error)
{
    double ratio = SAFETY * pow(fmax(error, 1e-10), -(0.2 - 0.75 * BETA)) * pow(s->error, BETA);

    return fmin(GROWTH, fmax(SHRINK, ratio));
}

/* Make one accepted step that ends at or before @t, or anywhere if problem->may_pass. */
static int advance_step(struct dormand_prince *s, double t, struct lk_error *ret_error)
{
    int was_rejected = 0, r = 0;

    for (;;) {
        double h = lk_stepping_length(s->problem, s->t, t, s->h), error, ratio;

        if (lk_stepping_is_stalled(s->t, h))
            return lk_stepping_stalled(NAME, s->t, h,
                                       r ? "the equations are singular" : "the error is too large",
                                       ret_error);
        r = try_step(s, h);
        if (r != 0 && r != LK_E_SINGULAR)
            return r;
        error = r == 0 ? error_of(s, h) : INFINITY;
        if (error <= 1) {
            ratio = ratio_after(s, error);
            /* a step shortened to end at @t must not reduce the next one */
            s->h = fmax(was_rejected ? fmin(ratio, 1) * h : ratio * h, h < s->h ? s->h : 0);
            s->error = fmax(error, 1e-4);
            return take_step(s, lk_stepping_end(s->problem, s->t, t, h), ret_error);
        }
        s->problem->counts.rejected++;
        was_rejected = 1;
        s->h = h * (error < 1e10 ? fmax(SHRINK, SAFETY * pow(error, -0.2)) : 0.1);
    }
}

static int advance(void *self, double t, struct lk_error *ret_error)
{
    struct dormand_prince *s = self;
    int r = 0;

    if (lk_stepping_is_there(s->t, t))
        return 0;
    if (!(s->problem->tolerance > 0))
        return advance_fixed(s, t, ret_error);
    while (r == 0 && !lk_stepping_is_there(s->t, t))
        r = advance_step(s, t, ret_error);
    return r;
}

/* Interpolate. After take_step(), k[STAGES - 1] is the first slope of the last step and k[0] its
 * last slope. */
static int show(void *self, double t, struct lk_error *ret_error)
{
    struct dormand_prince *s = self;
    double h = s->t - s->t_begin, x = (t - s->t_begin) / h;

    for (int j = 0; j < s->n; j++) {
        double first = h * s->k[STAGES - 1][j], last = h * s->k[0][j];
        double way = s->next[j] - s->begin[j], fifth = d[0] * first + d[STAGES - 1] * last;

        for (int i = 2; i < STAGES - 1; i++)
            fifth += d[i] * h * s->k[i][j];
        s->stage[j] =
            s->begin[j] +
            x * (way + (1 - x) * (first - way + x * (2 * way - last - first + (1 - x) * fifth)));
    }
    return lk_problem_accept(s->problem, t, s->stage, ret_error);
}

const struct lk_integrator lk_integrator_dormand_prince = {
    .name = NAME,
    .paper = "Dormand, Prince, A family of embedded Runge-Kutta formulae, 1980",
    .has_error_control = 1,
    .open = open_dormand_prince,
    .close = close_dormand_prince,
    .advance = advance,
    .show = show,
};
