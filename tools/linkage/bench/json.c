/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a bench for programs: one JSON object, a line a model; README.md has the keys. */
#include "bench.h"

static void print_text(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\": \"", key);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(f, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, f);
    }
    fputc('"', f);
}

static void print_host(FILE *f, const struct bench_host *h)
{
    fprintf(f, "  \"host\": {");
    print_text(f, "processor", h->processor);
    fprintf(f, ", ");
    print_text(f, "kernel", h->kernel);
    fprintf(f,
            ", \"processors\": %d, \"l1_bytes\": %ld, \"l2_bytes\": %ld, \"caches_known\": %s},\n",
            h->n_cpus, h->l1_bytes, h->l2_bytes, h->caches_known ? "true" : "false");
}

static void print_conditions(FILE *f, const struct bench_run *run)
{
    const struct bench_options *o = run->options;

    fprintf(f, "  \"conditions\": {\"time_s\": ");
    if (o->steps > 0)
        fprintf(f, "null, \"steps\": %ld", o->steps);
    else
        fprintf(f, "%.9g, \"steps\": null", o->time_s);
    fprintf(f, ", \"workers\": [");
    for (int i = 0; i < o->n_workers; i++)
        fprintf(f, "%s%d", i > 0 ? ", " : "", o->workers[i]);
    fprintf(f, "]},\n");
}

static void print_peak(FILE *f, const struct bench_run *run)
{
    const struct bench_peak *p = &run->peak;

    fprintf(f,
            "  \"peak\": {\"engine\": \"%s\", \"lanes\": %d, \"flops_per_s\": %.6g, "
            "\"l1_bytes_per_s\": %.6g, \"l2_bytes_per_s\": %.6g, \"far_bytes_per_s\": %.6g,\n"
            "    \"all\": [",
            p->step.name, p->step.lanes, p->step.flops, p->l1_bytes_s, p->l2_bytes_s,
            p->far_bytes_s);
    for (int i = 0; i < p->n_units; i++)
        fprintf(f, "%s{\"engine\": \"%s\", \"lanes\": %d, \"flops_per_s\": %.6g}",
                i > 0 ? ", " : "", p->units[i].name, p->units[i].lanes, p->units[i].flops);
    fprintf(f, "]},\n");
    if (run->meeting_ns >= 0)
        fprintf(f, "  \"meeting_ns\": %.6g,\n", run->meeting_ns);
    else
        fprintf(f, "  \"meeting_ns\": null,\n");
    if (run->fork_ns >= 0)
        fprintf(f, "  \"fork_ns\": %.6g,\n", run->fork_ns);
    else
        fprintf(f, "  \"fork_ns\": null,\n");
    if (run->counters_missing == NULL)
        fprintf(f, "  \"counters_missing\": null,\n");
    else
        fprintf(f, "  "), print_text(f, "counters_missing", run->counters_missing),
            fprintf(f, ",\n");
}

static void print_times(FILE *f, const struct bench_result *r, const struct bench_times *t)
{
    fprintf(f,
            "{\"workers\": %d, \"steps\": %ld, \"batch\": %d, \"median_ns\": %.6g, "
            "\"p99_ns\": %.6g, \"max_ns\": %.6g, \"cpu_ns\": %.6g, \"ns_per_joint\": ",
            t->n_workers, t->n_steps, t->batch, t->median_ns, t->p99_ns, t->max_ns, t->cpu_ns);
    if (r->summary.n_joints > 0)
        fprintf(f, "%.6g", t->median_ns / r->summary.n_joints);
    else
        fprintf(f, "null");
    if (t->has_counters)
        fprintf(f, ", \"instructions\": %.6g, \"cycles\": %.6g", t->instructions, t->cycles);
    else
        fprintf(f, ", \"instructions\": null, \"cycles\": null");
    fprintf(f, ", \"speed_up\": %.4g}", r->times[0].median_ns / t->median_ns);
}

static void print_work(FILE *f, const struct bench_run *run, const struct bench_result *r)
{
    const struct bench_work *w = &r->work;
    double s = 1e-9 * r->times[0].median_ns;
    const char *level;
    double bandwidth = bench_level_bytes_s(run, r->summary.memory, &level);

    if (!w->is_known) {
        fprintf(f, "null");
        return;
    }
    fprintf(f,
            "{\"flops\": %.9g, \"bodies_flops\": %.9g, \"joints_flops\": %.9g, "
            "\"elements_flops\": %.9g, \"linear_flops\": %.9g, \"flops_per_s\": %.6g, "
            "\"peak_share\": %.4g, \"bytes\": %.9g, \"bytes_per_s\": %.6g, \"level\": \"%s\", "
            "\"level_share\": %.4g}",
            w->total.flops, w->bodies.flops, w->joints.flops, w->elements.flops, w->linear.flops,
            w->total.flops / s, w->total.flops / s / run->peak.step.flops, w->total.bytes,
            w->total.bytes / s, level, w->total.bytes / s / bandwidth);
}

static void print_curve(FILE *f, bool is_there, const double *curve_ns)
{
    if (!is_there) {
        fprintf(f, "null");
        return;
    }
    for (int w = 0; w < BENCH_WORKERS_MAX; w++)
        fprintf(f, "%s%.6g", w == 0 ? "[" : ", ", curve_ns[w]);
    fputc(']', f);
}

/* what each phase takes on one worker: what comes before it, then its tasks */
static void print_profile(FILE *f, const struct bench_profile *p)
{
    fprintf(f, "{\"alone_ns\": %.6g, \"two_ns\": %.6g, \"mark_ns\": %.4g,\n       \"phases\": [",
            p->alone_ns, p->two_ns, p->mark_ns);
    for (int i = 0; i < p->n_phases; i++) {
        fprintf(f, "%s{\"before_ns\": %.6g, \"tasks_ns\": [", i > 0 ? ",\n         " : "",
                p->phases[i].before_ns);
        for (int t = 0; t < p->phases[i].n_tasks; t++)
            fprintf(f, "%s%.6g", t > 0 ? ", " : "", p->phases[i].task_ns[t]);
        fprintf(f, "]}");
    }
    fprintf(f, "], \"after_ns\": %.6g}", p->after_ns);
}

static void print_result(FILE *f, const struct bench_run *run, const struct bench_result *r)
{
    const struct lk_summary *s = &r->summary;

    fprintf(f, "    {");
    print_text(f, "model", r->name);
    fprintf(f,
            ", \"step_s\": %.9g, \"bodies\": %d, \"joints\": %d, \"rows\": %d, "
            "\"tree_depth\": %d, \"largest_front\": %d, \"memory_bytes\": %zu, "
            "\"workers_useful\": %d,\n     \"times\": [",
            r->step_s, s->n_bodies, s->n_joints, s->n_rows_rigid + s->n_rows_compliant,
            s->tree_depth, s->largest_front, s->memory, r->workers_useful);
    for (int i = 0; i < r->n_times; i++) {
        fprintf(f, "%s", i > 0 ? ",\n       " : "");
        print_times(f, r, &r->times[i]);
    }
    fprintf(f, "],\n     \"work\": ");
    print_work(f, run, r);
    fprintf(f, ",\n     \"predicted_ns\": ");
    print_curve(f, r->has_curve, r->curve_ns);
    fprintf(f, ",\n     \"profile\": ");
    if (r->has_curve)
        print_profile(f, &r->profile);
    else
        fprintf(f, "null");
    fputc('}', f);
}

void bench_json(FILE *f, const struct bench_run *run)
{
    fprintf(f, "{\n  ");
    print_text(f, "version", LINKAGE_VERSION);
    fprintf(f, ",\n");
    print_host(f, &run->host);
    print_conditions(f, run);
    print_peak(f, run);
    fprintf(f, "  \"models\": [");
    for (int i = 0; i < run->n_results; i++) {
        fprintf(f, "%s\n", i > 0 ? "," : "");
        print_result(f, run, &run->results[i]);
    }
    fprintf(f, "\n  ]\n}\n");
}
