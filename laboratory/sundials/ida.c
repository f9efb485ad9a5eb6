/* SPDX-License-Identifier: Apache-2.0 */
/* IDA of SUNDIALS: BDF of order 1 to 5 for F(t, y, y') = 0. F is the residual form of a formulation
 * (y' - f if the formulation has no residual form), or the constrained equations of motion, see
 * laboratory/implicit/dae.h.
 *
 * For the constrained equations, the error test excludes multipliers, and in index-3 also
 * velocities (L. Petzold, P. Loetstedt, Numerical solution of nonlinear differential equations with
 * algebraic constraints II, 1986; M. Arnold, DAE aspects of multibody system dynamics, 2016,
 * section 4.2). In the Newton iteration, these variables are scaled by the step to the power of
 * their index minus one. Otherwise the iteration would never converge, because the round-off of
 * these variables grows as the step shrinks. Quaternions are not normalised, see dae.h. Quaternions
 * of a formulation deviate from unit length by no more than the errors of the integrator. */
#include "laboratory/stepping.h"
#include "laboratory/sundials/session.h"

#include <errno.h>
#include <ida/ida.h>
#include <math.h>
#include <string.h>

#define NAME "ida"

static void free_ida(void **memory)
{
    IDAFree(memory);
}

static void count_work(struct lk_sundials *s)
{
    struct lk_lab_counts *counts = &s->problem->counts;
    long errors = 0, failures = 0, jacobians = 0, setups = 0, iterations = 0;

    IDAGetNumErrTestFails(s->memory, &errors);
    IDAGetNumStepSolveFails(s->memory, &failures);
    IDAGetNumJacEvals(s->memory, &jacobians);
    IDAGetNumLinSolvSetups(s->memory, &setups);
    IDAGetNumNonlinSolvIters(s->memory, &iterations);
    counts->rejected = (unsigned long long)(errors + failures);
    counts->jacobians = (unsigned long long)jacobians;
    counts->factorisations = (unsigned long long)setups;
    counts->iterations = (unsigned long long)iterations;
}

/* Start IDA again from the accepted state. Other independent rows were chosen, so the history of
 * the multipliers is invalid. */
static int begin_anew(struct lk_sundials *s)
{
    double h = 0;

    s->dae->is_new = 0;
    memcpy(N_VGetArrayPointer(s->y), s->copy, (size_t)s->n * sizeof(double));
    IDAGetCurrentStep(s->memory, &h);
    IDASetInitStep(s->memory, h);
    return IDAReInit(s->memory, s->t, s->y, s->slope);
}

static int step(struct lk_sundials *s, double t, double *ret_now)
{
    int flag = s->dae && s->dae->is_new ? begin_anew(s) : 0;

    flag = flag < 0 ? flag : lk_sundials_stop_at(s, t, IDASetStopTime);
    return flag < 0 ? flag : IDASolve(s->memory, t, ret_now, s->y, s->slope, IDA_ONE_STEP);
}

static const struct lk_sundials_solver solver = {
    .name = NAME,
    .step = step,
    .interpolate = IDAGetDky,
    .count = count_work,
    .free = free_ida,
};

/* ---- over a formulation ---- */

static int residual(realtype t, N_Vector y, N_Vector slope, N_Vector ret, void *self)
{
    struct lk_sundials *s = self;
    const struct lk_equations *e = s->problem->equations;
    const double *rate = N_VGetArrayPointer(slope);
    double *F = N_VGetArrayPointer(ret);
    int r;

    s->problem->counts.rates++;
    if (e->residual) {
        r = e->residual(s->problem->self, t, N_VGetArrayPointer(y), rate, F);
    } else {
        r = e->rate(s->problem->self, t, N_VGetArrayPointer(y), F);
        for (int i = 0; i < s->n; i++)
            F[i] = rate[i] - F[i];
    }
    return lk_sundials_answer(s, r);
}

/* Exclude variables from the error test. IDA copies the vector. */
static int leave_out(struct lk_sundials *s, const int *is_left_out)
{
    N_Vector id = N_VClone(s->y);
    int flag = -1;

    if (!id)
        return -1;
    for (int i = 0; i < s->n; i++)
        N_VGetArrayPointer(id)[i] = is_left_out[i] ? 0 : 1;
    flag = IDASetId(s->memory, id);
    flag = flag < 0 ? flag : IDASetSuppressAlg(s->memory, SUNTRUE);
    N_VDestroy(id);
    return flag;
}

/* Apply the settings that formulations and constrained equations share. */
static int set_up(struct lk_sundials *s, IDAResFn function)
{
    int flag = IDASetErrHandlerFn(s->memory, lk_sundials_hear, s);

    flag = flag < 0 ? flag : IDAInit(s->memory, function, s->t, s->y, s->slope);
    flag = flag < 0 ? flag : IDASetUserData(s->memory, s);
    flag = flag < 0 ? flag : IDASetLinearSolver(s->memory, s->linear, s->matrix);
    if (flag >= 0 && s->problem->kappa > 0)
        flag = IDASetNonlinConvCoef(s->memory, s->problem->kappa);
    return flag;
}

static int set_up_formulation(struct lk_sundials *s)
{
    const struct lk_problem *p = s->problem;
    int flag = set_up(s, residual), *is_algebraic;

    flag = flag < 0 ? flag
                    : IDASStolerances(s->memory, p->tolerance, lk_problem_floor(p) * p->tolerance);
    if (flag < 0 || !p->equations->is_algebraic)
        return flag;
    is_algebraic = calloc((size_t)s->n + 1, sizeof(*is_algebraic));
    if (!is_algebraic)
        return -1;
    p->equations->is_algebraic(p->self, is_algebraic);
    flag = leave_out(s, is_algebraic);
    free(is_algebraic);
    return flag;
}

static int make_memory(struct lk_sundials *s)
{
    s->memory = IDACreate(s->context);
    if (s->memory && lk_sundials_add_matrix(s) == 0)
        return 0;
    lk_sundials_free(s);
    return -ENOMEM;
}

static int open_ida(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct lk_sundials *s;
    int r = lk_stepping_needs_tolerance(problem, NAME, ret_error);

    if (r == 0)
        r = lk_stepping_refuse_settled(problem, NAME, 0, ret_error);
    if (r == 0)
        r = lk_sundials_new(problem, &solver, 1, &s, ret_error);
    if (r == 0)
        r = make_memory(s);
    return r == 0 ? lk_sundials_ready(s, set_up_formulation(s), ret, ret_error) : r;
}

/* ---- over the constrained equations ---- */

/* Compute B y' - g. */
static int residual_dae(realtype t, N_Vector y, N_Vector slope, N_Vector ret, void *self)
{
    struct lk_sundials *s = self;
    double *F = N_VGetArrayPointer(ret);
    int r = s->dae->rate(s->dae, t, N_VGetArrayPointer(y), s->copy);
    lk_dae_mass(s->dae, N_VGetArrayPointer(slope), F);
    for (int i = 0; i < s->n; i++)
        F[i] -= s->copy[i];
    return lk_sundials_answer(s, r);
}

/* Compute c B - dg/dy. */
static int jacobian_dae(realtype t, realtype c, N_Vector y, N_Vector slope, N_Vector now,
                        SUNMatrix ret, void *self, N_Vector a, N_Vector b, N_Vector d)
{
    struct lk_sundials *s = self;
    double *J = SUNDenseMatrix_Data(ret);
    size_t n = (size_t)s->n;
    int r = s->dae->rate(s->dae, t, N_VGetArrayPointer(y), s->copy);

    (void)slope, (void)now, (void)a, (void)b, (void)d;
    if (r == 0)
        r = s->dae->jacobian(s->dae, t, N_VGetArrayPointer(y), s->copy, J);
    for (size_t i = 0; i < n * n; i++)
        J[i] = c * s->dae->mass[i] - J[i];
    return lk_sundials_answer(s, r);
}

static int weights_dae(N_Vector y, N_Vector ret, void *self)
{
    struct lk_sundials *s = self;
    double h = 0, *weight = N_VGetArrayPointer(ret);

    IDAGetCurrentStep(s->memory, &h);
    h = fabs(h) > 0 ? fabs(h) : s->problem->step;
    lk_dae_weights(s->dae, s->problem->tolerance, h, N_VGetArrayPointer(y), weight);
    for (int i = 0; i < s->n; i++)
        weight[i] = 1 / weight[i];
    return 0;
}

/* Return the length of the first step, which has order 1. The default of IDA would be as small as
 * the tolerance, and the multipliers would then consist of round-off. */
static double first_step(const struct lk_problem *p)
{
    return fmin(p->step, 0.1 * sqrt(p->tolerance));
}

static int set_up_dae(struct lk_sundials *s)
{
    int flag = set_up(s, residual_dae);

    flag = flag < 0 ? flag : IDAWFtolerances(s->memory, weights_dae);
    flag = flag < 0 ? flag : IDASetJacFn(s->memory, jacobian_dae);
    flag = flag < 0 ? flag : IDASetInitStep(s->memory, first_step(s->problem));
    return flag < 0 ? flag : leave_out(s, s->dae->is_algebraic);
}

static int open_ida_dae(struct lk_problem *problem, void **ret, struct lk_error *ret_error)
{
    struct lk_sundials *s;
    int r = lk_stepping_needs_tolerance(problem, NAME, ret_error);

    if (r == 0)
        r = lk_sundials_new_dae(problem, &solver, &s, ret_error);
    if (r == 0)
        r = make_memory(s);
    return r == 0 ? lk_sundials_ready(s, set_up_dae(s), ret, ret_error) : r;
}

#define PAPER                                                                                      \
    "Hindmarsh et al., SUNDIALS: suite of nonlinear and differential/algebraic equation solvers, " \
    "2005"

const struct lk_integrator lk_integrator_ida = {
    .takes_kappa = 1,
    .name = NAME,
    .paper = PAPER,
    .has_error_control = 1,
    .open = open_ida,
    .close = lk_sundials_free,
    .advance = lk_sundials_advance,
    .show = lk_sundials_show,
};

const struct lk_integrator lk_integrator_ida_dae = {
    .takes_resal = 1,
    .takes_kappa = 1,
    .name = NAME,
    .variants = lk_dae_variants,
    .paper = PAPER,
    .constrained = 1,
    .has_error_control = 1,
    .open = open_ida_dae,
    .close = lk_sundials_free,
    .advance = lk_sundials_advance,
    .show = lk_sundials_show,
};
