/* SPDX-License-Identifier: Apache-2.0 */
/* A clock of the test's own, so that what depends on time does not depend on the machine.
 *
 * For a program linked with -Wl,--wrap=clock_gettime,--wrap=clock_nanosleep: CLOCK_MONOTONIC goes
 * on by a tick with every look at it, a sleep ends where it was to end, or later by what the test
 * says. Other clocks are the machine's. One thread only. */
#ifndef TESTS_RIG_FAKE_CLOCK_H
#define TESTS_RIG_FAKE_CLOCK_H

#include <stdint.h>

#define FAKE_EVENTS_MAX 8

/** struct fake_event - at @at_ns, once, @act is called: from a look at the clock or out of a sleep
 */
struct fake_event {
    int64_t at_ns;
    void (*act)(void *context);
    void *context;
};

/** struct fake_clock - @now_ns: the time;  @tick_ns: of every look at it
 * @late_ns: by which sleeps end late;  @late_every: which ones, 0 and 1: all of them
 * @sleeps:  so far;  @event: @n_events, in order of time */
struct fake_clock {
    int64_t now_ns;
    int64_t tick_ns;
    int64_t late_ns;
    uint64_t late_every;
    uint64_t sleeps;
    uint64_t looks;
    int n_events;
    struct fake_event event[FAKE_EVENTS_MAX];
};

extern struct fake_clock fake_clock;

/** fake_clock_begin() - time 1 s, a tick of 10 ns, nothing else planned. */
void fake_clock_begin(void);
/** fake_clock_at() - plan an event after those planned so far. */
void fake_clock_at(int64_t at_ns, void (*act)(void *context), void *context);
/** fake_clock_spend() - let time pass; events within it take place in order. */
void fake_clock_spend(int64_t duration_ns);

#endif
