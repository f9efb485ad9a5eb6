/* SPDX-License-Identifier: Apache-2.0 */
/* JSON report of a comparison: one object in one line; README.md documents the keys. */
#include "compare.h"

#include "linkage/json.h"
#include "linkage/version.h"

static const char *const outcomes[] = {
    [COMPARE_WAITING] = "waiting", [COMPARE_DONE] = "done",   [COMPARE_MISFIT] = "does not fit",
    [COMPARE_FAILED] = "failed",   [COMPARE_LIMIT] = "limit",
};
static const char *const quantities[COMPARE_QUANTITIES] = {"position", "velocity", "reaction"};

const char *compare_outcome_name(enum compare_outcome outcome)
{
    return outcomes[outcome];
}

static void write_errors(struct lk_json *json, const char *key,
                         const double values[COMPARE_QUANTITIES])
{
    lk_json_open(json, key, '{');
    for (int q = 0; q < COMPARE_QUANTITIES; q++)
        lk_json_number(json, quantities[q], values[q]);
    lk_json_close(json, '}');
}

static void write_reference(struct lk_json *json, const struct compare_reference *r)
{
    lk_json_open(json, "reference", '{');
    lk_json_text(json, "name", r->name);
    lk_json_text(json, "confirmed", r->confirmed);
    write_errors(json, "trust", r->trust);
    lk_json_text(json, "ignored", r->ignored);
    lk_json_open(json, "columns", '[');
    for (int i = 0; i < r->n_columns; i++)
        lk_json_text(json, NULL, r->columns[i].name);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void write_report(struct lk_json *json, const struct lk_lab_report *r)
{
    lk_json_open(json, "drift", '{');
    lk_json_number(json, "position", r->position);
    lk_json_number(json, "velocity", r->velocity);
    lk_json_number(json, "acceleration", r->acceleration);
    lk_json_number(json, "energy", r->energy);
    lk_json_close(json, '}');
    lk_json_count(json, "rates", r->rates);
    lk_json_count(json, "steps", r->steps);
    lk_json_count(json, "rejected", r->rejected);
    lk_json_count(json, "jacobians", r->jacobians);
    lk_json_count(json, "factorisations", r->factorisations);
    lk_json_count(json, "iterations", r->iterations);
    lk_json_number(json, "cpu_s", r->cpu_s);
}

static void write_run(struct lk_json *json, const struct compare_run *run)
{
    const struct lk_method *m = &run->method;

    lk_json_open(json, NULL, '{');
    lk_json_text(json, "formulation", m->formulation);
    lk_json_text(json, "integrator", m->integrator);
    lk_json_text(json, "orientation", m->orientation);
    lk_json_text(json, "stabilisation", m->stabilisation);
    lk_json_number(json, "step_s", m->step);
    lk_json_number(json, "tolerance", m->tolerance);
    lk_json_text(json, "outcome", compare_outcome_name(run->outcome));
    lk_json_text(json, "reason", run->reason);
    lk_json_number(json, "reached_s", run->reached);
    write_errors(json, "end", run->end);
    write_errors(json, "worst", run->worst);
    write_report(json, &run->report);
    lk_json_close(json, '}');
}

void compare_json(FILE *f, const struct compare *c)
{
    struct lk_json json = {.file = f};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "version", LK_VERSION);
    lk_json_text(&json, "model", lk_model_name(c->model));
    lk_json_number(&json, "duration_s", c->reference.time[c->reference.n_times - 1]);
    lk_json_count(&json, "samples", (uint64_t)c->reference.n_times);
    write_reference(&json, &c->reference);
    lk_json_open(&json, "runs", '[');
    for (int i = 0; i < c->n_runs; i++)
        write_run(&json, &c->runs[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
