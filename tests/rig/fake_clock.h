/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated clock, so that tests of timing do not depend on the machine.
 *
 * For a program linked with -Wl,--wrap=clock_gettime,--wrap=clock_nanosleep: each reading of
 * CLOCK_MONOTONIC advances it by a tick; a sleep ends at its deadline, or later by the lateness
 * that the test sets. Other clocks are those of the machine. Only one thread may use it. */
#ifndef TESTS_RIG_FAKE_CLOCK_H
#define TESTS_RIG_FAKE_CLOCK_H

#include <stdint.h>

#define FAKE_EVENTS_MAX 8

/** struct fake_event - @act is called once, at @at_ns, within a clock reading or a sleep. */
struct fake_event {
    int64_t at_ns;
    void (*act)(void *context);
    void *context;
};

/** struct fake_clock - @now_ns: the time;  @tick_ns: advance per reading @late_ns: lateness of
 * sleeps; @late_every: every n-th sleep is late, 0 and 1: every sleep
 * @sleeps, @looks: number of sleeps and readings so far;  @event: @n_events, in order of time */
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

/** fake_clock_begin() - Reset the clock: time 1 s, tick 10 ns, no events. */
void fake_clock_begin(void);
/** fake_clock_at() - Add an event, later than all earlier ones. */
void fake_clock_at(int64_t at_ns, void (*act)(void *context), void *context);
/** fake_clock_spend() - Advance the time, and run the events within that span in order. */
void fake_clock_spend(int64_t duration_ns);

#endif
