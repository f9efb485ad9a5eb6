/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence collected during a run: the worst cycles, from the ring of records, and whether the
 * kernel throttled the cycle. Control thread only. */
#ifndef LKD_CTL_EVIDENCE_H
#define LKD_CTL_EVIDENCE_H

#include "runner.h"

#define LKD_WORST_MAX 100

/** struct lkd_worst - one of the worst cycles.
 * @response_ns: time from the grid point of the cycle to its end */
struct lkd_worst {
    int64_t response_ns;
    uint64_t cycle;
    struct lkd_record record;
};

#define LKD_RECENT_MAX                                                                             \
    4096 /* stored missed deadlines: those of a fifth of a second at 20 kHz, if every cycle misses \
            its deadline */

/** struct lkd_evidence - evidence of one run.
 * @utc_offset_ns:     wall clock - CLOCK_MONOTONIC at the start
 * @started_utc_ns:    start of the run; 0 before a run
 * @next:              number of the record to read next
 * @lost:              number of records that were overwritten before they were read
 * @worst:             @n_worst cycles, unordered
 * @least:             index of the one with the shortest response
 * @suspects:          missed deadlines since the last judgement that look like throttling
 * @n_judged, @involuntary: @n_recent and involuntary context switches at the last judgement
 * @throttled:         number of missed deadlines caused by throttling
 * @n_recent, @recent: number of missed deadlines read, and ring of the last ones; number i, counted
 *                     from 1, is at (i - 1) % LKD_RECENT_MAX
 * @last, @last_ended_ns: cycle and end of the last record read */
struct lkd_evidence {
    int64_t utc_offset_ns;
    int64_t started_utc_ns;
    uint64_t next;
    uint64_t lost;
    int n_worst;
    int least;
    struct lkd_worst worst[LKD_WORST_MAX];
    uint64_t suspects;
    uint64_t n_judged;
    uint64_t involuntary;
    uint64_t throttled;
    uint64_t n_recent;
    struct lkd_missed recent[LKD_RECENT_MAX];
    uint64_t last;
    int64_t last_ended_ns;
};

/** lkd_evidence_begin() - Reset the evidence when a run begins. */
void lkd_evidence_begin(struct lkd_evidence *evidence);

/** lkd_evidence_collect() - Read the new records of the cycle. Call it several times a second;
 * otherwise records are overwritten and counted in @lost. */
void lkd_evidence_collect(struct lkd_evidence *evidence, const struct lkd_cycle *cycle,
                          const struct lkd_runner *runner);

/** lkd_evidence_recent() - Return the stored missed deadlines from number @from on, counted from 1.
 * @ret:      at most @n_max missed deadlines, oldest first
 * @ret_next: number of the last returned one plus 1
 * Return: number of missed deadlines in @ret. */
int lkd_evidence_recent(const struct lkd_evidence *evidence, uint64_t from, int n_max,
                        const struct lkd_missed **ret, uint64_t *ret_next);

/** lkd_evidence_sort() - Return the worst cycles, worst first.
 * @ret: array of LKD_WORST_MAX entries
 * Return: number of cycles in @ret. */
int lkd_evidence_sort(const struct lkd_evidence *evidence, struct lkd_worst *ret);

/** lkd_cause_name() - Return the name of a cause as static text, such as "late wake-up". */
const char *lkd_cause_name(enum lkd_cause cause);

#endif
