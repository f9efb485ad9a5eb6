/* SPDX-License-Identifier: Apache-2.0 */
/* Write results of steps as numbers to a file, and compare two such files. A change of the step's
 * structure must not change a bit. tests/bench/same-bits runs both.
 *
 * Every model of the command line and MECHANISMS random mechanisms run with every method, every
 * built engine, and with one and two workers. A run has STEPS steps with inputs that jump. Then the
 * state of the middle is restored, and the steps are repeated from there. */
#include "../physics/mechanism.h"
#include "linkage/pool.h"
#include "linkage/state.h"
#include "pool_threads.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS      100
#define EARLY      10 /* step of a first record, where a difference has not grown yet */
#define MIDDLE     60
#define HOLD       7 /* number of steps between jumps of the inputs */
#define MECHANISMS 200
#define NAME_SIZE  160

static const struct method {
    const char *formulation;
    int order;
} methods[] = {{"rattle", 2}, {"rattle", 4}, {"rattle", 6}, {"ali3", 2},
               {"ali3", 3},   {"ali3", 4},   {"rk4", 0}};

static const char *const engines[] = {"none", "scalar", "portable", "avx2", "avx512"};

/** struct numbers - numbers of a record
 * @n:    number of elements in @values
 * @size: capacity of @values */
struct numbers {
    size_t n;
    size_t size;
    double *values;
};

static struct pool_threads *two_workers;
static FILE *file;
static int n_records, n_refused;

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "same_bits: %s: %s\n", name, what);
    exit(2);
}

static double *more(struct numbers *numbers, size_t n)
{
    if (numbers->n + n > numbers->size) {
        numbers->size = 2 * (numbers->n + n);
        numbers->values = realloc(numbers->values, numbers->size * sizeof(double));
        if (!numbers->values)
            fail("no memory", "numbers");
    }
    numbers->n += n;
    return numbers->values + numbers->n - n;
}

/* ---- steps ---- */

/* Append motions, reactions, health and outputs of the present state. */
static void take(const struct lk_system *system, struct numbers *to)
{
    const size_t n_state = sizeof(struct lk_body_state) / sizeof(double);
    const size_t n_health = sizeof(struct lk_health) / sizeof(double);
    struct lk_summary summary;

    lk_system_summary(system, &summary);
    for (int i = 0; i < summary.n_bodies; i++)
        lk_system_body_state(system, i, (struct lk_body_state *)more(to, n_state));
    for (int i = 0; i < summary.n_joints; i++)
        lk_system_joint_reaction(system, i, more(to, 6));
    lk_system_health(system, (struct lk_health *)more(to, n_health));
    lk_system_outputs(system, more(to, (size_t)lk_system_output_size(system)));
}

/* Set the inputs of step @step. They differ from their initial values by up to a tenth of their
 * range, or by up to 1 without a range. */
static void set_inputs(const struct lk_system *system, int step, double *inputs)
{
    struct dice dice = {.state = (uint64_t)(step / HOLD) + 1};
    int n;
    const struct lk_channel *channels = lk_system_input_channels(system, &n);

    for (int i = 0; i < n; i++) {
        double range = channels[i].high - channels[i].low;
        double part = range < 1e300 ? 0.1 * range : 1;

        for (int k = 0; k < channels[i].size; k++) {
            double value = channels[i].initial + dice_uniform(&dice, -part, part);

            value = value < channels[i].low ? channels[i].low : value;
            inputs[channels[i].offset + k] = value > channels[i].high ? channels[i].high : value;
        }
    }
}

/* Make steps @from to @to - 1.
 * Return: result of the first refused step, else 0 */
static int advance(struct lk_system *system, double *inputs, int from, int to)
{
    int r = 0;

    for (int i = from; i < to && r == 0; i++) {
        set_inputs(system, i, inputs);
        r = lk_system_step(system, inputs);
    }
    return r;
}

/* Append all numbers of a run. The result of the first refused step is also a number of the run. */
static void run(struct lk_system *system, struct numbers *to)
{
    size_t size = lk_system_state_size(system), n = (size_t)lk_system_input_size(system);
    double *inputs = calloc(n + 1, sizeof(double));
    char *state = malloc(size);
    struct lk_error error;
    int r;

    if (!inputs || !state)
        fail("no memory", "run");
    take(system, to);
    *more(to, 1) = r = advance(system, inputs, 0, EARLY);
    take(system, to);
    if (r == 0)
        r = advance(system, inputs, EARLY, MIDDLE);
    lk_system_state_get(system, state);
    for (int time = 0; time < 2; time++) {
        *more(to, 1) = r == 0 ? advance(system, inputs, MIDDLE, STEPS) : r;
        take(system, to);
        if (time == 0 && lk_system_state_set(system, state, size, &error) != 0)
            fail(error.text, "state");
    }
    lk_system_reset(system);
    take(system, to);
    free(state);
    free(inputs);
}

static void keep(const char *name, const struct numbers *numbers)
{
    char line[NAME_SIZE] = {0};

    snprintf(line, sizeof(line), "%s", name);
    if (fwrite(line, sizeof(line), 1, file) != 1 ||
        fwrite(&numbers->n, sizeof(numbers->n), 1, file) != 1 ||
        fwrite(numbers->values, sizeof(double), numbers->n, file) != numbers->n)
        fail("not written", name);
    n_records++;
}

/* Run @model with @method and @engine, with one worker, and also with two if the engine can share a
 * step. */
static void run_by(struct lk_model *model, bool is_soft, const char *name,
                   const struct method *method, const char *engine)
{
    const struct lk_options options = {.engine = engine, .order = method->order};
    struct numbers numbers = {0};
    struct lk_system *system;
    struct lk_error error;
    char line[NAME_SIZE];

    snprintf(model->solver.formulation, LK_NAME_SIZE, "%s", method->formulation);
    model->solver.order = 2;
    model->solver.soft_redundancy = is_soft && strcmp(method->formulation, "ali3") == 0;
    if (lk_system_new(model, &options, &system, &error) != 0) {
        n_refused++;
        return;
    }
    for (int workers = 1; workers <= (strcmp(engine, "none") == 0 ? 1 : 2); workers++) {
        snprintf(line, sizeof(line), "%s %s %d %s %d", name, method->formulation, method->order,
                 lk_system_engine(system), workers);
        lk_system_set_pool(system, workers == 2 ? pool_threads_pool(two_workers) : NULL);
        numbers.n = 0;
        run(system, &numbers);
        keep(line, &numbers);
        lk_system_set_pool(system, NULL);
    }
    free(numbers.values);
    lk_system_free(system);
}

static void run_model(struct lk_model *model, const char *name)
{
    bool is_soft = model->solver.soft_redundancy; /* only `ali3` supports this option */

    for (size_t m = 0; m < sizeof(methods) / sizeof(methods[0]); m++)
        for (size_t e = 0; e < sizeof(engines) / sizeof(engines[0]); e++)
            run_by(model, is_soft, name, &methods[m], engines[e]);
    lk_model_free(model);
}

static void run_all(int n, char **paths)
{
    struct lk_error error;
    struct lk_model *model;
    char name[32];

    if (pool_threads_start(2, NULL, &two_workers) != 0)
        fail("no threads", "workers");
    for (int i = 0; i < n; i++) {
        if (lk_model_read_file(paths[i], &model, &error) != 0)
            fail(error.text, paths[i]);
        run_model(model, paths[i]);
    }
    for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
        struct mechanism *mechanism = mechanism_make(seed, MECHANISM_MIXED, 1 + (int)(seed % 12));
        char *text = mechanism_text(mechanism);

        snprintf(name, sizeof(name), "random-%d", (int)seed);
        if (lk_model_read_text(name, text, strlen(text), &model, &error) != 0)
            fail(error.text, name);
        run_model(model, name);
        free(text);
        mechanism_free(mechanism);
    }
    pool_threads_stop(two_workers);
    printf("%d runs, %d that a method or this machine does not take\n", n_records, n_refused);
}

/* ---- two files ---- */

/* Read the next record of @from.
 * Return: false at the end */
static bool next(FILE *from, char name[NAME_SIZE], struct numbers *ret)
{
    size_t n;

    if (fread(name, NAME_SIZE, 1, from) != 1 || fread(&n, sizeof(n), 1, from) != 1)
        return false;
    ret->n = 0;
    more(ret, n);
    return fread(ret->values, sizeof(double), n, from) == n;
}

/* Return the largest difference, relative to the largest absolute number of both records. */
static double difference(const struct numbers *a, const struct numbers *b)
{
    double most = 0, largest = 0;

    if (a->n != b->n)
        return INFINITY;
    for (size_t i = 0; i < a->n; i++) {
        largest = fmax(largest, fmax(fabs(a->values[i]), fabs(b->values[i])));
        if (memcmp(&a->values[i], &b->values[i], sizeof(double)) == 0)
            continue;
        if (isnan(a->values[i]) != isnan(b->values[i]))
            return INFINITY;
        most = fmax(most, fabs(a->values[i] - b->values[i]));
    }
    return largest > 0 ? most / largest : 0;
}

/* Compare two files. Records that the second file lacks are skipped: its build may not have the
 * engine. */
static int compare(FILE *old, FILE *new, double allowed)
{
    struct numbers numbers[2] = {{0}};
    int same = 0, close = 0, other = 0, alone = 0;
    char name[2][NAME_SIZE];
    bool more_new = next(new, name[1], &numbers[1]);

    while (next(old, name[0], &numbers[0])) {
        double by;

        if (!more_new || strcmp(name[0], name[1]) != 0) {
            alone++;
            continue;
        }
        by = difference(&numbers[0], &numbers[1]);
        if (numbers[0].n == numbers[1].n &&
            memcmp(numbers[0].values, numbers[1].values, numbers[0].n * sizeof(double)) == 0) {
            same++;
        } else {
            printf("%-12s %.1e %s\n", by <= allowed ? "close" : "OTHER", by, name[0]);
            close += by <= allowed;
            other += !(by <= allowed);
        }
        more_new = next(new, name[1], &numbers[1]);
    }
    printf("%d with the same bits, %d within %g, %d others, %d that only the first one has%s\n",
           same, close, allowed, other, alone, more_new ? "; the second one has more" : "");
    free(numbers[0].values);
    free(numbers[1].values);
    return other > 0 || same + close == 0 || more_new;
}

int main(int argc, char *argv[])
{
    if (argc > 3 && strcmp(argv[1], "run") == 0) {
        file = fopen(argv[2], "wb");
        if (!file)
            fail("cannot be written", argv[2]);
        run_all(argc - 3, argv + 3);
        return fclose(file) != 0;
    }
    if (argc == 5 && strcmp(argv[1], "compare") == 0) {
        FILE *old = fopen(argv[2], "rb"), *new = fopen(argv[3], "rb");

        if (!old || !new)
            fail("cannot be read", old ? argv[3] : argv[2]);
        return compare(old, new, strtod(argv[4], NULL));
    }
    fprintf(stderr, "usage: %s run FILE MODEL... | compare OLD NEW ALLOWED\n", argv[0]);
    return 2;
}
