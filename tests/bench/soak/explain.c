/* SPDX-License-Identifier: Apache-2.0 */
#include "soak.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

#define FULL      500 /* missed deadlines; a reply has at most 1000 */
#define SHOWN_MAX 20
#define NAP_NS    INT64_C(1000000)
#define PATIENCE  40 /* number of naps for one reply */

const char *soak_reason_text(enum soak_reason reason)
{
    static const char *const text[SOAK_REASONS] = {
        [SOAK_INJECTED] = "stalled on purpose",
        [SOAK_BEHIND] = "behind a cycle before that was not over",
        [SOAK_MACHINE] = "woken late while the machine stood still",
        [SOAK_OTHERS] = "woken late while another thread had the core",
        [SOAK_HELD] = "ready, and held back by the kernel for normal threads",
        [SOAK_COMPUTING] = "stopped while computing",
        [SOAK_UNKNOWN] = "UNEXPLAINED: woken late while the core was free",
        [SOAK_UNSEEN] = "UNEXPLAINED: not looked at, its record was written over",
    };

    return text[reason];
}

const char *soak_reason_key(enum soak_reason reason)
{
    static const char *const key[SOAK_REASONS] = {
        [SOAK_INJECTED] = "injected",   [SOAK_BEHIND] = "behind",
        [SOAK_MACHINE] = "machine",     [SOAK_OTHERS] = "other_threads",
        [SOAK_HELD] = "held_back",      [SOAK_COMPUTING] = "computing",
        [SOAK_UNKNOWN] = "unexplained", [SOAK_UNSEEN] = "not_looked_at",
    };

    return key[reason];
}

static bool has_seen(const struct soak_witness *witness, int64_t ns)
{
    return atomic_load_explicit(&witness->seen_ns, memory_order_acquire) > ns;
}

/* Wait until the witness has run again after @ns, because a gap is recorded only at its end. This
 * may last long if other threads use the core. */
static bool await_witness(struct soak_explained *explained, const struct soak_witness *witness,
                          int64_t ns)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    for (; explained->patience > 0 && !has_seen(witness, ns); explained->patience--)
        nanosleep(&nap, NULL);
    return has_seen(witness, ns);
}

/* Find the reason why the cycle did not get the core between grid point and wake-up. */
static enum soak_reason find_absence(struct soak_explained *explained,
                                     const Linkage__V1__CycleRecord *r,
                                     const struct soak_witness *witness, int64_t *ret_absent_ns)
{
    int64_t begin_ns = (int64_t)r->deadline_ns, end_ns = begin_ns + r->woken_ns, others_ns;

    if (!await_witness(explained, witness, end_ns))
        return SOAK_OTHERS;
    *ret_absent_ns = soak_witness_absent(witness, begin_ns, end_ns, &others_ns);
    if (*ret_absent_ns < 0)
        return SOAK_UNSEEN;
    if (2 * *ret_absent_ns <= r->woken_ns)
        return SOAK_UNKNOWN;
    others_ns -= r->ended_ns - r->woken_ns; /* time of the cycle itself */
    return 2 * others_ns > r->woken_ns ? SOAK_OTHERS : SOAK_MACHINE;
}

/* Return true if the daemon injected a stall. It stalls a cycle between wake-up and computation. */
static bool is_injected(const Linkage__V1__CycleRecord *r, const struct soak_faults *faults)
{
    int64_t deadline_ns = (int64_t)r->deadline_ns;

    return deadline_ns >= faults->stall_begin_ns && deadline_ns <= faults->stall_end_ns &&
           r->latched_ns - r->woken_ns >= faults->stall_ns;
}

static enum soak_reason find_reason(struct soak_explained *explained,
                                    const Linkage__V1__CycleRecord *r,
                                    const struct soak_witness *witness,
                                    const struct soak_faults *faults, int64_t *ret_absent_ns)
{
    if (is_injected(r, faults))
        return SOAK_INJECTED;
    if (strcmp(r->cause, "cycle before") == 0)
        return SOAK_BEHIND;
    if (strcmp(r->cause, "long computation") == 0 || r->ended_ns - r->woken_ns > r->woken_ns)
        return SOAK_COMPUTING;
    return find_absence(explained, r, witness, ret_absent_ns);
}

/* Update the time for which the cycle was ready without running. A missed deadline that is read now
 * may lie in one of the last two intervals between calls. */
static void look_at_ready(struct soak_explained *explained, const struct soak_rig *rig)
{
    int64_t now_ns = soak_rig_ready_ns(rig);

    explained->held_ns = now_ns - explained->ready_ns[1];
    explained->ready_ns[1] = explained->ready_ns[0];
    explained->ready_ns[0] = now_ns;
}

/* Return true if the cycle was ready while the witness, a thread of normal priority, ran. */
static bool was_held(struct soak_explained *explained, const Linkage__V1__CycleRecord *r)
{
    if (2 * explained->held_ns < r->woken_ns)
        return false;
    explained->held_ns -= r->woken_ns;
    return true;
}

static void explain(struct soak_explained *explained, const Linkage__V1__CycleRecord *r,
                    int64_t period_ns, const struct soak_witness *witness,
                    const struct soak_faults *faults)
{
    int64_t absent_ns = 0;
    enum soak_reason reason = find_reason(explained, r, witness, faults, &absent_ns);

    if (reason == SOAK_UNKNOWN && was_held(explained, r))
        reason = SOAK_HELD;
    explained->seen++;
    explained->count[reason]++;
    if (r->ended_ns - period_ns > explained->late_ns[reason])
        explained->late_ns[reason] = r->ended_ns - period_ns;
    if (reason == SOAK_UNKNOWN && explained->shown++ < SHOWN_MAX)
        printf("unexplained: cycle %" PRIu64 ", %s, woken after %.1f us, of which the core was "
               "gone for %.1f us\n",
               r->cycle, r->cause, (double)r->woken_ns * 1e-3, (double)absent_ns * 1e-3);
}

int soak_explain(struct soak_explained *explained, struct lk_client *client,
                 const struct soak_rig *rig, const struct soak_witness *witness,
                 const struct soak_faults *faults)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__EvidenceRequest wish = LINKAGE__V1__EVIDENCE_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error = {0};
    size_t n;

    wish.with_cycles = true;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE;
    request.evidence = &wish;
    look_at_ready(explained, rig);
    explained->patience = PATIENCE;
    do {
        wish.missed_from = explained->next;
        if (lk_client_call(client, &request, &reply, &error) || !reply->evidence) {
            fprintf(stderr, "soak: no evidence: %s\n", error.text);
            return 1;
        }
        n = reply->evidence->n_missed;
        for (size_t i = 0; i < n; i++)
            explain(explained, reply->evidence->missed[i], (int64_t)reply->evidence->period_ns,
                    witness, faults);
        explained->next = reply->evidence->missed_next;
    } while (n >= FULL); /* more may come while these are explained */
    return 0;
}
