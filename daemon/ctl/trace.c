/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"
#include <inttypes.h>

enum track { TRACK_GRID = 1, TRACK_CYCLE, TRACK_EXCHANGE, TRACK_WORKER };

/** struct trace - @origin_ns: time 0 of the document;  @comma: events stand before
 * @ended_ns: of the cycle before: one that began behind its grid point waits from then on */
struct trace {
    FILE *file;
    int64_t origin_ns;
    int64_t ended_ns;
    bool comma;
};

static void begin_event(struct trace *trace)
{
    fputs(trace->comma ? ",\n" : "\n", trace->file);
    trace->comma = true;
}

static void name_track(struct trace *trace, enum track track, const char *name)
{
    begin_event(trace);
    fprintf(
        trace->file,
        "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
        (int)track, name);
}

/* Times are in us there, with as many digits as one likes. */
static void span(struct trace *trace, enum track track, const char *name, int64_t begin_ns,
                 int64_t end_ns, const char *key, uint64_t value)
{
    begin_event(trace);
    fprintf(trace->file,
            "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{"
            "\"%s\":%" PRIu64 "}}",
            name, (int)track, (double)(begin_ns - trace->origin_ns) * 1e-3,
            (double)(end_ns - begin_ns) * 1e-3, key, value);
}

static void write_cycle(struct trace *trace, const struct lkd_cycle *cycle, uint64_t number,
                        const struct lkd_record *r)
{
    int64_t next_ns = lkd_cycle_next_ns(cycle, r->deadline_ns);

    span(trace, TRACK_GRID, r->ended_ns > next_ns ? "OVERRUN" : "period", r->deadline_ns, next_ns,
         "cycle", number);
    span(trace, TRACK_CYCLE, "wake-up",
         r->deadline_ns > trace->ended_ns ? r->deadline_ns : trace->ended_ns, r->woken_ns, "cycle",
         number);
    span(trace, TRACK_CYCLE, "inputs", r->woken_ns, r->latched_ns, "cycle", number);
    span(trace, TRACK_CYCLE, "step", r->latched_ns, r->stepped_ns, "step", r->step);
    span(trace, TRACK_CYCLE, "outputs", r->stepped_ns, r->computed_ns, "cycle", number);
    span(trace, TRACK_CYCLE, "books", r->computed_ns, r->ended_ns, "cycle", number);
    trace->ended_ns = r->ended_ns;
}

static void write_cycles(struct trace *trace, const struct lkd_cycle *cycle, uint64_t cycles)
{
    uint64_t written = lkd_ring_written(&cycle->records), first = lkd_ring_first(&cycle->records);
    struct lkd_record record;

    if (cycles == 0 || cycles > LKD_TRACE_CYCLES_MAX)
        cycles = LKD_TRACE_CYCLES_MAX;
    if (written - first > cycles)
        first = written - cycles;
    for (uint64_t i = first; i < written; i++) {
        if (!lkd_cycle_record(cycle, i, &record))
            continue;
        if (trace->origin_ns == 0)
            trace->origin_ns = record.deadline_ns;
        write_cycle(trace, cycle, i, &record);
    }
}

static void write_exchange(struct trace *trace, const struct lkd_ring *spans)
{
    uint64_t written = lkd_ring_written(spans), words[LKD_RING_WORDS];

    for (uint64_t i = lkd_ring_first(spans); i < written; i++) {
        bool publish;

        if (!lkd_ring_get(spans, i, words) || (int64_t)words[1] < trace->origin_ns)
            continue;
        publish = words[0] == LKD_SPAN_PUBLISH;
        span(trace, TRACK_EXCHANGE, publish ? "publish" : "receive", (int64_t)words[1],
             (int64_t)words[2], publish ? "step" : "samples", words[3]);
    }
}

/* The parts of the phases that each worker did; what lies between is the meetings. */
static void write_worker(struct trace *trace, int index, const struct lkd_ring *spans)
{
    uint64_t written = lkd_ring_written(spans), words[LKD_RING_WORDS];
    char name[24];

    snprintf(name, sizeof(name), "worker %d", index + 1);
    name_track(trace, TRACK_WORKER + (unsigned)index, name);
    for (uint64_t i = lkd_ring_first(spans); i < written; i++)
        if (lkd_ring_get(spans, i, words) && (int64_t)words[1] >= trace->origin_ns)
            span(trace, TRACK_WORKER + (unsigned)index, "phase", (int64_t)words[1],
                 (int64_t)words[2], "phase", words[0]);
}

void lkd_trace_write(FILE *file, const struct lkd_cycle *cycle, const struct lkd_exchange *exchange,
                     uint64_t cycles)
{
    struct trace trace = {.file = file};

    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
    name_track(&trace, TRACK_GRID, "time grid");
    name_track(&trace, TRACK_CYCLE, "cycle");
    name_track(&trace, TRACK_EXCHANGE, "exchange");
    write_cycles(&trace, cycle, cycles);
    if (trace.origin_ns > 0)
        write_exchange(&trace, lkd_exchange_spans(exchange));
    for (int k = 0; k < cycle->n_spans && trace.origin_ns > 0; k++)
        write_worker(&trace, k, &cycle->spans[k]);
    fputs("\n]}\n", file);
}
