/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram of durations [us] with classes of any width. The classes of cyclictest are 1 us wide,
 * those of the daemon 3 % of their value. All functions are pure.
 *
 * Statistics must not depend on the widths. Therefore samples are assumed to be uniformly
 * distributed over their class: quantiles are interpolated within a class, and the mean uses the
 * middle of each class. cyclictest truncates to whole microseconds: a sample that it prints as 15
 * lies in [15, 16) and counts as 15.5. */
#ifndef TOOLS_LATENCY_HISTOGRAM_H
#define TOOLS_LATENCY_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/** struct lat_class - a class of @count samples, from @from_us up to, but not including, @to_us. */
struct lat_class {
    double from_us;
    double to_us;
    uint64_t count;
};

/** struct lat_histogram - classes in ascending order; all zero: no samples.
 * @count:  number of samples in all classes
 * @max_us: the largest sample, exact */
struct lat_histogram {
    struct lat_class *classes;
    size_t n;
    size_t size;
    uint64_t count;
    double max_us;
};

/** lat_histogram_fini() - Release the histogram; it is empty afterwards. */
void lat_histogram_fini(struct lat_histogram *histogram);

/** lat_histogram_add() - Add @count samples to the class from @from_us to @to_us, which is created
 * if necessary. @max_us is not updated.
 * Return: 0, -ENOMEM. */
int lat_histogram_add(struct lat_histogram *histogram, double from_us, double to_us,
                      uint64_t count);

/** lat_histogram_add_value() - Add one sample to a class that is less than 1 % wide, and update
 * @max_us.
 * Return: 0, -ENOMEM. */
int lat_histogram_add_value(struct lat_histogram *histogram, double value_us);

/** lat_histogram_merge() - Add all samples of @more to @histogram.
 * Return: 0, -ENOMEM. */
int lat_histogram_merge(struct lat_histogram *histogram, const struct lat_histogram *more);

/** lat_histogram_quantile() - Return the quantile @q, 0 to 1 [us], at most the largest sample; NAN
 * without samples. */
double lat_histogram_quantile(const struct lat_histogram *histogram, double q);

/** lat_histogram_lower_mean() - Return the mean of the lowest samples [us]; NAN without samples. It
 * excludes the highest latencies, which depend on stalls of the machine.
 * @share: share of the samples in the mean, 0 to 1 */
double lat_histogram_lower_mean(const struct lat_histogram *histogram, double share);

/** lat_histogram_above() - Return the share of the samples above @value_us, 0 to 1; NAN without
 * samples. */
double lat_histogram_above(const struct lat_histogram *histogram, double value_us);

#endif
