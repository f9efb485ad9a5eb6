/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the parts of a step: the time of each task of each phase on one worker (lk_probe), and
 * of the whole step on one worker and on two, all in one run.
 *
 * Three systems repeat the same motion in turn, one slice each: one alone, one alone with a clock
 * reading at every mark, one with two workers. The cost of the marks is the difference of the first
 * two, in equal parts: the reading, and the out-of-order work that it prevents. */
#include "bench.h"
#include "commands.h"
#include "linkage/pool.h"
#include "pool_threads.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESTART   1000 /* steps, then the motion restarts */
#define SLICE_S   0.004
#define SAMPLES   2048 /* steps with marks that are stored */
#define MARKS_MAX 8192

/** struct track - when a step passed its marks. @n: marks so far; those beyond @size are only
 * counted */
struct track {
    int n;
    int size;
    int *task;
    double *time_s;
};

/** struct runner - a timed system. @times: of a step [ns], @n of them */
struct runner {
    struct lk_system *system;
    struct pool_threads *threads;
    double *inputs;
    int batch;
    int n;
    double *times;
};

static void note_task(void *context, int phase, int task)
{
    struct track *track = context;

    (void)phase;
    if (track->n < track->size) {
        track->task[track->n] = task;
        track->time_s[track->n] = now_s();
    }
    track->n++;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* sorts */
static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof(*values), compare_doubles);
    return n > 0 ? values[n / 2] : 0;
}

static int runner_open(struct runner *r, const char *name, const struct lk_model *model,
                       int workers)
{
    *r = (struct runner){.system = compile_model(name, model, NULL), .batch = 1};
    if (r->system == NULL)
        return -EINVAL;
    r->inputs = calloc((size_t)lk_system_input_size(r->system) + 1, sizeof(*r->inputs));
    r->times = malloc(SAMPLES * sizeof(*r->times));
    if (r->inputs == NULL || r->times == NULL)
        return -ENOMEM;
    if (workers > 1) {
        int fault = pool_threads_start(workers, NULL, &r->threads);

        if (fault != 0)
            return fault;
        lk_system_set_pool(r->system, pool_threads_pool(r->threads));
    }
    return 0;
}

static void runner_close(struct runner *r)
{
    if (r->system != NULL)
        lk_system_set_pool(r->system, NULL);
    pool_threads_stop(r->threads);
    lk_system_free(r->system);
    free(r->inputs);
    free(r->times);
}

static int steps_left(struct runner *r)
{
    if (lk_system_step_count(r->system) + 1 >= RESTART)
        lk_system_reset(r->system);
    return RESTART - (int)lk_system_step_count(r->system);
}

/* one timed batch. Return: 0, outcome of a step */
static int do_batch(struct runner *r)
{
    int n = steps_left(r), fault = 0;
    double begin = now_s();

    n = n < r->batch ? n : r->batch;
    for (int i = 0; i < n && fault == 0; i++)
        fault = lk_system_step(r->system, r->inputs);
    if (r->n < SAMPLES)
        r->times[r->n++] = 1e9 * (now_s() - begin) / n;
    return fault;
}

/* A slice; its first step, which may have to wake workers, does not count. */
static int do_slice(struct runner *r)
{
    struct lk_pool *pool = pool_threads_pool(r->threads);
    int fault;
    double begin;

    steps_left(r);
    if (pool != NULL)
        lk_pool_rouse(pool, 0);
    fault = lk_system_step(r->system, r->inputs);
    begin = now_s();
    while (fault == 0 && now_s() - begin < SLICE_S)
        fault = do_batch(r);
    if (pool != NULL)
        lk_pool_rest(pool);
    return fault;
}

/* one step with marks; writes the times between them into @parts: track->size + 1 values [ns] */
static int do_marked_step(struct runner *r, struct track *track, double *parts)
{
    double begin, end, last;
    int fault;

    steps_left(r);
    track->n = 0;
    last = begin = now_s();
    fault = lk_system_step(r->system, r->inputs);
    end = now_s();
    for (int i = 0; i <= track->size; i++) {
        double now = i < track->size ? track->time_s[i] : end;

        parts[i] = 1e9 * (now - last);
        last = now;
    }
    return fault;
}

static int do_marked_slice(struct runner *r, struct track *track, double *parts)
{
    int fault = lk_system_step(r->system, r->inputs);
    double begin = now_s();

    while (fault == 0 && r->n < SAMPLES && now_s() - begin < SLICE_S)
        fault = do_marked_step(r, track, parts + (size_t)r->n++ * ((size_t)track->size + 1));
    return fault;
}

/* counts the marks of a step by making one. Return: 0, -ENOMEM, outcome of a step */
static int find_marks(struct runner *r, struct track *track)
{
    int fault;

    lk_system_set_probe(r->system, note_task, track);
    fault = lk_system_step(r->system, r->inputs);
    track->size = track->n < MARKS_MAX ? track->n : 0;
    track->task = malloc(((size_t)track->size + 1) * sizeof(*track->task));
    track->time_s = malloc(((size_t)track->size + 1) * sizeof(*track->time_s));
    return track->task == NULL || track->time_s == NULL ? -ENOMEM : fault;
}

/* subtracts the cost of a mark from every part except the last, which has none */
static void take_off(struct bench_profile *p, int n_parts)
{
    double sum = 0, each;

    for (int i = 0; i < n_parts; i++)
        sum += p->part_ns[i];
    each = n_parts > 1 ? fmax(sum - p->alone_ns, 0) / (n_parts - 1) : 0;
    for (int i = 0; i + 1 < n_parts; i++)
        p->part_ns[i] = fmax(p->part_ns[i] - each, 0);
    p->mark_ns = each;
}

/* sums parts into phases: @parts of all steps, one row each */
static int summarise_profile(struct bench_profile *p, const struct track *track,
                             const double *parts, int n)
{
    int n_parts = track->size + 1;
    double *column = malloc(((size_t)n + 1) * sizeof(*column));

    p->part_ns = malloc((size_t)n_parts * sizeof(*p->part_ns));
    p->phases = calloc((size_t)n_parts, sizeof(*p->phases));
    if (column == NULL || p->part_ns == NULL || p->phases == NULL) {
        free(column);
        return -ENOMEM;
    }
    for (int i = 0; i < n_parts; i++) {
        for (int k = 0; k < n; k++)
            column[k] = parts[(size_t)k * (size_t)n_parts + (size_t)i];
        p->part_ns[i] = median(column, n);
    }
    free(column);
    take_off(p, n_parts);
    for (int i = 0; i < track->size; i++) {
        if (track->task[i] < 0)
            p->phases[p->n_phases++] =
                (struct simulate_phase){.before_ns = p->part_ns[i], .task_ns = p->part_ns + i + 1};
        else
            p->phases[p->n_phases - 1].n_tasks++;
    }
    p->after_ns = p->part_ns[track->size];
    return 0;
}

/* all three in turn. Return: 0, outcome of a step */
static int take_turns(struct runner r[3], struct track *track, double *parts, double time_s)
{
    double begin = now_s();
    int fault = 0;

    while (fault == 0 && now_s() - begin < time_s) {
        fault = do_slice(&r[0]);
        if (fault == 0)
            fault = do_marked_slice(&r[1], track, parts);
        if (fault == 0)
            fault = do_slice(&r[2]);
    }
    return fault;
}

int bench_profile_measure(const char *name, const struct lk_model *model, double step_ns,
                          double time_s, struct bench_profile *ret)
{
    struct runner r[3] = {{0}};
    struct track track = {0};
    double *parts = NULL;
    int fault = 0;

    *ret = (struct bench_profile){0};
    for (int k = 0; k < 3 && fault == 0; k++)
        fault = runner_open(&r[k], name, model, k == 2 ? 2 : 1);
    if (fault == 0) {
        r[0].batch = r[2].batch = bench_batch(step_ns);
        fault = find_marks(&r[1], &track);
        parts = malloc(SAMPLES * ((size_t)track.size + 1) * sizeof(*parts));
        fault = parts == NULL ? -ENOMEM : fault;
    }
    if (fault == 0)
        fault = take_turns(r, &track, parts, time_s);
    if (fault == 0) {
        ret->alone_ns = median(r[0].times, r[0].n);
        ret->two_ns = median(r[2].times, r[2].n);
        fault = summarise_profile(ret, &track, parts, r[1].n);
    }
    for (int k = 2; k >= 0; k--)
        runner_close(&r[k]);
    free(track.task);
    free(track.time_s);
    free(parts);
    return fault;
}

void bench_profile_release(struct bench_profile *profile)
{
    free(profile->part_ns);
    free(profile->phases);
}
