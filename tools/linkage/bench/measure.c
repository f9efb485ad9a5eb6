/* SPDX-License-Identifier: Apache-2.0 */
/* Measurement of the duration of a step.
 *
 * Each number of workers is a variant. It has its own system, which repeats the same motion: its
 * first RESTART steps. Variants run in alternating slices, so that disturbances of the machine
 * affect all of them. Within a slice the clock is read once per batch of steps. A batch is long
 * enough to make the cost of the clock negligible, and otherwise as short as possible. So p99 and
 * maximum are those of single steps, unless a step is very short. */
#include "bench.h"
#include "commands.h"
#include "linkage/pool.h"
#include "pool_threads.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESTART    1000   /* number of steps after which the motion restarts */
#define SLICE_NS   10e6   /* longest slice before the next variant runs */
#define BATCH_NS   5000.0 /* shortest batch: reading the clock takes 20 to 50 ns */
#define WARM_NS    2e6
#define WARM_STEPS 3

/** struct list - an array of numbers that grows. */
struct list {
    float *values;
    size_t n;
    size_t size;
};

/** struct variant - measurement with one number of workers.
 * @threads: NULL for one worker
 * @inputs:  zeros
 * @batches: wall time per step in each batch [ns]
 * @slices:  CPU time per step in each slice [ns]
 * @n_steps: number of measured steps
 * @wall_ns: wall time of all slices
 * @fault:   error code of a step that failed, or 0 */
struct variant {
    int n_workers;
    struct pool_threads *threads;
    struct lk_system *system;
    double *inputs;
    struct bench_counters counters;
    struct list batches;
    struct list slices;
    double wall_ns;
    long n_steps;
    int batch;
    int fault;
};

int bench_batch(double step_ns)
{
    return step_ns >= BATCH_NS ? 1 : (int)ceil(BATCH_NS / fmax(step_ns, 1));
}

double bench_quantile(const float *sorted, size_t n, double q)
{
    size_t rank = (size_t)ceil(q * (double)n);

    return (double)sorted[rank > 0 ? rank - 1 : 0];
}

static double clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Make room for @more numbers.
 * Return: 0, -ENOMEM */
static int list_reserve(struct list *list, size_t more)
{
    size_t size = 2 * list->size + more;
    float *values;

    if (list->n + more <= list->size)
        return 0;
    values = realloc(list->values, size * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    list->values = values;
    list->size = size;
    return 0;
}

/* Start the threads of a variant, and let its system use them.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message */
static int lend_pool(struct variant *v, const char *name)
{
    int r = pool_threads_start(v->n_workers, NULL, &v->threads);

    if (r != 0) {
        complain("%s: %d workers cannot be started: %s", name, v->n_workers, strerror(-r));
        return EXIT_REFUSED;
    }
    lk_system_set_pool(v->system, pool_threads_pool(v->threads));
    return EXIT_DONE;
}

/* Prepare a variant.
 * Return: EXIT_DONE, EXIT_REFUSED after an error message; call variant_close() in both cases */
static int variant_open(struct variant *v, const char *name, const struct lk_model *model,
                        int n_workers)
{
    *v = (struct variant){.n_workers = n_workers, .counters = {-1, -1, 0}};
    v->system = compile_model(name, model, NULL);
    if (v->system == NULL)
        return EXIT_REFUSED;
    v->inputs = calloc((size_t)lk_system_input_size(v->system) + 1, sizeof(*v->inputs));
    if (v->inputs == NULL) {
        complain("%s: %s", name, strerror(ENOMEM));
        return EXIT_REFUSED;
    }
    bench_counters_open(&v->counters);
    return n_workers > 1 ? lend_pool(v, name) : EXIT_DONE;
}

static void variant_close(struct variant *v)
{
    if (v->system != NULL)
        lk_system_set_pool(v->system, NULL);
    pool_threads_stop(v->threads);
    lk_system_free(v->system);
    free(v->inputs);
    bench_counters_close(&v->counters);
    free(v->batches.values);
    free(v->slices.values);
}

static void do_steps(struct variant *v, int n)
{
    for (int i = 0; i < n && v->fault == 0; i++)
        v->fault = lk_system_step(v->system, v->inputs);
}

/* Measure the rough duration of a step, and set the size of a batch. This also warms up caches and
 * branch predictors. */
static void warm_up(struct variant *v)
{
    double begin = clock_ns(CLOCK_MONOTONIC), now = begin;
    int n = 0;

    while ((n < WARM_STEPS || now - begin < WARM_NS) && n < RESTART && v->fault == 0) {
        do_steps(v, 1);
        n++;
        now = clock_ns(CLOCK_MONOTONIC);
    }
    v->batch = bench_batch((now - begin) / n);
    lk_system_reset(v->system);
}

/* Make one step that is not measured, so that the workers are awake and the caches are warm.
 * Return: number of steps until the motion restarts, at least one. */
static long begin_slice(struct variant *v)
{
    struct lk_pool *pool = pool_threads_pool(v->threads);

    if ((long)lk_system_step_count(v->system) >= RESTART - 1)
        lk_system_reset(v->system);
    if (pool != NULL)
        lk_pool_rouse(pool, 0);
    do_steps(v, 1);
    return RESTART - (long)lk_system_step_count(v->system);
}

/* Put the workers to sleep, so that they do not disturb the next variant. */
static void end_slice(struct variant *v)
{
    struct lk_pool *pool = pool_threads_pool(v->threads);

    if (pool != NULL)
        lk_pool_rest(pool);
}

/* Measure up to @n_most steps, with one time per batch.
 * Return: 0, -ENOMEM */
static int run_slice(struct variant *v, long n_most)
{
    long left = begin_slice(v), done = 0;
    double cpu, begin, last;

    left = left < n_most ? left : n_most;
    if (list_reserve(&v->batches, RESTART) != 0 || list_reserve(&v->slices, 1) != 0)
        return -ENOMEM;
    bench_counters_run(&v->counters, true);
    cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    begin = last = clock_ns(CLOCK_MONOTONIC);
    while (done < left && last - begin < SLICE_NS && v->fault == 0) {
        int n = left - done < v->batch ? (int)(left - done) : v->batch;
        double now;

        do_steps(v, n);
        now = clock_ns(CLOCK_MONOTONIC);
        v->batches.values[v->batches.n++] = (float)((now - last) / n);
        last = now;
        done += n;
    }
    cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    bench_counters_run(&v->counters, false);
    end_slice(v);
    if (done == 0)
        return 0;
    v->slices.values[v->slices.n++] = (float)(cpu / (double)done);
    v->wall_ns += last - begin;
    v->n_steps += done;
    return 0;
}

static bool is_through(const struct variant *v, const struct bench_options *options)
{
    if (options->steps > 0)
        return v->n_steps >= options->steps;
    return v->wall_ns >= 1e9 * options->time_s && v->n_steps > 0;
}

/* Return how much of the measurement of a variant is done. */
static double part_done(const struct variant *v, const struct bench_options *options)
{
    return options->steps > 0 ? (double)v->n_steps / (double)options->steps
                              : v->wall_ns / (1e9 * options->time_s);
}

/* Run the variants in alternating slices until each has reached its time or its number of steps.
 * Return: 0, -ENOMEM, or the error code of a step */
static int take_turns(struct variant *variants, int n, const struct bench_options *options)
{
    bool more = true;

    for (int i = 0; i < n; i++)
        warm_up(&variants[i]);
    while (more) {
        more = false;
        for (int i = 0; i < n; i++) {
            struct variant *v = &variants[i];
            int fault;

            if (is_through(v, options))
                continue;
            fault = v->fault != 0
                        ? v->fault
                        : run_slice(v, options->steps > 0 ? options->steps - v->n_steps : RESTART);
            if (fault != 0)
                return fault;
            if (v->fault != 0)
                return v->fault;
            more = true;
        }
        if (options->show != NULL)
            options->show(part_done(&variants[n - 1], options));
    }
    return 0;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void summarise_variant(struct variant *v, struct bench_times *ret)
{
    struct list *b = &v->batches, *s = &v->slices;
    double instructions = 0, cycles = 0;

    qsort(b->values, b->n, sizeof(*b->values), compare_floats);
    qsort(s->values, s->n, sizeof(*s->values), compare_floats);
    *ret = (struct bench_times){
        .n_workers = v->n_workers,
        .n_steps = v->n_steps,
        .batch = v->batch,
        .median_ns = bench_quantile(b->values, b->n, 0.5),
        .p99_ns = bench_quantile(b->values, b->n, 0.99),
        .p999_ns = bench_quantile(b->values, b->n, 0.999),
        .max_ns = (double)b->values[b->n - 1],
        .cpu_ns = bench_quantile(s->values, s->n, 0.5),
        .has_counters = bench_counters_read(&v->counters, &instructions, &cycles),
    };
    ret->instructions = instructions / (double)v->n_steps;
    ret->cycles = cycles / (double)v->n_steps;
}

static void complain_step(const char *name, int fault)
{
    if (fault == LK_E_TURN)
        complain("%s: a step turns a body by more than half a turn, expected a shorter step in "
                 "the model",
                 name);
    else if (fault == LK_E_NOT_FINITE)
        complain("%s: a step gives no finite state, expected a model that can be run", name);
    else
        complain("%s: %s", name, strerror(-fault));
}

int bench_measure(const char *name, const struct lk_model *model,
                  const struct bench_options *options, struct bench_result *result)
{
    struct variant variants[BENCH_VARIANTS_MAX];
    int code = EXIT_DONE, n = 0, fault;

    for (; n < options->n_workers && code == EXIT_DONE; n++)
        code = variant_open(&variants[n], name, model, options->workers[n]);
    if (code == EXIT_DONE) {
        fault = take_turns(variants, n, options);
        if (fault != 0) {
            complain_step(name, fault);
            code = EXIT_REFUSED;
        }
    }
    for (int i = 0; i < n && code == EXIT_DONE; i++)
        summarise_variant(&variants[i], &result->times[i]);
    /* Close in reverse order, because each variant restores the affinity that the calling thread
     * had before. */
    for (int i = n - 1; i >= 0; i--)
        variant_close(&variants[i]);
    result->n_times = n;
    return code;
}
