/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_clock.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define NS_PER_S INT64_C(1000000000)

struct fake_clock fake_clock;

int __real_clock_gettime(clockid_t id, struct timespec *time);
int __real_clock_nanosleep(clockid_t id, int flags, const struct timespec *when,
                           struct timespec *left);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *when,
                           struct timespec *left);

void fake_clock_begin(void)
{
    fake_clock = (struct fake_clock){.now_ns = NS_PER_S, .tick_ns = 10};
}

void fake_clock_at(int64_t at_ns, void (*act)(void *context), void *context)
{
    assert_true(fake_clock.n_events < FAKE_EVENTS_MAX);
    fake_clock.event[fake_clock.n_events++] = (struct fake_event){at_ns, act, context};
}

void fake_clock_spend(int64_t duration_ns)
{
    int64_t until_ns = fake_clock.now_ns + duration_ns;

    while (fake_clock.n_events > 0 && fake_clock.event[0].at_ns <= until_ns) {
        struct fake_event event = fake_clock.event[0];

        fake_clock.n_events--;
        memmove(&fake_clock.event[0], &fake_clock.event[1],
                (size_t)fake_clock.n_events * sizeof(event));
        if (event.at_ns > fake_clock.now_ns)
            fake_clock.now_ns = event.at_ns;
        event.act(event.context);
    }
    if (until_ns > fake_clock.now_ns) /* an event may have advanced the time */
        fake_clock.now_ns = until_ns;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    if (id != CLOCK_MONOTONIC || fake_clock.now_ns == 0)
        return __real_clock_gettime(id, time);
    fake_clock.looks++;
    fake_clock_spend(fake_clock.tick_ns);
    *time = (struct timespec){.tv_sec = fake_clock.now_ns / NS_PER_S,
                              .tv_nsec = fake_clock.now_ns % NS_PER_S};
    return 0;
}

int __wrap_clock_nanosleep(clockid_t id, int flags, const struct timespec *when,
                           struct timespec *left)
{
    int64_t when_ns, late_ns;

    if (id != CLOCK_MONOTONIC || fake_clock.now_ns == 0)
        return __real_clock_nanosleep(id, flags, when, left);
    assert_int_equal(flags, TIMER_ABSTIME);
    assert_true(when->tv_nsec >= 0 && when->tv_nsec < NS_PER_S);
    when_ns = when->tv_sec * NS_PER_S + when->tv_nsec;
    late_ns = fake_clock.late_ns;
    fake_clock.sleeps++;
    if (fake_clock.late_every > 1 && fake_clock.sleeps % fake_clock.late_every != 0)
        late_ns = 0;
    if (when_ns > fake_clock.now_ns)
        fake_clock_spend(when_ns - fake_clock.now_ns + late_ns);
    return 0;
}
