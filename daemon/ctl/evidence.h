/* SPDX-License-Identifier: Apache-2.0 */
/* What is collected about a run beside its cycle: the worst cycles, out of the ring of records, and
 * whether the kernel has held the cycle back. Control thread only. */
#ifndef LKD_CTL_EVIDENCE_H
#define LKD_CTL_EVIDENCE_H

#include "runner.h"

#define LKD_WORST_MAX 100

/** struct lkd_worst - a cycle, and how long after its grid point it ended. */
struct lkd_worst {
    int64_t response_ns;
    uint64_t cycle;
    struct lkd_record record;
};

/** struct lkd_evidence - of one run.
 * @utc_offset_ns: wall clock - CLOCK_MONOTONIC at the start;  @started_utc_ns: 0 before a run
 * @next:     record to read next;  @lost: written over before they were read
 * @worst:    @n_worst of them, in no order;  @least: which of them ended soonest
 * @n_missed_seen, @involuntary: missed deadlines looked at, and core losses by then
 * @throttled: overruns in which the kernel held real-time threads back */
struct lkd_evidence {
    int64_t utc_offset_ns;
    int64_t started_utc_ns;
    uint64_t next;
    uint64_t lost;
    int n_worst;
    int least;
    struct lkd_worst worst[LKD_WORST_MAX];
    uint64_t n_missed_seen;
    uint64_t involuntary;
    uint64_t throttled;
};

/** lkd_evidence_begin() - a run begins. */
void lkd_evidence_begin(struct lkd_evidence *evidence);

/** lkd_evidence_collect() - read what the cycle has left since the last time; several times a
 * second, or records are lost (and counted). */
void lkd_evidence_collect(struct lkd_evidence *evidence, const struct lkd_cycle *cycle,
                          const struct lkd_runner *runner);

/** lkd_evidence_sort() - the worst cycles, worst first. @ret: LKD_WORST_MAX. Return: how many. */
int lkd_evidence_sort(const struct lkd_evidence *evidence, struct lkd_worst *ret);

/** lkd_cause_name() - "late wake-up" and so on. Static text. */
const char *lkd_cause_name(enum lkd_cause cause);

#endif
