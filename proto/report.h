/* SPDX-License-Identifier: Apache-2.0 */
/* Reports on the timing of a run (message Evidence): as JSON for programs, as histograms for the
 * plotting scripts of cyclictest, and as tables for people.
 *
 * A message may contain anything that lk_wire_decode_reply() accepts. Absent sections are written
 * as empty ones, so that every key and every row always exists. Text of the message is cleaned or
 * escaped, so that it cannot add lines or control a terminal. The work is bounded by the size of
 * the message.
 *
 * Callers check for write errors with ferror().
 * Thread: any but the cycle. */
#ifndef LK_REPORT_H
#define LK_REPORT_H

#include "linkage.pb-c.h"
#include "linkage/json.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_REPORT_LIMIT_MAX_US 1000000u /* most rows, as in cyclictest */

/** lk_report_json() - Write all of @evidence as one JSON object on a separate line. Keys are the
 * field names of the message. Durations and times are in ns; a bucket is [upper_ns, count]; "utc"
 * is the grid point of a cycle in ISO 8601, "" if the daemon sent none. */
void lk_report_json(FILE *file, const Linkage__V1__Evidence *evidence);

/** lk_report_histogram() - Write a histogram in the format of `cyclictest -h @limit_us`. Its
 * columns are wake-up, compute and response instead of one column per thread. A comment line at the
 * top names model and columns.
 *
 * A bucket that overlaps several rows is divided between them in proportion to the overlap, in
 * whole counts: rows and overflow add up to exactly the sum over the buckets. The smallest latency
 * is the lower end of its bucket. The average is computed from the centres of the buckets (within 2
 * %). The largest latency is exact. Cycle numbers of overflows are given only for the worst cycles
 * in the message.
 * @evidence: should contain histograms; without them all rows are zero
 * @limit_us: number of rows, at most LK_REPORT_LIMIT_MAX_US. Row i is for durations of i us,
 *            rounded down. Longer durations are counted in `# Histogram Overflows` and, as in
 *            cyclictest, not in `# Total`. 0: the period, limited to 200 to 10000; the overflows of
 *            the response are then the missed deadlines */
void lk_report_histogram(FILE *file, const Linkage__V1__Evidence *evidence, unsigned int limit_us);

/** lk_report_text() - Write @evidence as tables: a row for each distribution, counters, the proof,
 * the latency budget of each bench (see latency-budget.md), the ten worst cycles with their phases,
 * and the first ten missed deadlines. */
void lk_report_text(FILE *file, const Linkage__V1__Evidence *evidence);

/** lk_report_proof_json() - Add the outcome of arming to an open object, as member @key.
 * @proof: NULL: none */
void lk_report_proof_json(struct lk_json *json, const char *key, const Linkage__V1__Proof *proof);

/** lk_report_put() - Print a text of a message, cleaned with lk_text_clean(); NULL counts as "". */
void lk_report_put(FILE *file, const char *text);

/** lk_report_utc() - Write a time as ISO 8601 with microseconds, "2026-03-01T12:00:00.000250Z"; ""
 * for 0. */
#define LK_REPORT_UTC_SIZE 40
void lk_report_utc(uint64_t utc_ns, char ret_text[LK_REPORT_UTC_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
