/* SPDX-License-Identifier: Apache-2.0 */
/* One case of a study: set its values, make its steps, and reduce the results. */
#include "sweep.h"

#include "linkage/parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* struct course - statistics of an output scalar over the run, including its start. */
struct course {
    double last, min, max;
    double time_of_min, time_of_max; /* first time of the extremum [s] */
    double sum, squares;
};

/* struct work - a case while it runs.
 * @outcome:  outcome so far; negative errno: a fatal error
 * @course:   statistics of each output scalar
 * @samples:  number of samples so far
 * @energy:   energy at the start [J]
 * @drift:    largest error of the energy balance [J]
 * @residual: largest violation of a joint */
struct work {
    struct plan *plan;
    uint64_t i;
    int outcome;
    struct lk_system *system;
    struct run_inputs inputs;
    double *values;
    struct course *course;
    struct lk_csv *csv;
    uint64_t samples;
    double energy, drift, residual;
    struct lk_energy_watch watch;
    struct lk_error reason;
};

const char *outcome_name(enum outcome outcome)
{
    static const char *const names[] = {"passed", "failed", "refused", "faulted", "crashed"};

    return names[outcome];
}

void put_field(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    putc('"', file);
}

struct lk_options plan_options(const struct study *s)
{
    return (struct lk_options){.step = s->step,
                               .engine = s->engine[0] != '\0' ? s->engine : engine_wanted()};
}

/* ---- before the first step ---- */

/* Read and compile the model with the numbers of this case.
 * Return: 0, LK_E codes with @reason, -ENOMEM. */
static int compile_case(struct work *w)
{
    const struct study *s = w->plan->study;
    struct lk_options options = plan_options(s);
    struct lk_setting setting[STUDY_QUANTITIES_MAX];
    struct lk_model *model = NULL;
    struct lk_errors errors = {0};
    int n = 0, result;

    for (int q = 0; q < s->n_quantities; q++)
        if (s->quantity[q].role == ROLE_PARAMETER)
            setting[n++] = (struct lk_setting){s->quantity[q].name, study_value(s, q, w->i)};
    if (n == 0) { /* without parameters all cases use the same model */
        w->system = w->plan->prototype;
        lk_system_reset(w->system);
        return 0;
    }
    result = lk_model_read_text_with(w->plan->folder, s->model, w->plan->text, w->plan->size,
                                     setting, n, &model, &errors);
    if (result > 0)
        w->reason = errors.line[0];
    if (result == 0)
        result = lk_system_new(model, &options, &w->system, &w->reason);
    lk_model_free(model);
    return result;
}

static const char *file_of(const struct work *w, enum role role)
{
    const struct study *s = w->plan->study;

    for (int q = 0; q < s->n_quantities; q++)
        if (s->quantity[q].role == role)
            return s->quantity[q].file[(int)study_value(s, q, w->i)];
    return NULL;
}

static bool put_inputs(struct work *w)
{
    const struct study *s = w->plan->study;
    int n;
    const struct lk_channel *channels = lk_system_input_channels(w->system, &n);

    for (int q = 0; q < s->n_quantities; q++) {
        double value = s->quantity[q].role == ROLE_INPUT ? study_value(s, q, w->i) : 0;

        if (s->quantity[q].role != ROLE_INPUT)
            continue;
        for (int i = 0; i < n; i++) {
            const struct lk_channel *c = &channels[i];
            int k = w->plan->offset[q] - c->offset;

            if (k < 0 || k >= c->size)
                continue;
            if (!(value >= c->low && value <= c->high)) {
                lk_error_set(&w->reason, "input %s is %g, the model limits it to %g to %g %s",
                             s->quantity[q].name, value, c->low, c->high, c->unit[k]);
                return false;
            }
        }
        w->inputs.present[w->plan->offset[q]] = value;
    }
    return true;
}

static bool begin(struct work *w)
{
    const struct study *s = w->plan->study;
    const char *state = file_of(w, ROLE_START_STATE);
    struct run_options o = {.duration = s->duration,
                            .interpolate = s->interpolate,
                            .inputs = file_of(w, ROLE_INPUT_FILE)};

    /* The files were tested with the model as it is. If they do not fit this case, the details are
     * on stderr. */
    if (state != NULL && !run_load_state(w->system, state)) {
        lk_error_set(&w->reason, "the state %s does not fit", state);
        return false;
    }
    if (!run_inputs_open(w->system, &o, &w->inputs)) {
        lk_error_set(&w->reason, "the inputs do not fit the model of this case");
        return false;
    }
    return put_inputs(w);
}

/* ---- steps ---- */

static void note_output(struct course *c, double value, double time, bool is_first)
{
    if (is_first)
        *c = (struct course){.min = INFINITY, .max = -INFINITY};
    if (value < c->min) {
        c->min = value;
        c->time_of_min = time;
    }
    if (value > c->max) {
        c->max = value;
        c->time_of_max = time;
    }
    c->last = value;
    c->sum += value;
    c->squares += value * value;
}

static void note_state(struct work *w)
{
    const struct plan *p = w->plan;
    double time = lk_system_time(w->system), energy;
    struct lk_health h;

    lk_system_health(w->system, &h);
    energy = lk_energy_balance(&h);
    if (w->samples == 0) {
        w->energy = energy;
        lk_energy_begin(&w->watch, w->system);
    } else {
        lk_energy_look(&w->watch, w->system, &h);
    }
    w->drift = fmax(w->drift, fabs(energy - w->energy));
    w->residual = fmax(w->residual, h.residual_position);
    if (p->n_columns + p->n_checks > 0) {
        int n = lk_system_output_size(w->system);

        lk_system_outputs(w->system, w->values);
        for (int i = 0; i < n; i++)
            note_output(&w->course[i], w->values[i], time, w->samples == 0);
    }
    w->samples++;
}

/* Process the state after a step. Return true if the run continues.
 * @fault: error code of the step that begins at the present time; 0: none */
static bool goes_on(struct work *w, int fault)
{
    if (fault != 0) {
        lk_error_set(&w->reason, "the step from t = %.9g s %s", lk_system_time(w->system),
                     lk_step_fault_text(fault));
        w->outcome = OUTCOME_FAULTED;
        return false;
    }
    note_state(w);
    if (run_energy_appears(w->system, &w->watch, &w->reason))
        w->outcome = OUTCOME_FAULTED;
    return w->outcome == OUTCOME_PASSED;
}

static const double *inputs_now(struct work *w)
{
    return run_inputs_at(&w->inputs, lk_system_time(w->system), lk_system_step_size(w->system));
}

static uint64_t count_steps(const struct work *w)
{
    return (uint64_t)llround(w->plan->study->duration / lk_system_step_size(w->system));
}

static void step_all(struct work *w)
{
    uint64_t n = count_steps(w);
    int fault = run_write_row(w->system, lk_system_time(w->system), w->csv, w->values);

    note_state(w);
    /* An error of the CSV file is reported when the file is closed. */
    for (uint64_t k = 0;
         k < n && fault == 0 && goes_on(w, lk_system_step(w->system, inputs_now(w))); k++)
        fault = run_write_row(w->system, lk_system_time(w->system), w->csv, w->values);
}

/* ---- after the last one ---- */

static double reduce(const struct work *w, const struct target *target)
{
    const struct course *c = &w->course[target->scalar];

    switch (target->measure->reduction) {
    case REDUCTION_MIN:
        return c->min;
    case REDUCTION_MAX:
        return c->max;
    case REDUCTION_MEAN:
        return c->sum / (double)w->samples;
    case REDUCTION_RMS:
        return sqrt(c->squares / (double)w->samples);
    case REDUCTION_TIME_OF_MIN:
        return c->time_of_min;
    case REDUCTION_TIME_OF_MAX:
        return c->time_of_max;
    default:
        return c->last;
    }
}

static bool refuse(struct work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct work *w, const char *format, ...)
{
    char text[LK_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    lk_error_set(&w->reason, "%s", text);
    return false;
}

static bool within(struct work *w, const struct target *target)
{
    const struct measure *m = target->measure;
    const struct course *c = &w->course[target->scalar];
    bool is_time = m->reduction == REDUCTION_TIME_OF_MIN || m->reduction == REDUCTION_TIME_OF_MAX;
    double value = reduce(w, target), time = 0;

    if (m->reduction == REDUCTION_ALWAYS) {
        value = c->min >= m->low ? c->max : c->min;
        time = c->min >= m->low ? c->time_of_max : c->time_of_min;
    }
    if (value >= m->low && value <= m->high)
        return true;
    if (m->reduction == REDUCTION_ALWAYS)
        return refuse(w, "%s is %g %s at t = %g s, expected %g to %g", m->output, value,
                      target->unit, time, m->low, m->high);
    return refuse(w, "%s(%s) is %g %s, expected %g to %g", reduction_name(m->reduction), m->output,
                  value, is_time ? "s" : target->unit, m->low, m->high);
}

static bool check(struct work *w)
{
    const struct plan *p = w->plan;

    if (!(w->residual <= p->study->residual))
        return refuse(w, "a joint is violated by %g m or rad, expected at most %g", w->residual,
                      p->study->residual);
    if (!(w->drift <= p->study->energy))
        return refuse(w, "the energy balance is off by %g J, expected at most %g", w->drift,
                      p->study->energy);
    for (int i = 0; i < p->n_checks; i++)
        if (!within(w, &p->check[i]))
            return false;
    return true;
}

/* ---- the row ---- */

static void put_values(const struct study *s, uint64_t i, FILE *file)
{
    for (int q = 0; q < s->n_quantities; q++) {
        double value = study_value(s, q, i);

        putc(',', file);
        if (s->quantity[q].file != NULL)
            put_field(file, s->quantity[q].file[(int)value]);
        else
            fprintf(file, "%.17g", value);
    }
}

/* Write the row of a case.
 * @w: NULL: there are no results */
static int write_row(const struct plan *p, uint64_t i, int outcome, const struct work *w,
                     const char *reason, char **ret_row)
{
    size_t size;
    FILE *file = open_memstream(ret_row, &size);

    if (file == NULL)
        return -ENOMEM;
    fprintf(file, "%" PRIu64 ",%s", i + 1, outcome_name((enum outcome)outcome));
    put_values(p->study, i, file);
    for (int k = 0; k < p->n_columns; k++) {
        putc(',', file);
        if (w != NULL)
            fprintf(file, "%.17g", reduce(w, &p->column[k]));
    }
    if (w != NULL)
        fprintf(file, ",%.17g,%.17g,", w->residual, w->drift);
    else
        fputs(",,,", file);
    put_field(file, reason);
    return fclose(file) == 0 ? outcome : -ENOMEM;
}

int case_crashed(const struct plan *plan, uint64_t i, int signal, char **ret_row)
{
    char reason[80];

    snprintf(reason, sizeof(reason), "its process died twice, last by signal %d, %s", signal,
             strsignal(signal));
    return write_row(plan, i, OUTCOME_CRASHED, NULL, reason, ret_row);
}

/* Prepare a case.
 * Return: true if it is ready for its first step; otherwise @outcome is set. */
static bool prepare(struct work *w, const char *csv_path)
{
    int result = compile_case(w);
    size_t n;

    if (result != 0) {
        w->outcome = result < 0 ? result : OUTCOME_REFUSED;
        return false;
    }
    n = (size_t)lk_system_output_size(w->system) + 1;
    w->values = calloc(n, sizeof(*w->values));
    w->course = calloc(n, sizeof(*w->course));
    if (w->values == NULL || w->course == NULL)
        w->outcome = -ENOMEM;
    else if (!begin(w))
        w->outcome = OUTCOME_REFUSED;
    else if (csv_path != NULL && (w->csv = run_open_csv(w->system, csv_path)) == NULL)
        w->outcome = -EIO; /* run_open_csv() has printed a message */
    return w->outcome == OUTCOME_PASSED;
}

/* Write the row of a completed case. Return: as case_run(). */
static int conclude(struct work *w, const char *csv_path, char **ret_row)
{
    int fault = lk_csv_close(w->csv);

    if (w->outcome == OUTCOME_PASSED && !check(w))
        w->outcome = OUTCOME_FAILED;
    if (fault != 0) {
        complain("%s: %s", csv_path, strerror(-fault));
        w->outcome = fault;
    }
    if (w->outcome >= 0)
        w->outcome = write_row(w->plan, w->i, w->outcome, w->outcome <= OUTCOME_FAILED ? w : NULL,
                               w->reason.text, ret_row);
    run_inputs_close(&w->inputs);
    free(w->values);
    free(w->course);
    if (w->system != w->plan->prototype)
        lk_system_free(w->system);
    return w->outcome;
}

int case_run(struct plan *plan, uint64_t i, const char *csv_path, char **ret_row)
{
    struct work w = {.plan = plan, .i = i};

    if (prepare(&w, csv_path))
        step_all(&w);
    return conclude(&w, csv_path, ret_row);
}

/* Print an input in the form of --set, with all components of its channel. */
static void print_set(const struct plan *p, const struct lk_channel *c, uint64_t i, FILE *to)
{
    const struct study *s = p->study;
    double value[LK_COMPONENTS_MAX];
    bool is_set = false;

    for (int k = 0; k < c->size; k++)
        value[k] = c->initial;
    for (int q = 0; q < s->n_quantities; q++) {
        int k = s->quantity[q].role == ROLE_INPUT ? p->offset[q] - c->offset : -1;

        if (k >= 0 && k < c->size) {
            value[k] = study_value(s, q, i);
            is_set = true;
        }
    }
    for (int k = 0; k < c->size && is_set; k++) {
        fprintf(to, k == 0 ? " --set %s=" : ",", c->name);
        print_shortest(to, value[k]);
    }
}

void case_print(const struct plan *p, uint64_t i, FILE *to)
{
    const struct study *s = p->study;
    int n;
    const struct lk_channel *channels = lk_system_input_channels(p->prototype, &n);

    if (s->engine[0] != '\0')
        fprintf(to, "LINKAGE_ENGINE=%s ", s->engine);
    fprintf(to, "linkage run %s --duration ", s->model);
    print_shortest(to, s->duration);
    if (s->step > 0) {
        fputs(" --step ", to);
        print_shortest(to, s->step);
    }
    for (int k = 0; k < n; k++)
        print_set(p, &channels[k], i, to);
    for (int q = 0; q < s->n_quantities; q++) {
        const struct quantity *x = &s->quantity[q];

        if (x->file != NULL) {
            fprintf(to, " --%s %s", x->role == ROLE_INPUT_FILE ? "inputs" : "start-state",
                    x->file[(int)study_value(s, q, i)]);
        } else if (x->role == ROLE_PARAMETER) {
            fprintf(to, " --param %s=", x->name);
            print_shortest(to, study_value(s, q, i));
        }
    }
    fputs(s->interpolate ? " --interpolate\n" : "\n", to);
}
