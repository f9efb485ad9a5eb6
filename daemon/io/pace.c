/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

void lkd_pace_begin(struct lkd_pace *pace, uint64_t divisor)
{
    *pace = (struct lkd_pace){.divisor = divisor, .state = LKD_CYCLE_RUNNING};
}

static uint64_t next_multiple(uint64_t step, uint64_t divisor)
{
    return (step + divisor - 1) / divisor * divisor;
}

LK_RT bool lkd_pace_due(struct lkd_pace *pace, const struct lkd_figures *figures)
{
    bool due;

    if (!pace->begun)
        pace->due = next_multiple(figures->step, pace->divisor);
    if (figures->state == LKD_CYCLE_RUNNING)
        due = figures->step >= pace->due;
    else
        due = figures->state != pace->state || figures->cycles >= pace->cycle + pace->divisor;
    pace->begun = true;
    pace->state = figures->state;
    if (!due)
        return false;
    pace->due = (figures->step / pace->divisor + 1) * pace->divisor;
    pace->cycle = figures->cycles;
    return true;
}

LK_RT uint64_t lkd_pace_ahead(const struct lkd_pace *pace, const struct lkd_figures *figures)
{
    bool runs = figures->state == LKD_CYCLE_RUNNING;
    uint64_t due = runs ? pace->due : pace->cycle + pace->divisor;
    uint64_t now = runs ? figures->step : figures->cycles;

    return due > now ? due - now : 1;
}
