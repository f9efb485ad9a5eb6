/* SPDX-License-Identifier: Apache-2.0 */
#include "report_parts.h"
#include "wire.h"

/* Signed durations of a cycle are small; a negative one that is not loses digits, nothing worse. */
static void put_signed(struct lk_json *json, const char *key, int64_t value)
{
    if (value >= 0)
        lk_json_count(json, key, (uint64_t)value);
    else
        lk_json_number(json, key, (double)value);
}

void lk_report_durations_json(struct lk_json *json, const char *key,
                              const Linkage__V1__Durations *d)
{
    static const Linkage__V1__Durations none = LINKAGE__V1__DURATIONS__INIT;

    if (d == NULL)
        d = &none;
    lk_json_open(json, key, '{');
    lk_json_count(json, "count", d->count);
    lk_json_count(json, "p50_ns", d->p50_ns);
    lk_json_count(json, "p99_ns", d->p99_ns);
    lk_json_count(json, "p999_ns", d->p999_ns);
    lk_json_count(json, "max_ns", d->max_ns);
    lk_json_open(json, "buckets", '[');
    for (size_t i = 0; i < d->n_bucket_upper_ns && i < d->n_bucket_count; i++) {
        lk_json_open(json, NULL, '[');
        lk_json_count(json, NULL, d->bucket_upper_ns[i]);
        lk_json_count(json, NULL, d->bucket_count[i]);
        lk_json_close(json, ']');
    }
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void put_cycles(struct lk_json *json, const char *key,
                       Linkage__V1__CycleRecord *const *cycles, size_t n)
{
    char utc[LK_REPORT_UTC_SIZE];

    lk_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__CycleRecord *c = cycles[i];

        lk_report_utc(c->utc_ns, utc);
        lk_json_open(json, NULL, '{');
        lk_json_count(json, "cycle", c->cycle);
        lk_json_count(json, "step", c->step);
        lk_json_count(json, "deadline_ns", c->deadline_ns);
        lk_json_count(json, "utc_ns", c->utc_ns);
        lk_json_text(json, "utc", utc);
        put_signed(json, "woken_ns", c->woken_ns);
        put_signed(json, "latched_ns", c->latched_ns);
        put_signed(json, "stepped_ns", c->stepped_ns);
        put_signed(json, "computed_ns", c->computed_ns);
        put_signed(json, "ended_ns", c->ended_ns);
        lk_json_text(json, "cause", c->cause);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

void lk_report_proof_json(struct lk_json *json, const char *key, const Linkage__V1__Proof *proof)
{
    static const Linkage__V1__Proof none = LINKAGE__V1__PROOF__INIT;
    const Linkage__V1__Proof *p = proof != NULL ? proof : &none;

    lk_json_open(json, key, '{');
    lk_json_bool(json, "valid", p->valid);
    lk_json_number(json, "progress", p->progress);
    lk_json_count(json, "steps", p->steps);
    lk_json_count(json, "p50_ns", p->p50_ns);
    lk_json_count(json, "p999_ns", p->p999_ns);
    lk_json_count(json, "max_ns", p->max_ns);
    lk_json_count(json, "period_ns", p->period_ns);
    lk_json_number(json, "share_limit", p->share_limit);
    lk_json_number(json, "quantile", p->quantile);
    lk_json_count(json, "judged_ns", p->judged_ns);
    lk_json_count(json, "machine_gap_ns", p->machine_gap_ns);
    lk_json_count(json, "spin_margin_ns", p->spin_margin_ns);
    lk_json_bool(json, "degraded", p->degraded);
    lk_json_text(json, "text", p->text);
    lk_json_close(json, '}');
}

static void put_run(struct lk_json *json, const Linkage__V1__Evidence *e)
{
    lk_json_text(json, "version", e->version);
    lk_json_text(json, "model", e->model);
    lk_json_text(json, "state", lk_wire_state_name(e->state));
    lk_json_text(json, "fault", e->fault);
    lk_json_text(json, "started_utc", e->started_utc);
    lk_json_count(json, "period_ns", e->period_ns);
    lk_json_count(json, "step", e->step);
    lk_json_number(json, "time_s", e->time_s);
    lk_json_count(json, "cycles", e->cycles);
    lk_json_count(json, "overruns", e->overruns);
    lk_json_count(json, "skipped", e->skipped);
    lk_json_count(json, "late_wakeups", e->late_wakeups);
    lk_json_count(json, "late_wakeup_step", e->late_wakeup_step);
    lk_json_count(json, "long_computations", e->long_computations);
    lk_json_count(json, "long_computation_step", e->long_computation_step);
    lk_json_count(json, "caught_up", e->caught_up);
    lk_json_count(json, "throttled", e->throttled);
    lk_json_number(json, "behind_s", e->behind_s);
    lk_json_count(json, "records_lost", e->records_lost);
}

static void put_conditions(struct lk_json *json, const Linkage__V1__Evidence *e)
{
    lk_json_open(json, "degraded", '[');
    for (size_t i = 0; i < e->n_degraded; i++)
        lk_json_text(json, NULL, e->degraded[i]);
    lk_json_close(json, ']');
    lk_json_open(json, "host", '{');
    for (size_t i = 0; i < e->n_host; i++)
        lk_json_text(json, e->host[i]->name, e->host[i]->value);
    lk_json_close(json, '}');
    lk_report_proof_json(json, "proof", e->proof);
}

void lk_report_json(FILE *file, const Linkage__V1__Evidence *evidence)
{
    struct lk_json json = {.file = file};

    lk_json_open(&json, NULL, '{');
    put_run(&json, evidence);
    put_conditions(&json, evidence);
    lk_report_durations_json(&json, "wakeup", evidence->wakeup);
    lk_report_durations_json(&json, "compute", evidence->compute);
    lk_report_durations_json(&json, "response", evidence->response);
    lk_report_durations_json(&json, "hand_over", evidence->hand_over);
    lk_report_durations_json(&json, "input_age", evidence->input_age);
    lk_report_budgets_json(&json, evidence);
    put_cycles(&json, "worst", evidence->worst, evidence->n_worst);
    put_cycles(&json, "missed", evidence->missed, evidence->n_missed);
    lk_json_count(&json, "missed_left_out", evidence->missed_left_out);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
