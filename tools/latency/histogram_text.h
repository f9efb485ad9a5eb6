/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the histogram text of cyclictest (`cyclictest -q -h LIMIT` with one thread):
 *
 *     # Histogram
 *     000015 000123              a class of one microsecond, number of samples
 *     # Total: 000001000         samples in classes, without the overflows
 *     # Min Latencies: 00013
 *     # Avg Latencies: 00015
 *     # Max Latencies: 00171
 *     # Histogram Overflows: 00002
 *
 * All functions are pure. */
#ifndef TOOLS_LATENCY_HISTOGRAM_TEXT_H
#define TOOLS_LATENCY_HISTOGRAM_TEXT_H

#include "histogram.h"
#include "linkage/error.h"
#include <stdio.h>

#define LAT_TEXT_LIMIT_US 20000 /* number of classes of 1 us; longer latencies are overflows */

/** lat_text_parse() - Parse the histogram text of cyclictest. Overflows are assumed to lie between
 * the end of the last class and the largest latency.
 * @text:          null-terminated
 * @ret_histogram: filled only on success; release with lat_histogram_fini()
 * Return: 0, LK_E_TEXT (@ret_error: line and error), -ENOMEM. */
int lat_text_parse(const char *text, struct lat_histogram *ret_histogram,
                   struct lk_error *ret_error);

/** lat_text_write() - Write @histogram as text of cyclictest. Each class is assigned to the
 * microsecond that contains its middle. Empty classes above the largest sample are omitted, because
 * plotting scripts do not need them.
 * Return: 0, negative errno. */
int lat_text_write(FILE *file, const struct lat_histogram *histogram);

#endif
