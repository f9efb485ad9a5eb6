/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence as tables of text. */
#include "linkage/text.h"
#include "report_parts.h"
#include "wire.h"

#include <inttypes.h>
#include <time.h>

#define CYCLES_SHOWN 10

void lk_report_put(FILE *file, const char *text)
{
    lk_text_print(file, text != NULL ? text : "");
}

void lk_report_utc(uint64_t utc_ns, char ret_text[LK_REPORT_UTC_SIZE])
{
    time_t seconds = (time_t)(utc_ns / 1000000000);
    struct tm tm;
    size_t n = 0;

    /* The year has four digits, because 64 bits of nanoseconds end in 2554. */
    if (utc_ns > 0 && gmtime_r(&seconds, &tm) != NULL)
        n = strftime(ret_text, LK_REPORT_UTC_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
    ret_text[n] = '\0';
    if (n > 0)
        snprintf(ret_text + n, LK_REPORT_UTC_SIZE - n, ".%06uZ",
                 (unsigned int)(utc_ns % 1000000000 / 1000));
}

static bool is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static void put_labelled(FILE *file, const char *label, const char *text)
{
    fprintf(file, "%-13s ", label);
    lk_report_put(file, text);
    putc('\n', file);
}

static void put_head(FILE *file, const Linkage__V1__Evidence *e)
{
    put_labelled(file, "model", e->model);
    fprintf(file, "%-13s %s, t = %.3f s, step %" PRIu64, "state", lk_wire_state_name(e->state),
            e->time_s, e->step);
    if (!is_empty(e->started_utc)) {
        fputs(", started ", file);
        lk_report_put(file, e->started_utc);
    }
    putc('\n', file);
    if (!is_empty(e->fault))
        put_labelled(file, "fault", e->fault);
    fprintf(file, "%-13s %.1f us\n", "period", (double)e->period_ns * 1e-3);
    if (e->proof != NULL && !is_empty(e->proof->text))
        put_labelled(file, "proof", e->proof->text);
    for (size_t i = 0; i < e->n_degraded; i++)
        put_labelled(file, i == 0 ? "degraded" : "", e->degraded[i]);
}

/* Print the number of late events, and the step of the last one. */
static void put_late(FILE *file, uint64_t count, const char *what, uint64_t step)
{
    fprintf(file, " %" PRIu64 " %s", count, what);
    if (count > 0)
        fprintf(file, " (last at step %" PRIu64 ")", step);
    fputc(',', file);
}

static void put_counters(FILE *file, const Linkage__V1__Evidence *e)
{
    fprintf(file,
            "%-13s %" PRIu64 ", of these %" PRIu64 " overran; %" PRIu64
            " grid points skipped, %" PRIu64 " steps caught up\n",
            "cycles", e->cycles, e->overruns, e->skipped, e->caught_up);
    fprintf(file, "%-13s", "late");
    put_late(file, e->late_wakeups, "late wake-ups", e->late_wakeup_step);
    put_late(file, e->long_computations, "long computations", e->long_computation_step);
    fprintf(file, " %" PRIu64 " throttled by the kernel\n", e->throttled);
    fprintf(file, "%-13s %.6f s behind wall time\n", "simulated", e->behind_s);
    if (e->records_lost > 0)
        fprintf(file, "%-13s %" PRIu64 " cycles, which may be among the worst\n", "not read",
                e->records_lost);
}

void lk_report_durations_head(FILE *file)
{
    fprintf(file, "%-13s %10s %10s %10s %10s %12s\n", "[us]", "p50", "p99", "p99.9", "max",
            "count");
}

void lk_report_durations_text(FILE *file, const char *label, const Linkage__V1__Durations *d)
{
    fprintf(file, "%-13s", label);
    if (d == NULL || d->count == 0)
        fprintf(file, " %10s %10s %10s %10s %12d\n", "-", "-", "-", "-", 0);
    else
        fprintf(file, " %10.1f %10.1f %10.1f %10.1f %12" PRIu64 "\n", (double)d->p50_ns * 1e-3,
                (double)d->p99_ns * 1e-3, (double)d->p999_ns * 1e-3, (double)d->max_ns * 1e-3,
                d->count);
}

static void put_distributions(FILE *file, const Linkage__V1__Evidence *e)
{
    putc('\n', file);
    lk_report_durations_head(file);
    lk_report_durations_text(file, "wake-up", e->wakeup);
    lk_report_durations_text(file, "compute", e->compute);
    lk_report_durations_text(file, "response", e->response);
    lk_report_durations_text(file, "hand-over", e->hand_over);
    lk_report_durations_text(file, "input age", e->input_age);
}

static void put_cycle(FILE *file, const Linkage__V1__CycleRecord *c)
{
    char utc[LK_REPORT_UTC_SIZE];

    lk_report_utc(c->utc_ns, utc);
    fprintf(file, "%10" PRIu64 " %10" PRIu64 " %9.1f %9.1f %9.1f %9.1f %9.1f  %-27s", c->cycle,
            c->step, (double)c->woken_ns * 1e-3, (double)c->latched_ns * 1e-3,
            (double)c->stepped_ns * 1e-3, (double)c->computed_ns * 1e-3, (double)c->ended_ns * 1e-3,
            utc);
    if (!is_empty(c->cause))
        fputs("  ", file);
    lk_report_put(file, c->cause);
    putc('\n', file);
}

static void put_cycles(FILE *file, const char *title, Linkage__V1__CycleRecord *const *cycles,
                       size_t n, uint64_t left_out)
{
    if (n == 0 && left_out == 0)
        return;
    fprintf(file, "\n%s, phases in us from the grid point\n", title);
    fprintf(file, "%10s %10s %9s %9s %9s %9s %9s  %s\n", "cycle", "step", "woken", "latched",
            "stepped", "computed", "ended", "grid point (UTC)");
    for (size_t i = 0; i < n && i < CYCLES_SHOWN; i++)
        put_cycle(file, cycles[i]);
    if (n > CYCLES_SHOWN)
        left_out += n - CYCLES_SHOWN;
    if (left_out > 0)
        fprintf(file, "%10s and %" PRIu64 " more\n", "", left_out);
}

void lk_report_text(FILE *file, const Linkage__V1__Evidence *evidence)
{
    size_t n_worst = evidence->n_worst < CYCLES_SHOWN ? evidence->n_worst : CYCLES_SHOWN;

    put_head(file, evidence);
    put_counters(file, evidence);
    put_distributions(file, evidence);
    lk_report_budgets_text(file, evidence);
    put_cycles(file, "worst cycles", evidence->worst, n_worst, 0);
    put_cycles(file, "missed deadlines", evidence->missed, evidence->n_missed,
               evidence->missed_left_out);
}
