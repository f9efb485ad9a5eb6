/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/errors.h"
#include "model/packed.h"
#include "unit_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WITHIN    1e-6 /* tolerance of the number of steps in a communication step, relative */
#define STEPS_MAX 1e15 /* limit of steps per call, so that a double can represent the number */
#define LINE_SIZE 640

/* ---- messages ---- */

enum fmu_status fmu_say(struct fmu *fmu, enum fmu_status status, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (fmu->host.log != NULL)
        fmu->host.log(fmu->host.context, status, line);
    return status;
}

static enum fmu_status say_errors(struct fmu *fmu, int result, const struct lk_errors *errors)
{
    for (int i = 0; i < errors->n; i++)
        fmu_say(fmu, FMU_ERROR, "%s", errors->line[i].text);
    return errors->n > 0 ? FMU_ERROR
                         : fmu_say(fmu, FMU_ERROR, "%s", strerror(result < 0 ? -result : ENOMEM));
}

/* ---- compilation of a system from parameters ---- */

/* List the parameters that differ from the values in the model file.
 * Return: number of listed parameters; -1: more than LK_SETTINGS_MAX. */
static int list_settings(const struct fmu *fmu, const double *values, struct lk_setting *list)
{
    int n = 0;

    for (int i = 0; i < fmu->variables.n; i++) {
        const struct fmu_variable *v = &fmu->variables.list[i];

        if (!fmu_is_parameter(v) || values[i] == v->start)
            continue;
        if (n == LK_SETTINGS_MAX)
            return -1;
        list[n++] = (struct lk_setting){v->name, values[i]};
    }
    return n;
}

/* Remove the prefix "parameter.", which a name has if another variable has the same name. */
static void strip_names(struct lk_setting *list, int n)
{
    for (int i = 0; i < n; i++)
        while (strncmp(list[i].path, "parameter.", 10) == 0)
            list[i].path += 10;
}

enum fmu_status fmu_compile(struct fmu *fmu, const double *values, struct lk_system **ret)
{
    struct lk_setting settings[LK_SETTINGS_MAX] = {{NULL, 0}};
    int n = values != NULL ? list_settings(fmu, values, settings) : 0, result;
    struct lk_model *model = NULL;
    struct lk_errors errors = {0};
    struct lk_error error = {""};

    if (n < 0)
        return fmu_say(fmu, FMU_ERROR, "more than %d parameters are set, expected at most so many",
                       LK_SETTINGS_MAX);
    strip_names(settings, n);
    result = lk_model_read_packed(fmu->bytes, fmu->size, settings, n, &model, &errors);
    if (result != 0)
        return say_errors(fmu, result, &errors);
    result = lk_system_new(model, NULL, ret, &error);
    if (result == 0 && values == NULL) {
        result = fmu_variables_make(fmu->bytes, fmu->size, model, *ret, &fmu->variables, &errors);
        if (result != 0)
            lk_error_set(&error, "%s", errors.n > 0 ? errors.line[0].text : strerror(ENOMEM));
    }
    lk_model_free(model);
    if (result == 0)
        return FMU_OK;
    return fmu_say(fmu, FMU_ERROR, "%s", result < 0 ? strerror(-result) : error.text);
}

/* Compile a system with the present parameters, unless the present system already has them. */
static enum fmu_status renew(struct fmu *fmu)
{
    struct lk_system *system = NULL;
    enum fmu_status status;

    if (!fmu->is_stale)
        return FMU_OK;
    status = fmu_compile(fmu, fmu->values, &system);
    if (status != FMU_OK)
        return status;
    lk_system_free(fmu->system);
    fmu->system = system;
    memcpy(fmu->compiled, fmu->values, (size_t)fmu->variables.n * sizeof(double));
    fmu->is_stale = fmu->has_outputs = false;
    return FMU_OK;
}

/* ---- life of an instance ---- */

static void set_starts(struct fmu *fmu)
{
    for (int i = 0; i < fmu->variables.n; i++) {
        const struct fmu_variable *v = &fmu->variables.list[i];

        fmu->values[i] = fmu_is_parameter(v) ? v->start : 0;
        if (v->kind == FMU_INPUT || v->kind == FMU_TUNABLE)
            fmu->inputs[v->place] = v->start;
    }
    fmu->start = 0;
    fmu->stop = INFINITY;
    fmu->phase = FMU_NEW;
}

static enum fmu_status open_model(struct fmu *fmu, const char *token, const char *resources)
{
    struct lk_error error = {""};
    enum fmu_status status;
    size_t n;
    int result = fmu_model(resources, &fmu->bytes, &fmu->size, &error);

    if (result != 0)
        return fmu_say(fmu, FMU_ERROR, "%s", result < 0 ? strerror(-result) : error.text);
    fmu_token(fmu->bytes, fmu->size, fmu->token);
    if (token == NULL || strcmp(token, fmu->token) != 0)
        return fmu_say(fmu, FMU_ERROR,
                       "the token is '%.64s', expected '%s': description and model are not of one "
                       "unit, or one was changed",
                       token != NULL ? token : "", fmu->token);
    status = fmu_compile(fmu, NULL, &fmu->system);
    if (status != FMU_OK)
        return status;
    n = (size_t)fmu->variables.n;
    fmu->values = calloc(n, sizeof(double));
    fmu->compiled = calloc(n, sizeof(double));
    fmu->inputs = calloc((size_t)lk_system_input_size(fmu->system) + 1, sizeof(double));
    fmu->outputs = calloc((size_t)lk_system_output_size(fmu->system) + 1, sizeof(double));
    if (!fmu->values || !fmu->compiled || !fmu->inputs || !fmu->outputs)
        return fmu_say(fmu, FMU_ERROR, "%s", strerror(ENOMEM));
    set_starts(fmu);
    memcpy(fmu->compiled, fmu->values, n * sizeof(double));
    return FMU_OK;
}

struct fmu *fmu_new(const struct fmu_host *host, const char *token, const char *resources)
{
    struct fmu *fmu = calloc(1, sizeof(*fmu));

    if (fmu == NULL)
        return NULL;
    fmu->host = *host;
    if (open_model(fmu, token, resources) == FMU_OK)
        return fmu;
    fmu_free(fmu);
    return NULL;
}

void fmu_free(struct fmu *fmu)
{
    if (fmu == NULL)
        return;
    lk_system_free(fmu->system);
    fmu_variables_fini(&fmu->variables);
    free(fmu->bytes);
    free(fmu->values);
    free(fmu->compiled);
    free(fmu->inputs);
    free(fmu->outputs);
    free(fmu);
}

enum fmu_phase fmu_phase(const struct fmu *fmu)
{
    return fmu->phase;
}

enum fmu_status fmu_setup(struct fmu *fmu, double start, double stop)
{
    if (fmu->phase != FMU_NEW)
        return fmu_say(fmu, FMU_ERROR, "the experiment is set up after the initialisation began");
    if (!isfinite(start) || isnan(stop) || stop < start)
        return fmu_say(fmu, FMU_ERROR,
                       "start time %g and stop time %g, expected finite numbers "
                       "in this order",
                       start, stop);
    fmu->start = start;
    fmu->stop = stop;
    return FMU_OK;
}

enum fmu_status fmu_enter_initialisation(struct fmu *fmu)
{
    if (fmu->phase != FMU_NEW)
        return fmu_say(fmu, FMU_ERROR, "the initialisation begins twice, expected a reset before");
    fmu->phase = FMU_INITIALISING;
    return FMU_OK;
}

enum fmu_status fmu_exit_initialisation(struct fmu *fmu)
{
    if (fmu->phase != FMU_INITIALISING)
        return fmu_say(fmu, FMU_ERROR, "the initialisation ends before it begins");
    if (renew(fmu) != FMU_OK) {
        fmu->phase = FMU_FAILED;
        return FMU_ERROR;
    }
    fmu->phase = FMU_STEPPING;
    return FMU_OK;
}

enum fmu_status fmu_terminate(struct fmu *fmu)
{
    if (fmu->phase != FMU_STEPPING)
        return fmu_say(fmu, FMU_ERROR, "the end comes before the initialisation is over");
    fmu->phase = FMU_TERMINATED;
    return FMU_OK;
}

enum fmu_status fmu_reset(struct fmu *fmu)
{
    set_starts(fmu);
    lk_system_reset(fmu->system);
    fmu->has_outputs = false;
    fmu->is_stale = false;
    for (int i = 0; i < fmu->variables.n; i++)
        if (fmu->compiled[i] != fmu->values[i])
            fmu->is_stale = true;
    return FMU_OK;
}

/* ---- values ---- */

static const struct fmu_variable *find(struct fmu *fmu, unsigned reference)
{
    if (reference < (unsigned)fmu->variables.n)
        return &fmu->variables.list[reference];
    fmu_say(fmu, FMU_ERROR, "there is no variable of value reference %u, expected 0 to %d",
            reference, fmu->variables.n - 1);
    return NULL;
}

static double value_of(struct fmu *fmu, unsigned reference, const struct fmu_variable *v)
{
    switch (v->kind) {
    case FMU_TIME:
        return fmu_time(fmu);
    case FMU_INPUT:
        return fmu->inputs[v->place];
    case FMU_OUTPUT:
        if (!fmu->has_outputs)
            lk_system_outputs(fmu->system, fmu->outputs);
        fmu->has_outputs = true;
        return fmu->outputs[v->place];
    default:
        return fmu->values[reference];
    }
}

enum fmu_status fmu_get(struct fmu *fmu, const unsigned references[], size_t n, double values[])
{
    for (size_t i = 0; i < n; i++) {
        const struct fmu_variable *v = find(fmu, references[i]);

        if (v == NULL)
            return FMU_ERROR;
        if (v->kind == FMU_OUTPUT && renew(fmu) != FMU_OK)
            return FMU_ERROR;
        values[i] = value_of(fmu, references[i], v);
    }
    return FMU_OK;
}

static enum fmu_status check(struct fmu *fmu, unsigned reference, double value)
{
    const struct fmu_variable *v = find(fmu, reference);

    if (v == NULL)
        return FMU_ERROR;
    if (v->kind == FMU_TIME || v->kind == FMU_OUTPUT)
        return fmu_say(fmu, FMU_ERROR, "%s is %s and cannot be set", v->name,
                       v->kind == FMU_TIME ? "the time" : "an output");
    if (v->kind == FMU_FIXED && fmu->phase != FMU_NEW && fmu->phase != FMU_INITIALISING)
        return fmu_say(fmu, FMU_ERROR,
                       "%s is a fixed parameter and is set after the "
                       "initialisation, expected before",
                       v->name);
    if (!isfinite(value))
        return fmu_say(fmu, FMU_DISCARD, "%s = %g, expected a finite number; it stays as it was",
                       v->name, value);
    if (value < v->low || value > v->high)
        return fmu_say(fmu, FMU_DISCARD, "%s = %.9g, expected %.9g to %.9g; it stays as it was",
                       v->name, value, v->low, v->high);
    return FMU_OK;
}

enum fmu_status fmu_set(struct fmu *fmu, const unsigned references[], size_t n,
                        const double values[])
{
    if (fmu->phase == FMU_FAILED)
        return fmu_say(fmu, FMU_ERROR, "a value is set after an error, expected a reset before");
    for (size_t i = 0; i < n; i++) {
        enum fmu_status status = check(fmu, references[i], values[i]);

        if (status != FMU_OK)
            return status;
    }
    for (size_t i = 0; i < n; i++) {
        const struct fmu_variable *v = &fmu->variables.list[references[i]];

        if (v->kind == FMU_INPUT || v->kind == FMU_TUNABLE)
            fmu->inputs[v->place] = values[i];
        if (!fmu_is_parameter(v))
            continue;
        fmu->values[references[i]] = values[i];
        /* a tunable parameter also affects the initial state */
        if (fmu->phase != FMU_STEPPING && fmu->phase != FMU_TERMINATED)
            fmu->is_stale = true;
    }
    return FMU_OK;
}

/* ---- steps ---- */

double fmu_time(const struct fmu *fmu)
{
    return fmu->start + lk_system_time(fmu->system);
}

/* Return the number of steps in @size. If @size is no whole number of steps, report this and return
 * 0. */
static double count_steps(struct fmu *fmu, double size)
{
    double h = lk_system_step_size(fmu->system), n = round(size / h);

    if (n >= 1 && n < STEPS_MAX && fabs(size / h - n) <= WITHIN * n)
        return n;
    fmu_say(fmu, FMU_DISCARD,
            "a communication step of %.9g s, expected a whole multiple of the "
            "model's step, %.9g s; the state is as before",
            size, h);
    return 0;
}

static enum fmu_status check_time(struct fmu *fmu, double time, double steps)
{
    double h = lk_system_step_size(fmu->system), now = fmu_time(fmu);

    /* an importer sums its steps and so accumulates round-off: half a step of tolerance still
     * identifies the step */
    if (!(fabs(time - now) < h / 2))
        return fmu_say(fmu, FMU_ERROR,
                       "a step from t = %.9g s, expected %.9g s, where this "
                       "instance is",
                       time, now);
    if (now + (steps - 0.5) * h > fmu->stop)
        return fmu_say(fmu, FMU_ERROR,
                       "a step to t = %.9g s, expected at most the stop time "
                       "%.9g s",
                       now + steps * h, fmu->stop);
    return FMU_OK;
}

static enum fmu_status step_once(struct fmu *fmu)
{
    int result = lk_system_step(fmu->system, fmu->inputs);

    fmu->has_outputs = false;
    if (result == 0)
        return FMU_OK;
    fmu->phase = FMU_FAILED;
    return fmu_say(fmu, FMU_ERROR, "the step from t = %.9g s %s", fmu_time(fmu),
                   lk_step_fault_text(result));
}

enum fmu_status fmu_step(struct fmu *fmu, double time, double size, bool *ret_early)
{
    enum fmu_status status;
    double until = INFINITY, n, h;

    *ret_early = false;
    if (fmu->phase != FMU_STEPPING)
        return fmu_say(fmu, FMU_ERROR,
                       "a step in the wrong place, expected one after the "
                       "initialisation, and none after an error or the end");
    n = count_steps(fmu, size);
    if (n == 0)
        return FMU_DISCARD;
    status = check_time(fmu, time, n);
    h = lk_system_step_size(fmu->system);
    for (double i = 0; i < n && status == FMU_OK; i++) {
        if (fmu_time(fmu) + h > until + WITHIN * h) {
            *ret_early = true;
            return FMU_OK;
        }
        status = step_once(fmu);
        if (status == FMU_OK && fmu->host.after_step != NULL &&
            !fmu->host.after_step(fmu->host.context, fmu_time(fmu), &until))
            until = INFINITY;
    }
    return status;
}
