/* SPDX-License-Identifier: Apache-2.0 */
/* What a run can prove about its timing (message Evidence), written to a file: for programs, for
 * the plotting scripts of cyclictest, and for people.
 *
 * A message may hold anything that lk_wire_decode_reply() lets pass. Absent parts are written as
 * empty ones, so that every key and every row is always there; text of the message can neither
 * break a line nor steer a terminal; the work is bounded by the size of the message.
 *
 * Write errors stay in the stream, for the caller to look at with ferror(). Any thread but the
 * cycle. */
#ifndef LK_REPORT_H
#define LK_REPORT_H

#include "linkage.pb-c.h"
#include "linkage/json.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_REPORT_LIMIT_MAX_US 1000000u /* rows of a histogram, as in cyclictest */

/** lk_report_json() - all of @evidence as one JSON object on a line of its own.
 * Keys are those of the message, durations and times in ns; a bucket is [upper_ns, count]; "utc"
 * is the grid point of a cycle in ISO 8601, "" where the daemon gave none. */
void lk_report_json(FILE *file, const Linkage__V1__Evidence *evidence);

/** lk_report_histogram() - what `cyclictest -h @limit_us` writes, with a column for each of
 * wake-up, compute and response where cyclictest has one for each thread.
 * @evidence: with histograms; without, all rows are zero
 * @limit_us: rows, 0 to @limit_us - 1, of durations [us] rounded down; longer ones are counted in
 *            `# Histogram Overflows` and, as with cyclictest, not in `# Total`. 0: up to the
 *            period, which makes overflows of the response the missed deadlines, but from 200 to
 *            10000. At most LK_REPORT_LIMIT_MAX_US.
 * A bucket of the message that touches several rows is divided between them by the part of its
 * width that each covers, in whole counts: the sum over the rows and the overflow is exactly the
 * sum over the buckets. The smallest latency is the lower end of its bucket and the average that of
 * the middles of the buckets (within 2 %); the largest is exact. Cycle numbers of overflows are
 * those among the worst cycles of the message. A comment line ahead names model and columns. */
void lk_report_histogram(FILE *file, const Linkage__V1__Evidence *evidence, unsigned int limit_us);

/** lk_report_text() - @evidence as tables: a row for each distribution, counters, the proof, the
 * latency budget of each bench (see latency-budget.md), the ten worst cycles with their phases, the
 * first ten missed deadlines. */
void lk_report_text(FILE *file, const Linkage__V1__Evidence *evidence);

/** lk_report_proof_json() - a member @key of an open object: the outcome of arming; NULL: none. */
void lk_report_proof_json(struct lk_json *json, const char *key, const Linkage__V1__Proof *proof);

/** lk_report_put() - print @text of a message, see lk_text_clean(); NULL counts as "".
 */
void lk_report_put(FILE *file, const char *text);

/** lk_report_utc() - ISO 8601 with microseconds, "2026-03-01T12:00:00.000250Z"; "" for 0. */
#define LK_REPORT_UTC_SIZE 40
void lk_report_utc(uint64_t utc_ns, char ret_text[LK_REPORT_UTC_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
