/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle without a clock: steps that a bench releases, or as many as the processor makes. */
#include "cycle_parts.h"

/* How often a cycle that has nothing to do looks whether it is asked for something. */
#define LOOK_NS INT64_C(10000000)

/* Return: whether a cycle is due: a step, or one that says again, a hundred times a second, that
 * there is none; false after LOOK_NS without a grant. What was not released before the nap is no
 * step after it, whatever is asked meanwhile. */
static bool released(struct lkd_cycle *cycle, enum lkd_ask *ask)
{
    bool runs = cycle->rt.figures.state == LKD_CYCLE_RUNNING;
    bool steps = *ask == LKD_ASK_RUN && cycle->rt.figures.state != LKD_CYCLE_FAULT &&
                 !lkd_cycle_is_done(cycle);

    if (steps && cycle->mode == LKD_MODE_LOCKSTEP)
        return lkd_release_await(&cycle->release, LOOK_NS);
    if (!steps && *ask == LKD_ASK_RUN)
        *ask = LKD_ASK_PAUSE;
    if (!steps && !runs)
        lkd_nap(LOOK_NS);
    return true;
}

/* The control thread reads what the steps have led to while this one may go on. */
static void answer(struct lkd_cycle *cycle)
{
    if (cycle->mode == LKD_MODE_LOCKSTEP) {
        lkd_cycle_fill(cycle, lkd_mailbox_back(&cycle->answer));
        lkd_mailbox_publish(&cycle->answer);
    }
    lkd_release_count(&cycle->release);
}

/* A cycle that waits for a bench must not look hung. */
static void show_life(struct lkd_cycle *cycle)
{
    lkd_cycle_settle(cycle);
    lkd_snapshot_serve(cycle);
}

void lkd_cycle_run_released(struct lkd_cycle *cycle)
{
    struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_record *r = &cycle->rt.record;
    enum lkd_ask ask;

    while ((ask = lkd_cycle_asked(cycle)) != LKD_ASK_END) {
        uint64_t before = f->step;

        if (!released(cycle, &ask)) {
            show_life(cycle);
            continue;
        }
        r->deadline_ns = r->woken_ns = lkd_clock_ns();
        lkd_cycle_carry_out(cycle, ask, (int64_t)f->step);
        f->behind_ns = 0;
        lkd_cycle_keep_record(cycle);
        if (f->step != before)
            answer(cycle);
        if (f->state == LKD_CYCLE_FAULT)
            lkd_release_end(&cycle->release);
    }
    lkd_release_end(&cycle->release);
}
