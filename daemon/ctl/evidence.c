/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"
#include "log.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)
/* Bounds of the duration of a throttling. The kernel's real-time throttling reserves 50 ms of each
 * second for other threads. */
#define THROTTLE_MIN_NS INT64_C(40000000)
#define THROTTLE_MAX_NS INT64_C(60000000)

void lkd_evidence_begin(struct lkd_evidence *evidence)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    memset(evidence, 0, sizeof(*evidence));
    evidence->started_utc_ns = now.tv_sec * NS_PER_S + now.tv_nsec;
    evidence->utc_offset_ns = evidence->started_utc_ns - lkd_clock_ns();
}

static void find_least(struct lkd_evidence *evidence)
{
    evidence->least = 0;
    for (int i = 1; i < evidence->n_worst; i++)
        if (evidence->worst[i].response_ns < evidence->worst[evidence->least].response_ns)
            evidence->least = i;
}

static void consider_cycle(struct lkd_evidence *evidence, uint64_t cycle,
                           const struct lkd_record *record)
{
    int64_t response_ns = record->ended_ns - record->deadline_ns;
    int place = evidence->n_worst;

    if (place == LKD_WORST_MAX) {
        place = evidence->least;
        if (response_ns <= evidence->worst[place].response_ns)
            return;
    } else {
        evidence->n_worst++;
    }
    evidence->worst[place] = (struct lkd_worst){response_ns, cycle, *record};
    find_least(evidence);
}

/* Return true if a missed deadline may have been caused by throttling: it was late by the typical
 * duration of a throttling. */
static bool was_throttled(const struct lkd_missed *missed)
{
    int64_t late_ns = missed->record.ended_ns - missed->record.deadline_ns;

    /* Cycles that were late because of the previous one belong to the same stall. */
    return late_ns >= THROTTLE_MIN_NS && late_ns <= THROTTLE_MAX_NS &&
           missed->cause != LKD_CAUSE_BEHIND;
}

/* Store a missed deadline. If the record before it was lost, the cycle is assumed to have waited
 * for its grid point. */
static void keep_missed(struct lkd_evidence *evidence, const struct lkd_cycle *cycle,
                        uint64_t number, const struct lkd_record *record)
{
    bool behind = evidence->last + 1 == number && evidence->last_ended_ns > record->deadline_ns;
    struct lkd_missed *missed;

    evidence->last = number;
    evidence->last_ended_ns = record->ended_ns;
    if (cycle->mode != LKD_MODE_REALTIME ||
        record->ended_ns <= record->deadline_ns + cycle->period_ns)
        return;
    missed = &evidence->recent[evidence->n_recent++ % LKD_RECENT_MAX];
    *missed = (struct lkd_missed){number, lkd_cycle_cause(cycle, record, behind), *record};
    evidence->suspects += was_throttled(missed);
}

static void collect_records(struct lkd_evidence *evidence, const struct lkd_cycle *cycle)
{
    uint64_t written = lkd_ring_written(&cycle->records), first = lkd_ring_first(&cycle->records);
    struct lkd_record record;

    if (first > evidence->next) {
        evidence->lost += first - evidence->next;
        evidence->next = first;
    }
    for (; evidence->next < written; evidence->next++) {
        if (!lkd_cycle_record(cycle, evidence->next, &record)) {
            evidence->lost++;
            continue;
        }
        consider_cycle(evidence, evidence->next, &record);
        keep_missed(evidence, cycle, evidence->next, &record);
    }
}

/* Count suspects as throttled if the thread was preempted meanwhile. The kernel throttles only
 * real-time threads. */
static void judge_suspects(struct lkd_evidence *evidence, const struct lkd_runner *runner)
{
    uint64_t n = evidence->suspects;
    struct lkd_usage usage;

    if (evidence->n_recent == evidence->n_judged)
        return;
    evidence->n_judged = evidence->n_recent;
    evidence->suspects = 0;
    lkd_runner_usage(runner, &usage);
    if (n > 0 && lkd_runner_is_fifo(runner) && usage.involuntary > evidence->involuntary) {
        evidence->throttled += n;
        lkd_log(
            LKD_C_HELD_BACK,
            "the kernel throttled the cycle for 40 to 60 ms (%" PRIu64
            " times), as it left no time to other tasks: spin less (wake), or see linkage doctor",
            n);
    }
    evidence->involuntary = usage.involuntary;
}

void lkd_evidence_collect(struct lkd_evidence *evidence, const struct lkd_cycle *cycle,
                          const struct lkd_runner *runner)
{
    collect_records(evidence, cycle);
    judge_suspects(evidence, runner);
}

int lkd_evidence_recent(const struct lkd_evidence *evidence, uint64_t from, int n_max,
                        const struct lkd_missed **ret, uint64_t *ret_next)
{
    uint64_t n = evidence->n_recent, next = from > 0 ? from - 1 : 0;
    int found = 0;

    if (n > LKD_RECENT_MAX && next < n - LKD_RECENT_MAX)
        next = n - LKD_RECENT_MAX;
    for (; next < n && found < n_max; next++)
        ret[found++] = &evidence->recent[next % LKD_RECENT_MAX];
    *ret_next = next + 1;
    return found;
}

static int compare_worst(const void *a, const void *b)
{
    const struct lkd_worst *x = a, *y = b;

    return (x->response_ns < y->response_ns) - (x->response_ns > y->response_ns);
}

int lkd_evidence_sort(const struct lkd_evidence *evidence, struct lkd_worst *ret)
{
    memcpy(ret, evidence->worst, (size_t)evidence->n_worst * sizeof(*ret));
    qsort(ret, (size_t)evidence->n_worst, sizeof(*ret), compare_worst);
    return evidence->n_worst;
}

const char *lkd_cause_name(enum lkd_cause cause)
{
    switch (cause) {
    case LKD_CAUSE_BEHIND:
        return "cycle before";
    case LKD_CAUSE_WAKEUP:
        return "late wake-up";
    case LKD_CAUSE_COMPUTATION:
        return "long computation";
    case LKD_CAUSE_BOTH:
        return "wake-up and computation";
    }
    return "";
}
