/* SPDX-License-Identifier: Apache-2.0 */
#include "motion_cycle.h"
#include "clock.h"

void lkd_motion_after_cycle(const struct lkd_cycle *cycle, void *context)
{
    const struct lkd_figures *f = &cycle->rt.figures;
    struct lkd_motions *motions = context;

    if (f->state != LKD_CYCLE_RUNNING) /* the exchange thread sends in other states */
        return;
    for (int i = 0; i < motions->n; i++) {
        struct lkd_motion *motion = &motions->motion[i];

        if (!motion->config->from_cycle || !lkd_pace_due(&motion->pace, f))
            continue;
        lkd_motion_send(motion, &(struct lkd_motion_view){
                                    .status = lkd_motion_status(LINKAGE__V1__STATE__STATE_RUNNING,
                                                                f->flags, motions->degraded),
                                    .step = f->step,
                                    .time_s = f->time_s,
                                    .utc_ns = lkd_wall_clock_ns(),
                                    .values = cycle->rt.values,
                                });
    }
}
