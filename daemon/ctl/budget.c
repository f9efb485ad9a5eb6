/* SPDX-License-Identifier: Apache-2.0 */
#include "budget.h"
#include "linkage/compile.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OCCUPIED_MAX 0.9 /* limit of step and spinning together, as a share of a period */
#define TRIALS       101 /* largest number of steps that measure a number of iterations */
#define TRIALS_MIN   5
#define TRIALS_NS    INT64_C(50000000) /* time limit of these steps [ns] */
/* Models that compile for longer than this are not compiled again for advice [ns]. */
#define COMPILE_NS   INT64_C(100000000)
#define PROBED       4    /* additional iterations, to measure the cost of one iteration */
#define LEFT_OUT_MIN 1e-3 /* smallest share of steps excluded on a degraded machine */
#define LEFT_OUT_MAX 0.1
#define SAFETY       4 /* safety factor, because gaps tend to come in groups */

static void append_text(struct lkd_budget *budget, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append_text(struct lkd_budget *budget, const char *format, ...)
{
    size_t used = strlen(budget->text);
    va_list args;

    va_start(args, format);
    vsnprintf(budget->text + used, sizeof(budget->text) - used, format, args);
    va_end(args);
}

/* Convert to microseconds, rounded to a tenth. */
static double to_us(int64_t ns)
{
    return round((double)ns * 1e-2) * 0.1;
}

/* ---- advice on what would fit ---- */

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Return the median time of a step at the start of the motion [ns]; 0 if a step fails. */
static int64_t median_step(struct lk_system *system)
{
    double *inputs = calloc((size_t)lk_system_input_size(system) + 1, sizeof(double));
    int64_t times[TRIALS] = {0};
    int64_t first_ns = lkd_clock_ns();
    bool failed = !inputs;
    int n = 0;

    while (n < TRIALS && !failed && (n < TRIALS_MIN || lkd_clock_ns() - first_ns < TRIALS_NS)) {
        int64_t begin_ns = lkd_clock_ns();

        failed = lk_system_step(system, inputs) != 0;
        times[n++] = lkd_clock_ns() - begin_ns;
    }
    free(inputs);
    qsort(times, (size_t)n, sizeof(times[0]), compare_times);
    return failed ? 0 : times[n / 2];
}

static bool is_late(void *context)
{
    return lkd_clock_ns() > *(const int64_t *)context;
}

/* Return the median time of a step with another number of iterations [ns]; 0 if it cannot be
 * measured. The control thread waits for the compilation, so models that compile slowly are not
 * measured. */
static int64_t median_with(const struct lkd_loaded *loaded, int iterations)
{
    const struct lk_options options = {.iterations = iterations, .engine = loaded->engine};
    int64_t until_ns = lkd_clock_ns() + COMPILE_NS;
    struct lk_bounds bounds = {.is_cancelled = is_late, .context = &until_ns};
    struct lk_error error;
    struct lk_system *system;
    int64_t time_ns;

    if (loaded->compile_ns > COMPILE_NS ||
        lk_system_new_within(loaded->model, &options, &bounds, &system, &error))
        return 0;
    time_ns = median_step(system);
    lk_system_free(system);
    return time_ns;
}

/* Return the largest number of iterations whose step would fit; 0 if no number fits, or if fewer
 * iterations would not shorten the step. Each iteration costs the same, so two medians suffice. */
static int iterations_that_fit(const struct lkd_loaded *loaded, int64_t basis_ns, int64_t most_ns)
{
    int64_t now_ns = median_with(loaded, 0);
    double one_ns = now_ns > 0 ? (double)median_with(loaded, 1) : 0;
    double more_ns = one_ns > 0 ? (double)median_with(loaded, 1 + PROBED) : 0;
    double each_ns = (more_ns - one_ns) / PROBED, room_ns;

    /* Accept the cost of an iteration only if it exceeds the differences between repeated
     * measurements. */
    if (more_ns <= 0 || each_ns < 0.02 * one_ns || one_ns > 0.95 * (double)now_ns)
        return 0;
    room_ns = fmin((double)most_ns / (double)basis_ns, 0.95) * (double)now_ns - one_ns;
    return room_ns < 0 ? 0 : 1 + (int)fmin(room_ns / each_ns, LK_ITERATIONS_MAX - 1);
}

static void say_what_fits(const struct lkd_loaded *loaded, int64_t most_ns, int n_workers,
                          int n_workers_max, struct lkd_budget *budget)
{
    int64_t basis_ns = budget->judged_ns;
    double period_ns = (double)loaded->cycle->period_ns * (double)basis_ns / (double)most_ns;
    int useful = lk_system_workers_useful(loaded->system);
    int n = iterations_that_fit(loaded, basis_ns, most_ns);

    append_text(budget, "; would fit: ");
    if (period_ns <= (double)LKD_PERIOD_MAX_NS)
        append_text(budget, "a step of %.7g ms (%.4g Hz)", ceil(period_ns * 1e-4) * 1e-2,
                    1e9 / (ceil(period_ns * 1e-4) * 1e4));
    else
        append_text(budget, "no step in real time");
    if (n > 0)
        append_text(budget, ", or %d iteration%s", n, n > 1 ? "s" : "");
    if (useful > n_workers && n_workers_max > n_workers)
        append_text(budget, ", perhaps %d workers",
                    useful < n_workers_max ? useful : n_workers_max);
}

/* ---- the verdict ---- */

/* Return the quantile of the step durations to be used for the verdict. Gaps occur at some rate. So
 * a step of duration t is interrupted with probability rate times t on each of its cores. */
static double find_quantile(const struct lkd_proof *proof, int n_workers)
{
    double rate = (double)proof->gaps / fmax((double)proof->gap_time_ns, 1);
    double chance = rate * (double)lkd_histogram_quantile(&proof->compute, 0.5);

    return 1 - fmin(fmax(LEFT_OUT_MIN, SAFETY * n_workers * chance), LEFT_OUT_MAX);
}

static void read_proof(const struct lkd_proof *proof, const struct lkd_cycle *cycle, int n_workers,
                       struct lkd_budget *budget)
{
    budget->steps = proof->steps_done;
    budget->p50_ns = lkd_histogram_quantile(&proof->compute, 0.5);
    budget->p999_ns = lkd_histogram_quantile(&proof->compute, 0.999);
    budget->max_ns = lkd_histogram_max(&proof->compute);
    budget->gap_ns = proof->gap_max_ns;
    budget->quantile = budget->degraded ? find_quantile(proof, n_workers) : 1;
    budget->judged_ns = budget->max_ns;
    if (budget->degraded)
        budget->judged_ns = lkd_histogram_quantile(&proof->compute, budget->quantile);
    budget->margin_ns = cycle->settings.margin_ns;
    if (budget->margin_ns == 0)
        budget->margin_ns =
            lkd_wait_margin(lkd_histogram_quantile(&proof->wakeup, 0.99), cycle->period_ns);
}

static void describe_budget(const struct lkd_cycle *cycle, struct lkd_budget *budget)
{
    double period_us = (double)cycle->period_ns * 1e-3;

    budget->text[0] = '\0';
    if (budget->degraded)
        append_text(budget, "p%.4g %.7g us, ", 100 * budget->quantile, to_us(budget->judged_ns));
    append_text(budget, "max %.7g us of %.6g us, slack %.0f %%", to_us(budget->max_ns), period_us,
                floor(100 * (1 - (double)budget->judged_ns / (double)cycle->period_ns)));
    append_text(budget, " (%" PRIu64 " steps", budget->steps);
    if (budget->gap_ns > LKD_PROOF_GAP_NS)
        append_text(budget, "; the machine itself stood still for up to %.7g us",
                    to_us(budget->gap_ns));
    append_text(budget, ")");
}

void lkd_budget_judge(const struct lkd_proof *proof, const struct lkd_loaded *loaded, int n_workers,
                      int n_workers_max, bool degraded, struct lkd_budget *ret_budget)
{
    const struct lkd_cycle *cycle = loaded->cycle;
    double period_ns = (double)cycle->period_ns;
    int64_t most_ns = (int64_t)(cycle->settings.budget_share * period_ns), room_ns;

    *ret_budget = (struct lkd_budget){.degraded = degraded};
    read_proof(proof, cycle, n_workers, ret_budget);
    room_ns = (int64_t)(OCCUPIED_MAX * period_ns) - ret_budget->margin_ns;
    describe_budget(cycle, ret_budget);
    ret_budget->valid = ret_budget->judged_ns <= most_ns;
    if (proof->restarts > proof->steps_done / 2) {
        ret_budget->valid = false;
        append_text(
            ret_budget,
            ": %" PRIu64 " of these steps failed, so their time says nothing; would "
            "fit: narrower limits of the inputs, or a wider limit of `residual` in the policy",
            proof->restarts);
    } else if (!ret_budget->valid) {
        append_text(ret_budget, ": more than the budget of %.0f %%",
                    100 * cycle->settings.budget_share);
        say_what_fits(loaded, most_ns, n_workers, n_workers_max, ret_budget);
    } else if (cycle->settings.wake == LKD_WAKE_HYBRID && ret_budget->judged_ns > room_ns) {
        ret_budget->valid = false;
        append_text(
            ret_budget,
            ": with %.7g us of spinning before it more than 90 %% of the period; would fit: wake: "
            "sleep, or a smaller spin_margin_us",
            to_us(ret_budget->margin_ns));
    }
}
