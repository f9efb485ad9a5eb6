/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/sundials/session.h"
#include "laboratory/stepping.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fraction of the present time. A rate() that failed longer ago than this time is not the cause of
 * a failed step. */
#define PAST 1e-6

/* ---- allocation ---- */

void lk_sundials_free(void *self)
{
    struct lk_sundials *s = self;

    if (!s)
        return;
    if (s->memory)
        s->solver->free(&s->memory);
    if (s->linear)
        SUNLinSolFree(s->linear);
    if (s->matrix)
        SUNMatDestroy(s->matrix);
    if (s->y)
        N_VDestroy(s->y);
    if (s->slope)
        N_VDestroy(s->slope);
    if (s->shown)
        N_VDestroy(s->shown);
    if (s->shown_slope)
        N_VDestroy(s->shown_slope);
    if (s->context)
        SUNContext_Free(&s->context);
    lk_dae_free(s->dae);
    free(s->copy);
    free(s);
}

/* Allocate vectors of @n numbers.
 * @y, @slope: initial contents; @slope may be NULL
 * Return: 0, -ENOMEM */
static int take_vectors(struct lk_sundials *s, int n, const double *y, const double *slope)
{
    size_t size = (size_t)n * sizeof(double);

    s->n = n;
    s->t = lk_stepping_time(s->problem);
    s->copy = calloc((size_t)n + 1, sizeof(double));
    if (!s->copy || SUNContext_Create(NULL, &s->context) != 0)
        return -ENOMEM;
    s->y = N_VNew_Serial(n, s->context);
    s->slope = N_VNew_Serial(n, s->context);
    s->shown = N_VNew_Serial(n, s->context);
    s->shown_slope = N_VNew_Serial(n, s->context);
    if (!s->y || !s->slope || !s->shown || !s->shown_slope)
        return -ENOMEM;
    memcpy(N_VGetArrayPointer(s->y), y, size);
    if (slope)
        memcpy(N_VGetArrayPointer(s->slope), slope, size);
    return 0;
}

static struct lk_sundials *make_session(struct lk_problem *problem,
                                        const struct lk_sundials_solver *solver)
{
    struct lk_sundials *s = calloc(1, sizeof(*s));

    if (s) {
        s->problem = problem;
        s->solver = solver;
    }
    return s;
}

int lk_sundials_new(struct lk_problem *problem, const struct lk_sundials_solver *solver,
                    int has_slope, struct lk_sundials **ret, struct lk_error *ret_error)
{
    struct lk_sundials *s = make_session(problem, solver);
    double *y = NULL;
    int n = 0, r = -ENOMEM;

    if (s && lk_stepping_start(problem, &n, &y) == 0)
        r = take_vectors(s, n, y, NULL);
    if (r == 0 && has_slope) {
        r = lk_stepping_rate(problem, s->t, y, N_VGetArrayPointer(s->slope));
        if (r != 0)
            lk_stepping_singular(solver->name, s->t, r, ret_error);
    }
    free(y);
    if (r != 0) {
        lk_sundials_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

int lk_sundials_new_dae(struct lk_problem *problem, const struct lk_sundials_solver *solver,
                        struct lk_sundials **ret, struct lk_error *ret_error)
{
    struct lk_sundials *s = make_session(problem, solver);
    double *y = NULL, *slope = NULL;
    int r = -ENOMEM;

    if (s)
        r = lk_dae_over_constraints(problem, solver->name, &s->dae, &y, &slope, ret_error);
    if (r == 0)
        r = take_vectors(s, s->dae->n, y, slope);
    free(y);
    free(slope);
    if (r != 0) {
        lk_sundials_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

int lk_sundials_add_matrix(struct lk_sundials *s)
{
    s->matrix = SUNDenseMatrix(s->n, s->n, s->context);
    s->linear = s->matrix ? SUNLinSol_Dense(s->y, s->matrix, s->context) : NULL;
    return s->linear ? 0 : -ENOMEM;
}

int lk_sundials_ready(struct lk_sundials *s, int flag, void **ret, struct lk_error *ret_error)
{
    if (flag >= 0) {
        *ret = s;
        return 0;
    }
    lk_error_set(ret_error, "integrator %s: SUNDIALS says: %s", s->solver->name,
                 s->said[0] ? s->said : "no reason");
    lk_sundials_free(s);
    return LK_E_MODEL;
}

/* ---- called by SUNDIALS ---- */

void lk_sundials_hear(int code, const char *module, const char *function, char *message, void *self)
{
    struct lk_sundials *s = self;

    (void)module, (void)function;
    if (code < 0)
        snprintf(s->said, sizeof(s->said), "%s", message);
}

int lk_sundials_answer(struct lk_sundials *s, int r)
{
    if (r != 0) {
        s->code = r;
        s->failed_at = s->t;
    }
    return r == 0 ? 0 : r > 0 ? 1 : -1;
}

int lk_sundials_rate(realtype t, N_Vector y, N_Vector ret, void *self)
{
    struct lk_sundials *s = self;
    int r = lk_stepping_rate(s->problem, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ret));

    return lk_sundials_answer(s, r);
}

/* ---- advancing to a time ---- */

static int report_failure(struct lk_sundials *s, struct lk_error *ret_error)
{
    if (s->code != 0)
        return lk_stepping_singular(s->solver->name, s->t, s->code, ret_error);
    lk_error_set(ret_error, "integrator %s: t = %.9g s: SUNDIALS says: %s", s->solver->name, s->t,
                 s->said[0] ? s->said : "no reason");
    return LK_E_STALLED;
}

/* Accept a copy of the state; the solver continues with its own state. */
static int accept_step(struct lk_sundials *s, struct lk_error *ret_error)
{
    s->problem->counts.steps++;
    s->solver->count(s);
    memcpy(s->copy, N_VGetArrayPointer(s->y), (size_t)s->n * sizeof(double));
    if (s->dae)
        return s->dae->accept(s->dae, s->t, s->copy, N_VGetArrayPointer(s->slope), ret_error);
    return lk_problem_accept(s->problem, s->t, s->copy, ret_error);
}

int lk_sundials_stop_at(struct lk_sundials *s, double t, int (*set)(void *, realtype))
{
    return s->problem->may_pass ? 0 : set(s->memory, t);
}

int lk_sundials_show(void *self, double t, struct lk_error *ret_error)
{
    struct lk_sundials *s = self;
    double *y = N_VGetArrayPointer(s->shown);

    if (s->solver->interpolate(s->memory, t, 0, s->shown) < 0 ||
        (s->dae && s->solver->interpolate(s->memory, t, 1, s->shown_slope) < 0))
        return report_failure(s, ret_error);
    if (s->dae)
        return s->dae->accept(s->dae, t, y, N_VGetArrayPointer(s->shown_slope), ret_error);
    return lk_problem_accept(s->problem, t, y, ret_error);
}

int lk_sundials_advance(void *self, double t, struct lk_error *ret_error)
{
    struct lk_sundials *s = self;
    int r = 0;

    while (r == 0 && !lk_stepping_is_there(s->t, t)) {
        double now = s->t;

        if (s->t - s->failed_at > PAST * fabs(s->t))
            s->code = 0;
        if (s->solver->step(s, t, &now) < 0)
            return report_failure(s, ret_error);
        if (!(now > s->t))
            return s->code ? report_failure(s, ret_error)
                           : lk_stepping_stalled(s->solver->name, s->t, now - s->t,
                                                 "the error is too large", ret_error);
        s->t = !s->problem->may_pass && lk_stepping_is_there(now, t) ? t : now;
        r = accept_step(s, ret_error);
    }
    return r;
}
