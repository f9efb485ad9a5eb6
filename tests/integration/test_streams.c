/* SPDX-License-Identifier: Apache-2.0 */
/* Subscribers with their own selection of the outputs at their own rate. A subscriber that does not
 * read costs the other ones nothing. */
#include "../skip.h"
#include "freeze.h"
#include "process.h"
#include "runs.h"
#include "subscriber.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#define N(list) (sizeof(list) / sizeof((list)[0]))

/** struct topic - topic of a stream, copied from a reply */
struct topic {
    unsigned char bytes[16];
    size_t size;
    uint64_t stream;
};

static struct topic ask(struct harness *h, const char *const names[], size_t n, uint32_t divisor)
{
    const Linkage__V1__ControlReply *reply = subscriber_ask(h, names, n, divisor);
    struct topic topic;

    if (reply->result != RESULT(OK))
        fail_msg("%s", reply->text);
    assert_non_null(reply->stream);
    topic.size = reply->stream->topic.len;
    topic.stream = reply->stream->stream;
    assert_int_equal(topic.size, 9);
    memcpy(topic.bytes, reply->stream->topic.data, topic.size);
    assert_int_equal(topic.bytes[0], 9);
    return topic;
}

static void open_topic(struct subscriber *s, struct harness *h, const struct topic *topic)
{
    subscriber_open(s, h, topic->bytes, topic->size);
}

static void open_running(struct harness *h, const char *config)
{
    harness_open(h, config);
    harness_load_unlimited(h);
    harness_go(h);
}

/* ---- requests ---- */

static void test_a_stream_is_described(void **state)
{
    static const char *const names[] = {"tip", "crank_angle"};
    const Linkage__V1__Stream *stream;
    uint64_t model_id;
    struct harness h;

    (void)state;
    harness_open(&h, UNPRIVILEGED);
    model_id = harness_load_model(&h);
    stream = subscriber_ask(&h, names, N(names), 5)->stream;
    assert_int_equal(stream->model_id, model_id);
    assert_true(stream->daemon_id != 0 && stream->stream != 0);
    assert_int_equal(stream->n_channels, 2);
    assert_string_equal(stream->channels[0]->name, "tip");
    assert_int_equal(stream->channels[0]->offset, 0);
    assert_int_equal(stream->channels[0]->n_components, 3);
    assert_string_equal(stream->channels[1]->name, "crank_angle");
    assert_int_equal(stream->channels[1]->offset, 3);
    stream = subscriber_ask(&h, NULL, 0, 0)->stream; /* no names: all outputs */
    assert_int_equal(stream->n_channels, 7);
    assert_int_equal(harness_command(&h, STATUS)->status->streams, 2);
    harness_close(&h);
}

static void refused(struct harness *h, const char *const names[], size_t n, uint32_t divisor,
                    Linkage__V1__Result result, const char *words)
{
    const Linkage__V1__ControlReply *reply = subscriber_ask(h, names, n, divisor);

    assert_int_equal(reply->result, result);
    assert_null(reply->stream);
    if (!strstr(reply->text, words))
        fail_msg("'%s' instead of '%s'", reply->text, words);
}

static void test_refusals(void **state)
{
    static const char *const wrong[] = {"tip", "crank_agle"}, *const twice[] = {"tip", "tip"},
                             *const input[] = {"motor"}, *const empty[] = {""};
    struct harness h;

    (void)state;
    harness_open(&h, UNPRIVILEGED);
    refused(&h, wrong, 2, 1, RESULT(WRONG_STATE), "load a model first");
    harness_load_model(&h);
    refused(&h, wrong, 2, 1, RESULT(UNKNOWN_CHANNEL),
            "no output named 'crank_agle'; most like it: crank_angle, crank_rate");
    refused(&h, input, 1, 1, RESULT(UNKNOWN_CHANNEL), "no output named 'motor'");
    refused(&h, empty, 1, 1, RESULT(UNKNOWN_CHANNEL), "no output named ''");
    refused(&h, twice, 2, 1, RESULT(BAD_VALUE), "output tip twice");
    refused(&h, twice, 1, 1000001, RESULT(BAD_VALUE), "a divisor of 1000001, expected 1 to");
    assert_int_equal(harness_command(&h, STATUS)->status->streams, 0);
    for (uint32_t divisor = 1; divisor <= 64; divisor++)
        ask(&h, twice, 1, divisor);
    refused(&h, twice, 1, 65, RESULT(BAD_VALUE), "64 different streams already");
    ask(&h, twice, 1, 64); /* exists: no new stream */
    harness_close(&h);
}

/* ---- samples ---- */

/* A stream has the same numbers as the OutputSample of the same step, in the requested order. */
static void test_values(void **state)
{
    static const char *const names[] = {"energy", "crank_angle"};
    const Linkage__V1__OutputSample *all;
    const Linkage__V1__StreamSample *part;
    struct subscriber s;
    struct topic topic;
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED);
    topic = ask(&h, names, N(names), 1);
    open_topic(&s, &h, &topic);
    part = subscriber_stream(&s, PATIENCE_MS);
    for (int compared = 0; compared < 50;) {
        assert_non_null(part);
        assert_int_equal(part->stream, topic.stream);
        do {
            all = harness_sample(&h, PATIENCE_MS);
            assert_non_null(all);
        } while (all->step < part->sample->step);
        while (part->sample->step < all->step) {
            part = subscriber_stream(&s, PATIENCE_MS);
            assert_non_null(part);
        }
        if (part->sample->step != all->step)
            continue;
        assert_int_equal(part->sample->n_values, 3);
        assert_true(part->sample->values[0] == all->values[15]); /* energy: after 1 1 7 6 */
        assert_true(part->sample->values[1] == all->values[16]);
        assert_true(part->sample->values[2] == all->values[0]);
        assert_int_equal(part->sample->deadline_ns, all->deadline_ns);
        assert_int_equal(part->sample->model_id, all->model_id);
        assert_int_equal(part->sample->state, STATE(RUNNING));
        compared++;
    }
    subscriber_close(&s);
    harness_close(&h);
}

static const Linkage__V1__ControlReply *ask_poses(struct harness *h, const char *const names[],
                                                  size_t n, uint32_t divisor)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SubscribeRequest subscribe = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;

    subscribe.channels = (char **)names;
    subscribe.n_channels = n;
    subscribe.divisor = divisor;
    subscribe.poses = true;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SUBSCRIBE;
    request.subscribe = &subscribe;
    return harness_ask(h, &request);
}

/* Poses of bodies are a stream like others. If a body is also an output, its pose has the same bits
 * as the output. */
static void test_poses(void **state)
{
    static const char *const two[] = {"rocker", "coupler"}, *const none[] = {"tip"};
    const Linkage__V1__ControlReply *reply;
    const Linkage__V1__OutputSample *all;
    const Linkage__V1__StreamSample *part;
    struct topic topic = {.size = 9};
    struct subscriber s;
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED);
    reply = ask_poses(&h, none, 1, 1);
    assert_int_equal(reply->result, RESULT(UNKNOWN_CHANNEL));
    assert_non_null(strstr(reply->text, "no body named 'tip'; there are: "));
    reply = ask_poses(&h, NULL, 0, 20);
    assert_int_equal(reply->result, RESULT(OK));
    assert_int_equal(reply->stream->n_channels, 3);
    assert_string_equal(reply->stream->channels[0]->name, "crank");
    reply = ask_poses(&h, two, N(two), 1);
    assert_int_equal(reply->result, RESULT(OK));
    assert_string_equal(reply->stream->channels[1]->name, "coupler");
    assert_int_equal(reply->stream->channels[1]->offset, 7);
    assert_int_equal(reply->stream->channels[1]->n_components, 7);
    memcpy(topic.bytes, reply->stream->topic.data, topic.size);
    open_topic(&s, &h, &topic);
    part = subscriber_stream(&s, PATIENCE_MS);
    for (int compared = 0; compared < 50;) {
        assert_non_null(part);
        do {
            all = harness_sample(&h, PATIENCE_MS);
            assert_non_null(all);
        } while (all->step < part->sample->step);
        while (part->sample->step < all->step) {
            part = subscriber_stream(&s, PATIENCE_MS);
            assert_non_null(part);
        }
        if (part->sample->step != all->step)
            continue;
        assert_int_equal(part->sample->n_values, 14);
        /* coupler_pose: after 1 1 */
        assert_memory_equal(part->sample->values + 7, all->values + 2, 7 * sizeof(double));
        compared++;
    }
    subscriber_close(&s);
    harness_close(&h);
}

/* Check that a stream has at most one sample for each multiple of the divisor, with a counter of
 * its own.
 * Return: number of samples at exactly a multiple; other samples replace a late one. 0 if samples
 * were lost, which happens to a reader that gets no core for long */
static int count_on_time(struct subscriber *s, uint64_t divisor, int n)
{
    const Linkage__V1__StreamSample *sample = subscriber_stream(s, PATIENCE_MS);
    uint64_t sequence, multiple;
    int on_time = 0;

    assert_non_null(sample);
    sequence = sample->sample->sequence;
    multiple = sample->sample->step / divisor;
    for (int i = 0; i < n; i++) {
        sample = subscriber_stream(s, PATIENCE_MS);
        assert_non_null(sample);
        assert_true(sample->sample->sequence > sequence);
        if (sample->sample->sequence > ++sequence)
            return 0;
        assert_true(sample->sample->step / divisor > multiple);
        multiple = sample->sample->step / divisor;
        on_time += sample->sample->step % divisor == 0;
    }
    return on_time;
}

/* Check that most samples come at a multiple of the divisor. A busy machine skips steps, so up to
 * 100 attempts are made. */
static void check_divisor(struct subscriber *s, uint64_t divisor, int n)
{
    int on_time = 0;

    for (int i = 0; i < 100 && on_time <= n / 2; i++)
        on_time = count_on_time(s, divisor, n);
    assert_true(on_time > n / 2);
}

static void test_divisors(void **state)
{
    static const char *const names[] = {"tip"};
    struct subscriber s[3];
    struct topic topic[3];
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED);
    for (int i = 0; i < 3; i++) {
        topic[i] = ask(&h, names, 1, (uint32_t[]){1, 7, 50}[i]);
        open_topic(&s[i], &h, &topic[i]);
    }
    check_divisor(&s[0], 1, 100);
    check_divisor(&s[1], 7, 20);
    check_divisor(&s[2], 50, 4);
    for (int i = 0; i < 3; i++)
        subscriber_close(&s[i]);
    harness_close(&h);
}

static void test_divisor_of_all_outputs(void **state)
{
    const Linkage__V1__OutputSample *sample;
    uint64_t sequence = 0, step = 0;
    int n_next = 0;
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED "outputs: {divisor: 20}\n");
    for (int i = 0; i < 20; i++) {
        sample = harness_sample(&h, PATIENCE_MS);
        assert_non_null(sample);
        if (sequence) {
            assert_true(sample->sequence > sequence);
            assert_true(sample->step / 20 > step / 20);
            n_next += sample->sequence == sequence + 1;
        }
        sequence = sample->sequence;
        step = sample->step;
    }
    assert_true(n_next > 0); /* a reader without a core loses some */
    harness_close(&h);
}

/* Let about @cycles cycles pass; on return @cycles is their exact number.
 * Return: number of times that the exchange slept meanwhile */
static uint64_t sleeps_in(struct harness *h, pid_t exchange, uint64_t *cycles)
{
    long before = rig_process_number(exchange, "voluntary_ctxt_switches:");
    uint64_t begun = harness_command(h, STATUS)->status->cycles;

    *cycles = runs_await_cycles(h, begun + *cycles)->cycles - begun;
    return (uint64_t)(rig_process_number(exchange, "voluntary_ctxt_switches:") - before);
}

/* The exchange does not wake for records without a subscriber; it wakes only for its other work.
 * Late steps make it wake more often, so up to 50 attempts are made. */
static void test_sleeps_between(void **state)
{
    static const char *const names[] = {"tip"};
    uint64_t sleeps = 1, cycles = 0;
    struct subscriber s;
    struct topic topic;
    struct harness h;
    pid_t exchange;

    (void)state;
    if (SANITIZED)
        skip_because("a period under a sanitizer is longer than that of other work",
                     "see the release build");
    open_running(&h, UNPRIVILEGED "outputs: {divisor: 100}\n");
    exchange = freeze_find(&h, "lkd-exchange");
    for (int i = 0; i < 50 && sleeps * 2 >= cycles; i++) {
        cycles = 500;
        sleeps = sleeps_in(&h, exchange, &cycles);
    }
    assert_true(sleeps * 2 < cycles);

    /* now somebody subscribes to a stream */
    topic = ask(&h, names, 1, 1);
    open_topic(&s, &h, &topic);
    check_divisor(&s, 1, 100);
    subscriber_close(&s);
    harness_close(&h);
}

/* Two requests for the same selection share a stream with one sequence. */
static void test_shared(void **state)
{
    static const char *const names[] = {"tip", "energy"};
    const Linkage__V1__StreamSample *sample[2];
    struct subscriber s[2];
    struct topic topic[2];
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED);
    for (int i = 0; i < 2; i++) {
        topic[i] = ask(&h, names, 2, 10);
        open_topic(&s[i], &h, &topic[i]);
    }
    assert_memory_equal(topic[0].bytes, topic[1].bytes, topic[0].size);
    assert_int_equal(harness_command(&h, STATUS)->status->streams, 1);
    sample[0] = subscriber_stream(&s[0], PATIENCE_MS);
    sample[1] = subscriber_stream(&s[1], PATIENCE_MS);
    assert_true(sample[0] && sample[1]);
    while (sample[0]->sample->sequence != sample[1]->sample->sequence) {
        int behind = sample[0]->sample->sequence > sample[1]->sample->sequence;

        sample[behind] = subscriber_stream(&s[behind], PATIENCE_MS);
        assert_non_null(sample[behind]);
    }
    assert_int_equal(sample[0]->sample->step, sample[1]->sample->step);
    subscriber_close(&s[0]);
    check_divisor(&s[1], 10, 20); /* continues after one closes */
    subscriber_close(&s[1]);
    harness_close(&h);
}

static const Linkage__V1__StreamSample *await_state(struct subscriber *s, Linkage__V1__State state)
{
    const Linkage__V1__StreamSample *sample;

    do {
        sample = subscriber_stream(s, PATIENCE_MS);
        assert_non_null(sample);
    } while (sample->sample->state != state);
    return sample;
}

/* A pause, a stop and a fault are published immediately, whatever the divisor. */
static void test_states(void **state)
{
    static const char *const names[] = {"tip"};
    const double torque = 1e12;
    struct subscriber s;
    struct topic topic;
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED "outputs: {divisor: 1000000}\n"); /* no regular records */
    topic = ask(&h, names, 1, 1000000);
    open_topic(&s, &h, &topic);
    while (harness_command(&h, STATUS)->status->step < 100 || subscriber_stream(&s, 50))
        ;
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    await_state(&s, STATE(PAUSED));
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    await_state(&s, STATE(ARMED));
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    harness_go(&h);
    await_state(&s, STATE(FAULT));
    subscriber_close(&s);
    harness_close(&h);
}

/* Another model ends the streams. A bench requests its stream again, and its socket, which was
 * never closed, receives samples again. */
static void test_another_model(void **state)
{
    static const char *const names[] = {"tip"};
    const Linkage__V1__StreamSample *sample;
    struct topic before, after;
    uint64_t model_id;
    struct subscriber s;
    struct harness h;

    (void)state;
    open_running(&h, UNPRIVILEGED);
    before = ask(&h, names, 1, 10);
    open_topic(&s, &h, &before);
    assert_non_null(subscriber_stream(&s, PATIENCE_MS));
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    model_id = harness_load_model(&h);
    assert_int_equal(harness_command(&h, STATUS)->status->streams, 0);
    harness_go(&h);
    while ((sample = subscriber_stream(&s, 300)))
        assert_true(sample->sample->model_id != model_id);
    after = ask(&h, names, 1, 10);
    assert_memory_equal(before.bytes, after.bytes, before.size);
    sample = subscriber_stream(&s, PATIENCE_MS);
    assert_non_null(sample);
    assert_int_equal(sample->sample->model_id, model_id);
    subscriber_close(&s);
    harness_close(&h);
}

/* ---- a subscriber that does not read ---- */

/** struct idler - a subscriber in a separate process, stopped with SIGSTOP */
struct idler {
    pid_t pid;
    int endpoint_pipe;
};

/* Subscribe to everything, read one message and stop this process. Afterwards search for a gap.
 * Return: exit status, 0 if there is a gap */
static int idle(int endpoint_pipe)
{
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_SUB);
    int queue = 10, patience_ms = PATIENCE_MS;
    unsigned char message[4096];
    char endpoint[128] = "";
    uint64_t last = 0;

    if (read(endpoint_pipe, endpoint, sizeof(endpoint)) <= 0)
        return 3;
    zmq_setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof(queue));
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof(patience_ms));
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "\x08", 1);
    zmq_connect(socket, endpoint);
    for (int i = 0;; i++) {
        int size = zmq_recv(socket, message, sizeof(message), 0);
        Linkage__V1__OutputSample *sample;
        uint64_t sequence;

        if (size < 0)
            return 4;
        sample = linkage__v1__output_sample__unpack(NULL, (size_t)size, message);
        sequence = sample->sequence;
        linkage__v1__output_sample__free_unpacked(sample, NULL);
        if (last && sequence > last + 1)
            return 0;
        last = sequence;
        if (i == 0)
            raise(SIGSTOP);
    }
}

/* Start the idle subscriber. Call this before any thread exists, because it forks. */
static struct idler start_idler(void)
{
    struct idler idler;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    idler.pid = fork();
    assert_true(idler.pid >= 0);
    if (idler.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(idle(ends[0]));
    }
    close(ends[0]);
    idler.endpoint_pipe = ends[1];
    return idler;
}

static bool has_stopped(const struct idler *idler)
{
    int status;
    pid_t pid = waitpid(idler->pid, &status, WUNTRACED | WNOHANG);

    assert_true(pid == 0 || (pid == idler->pid && WIFSTOPPED(status)));
    return pid != 0;
}

/* Make one step and check that no output sample is lost.
 * @sequence: number of the last sample, 0 for none */
static void step_once(struct harness *h, uint64_t number, uint64_t *sequence)
{
    const Linkage__V1__ControlReply *reply = runs_ask_step(h, number, 1, NULL);
    const Linkage__V1__OutputSample *sample;
    uint64_t step;

    assert_int_equal(reply->result, RESULT(OK));
    step = reply->outputs->step;
    do {
        sample = harness_sample(h, PATIENCE_MS);
        assert_non_null(sample);
        if (*sequence)
            assert_int_equal(sample->sequence, *sequence + 1);
        *sequence = sample->sequence;
    } while (sample->step < step);
}

/* number of samples, more than all queues together can store: 64 in the daemon, 10 in the
 * subscriber, and some hundred messages in the kernel's queues of a Unix socket. The daemon makes
 * one step at a time, so that readers need not keep up with a clock. */
#define IDLE_SAMPLES 1200

static void test_a_stopped_subscriber_costs_nobody_else(void **state)
{
    struct idler idler = start_idler();
    uint64_t sequence = 0, number = 0;
    struct harness h;
    int status;

    (void)state;
    harness_open(&h, UNPRIVILEGED "mode: lockstep\n");
    harness_load_model(&h);
    harness_go(&h);
    assert_true(write(idler.endpoint_pipe, h.endpoint[2], strlen(h.endpoint[2]) + 1) > 0);
    while (!has_stopped(&idler))
        step_once(&h, ++number, &sequence);
    for (int i = 0; i < IDLE_SAMPLES; i++)
        step_once(&h, ++number, &sequence);
    assert_int_equal(kill(idler.pid, SIGCONT), 0);
    while (waitpid(idler.pid, &status, WNOHANG) == 0) /* until the idler finds a gap */
        step_once(&h, ++number, &sequence);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(idler.endpoint_pipe);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_is_described),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_poses),
        cmocka_unit_test(test_divisors),
        cmocka_unit_test(test_divisor_of_all_outputs),
        cmocka_unit_test(test_sleeps_between),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_another_model),
        cmocka_unit_test(test_a_stopped_subscriber_costs_nobody_else),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
