/* SPDX-License-Identifier: Apache-2.0 */
/* The events that linkage-gateway reports for a sequence of statuses, without sockets and with a
 * simulated clock. */
#include "cmocka_all.h"
#include "gateway.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATE(name) LINKAGE__V1__STATE__STATE_##name
#define FLAG(name)  LINKAGE__V1__FLAG__FLAG_##name
#define SECOND_NS   UINT64_C(1000000000)

/* ---- stub of the hub ---- */

static char said[4096]; /* lines "level name id: text" since the last check */
static uint64_t now_ns;

void gate_hub_say(struct gate_hub *hub, enum gate_level level, const char *name, const char *id,
                  const char *format, ...)
{
    size_t n = strlen(said);
    va_list args;

    (void)hub;
    n += (size_t)snprintf(said + n, sizeof(said) - n, "%s %s %s: ",
                          level == GATE_INFO      ? "info"
                          : level == GATE_WARNING ? "warning"
                                                  : "error",
                          name, id != NULL ? id : "-");
    va_start(args, format);
    n += (size_t)vsnprintf(said + n, sizeof(said) - n, format, args);
    va_end(args);
    snprintf(said + n, sizeof(said) - n, "\n");
}

uint64_t gate_clock_ns(void)
{
    return now_ns;
}

/* ---- a simulated daemon ---- */

static Linkage__V1__Status status;
static Linkage__V1__Recording recording;
static Linkage__V1__Proof proof;
static struct gate_seen seen;

static int begin(void **state)
{
    (void)state;
    linkage__v1__status__init(&status);
    linkage__v1__recording__init(&recording);
    linkage__v1__proof__init(&proof);
    status.daemon_id = 7;
    status.model_id = 70;
    status.model = (char *)"arm";
    status.version = (char *)"1.2";
    status.role = LINKAGE__V1__ROLE__ROLE_READ;
    status.state = STATE(READY);
    seen = (struct gate_seen){0};
    said[0] = '\0';
    now_ns = 5; /* ns after the machine started */
    return 0;
}

static void expect(const char *lines)
{
    said[0] = '\0';
    gate_events_find(NULL, &seen, &status);
    assert_string_equal(said, lines);
    said[0] = '\0';
    gate_events_find(NULL, &seen, &status); /* the same status causes no second event */
    assert_string_equal(said, "");
}

static void expect_first(void)
{
    expect("info line -: the daemon answers, version 1.2, role read\n"
           "info model LK-2001: model 'arm' is loaded\n");
}

static void states_are_said(void **state)
{
    char *degraded[] = {(char *)"no core", (char *)"no priority"};

    (void)state;
    expect_first(); /* the first state is no event */
    status.state = STATE(ARMING);
    expect("info state LK-2003: arming at step 0\n");
    status.state = STATE(ARMED);
    status.proof = &proof;
    proof.valid = true;
    proof.text = (char *)"fits";
    expect("info state LK-2003: armed at step 0\ninfo proof LK-5006: fits\n");
    status.state = STATE(RUNNING);
    status.step = 12;
    status.degraded = degraded;
    status.n_degraded = 2;
    expect("info state LK-2003: running at step 12\nwarning degraded LK-5005: no core\n"
           "warning degraded LK-5005: no priority\n");
    status.state = STATE(PAUSED);
    status.step = 99;
    expect("info state LK-2003: paused at step 99\n");
    status.state = STATE(FAULT);
    status.fault = (char *)"the step failed";
    expect("error fault LK-2004: FAULT at step 99: the step failed\n");
}

static void a_proof_that_fails_is_a_warning(void **state)
{
    (void)state;
    status.state = STATE(ARMING);
    expect_first();
    status.state = STATE(READY);
    expect("info state LK-2003: ready at step 0\n"); /* no proof was made */
    status.state = STATE(ARMING);
    expect("info state LK-2003: arming at step 0\n");
    status.state = STATE(READY);
    status.proof = &proof;
    proof.text = (char *)"too slow";
    expect("info state LK-2003: ready at step 0\nwarning proof LK-5007: too slow\n");
    status.state = STATE(RUNNING); /* not after arming: no text of the proof */
    expect("info state LK-2003: running at step 0\n");
}

/* If another daemon answers, its state is not reported as a change of state. */
static void another_daemon_is_said(void **state)
{
    (void)state;
    expect_first();
    status.daemon_id = 8;
    status.state = STATE(FAULT);
    status.fault = (char *)"";
    expect("warning line -: another start of the daemon answers\n");
    status.daemon_id = 9;
    status.model_id = 0;
    status.state = STATE(EMPTY);
    expect("warning line -: another start of the daemon answers\n");
    status.model_id = 71;
    status.state = STATE(READY);
    expect("info model LK-2001: model 'arm' is loaded\ninfo state LK-2003: ready at step 0\n");
    status.model_id = 72;
    expect("info model LK-2001: model 'arm' is loaded\n");
}

static void a_silent_daemon_is_said_once(void **state)
{
    (void)state;
    gate_events_lost(NULL, &seen, "no answer");
    gate_events_lost(NULL, &seen, "no answer");
    assert_string_equal(said, "error line -: no answer\n");
    expect_first();
    said[0] = '\0';
    gate_events_lost(NULL, &seen, "gone");
    assert_string_equal(said, "error line -: gone\n");
    status.state = STATE(ARMED);
    expect("info line -: the daemon answers, version 1.2, role read\n"
           "info state LK-2003: armed at step 0\n");
}

static void missed_deadlines_are_said_in_turn(void **state)
{
    (void)state;
    expect_first();
    status.overruns = 1;
    expect("warning deadline -: 1 missed deadline, 1 since the start\n");
    status.overruns = 2;
    now_ns += 10 * SECOND_NS - 1;
    expect("");
    now_ns += 1;
    expect("warning deadline -: 1 missed deadline, 2 since the start\n");
    status.overruns = 5;
    now_ns += 10 * SECOND_NS;
    expect("warning deadline -: 3 missed deadlines, 5 since the start\n");
    now_ns += 20 * SECOND_NS;
    status.overruns = 2; /* a new run has its own count */
    expect("warning deadline -: 2 missed deadlines, 2 since the start\n");
    now_ns += 20 * SECOND_NS;
    expect("");
}

static void flags_and_trips_are_said_once(void **state)
{
    (void)state;
    status.flags = FLAG(STALE);
    status.trips = 0;
    expect("info line -: the daemon answers, version 1.2, role read\n"
           "info model LK-2001: model 'arm' is loaded\nwarning inputs -: an input is stale\n");
    status.flags |= FLAG(TRIPPED) | FLAG(LOST);
    status.trips = 2;
    expect("warning inputs LK-3008: the policy holds, zeroes or ramps an input\n"
           "warning inputs LK-3006: a bench that owns inputs is silent\n"
           "warning trip LK-3008: trips of inputs by the policy: 2, 2 since the start\n");
    status.flags = FLAG(INJECTED);
    status.trips = 1; /* a new run has its own count */
    expect("warning inputs LK-3010: faults are injected\n");
    status.flags = FLAG(STALE);
    status.trips = 3;
    expect("warning inputs -: an input is stale\n"
           "warning trip LK-3008: trips of inputs by the policy: 2, 3 since the start\n");
}

static void recordings_are_said(void **state)
{
    (void)state;
    recording.file = (char *)"a.mcap";
    status.recording = &recording;
    expect_first(); /* no injection is active */
    recording.active = true;
    expect("info recording LK-7001: recording into a.mcap\n");
    recording.active = false;
    recording.cycles = 50;
    expect("info recording LK-7002: recorded 50 cycles into a.mcap\n");
    recording.active = true;
    expect("info recording LK-7001: recording into a.mcap\n");
    recording.active = false;
    recording.trouble = (char *)"disk full";
    expect("warning recording LK-7003: recorded 50 cycles into a.mcap: disk full\n");
    recording.active = true;
    expect("info recording LK-7001: recording into a.mcap\n");
    status.recording = NULL; /* a daemon that does not record */
    expect("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(states_are_said, begin),
        cmocka_unit_test_setup(a_proof_that_fails_is_a_warning, begin),
        cmocka_unit_test_setup(another_daemon_is_said, begin),
        cmocka_unit_test_setup(a_silent_daemon_is_said_once, begin),
        cmocka_unit_test_setup(missed_deadlines_are_said_in_turn, begin),
        cmocka_unit_test_setup(flags_and_trips_are_said_once, begin),
        cmocka_unit_test_setup(recordings_are_said, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
