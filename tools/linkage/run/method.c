/* SPDX-License-Identifier: Apache-2.0 */
/* linkage run with a method of the laboratory. */
#include "run.h"

#include "csv.h"
#include "linkage/json.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of parts into which a run without output rows is divided, to show progress. With error
 * control there is only one part, because some integrators end
 * their steps at the parts. */
#define LOOKS 200

/* struct course - state of a run.
 * @h:           step of the run [s]
 * @n_steps:     number of steps @h in the duration
 * @steps_a_row: number of steps between rows, or between updates of the progress */
struct course {
    const struct run_options *options;
    struct lk_laboratory *laboratory;
    struct run_inputs inputs;
    double *values;
    struct lk_csv *csv;
    double h;
    uint64_t steps_a_row;
    uint64_t n_steps;
    double wall_s;
};

static void plan_rows(struct course *c)
{
    c->n_steps = (uint64_t)llround(c->options->duration / c->h);
    c->steps_a_row = run_inputs_change(&c->inputs)      ? 1
                     : c->csv != NULL                   ? (uint64_t)c->options->every
                     : c->options->method.tolerance > 0 ? c->n_steps
                                                        : c->n_steps / LOOKS + 1;
}

/* Make the steps with a different size before those of the run, with one row for each. */
static int go_first(struct course *c, struct lk_error *ret_error)
{
    const struct run_options *o = c->options;
    uint64_t n = o->first_step > 0 ? (uint64_t)llround(o->first_until / o->first_step) : 0;
    int fault;

    /* Check the size before the first step is made. */
    if (n > 0 && lk_laboratory_change_step(c->laboratory, o->first_step, ret_error) != 0)
        return EXIT_REFUSED;
    fault = run_write_row(lk_laboratory_system(c->laboratory), 0, c->csv, c->values);
    for (uint64_t k = 1; k <= n && fault == 0 && !run_is_interrupted(); k++) {
        double t = (double)k * o->first_step;

        if (lk_laboratory_advance(c->laboratory, t,
                                  run_inputs_at(&c->inputs, t - o->first_step, o->first_step),
                                  ret_error) != 0)
            return EXIT_REFUSED;
        fault = run_write_row(lk_laboratory_system(c->laboratory), t, c->csv, c->values);
    }
    if (n > 0)
        lk_laboratory_change_step(c->laboratory, c->h, ret_error);
    return EXIT_DONE; /* an error of the file is reported when the file is closed */
}

static int go_through(struct course *c)
{
    struct lk_error error = {""};
    struct progress progress;
    int fault = 0, code;
    uint64_t first = (uint64_t)llround(c->options->first_until / c->h);

    plan_rows(c);
    progress_start(&progress);
    run_watch_interrupts();
    code = go_first(c, &error);
    for (uint64_t k = first;
         k < c->n_steps && fault == 0 && code == EXIT_DONE && !run_is_interrupted();) {
        uint64_t next = k + c->steps_a_row < c->n_steps ? k + c->steps_a_row : c->n_steps;
        double begin = (double)k * c->h, t = (double)next * c->h;

        if (lk_laboratory_advance(c->laboratory, t, run_inputs_at(&c->inputs, begin, t - begin),
                                  &error) != 0)
            code = EXIT_REFUSED;
        else if (next % (c->csv != NULL ? (uint64_t)c->options->every : c->steps_a_row) == 0)
            fault = run_write_row(lk_laboratory_system(c->laboratory), t, c->csv, c->values);
        k = next;
        progress_show(&progress, now_s(), (double)k / (double)c->n_steps);
    }
    progress_hide();
    c->wall_s = now_s() - progress.start_s;
    if (code != EXIT_DONE) {
        file_error("%s: %s", c->options->path, error.text);
    } else if (run_is_interrupted()) {
        run_say_interrupt(c->options, lk_laboratory_time(c->laboratory));
        code = EXIT_REFUSED;
    }
    return code; /* an error of the file is reported when the file is closed */
}

static const char *formulation_of(const struct lk_method *m, const struct lk_model *model)
{
    bool is_said = m->integrator || m->tolerance > 0 || m->orientation || m->stabilisation;
    const char *why;

    return m->formulation ? m->formulation
           : is_said      ? "absolute"
                          : lk_formulation_choose(model, NULL, &why);
}

/* Return the name of the integrator, "": that of the formulation. */
static const char *integrator_of(const struct lk_method *m)
{
    return m->integrator ? m->integrator : m->tolerance > 0 ? "dormand-prince" : "";
}

static void print_method(const struct lk_method *m, const struct lk_model *model, FILE *to)
{
    fputs(formulation_of(m, model), to);
    if (*integrator_of(m))
        fprintf(to, ", %s", integrator_of(m));
    if (m->orientation)
        fprintf(to, ", %s", m->orientation);
    if (m->stabilisation)
        fprintf(to, ", %s", m->stabilisation);
    if (m->tolerance > 0)
        fprintf(to, ", tolerance %g", m->tolerance);
    fputc('\n', to);
}

static void print_summary(const struct course *c, const struct lk_lab_report *r,
                          const struct lk_model *model, FILE *to)
{
    double time = lk_laboratory_time(c->laboratory);

    fprintf(to, "%s: %llu steps", lk_model_name(model), r->steps);
    if (!(c->options->method.tolerance > 0))
        fprintf(to, " of %g ms", 1e3 * c->h);
    fprintf(to, ", %g s\n", time);
    fprintf(to, "method              ");
    print_method(&c->options->method, model, to);
    fprintf(to, "wall time           %.3g s, %.0f times real time\n", c->wall_s,
            c->wall_s > 0 ? time / c->wall_s : 0);
    fprintf(to, "processor time      %.3g s, %.3g us a step\n", r->cpu_s,
            r->steps > 0 ? 1e6 * r->cpu_s / (double)r->steps : 0);
    fprintf(to, "work                %llu right-hand sides, %llu factorisations, %llu iterations, ",
            r->rates, r->factorisations, r->iterations);
    fprintf(to, "%llu steps rejected\n", r->rejected);
    fprintf(to, "energy drift        %.3g J (largest)\n", r->energy);
    fprintf(to, "largest residuals   position %.3g m or rad, velocity %.3g m/s or rad/s,\n",
            r->position, r->velocity);
    fprintf(to, "                    acceleration %.3g m/s^2 or rad/s^2\n", r->acceleration);
}

static void print_json(const struct course *c, const struct lk_lab_report *r,
                       const struct lk_model *model, FILE *to)
{
    struct lk_json json = {.file = to, .spaced = true};
    const struct lk_method *m = &c->options->method;

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "model", lk_model_name(model));
    lk_json_count(&json, "steps", r->steps);
    lk_json_number(&json, "step_s", m->tolerance > 0 ? NAN : c->h);
    lk_json_number(&json, "time_s", lk_laboratory_time(c->laboratory));
    lk_json_text(&json, "formulation", formulation_of(m, model));
    lk_json_text(&json, "integrator", integrator_of(m));
    lk_json_text(&json, "orientation", m->orientation);
    lk_json_text(&json, "stabilisation", m->stabilisation);
    lk_json_number(&json, "tolerance", m->tolerance);
    lk_json_number(&json, "wall_s", c->wall_s);
    lk_json_number(&json, "cpu_s", r->cpu_s);
    lk_json_count(&json, "rates", r->rates);
    lk_json_count(&json, "factorisations", r->factorisations);
    lk_json_count(&json, "iterations", r->iterations);
    lk_json_count(&json, "rejected", r->rejected);
    lk_json_number(&json, "energy_drift_J", r->energy);
    lk_json_number(&json, "residual_position", r->position);
    lk_json_number(&json, "residual_velocity", r->velocity);
    lk_json_number(&json, "residual_acceleration", r->acceleration);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}

/* Prepare the inputs and the output file.
 * Return: false after an error message. */
static bool prepare_course(struct course *c)
{
    const struct run_options *o = c->options;
    const struct lk_system *system = lk_laboratory_system(c->laboratory);

    c->values = calloc((size_t)lk_system_output_size(system) + 1, sizeof(*c->values));
    if (c->values == NULL) {
        complain("out of memory");
        return false;
    }
    if (!run_inputs_open(system, o, &c->inputs))
        return false;
    if (!run_inputs_change(&c->inputs))
        lk_laboratory_keep_inputs(c->laboratory);
    return o->output == NULL || (c->csv = run_open_csv(system, o->output)) != NULL;
}

static int run_course(struct course *c, const struct lk_model *model)
{
    const struct run_options *o = c->options;
    struct lk_lab_report report;
    bool is_through;
    int code, fault;

    if (!prepare_course(c))
        return EXIT_REFUSED;
    code = go_through(c);
    is_through = code == EXIT_DONE;
    lk_laboratory_report(c->laboratory, &report);
    if (is_through)
        code = run_judge(o, report.position);
    fault = lk_csv_close(c->csv);
    if (fault != 0) {
        complain("%s: %s", o->output, strerror(-fault));
        code = EXIT_REFUSED;
    }
    if (is_through) /* the summary also reports the drift that caused a refusal */
        (o->is_json ? print_json : print_summary)(c, &report, model, run_summary_file(o));
    return code;
}

int run_method(const struct lk_model *model, const struct run_options *options)
{
    struct course c = {.options = options};
    struct lk_method method = options->method;
    struct lk_error error = {""};
    int code, r;

    c.h = options->solver.step > 0 ? options->solver.step : model->solver.step;
    if (options->duration / c.h > RUN_STEPS_MAX)
        return usage_error("duration is %g s, expected at most %g steps", options->duration,
                           RUN_STEPS_MAX);
    if (fabs(options->first_until / c.h - round(options->first_until / c.h)) > 1e-6)
        return usage_error("first-steps go on until %g s, expected a multiple of the step, %g s",
                           options->first_until, c.h);
    method.engine = engine_wanted();
    r = lk_laboratory_open(model, &method, &c.laboratory, &error);
    if (r != 0) {
        file_error("%s: %s", options->path, r > 0 ? error.text : strerror(-r));
        return EXIT_REFUSED;
    }
    code = run_course(&c, model);
    free(c.values);
    run_inputs_close(&c.inputs);
    lk_laboratory_close(c.laboratory);
    return code;
}
