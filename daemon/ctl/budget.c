/* SPDX-License-Identifier: Apache-2.0 */
#include "budget.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCCUPIED_MAX 0.9  /* of a period, step and spinning together */
#define TRIALS       101  /* steps for comparing iterations */
#define LEFT_OUT_MIN 1e-3 /* of the steps of a degraded machine */

static void append(struct lkd_budget *budget, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(struct lkd_budget *budget, const char *format, ...)
{
    size_t used = strlen(budget->text);
    va_list args;

    va_start(args, format);
    vsnprintf(budget->text + used, sizeof(budget->text) - used, format, args);
    va_end(args);
}

/* ---- what would fit ---- */

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Median time of a step [ns], at the start of the motion; 0 when one fails. */
static int64_t median_step(struct lk_system *system)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(double));
    int64_t times[TRIALS] = {0};
    bool failed = !inputs;

    for (int i = 0; i < TRIALS && !failed; i++) {
        int64_t begin_ns = lkd_clock_ns();

        failed = lk_system_step(system, inputs) != 0;
        times[i] = lkd_clock_ns() - begin_ns;
    }
    free(inputs);
    qsort(times, TRIALS, sizeof(times[0]), compare_times);
    return failed ? 0 : times[TRIALS / 2];
}

static int64_t median_with(const struct lkd_loaded *loaded, int iterations)
{
    const struct lk_options options = {.iterations = iterations};
    struct lk_error error;
    struct lk_system *system;
    int64_t time_ns;

    if (lk_system_new(loaded->model, &options, &system, &error))
        return 0;
    time_ns = median_step(system);
    lk_system_free(system);
    return time_ns;
}

/* Most iterations whose step would fit, by the ratio of medians; 0 when none does. */
static int iterations_that_fit(const struct lkd_loaded *loaded, int64_t basis_ns, int64_t most_ns)
{
    int64_t now_ns = median_with(loaded, 0), few_ns;

    for (int n = LK_ITERATIONS_MAX; n >= 1 && now_ns > 0; n--) {
        few_ns = median_with(loaded, n);
        /* fewer than now, by more than two measurements of the same differ */
        if (few_ns > 0 && (double)few_ns < 0.95 * (double)now_ns &&
            (double)basis_ns * (double)few_ns < (double)most_ns * (double)now_ns)
            return n;
    }
    return 0;
}

static void say_what_fits(const struct lkd_loaded *loaded, int64_t most_ns, int n_workers,
                          int n_workers_max, struct lkd_budget *budget)
{
    int64_t basis_ns = budget->judged_ns;
    double period_ns = (double)loaded->cycle->period_ns * (double)basis_ns / (double)most_ns;
    int useful = lk_system_workers_useful(loaded->system);
    int n = iterations_that_fit(loaded, basis_ns, most_ns);

    append(budget, "; would fit: a step of %.3g ms (%.4g Hz)", ceil(period_ns * 1e-4) * 1e-2,
           1e9 / (ceil(period_ns * 1e-4) * 1e4));
    if (n > 0)
        append(budget, ", or %d iteration%s", n, n > 1 ? "s" : "");
    if (useful > n_workers && n_workers_max > n_workers)
        append(budget, ", perhaps %d workers", useful < n_workers_max ? useful : n_workers_max);
}

/* ---- the verdict ---- */

/* Gaps come at some rate, so a step of time t meets one with a chance of rate times t. */
static double find_quantile(const struct lkd_proof *proof)
{
    double rate = (double)proof->gaps / fmax((double)proof->gap_time_ns, 1);
    double chance = rate * (double)lkd_histogram_quantile(&proof->compute, 0.5);

    return fmax(1 - fmax(LEFT_OUT_MIN, 2 * chance), 0.5);
}

static void read_proof(const struct lkd_proof *proof, const struct lkd_cycle *cycle,
                       struct lkd_budget *budget)
{
    budget->steps = proof->steps_done;
    budget->p50_ns = lkd_histogram_quantile(&proof->compute, 0.5);
    budget->p999_ns = lkd_histogram_quantile(&proof->compute, 0.999);
    budget->max_ns = lkd_histogram_max(&proof->compute);
    budget->gap_ns = proof->gap_max_ns;
    budget->quantile = budget->degraded ? find_quantile(proof) : 1;
    budget->judged_ns = budget->max_ns;
    if (budget->degraded)
        budget->judged_ns = lkd_histogram_quantile(&proof->compute, budget->quantile);
    budget->margin_ns = cycle->settings.margin_ns;
    if (budget->margin_ns == 0)
        budget->margin_ns =
            lkd_wait_margin(lkd_histogram_quantile(&proof->wakeup, 0.99), cycle->period_ns);
}

static void describe(const struct lkd_cycle *cycle, struct lkd_budget *budget)
{
    double period_us = (double)cycle->period_ns * 1e-3;

    budget->text[0] = '\0';
    if (budget->degraded)
        append(budget, "p%.4g %.4g us, ", 100 * budget->quantile, (double)budget->judged_ns * 1e-3);
    append(budget, "max %.4g us of %.6g us, slack %.0f %%", (double)budget->max_ns * 1e-3,
           period_us, floor(100 * (1 - (double)budget->judged_ns / (double)cycle->period_ns)));
    append(budget, " (%" PRIu64 " steps", budget->steps);
    if (budget->gap_ns > LKD_PROOF_GAP_NS)
        append(budget, "; the machine itself stood still for up to %.4g us",
               (double)budget->gap_ns * 1e-3);
    append(budget, ")");
}

void lkd_budget_judge(const struct lkd_proof *proof, const struct lkd_loaded *loaded, int n_workers,
                      int n_workers_max, bool degraded, struct lkd_budget *ret_budget)
{
    const struct lkd_cycle *cycle = loaded->cycle;
    double period_ns = (double)cycle->period_ns;
    int64_t most_ns = (int64_t)(cycle->settings.budget_share * period_ns), room_ns;

    *ret_budget = (struct lkd_budget){.degraded = degraded};
    read_proof(proof, cycle, ret_budget);
    room_ns = (int64_t)(OCCUPIED_MAX * period_ns) - ret_budget->margin_ns;
    describe(cycle, ret_budget);
    ret_budget->valid = ret_budget->judged_ns <= most_ns;
    if (!ret_budget->valid) {
        append(ret_budget, ": more than the budget of %.0f %%", 100 * cycle->settings.budget_share);
        say_what_fits(loaded, most_ns, n_workers, n_workers_max, ret_budget);
    } else if (cycle->settings.wake == LKD_WAKE_HYBRID && ret_budget->judged_ns > room_ns) {
        ret_budget->valid = false;
        append(
            ret_budget,
            ": with %.4g us of spinning before it more than 90 %% of the period; would fit: wake: "
            "sleep, or a smaller spin_margin_us",
            (double)ret_budget->margin_ns * 1e-3);
    }
}
