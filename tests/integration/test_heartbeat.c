/* SPDX-License-Identifier: Apache-2.0 */
/* Heartbeats: ten per second in each state of the daemon, and their contents for a bench. */
#include "subscriber.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include <cmocka.h>

/* Return the next heartbeat. If the line process hangs, its channel is full, and some heartbeats
 * are missing. */
static const Linkage__V1__Heartbeat *next(struct subscriber *s, uint64_t *sequence)
{
    const Linkage__V1__Heartbeat *beat = subscriber_heartbeat(s, PATIENCE_MS);

    assert_non_null(beat);
    assert_true(beat->sequence > *sequence);
    *sequence = beat->sequence;
    return beat;
}

/* Wait for a heartbeat with @state. */
static const Linkage__V1__Heartbeat *await_state(struct subscriber *s, uint64_t *sequence,
                                                 Linkage__V1__State state)
{
    const Linkage__V1__Heartbeat *beat;
    int64_t until_ns = harness_now_ns() + PATIENCE_MS * INT64_C(1000000);

    do {
        beat = next(s, sequence);
        assert_true(harness_now_ns() < until_ns);
    } while (beat->state != state);
    return beat;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

#define N_BEATS 5

/* Return the median time between two heartbeats on the daemon's clock [ns]; 0: some are missing. */
static uint64_t usual_time(struct subscriber *s, uint64_t *sequence)
{
    uint64_t before_ns = next(s, sequence)->sent_ns, between_ns[N_BEATS], first = *sequence;

    for (int i = 0; i < N_BEATS; i++) {
        uint64_t sent_ns = next(s, sequence)->sent_ns;

        between_ns[i] = sent_ns - before_ns;
        before_ns = sent_ns;
    }
    if (*sequence != first + N_BEATS)
        return 0;
    qsort(between_ns, N_BEATS, sizeof(between_ns[0]), compare);
    return between_ns[N_BEATS / 2];
}

/* Check that there are ten heartbeats per second. Several attempts are made because a busy machine
 * delays some. */
static void check_rate(struct subscriber *s, uint64_t *sequence)
{
    bool is_right = false;

    for (int i = 0; i < 20 && !is_right; i++) {
        uint64_t ns = usual_time(s, sequence);

        is_right = ns > 95000000 && ns <= 150000000;
    }
    assert_true(is_right);
}

static void test_every_state(void **state)
{
    const Linkage__V1__Heartbeat *beat;
    uint64_t sequence = 0, model_id, step;
    const double torque = 1e12;
    struct subscriber s;
    struct harness h;

    (void)state;
    harness_open(&h, UNPRIVILEGED "budget: {steps: 100000000, time: 3600}\n");
    subscriber_open(&s, &h, "\x0a", 1);
    beat = await_state(&s, &sequence, STATE(EMPTY));
    assert_int_equal(beat->model_id, 0);
    assert_true(beat->daemon_id != 0);
    check_rate(&s, &sequence);

    model_id = harness_load_unlimited(&h);
    beat = await_state(&s, &sequence, STATE(READY));
    assert_int_equal(beat->model_id, model_id);
    assert_int_equal(beat->mode, LINKAGE__V1__MODE__MODE_REALTIME);
    check_rate(&s, &sequence);

    assert_int_equal(harness_ask_arm(&h, true, 0)->result, RESULT(OK));
    await_state(&s, &sequence, STATE(ARMING));
    check_rate(&s, &sequence);
    harness_expect(&h, STOP, RESULT(OK), STATE(READY));
    harness_arm(&h);
    await_state(&s, &sequence, STATE(ARMED));

    harness_go(&h);
    step = await_state(&s, &sequence, STATE(RUNNING))->step;
    check_rate(&s, &sequence);
    assert_true(next(&s, &sequence)->step > step);

    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    step = await_state(&s, &sequence, STATE(PAUSED))->step;
    check_rate(&s, &sequence);
    beat = next(&s, &sequence);
    assert_int_equal(beat->step, harness_command(&h, STATUS)->status->step);
    assert_true(beat->step <= step + 1 && step > 0);

    harness_expect(&h, RESET, RESULT(OK), STATE(ARMED));
    await_state(&s, &sequence, STATE(ARMED));
    assert_int_equal(next(&s, &sequence)->step, 0);
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    harness_go(&h);
    beat = await_state(&s, &sequence, STATE(FAULT));
    assert_int_equal(beat->model_id, model_id);
    check_rate(&s, &sequence);
    subscriber_close(&s);
    harness_close(&h);
}

/* A subscriber to outputs does not get heartbeats, and vice versa. */
static void test_topics_are_apart(void **state)
{
    const Linkage__V1__OutputSample *sample;
    uint64_t sequence = 0;
    struct subscriber s;
    struct harness h;

    (void)state;
    harness_open(&h, UNPRIVILEGED);
    subscriber_open(&s, &h, "\x0a", 1);
    next(&s, &sequence);
    assert_null(harness_sample(&h, 300)); /* the harness subscribes to OutputSamples */
    harness_load_model(&h);
    harness_go(&h);
    for (int i = 0; i < 100; i++) {
        sample = harness_sample(&h, PATIENCE_MS);
        assert_non_null(sample);
        assert_true(sample->sequence > 0);
        assert_true(sample->daemon_id != 0);
        assert_true(sample->utc_ns > sample->published_ns);
        assert_int_equal(sample->clock->id, LINKAGE__V1__CLOCK__ID__ID_UTC);
        assert_int_equal(sample->mode, LINKAGE__V1__MODE__MODE_REALTIME);
    }
    next(&s, &sequence);
    subscriber_close(&s);
    harness_close(&h);
}

/* A bench that stays connected recognises a restart of the daemon by its identifier and by the
 * silence before it. */
static void test_a_daemon_that_comes_back(void **state)
{
    uint64_t sequence = 0, daemon_id, now_id;
    char log[96];
    struct subscriber s;
    struct harness h;

    (void)state;
    harness_open(&h, UNPRIVILEGED);
    subscriber_open(&s, &h, "\x0a", 1);
    now_id = daemon_id = next(&s, &sequence)->daemon_id;
    assert_int_equal(kill(h.pid, SIGKILL), 0);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 128 + SIGKILL);
    snprintf(log, sizeof(log), "%s/log2", h.folder);
    h.pid = harness_spawn((const char *const[]){"--config", h.config, NULL}, log, h.notify_fd);
    harness_notice(&h, "READY=1");
    for (int i = 0; i < 1000 && now_id == daemon_id; i++) { /* skip those already sent */
        sequence = 0;
        now_id = next(&s, &sequence)->daemon_id;
    }
    assert_true(now_id != daemon_id);
    subscriber_close(&s);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_state),
        cmocka_unit_test(test_topics_are_apart),
        cmocka_unit_test(test_a_daemon_that_comes_back),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
