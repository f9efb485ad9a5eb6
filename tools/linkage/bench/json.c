/* SPDX-License-Identifier: Apache-2.0 */
/* JSON report of a bench: one object, one line per model; README.md documents the keys. */
#include "linkage/json.h"
#include "bench.h"
#include "linkage/version.h"

#include <math.h>

/* Number of digits of measured values, of exact values, and of ratios. */
#define MEASURED 6
#define EXACT    9
#define RATIO    4

static void write_measured(struct lk_json *json, const char *key, double value)
{
    lk_json_rounded(json, key, value, MEASURED);
}

static void write_host(struct lk_json *json, const struct bench_host *h)
{
    lk_json_line(json, 2);
    lk_json_open(json, "host", '{');
    lk_json_text(json, "processor", h->processor);
    lk_json_text(json, "kernel", h->kernel);
    lk_json_number(json, "processors", h->n_cpus);
    lk_json_number(json, "l1_bytes", (double)h->l1_bytes);
    lk_json_number(json, "l2_bytes", (double)h->l2_bytes);
    lk_json_bool(json, "caches_known", h->caches_known);
    lk_json_close(json, '}');
}

static void write_conditions(struct lk_json *json, const struct bench_options *o)
{
    lk_json_line(json, 2);
    lk_json_open(json, "conditions", '{');
    lk_json_rounded(json, "time_s", o->steps > 0 ? NAN : o->time_s, EXACT);
    lk_json_number(json, "steps", o->steps > 0 ? (double)o->steps : NAN);
    lk_json_open(json, "workers", '[');
    for (int i = 0; i < o->n_workers; i++)
        lk_json_number(json, NULL, o->workers[i]);
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void write_unit(struct lk_json *json, const struct bench_unit *unit)
{
    lk_json_text(json, "engine", unit->name);
    lk_json_number(json, "lanes", unit->lanes);
    write_measured(json, "flops_per_s", unit->flops);
}

static void write_peak(struct lk_json *json, const struct bench_peak *p)
{
    lk_json_line(json, 2);
    lk_json_open(json, "peak", '{');
    write_unit(json, &p->step);
    lk_json_line(json, 4);
    lk_json_open(json, "all", '[');
    for (int i = 0; i < p->n_units; i++) {
        lk_json_open(json, NULL, '{');
        write_unit(json, &p->units[i]);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

static void write_machine(struct lk_json *json, const struct bench_run *run)
{
    write_host(json, &run->host);
    write_conditions(json, run->options);
    write_peak(json, &run->peak);
    lk_json_line(json, 2);
    write_measured(json, "meeting_ns", run->meeting_ns >= 0 ? run->meeting_ns : NAN);
    lk_json_line(json, 2);
    write_measured(json, "fork_ns", run->fork_ns >= 0 ? run->fork_ns : NAN);
    lk_json_line(json, 2);
    if (run->counters_missing == NULL)
        lk_json_null(json, "counters_missing");
    else
        lk_json_text(json, "counters_missing", run->counters_missing);
}

static void write_times(struct lk_json *json, const struct bench_result *r,
                        const struct bench_times *t)
{
    int n_joints = r->summary.n_joints;

    lk_json_open(json, NULL, '{');
    lk_json_number(json, "workers", t->n_workers);
    lk_json_number(json, "steps", (double)t->n_steps);
    lk_json_number(json, "batch", t->batch);
    write_measured(json, "median_ns", t->median_ns);
    write_measured(json, "p99_ns", t->p99_ns);
    write_measured(json, "p999_ns", t->p999_ns);
    write_measured(json, "max_ns", t->max_ns);
    write_measured(json, "cpu_ns", t->cpu_ns);
    write_measured(json, "ns_per_joint", n_joints > 0 ? t->median_ns / n_joints : NAN);
    write_measured(json, "instructions", t->has_counters ? t->instructions : NAN);
    write_measured(json, "cycles", t->has_counters ? t->cycles : NAN);
    lk_json_rounded(json, "speed_up", r->times[0].median_ns / t->median_ns, RATIO);
    lk_json_close(json, '}');
}

static void write_summary(struct lk_json *json, const struct bench_run *run,
                          const struct bench_result *r)
{
    const struct lk_summary *s = &r->summary;

    lk_json_text(json, "model", r->name);
    lk_json_rounded(json, "step_s", r->step_s, EXACT);
    lk_json_number(json, "bodies", s->n_bodies);
    lk_json_number(json, "joints", s->n_joints);
    lk_json_number(json, "rows", s->n_rows_rigid + s->n_rows_compliant);
    lk_json_number(json, "tree_depth", s->tree_depth);
    lk_json_number(json, "largest_front", s->largest_front);
    lk_json_number(json, "step_flops", s->step_flops);
    lk_json_rounded(json, "peak_share", bench_peak_share(run, r), RATIO);
    lk_json_number(json, "memory_bytes", (double)s->memory);
    lk_json_bool(json, "shares_work", r->shares_work);
    lk_json_number(json, "workers_useful", r->workers_useful);
}

static void write_result(struct lk_json *json, const struct bench_run *run,
                         const struct bench_result *r)
{
    lk_json_line(json, 4);
    lk_json_open(json, NULL, '{');
    write_summary(json, run, r);
    lk_json_line(json, 5);
    lk_json_open(json, "times", '[');
    for (int i = 0; i < r->n_times; i++) {
        if (i > 0)
            lk_json_line(json, 7);
        write_times(json, r, &r->times[i]);
    }
    lk_json_close(json, ']');
    lk_json_close(json, '}');
}

void bench_json(FILE *f, const struct bench_run *run)
{
    struct lk_json json = {.file = f, .spaced = true};

    lk_json_open(&json, NULL, '{');
    lk_json_line(&json, 2);
    lk_json_text(&json, "version", LK_VERSION);
    write_machine(&json, run);
    lk_json_line(&json, 2);
    lk_json_open(&json, "models", '[');
    for (int i = 0; i < run->n_results; i++)
        write_result(&json, run, &run->results[i]);
    lk_json_line(&json, 2);
    lk_json_close(&json, ']');
    lk_json_line(&json, 0);
    lk_json_close(&json, '}');
    lk_json_end(&json);
}
