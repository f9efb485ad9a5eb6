/* SPDX-License-Identifier: Apache-2.0 */
#include "wait.h"
#include <errno.h>

#define NS_PER_S INT64_C(1000000000)

LK_RT int64_t lkd_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static struct timespec as_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

struct timespec lkd_time_in(int64_t duration_ns)
{
    return as_timespec(lkd_clock_ns() + duration_ns);
}

LK_RT void lkd_sleep_until(int64_t when_ns)
{
    struct timespec when = as_timespec(when_ns);

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR)
        ;
}

LK_RT int64_t lkd_wait_until(const struct lkd_wait *wait, int64_t when_ns)
{
    int64_t now_ns;

    if (wait->wake == LKD_WAKE_SLEEP)
        lkd_sleep_until(when_ns);
    else if (wait->wake == LKD_WAKE_HYBRID && lkd_clock_ns() < when_ns - wait->margin_ns)
        lkd_sleep_until(when_ns - wait->margin_ns);
    do
        now_ns = lkd_clock_ns();
    while (now_ns < when_ns);
    return now_ns;
}

int64_t lkd_wait_margin(int64_t p99_ns, int64_t period_ns)
{
    int64_t margin_ns = 2 * p99_ns + LKD_MARGIN_MIN_NS;
    int64_t most_ns = (int64_t)(LKD_MARGIN_PART * (double)period_ns);

    return margin_ns < most_ns ? margin_ns : most_ns;
}

const char *lkd_wake_name(enum lkd_wake wake)
{
    static const char *const names[] = {"sleep", "hybrid", "spin"};

    return names[wake];
}
