/* SPDX-License-Identifier: Apache-2.0 */
/* Verdict on a budget proof: whether the step fits into its period, and if not, what would fit.
 * Control thread only. */
#ifndef LKD_CTL_BUDGET_H
#define LKD_CTL_BUDGET_H

#include "loaded.h"
#include "proof.h"

#define LKD_BUDGET_TEXT 400

/** struct lkd_budget - @valid: the step fits, a run may start
 * @degraded: judged by a quantile instead of the maximum, because the machine is not fit
 * @quantile: quantile used for the verdict, 1: the maximum;  @judged_ns: step duration at @quantile
 * @steps, @p50_ns, @p999_ns, @max_ns: number and durations of the executed steps
 * @gap_ns:   largest gap of a loop that only reads the clock, run between the steps
 * @margin_ns: margin of a hybrid wait, from the measured wake-up latencies
 * @text:     one line for people */
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
 * @n_workers:   workers that executed the steps;  @n_workers_max: largest possible number
 * @degraded:    the machine is not fit, and that is allowed
 * The largest step has to be within the budget's share of the period. On a degraded machine
 * interrupted steps are excluded: one in a thousand, or four times the number that the gaps of the
 * clock loop predict for each worker, but at most a tenth. With a hybrid wait its margin and the
 * step have to be within nine tenths, as the kernel throttles a real-time thread that never sleeps.
 * If the step does not fit, the model is compiled with other numbers of iterations and stepped for
 * some 50 ms each, unless compiling it takes more than 100 ms. */
void lkd_budget_judge(const struct lkd_proof *proof, const struct lkd_loaded *loaded, int n_workers,
                      int n_workers_max, bool degraded, struct lkd_budget *ret_budget);

#endif
