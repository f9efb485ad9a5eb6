/* SPDX-License-Identifier: Apache-2.0 */
/* CVODE of SUNDIALS on y' = f of any formulation: BDF of order 1 to 5 (`bdf`), or the Adams methods
 * of order 1 to 12 (`adams`), both with variable step and order.
 *
 * The history of BDF includes projections after a step (E. Eich, Convergence results for a
 * coordinate projection method applied to mechanical systems with algebraic constraints, 1993). It
 * does not include rates of massless bodies, because their derivatives have no effect. Adams has no
 * projection. Formulations that change the state in a way that the method would ignore are refused:
 * other momenta after a step (hdca:reset), and projections with Adams. */
#include "laboratory/stepping.h"
#include "laboratory/sundials/session.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <errno.h>
#include <string.h>

#define NAME "cvode"

static void free_cvode(void **memory)
{
    CVodeFree(memory);
}

static void count_work(struct lk_sundials *s)
{
    struct lk_lab_counts *counts = &s->problem->counts;
    long errors = 0, failures = 0, jacobians = 0, setups = 0, iterations = 0;

    CVodeGetNumErrTestFails(s->memory, &errors);
    CVodeGetNumStepSolveFails(s->memory, &failures);
    CVodeGetNumJacEvals(s->memory, &jacobians);
    CVodeGetNumLinSolvSetups(s->memory, &setups);
    CVodeGetNumNonlinSolvIters(s->memory, &iterations);
    counts->rejected = (unsigned long long)(errors + failures);
    counts->jacobians = (unsigned long long)jacobians;
    counts->factorisations = (unsigned long long)setups;
    counts->iterations = (unsigned long long)iterations;
}

static int step(struct lk_sundials *s, double t, double *ret_now)
{
    int flag = lk_sundials_stop_at(s, t, CVodeSetStopTime);

    /* CVODE derives its first step from the distance to @t */
    if (s->problem->may_pass)
        t = s->t + 100 * s->problem->step;
    return flag < 0 ? flag : CVode(s->memory, t, s->y, ret_now, CV_ONE_STEP);
}

static const struct lk_sundials_solver solver = {
    .name = NAME,
    .step = step,
    .interpolate = CVodeGetDky,
    .count = count_work,
    .free = free_cvode,
};

static int project(realtype t, N_Vector y, N_Vector correction, realtype bound, N_Vector error,
                   void *self)
{
    struct lk_sundials *s = self;
    const double *from = N_VGetArrayPointer(y);
    double *change = N_VGetArrayPointer(correction);

    (void)bound, (void)error;
    memcpy(s->copy, from, (size_t)s->n * sizeof(double));
    if (s->problem->equations->settle(s->problem->self, t, s->copy) != 0)
        return 1;
    for (int i = 0; i < s->n; i++)
        change[i] = s->copy[i] - from[i];
    return 0;
}

static int set_up(struct lk_sundials *s, int is_bdf)
{
    const struct lk_problem *p = s->problem;
    int flag = CVodeSetErrHandlerFn(s->memory, lk_sundials_hear, s);

    flag = flag < 0 ? flag : CVodeInit(s->memory, lk_sundials_rate, s->t, s->y);
    flag = flag < 0 ? flag : CVodeSetUserData(s->memory, s);
    flag = flag < 0
               ? flag
               : CVodeSStolerances(s->memory, p->tolerance, lk_problem_floor(p) * p->tolerance);
    flag = flag < 0 ? flag : CVodeSetLinearSolver(s->memory, s->linear, s->matrix);
    if (flag >= 0 && p->kappa > 0)
        flag = CVodeSetNonlinConvCoef(s->memory, p->kappa);
    if (flag >= 0 && is_bdf && p->equations->settle &&
        !(lk_stepping_settles(p) & LK_SETTLES_IDLE)) {
        flag = CVodeSetProjFn(s->memory, project);
        flag = flag < 0 ? flag : CVodeSetProjErrEst(s->memory, SUNFALSE);
    }
    return flag;
}

static int open_cvode(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    int is_bdf = strcmp(problem->variant, "adams") != 0;
    struct lk_sundials *s;
    int r = lk_stepping_needs_tolerance(problem, NAME, ret_error);

    if (r == 0)
        r = lk_stepping_refuse_settled(problem, is_bdf ? "cvode:bdf" : "cvode:adams", is_bdf,
                                       ret_error);
    if (r == 0)
        r = lk_sundials_new(problem, &solver, 0, &s, ret_error);
    if (r != 0)
        return r;
    s->memory = CVodeCreate(is_bdf ? CV_BDF : CV_ADAMS, s->context);
    if (!s->memory || lk_sundials_add_matrix(s) < 0) {
        lk_sundials_free(s);
        return -ENOMEM;
    }
    return lk_sundials_ready(s, set_up(s, is_bdf), ret, ret_error);
}

static const char *const variants[] = {"bdf", "adams", NULL};

const struct lk_integrator lk_integrator_cvode = {
    .takes_kappa = 1,
    .name = NAME,
    .variants = variants,
    .paper = "Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation "
             "solvers, 2005",
    .has_error_control = 1,
    .open = open_cvode,
    .close = lk_sundials_free,
    .advance = lk_sundials_advance,
    .show = lk_sundials_show,
};
