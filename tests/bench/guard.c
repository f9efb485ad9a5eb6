/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of the guard between mailbox and step per cycle, for several numbers of input channels.
 * Nothing is tripped and each channel has a new sample in every step, or all channels are on a
 * ramp. Also the cost of the check after the step, for several numbers of bodies. Run by hand:
 *
 *     taskset -c 1 build/tests/bench/guard */
#include "cycle.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 20001

static const int sizes[] = {1, 10, 100, 1000};

/* Make a free body with @n forces of three values each. */
static struct lk_system *make_system(int n)
{
    size_t size = 300 + (size_t)n * 40, used;
    char *text = malloc(size);
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;

    if (!text)
        return NULL;
    used = (size_t)snprintf(text, size,
                            "linkage: 1\nname: forces\nbodies:\n  b: {mass: 1, inertia: [1, 1, 1], "
                            "position: [0, 0, 0]}\ninputs:\n");
    for (int i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "  f%d: {type: body-force, body: b}\n", i);
    snprintf(text + used, size - used, "outputs:\n  p: {type: body-pose, body: b}\nsolver: {}\n");
    if (lk_model_read_text("forces", text, strlen(text), &model, &error) ||
        lk_system_new(model, NULL, &system, &error)) {
        fprintf(stderr, "guard: %s\n", error.text);
        return NULL;
    }
    lk_model_free(model);
    free(text);
    return system;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Measure the guard.
 * @fed: true: benches send samples. false: all channels become stale and ramp over the whole run */
static void measure(struct lkd_guard *guard, struct lkd_news *news, const double *values, bool fed)
{
    static int64_t times[ROUNDS];
    struct lkd_guard_view view = {0};

    lkd_guard_begin(guard, news);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin_ns;

        for (int k = 0; k < guard->n_channels; k++) {
            news[k].watched = true;
            news[k].heard += fed;
        }
        begin_ns = lkd_clock_ns();
        lkd_guard_apply(guard, &view, values, values, news);
        times[i] = lkd_clock_ns() - begin_ns;
        view.step++;
    }
    qsort(times, ROUNDS, sizeof(times[0]), compare);
    printf("%5d channels of 3 values, %-6s  p50 %6" PRId64 " ns, p99 %6" PRId64 " ns\n",
           guard->n_channels, fed ? "fed" : "stale", times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
}

static int measure_size(int n)
{
    struct lkd_policy policy = lkd_policy_default();
    struct lk_system *system = make_system(n);
    struct lkd_news *news = calloc((size_t)n, sizeof(*news));
    double *values = calloc((size_t)n * 3, sizeof(*values));
    struct lkd_guard guard;

    policy.rule[LKD_CONDITION_STALE].ramp_s = 1e3;
    if (!system || !news || !values || lkd_guard_init(&guard, system, &policy))
        return 1;
    for (int i = 0; i < 3 * n; i++)
        values[i] = i;
    measure(&guard, news, values, true);
    measure(&guard, news, values, false);
    lkd_guard_fini(&guard);
    free(values);
    free(news);
    lk_system_free(system);
    return 0;
}

/* Make @n falling bodies. */
static struct lk_system *make_bodies(int n)
{
    size_t size = 200 + (size_t)n * 80, used;
    char *text = malloc(size);
    struct lk_error error;
    struct lk_model *model;
    struct lk_system *system;

    if (!text)
        return NULL;
    used = (size_t)snprintf(text, size, "linkage: 1\nname: bodies\nbodies:\n");
    for (int i = 0; i < n; i++)
        used +=
            (size_t)snprintf(text + used, size - used,
                             "  b%d: {mass: 1, inertia: [1, 1, 1], position: [%d, 0, 0]}\n", i, i);
    if (lk_model_read_text("bodies", text, used, &model, &error) ||
        lk_system_new(model, NULL, &system, &error)) {
        fprintf(stderr, "guard: %s\n", error.text);
        return NULL;
    }
    lk_model_free(model);
    free(text);
    return system;
}

static int judge_bodies(int n)
{
    static int64_t times[ROUNDS];
    const struct lkd_policy policy = lkd_policy_default();
    struct lk_system *system = make_bodies(n);
    struct lkd_judge judge;
    struct lkd_findings found;
    struct lkd_beyond beyond;

    if (!system)
        return 1;
    lkd_judge_begin(&judge, system, policy.pivot_limit);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin_ns = lkd_clock_ns();

        lkd_judge_look(&judge, system, &found);
        lkd_judge_rule(&policy, &found, &beyond);
        times[i] = lkd_clock_ns() - begin_ns;
    }
    qsort(times, ROUNDS, sizeof(times[0]), compare);
    printf("%5d bodies judged                p50 %6" PRId64 " ns, p99 %6" PRId64 " ns\n", n,
           times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
    lk_system_free(system);
    return 0;
}

int main(void)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (measure_size(sizes[i]) || judge_bodies(sizes[i]))
            return 1;
    return 0;
}
