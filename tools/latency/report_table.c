/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <inttypes.h>
#include <math.h>

static const char *word_of(enum lk_host_known value, const char *yes, const char *no)
{
    return value == LK_HOST_YES ? yes : value == LK_HOST_NO ? no : "unknown";
}

static void print_conditions(FILE *file, const struct lat_report *report)
{
    const struct lat_options *o = &report->options;
    const struct lk_host *host = &report->host;

    fprintf(file, "core %d, priority %d, period %d us; up to %d rounds, slices of %g s; %s\n",
            o->core, o->priority, o->period_us, o->n_rounds, o->slice_s, report->date_utc);
    fprintf(file, "%s (PREEMPT_RT: %s), %d processors, %s\n", host->kernel,
            word_of(host->realtime, "yes", "no"), host->n_cpus, host->processor);
    fprintf(file, "virtual machine: %s; core isolated: %s; governor: %s; clock: %s\n",
            word_of(host->virtual_machine, "yes", "no"),
            CPU_ISSET(o->core, &host->isolated) ? "yes" : "no",
            report->governor[0] != '\0' ? report->governor : "-", host->clocksource);
    for (int i = 0; i < report->n_notes; i++)
        fprintf(file, "note: %s\n", report->notes[i]);
}

/* Print a duration with four significant digits, without an exponent. */
static void print_us(FILE *file, double us)
{
    int decimals = us >= 1000 || isnan(us) ? 0 : us >= 100 ? 1 : us >= 10 ? 2 : 3;

    if (isnan(us))
        fprintf(file, " %9s", "-");
    else
        fprintf(file, " %9.*f", decimals, us);
}

static void print_row(FILE *file, const char *name, const struct lat_histogram *h)
{
    fprintf(file, "%-22s %8" PRIu64, name, h->count);
    print_us(file, lat_histogram_quantile(h, 0.5));
    print_us(file, lat_histogram_quantile(h, 0.9));
    print_us(file, lat_histogram_quantile(h, 0.99));
    print_us(file, lat_histogram_quantile(h, 0.999));
    print_us(file, h->count > 0 ? h->max_us : NAN);
    fprintf(file, "\n");
}

static void print_head(FILE *file, const char *title)
{
    fprintf(file, "\n%-22s %8s %9s %9s %9s %9s %9s\n", title, "n", "p50", "p90", "p99", "p99.9",
            "max");
}

static void print_wakeups(FILE *file, const struct lat_report *report,
                          const struct lat_load_result *result)
{
    const struct lat_round *total = &result->total;

    print_head(file, "wake-up [us]");
    for (int m = report->with_cyclictest ? 0 : 1; m <= report->options.n_wakes; m++)
        print_row(file, lat_report_method(report, m), &total->wakeups[m].late);
    for (int m = 1; m <= report->options.n_wakes; m++)
        fprintf(file, "%-22s %8" PRIu64 " overruns, %" PRIu64 " grid points skipped\n",
                lat_report_method(report, m), total->wakeups[m].overruns,
                total->wakeups[m].skipped);
}

static void print_trips(FILE *file, const struct lat_report *report,
                        const struct lat_load_result *result)
{
    static const char *const names[LAT_N_TRIPS] = {"500 a second", "ping-pong"};

    print_head(file, "bench round trip [us]");
    for (int t = 0; t < LAT_N_TRIPS; t++)
        print_row(file, names[t], &result->total.trips[t].time);
    for (int t = 0; t < LAT_N_TRIPS; t++) {
        const struct lat_trips *trips = &result->total.trips[t];
        double cycle = 1.0 / report->options.period_us;

        fprintf(file, "%-22s p50 %.2f, p99 %.2f, p99.9 %.2f cycles; %" PRIu64 " never seen\n",
                names[t], lat_histogram_quantile(&trips->time, 0.5) * cycle,
                lat_histogram_quantile(&trips->time, 0.99) * cycle,
                lat_histogram_quantile(&trips->time, 0.999) * cycle, trips->unseen);
    }
}

/* Print a ratio and its confidence interval, such as "1.04 [0.99 1.08]". */
static void print_ratio(FILE *file, const struct lat_ratio *ratio)
{
    int digits = ratio->value < 0.1 ? 2 : 3;
    char text[64];

    snprintf(text, sizeof(text), "%.*g [%.*g %.*g]", digits, ratio->value, digits, ratio->low,
             digits, ratio->high);
    fprintf(file, " %-26s", text);
}

static void print_allowed(FILE *file, const struct lat_gate *gate, enum lat_statistic statistic)
{
    if (gate == NULL || statistic == LAT_P90)
        fprintf(file, " -\n");
    else
        fprintf(file, " %.2f\n",
                statistic == LAT_P50   ? gate->p50
                : statistic == LAT_P99 ? gate->p99
                                       : gate->lower_mean);
}

static void print_ratios(FILE *file, const struct lat_report *report,
                         const struct lat_load_result *result)
{
    const struct lat_gate *gate = lat_gate_for(result->n_rounds, report->options.slice_s);

    fprintf(file, "\n%-22s", "ratio to cyclictest");
    for (int m = 1; m <= report->options.n_wakes; m++)
        fprintf(file, " %-26s", lat_report_method(report, m));
    fprintf(file, " allowed\n");
    for (int s = 0; s < LAT_N_STATISTICS; s++) {
        fprintf(file, "%-22s", lat_statistic_name((enum lat_statistic)s));
        for (int m = 1; m <= report->options.n_wakes; m++)
            print_ratio(file, &result->judgement[m].ratios[s]);
        print_allowed(file, gate, (enum lat_statistic)s);
    }
}

static void print_verdicts(FILE *file, const struct lat_report *report,
                           const struct lat_load_result *result)
{
    static const char *const words[] = {"no verdict: ", "accepted", "MISSED: "};

    fprintf(file, "\n");
    for (int m = 1; m <= report->options.n_wakes; m++)
        fprintf(file, "verdict on %s: %s%s\n", lat_report_method(report, m),
                words[result->judgement[m].verdict], result->judgement[m].why);
}

static void print_load(FILE *file, const struct lat_report *report,
                       const struct lat_load_result *result)
{
    const struct lat_gaps *gaps = &result->total.gaps;

    fprintf(file, "\n==== load: %s", lat_load_name(result->load));
    if (result->n_rounds == 0) {
        fprintf(file, " ==== left out: %s\n",
                result->left_out[0] != '\0' ? result->left_out : "interrupted in the first round");
        return;
    }
    fprintf(file, ", %d round%s%s ====\n", result->n_rounds, result->n_rounds == 1 ? "" : "s",
            result->repeated ? ", the second try" : "");
    print_wakeups(file, report, result);
    if (report->with_cyclictest)
        print_ratios(file, report, result);
    if (report->with_trips)
        print_trips(file, report, result);
    fprintf(file,
            "\nloop on the clock      %.1f gaps of more than %.0f us a second, largest %.0f us\n",
            (double)gaps->n / gaps->time_s, LAT_GAP_US, gaps->max_us);
    print_verdicts(file, report, result);
}

void lat_report_table(FILE *file, const struct lat_report *report)
{
    print_conditions(file, report);
    for (int i = 0; i < report->n_loads; i++)
        print_load(file, report, &report->loads[i]);
    if (report->interrupted)
        fprintf(file, "\ninterrupted: what had been measured by then\n");
    if (report->options.gate)
        fprintf(file, "\n%s\n", lat_report_accepted(report) ? "accepted" : "NOT ACCEPTED");
}
