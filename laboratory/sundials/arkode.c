/* SPDX-License-Identifier: Apache-2.0 */
/* ARKODE of SUNDIALS on y' = f of any formulation: explicit and diagonally implicit Runge-Kutta
 * methods with embedded error estimate. Steps are controlled, or fixed with tolerance 0 (D. R.
 * Reynolds et al., ARKODE: a flexible IVP solver infrastructure for one-step methods, 2023). The
 * variant selects the order, and uses the default table of ARKODE for this order. After a step the
 * integrator continues from the state that settle() of the formulation has corrected. */
#include "laboratory/stepping.h"
#include "laboratory/sundials/session.h"

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INTERPOLANT 5     /* order of the Hermite interpolant, for methods of any order */
#define FIXED       1e-13 /* tolerance of the Newton iteration with fixed steps */

/* Call settle() of the formulation after a step. This callback is registered even if the
 * formulation has no settle(). Without the callback, ARKODE 5.4 (SUNDIALS 6.4) reuses the
 * derivative of the last stage for the new state if the last stage is at the end of the step. In
 * the tables of order 6 and 8 the last stage differs from the new state, and the order fell to
 * 3. */
static int settle_vector(realtype t, N_Vector y, void *self)
{
    struct lk_sundials *s = self;
    const struct lk_equations *e = s->problem->equations;

    return e->settle ? e->settle(s->problem->self, t, N_VGetArrayPointer(y)) : 0;
}

static int order_of(const struct lk_problem *p)
{
    return atoi(p->variant + strcspn(p->variant, "0123456789"));
}

/* Return the length of fixed steps that divide the remaining time to @t. */
static double fixed_step(const struct lk_sundials *s, double t)
{
    return (t - s->t) / lk_stepping_divide(s->t, t, s->problem->step);
}

/* ---- explicit ---- */

static void free_erk(void **memory)
{
    ERKStepFree(memory);
}

static void count_erk(struct lk_sundials *s)
{
    long errors = 0;

    ERKStepGetNumErrTestFails(s->memory, &errors);
    s->problem->counts.rejected = (unsigned long long)errors;
}

static int step_erk(struct lk_sundials *s, double t, double *ret_now)
{
    int flag = lk_sundials_stop_at(s, t, ERKStepSetStopTime);

    if (flag >= 0 && !(s->problem->tolerance > 0))
        flag = ERKStepSetFixedStep(s->memory, fixed_step(s, t));
    return flag < 0 ? flag : ERKStepEvolve(s->memory, t, s->y, ret_now, ARK_ONE_STEP);
}

static const struct lk_sundials_solver erk = {
    .name = "arkode-erk",
    .step = step_erk,
    .interpolate = ERKStepGetDky,
    .count = count_erk,
    .free = free_erk,
};

static int set_up_erk(struct lk_sundials *s)
{
    const struct lk_problem *p = s->problem;
    int flag = ERKStepSetErrHandlerFn(s->memory, lk_sundials_hear, s);

    flag = flag < 0 ? flag : ERKStepSetUserData(s->memory, s);
    flag = flag < 0 ? flag : ERKStepSetOrder(s->memory, order_of(p));
    if (flag >= 0 && p->tolerance > 0) {
        flag = ERKStepSStolerances(s->memory, p->tolerance, lk_problem_floor(p) * p->tolerance);
        flag = flag < 0 ? flag : ERKStepSetInitStep(s->memory, p->step);
    }
    if (flag >= 0)
        flag = ERKStepSetPostprocessStepFn(s->memory, settle_vector);
    return flag;
}

static int open_erk(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct lk_sundials *s;
    int r = lk_sundials_new(problem, &erk, 0, &s, ret_error);

    if (r != 0)
        return r;
    s->memory = ERKStepCreate(lk_sundials_rate, s->t, s->y, s->context);
    if (!s->memory) {
        lk_sundials_free(s);
        return -ENOMEM;
    }
    problem->has_coarse_interpolant = order_of(problem) > INTERPOLANT;
    return lk_sundials_ready(s, set_up_erk(s), ret, ret_error);
}

/* ---- diagonally implicit ---- */

static void free_dirk(void **memory)
{
    ARKStepFree(memory);
}

static void count_dirk(struct lk_sundials *s)
{
    struct lk_lab_counts *counts = &s->problem->counts;
    long errors = 0, failures = 0, jacobians = 0, setups = 0, iterations = 0;

    ARKStepGetNumErrTestFails(s->memory, &errors);
    ARKStepGetNumStepSolveFails(s->memory, &failures);
    ARKStepGetNumJacEvals(s->memory, &jacobians);
    ARKStepGetNumLinSolvSetups(s->memory, &setups);
    ARKStepGetNumNonlinSolvIters(s->memory, &iterations);
    counts->rejected = (unsigned long long)(errors + failures);
    counts->jacobians = (unsigned long long)jacobians;
    counts->factorisations = (unsigned long long)setups;
    counts->iterations = (unsigned long long)iterations;
}

static int step_dirk(struct lk_sundials *s, double t, double *ret_now)
{
    int flag = lk_sundials_stop_at(s, t, ARKStepSetStopTime);

    if (flag >= 0 && !(s->problem->tolerance > 0))
        flag = ARKStepSetFixedStep(s->memory, fixed_step(s, t));
    return flag < 0 ? flag : ARKStepEvolve(s->memory, t, s->y, ret_now, ARK_ONE_STEP);
}

static const struct lk_sundials_solver dirk = {
    .name = "arkode-dirk",
    .step = step_dirk,
    .interpolate = ARKStepGetDky,
    .count = count_dirk,
    .free = free_dirk,
};

static int set_up_dirk(struct lk_sundials *s)
{
    const struct lk_problem *p = s->problem;
    double tolerance = p->tolerance > 0 ? p->tolerance : FIXED;
    int flag = ARKStepSetErrHandlerFn(s->memory, lk_sundials_hear, s);

    flag = flag < 0 ? flag : ARKStepSetUserData(s->memory, s);
    flag = flag < 0 ? flag : ARKStepSetOrder(s->memory, order_of(p));
    flag = flag < 0 ? flag
                    : ARKStepSStolerances(s->memory, tolerance, lk_problem_floor(p) * tolerance);
    flag = flag < 0 ? flag : ARKStepSetLinearSolver(s->memory, s->linear, s->matrix);
    if (flag >= 0 && p->tolerance > 0)
        flag = ARKStepSetInitStep(s->memory, p->step);
    if (flag >= 0 && p->kappa > 0)
        flag = ARKStepSetNonlinConvCoef(s->memory, p->kappa);
    if (flag >= 0 && !(p->tolerance > 0))
        flag = ARKStepSetMaxNonlinIters(s->memory, 20);
    if (flag >= 0)
        flag = ARKStepSetPostprocessStepFn(s->memory, settle_vector);
    return flag;
}

static int open_dirk(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct lk_sundials *s;
    int r = lk_sundials_new(problem, &dirk, 0, &s, ret_error);

    if (r != 0)
        return r;
    s->memory = ARKStepCreate(NULL, lk_sundials_rate, s->t, s->y, s->context);
    if (!s->memory || lk_sundials_add_matrix(s) < 0) {
        lk_sundials_free(s);
        return -ENOMEM;
    }
    return lk_sundials_ready(s, set_up_dirk(s), ret, ret_error);
}

#define PAPER                                                                                      \
    "Reynolds et al., ARKODE: a flexible IVP solver infrastructure for one-step methods, 2023"

static const char *const erk_variants[] = {"order-5", "order-3", "order-4",
                                           "order-6", "order-8", NULL};

const struct lk_integrator lk_integrator_arkode_erk = {
    .name = "arkode-erk",
    .variants = erk_variants,
    .paper = PAPER,
    .has_error_control = 1,
    .open = open_erk,
    .close = lk_sundials_free,
    .advance = lk_sundials_advance,
    .show = lk_sundials_show,
};

static const char *const dirk_variants[] = {"order-5", "order-3", "order-4", NULL};

const struct lk_integrator lk_integrator_arkode_dirk = {
    .takes_kappa = 1,
    .name = "arkode-dirk",
    .variants = dirk_variants,
    .paper = PAPER,
    .has_error_control = 1,
    .open = open_dirk,
    .close = lk_sundials_free,
    .advance = lk_sundials_advance,
    .show = lk_sundials_show,
};
