/* SPDX-License-Identifier: Apache-2.0 */
#include "overrun.h"

/* Count the overrun at grid point @k. Return true if it exceeds a limit. */
static bool passes_limit(const struct lkd_overrun_policy *policy, struct lkd_overruns *overruns,
                         uint64_t k)
{
    uint64_t m = policy->in_window, first;

    if (policy->in_a_row > 0 && overruns->row >= policy->in_a_row)
        return true;
    overruns->recent[overruns->counted++ % LKD_OVERRUN_WINDOW_MAX] = k;
    if (m == 0 || overruns->counted < m)
        return false;
    first = overruns->recent[(overruns->counted - m) % LKD_OVERRUN_WINDOW_MAX];
    return k - first < policy->window;
}

/* Return the number of grid points to skip. @passed grid points lie in the past, including the next
 * one. */
static int64_t skip(const struct lkd_overrun_policy *policy, struct lkd_overruns *overruns,
                    int64_t passed)
{
    if (policy->action == LKD_OVERRUN_CONTINUE)
        return passed > 1 ? passed : 0;
    if (overruns->at_once >= policy->catch_up)
        return passed;
    return passed > policy->catch_up ? passed - policy->catch_up : 0;
}

LK_RT int64_t lkd_overrun_next(const struct lkd_overrun_policy *policy,
                               struct lkd_overruns *overruns, uint64_t k, uint64_t cycle,
                               int64_t passed)
{
    int64_t skipped;

    if (passed <= 0) {
        overruns->row = 0;
        overruns->at_once = 0;
        return 1;
    }
    overruns->overruns++;
    overruns->row++;
    if (cycle < policy->ignore_first)
        overruns->row = 0;
    else if (passes_limit(policy, overruns, k))
        overruns->fault = true;

    skipped = skip(policy, overruns, passed);
    overruns->skipped += (uint64_t)skipped;
    if (skipped < passed) {
        overruns->at_once++;
        overruns->caught_up++;
    } else {
        overruns->at_once = 0;
    }
    return 1 + skipped;
}
