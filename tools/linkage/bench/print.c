/* SPDX-License-Identifier: Apache-2.0 */
/* Text report of a bench: a line of times after each measurement, then the work of a step. */
#include "bench.h"
#include "tone.h"

#include <math.h>

#define CELL_SIZE 32

double bench_peak_share(const struct bench_run *run, const struct bench_result *r)
{
    double flops = r->summary.step_flops;

    return flops > 0 ? 1e9 * flops / r->times[0].median_ns / run->peak.step.flops : NAN;
}

/* Format a number with four significant digits. */
static const char *digits(double value, char cell[CELL_SIZE])
{
    int behind = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

    snprintf(cell, CELL_SIZE, "%.*f", behind, value);
    return cell;
}

static void print_time(FILE *f, double ns)
{
    char cell[CELL_SIZE];

    fprintf(f, " %6s", digits(ns / 1000, cell));
}

void bench_print_begin(FILE *f, const struct bench_run *run)
{
    const struct bench_host *h = &run->host;
    const struct bench_peak *p = &run->peak;
    const struct bench_options *o = run->options;

    fprintf(f, "%.80s\n%s, %d processor%s to use; L1 %ld KiB, L2 %ld KiB%s\n", h->processor,
            h->kernel, h->n_cpus, h->n_cpus == 1 ? "" : "s", h->l1_bytes >> 10, h->l2_bytes >> 10,
            h->caches_known ? "" : " (assumed)");
    fprintf(f, "peak of one core: %.1f GFLOP/s with the step's %d lanes (%s)", p->step.flops / 1e9,
            p->step.lanes, p->step.name);
    for (int i = 0; i < p->n_units; i++)
        if (p->units[i].lanes != p->step.lanes)
            fprintf(f, ", %.1f with %d", p->units[i].flops / 1e9, p->units[i].lanes);
    if (run->meeting_ns >= 0)
        fprintf(f, ";\na meeting of two cores %.0f ns, a fork and join %.0f ns", run->meeting_ns,
                run->fork_ns);
    if (o->workers[o->n_workers - 1] > h->n_cpus)
        fprintf(f,
                "\n%s%d workers have to take turns on fewer processors: their times say little%s",
                tone_begin(f, TONE_WARNING), o->workers[o->n_workers - 1], tone_end(f));
    fprintf(f, "\n\n%s%-24s %6s %6s %6s %6s %6s %6s %6s %6s %9s%s%s\n", tone_begin(f, TONE_HEAD),
            "time [us a step]", "bodies", "joints", "rows", "median", "p99", "p99.9", "max", "CPU",
            "ns/joint", o->n_workers > 1 ? " speed-up" : "", tone_end(f));
    fflush(f);
}

static void print_times(FILE *f, const struct bench_result *r, const struct bench_times *t)
{
    print_time(f, t->median_ns);
    print_time(f, t->p99_ns);
    print_time(f, t->p999_ns);
    print_time(f, t->max_ns);
    print_time(f, t->cpu_ns);
    if (r->summary.n_joints > 0)
        fprintf(f, " %9.1f", t->median_ns / r->summary.n_joints);
    else
        fprintf(f, " %9s", "-");
}

void bench_print_result(FILE *f, const struct bench_result *r)
{
    fprintf(f, "%-24.24s %6d %6d %6d", r->name, r->summary.n_bodies, r->summary.n_joints,
            r->summary.n_rows_rigid + r->summary.n_rows_compliant);
    print_times(f, r, &r->times[0]);
    fputc('\n', f);
    for (int i = 1; i < r->n_times; i++) {
        fprintf(f, "  %2d workers%-33s", r->times[i].n_workers,
                r->shares_work ? "" : ", without effect");
        print_times(f, r, &r->times[i]);
        fprintf(f, " %8.2f\n", r->times[0].median_ns / r->times[i].median_ns);
    }
    fflush(f);
}

static void print_work(FILE *f, const struct bench_run *run, const struct bench_result *r)
{
    fprintf(f, "%-24.24s", r->name);
    if (r->summary.step_flops > 0)
        fprintf(f, " %8.1f %5.1f", r->summary.step_flops / 1e3, 100 * bench_peak_share(run, r));
    else
        fprintf(f, " %8s %5s", "-", "-");
    fprintf(f, " %8.1f", (double)r->summary.memory / 1024);
    if (r->times[0].has_counters)
        fprintf(f, " %7.1f %5.2f", r->times[0].instructions / 1e3,
                r->times[0].instructions / r->times[0].cycles);
    fputc('\n', f);
}

void bench_print_end(FILE *f, const struct bench_run *run)
{
    bool counted = run->n_results > 0 && run->results[0].times[0].has_counters;

    fprintf(f, "\n%s%-24s %8s %5s %8s", tone_begin(f, TONE_HEAD), "linear algebra of a step",
            "kflop", "%peak", "KiB held");
    fprintf(f, "%s%s\n", counted ? "  kinstr   IPC" : "", tone_end(f));
    for (int i = 0; i < run->n_results; i++)
        print_work(f, run, &run->results[i]);
    if (!counted)
        fprintf(f, "instructions and cycles: not available, %s\n",
                run->counters_missing != NULL ? run->counters_missing : "they counted nothing");
}
