/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a ratio of two latencies is, from blocks measured in turn.
 *
 * Block k of either method was measured at about the same time, so a disturbance of the machine
 * meets both. The ratio of a statistic is that of all blocks together. Its interval comes from
 * drawing as many pairs of blocks as there are, with repetition, many times over: whatever
 * correlates the samples within a block is kept. Pure functions. */
#ifndef TOOLS_LATENCY_BOOTSTRAP_H
#define TOOLS_LATENCY_BOOTSTRAP_H

#include "histogram.h"

#define LAT_INTERVAL 0.9 /* share of the draws that an interval holds */

/** enum lat_statistic - what of two latencies is compared. Nothing further out: single stalls of
 * the machine decide that. */
enum lat_statistic { LAT_P50, LAT_P90, LAT_LOWER_MEAN, LAT_P99, LAT_N_STATISTICS };

/** struct lat_ratio - a ratio and its interval; NAN where there is nothing to compare. */
struct lat_ratio {
    double value;
    double low;
    double high;
};

/** lat_statistic_of() - a statistic of a distribution [us]; NAN without samples. */
double lat_statistic_of(const struct lat_histogram *histogram, enum lat_statistic statistic);

/** lat_statistic_name() - "p50", "p90", "mean of the lower 99 %", "p99". */
const char *lat_statistic_name(enum lat_statistic statistic);

/** lat_bootstrap() - ratios of @method to @reference.
 * @method, @reference: @n_blocks each, block k beside block k
 * @n_draws:            1000 make an interval that is good to about a hundredth of its width
 * @seed:               the same one gives the same intervals
 * Return: 0, -ENOMEM. */
int lat_bootstrap(const struct lat_histogram *method, const struct lat_histogram *reference,
                  size_t n_blocks, size_t n_draws, uint64_t seed,
                  struct lat_ratio ret_ratios[LAT_N_STATISTICS]);

#endif
