/* SPDX-License-Identifier: Apache-2.0 */
/* Confidence interval of a ratio of two latencies: paired block bootstrap.
 *
 * Block k of each method was measured at about the same time, so that a disturbance of the machine
 * affects both methods. The ratio is computed from the statistics over all blocks. For its
 * confidence interval, n pairs are drawn with replacement from the n pairs of blocks, and this is
 * repeated many times. Drawing whole blocks preserves the correlation of samples within a block.
 * All functions are pure. */
#ifndef TOOLS_LATENCY_BOOTSTRAP_H
#define TOOLS_LATENCY_BOOTSTRAP_H

#include "histogram.h"

#define LAT_INTERVAL 0.9 /* confidence level: share of the draws within the interval */

/** enum lat_statistic - compared statistics. Quantiles above p99 are not compared, because single
 * stalls of the machine dominate them. */
enum lat_statistic { LAT_P50, LAT_P90, LAT_LOWER_MEAN, LAT_P99, LAT_N_STATISTICS };

/** struct lat_ratio - a ratio and its confidence interval; NAN without samples. */
struct lat_ratio {
    double value;
    double low;
    double high;
};

/** lat_statistic_of() - Return a statistic of a distribution [us]; NAN without samples. */
double lat_statistic_of(const struct lat_histogram *histogram, enum lat_statistic statistic);

/** lat_statistic_name() - Return the name of a statistic: "p50", "p90", "mean of the lower 99 %",
 * "p99". */
const char *lat_statistic_name(enum lat_statistic statistic);

/** lat_bootstrap() - Compute the ratio of each statistic of @method to that of @reference.
 * @method, @reference: @n_blocks blocks each; block k of @method and block k of @reference are a
 *                      pair
 * @n_draws:            number of draws; with 1000, the interval is accurate to about 1 % of its
 *                      width
 * @seed:               equal seeds give equal intervals
 * Return: 0, -ENOMEM. */
int lat_bootstrap(const struct lat_histogram *method, const struct lat_histogram *reference,
                  size_t n_blocks, size_t n_draws, uint64_t seed,
                  struct lat_ratio ret_ratios[LAT_N_STATISTICS]);

#endif
