/* SPDX-License-Identifier: Apache-2.0 */
/* linkage bench --prices: a row of core's table of prices, for the processor that it runs on.
 *
 * Models that combine the same kinds of work in different proportions are stepped by every engine
 * and one by one, all of them in turn; the minimum CPU time of many short batches counts, since
 * disturbances only add time. Models that exceed the second-level cache are omitted. The prices are
 * non-negative, and their sum over the works fits these times by least squares of relative errors.
 */
#include "bench.h"
#include "commands.h"
#include "compile/batch/cost.h"
#include "compile/draft.h"
#include "model/model.h"
#include "step/system.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PASSES      8 /* over all models, since quiet moments come and go */
#define ROUNDS      12
#define BATCH_NS    1e6
#define RESTART     1000 /* number of steps after which the motion restarts */
#define WORKS_MAX   LK_BATCH_WORKS
#define ONE_BY_ONE  LK_WIDTHS
#define VARIANTS    (LK_WIDTHS + 1)
#define CLOSE_SHARE 0.05 /* a choice that costs this much more counts as no loss */
#define CLEAR       0.7  /* logarithm of a ratio of times that no error of a price can reverse */

static const char *const models[] = {
    "free-1",
    "free-4",
    "free-32",
    "chain-1",
    "chain-2",
    "chain-4",
    "chain-8",
    "chain-16",
    "chain-32",
    "chain-128",
    "chain-256",
    "chain-2-revolute",
    "chain-4-revolute",
    "chain-8-revolute",
    "chain-16-revolute",
    "chain-32-revolute",
    "chain-128-revolute",
    "chain-256-revolute",
    "four-bar",
    "ladder-2",
    "ladder-5",
    "ladder-10",
    "ladder-20",
    "ladder-40",
    "tree-15",
    "tree-31",
    "tree-63",
    "tree-255",
};
#define N_MODELS ((int)(sizeof(models) / sizeof(models[0])))

/** struct sample - a model in one variant: an engine, or one by one. @time_ns: of a step; 0: the
 * processor lacks this engine;  @weight: of its equation */
struct sample {
    double work[WORKS_MAX];
    double time_ns;
    double weight;
};

/** struct runner - a timed system. @batch: steps between two readings;  @done: since the start */
struct runner {
    struct lk_system *system;
    double *inputs;
    int batch;
    int done;
};

static double cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Return: time of a step [ns]. */
static double run_batch(struct runner *r, int n)
{
    double begin;

    if (r->done + n > RESTART) {
        lk_system_reset(r->system);
        r->done = 0;
    }
    begin = cpu_ns();
    for (int i = 0; i < n; i++)
        lk_system_step(r->system, r->inputs);
    r->done += n;
    return (cpu_ns() - begin) / n;
}

/* Return: 0, negative errno; runner_close() releases after either. */
static int runner_open(struct runner *r, const struct lk_model *model, const char *engine)
{
    *r = (struct runner){0};
    r->system = compile_model(lk_model_name(model), model,
                              &(struct lk_options){.engine = engine, .all_rows = 1});
    if (r->system == NULL)
        return -EINVAL;
    r->inputs = calloc((size_t)lk_system_input_size(r->system) + 1, sizeof(double));
    if (r->inputs == NULL)
        return -ENOMEM;
    run_batch(r, 3);
    r->batch = (int)fmin(fmax(BATCH_NS / run_batch(r, 3), 1), RESTART);
    return 0;
}

static void runner_close(struct runner *r)
{
    lk_system_free(r->system);
    free(r->inputs);
}

/* Counts the works of a step one by one. Return: 0, -ENOMEM. */
static int count_classic(const struct lk_model *model, double work[WORKS_MAX])
{
    struct lk_draft draft = {
        .model = model,
        .h = model->solver.step,
        .iterations = model->solver.iterations ? model->solver.iterations : LK_ITERATIONS,
        .engine = "none",
        .has_all_rows = 1,
        .formulation = &lk_formulation_ali3,
    };
    int r = lk_draft_init(&draft);

    if (r == 0)
        lk_classic_work(&draft, work);
    lk_draft_fini(&draft);
    return r;
}

/* Return: 0, negative errno. */
static int measure_model(const struct lk_model *model, struct sample sample[VARIANTS])
{
    const struct lk_engine *here[LK_ENGINES_MAX + 1];
    struct runner runner[VARIANTS] = {0};
    int r = runner_open(&runner[ONE_BY_ONE], model, "none");

    lk_engines_here(here);
    for (int i = 0; here[i] != NULL && r == 0; i++) {
        enum lk_width w = lk_width_of(here[i]->lanes);

        r = runner_open(&runner[w], model, here[i]->name);
        if (r == 0)
            lk_batches_work(runner[w].system->batches, sample[w].work);
    }
    for (int round = 0; round < ROUNDS && r == 0; round++)
        for (int v = 0; v < VARIANTS; v++)
            if (runner[v].system != NULL) {
                double time = run_batch(&runner[v], runner[v].batch);

                if (sample[v].time_ns == 0 || time < sample[v].time_ns)
                    sample[v].time_ns = time;
            }
    for (int v = 0; v < VARIANTS; v++)
        runner_close(&runner[v]);
    return r != 0 ? r : count_classic(model, sample[ONE_BY_ONE].work);
}

/* Return: 0, negative errno. */
static int measure_samples(const char *name, struct sample sample[VARIANTS])
{
    struct lk_model *model = NULL;
    struct lk_error error;
    size_t size = 0;
    char *text = bench_model_text(name, &size);
    int r = text == NULL ? -errno : lk_model_read_text(name, text, size, &model, &error);

    free(text);
    if (r == 0) { /* the step that the works of the table are counts of */
        snprintf(model->solver.formulation, sizeof(model->solver.formulation), "%s",
                 lk_formulation_ali3.name);
        r = measure_model(model, sample);
    }
    lk_model_free(model);
    return r;
}

/* Solves A x = b for the @n unknowns in use, by Gauss-Jordan; the others are 0. */
static void solve_equations(int n, double A[WORKS_MAX][WORKS_MAX], double b[WORKS_MAX],
                            const bool *used, double x[WORKS_MAX])
{
    for (int k = 0; k < n; k++) {
        if (!used[k])
            continue;
        for (int i = 0; i < n; i++) {
            double f = A[i][k] / A[k][k];

            if (i == k || !used[i])
                continue;
            for (int c = 0; c < n; c++)
                A[i][c] -= f * A[k][c];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        x[k] = used[k] ? b[k] / A[k][k] : 0;
}

/* Normal equations of relative errors, with a small diagonal, since works are nearly collinear. */
static void fit_used(const struct sample *const *samples, int n_samples, int n, const bool *used,
                     double price[WORKS_MAX])
{
    double A[WORKS_MAX][WORKS_MAX] = {{0}}, b[WORKS_MAX] = {0};

    for (int s = 0; s < n_samples; s++)
        for (int i = 0; i < n; i++) {
            double time_ns = samples[s]->time_ns;
            double row = samples[s]->weight * samples[s]->work[i] / time_ns;

            for (int k = 0; k < n; k++)
                A[i][k] += row * samples[s]->work[k] / time_ns;
            b[i] += row;
        }
    for (int i = 0; i < n; i++)
        A[i][i] = A[i][i] * (1 + 1e-9) + 1e-300;
    solve_equations(n, A, b, used, price);
}

/* Removes negative prices, the worst first, and solves again. */
static void fit_prices(const struct sample *const *samples, int n_samples, int n,
                       double price[WORKS_MAX])
{
    bool used[WORKS_MAX];
    int worst;

    for (int i = 0; i < n; i++)
        used[i] = true;
    do {
        worst = -1;
        fit_used(samples, n_samples, n, used, price);
        for (int i = 0; i < n; i++)
            if (price[i] < 0 && (worst < 0 || price[i] < price[worst]))
                worst = i;
        if (worst >= 0)
            used[worst] = false;
    } while (worst >= 0);
}

static double time_at(const struct sample *s, const double *price, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += s->work[i] * price[i];
    return sum;
}

static int works_of(int variant)
{
    return variant == ONE_BY_ONE ? LK_CLASSIC_WORKS : LK_BATCH_WORKS;
}

/* as lk_batches_draft() chooses: the widest engine, or any with four lanes and more */
static bool is_chosen_from(const struct sample sample[VARIANTS], int v)
{
    bool is_widest = true;

    for (int w = 0; w < v; w++)
        is_widest &= sample[w].time_ns == 0;
    return sample[v].time_ns > 0 && (v == ONE_BY_ONE || v <= LK_WIDTH_4 || is_widest);
}

static void print_row(double price[VARIANTS][WORKS_MAX])
{
    struct lk_processor p;

    lk_processor_here(&p);
    printf(
        "    {\n        .name = \"...\",\n        .vendor = \"%s\",\n        .family = %d,\n"
        "        .model = {{%d, %d}},\n        .widest = %d,\n        .batches =\n            {\n",
        p.vendor, p.family, p.model, p.model, p.widest);
    for (int v = 0; v < VARIANTS; v++) {
        printf("%s{", v == ONE_BY_ONE ? "            },\n        .classic = " : "                ");
        for (int i = 0; i < works_of(v); i++)
            printf("%s%.3g", i > 0 ? ", " : "", price[v][i]);
        printf("},\n");
    }
    printf("    },\n");
}

/* Return: time of the choice by these prices, relative to the best; 1: no loss. */
static double loss_of(const struct sample sample[VARIANTS], double price[VARIANTS][WORKS_MAX])
{
    double best_ns = INFINITY, least = INFINITY, chosen_ns = 0;

    for (int v = 0; v < VARIANTS; v++) {
        double modelled = time_at(&sample[v], price[v], works_of(v));

        if (!is_chosen_from(sample, v))
            continue;
        best_ns = fmin(best_ns, sample[v].time_ns);
        if (modelled < least) {
            least = modelled;
            chosen_ns = sample[v].time_ns;
        }
    }
    return chosen_ns / best_ns;
}

static double worst_loss(struct sample sample[][VARIANTS], double price[VARIANTS][WORKS_MAX])
{
    double worst = 1;

    for (int i = 0; i < N_MODELS; i++)
        worst = fmax(worst, loss_of(sample[i], price));
    return worst;
}

static void scale_classic(double price[VARIANTS][WORKS_MAX], double scale)
{
    for (int i = 0; i < LK_CLASSIC_WORKS; i++)
        price[ONE_BY_ONE][i] *= scale;
}

/* The model errs differently for the two ways of stepping: prices of one by one are scaled to
 * minimise the worst loss, in the middle of all such scales. */
static void balance_prices(struct sample sample[][VARIANTS], double price[VARIANTS][WORKS_MAX])
{
    double least = INFINITY, first = 1, last = 1;

    for (int percent = 75; percent <= 133; percent++) {
        double scale = 0.01 * percent, loss;

        scale_classic(price, scale);
        loss = worst_loss(sample, price);
        scale_classic(price, 1 / scale);
        if (loss < least)
            first = scale;
        if (loss <= least)
            last = scale;
        least = fmin(least, loss);
    }
    scale_classic(price, 0.5 * (first + last));
}

/* prints the times for tests/unit/prices_measured.h; to the standard error how well they fit */
static void print_model(const char *name, const struct sample sample[VARIANTS],
                        double price[VARIANTS][WORKS_MAX])
{
    double loss = loss_of(sample, price);

    printf("    {\"%s\", {", name);
    for (int v = 0; v < VARIANTS; v++) {
        double modelled = time_at(&sample[v], price[v], works_of(v));

        printf("%s%.0f", v > 0 ? ", " : "", sample[v].time_ns);
        if (is_chosen_from(sample, v))
            fprintf(stderr, "  %.0f ns by %.2f", sample[v].time_ns, modelled / sample[v].time_ns);
    }
    printf("}},\n");
    fprintf(stderr, "  %s", name);
    if (loss > 1 + CLOSE_SHARE)
        fprintf(stderr, ": the choice takes %.2f times the best", loss);
    fprintf(stderr, "\n");
}

/* Where two variants take nearly the same time, the choice depends on the prices: these times have
 * the largest weight. */
static void weigh_samples(struct sample sample[VARIANTS])
{
    for (int v = 0; v < VARIANTS; v++) {
        double nearest = CLEAR;

        for (int w = 0; w < VARIANTS; w++)
            if (w != v && sample[w].time_ns > 0 && (w == ONE_BY_ONE || v == ONE_BY_ONE))
                nearest = fmin(nearest, fabs(log(sample[w].time_ns / sample[v].time_ns)));
        sample[v].weight = 1 / (CLOSE_SHARE + nearest);
    }
}

int bench_prices(bool is_quick)
{
    static struct sample sample[N_MODELS][VARIANTS];
    double price[VARIANTS][WORKS_MAX] = {{0}};

    for (int i = 0; i < (is_quick ? 1 : PASSES) * N_MODELS; i++) {
        int r = measure_samples(models[i % N_MODELS], sample[i % N_MODELS]);

        if (r != 0) {
            complain("%s: %s", models[i % N_MODELS], strerror(-r));
            return EXIT_REFUSED;
        }
    }
    for (int i = 0; i < N_MODELS; i++)
        weigh_samples(sample[i]);
    for (int v = 0; v < VARIANTS; v++) {
        const struct sample *list[N_MODELS];

        for (int i = 0; i < N_MODELS; i++)
            list[i] = &sample[i][v];
        if (sample[0][v].time_ns > 0)
            fit_prices(list, N_MODELS, works_of(v), price[v]);
    }
    balance_prices(sample, price);
    print_row(price);
    for (int i = 0; i < N_MODELS; i++)
        print_model(models[i], sample[i], price);
    return EXIT_DONE;
}
