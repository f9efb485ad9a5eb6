/* SPDX-License-Identifier: Apache-2.0 */
/* Table of the time-stepping methods. To add a method, write a file for it and add a line to this
 * table. Formulations that are ordinary differential equations for an explicit integrator are
 * listed in model/formulations.h and share one step, explicit.c. */
#include "methods/registry.h"
#include "compile/effort.h"
#include "linkage/compile.h"
#include "maths/arithmetic.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DELAY_STEPS_MAX 65536 /* longest delay of a delay block */

#define ENTRY(name, symbol) &symbol,
static const struct lk_equations *const fixed[] = {LK_FORMULATIONS_FIXED(ENTRY)};
#undef ENTRY

static const struct offline {
    const char *name;
    const char *why;
} offline[] = {
#define ENTRY(name, symbol, why) {name, why},
    LK_FORMULATIONS_OFFLINE(ENTRY)
#undef ENTRY
};

static int is_called(const char *known, const char *name, const char **ret_variant)
{
    size_t n = strcspn(name, ":");

    *ret_variant = name[n] ? name + n + 1 : "";
    return strlen(known) == n && strncmp(known, name, n) == 0;
}

static int has_variant(const struct lk_equations *e, const char *variant)
{
    for (int i = 0; e->variants && e->variants[i]; i++)
        if (strcmp(e->variants[i], variant) == 0)
            return 1;
    return !*variant;
}

const struct lk_equations *lk_equations_find_fixed(const char *name, const char **ret_variant)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        if (is_called(fixed[i]->name, name, ret_variant))
            return has_variant(fixed[i], *ret_variant) ? fixed[i] : NULL;
    return NULL;
}

const char *lk_formulation_why_offline(const char *name)
{
    const char *variant;

    for (size_t i = 0; i < sizeof(offline) / sizeof(*offline); i++)
        if (is_called(offline[i].name, name, &variant))
            return offline[i].why;
    return NULL;
}

static const struct {
    enum lk_coordinates coordinates;
    const struct lk_formulation *formulation;
} steps[] = {
    {LK_COORDINATES_LIE, &lk_formulation_ali3},
    {LK_COORDINATES_EULER_PARAMETERS, &lk_formulation_euler},
    {LK_COORDINATES_AS_PRINTED, &lk_formulation_euler_as_printed},
    {LK_COORDINATES_LIE, &lk_formulation_rattle},
    {LK_COORDINATES_LIE, &lk_formulation_rk4},
};

static const struct lk_formulation *find_step(const char *name, enum lk_coordinates coordinates)
{
    const char *variant;

    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (strcmp(steps[i].formulation->name, name) == 0 && steps[i].coordinates == coordinates)
            return steps[i].formulation;
    if (coordinates == LK_COORDINATES_LIE && lk_equations_find_fixed(name, &variant))
        return &lk_formulation_explicit;
    return NULL;
}

/* Report an unknown variant of a known formulation.
 * Return: 1 if @ret_error was set, 0 if @name is not of this form. */
static int refuse_variant(const char *name, struct lk_error *ret_error)
{
    const struct lk_equations *e;
    const char *variant;
    char base[LK_NAME_SIZE], known[LK_NAME_SIZE] = "";

    snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, ":"), name);
    e = lk_equations_find_fixed(base, &variant);
    if (!e || strcmp(base, name) == 0)
        return 0;
    for (int i = 0; e->variants && e->variants[i]; i++)
        snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i > 0 ? ", " : "",
                 e->variants[i]);
    lk_error_set(ret_error, "no formulation '%s', expected %s, or with a colon one of %s", name,
                 base, known);
    return 1;
}

static void refuse_step(const struct lk_model *m, struct lk_error *ret_error)
{
    const char *name = m->solver.formulation, *why = lk_formulation_why_offline(name);

    if (m->solver.coordinates != LK_COORDINATES_LIE)
        lk_error_set(ret_error,
                     "no formulation '%s' with coordinates: euler-parameters, expected "
                     "ali3",
                     name);
    else if (why)
        lk_error_set(
            ret_error,
            "formulation '%s' has no fixed work a step: %s; expected one that has (ali3, "
            "rattle, rk4, dca, hdca, recursive), or linkage run and linkage compare instead",
            name, why);
    else if (!refuse_variant(name, ret_error))
        lk_error_set(ret_error,
                     "no formulation '%s', expected ali3, rattle, rk4, dca, hdca or recursive",
                     name);
}

static int has_massless(const struct lk_model *model)
{
    for (int i = 0; i < model->n_bodies; i++) {
        const struct lk_body_def *b = &model->bodies[i];

        if (b->kind != LK_BODY_NODE &&
            (b->mass == 0 || b->inertia[0] + b->inertia[1] + b->inertia[2] == 0))
            return 1;
    }
    return 0;
}

const char *lk_formulation_choose(const struct lk_model *model, const struct lk_options *options,
                                  const char **ret_why)
{
    const struct lk_solver_def *s = &model->solver;
    int order = options && options->order != 0 ? options->order : s->order;

    *ret_why = "";
    if (strcmp(s->formulation, "auto") != 0)
        return s->formulation;
    if (s->coordinates != LK_COORDINATES_LIE)
        *ret_why = "coordinates: euler-parameters";
    else if (s->soft_redundancy)
        *ret_why = "redundancy: soft";
    else if (order == 3)
        *ret_why = "order: 3";
    else if (order > 2 && has_massless(model))
        *ret_why = "an order above 2 with a body without mass or inertia";
    return **ret_why ? "ali3" : "rattle";
}

/* Refuse tyres unless the step is the one of rattle with order 2: only this step advances the
 * states of the carcasses of tyres. */
static int check_tyres(const struct lk_model *model, const struct lk_options *options,
                       const char *name, struct lk_error *ret_error)
{
    int order = options && options->order != 0 ? options->order : model->solver.order;

    if (strcmp(name, "rattle") != 0)
        lk_error_set(ret_error, "formulation %s does not step tyres, expected rattle", name);
    else if (order != 2)
        lk_error_set(ret_error, "order: %d with a tyre, expected 2", order);
    else
        return 0;
    return LK_E_MODEL;
}

/* Refuse transmission lines and contacts unless the formulation is rattle with order 2. A line is
 * passive only if it reads the mean rate over a step, and only this step computes a mean rate. */
static int check_lines(const struct lk_model *model, const struct lk_options *options,
                       const char *name, struct lk_error *ret_error)
{
    int order = options && options->order != 0 ? options->order : model->solver.order;

    for (int i = 0; i < model->n_forces; i++) {
        const struct lk_force_def *f = &model->forces[i];

        if ((f->type != LK_FORCE_LINE && f->type != LK_FORCE_CONTACT) ||
            (strcmp(name, "rattle") == 0 && order == 2))
            continue;
        lk_error_set(ret_error, "force '%s' is a %s, expected formulation rattle with order 2",
                     f->name, f->type == LK_FORCE_LINE ? "line" : "contact");
        return LK_E_MODEL;
    }
    return 0;
}

/* Refuse nonholonomic rows unless the step takes them. */
static int check_slips(const struct lk_model *model, const struct lk_formulation *formulation,
                       struct lk_error *ret_error)
{
    bool takes = formulation == &lk_formulation_rattle || formulation == &lk_formulation_ali3 ||
                 formulation == &lk_formulation_rk4;

    for (int i = 0; i < model->n_joints && !takes; i++) {
        const struct lk_joint_traits *traits = &lk_joint_traits[model->joints[i].type];

        if (traits->n_slips == 0)
            continue;
        lk_error_set(ret_error,
                     "joint '%s' is of type %s, expected formulation rattle, ali3 or rk4, without "
                     "coordinates: euler-parameters",
                     model->joints[i].name, traits->name);
        return LK_E_MODEL;
    }
    return 0;
}

/* Check the outputs of ports. A mobility output needs the factor that rattle computes at the end of
 * the step from the rigid rows alone. The port-work output is refused above order 2, because
 * extrapolation to higher orders covers only the total works. */
static int check_ports(const struct lk_model *model, const struct lk_options *options,
                       const char *name, struct lk_error *ret_error)
{
    int order = options && options->order != 0 ? options->order : model->solver.order;

    for (int i = 0; i < model->n_outputs; i++) {
        const struct lk_output_def *out = &model->outputs[i];

        if (out->type == LK_OUTPUT_MOBILITY && strcmp(name, "rattle") != 0) {
            lk_error_set(ret_error, "output '%s' is a mobility, expected formulation rattle for it",
                         out->name);
            return LK_E_MODEL;
        }
        if (out->type == LK_OUTPUT_PORT_WORK && order != 2) {
            lk_error_set(ret_error, "order: %d with the port-work '%s', expected 2", order,
                         out->name);
            return LK_E_MODEL;
        }
    }
    return 0;
}

/* Check blocks. Blocks need the mean rates that only the step of rattle with order 2 computes.
 * Delays are limited, so that the memory of delay blocks is limited. */
static int check_blocks(const struct lk_model *model, const struct lk_options *options,
                        const char *name, struct lk_error *ret_error)
{
    int order = options && options->order != 0 ? options->order : model->solver.order;
    double h = options && options->step != 0 ? options->step : model->solver.step;

    if (model->n_blocks > 0 && (strcmp(name, "rattle") != 0 || order != 2)) {
        lk_error_set(ret_error, "the model has blocks, expected formulation rattle with order 2");
        return LK_E_MODEL;
    }
    for (int i = 0; i < model->n_blocks; i++) {
        const struct lk_block_def *b = &model->blocks[i];

        if (b->kind != LK_BLOCK_DELAY ||
            (b->time >= h * (1 - 1e-9) && b->time <= DELAY_STEPS_MAX * h))
            continue;
        lk_error_set(ret_error,
                     "block '%s' delays by %g s with a step of %g s, expected %d to %d "
                     "steps",
                     b->name, b->time, h, 1, DELAY_STEPS_MAX);
        return LK_E_MODEL;
    }
    return 0;
}

/* Write the step that the solver section names to @how.
 * Return: 0, LK_E_MODEL */
static int choose(const struct lk_model *model, const struct lk_options *options,
                  struct lk_compile_request *how, struct lk_error *ret_error)
{
    const char *why, *name = lk_formulation_choose(model, options, &why);

    how->formulation = find_step(name, model->solver.coordinates);
    if (how->formulation == &lk_formulation_rattle && model->solver.soft_redundancy) {
        lk_error_set(ret_error,
                     "redundancy: soft with formulation rattle, expected ali3: a joint that "
                     "gives way would ring without its projections");
        return LK_E_MODEL;
    }
    if (how->formulation && model->n_tyres > 0 && check_tyres(model, options, name, ret_error) != 0)
        return LK_E_MODEL;
    if (how->formulation && (check_lines(model, options, name, ret_error) != 0 ||
                             check_blocks(model, options, name, ret_error) != 0 ||
                             check_slips(model, how->formulation, ret_error) != 0))
        return LK_E_MODEL;
    if (how->formulation)
        return check_ports(model, options, name, ret_error);
    refuse_step(model, ret_error);
    return LK_E_MODEL;
}

int lk_system_new(const struct lk_model *model, const struct lk_options *options,
                  struct lk_system **ret_system, struct lk_error *ret_error)
{
    return lk_system_new_within(model, options, NULL, ret_system, ret_error);
}

int lk_system_new_within(const struct lk_model *model, const struct lk_options *options,
                         struct lk_bounds *bounds, struct lk_system **ret_system,
                         struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_compile_request how = {.flops_max = bounds ? bounds->flops_max : 0};
    struct lk_effort effort = {0}, *before;
    int r = choose(model, options, &how, ret_error);

    /* without @bounds, the work is added to the effort of the caller's compilation, if there is
     * one */
    if (r != 0 || !bounds)
        return r != 0 ? r : lk_compile(model, options, how, ret_system, ret_error);
    effort.is_cancelled = bounds->is_cancelled;
    effort.context = bounds->context;
    before = lk_effort_begin(&effort);
    r = lk_compile(model, options, how, ret_system, ret_error);
    lk_effort_begin(before);
    bounds->spent = effort.spent;
    return r;
}
