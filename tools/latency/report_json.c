/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "linkage/json.h"

#include <math.h>

static void put_known(struct lk_json *json, const char *key, enum lk_host_known value)
{
    lk_json_text(json, key, value == LK_HOST_YES ? "yes" : value == LK_HOST_NO ? "no" : "unknown");
}

static void put_host(struct lk_json *json, const struct lat_report *report)
{
    const struct lk_host *host = &report->host;
    char isolated[LK_HOST_TEXT];

    lk_host_format_cpus(&host->isolated, isolated, sizeof(isolated));
    lk_json_open(json, "host", '{');
    lk_json_text(json, "kernel", host->kernel);
    lk_json_text(json, "processor", host->processor);
    lk_json_number(json, "processors", host->n_cpus);
    put_known(json, "preempt_rt", host->realtime);
    put_known(json, "virtual_machine", host->virtual_machine);
    lk_json_text(json, "isolated", isolated);
    lk_json_text(json, "governor", report->governor);
    lk_json_text(json, "clocksource", host->clocksource);
    lk_json_close(json, '}');
}

static void put_options(struct lk_json *json, const struct lat_options *o)
{
    lk_json_number(json, "core", o->core);
    lk_json_number(json, "priority", o->priority);
    lk_json_number(json, "period_us", o->period_us);
    lk_json_number(json, "rounds", o->n_rounds);
    lk_json_number(json, "slice_s", o->slice_s);
    lk_json_count(json, "seed", o->seed);
    lk_json_text(json, "model", o->model != NULL ? o->model : "built in");
}

static void put_quantiles(struct lk_json *json, const struct lat_histogram *h)
{
    lk_json_count(json, "n", h->count);
    lk_json_number(json, "p50_us", lat_histogram_quantile(h, 0.5));
    lk_json_number(json, "p90_us", lat_histogram_quantile(h, 0.9));
    lk_json_number(json, "p99_us", lat_histogram_quantile(h, 0.99));
    lk_json_number(json, "p999_us", lat_histogram_quantile(h, 0.999));
    lk_json_number(json, "max_us", h->count > 0 ? h->max_us : NAN);
    lk_json_number(json, "lower_99_mean_us", lat_histogram_lower_mean(h, 0.99));
}

/* Write a quantile of each round, so that a single bad round can be distinguished from a bad
 * machine. */
static void put_rounds(struct lk_json *json, const char *key, const struct lat_load_result *result,
                       int method, double q)
{
    lk_json_open(json, key, '[');
    for (int k = 0; k < result->n_rounds; k++)
        lk_json_number(json, NULL,
                       lat_histogram_quantile(&result->rounds[k].wakeups[method].late, q));
    lk_json_close(json, ']');
}

static void put_judgement(struct lk_json *json, const struct lat_judgement *judgement)
{
    static const char *const keys[LAT_N_STATISTICS] = {"p50", "p90", "lower_99_mean", "p99"};
    static const char *const verdicts[] = {"none", "accepted", "missed"};

    lk_json_open(json, "ratio_to_cyclictest", '{');
    for (int s = 0; s < LAT_N_STATISTICS; s++) {
        lk_json_open(json, keys[s], '{');
        lk_json_number(json, "value", judgement->ratios[s].value);
        lk_json_number(json, "low", judgement->ratios[s].low);
        lk_json_number(json, "high", judgement->ratios[s].high);
        lk_json_close(json, '}');
    }
    lk_json_close(json, '}');
    lk_json_text(json, "verdict", verdicts[judgement->verdict]);
    lk_json_text(json, "why", judgement->why);
}

static void put_methods(struct lk_json *json, const struct lat_report *report,
                        const struct lat_load_result *result)
{
    lk_json_open(json, "wakeup", '[');
    for (int m = report->with_cyclictest ? 0 : 1; m <= report->options.n_wakes; m++) {
        const struct lat_wakeups *wakeups = &result->total.wakeups[m];

        lk_json_open(json, NULL, '{');
        lk_json_text(json, "method", lat_report_method(report, m));
        put_quantiles(json, &wakeups->late);
        put_rounds(json, "rounds_p50_us", result, m, 0.5);
        put_rounds(json, "rounds_p99_us", result, m, 0.99);
        if (m > 0) {
            lk_json_count(json, "overruns", wakeups->overruns);
            lk_json_count(json, "skipped", wakeups->skipped);
            put_judgement(json, &result->judgement[m]);
        }
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void put_trips(struct lk_json *json, const struct lat_load_result *result)
{
    static const char *const names[LAT_N_TRIPS] = {"stream-500-hz", "ping-pong"};

    lk_json_open(json, "round_trip", '[');
    for (int t = 0; t < LAT_N_TRIPS; t++) {
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "kind", names[t]);
        put_quantiles(json, &result->total.trips[t].time);
        lk_json_count(json, "unseen", result->total.trips[t].unseen);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

static void put_load(struct lk_json *json, const struct lat_report *report,
                     const struct lat_load_result *result)
{
    const struct lat_gaps *gaps = &result->total.gaps;

    lk_json_open(json, NULL, '{');
    lk_json_text(json, "load", lat_load_name(result->load));
    lk_json_number(json, "rounds", result->n_rounds);
    lk_json_text(json, "left_out", result->left_out);
    lk_json_bool(json, "repeated", result->repeated);
    put_methods(json, report, result);
    if (report->with_trips)
        put_trips(json, result);
    lk_json_open(json, "clock_loop", '{');
    lk_json_number(json, "time_s", gaps->time_s);
    lk_json_number(json, "gap_us", LAT_GAP_US);
    lk_json_count(json, "gaps", gaps->n);
    lk_json_number(json, "max_us", gaps->max_us);
    lk_json_close(json, '}');
    lk_json_close(json, '}');
}

void lat_report_json(FILE *file, const struct lat_report *report)
{
    struct lk_json json = {.file = file};

    lk_json_open(&json, NULL, '{');
    lk_json_text(&json, "program", "linkage-latency");
    lk_json_text(&json, "version", report->version);
    lk_json_text(&json, "date", report->date_utc);
    put_host(&json, report);
    put_options(&json, &report->options);
    lk_json_bool(&json, "interrupted", report->interrupted);
    lk_json_bool(&json, "accepted", lat_report_accepted(report));
    lk_json_open(&json, "notes", '[');
    for (int i = 0; i < report->n_notes; i++)
        lk_json_text(&json, NULL, report->notes[i]);
    lk_json_close(&json, ']');
    lk_json_open(&json, "loads", '[');
    for (int i = 0; i < report->n_loads; i++)
        put_load(&json, report, &report->loads[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
