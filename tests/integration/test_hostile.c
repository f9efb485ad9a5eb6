/* SPDX-License-Identifier: Apache-2.0 */
/* Peers that send invalid bytes on each socket: these are counted or answered, and the daemon
 * continues. */
#include "harness.h"
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#define FAR_MORE ((size_t)300 << 10) /* large enough to end the connection */

/* Return the result of the next reply on a socket, and its id in @ret_id. */
static Linkage__V1__Result next_result(struct harness *h, void *socket, uint64_t *ret_id)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
    const Linkage__V1__ControlReply *reply;
    zmq_msg_t message;
    int more = 1;

    assert_int_equal(zmq_poll(&item, 1, PATIENCE_MS), 1);
    zmq_msg_init(&message);
    while (more) { /* an empty part comes first if the request had one */
        assert_true(zmq_msg_recv(&message, socket, 0) >= 0);
        more = zmq_msg_more(&message);
    }
    assert_int_equal(
        lk_wire_decode_reply(&h->arena, zmq_msg_data(&message), zmq_msg_size(&message), &reply), 0);
    zmq_msg_close(&message);
    *ret_id = reply->id;
    return reply->result;
}

static void *connect_to(struct harness *h, int type, int endpoint)
{
    void *socket = zmq_socket(h->context, type);
    int zero = 0;

    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
    assert_int_equal(zmq_connect(socket, h->endpoint[endpoint]), 0);
    return socket;
}

/* Send invalid bytes. @expected: the id of the request if it can be decoded, otherwise 0 */
static void answered_with(struct harness *h, const void *data, size_t size, uint64_t expected)
{
    uint64_t id = 1;

    assert_true(zmq_send(h->control, data, size, 0) >= 0);
    assert_int_equal(next_result(h, h->control, &id), RESULT(BAD_MESSAGE));
    assert_int_equal(id, expected);
}

static void answered_as_bad(struct harness *h, const void *data, size_t size)
{
    answered_with(h, data, size, 0);
}

static void test_bad_requests(void **state)
{
    unsigned char noise[1000], valid[] = {0x08, 0x05, 0x2a, 0x00}; /* id 5, start */
    struct harness h;
    uint64_t id;
    uint32_t seed = 1;

    (void)state;
    harness_open(&h, NULL);
    answered_as_bad(&h, "", 0);
    answered_with(&h, valid, 2, 5); /* no command, or an unknown one */
    answered_as_bad(&h, valid, 3);  /* truncated */
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof(noise); i++) {
            seed = seed * 1664525u + 1013904223u;
            noise[i] = (unsigned char)(seed >> 24);
        }
        noise[0] = 0x07; /* no such wire type: certainly refused */
        answered_as_bad(&h, noise, sizeof(noise));
    }

    /* too many parts, and a second part where an empty one is expected */
    for (int i = 0; i < 5; i++)
        assert_true(zmq_send(h.control, valid, 4, i < 4 ? ZMQ_SNDMORE : 0) >= 0);
    assert_int_equal(next_result(&h, h.control, &id), RESULT(BAD_MESSAGE));
    assert_true(zmq_send(h.control, "x", 1, ZMQ_SNDMORE) >= 0);
    assert_true(zmq_send(h.control, valid, 4, 0) >= 0);
    assert_int_equal(next_result(&h, h.control, &id), RESULT(BAD_MESSAGE));

    harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    harness_close(&h);
}

/* A command of a later version is refused with its id; unknown fields are ignored. */
static void test_later_version(void **state)
{
    const unsigned char command[] = {0x08, 0x05, 0xa2, 0x06, 0x00};        /* id 5, field 100 */
    const unsigned char field[] = {0x08, 0x06, 0x12, 0x00, 0xa0, 0x06, 1}; /* status, field 100 */
    struct harness h;
    uint64_t id;

    (void)state;
    harness_open(&h, NULL);
    assert_true(zmq_send(h.control, command, sizeof(command), 0) >= 0);
    assert_int_equal(next_result(&h, h.control, &id), RESULT(BAD_MESSAGE));
    assert_true(zmq_send(h.control, field, sizeof(field), 0) >= 0);
    assert_int_equal(next_result(&h, h.control, &id), RESULT(OK));
    assert_int_equal(id, 6);
    harness_close(&h);
}

static void test_req_socket(void **state)
{
    const unsigned char status[] = {0x08, 0x07, 0x12, 0x00};
    struct harness h;
    void *req;
    uint64_t id;

    (void)state;
    harness_open(&h, NULL);
    req = connect_to(&h, ZMQ_REQ, 0);
    for (int i = 0; i < 3; i++) {
        assert_true(zmq_send(req, status, sizeof(status), 0) >= 0);
        assert_int_equal(next_result(&h, req, &id), RESULT(OK));
        assert_int_equal(id, 7);
    }
    zmq_close(req);
    harness_close(&h);
}

/* A message above the size limit: the connection is closed, others are unaffected. */
static void test_oversized_request(void **state)
{
    const size_t size = LK_WIRE_CONTROL_MAX + FAR_MORE;
    unsigned char *large = calloc(1, size);
    struct harness h;
    void *other;

    (void)state;
    assert_non_null(large);
    harness_open(&h, NULL);
    other = connect_to(&h, ZMQ_DEALER, 0);
    assert_true(zmq_send(other, large, size, 0) >= 0);
    harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    zmq_close(other);
    harness_close(&h);
    free(large);
}

/* Send bytes that are not ZeroMQ, and close the connection during its greeting. */
static void raw_bytes(const struct harness *h, int endpoint, const void *data, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", h->endpoint[endpoint] + 6);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    /* the other side may close the connection before all is written */
    if (send(fd, data, size, MSG_NOSIGNAL) < 0)
        print_message("cut off early\n");
    close(fd);
}

static void test_not_zeromq(void **state)
{
    static const char http[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    static const unsigned char greeting[] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3};
    unsigned char zeros[4096] = {0};
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    for (int endpoint = 0; endpoint < 3; endpoint++) {
        raw_bytes(&h, endpoint, http, sizeof(http) - 1);
        raw_bytes(&h, endpoint, greeting, sizeof(greeting));
        raw_bytes(&h, endpoint, zeros, sizeof(zeros));
    }
    harness_expect(&h, STATUS, RESULT(OK), STATE(EMPTY));
    harness_close(&h);
}

static void test_inputs_refused(void **state)
{
    const double good = 2, bad = NAN, large = INFINITY, many[] = {1, 2};
    const Linkage__V1__OutputSample *sample;
    uint64_t model_id;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_send(&h, 1, 0, &good, 1); /* no model yet: not counted */
    model_id = harness_load_model(&h);
    harness_go(&h);
    harness_send(&h, 100, model_id, &good, 1);
    harness_await_counts(&h, 1, 0);

    harness_send(&h, 100, model_id, &good, 1);
    harness_send(&h, 99, model_id, &good, 1);
    harness_send(&h, 101, model_id, many, 2);
    harness_send(&h, 102, model_id, NULL, 0);
    harness_send(&h, 103, model_id, &bad, 1);
    harness_send(&h, 104, model_id, &large, 1);
    harness_send(&h, 105, model_id ^ 1, &good, 1);
    harness_send_bytes(&h, "\x07nonsense", 9, 0);
    harness_send_bytes(&h, "", 0, 0); /* an empty message is a sample without values */
    harness_send_bytes(&h, "part", 4, ZMQ_SNDMORE);
    harness_send_bytes(&h, "part", 4, 0);
    harness_await_counts(&h, 1, 10);
    harness_send(&h, 106, 0, &good, 1);
    harness_await_counts(&h, 2, 10);

    do {
        sample = harness_sample(&h, PATIENCE_MS);
        assert_non_null(sample);
    } while (sample->input_sequence != 106);
    assert_int_equal(sample->input_origin_ns, 318);
    assert_true(sample->input_received_ns > 0);
    assert_true(sample->input_received_ns <= sample->computed_ns);
    assert_true(harness_log_has(h.folder, "log", "input sample refused"));
    harness_close(&h);
}

/* A message that is a little too large is refused with a reply, and the connection stays. */
static void too_large_messages_are_refused(void **state)
{
    unsigned char *large = calloc(1, LK_WIRE_CONTROL_MAX + 1);
    const double good = 1;
    struct harness h;

    (void)state;
    assert_non_null(large);
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    harness_send(&h, 1, 0, &good, 1);
    harness_await_counts(&h, 1, 0);
    harness_send_bytes(&h, large, LK_WIRE_SAMPLE_MAX + 1, 0);
    harness_await_counts(&h, 1, 1);
    assert_true(harness_log_has(h.folder, "log", "input sample refused: too large"));
    harness_send(&h, 2, 0, &good, 1);
    harness_await_counts(&h, 2, 1);
    answered_as_bad(&h, large, LK_WIRE_CONTROL_MAX + 1);
    assert_true(harness_log_has(h.folder, "log", "control message refused: too large"));
    harness_close(&h);
    free(large);
}

/* The torque of a sample changes the motion, and the sample with its effect names the source. */
static void test_input_acts(void **state)
{
    const Linkage__V1__Status *status;
    const double torque = 5;
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    assert_true(status->work_input == 0);
    harness_send(&h, 1, 0, &torque, 1);
    for (;;) {
        const Linkage__V1__OutputSample *sample = harness_sample(&h, PATIENCE_MS);

        assert_non_null(sample);
        if (sample->input_sequence == 1)
            break;
    }
    status = harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    assert_true(status->work_input != 0);
    harness_close(&h);
}

static void test_oversized_sample(void **state)
{
    unsigned char *large = calloc(1, LK_WIRE_SAMPLE_MAX + FAR_MORE);
    const double good = 1;
    struct harness h;
    void *other;

    (void)state;
    assert_non_null(large);
    harness_open(&h, NULL);
    harness_load_model(&h);
    other = connect_to(&h, ZMQ_XPUB, 1);
    assert_true(zmq_recv(other, large, 8, 0) > 0); /* the subscription */
    assert_true(zmq_send(other, large, LK_WIRE_SAMPLE_MAX + FAR_MORE, 0) >= 0);
    harness_send(&h, 1, 0, &good, 1);
    harness_await_counts(&h, 1, 0);
    zmq_close(other);
    harness_close(&h);
    free(large);
}

/* A client that sends without reading replies blocks neither others nor the end of the daemon with
 * SIGTERM. */
static void test_flood(void **state)
{
    const unsigned char status[] = {0x08, 0x07, 0x12, 0x00};
    struct harness h;
    void *flooder;
    pid_t pid;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    flooder = connect_to(&h, ZMQ_DEALER, 0);
    for (int i = 0; i < 20000; i++)
        zmq_send(flooder, i % 2 ? status : (const unsigned char *)"?", i % 2 ? 4 : 1, ZMQ_DONTWAIT);
    harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    for (int i = 0; i < 20000; i++)
        zmq_send(flooder, status, sizeof(status), ZMQ_DONTWAIT);
    pid = h.pid;
    h.pid = 0;
    kill(pid, SIGTERM);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);
    zmq_close(flooder);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_later_version),
        cmocka_unit_test(test_req_socket),
        cmocka_unit_test(test_oversized_request),
        cmocka_unit_test(test_not_zeromq),
        cmocka_unit_test(test_inputs_refused),
        cmocka_unit_test(too_large_messages_are_refused),
        cmocka_unit_test(test_input_acts),
        cmocka_unit_test(test_oversized_sample),
        cmocka_unit_test(test_flood),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
