/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/json.h"
#include "soak.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH_MAX_KIB                                                                             \
    2048 /* pages that a burst of messages uses; a leak of a byte per cycle                        \
            would be a hundred times as much */

#define KIND(name) LINKAGE__V1__INJECTION_KIND__INJECTION_##name

/* ---- the verdict ---- */

__attribute__((format(printf, 2, 3))) static void blame(struct soak_counts *b, const char *format,
                                                        ...)
{
    va_list arguments;

    if (b->n_trouble == (int)(sizeof(b->trouble) / sizeof(b->trouble[0])))
        return;
    va_start(arguments, format);
    vsnprintf(b->trouble[b->n_trouble++], sizeof(b->trouble[0]), format, arguments);
    va_end(arguments);
}

static void judge_deadlines(struct soak_counts *b)
{
    const Linkage__V1__Evidence *e = b->evidence;
    const uint64_t *count = b->explained->count;
    double skipped_s = (double)e->skipped * (double)e->period_ns * 1e-9;

    if (count[SOAK_UNKNOWN] > 0)
        blame(b, "%" PRIu64 " missed deadlines without an explanation", count[SOAK_UNKNOWN]);
    if (b->explained->seen > e->overruns)
        blame(b, "%" PRIu64 " missed deadlines in the records, the daemon counts %" PRIu64,
              b->explained->seen, e->overruns);
    if (count[SOAK_UNSEEN] > 0)
        blame(b, "%" PRIu64 " missed deadlines that nobody has looked at", count[SOAK_UNSEEN]);
    /* a stall is longer than a period, so each causes a miss; overwritten records are not
     * counted */
    if (count[SOAK_INJECTED] + count[SOAK_UNSEEN] < b->faults->touched[KIND(STALL)])
        blame(b, "%" PRIu64 " cycles were stalled, the daemon says that it stalled %" PRIu64,
              count[SOAK_INJECTED], b->faults->touched[KIND(STALL)]);
    if (fabs(e->behind_s - skipped_s) > (double)e->period_ns * 1e-9)
        blame(b, "simulated time is %.6f s behind, %.6f s of grid points were skipped", e->behind_s,
              skipped_s);
}

/* Judge the samples. If the bench's own queue overflows, samples are lost. They are counted, but
 * this is no fault of the daemon. */
static void judge_samples(struct soak_counts *b)
{
    const Linkage__V1__Status *s = b->status;

    if (b->unanswered != 0)
        blame(b,
              "%" PRId64 " of the samples sent are neither accepted, refused, dropped nor missed",
              b->unanswered);
    if (b->missed_on_the_way != 0)
        blame(b, "%" PRIu64 " output samples published, %" PRIu64 " received, %" PRIu64 " lost",
              s->outputs_published, (uint64_t)b->bench->received, b->bench->lost);
    if (b->bench->not_newer > 0)
        blame(b, "%" PRIu64 " output samples came twice or out of order", b->bench->not_newer);
}

static void judge_process(struct soak_counts *b)
{
    if (!b->alive)
        blame(b, "the daemon died");
    if (*b->evidence->fault)
        blame(b, "the run ended in a fault: %.100s", b->evidence->fault);
    if (b->end.rss_kib - b->begin.rss_kib > GROWTH_MAX_KIB && b->begin.rss_kib > 0)
        blame(b, "the memory of the daemon grew by %ld KiB", b->end.rss_kib - b->begin.rss_kib);
    if (b->end.descriptors > b->begin.descriptors && b->begin.rss_kib > 0)
        blame(b, "the daemon has %ld descriptors more than before",
              b->end.descriptors - b->begin.descriptors);
    if (b->status->page_faults > 0)
        blame(b, "%" PRIu64 " page faults in the cycle's thread", b->status->page_faults);
}

/* Return the number of samples lost on the line. The daemon also counts gaps for samples that
 * faults dropped or that a newer sample overtook. */
static int64_t count_lost(const struct soak_counts *b)
{
    uint64_t gaps = 0;

    for (size_t i = 0; i < b->inputs->n_claims; i++)
        gaps += b->inputs->claims[i]->gaps;
    return (int64_t)(gaps - b->faults->touched[KIND(DROP)] - b->inputs->refusals->not_newer);
}

void soak_judge(struct soak_counts *b)
{
    struct soak_explained *x = (struct soak_explained *)b->explained;
    const Linkage__V1__Status *s = b->status;

    /* among so many cycles the machine stops some just where a stall is injected */
    if (x->count[SOAK_INJECTED] > b->faults->touched[KIND(STALL)]) {
        x->count[SOAK_COMPUTING] += x->count[SOAK_INJECTED] - b->faults->touched[KIND(STALL)];
        x->count[SOAK_INJECTED] = b->faults->touched[KIND(STALL)];
    }
    if (b->evidence->overruns > x->seen)
        x->count[SOAK_UNSEEN] += b->evidence->overruns - x->seen;
    b->lost = count_lost(b);
    b->unanswered = (int64_t)(b->bench->sent - s->inputs_accepted - s->inputs_refused -
                              b->faults->touched[KIND(DROP)]) -
                    b->lost;
    b->unpublished = (int64_t)(s->step / b->options->divisor - s->outputs_published);
    b->missed_on_the_way = (int64_t)(s->outputs_published - b->bench->received - b->bench->lost);
    judge_deadlines(b);
    judge_samples(b);
    judge_process(b);
}

static double energy_balance(const Linkage__V1__Status *s)
{
    return s->kinetic + s->potential - s->energy_start - s->work_input + s->dissipated;
}

/* ---- text for people ---- */

static void print_durations(const char *what, const Linkage__V1__Durations *d)
{
    printf("%s p50 %.2f p99 %.1f p99.9 %.1f max %.1f us\n", what, (double)d->p50_ns * 1e-3,
           (double)d->p99_ns * 1e-3, (double)d->p999_ns * 1e-3, (double)d->max_ns * 1e-3);
}

static void print_run(const struct soak_counts *b)
{
    const Linkage__V1__Evidence *e = b->evidence;

    printf("%s at %g Hz for %.1f s, core %d, wake %s, load average at the end %.2f %.2f %.2f\n",
           e->model, b->options->rate, b->seconds, b->options->core, b->options->wake, b->load[0],
           b->load[1], b->load[2]);
    printf("armed at attempt %d: %s\n", b->arm_attempts, b->proof);
    printf("cycles %" PRIu64 " of %" PRIu64 ", steps %" PRIu64 ", grid points skipped %" PRIu64
           " (%.4f %%), behind %.6f s\n",
           e->cycles, b->options->cycles, e->step, e->skipped,
           100.0 * (double)e->skipped / (double)(e->cycles + e->skipped + 1), e->behind_s);
    print_durations("wake-up", e->wakeup);
    print_durations("compute", e->compute);
    print_durations("response", e->response);
    printf("late wake-ups %" PRIu64 ", long computations %" PRIu64
           ", held back by the kernel %" PRIu64 ", core lost %" PRIu64
           " times, page faults %" PRIu64 ", records lost %" PRIu64 "\n",
           e->late_wakeups, e->long_computations, e->throttled, b->status->involuntary_switches,
           b->status->page_faults, e->records_lost);
}

static void print_deadlines(const struct soak_counts *b)
{
    printf("missed deadlines %" PRIu64 "\n", b->evidence->overruns);
    for (int i = 0; i < SOAK_REASONS; i++)
        if (b->explained->count[i] > 0)
            printf("  %10" PRIu64 "  %s, by up to %.1f us\n", b->explained->count[i],
                   soak_reason_text((enum soak_reason)i), (double)b->explained->late_ns[i] * 1e-3);
    printf("the core was gone for up to %.1f us at a time (the cycle itself included)\n",
           (double)b->witness->longest_ns * 1e-3);
}

static void print_faults(const struct soak_counts *b)
{
    printf("faults on purpose, seed %" PRIu64 ":", b->options->seed);
    for (int i = 1; i < SOAK_KINDS; i++)
        if (b->faults->begun[i] > 0)
            printf(" %s %" PRIu64 " (%" PRIu64 " touched)",
                   lk_names_injection((Linkage__V1__InjectionKind)i), b->faults->begun[i],
                   b->faults->touched[i]);
    printf("\n");
}

static void print_samples(const struct soak_counts *b)
{
    const Linkage__V1__Refusals *r = b->inputs->refusals;
    const Linkage__V1__Status *s = b->status;

    printf("inputs: sent %" PRIu64 " = accepted %" PRIu64 " + refused %" PRIu64
           " + dropped on purpose %" PRIu64 " + lost %" PRId64 " + nowhere %" PRId64 "\n",
           (uint64_t)b->bench->sent, s->inputs_accepted, s->inputs_refused,
           b->faults->touched[KIND(DROP)], b->lost, b->unanswered);
    printf("  refused because not newer %" PRIu64 ", beyond limits %" PRIu64 ", else %" PRIu64
           "; inputs tripped %" PRIu64 "\n",
           r->not_newer, r->range, s->inputs_refused - r->not_newer - r->range, s->trips);
    printf("outputs: steps due %" PRIu64 " = published %" PRIu64 " + overtaken %" PRId64
           "; published = received %" PRIu64 " + lost %" PRIu64 " + nowhere %" PRId64 "\n",
           s->step / b->options->divisor, s->outputs_published, b->unpublished,
           (uint64_t)b->bench->received, b->bench->lost, b->missed_on_the_way);
}

void soak_report(const struct soak_counts *b)
{
    const Linkage__V1__Status *s = b->status;

    print_run(b);
    print_deadlines(b);
    print_faults(b);
    print_samples(b);
    printf("memory of the daemon: %ld KiB when the run had settled, %ld at its end, %ld at most; "
           "descriptors %ld and %ld; processes %d\n",
           b->begin.rss_kib, b->end.rss_kib, b->most_kib, b->begin.descriptors, b->end.descriptors,
           b->end.processes);
    printf(
        "joints violated by at most %.3g (velocity %.3g); energy balance %.3g J of %.3g J put in "
        "and %.3g J dissipated\n",
        s->residual_position, s->residual_velocity, energy_balance(s), s->work_input,
        s->dissipated);
    for (int i = 0; i < b->n_trouble; i++)
        printf("NOT AS IT SHOULD BE: %s\n", b->trouble[i]);
    if (b->n_trouble == 0)
        printf("all missed deadlines are explained, all counts add up\n");
}

/* ---- JSON for programs ---- */

static void write_durations(struct lk_json *json, const char *key, const Linkage__V1__Durations *d)
{
    lk_json_open(json, key, '{');
    lk_json_count(json, "p50_ns", d->p50_ns);
    lk_json_count(json, "p99_ns", d->p99_ns);
    lk_json_count(json, "p999_ns", d->p999_ns);
    lk_json_count(json, "max_ns", d->max_ns);
    lk_json_close(json, '}');
}

static void write_run(struct lk_json *json, const struct soak_counts *b)
{
    const Linkage__V1__Evidence *e = b->evidence;

    lk_json_text(json, "model", e->model);
    lk_json_number(json, "rate_hz", b->options->rate);
    lk_json_count(json, "core", (uint64_t)b->options->core);
    lk_json_number(json, "seconds", b->seconds);
    lk_json_text(json, "proof", b->proof);
    lk_json_count(json, "arm_attempts", (uint64_t)b->arm_attempts);
    lk_json_number(json, "load_average", b->load[0]);
    lk_json_count(json, "cycles_wanted", b->options->cycles);
    lk_json_count(json, "cycles", e->cycles);
    lk_json_count(json, "steps", e->step);
    lk_json_count(json, "skipped", e->skipped);
    lk_json_number(json, "behind_s", e->behind_s);
    lk_json_count(json, "late_wakeups", e->late_wakeups);
    lk_json_count(json, "long_computations", e->long_computations);
    lk_json_count(json, "throttled", e->throttled);
    lk_json_count(json, "records_lost", e->records_lost);
    lk_json_count(json, "page_faults", b->status->page_faults);
    lk_json_count(json, "involuntary_switches", b->status->involuntary_switches);
    write_durations(json, "wakeup", e->wakeup);
    write_durations(json, "compute", e->compute);
    write_durations(json, "response", e->response);
}

static void write_deadlines(struct lk_json *json, const struct soak_counts *b)
{
    lk_json_open(json, "missed_deadlines", '{');
    lk_json_count(json, "all", b->evidence->overruns);
    for (int i = 0; i < SOAK_REASONS; i++)
        lk_json_count(json, soak_reason_key((enum soak_reason)i), b->explained->count[i]);
    lk_json_close(json, '}');
}

static void write_faults(struct lk_json *json, const struct soak_counts *b)
{
    lk_json_open(json, "faults", '{');
    lk_json_count(json, "seed", b->options->seed);
    for (int i = 1; i < SOAK_KINDS; i++) {
        if (b->faults->begun[i] == 0)
            continue;
        lk_json_open(json, lk_names_injection((Linkage__V1__InjectionKind)i), '{');
        lk_json_count(json, "injected", b->faults->begun[i]);
        lk_json_count(json, "touched", b->faults->touched[i]);
        lk_json_close(json, '}');
    }
    lk_json_close(json, '}');
}

static void write_samples(struct lk_json *json, const struct soak_counts *b)
{
    const Linkage__V1__Status *s = b->status;

    lk_json_open(json, "inputs", '{');
    lk_json_count(json, "sent", b->bench->sent);
    lk_json_count(json, "accepted", s->inputs_accepted);
    lk_json_count(json, "refused", s->inputs_refused);
    lk_json_count(json, "dropped_on_purpose", b->faults->touched[KIND(DROP)]);
    lk_json_number(json, "lost", (double)b->lost);
    lk_json_number(json, "nowhere", (double)b->unanswered);
    lk_json_count(json, "tripped", s->trips);
    lk_json_close(json, '}');
    lk_json_open(json, "outputs", '{');
    lk_json_count(json, "published", s->outputs_published);
    lk_json_number(json, "overtaken", (double)b->unpublished);
    lk_json_count(json, "received", b->bench->received);
    lk_json_count(json, "lost", b->bench->lost);
    lk_json_number(json, "nowhere", (double)b->missed_on_the_way);
    lk_json_close(json, '}');
}

static void write_memory(struct lk_json *json, const char *key, const struct soak_memory *m)
{
    lk_json_open(json, key, '{');
    lk_json_count(json, "rss_kib", (uint64_t)m->rss_kib);
    lk_json_count(json, "descriptors", (uint64_t)m->descriptors);
    lk_json_count(json, "processes", (uint64_t)m->processes);
    lk_json_close(json, '}');
}

int soak_report_json(const struct soak_counts *b)
{
    struct lk_json json = {.file = b->options->json ? fopen(b->options->json, "w") : NULL};

    if (!b->options->json)
        return 0;
    if (!json.file) {
        perror(b->options->json);
        return 1;
    }
    lk_json_open(&json, NULL, '{');
    write_run(&json, b);
    write_deadlines(&json, b);
    write_faults(&json, b);
    write_samples(&json, b);
    write_memory(&json, "daemon_begin", &b->begin);
    write_memory(&json, "daemon_end", &b->end);
    lk_json_number(&json, "residual_position", b->status->residual_position);
    lk_json_number(&json, "residual_velocity", b->status->residual_velocity);
    lk_json_number(&json, "energy_balance", energy_balance(b->status));
    lk_json_open(&json, "trouble", '[');
    for (int i = 0; i < b->n_trouble; i++)
        lk_json_text(&json, NULL, b->trouble[i]);
    lk_json_close(&json, ']');
    lk_json_close(&json, '}');
    lk_json_end(&json);
    return fclose(json.file) ? 1 : 0;
}
