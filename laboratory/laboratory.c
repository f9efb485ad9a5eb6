/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of the laboratory. For the library's own time steps, lk_system_step() makes the steps, as in
 * the daemon. Every other method combines a formulation, which uses a struct lk_mechanics, with an
 * integrator. In both cases a struct lk_system contains the state, so outputs, energies and
 * reactions are read in the same way. */
#include "linkage/laboratory.h"
#include "laboratory/choice.h"
#include "laboratory/drift.h"
#include "laboratory/integrator.h"
#include "laboratory/stepping.h"
#include "maths/arithmetic.h"
#include <cblas.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAUMGARTE 5 /* alpha and beta [1/s] by default */

/** struct lk_laboratory - a run.
 * @system:          the system of @mechanics; if @mechanics is NULL, a system that makes its own
 *                   steps
 * @self:            state of choice.equations, or NULL
 * @integration:     state of choice.integrator, or NULL
 * @inputs:          initial values of all inputs, for callers that pass no inputs
 * @has_same_inputs: the caller declared that inputs are constant, or there are no inputs
 * @is_shown:        the system contains an interpolated state within the last step
 * @step:            state of the system at the start and at the end of the last accepted step, for
 *                   dense output
 * @cpu_s:           CPU time of all calls of lk_laboratory_advance(), including the measurements of
 *                   @drift */
struct lk_laboratory {
    struct lk_lab_choice choice;
    struct lk_system *system;
    struct lk_mechanics *mechanics;
    void *self;
    void *integration;
    struct lk_problem problem;
    struct lk_lab_drift drift;
    double *inputs;
    int has_same_inputs;
    int is_shown;
    struct ends {
        double *block;
        struct lk_powers powers;
        double time;
    } step[2];
    double time;
    double cpu_s;
};

/* ---- dense output ---- */

static int is_dense(const struct lk_laboratory *lab)
{
    return lab->has_same_inputs && lab->problem.tolerance > 0 && lab->choice.integrator->show &&
           !lab->problem.has_coarse_interpolant;
}

static void keep_end(struct lk_laboratory *lab)
{
    struct ends begin = lab->step[0];

    lab->step[0] = lab->step[1];
    lab->step[1] = begin;
    memcpy(begin.block, lab->system->now.block, lab->system->state_size * sizeof(double));
    lab->step[1].powers = lab->mechanics->powers;
    lab->step[1].time = lk_system_time(lab->system);
}

static void restore_end(struct lk_laboratory *lab, const struct ends *end)
{
    memcpy(lab->system->now.block, end->block, lab->system->state_size * sizeof(double));
    lab->mechanics->powers = end->powers;
    lk_mechanics_start(lab->mechanics);
}

/* Return: 0, -ENOMEM */
static int take_ends(struct lk_laboratory *lab)
{
    for (int i = 0; i < 2; i++) {
        lab->step[i].block = calloc(lab->system->state_size + 1, sizeof(double));
        if (!lab->step[i].block)
            return -ENOMEM;
    }
    keep_end(lab);
    return 0;
}

static void note_step(void *context)
{
    struct lk_laboratory *lab = context;

    if (lab->mechanics)
        keep_end(lab);
    lk_lab_drift_measure(&lab->drift);
}

void lk_laboratory_blas(char *text, size_t size)
{
    snprintf(text, size, "%s, on %s", openblas_get_config(), openblas_get_corename());
}

/* ---- opening ---- */

static bool has_contacts(const struct lk_model *model)
{
    bool any = false;

    for (int i = 0; i < model->n_forces; i++)
        any |= model->forces[i].type == LK_FORCE_CONTACT;
    return any;
}

static int open_own(struct lk_laboratory *lab, const struct lk_model *model,
                    const struct lk_method *method, struct lk_error *ret_error)
{
    const struct lk_lab_own *own = lab->choice.own;
    struct lk_model copy = *model; /* shallow copy, which uses the lists of the model */
    struct lk_options options = {
        .step = method->step,
        .engine = method->engine,
        .all_rows = method->all_rows,
        .contact_rounds = own->contact_rounds,
    };
    const char *why;

    if (own->contact_rounds > 0 && !has_contacts(model)) {
        lk_error_set(ret_error, "formulation %s is for contacts, of which the model has none",
                     own->name);
        return LK_E_MODEL;
    }

    /* use the number of iterations in the model only if the model names the same formulation */
    if (strcmp(lk_formulation_choose(model, NULL, &why), own->formulation) != 0)
        copy.solver.iterations = 0;
    strcpy(copy.solver.formulation, own->formulation);
    copy.solver.order = own->order;
    if (copy.solver.coordinates != own->coordinates)
        copy.solver.penalty = 0;
    copy.solver.coordinates = own->coordinates;
    return lk_system_new(&copy, &options, &lab->system, ret_error);
}

static int open_equations(struct lk_laboratory *lab, const struct lk_method *method,
                          struct lk_error *ret_error)
{
    const struct lk_equations_options options = {
        .variant = lab->choice.variant,
        .orientation = lab->choice.orientation,
        .stabilisation = lab->choice.stabilisation,
        .baumgarte = {method->baumgarte[0] > 0 ? method->baumgarte[0] : BAUMGARTE,
                      method->baumgarte[1] > 0 ? method->baumgarte[1] : BAUMGARTE},
    };

    return lab->choice.by_itself
               ? 0
               : lab->choice.equations->open(lab->mechanics, &options, &lab->self, ret_error);
}

/* Refuse what most formulations lack: creep that follows its load, and rows without a value. */
static int refuse_rolling(const struct lk_model *m, struct lk_error *ret_error)
{
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (f->type != LK_FORCE_CREEP || !f->follows_load)
            continue;
        lk_error_set(ret_error,
                     "creep '%s' follows its load, expected formulation rattle, ali3 or absolute",
                     f->name);
        return LK_E_MODEL;
    }
    for (int i = 0; i < m->n_joints; i++) {
        const struct lk_joint_traits *traits = &lk_joint_traits[m->joints[i].type];

        if (traits->n_slips == 0)
            continue;
        lk_error_set(
            ret_error,
            "'%s' is of type %s, expected formulation rattle, ali3 or rk4, or absolute with an "
            "integrator of accelerations, such as dormand-prince",
            m->joints[i].name, traits->name);
        return LK_E_MODEL;
    }
    return 0;
}

static int open_method(struct lk_laboratory *lab, const struct lk_model *model,
                       const struct lk_method *method, struct lk_error *ret_error)
{
    int r = lab->choice.by_itself || !lab->choice.equations->takes_rolling
                ? refuse_rolling(model, ret_error)
                : 0;

    if (r == 0)
        r = lk_mechanics_new(model, method->step, &lab->mechanics, ret_error);
    if (r != 0)
        return r;
    lab->system = lab->mechanics->system;
    r = open_equations(lab, method, ret_error);
    if (r != 0)
        return r;
    lab->problem = (struct lk_problem){
        .equations = lab->choice.equations,
        .self = lab->self,
        .mechanics = lab->mechanics,
        .orientation = lab->choice.orientation,
        .stabilisation = lab->choice.stabilisation,
        .variant = lab->choice.integrator_variant,
        .step = method->step > 0 ? method->step : model->solver.step,
        .tolerance = method->tolerance,
        .absolute_tolerance = method->absolute_tolerance,
        .spectral_radius = method->spectral_radius,
        .kappa = method->kappa,
        .accepted = note_step,
        .context = lab,
    };
    r = lk_problem_begin(&lab->problem);
    if (r == 0)
        r = take_ends(lab);
    return r != 0 ? r : lab->choice.integrator->open(&lab->problem, &lab->integration, ret_error);
}

/* Return: 0, -ENOMEM */
static int take_inputs(struct lk_laboratory *lab)
{
    int n;
    const struct lk_channel *channels = lk_system_input_channels(lab->system, &n);

    lab->has_same_inputs = lk_system_input_size(lab->system) == 0;
    lab->inputs = calloc((size_t)lk_system_input_size(lab->system) + 1, sizeof(*lab->inputs));
    for (int i = 0; i < n && lab->inputs; i++)
        for (int k = 0; k < channels[i].size; k++)
            lab->inputs[channels[i].offset + k] = channels[i].initial;
    return lab->inputs ? 0 : -ENOMEM;
}

/* Replace NULL names by "". */
static struct lk_method complete_method(const struct lk_method *method)
{
    struct lk_method m = *method;

    m.formulation = m.formulation ? m.formulation : "";
    m.integrator = m.integrator ? m.integrator : "";
    m.orientation = m.orientation ? m.orientation : "";
    m.stabilisation = m.stabilisation ? m.stabilisation : "";
    return m;
}

int lk_laboratory_open(const struct lk_model *model, const struct lk_method *method,
                       struct lk_laboratory **ret, struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_laboratory *lab = calloc(1, sizeof(*lab));
    struct lk_method m = complete_method(method);
    int r;

    if (lab == NULL)
        return -ENOMEM;
    /* Use one thread: CPU time then counts one core, and sums do not depend on the number of
     * threads. */
    openblas_set_num_threads(1);
    r = lk_lab_choose(model, &m, &lab->choice, ret_error);
    if (r == 0)
        r = lab->choice.own ? open_own(lab, model, &m, ret_error)
                            : open_method(lab, model, &m, ret_error);
    if (r == 0)
        r = take_inputs(lab);
    if (r != 0) {
        lk_laboratory_close(lab);
        return r;
    }
    lk_lab_drift_start(&lab->drift, lab->system);
    *ret = lab;
    return 0;
}

void lk_laboratory_close(struct lk_laboratory *lab)
{
    if (lab == NULL)
        return;
    if (lab->integration)
        lab->choice.integrator->close(lab->integration);
    if (lab->self)
        lab->choice.equations->close(lab->self);
    if (lab->mechanics)
        lk_mechanics_free(lab->mechanics);
    else
        lk_system_free(lab->system);
    for (int i = 0; i < 2; i++)
        free(lab->step[i].block);
    free(lab->inputs);
    free(lab);
}

/* ---- advancing ---- */

static int explain_step(struct lk_laboratory *lab, int r, struct lk_error *ret_error)
{
    double t = lk_system_time(lab->system);

    if (r == LK_E_TURN) {
        lk_error_set(ret_error,
                     "the step from t = %.9g s turns a body by more than half a turn, expected a "
                     "shorter step",
                     t);
        return LK_E_STALLED;
    }
    if (r == LK_E_NOT_FINITE)
        lk_error_set(ret_error, "the step from t = %.9g s gives no finite state", t);
    return r;
}

static int advance_own(struct lk_laboratory *lab, double t, const double *inputs,
                       struct lk_error *ret_error)
{
    struct lk_problem *p = &lab->problem;
    double h = lk_system_step_size(lab->system);
    uint64_t end = (uint64_t)llround(t / h);
    int r = 0;

    if (fabs((double)end * h - t) > 1e-6 * h) {
        lk_error_set(ret_error, "t = %.9g s is not a multiple of the step of %.9g s", t, h);
        return LK_E_STALLED;
    }
    while (lk_system_step_count(lab->system) < end && r == 0) {
        r = lk_system_step(lab->system, inputs);
        p->counts.steps += r == 0;
        if (r == 0)
            note_step(lab);
    }
    return r == 0 ? 0 : explain_step(lab, r, ret_error);
}

/* Interpolate the state at @t, a time within the last step, and write it to the system. This work
 * does not count as work of the method. */
static int show_within(struct lk_laboratory *lab, double t, struct lk_error *ret_error)
{
    unsigned long long evaluations = lab->mechanics->n_evaluations;
    unsigned long long rates = lab->problem.counts.rates;
    double begin = lk_lab_cpu();
    int r;

    restore_end(lab, &lab->step[0]);
    lab->problem.is_showing = lab->is_shown = 1;
    r = lab->choice.integrator->show(lab->integration, t, ret_error);
    lab->problem.is_showing = 0;
    lab->mechanics->n_evaluations = evaluations;
    lab->problem.counts.rates = rates;
    lab->cpu_s -= lk_lab_cpu() - begin;
    return r;
}

static int advance_method(struct lk_laboratory *lab, double t, const double *inputs,
                          struct lk_error *ret_error)
{
    int r = 0;

    lab->mechanics->inputs = inputs;
    lab->problem.may_pass = is_dense(lab);
    if (lab->is_shown)
        restore_end(lab, &lab->step[1]);
    lab->is_shown = 0;
    if (!lk_stepping_is_there(lab->step[1].time, t))
        r = lab->choice.integrator->advance(lab->integration, t, ret_error);
    if (r == 0 && is_dense(lab) && !lk_stepping_is_there(t, lab->step[1].time))
        r = show_within(lab, t, ret_error);
    return r;
}

void lk_laboratory_keep_inputs(struct lk_laboratory *lab)
{
    lab->has_same_inputs = 1;
}

int lk_laboratory_advance(struct lk_laboratory *lab, double t, const double *inputs,
                          struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    double begin = lk_lab_cpu();
    const double *acting = inputs ? inputs : lab->inputs;
    int r = lab->choice.own ? advance_own(lab, t, acting, ret_error)
                            : advance_method(lab, t, acting, ret_error);

    lab->cpu_s += lk_lab_cpu() - begin;
    lab->time = r == 0 ? t : lk_system_time(lab->system);
    return r;
}

int lk_laboratory_change_step(struct lk_laboratory *lab, double step, struct lk_error *ret_error)
{
    const struct lk_lab_choice *c = &lab->choice;

    if (c->own || !c->integrator->changes_steps) {
        lk_error_set(ret_error, "%s keeps its step, expected one of bdf-1 to bdf-6",
                     c->own ? c->own->name : c->integrator->name);
        return LK_E_MODEL;
    }
    lab->problem.step = step;
    return 0;
}

/* ---- results ---- */

const struct lk_system *lk_laboratory_system(const struct lk_laboratory *lab)
{
    return lab->system;
}

double lk_laboratory_time(const struct lk_laboratory *lab)
{
    return lab->time;
}

/* Count the work of the library's own steps, which is the same in every step. A plain step has one
 * residual per iteration and two factorisations. Extrapolation makes 3 plain steps for two
 * sequences, or 6 for three. rk4 evaluates four states. */
static void count_own(const struct lk_laboratory *lab, struct lk_lab_report *ret)
{
    unsigned sequences = (unsigned)lab->system->n_sequences;
    int is_rk4 = strcmp(lab->choice.own->formulation, "rk4") == 0;
    uint64_t n = ret->steps * (sequences * (sequences + 1) / 2);

    ret->rates = n * (is_rk4 ? 4 : (unsigned)lab->system->iterations);
    ret->iterations = is_rk4 ? 0 : ret->rates;
    ret->jacobians = ret->factorisations = n * (is_rk4 ? 4 : 2);
}

void lk_laboratory_report(const struct lk_laboratory *lab, struct lk_lab_report *ret)
{
    LK_ARITHMETIC;
    const struct lk_lab_counts *counts = &lab->problem.counts;

    *ret = (struct lk_lab_report){
        .steps = counts->steps,
        .rejected = counts->rejected,
        .rates = counts->rates,
        .jacobians = counts->jacobians,
        .factorisations = counts->factorisations,
        .iterations = counts->iterations,
        .position = lab->drift.position,
        .velocity = lab->drift.velocity,
        .acceleration = lab->drift.acceleration,
        .energy = lab->drift.energy,
        .cpu_s = fmax(lab->cpu_s - lk_lab_drift_time(&lab->drift), 0),
    };
    if (lab->choice.own)
        count_own(lab, ret);
}
