/* SPDX-License-Identifier: Apache-2.0 */
#include "clock.h"
#include <time.h>

#define LOOK_NS INT64_C(1000000000)

void lkd_wall_clock_judge(struct lkd_wall_clock *clock, int result, const struct timex *answer)
{
    clock->synchronised = result >= 0 && !(answer->status & STA_UNSYNC);
    /* @maxerror is in us. The kernel increases it while the clock is not disciplined, until it
     * reaches a maximum (STA_UNSYNC) and is meaningless. */
    clock->uncertainty_ns =
        clock->synchronised && answer->maxerror > 0 ? (uint64_t)answer->maxerror * 1000 : 0;
    clock->tai_offset_ns = result >= 0 ? answer->tai * INT64_C(1000000000) : 0;
}

bool lkd_wall_clock_refresh(struct lkd_wall_clock *clock, int64_t now_ns)
{
    struct timex answer = {.modes = 0};

    if (now_ns < clock->look_ns)
        return false;
    clock->look_ns = now_ns + LOOK_NS;
    lkd_wall_clock_judge(clock, clock_adjtime(CLOCK_REALTIME, &answer), &answer);
    return true;
}

uint64_t lkd_wall_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
