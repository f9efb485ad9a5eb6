/* SPDX-License-Identifier: Apache-2.0 */
/* The bench of the client library with a real daemon. It starts before the daemon, claims, sends,
 * and recovers its channel after any event of the daemon, the model and the claim. */
#include "bench.h"
#include "benches.h"
#include "lines.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CONFIG                                                                                     \
    "realtime: {degraded: allow, priority: 0, core: none}\n"                                       \
    "inputs: {claims: required, lease: 3}\n"
#define CONNECTED LK_CLIENT_BENCH_CONNECTED
#define WAITING   LK_CLIENT_BENCH_WAITING
#define REFUSED   LK_CLIENT_BENCH_REFUSED

static struct harness h;
static struct lk_client_bench_view view;

static struct lk_client_bench *open_bench(const char *name, const char *unit)
{
    const struct lk_client_bench_channel motor = {"motor", unit};
    const struct lk_client_bench_setup setup = {
        .control = h.endpoint[0],
        .inputs = h.endpoint[1],
        .outputs = h.endpoint[2],
        .name = name,
        .channels = &motor,
        .n_channels = 1,
    };
    struct lk_client_bench *bench;
    struct lk_error error;

    if (lk_client_bench_open(&setup, &bench, &error) != 0)
        fail_msg("%s", error.text);
    return bench;
}

/* Answer samples for @ms, or until the bench is in @state with at least @times claims. If this
 * thread does not run for longer than the tolerated silence, the bench must claim again.
 * Return: number of samples sent */
static uint64_t attend(struct lk_client_bench *bench, int ms, enum lk_client_bench_state state,
                       uint64_t times)
{
    int64_t until_ns = lk_client_now_ns() + ms * INT64_C(1000000);
    const double torque = 0.25;
    uint64_t sent = 0;

    do {
        const Linkage__V1__OutputSample *sample;

        if (lk_client_bench_receive(bench, 20, NULL, &sample) == 0 &&
            lk_client_bench_send(bench, &torque, 1, NULL) == 0)
            sent++;
        lk_client_bench_read_state(bench, &view);
        if (view.state == state && view.times_claimed >= times)
            break;
    } while (lk_client_now_ns() < until_ns);
    return sent;
}

static void expect(struct lk_client_bench *bench, enum lk_client_bench_state state, uint64_t times)
{
    attend(bench, PATIENCE_MS, state, times);
    if (view.state != state || view.times_claimed < times)
        fail_msg("%s instead of %s, claimed %d times: %s", lk_client_bench_state_name(view.state),
                 lk_client_bench_state_name(state), (int)view.times_claimed, view.text);
}

/* Answer @n samples. */
static void answer(struct lk_client_bench *bench, uint64_t n)
{
    int64_t until_ns = lk_client_now_ns() + PATIENCE_MS * INT64_C(1000000);
    uint64_t sent = 0;

    while (sent < n && lk_client_now_ns() < until_ns)
        sent += attend(bench, 20, WAITING, UINT64_MAX);
    if (sent < n)
        fail_msg("%d samples only, of %d", (int)sent, (int)n);
}

static void kill_daemon(void)
{
    kill(h.pid, SIGKILL);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 128 + SIGKILL);
    h.pid = 0;
}

static void start_daemon(void)
{
    char log[128];

    snprintf(log, sizeof(log), "%s/log", h.folder);
    h.pid = harness_spawn((const char *const[]){"--config", h.config, NULL}, log, h.notify_fd);
    harness_notice(&h, "READY=1");
}

static int open_daemon(void **state)
{
    (void)state;
    harness_open(&h, CONFIG);
    return 0;
}

static int close_daemon(void **state)
{
    (void)state;
    harness_close(&h);
    return 0;
}

/* The bench waits for the daemon, then for a model, and then for a run. */
static void test_bench_is_there_first(void **state)
{
    struct lk_client_bench *bench;
    const double torque = 1;
    uint64_t gaps = UINT64_MAX;

    (void)state;
    kill_daemon();
    bench = open_bench("early", "N m");
    attend(bench, 300, CONNECTED, 1);
    assert_int_equal(view.state, WAITING);
    assert_string_not_equal(view.text, "");
    assert_int_equal(lk_client_bench_send(bench, &torque, 1, NULL), LK_CLIENT_E_BUSY);

    start_daemon();
    for (int i = 0; i < PATIENCE_MS / 20 && !strstr(view.text, "model"); i++)
        attend(bench, 20, CONNECTED, 1);
    assert_int_equal(view.state, WAITING);
    assert_non_null(strstr(view.text, "model"));
    harness_load_model(&h);
    expect(bench, CONNECTED, 1);
    assert_string_equal(view.text, "");
    assert_int_equal(view.n_values, 1);
    assert_non_null(lk_client_bench_model(bench));
    assert_int_equal(lk_client_bench_send(bench, &torque, 2, NULL), LK_CLIENT_E_TOO_LARGE);

    harness_go(&h);
    answer(bench, 100);
    while (view.accepted < 50)
        answer(bench, 1);
    assert_int_equal(view.refused, 0);
    /* without a gap, unless this thread or the daemon's did not run for some time, so try several
     * times */
    for (int i = 0; i < 20 && gaps != view.gaps; i++) {
        gaps = view.gaps;
        answer(bench, 50);
    }
    assert_int_equal(view.gaps, gaps);
    lk_client_bench_close(bench);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
}

/* The effect of a sample is identified by its sequence number and origin in the echo, and by its
 * value. */
static void test_echo(void **state)
{
    struct lk_client_bench *bench = open_bench("echo", "N m");
    const Linkage__V1__OutputSample *sample;
    const Linkage__V1__Echo *echo = NULL;
    int64_t before_ns = lk_client_now_ns(), received_ns;
    uint64_t sequence = 0;
    const double torque = 0.5;

    (void)state;
    expect(bench, CONNECTED, 1);
    harness_go(&h);
    while (lk_client_now_ns() - before_ns < PATIENCE_MS * INT64_C(1000000)) {
        if (lk_client_bench_receive(bench, 100, &received_ns, &sample) != 0)
            continue;
        echo = lk_client_bench_echo(bench, sample);
        if (sequence > 0 && echo != NULL && echo->sequence == sequence)
            break;
        if (sequence == 0)
            assert_int_equal(lk_client_bench_send(bench, &torque, 1, &sequence), 0);
        echo = NULL;
    }
    assert_non_null(echo);
    assert_true((int64_t)echo->origin_ns > before_ns && (int64_t)echo->origin_ns < received_ns);
    assert_true(echo->origin_ns <= echo->received_ns && echo->received_ns <= echo->latched_ns);
    assert_true(sample->step > echo->latched_step);
    lk_client_bench_close(bench);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
}

/* One bench only reads outputs, without a claim. Another one only sends samples; their values are
 * older than the samples. */
static void test_one_way_each(void **state)
{
    const struct lk_client_bench_channel motor = {"motor", NULL};
    struct lk_client_bench_setup setup = {.control = h.endpoint[0],
                                          .inputs = h.endpoint[1],
                                          .outputs = h.endpoint[2],
                                          .name = "follower"};
    struct lk_client_bench *follower, *sender;
    const Linkage__V1__OutputSample *sample, *none;
    struct lk_error error;
    const double torque = 0.5;
    int64_t until_ns = lk_client_now_ns() + PATIENCE_MS * INT64_C(1000000);
    bool is_seen = false;

    (void)state;
    assert_int_equal(lk_client_bench_open(&setup, &follower, &error), 0);
    setup.name = "sender";
    setup.channels = &motor;
    setup.n_channels = 1;
    setup.without_outputs = true;
    assert_int_equal(lk_client_bench_open(&setup, &sender, &error), 0);
    expect(sender, CONNECTED, 1);
    expect(follower, CONNECTED, 1);
    assert_int_equal(view.token, 0);
    harness_go(&h);
    while (!is_seen && lk_client_now_ns() < until_ns) {
        assert_int_equal(lk_client_bench_receive(sender, 0, NULL, &none), LK_CLIENT_E_NO_ANSWER);
        (void)lk_client_bench_send_as_of(sender, &torque, 1, 12345, NULL);
        if (lk_client_bench_receive(follower, 20, NULL, &sample) == 0)
            is_seen = sample->n_echoes == 1 && sample->echoes[0]->origin_ns == 12345;
    }
    assert_true(is_seen);
    lk_client_bench_read_state(follower, &view);
    assert_int_equal(view.times_claimed, 1);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_load_model(&h);
    expect(follower, CONNECTED, 2);
    lk_client_bench_close(follower);
    lk_client_bench_close(sender);
}

/* A daemon that was killed and restarted has other identifiers, and the bench claims again. */
static void test_daemon_restarts(void **state)
{
    struct lk_client_bench *bench = open_bench("survivor", "N m");
    uint64_t first_daemon;

    (void)state;
    expect(bench, CONNECTED, 1);
    first_daemon = view.daemon_id;
    kill_daemon();
    attend(bench, 100, WAITING, 1);
    start_daemon();
    harness_load_model(&h);
    harness_go(&h);
    expect(bench, CONNECTED, 2);
    assert_true(view.daemon_id != first_daemon);
    answer(bench, 50);
    lk_client_bench_close(bench);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
}

static void test_other_model(void **state)
{
    struct lk_client_bench *bench = open_bench("patient", NULL);
    uint64_t first_model;
    char *text = harness_model_text();

    (void)state;
    expect(bench, CONNECTED, 1);
    first_model = view.model_id;
    harness_load_model(&h);
    expect(bench, CONNECTED, 2);
    assert_true(view.model_id != first_model);

    /* with a model without this channel, the claim is refused with the daemon's message until the
     * right model is loaded again */
    memcpy(strstr(text, "motor:"), "mutor:", 6);
    assert_int_equal(harness_load(&h, "other", text)->result, RESULT(OK));
    expect(bench, REFUSED, 2);
    assert_int_equal(view.result, RESULT(UNKNOWN_CHANNEL));
    assert_non_null(strstr(view.text, "motor"));
    harness_load_model(&h);
    expect(bench, CONNECTED, 3);
    lk_client_bench_close(bench);
    free(text);
}

static void test_wrong_unit(void **state)
{
    struct lk_client_bench *bench = open_bench("imperial", "lbf ft");

    (void)state;
    expect(bench, REFUSED, 0);
    assert_int_equal(view.result, RESULT(BAD_UNIT));
    assert_non_null(strstr(view.text, "N m"));
    lk_client_bench_close(bench);
}

/* The second bench waits until the first one has ended, orderly or not. */
static void test_two_benches_for_one_channel(void **state)
{
    struct lk_client_bench *first = open_bench("first", "N m"), *second;

    (void)state;
    expect(first, CONNECTED, 1);
    second = open_bench("second", "N m");
    for (int i = 0; i < 60; i++) { /* the first one keeps its claim by heartbeats */
        attend(first, 20, WAITING, UINT64_MAX);
        attend(second, 20, CONNECTED, 1);
    }
    assert_int_equal(view.state, REFUSED);
    assert_int_equal(view.result, RESULT(CLAIMED));
    assert_non_null(strstr(view.text, "first"));
    lk_client_bench_close(first); /* releases the channel at once */
    expect(second, CONNECTED, 1);

    /* After its lease has expired, the channel of the first bench is free. The bench notices this
     * at once, or after it has waited for the daemon: if its thread does not run, the daemon seems
     * silent. */
    first = open_bench("first again", "N m");
    expect(first, CONNECTED, 1);
    for (int i = 0; i < PATIENCE_MS / 40 && view.state != REFUSED; i++) {
        attend(second, 20, REFUSED, 1);
        if (view.state != REFUSED)
            attend(first, 20, WAITING, UINT64_MAX);
        lk_client_bench_read_state(second, &view);
    }
    assert_int_equal(view.state, REFUSED);
    assert_non_null(strstr(view.text, "first again"));
    lk_client_bench_close(first);
    expect(second, CONNECTED, 2);
    lk_client_bench_close(second);
}

/* A daemon that hangs for longer than the tolerated silence is afterwards recognised as the same
 * daemon. */
static void test_daemon_sleeps(void **state)
{
    struct lk_client_bench *bench = open_bench("waker", "N m");

    (void)state;
    expect(bench, CONNECTED, 1);
    kill(h.pid, SIGSTOP);
    expect(bench, WAITING, 1);
    assert_string_not_equal(view.text, "");
    kill(h.pid, SIGCONT);
    expect(bench, CONNECTED, 2);
    lk_client_bench_close(bench);
}

/* A stream of selected outputs with a divisor, and the stream of heartbeats, which shows when a
 * stream has ended. */
static void test_streams(void **state)
{
    char *const names[] = {(char *)"tip", (char *)"crank_rate"};
    char *const nobody[] = {(char *)"nobody"};
    const Linkage__V1__OutputSample *sample;
    struct lk_client_stream *stream, *poses;
    struct lk_client *client;
    struct lk_error error;
    uint64_t last = 0, last_step = 0;

    (void)state;
    assert_int_equal(lk_client_open(h.endpoint[0], PATIENCE_MS, &client, &error), 0);
    assert_int_equal(lk_client_stream_open(client, h.endpoint[2], nobody, 1, 1, &stream, &error),
                     LK_CLIENT_E_REFUSED);
    assert_non_null(strstr(error.text, "nobody"));
    assert_int_equal(lk_client_stream_open(client, h.endpoint[2], names, 2, 10, &stream, &error),
                     0);
    assert_int_equal(lk_client_stream_meaning(stream)->n_channels, 2);
    assert_string_equal(lk_client_stream_meaning(stream)->channels[0]->name, "tip");
    assert_int_equal(lk_client_poses_open(client, h.endpoint[2], nobody, 1, 1, &poses, &error),
                     LK_CLIENT_E_REFUSED);
    assert_int_equal(lk_client_poses_open(client, h.endpoint[2], NULL, 0, 10, &poses, &error), 0);
    assert_int_equal(lk_client_stream_meaning(poses)->n_channels, 3);
    harness_go(&h);
    assert_int_equal(lk_client_stream_receive(poses, PATIENCE_MS, NULL, &sample), 0);
    assert_int_equal(sample->n_values, 21);
    lk_client_stream_close(poses);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(lk_client_stream_receive(stream, PATIENCE_MS, NULL, &sample), 0);
        assert_int_equal(sample->n_values, 4);
        /* a step that was due may be replaced by the next one */
        assert_true(i == 0 || sample->step / 10 > last_step / 10);
        assert_true(i == 0 || sample->sequence == last + 1);
        last_step = sample->step;
        last = sample->sequence;
    }
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    harness_load_model(&h);
    while (lk_client_stream_receive(stream, PATIENCE_MS, NULL, &sample) == 0)
        continue;
    assert_int_equal(lk_client_stream_receive(stream, PATIENCE_MS, NULL, &sample),
                     LK_CLIENT_E_CHANGED);
    lk_client_stream_close(stream);
    lk_client_close(client);
}

static void test_bench_with_a_selection(void **state)
{
    char *const names[] = {(char *)"crank_angle"};
    const struct lk_client_bench_channel motor = {"motor", "N m"};
    const struct lk_client_bench_setup setup = {
        .control = h.endpoint[0],
        .inputs = h.endpoint[1],
        .outputs = h.endpoint[2],
        .channels = &motor,
        .n_channels = 1,
        .selection = names,
        .n_selection = 1,
        .divisor = 5,
    };
    const Linkage__V1__OutputSample *sample;
    struct lk_client_bench *bench;
    struct lk_error error;
    uint64_t last_step = 0;

    (void)state;
    assert_int_equal(lk_client_bench_open(&setup, &bench, &error), 0);
    expect(bench, CONNECTED, 1);
    harness_go(&h);
    for (int i = 0; i < 50;) {
        int code = lk_client_bench_receive(bench, PATIENCE_MS, NULL, &sample);

        assert_true(code == 0 || (code == LK_CLIENT_E_NO_ANSWER && i == 0));
        if (code != 0)
            continue;
        assert_int_equal(sample->n_values, 1);
        assert_true(i == 0 || sample->step / 5 > last_step / 5);
        last_step = sample->step;
        i++;
    }
    /* after a restart the stream is requested again */
    kill_daemon();
    start_daemon();
    harness_load_model(&h);
    expect(bench, CONNECTED, 2);
    harness_go(&h);
    answer(bench, 20);
    lk_client_bench_close(bench);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
}

/* While the line process hangs, its bench is lost and the corresponding policy acts. With the next
 * line process the bench recovers by itself, and its values act again. */
static void test_line_is_dead(void **state)
{
    struct lk_client_bench *bench = open_bench("caller", "N m");
    uint64_t restarts;
    pid_t line = 0;

    (void)state;
    harness_load_model(&h);
    expect(bench, CONNECTED, 1);
    restarts = harness_go(&h)->line_restarts;
    for (int i = 0; i < PATIENCE_MS / 20 && benches_input(&h, "motor")->acting[0] != 0.25; i++)
        answer(bench, 1);
    assert_true(benches_input(&h, "motor")->acting[0] == 0.25);
    for (int i = 0; i < PATIENCE_MS / 20; i++) {
        pid_t now = harness_line(&h);

        if (now > 0 && now != line) { /* the line may have been restarted */
            kill(now, SIGSTOP);
            line = now;
        }
        attend(bench, 20, WAITING, UINT64_MAX);
        if (harness_log_count(&h, "bench 'caller' is lost") > 0)
            break;
    }
    harness_await_log(&h, "bench 'caller' is lost", 1);
    line_end(&h, SIGKILL);
    benches_await_acting(&h, "motor", 0); /* the bench is not served here */
    expect(bench, CONNECTED, 2);
    for (int i = 0; i < PATIENCE_MS / 20 && benches_input(&h, "motor")->acting[0] != 0.25; i++)
        answer(bench, 1);
    benches_await_acting(&h, "motor", 0.25);
    assert_true(harness_command(&h, STATUS)->status->line_restarts > restarts);
    lk_client_bench_close(bench);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bench_is_there_first),
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_one_way_each),
        cmocka_unit_test(test_daemon_restarts),
        cmocka_unit_test(test_other_model),
        cmocka_unit_test(test_wrong_unit),
        cmocka_unit_test(test_two_benches_for_one_channel),
        cmocka_unit_test(test_daemon_sleeps),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_bench_with_a_selection),
        cmocka_unit_test(test_line_is_dead),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, open_daemon, close_daemon);
}
