/* SPDX-License-Identifier: Apache-2.0 */
/* Plan of the runs: every selected formulation with every selected integrator, orientation and
 * stabilisation. Each combination runs with all steps, or with all tolerances if the integrator has
 * error control.
 *
 * The default is a star: all formulations with one integrator, and all integrators with one
 * formulation. */
#include "commands.h"
#include "compare.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_FORMULATION "absolute"
#define COMMON_INTEGRATOR  "rk4"
#define WITH_ERROR_CONTROL "dormand-prince"

static const double default_steps[] = {10, 5, 2.5}; /* multiples of the step of the model */
static const double default_tolerances[] = {1e-6, 1e-8, 1e-10};

/** struct plan - a plan under construction.
 * @options: with defaults for options that were not given */
struct plan {
    struct compare *compare;
    struct compare_options o;
    int size;
    int code;
};

/* ---- names ---- */

/* Return true for "all", or a name such as "complement:all". */
static bool is_all(const char *name)
{
    size_t n = strlen(name);

    return n >= 3 && strcmp(name + n - 3, "all") == 0 && (n == 3 || name[n - 4] == ':');
}

/* Return true if @name selects the entry @known of the table. */
static bool asks_for(const char *name, const struct lk_lab_name *known)
{
    size_t n = strlen(name);

    if (is_all(name))
        return n == 3 || strncmp(known->name, name, n - 3) == 0;
    return strcmp(known->name, name) == 0 ||
           (known->is_default && strncmp(known->name, name, n) == 0 && known->name[n] == ':');
}

/* Return the first entry of the table that @name selects. */
static const struct lk_lab_name *find_name(const struct lk_lab_name *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (asks_for(name, &names[i]))
            return &names[i];
    return NULL;
}

static const struct lk_lab_name *find_formulation(const char *name)
{
    int n;
    const struct lk_lab_name *names = lk_laboratory_formulations(&n);

    return find_name(names, n, name);
}

static const struct lk_lab_name *find_integrator(const char *name)
{
    int n;
    const struct lk_lab_name *names = lk_laboratory_integrators(&n);

    return find_name(names, n, name);
}

static bool controls_error(const char *integrator)
{
    const struct lk_lab_name *name = find_integrator(integrator);

    return name != NULL && name->has_error_control;
}

/* Check that all names of a list are valid.
 * @words: valid names, terminated by NULL
 * @text:  the valid names, for the error message */
static int check_words(const char *what, const struct compare_list *list, const char *const *words,
                       const char *text)
{
    for (int i = 0; i < list->n; i++) {
        bool found = false;

        for (int k = 0; words[k] != NULL; k++)
            found |= strcmp(list->name[i], words[k]) == 0;
        if (!found)
            return usage_error("no %s '%s', expected %s", what, list->name[i], text);
    }
    return EXIT_DONE;
}

static int check_names(const struct compare_options *o)
{
    static const char *const orientations[] = {"lie", "parameters", "angles", "euler", NULL};
    static const char *const stabilisations[] = {"none", "baumgarte", "projection", "position",
                                                 NULL};
    int code;

    for (int i = 0; i < o->formulations.n; i++)
        if (find_formulation(o->formulations.name[i]) == NULL)
            return usage_error("no formulation '%s', linkage methods lists them",
                               o->formulations.name[i]);
    for (int i = 0; i < o->integrators.n; i++)
        if (find_integrator(o->integrators.name[i]) == NULL)
            return usage_error("no integrator '%s', linkage methods lists them",
                               o->integrators.name[i]);
    code = check_words("orientation", &o->orientations, orientations,
                       "lie, parameters, angles or euler");
    return code != EXIT_DONE ? code
                             : check_words("stabilisation", &o->stabilisations, stabilisations,
                                           "none, baumgarte, projection or position");
}

/* ---- runs ---- */

void compare_describe(struct compare_run *run)
{
    const struct lk_method *m = &run->method;
    const char *parts[] = {m->integrator, m->orientation, m->stabilisation};
    int at = snprintf(run->name, sizeof(run->name), "%s", m->formulation);

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (parts[i] != NULL && at < COMPARE_NAME)
            at += snprintf(run->name + at, sizeof(run->name) - (size_t)at, ", %s", parts[i]);
    if (m->tolerance > 0)
        compare_number(m->tolerance, 2, run->setting);
    else
        snprintf(run->setting, sizeof(run->setting), "%.3gms", 1e3 * m->step);
}

static void add_run(struct plan *plan, const struct lk_method *method)
{
    struct compare *c = plan->compare;
    struct compare_run *runs;

    if (c->n_runs == plan->size) {
        plan->size = 2 * plan->size + 64;
        runs = realloc(c->runs, (size_t)plan->size * sizeof(*runs));
        if (runs == NULL) {
            complain("out of memory");
            plan->code = EXIT_REFUSED;
            return;
        }
        c->runs = runs;
    }
    c->runs[c->n_runs] = (struct compare_run){.method = *method, .number = c->n_methods};
    c->runs[c->n_runs].method.engine = engine_wanted();
    compare_describe(&c->runs[c->n_runs]);
    c->n_runs++;
}

/* Add runs of a method with all its settings. */
static void add_settings(struct plan *plan, struct lk_method method, bool has_error_control)
{
    const struct compare_numbers *steps = &plan->o.steps, *tolerances = &plan->o.tolerances;

    if (method.stabilisation && strcmp(method.stabilisation, "baumgarte") == 0)
        memcpy(method.baumgarte, plan->o.baumgarte, sizeof(method.baumgarte));
    for (int i = 0; i < (has_error_control ? tolerances->n : steps->n) && plan->code == EXIT_DONE;
         i++) {
        method.step = steps->value[has_error_control ? steps->n - 1 : i];
        method.tolerance = has_error_control ? tolerances->value[i] : 0;
        add_run(plan, &method);
    }
    plan->compare->n_methods++;
}

static bool is_constrained(const char *integrator)
{
    const struct lk_lab_name *name = integrator != NULL ? find_integrator(integrator) : NULL;

    return name != NULL && name->constrained;
}

static bool is_common(const char *formulation)
{
    size_t n = strlen(COMMON_FORMULATION);

    return strncmp(formulation, COMMON_FORMULATION, n) == 0 &&
           (formulation[n] == '\0' || formulation[n] == ':');
}

/* Add a pair of formulation and integrator with every selected orientation and stabilisation. A
 * formulation with its own step is added only once, without integrator, orientation and
 * stabilisation. */
static void add_pair(struct plan *plan, const char *formulation, const char *integrator)
{
    const struct compare_options *o = &plan->o;
    struct lk_method method = {.formulation = formulation, .integrator = integrator};

    /* The integrator solves the constrained equations itself, so variants of the formulation make
     * no difference. */
    if (is_constrained(integrator) && is_common(formulation))
        method.formulation = COMMON_FORMULATION;
    if (find_formulation(formulation)->is_own) {
        method.integrator = NULL;
        add_settings(plan, method, false);
        return;
    }
    for (int i = 0; i < (o->orientations.n > 0 ? o->orientations.n : 1); i++)
        for (int k = 0; k < (o->stabilisations.n > 0 ? o->stabilisations.n : 1); k++) {
            method.orientation = o->orientations.n > 0 ? o->orientations.name[i] : NULL;
            method.stabilisation = o->stabilisations.n > 0 ? o->stabilisations.name[k] : NULL;
            add_settings(plan, method, controls_error(integrator));
        }
}

static void add_star(struct plan *plan)
{
    const struct lk_lab_name *names;
    int n;

    names = lk_laboratory_formulations(&n);
    for (int i = 0; i < n; i++)
        if (names[i].is_default || names[i].is_own)
            add_pair(plan, names[i].name, COMMON_INTEGRATOR);
    names = lk_laboratory_integrators(&n);
    for (int i = 0; i < n; i++)
        if (names[i].is_default && strcmp(names[i].name, COMMON_INTEGRATOR) != 0)
            add_pair(plan, find_formulation(COMMON_FORMULATION)->name, names[i].name);
}

/* Return true if one of the first @n names of the list already selects the entry. */
static bool was_asked_for(const struct compare_list *asked, int n, const struct lk_lab_name *known)
{
    for (int i = 0; i < n; i++)
        if (asks_for(asked->name[i], known))
            return true;
    return false;
}

/* Add one formulation with all selected integrators. A formulation with its own step is added only
 * once, because it uses no integrator. */
static void add_formulation(struct plan *plan, const struct lk_lab_name *formulation)
{
    const struct compare_list *asked = &plan->o.integrators;
    int n;
    const struct lk_lab_name *names = lk_laboratory_integrators(&n);

    if (formulation->is_own) {
        add_pair(plan, formulation->name, NULL);
        return;
    }
    for (int k = 0; k < asked->n; k++)
        for (int i = 0; i < n; i++)
            if (asks_for(asked->name[k], &names[i]) && !was_asked_for(asked, k, &names[i]) &&
                !(names[i].constrained && is_common(formulation->name) && !formulation->is_default))
                add_pair(plan, formulation->name, names[i].name);
}

static void add_product(struct plan *plan)
{
    const struct compare_list *asked = &plan->o.formulations;
    int n;
    const struct lk_lab_name *names = lk_laboratory_formulations(&n);

    for (int k = 0; k < asked->n; k++)
        for (int i = 0; i < n; i++)
            if (asks_for(asked->name[k], &names[i]) && !was_asked_for(asked, k, &names[i]))
                add_formulation(plan, &names[i]);
}

static void add_name(struct compare_list *list, const char *name)
{
    list->name[list->n++] = name;
}

/* Set defaults for options that were not given. If no integrators were named, choose those that can
 * use the given settings. */
static void complete_plan(struct plan *plan, double h)
{
    struct compare_options *o = &plan->o;
    bool is_open = o->integrators.n == 0;

    if (o->formulations.n == 0)
        add_name(&o->formulations, COMMON_FORMULATION);
    if (is_open && (o->tolerances.n == 0 || o->steps.n > 0))
        add_name(&o->integrators, COMMON_INTEGRATOR);
    if (is_open && o->tolerances.n > 0)
        add_name(&o->integrators, WITH_ERROR_CONTROL);
    for (int i = 0; i < 3 && o->steps.n == i; i++)
        o->steps.value[o->steps.n++] = fmin(default_steps[i] * h, LK_STEP_MAX);
    for (int i = 0; i < 3 && o->tolerances.n == i; i++)
        o->tolerances.value[o->tolerances.n++] = default_tolerances[i];
}

int compare_plan(struct compare *compare)
{
    struct plan plan = {.compare = compare, .o = *compare->options};
    bool is_star = plan.o.formulations.n == 0 && plan.o.integrators.n == 0;
    int code = check_names(compare->options);

    if (code != EXIT_DONE)
        return code;
    complete_plan(&plan, compare->model->solver.step);
    if (is_star)
        add_star(&plan);
    else
        add_product(&plan);
    return plan.code;
}
