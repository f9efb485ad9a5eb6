/* SPDX-License-Identifier: Apache-2.0 */
/* Report on the round trips of benches, divided into segments. */
#include "fields_json.h"
#include "report_parts.h"

#include <inttypes.h>

static bool has_any(const Linkage__V1__Durations *d)
{
    return d != NULL && d->count > 0;
}

static void put_title(FILE *file, const Linkage__V1__LatencyBudget *b)
{
    fputs("\nlatency budget of ", file);
    if (b->claim == 0) {
        fputs("samples without a claim\n", file);
        return;
    }
    fputs("bench '", file);
    lk_report_put(file, b->bench);
    fprintf(file, "', claim %" PRIu32 "\n", b->claim);
}

/* Print the one-way times, or the reason why they are not measured. */
static void put_one_way(FILE *file, const Linkage__V1__LatencyBudget *b)
{
    fprintf(file, "%-13s ", "one way");
    if (b->one_way && b->uncertainty_ns > 0)
        fprintf(file, "measured, to within %.1f us: both clocks say that they are synchronised\n",
                (double)b->uncertainty_ns * 1e-3);
    else if (b->one_way)
        fputs("measured: both clocks say that they are synchronised, but not how well\n", file);
    else if (has_any(b->wire))
        fprintf(file,
                "not measured, the clocks are not both synchronised; half of wire: p50 %.1f us\n",
                (double)b->wire->p50_ns * 0.5e-3);
    else
        fputs("not measured; the bench does not say what it answers (reply_to)\n", file);
}

static void put_budget(FILE *file, const Linkage__V1__LatencyBudget *b)
{
    put_title(file, b);
    lk_report_durations_head(file);
    lk_report_durations_text(file, "wire", b->wire);
    if (b->one_way) {
        lk_report_durations_text(file, "  in", b->wire_in);
        lk_report_durations_text(file, "  out", b->wire_out);
    }
    lk_report_durations_text(file, "wait", b->wait);
    lk_report_durations_text(file, "step", b->step);
    lk_report_durations_text(file, "publish", b->publish);
    lk_report_durations_text(file, "bench hold", b->bench_hold);
    put_one_way(file, b);
}

void lk_report_budgets_text(FILE *file, const Linkage__V1__Evidence *evidence)
{
    for (size_t i = 0; i < evidence->n_budgets; i++)
        put_budget(file, evidence->budgets[i]);
    if (evidence->n_budgets > 0)
        fputs(
            "clocks        wait, step, publish: the daemon's (monotonic); bench hold: the bench's "
            "own;\n"
            "              wire: there and back, daemon's clock less the bench's hold; in, out: "
            "wall clocks of both\n",
            file);
}

static void put_budget_json(struct lk_json *json, const Linkage__V1__LatencyBudget *b)
{
    lk_json_open(json, NULL, '{');
    lk_fields_json(json, &b->base, "claim bench one_way uncertainty_ns");
    lk_report_durations_json(json, "wire", b->wire, '[');
    lk_report_durations_json(json, "wire_in", b->one_way ? b->wire_in : NULL, '[');
    lk_report_durations_json(json, "wire_out", b->one_way ? b->wire_out : NULL, '[');
    lk_report_durations_json(json, "wait", b->wait, '[');
    lk_report_durations_json(json, "step", b->step, '[');
    lk_report_durations_json(json, "publish", b->publish, '[');
    lk_report_durations_json(json, "bench_hold", b->bench_hold, '[');
    lk_json_close(json, '}');
}

static void put_clocks_json(struct lk_json *json)
{
    static const char daemon[] = "daemon, monotonic", both[] = "wall clocks of daemon and bench";

    lk_json_open(json, "budget_clocks", '{');
    lk_json_text(json, "wire", "daemon, monotonic, less bench_hold");
    lk_json_text(json, "wire_in", both);
    lk_json_text(json, "wire_out", both);
    lk_json_text(json, "wait", daemon);
    lk_json_text(json, "step", daemon);
    lk_json_text(json, "publish", daemon);
    lk_json_text(json, "bench_hold", "bench");
    lk_json_close(json, '}');
}

void lk_report_budgets_json(struct lk_json *json, const Linkage__V1__Evidence *evidence)
{
    put_clocks_json(json);
    lk_json_open(json, "budgets", '[');
    for (size_t i = 0; i < evidence->n_budgets; i++)
        put_budget_json(json, evidence->budgets[i]);
    lk_json_close(json, ']');
}
