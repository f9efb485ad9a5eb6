/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, histograms and records that show whether cycles meet their deadlines. */
#include "cycle_parts.h"
#include "tracepoints.h"

LK_RT void lkd_cycle_clear_evidence(struct lkd_cycle *cycle)
{
    lkd_histogram_clear(&cycle->wakeup);
    lkd_histogram_clear(&cycle->compute);
    lkd_histogram_clear(&cycle->response);
    lkd_histogram_clear(&cycle->input_age);
    lkd_histogram_clear(&cycle->hand_over);
    lkd_ring_clear(&cycle->records);
    atomic_store_explicit(&cycle->n_missed, 0, memory_order_relaxed);
    cycle->rt.overruns = (struct lkd_overruns){0};
}

static int64_t share_ns(const struct lkd_cycle *cycle, double share)
{
    return (int64_t)(share * (double)cycle->period_ns);
}

/* Return true if the cycle began late because the previous cycle was still running. Its late start
 * is then no wake-up latency of the machine. */
static bool began_behind(const struct lkd_cycle *cycle)
{
    return cycle->rt.overruns.at_once > 0;
}

LK_RT void lkd_cycle_count(struct lkd_cycle *cycle, bool stepped)
{
    const struct lkd_record *r = &cycle->rt.record;
    struct lkd_figures *f = &cycle->rt.figures;
    int64_t wakeup_ns = r->woken_ns - r->deadline_ns, compute_ns = r->computed_ns - r->woken_ns;

    lkd_histogram_add(&cycle->wakeup, wakeup_ns);
    if (stepped)
        lkd_histogram_add(&cycle->compute, compute_ns);
    if (wakeup_ns > share_ns(cycle, cycle->settings.late_wakeup_share) && !began_behind(cycle)) {
        f->late_wakeups++;
        f->late_wakeup_step = f->step;
    }
    if (compute_ns > share_ns(cycle, cycle->settings.budget_share)) {
        f->long_computations++;
        f->long_computation_step = f->step;
    }
}

LK_RT enum lkd_cause lkd_cycle_cause(const struct lkd_cycle *cycle, const struct lkd_record *r,
                                     bool behind)
{
    bool late = r->woken_ns - r->deadline_ns > share_ns(cycle, cycle->settings.late_wakeup_share);
    bool is_long = r->ended_ns - r->woken_ns > share_ns(cycle, cycle->settings.budget_share);

    if (behind)
        return is_long ? LKD_CAUSE_COMPUTATION : LKD_CAUSE_BEHIND;
    return late == is_long ? LKD_CAUSE_BOTH : late ? LKD_CAUSE_WAKEUP : LKD_CAUSE_COMPUTATION;
}

static void list_missed(struct lkd_cycle *cycle, uint64_t number)
{
    uint64_t n = atomic_load_explicit(&cycle->n_missed, memory_order_relaxed);

    if (n >= LKD_MISSED_MAX)
        return;
    cycle->missed[n] = (struct lkd_missed){
        number,
        lkd_cycle_cause(cycle, &cycle->rt.record, began_behind(cycle)),
        cycle->rt.record,
    };
    atomic_store_explicit(&cycle->n_missed, n + 1, memory_order_release);
}

LK_RT void lkd_cycle_keep_record(struct lkd_cycle *cycle)
{
    const struct lkd_record *r = &cycle->rt.record;
    const uint64_t words[LKD_RING_WORDS] = {
        r->step,
        (uint64_t)r->deadline_ns,
        (uint64_t)r->woken_ns,
        (uint64_t)r->latched_ns,
        (uint64_t)r->stepped_ns,
        (uint64_t)r->computed_ns,
        (uint64_t)r->ended_ns,
    };

    lkd_histogram_add(&cycle->response, r->ended_ns - r->deadline_ns);
    lkd_ring_put(&cycle->records, words);
}

uint64_t lkd_cycle_missed(const struct lkd_cycle *cycle)
{
    return atomic_load_explicit(&cycle->n_missed, memory_order_acquire);
}

bool lkd_cycle_record(const struct lkd_cycle *cycle, uint64_t number, struct lkd_record *ret_record)
{
    uint64_t words[LKD_RING_WORDS];

    if (!lkd_ring_get(&cycle->records, number, words))
        return false;
    *ret_record = (struct lkd_record){
        .step = words[0],
        .deadline_ns = (int64_t)words[1],
        .woken_ns = (int64_t)words[2],
        .latched_ns = (int64_t)words[3],
        .stepped_ns = (int64_t)words[4],
        .computed_ns = (int64_t)words[5],
        .ended_ns = (int64_t)words[6],
    };
    return true;
}

LK_RT int64_t lkd_cycle_end(struct lkd_cycle *cycle, uint64_t k)
{
    struct lkd_overruns *overruns = &cycle->rt.overruns;
    struct lkd_figures *f = &cycle->rt.figures;
    const struct lkd_record *r = &cycle->rt.record;
    int64_t late_ns = r->ended_ns - lkd_cycle_grid_point(cycle, (int64_t)k + 1), passed = 0,
            further;
    uint64_t number = f->cycles - 1;

    lkd_cycle_keep_record(cycle);
    if (late_ns > 0) {
        list_missed(cycle, number);
        passed = lkd_grid_before(&cycle->grid, r->ended_ns - cycle->t0_ns) - (int64_t)k;
    }
    further = lkd_overrun_next(&cycle->settings.overrun, overruns, k, number, passed);
    if (late_ns > 0) {
        LKD_TRACEPOINT3(overrun, number, f->step, late_ns);
        f->overruns = overruns->overruns;
        f->skipped = overruns->skipped;
        f->caught_up = overruns->caught_up;
        if (overruns->fault)
            lkd_cycle_fail(cycle, LKD_FAULT_OVERRUN);
    }
    return further;
}
