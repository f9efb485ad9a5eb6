/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"
#include "linkage/json.h"

enum track { TRACK_GRID = 1, TRACK_CYCLE, TRACK_EXCHANGE, TRACK_WORKER };

/** struct trace - a trace document.
 * @origin_ns: time 0 of the document
 * @ended_ns:  end of the previous cycle; if a cycle began late, its wait is drawn from this time
 *             on */
struct trace {
    struct lk_json json;
    int64_t origin_ns;
    int64_t ended_ns;
};

/* Begin an event; each event is on one line. */
static void open_event(struct trace *trace, enum track track, const char *name, const char *phase)
{
    struct lk_json *json = &trace->json;

    lk_json_line(json, 0);
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "name", name);
    lk_json_text(json, "ph", phase);
    lk_json_count(json, "pid", 1);
    lk_json_count(json, "tid", track);
}

static void open_arguments(struct trace *trace)
{
    lk_json_open(&trace->json, "args", '{');
}

static void close_event(struct trace *trace)
{
    lk_json_close(&trace->json, '}');
    lk_json_close(&trace->json, '}');
}

static void name_track(struct trace *trace, enum track track, const char *name)
{
    open_event(trace, track, "thread_name", "M");
    open_arguments(trace);
    lk_json_text(&trace->json, "name", name);
    close_event(trace);
}

/* Write a span. Times are in us, with fractional digits. */
static void span(struct trace *trace, enum track track, const char *name, int64_t begin_ns,
                 int64_t end_ns, const char *key, uint64_t value)
{
    open_event(trace, track, name, "X");
    lk_json_fixed(&trace->json, "ts", (double)(begin_ns - trace->origin_ns) * 1e-3, 3);
    lk_json_fixed(&trace->json, "dur", (double)(end_ns - begin_ns) * 1e-3, 3);
    open_arguments(trace);
    lk_json_count(&trace->json, key, value);
    close_event(trace);
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

/* Write the work of each worker in the phases; gaps between them are waits for other workers. */
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
    struct trace trace = {.json.file = file};
    struct lk_json *json = &trace.json;

    lk_json_open(json, NULL, '{');
    lk_json_text(json, "displayTimeUnit", "ns");
    lk_json_open(json, "traceEvents", '[');
    name_track(&trace, TRACK_GRID, "time grid");
    name_track(&trace, TRACK_CYCLE, "cycle");
    name_track(&trace, TRACK_EXCHANGE, "exchange");
    write_cycles(&trace, cycle, cycles);
    if (trace.origin_ns > 0)
        write_exchange(&trace, lkd_exchange_spans(exchange));
    for (int k = 0; k < cycle->n_spans && trace.origin_ns > 0; k++)
        write_worker(&trace, k, &cycle->spans[k]);
    lk_json_line(json, 0);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
    lk_json_end(json);
}
