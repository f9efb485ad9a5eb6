/* SPDX-License-Identifier: Apache-2.0 */
/* Verdict on a budget proof: whether the step fits into its period, and if not, settings that would
 * fit. Control thread only. */
#ifndef LKD_CTL_BUDGET_H
#define LKD_CTL_BUDGET_H

#include "loaded.h"
#include "proof.h"

#define LKD_BUDGET_TEXT 400

/** struct lkd_budget - verdict on a budget proof.
 * @valid:     the step fits, a run may start
 * @degraded:  judged by a quantile instead of the maximum, because the machine is not fit for real
 *             time
 * @quantile:  quantile used for the verdict, 1: the maximum
 * @judged_ns: step duration at @quantile
 * @steps, @p50_ns, @p999_ns, @max_ns: number and durations of the executed steps
 * @gap_ns:    largest gap of a loop that only reads the clock, run between the steps
 * @margin_ns: margin of a hybrid wait, from the measured wake-up latencies
 * @text:      the verdict in one line, for the user */
struct lkd_budget {
    bool valid;
    bool degraded;
    double quantile;
    uint64_t steps;
    int64_t p50_ns;
    int64_t p999_ns;
    int64_t max_ns;
    int64_t judged_ns;
    int64_t gap_ns;
    int64_t margin_ns;
    char text[LKD_BUDGET_TEXT];
};

/** lkd_budget_judge() - Compute the verdict.
 * @n_workers:     number of workers that executed the steps
 * @n_workers_max: largest possible number of workers
 * @degraded:      the machine is not fit for real time, and a degraded run is permitted
 * The largest step must not exceed the budget's share of the period. On a degraded machine
 * interrupted steps are excluded: one in a thousand, or four times the number that the gaps of the
 * clock-reading loop predict for each worker, but at most a tenth. With a hybrid wait, the margin
 * and the step together must not exceed nine tenths, because the kernel throttles a real-time
 * thread that never sleeps. If the step does not fit, the model is compiled with other numbers of
 * iterations and stepped for some 50 ms each, unless compiling takes more than 100 ms. */
void lkd_budget_judge(const struct lkd_proof *proof, const struct lkd_loaded *loaded, int n_workers,
                      int n_workers_max, bool degraded, struct lkd_budget *ret_budget);

#endif
