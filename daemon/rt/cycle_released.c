/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle without a clock: steps released by a bench, or as fast as possible. */
#include "cycle_parts.h"

/* Interval at which an idle cycle checks for requests [ns]. */
#define LOOK_NS INT64_C(10000000)

/* Wait for the next cycle. While the run does not step, a cycle is due a hundred times a second, to
 * repeat the outputs.
 * Return: true if a cycle is due; false after LOOK_NS without a grant. If no step was released
 * before the nap, none is made after it, even if a request arrived during the nap. */
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

/* Publish the outputs for the control thread. The thread of the cycle may continue while the
 * control thread reads them. */
static void answer(struct lkd_cycle *cycle)
{
    if (cycle->mode == LKD_MODE_LOCKSTEP) {
        lkd_cycle_fill(cycle, lkd_mailbox_back(&cycle->answer));
        lkd_mailbox_publish(&cycle->answer);
    }
    lkd_release_count(&cycle->release);
}

/* Publish figures while the cycle waits for a bench, so that the watchdog does not count the wait
 * as a hang. */
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
