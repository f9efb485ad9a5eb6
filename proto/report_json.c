/* SPDX-License-Identifier: Apache-2.0 */
#include "fields_json.h"
#include "report_parts.h"

void lk_report_durations_json(struct lk_json *json, const char *key,
                              const Linkage__V1__Durations *d, char bracket)
{
    static const Linkage__V1__Durations none = LINKAGE__V1__DURATIONS__INIT;
    bool has_keys = bracket == '{';

    if (d == NULL)
        d = &none;
    lk_json_open(json, key, '{');
    lk_fields_json(json, &d->base, "count p50_ns p99_ns p999_ns max_ns");
    lk_json_open(json, "buckets", '[');
    for (size_t i = 0; i < d->n_bucket_upper_ns && i < d->n_bucket_count; i++) {
        lk_json_open(json, NULL, bracket);
        lk_json_count(json, has_keys ? "upper_ns" : NULL, d->bucket_upper_ns[i]);
        lk_json_count(json, has_keys ? "count" : NULL, d->bucket_count[i]);
        lk_json_close(json, has_keys ? '}' : ']');
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
        lk_report_utc(cycles[i]->utc_ns, utc);
        lk_json_open(json, NULL, '{');
        lk_fields_json(json, &cycles[i]->base, "cycle step deadline_ns utc_ns");
        lk_json_text(json, "utc", utc);
        lk_fields_json(json, &cycles[i]->base,
                       "woken_ns latched_ns stepped_ns computed_ns ended_ns cause");
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

void lk_report_proof_json(struct lk_json *json, const char *key, const Linkage__V1__Proof *proof)
{
    static const Linkage__V1__Proof none = LINKAGE__V1__PROOF__INIT;

    lk_json_open(json, key, '{');
    lk_fields_json(json, proof != NULL ? &proof->base : &none.base,
                   "valid progress steps p50_ns p999_ns max_ns period_ns share_limit quantile "
                   "judged_ns machine_gap_ns spin_margin_ns degraded text");
    lk_json_close(json, '}');
}

static void put_host(struct lk_json *json, const Linkage__V1__Evidence *e)
{
    lk_json_open(json, "host", '{');
    for (size_t i = 0; i < e->n_host; i++)
        lk_json_text(json, e->host[i]->name, e->host[i]->value);
    lk_json_close(json, '}');
}

void lk_report_json(FILE *file, const Linkage__V1__Evidence *evidence)
{
    struct lk_json json = {.file = file};

    lk_json_open(&json, NULL, '{');
    lk_fields_json(&json, &evidence->base,
                   "version model state fault started_utc period_ns step time_s cycles overruns "
                   "skipped late_wakeups late_wakeup_step long_computations long_computation_step "
                   "caught_up throttled behind_s records_lost degraded");
    put_host(&json, evidence);
    lk_report_proof_json(&json, "proof", evidence->proof);
    lk_report_durations_json(&json, "wakeup", evidence->wakeup, '[');
    lk_report_durations_json(&json, "compute", evidence->compute, '[');
    lk_report_durations_json(&json, "response", evidence->response, '[');
    lk_report_durations_json(&json, "hand_over", evidence->hand_over, '[');
    lk_report_durations_json(&json, "input_age", evidence->input_age, '[');
    lk_report_budgets_json(&json, evidence);
    put_cycles(&json, "worst", evidence->worst, evidence->n_worst);
    put_cycles(&json, "missed", evidence->missed, evidence->n_missed);
    lk_fields_json(&json, &evidence->base, "missed_left_out");
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
