/* SPDX-License-Identifier: Apache-2.0 */
/* The client library without a daemon: the errors of its calls. */
#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#define TIMEOUT_MS  300
#define PATIENCE_MS 60000 /* time limit for messages that must arrive */
#define TRIES       20    /* tries, because the machine may hang */

static void test_endpoints(void **state)
{
    char endpoint[LK_CLIENT_ENDPOINT_SIZE];

    (void)state;
    assert_int_equal(lk_client_outputs_endpoint(NULL, endpoint), 0);
    assert_string_equal(endpoint, LK_CLIENT_OUTPUTS);
    assert_int_equal(lk_client_outputs_endpoint("tcp://[::1]:7000", endpoint), 0);
    assert_string_equal(endpoint, "tcp://[::1]:7002");
    assert_int_equal(lk_client_inputs_endpoint(NULL, endpoint), 0);
    assert_string_equal(endpoint, LK_CLIENT_INPUTS);
    assert_int_equal(lk_client_inputs_endpoint("tcp://[::1]:7000", endpoint), 0);
    assert_string_equal(endpoint, "tcp://[::1]:7001");
    assert_int_equal(lk_client_inputs_endpoint("ipc:///run/x", endpoint), LK_CLIENT_E_ENDPOINT);
    assert_int_equal(lk_client_outputs_endpoint("ipc:///run/x", endpoint), LK_CLIENT_E_ENDPOINT);
    assert_int_equal(lk_client_outputs_endpoint("tcp://host", endpoint), LK_CLIENT_E_ENDPOINT);
    assert_int_equal(lk_client_outputs_endpoint("tcp://host:70000", endpoint),
                     LK_CLIENT_E_ENDPOINT);
    assert_int_equal(lk_client_outputs_endpoint("tcp://host:56x", endpoint), LK_CLIENT_E_ENDPOINT);
}

static void test_bad_endpoint_is_refused(void **state)
{
    struct lk_client *client;
    struct lk_error error;
    char long_endpoint[300];

    (void)state;
    assert_int_equal(lk_client_open("5600", TIMEOUT_MS, &client, &error), LK_CLIENT_E_ENDPOINT);
    assert_non_null(strstr(error.text, "'5600'"));
    memset(long_endpoint, 'x', sizeof(long_endpoint));
    long_endpoint[sizeof(long_endpoint) - 1] = '\0';
    assert_int_equal(lk_client_open(long_endpoint, TIMEOUT_MS, &client, &error),
                     LK_CLIENT_E_ENDPOINT);
}

static void test_no_daemon(void **state)
{
    const Linkage__V1__ControlReply *reply;
    const Linkage__V1__OutputSample *sample;
    struct lk_client_outputs *outputs;
    struct lk_client_inputs *inputs;
    struct lk_client *client;
    struct lk_error error;
    char endpoint[100];
    int64_t before_ns = lk_client_now_ns();

    (void)state;
    snprintf(endpoint, sizeof(endpoint), "ipc:///tmp/linkage-test-nobody-%d", (int)getpid());
    assert_int_equal(lk_client_open(endpoint, TIMEOUT_MS, &client, &error), 0);
    assert_int_equal(
        lk_client_command(client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply, &error),
        LK_CLIENT_E_NO_ANSWER);
    assert_non_null(strstr(error.text, endpoint));
    assert_non_null(strstr(error.text, "start one"));
    assert_int_equal(lk_client_outputs_open(client, endpoint, &outputs, &error), 0);
    assert_int_equal(lk_client_outputs_receive(outputs, TIMEOUT_MS, NULL, &sample),
                     LK_CLIENT_E_NO_ANSWER);
    assert_int_equal(lk_client_inputs_open(client, endpoint, &inputs, &error), 0);
    assert_int_equal(lk_client_inputs_wait(inputs, TIMEOUT_MS), LK_CLIENT_E_NO_ANSWER);
    assert_true(lk_client_now_ns() - before_ns >= 3 * TIMEOUT_MS * INT64_C(1000000));
    lk_client_inputs_close(inputs);
    lk_client_outputs_close(outputs);
    lk_client_close(client);
}

/* struct stranger - a socket like the daemon's, at @endpoint */
struct stranger {
    void *context;
    void *router;
    char endpoint[100];
};

static void stranger_open(struct stranger *stranger, const char *name)
{
    snprintf(stranger->endpoint, sizeof(stranger->endpoint), "ipc:///tmp/linkage-test-%s-%d", name,
             (int)getpid());
    stranger->context = zmq_ctx_new();
    stranger->router = zmq_socket(stranger->context, ZMQ_ROUTER);
    assert_int_equal(zmq_bind(stranger->router, stranger->endpoint), 0);
}

static void stranger_close(struct stranger *stranger)
{
    zmq_close(stranger->router);
    zmq_ctx_term(stranger->context);
    unlink(stranger->endpoint + strlen("ipc://"));
}

/* Receive a request and answer it: with a reply to request @id, or with invalid bytes if @id is
 * 0. */
static void stranger_answer(struct stranger *stranger, uint64_t id)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    char identity[256];
    uint8_t data[64] = {0xff, 0xff, 0xff};
    size_t size = 3;
    int n = zmq_recv(stranger->router, identity, sizeof(identity), 0);

    assert_true(n > 0);
    assert_true(zmq_recv(stranger->router, NULL, 0, 0) > 0);
    reply.id = id;
    reply.result = LINKAGE__V1__RESULT__RESULT_OK;
    if (id != 0)
        assert_int_equal(lk_wire_encode(&reply.base, data, sizeof(data), &size), 0);
    zmq_send(stranger->router, identity, (size_t)n, ZMQ_SNDMORE);
    zmq_send(stranger->router, data, size, 0);
}

struct call {
    struct lk_client *client;
    int code;
    uint64_t id;
};

static void *call_stop(void *data)
{
    struct call *call = data;
    const Linkage__V1__ControlReply *reply;
    struct lk_error error;

    call->code =
        lk_client_command(call->client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP, &reply, &error);
    call->id = call->code == 0 ? reply->id : 0;
    return NULL;
}

/* Return the result of a call of @client that gets a reply to request @id. */
static int ask_stranger(struct stranger *stranger, struct lk_client *client, uint64_t id)
{
    struct call call = {.client = client};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, call_stop, &call), 0);
    stranger_answer(stranger, id);
    pthread_join(thread, NULL);
    assert_int_equal(call.id, call.code == 0 ? id : 0);
    return call.code;
}

static void test_answers(void **state)
{
    struct stranger stranger;
    struct lk_client *client, *hasty;

    (void)state;
    stranger_open(&stranger, "answers");
    assert_int_equal(lk_client_open(stranger.endpoint, PATIENCE_MS, &client, NULL), 0);
    assert_int_equal(lk_client_open(stranger.endpoint, TIMEOUT_MS, &hasty, NULL), 0);
    assert_int_equal(ask_stranger(&stranger, client, 1), 0);
    assert_int_equal(ask_stranger(&stranger, client, 2), 0);
    assert_int_equal(ask_stranger(&stranger, client, 0), LK_CLIENT_E_BAD_ANSWER);
    assert_int_equal(ask_stranger(&stranger, client, 4), 0);
    /* an answer to another request is ignored and does not affect the next call */
    assert_int_equal(ask_stranger(&stranger, hasty, 77), LK_CLIENT_E_SILENT);
    for (uint64_t id = 2; id < TRIES && ask_stranger(&stranger, hasty, id) != 0; id++)
        assert_true(id < TRIES - 1);
    lk_client_close(client);
    lk_client_close(hasty);
    stranger_close(&stranger);
}

/* A peer that accepts connections and sends nothing, like a stopped daemon. */
static void test_mute(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const Linkage__V1__ControlReply *reply;
    struct lk_client *client;
    struct lk_error error;
    char endpoint[64];

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    snprintf(endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", ntohs(address.sin_port));
    /* time-outs shorter and longer than that of a handshake */
    for (int timeout_ms = TIMEOUT_MS; timeout_ms <= 2500; timeout_ms += 2500 - TIMEOUT_MS) {
        int code = 0;

        assert_int_equal(lk_client_open(endpoint, timeout_ms, &client, &error), 0);
        /* the connection may take as long as the call, so try several times */
        for (int i = 0; i < TRIES && code != LK_CLIENT_E_SILENT; i++)
            code = lk_client_command(client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply,
                                     &error);
        assert_int_equal(code, LK_CLIENT_E_SILENT);
        assert_non_null(strstr(error.text, "something takes connections"));
        lk_client_close(client);
    }
    close(fd);
}

/* A command without a daemon must not stay queued until a daemon starts. */
static void test_request_does_not_outlive_its_call(void **state)
{
    struct stranger stranger;
    struct call call = {0};
    zmq_pollitem_t item = {.events = ZMQ_POLLIN};

    (void)state;
    stranger_open(&stranger, "later");
    stranger_close(&stranger);
    assert_int_equal(lk_client_open(stranger.endpoint, TIMEOUT_MS, &call.client, NULL), 0);
    call_stop(&call);
    assert_int_equal(call.code, LK_CLIENT_E_NO_ANSWER);
    stranger_open(&stranger, "later");
    item.socket = stranger.router;
    assert_int_equal(zmq_poll(&item, 1, 3 * TIMEOUT_MS), 0);
    lk_client_close(call.client);
    stranger_close(&stranger);
}

/* The connection may have failed for good before the request is sent: libzmq then has no peer for
 * it. The pause makes this likely, but the test does not depend on it. */
static void test_refused_before_it_asks(void **state)
{
    const struct timespec nap = {.tv_nsec = 300000000};
    const Linkage__V1__ControlReply *reply;
    char public_key[41], secret_key[41];
    struct stranger stranger = {.context = zmq_ctx_new()};
    struct lk_client *client;
    struct lk_error error;
    int yes = 1;

    (void)state;
    snprintf(stranger.endpoint, sizeof(stranger.endpoint), "ipc:///tmp/linkage-test-keys-%d",
             (int)getpid());
    stranger.router = zmq_socket(stranger.context, ZMQ_ROUTER);
    assert_int_equal(zmq_curve_keypair(public_key, secret_key), 0);
    assert_int_equal(zmq_setsockopt(stranger.router, ZMQ_CURVE_SERVER, &yes, sizeof(yes)), 0);
    assert_int_equal(zmq_setsockopt(stranger.router, ZMQ_CURVE_SECRETKEY, secret_key, 40), 0);
    assert_int_equal(zmq_bind(stranger.router, stranger.endpoint), 0);
    assert_int_equal(lk_client_open(stranger.endpoint, 1000, &client, &error), 0);
    for (int i = 0; i < 2; i++) { /* the next call connects again */
        int code = 0;

        nanosleep(&nap, NULL);
        /* a refusal that takes longer than the call is not seen, so try several times */
        for (int k = 0; k < TRIES && (k == 0 || !strstr(error.text, "wants keys")); k++)
            code = lk_client_command(client, LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS, &reply,
                                     &error);
        if (code != LK_CLIENT_E_NO_ANSWER || !strstr(error.text, "wants keys"))
            fail_msg("%d: %s", code, error.text);
    }
    lk_client_close(client);
    stranger_close(&stranger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_bad_endpoint_is_refused),
        cmocka_unit_test(test_no_daemon),
        cmocka_unit_test(test_refused_before_it_asks),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_mute),
        cmocka_unit_test(test_request_does_not_outlive_its_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
