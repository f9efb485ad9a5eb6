/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints on which the daemon may listen, and the identity of senders: unit tests of the
 * rules that the integration tests rely on. */
#include "endpoint.h"
#include "peer.h"
#include "socket.h"
#include "zap.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#define PATIENCE_MS 5000

/* ---- addresses ---- */

static void test_addresses_without_keys(void **state)
{
    static const char *const good[] = {"tcp://127.0.0.1:5600", "tcp://127.255.3.4:1",
                                       "ipc://@linkaged-x", "ipc:///nowhere/yet"};
    static const char *const remote[] = {"tcp://0.0.0.0:5600", "tcp://192.168.1.1:5600",
                                         "tcp://128.0.0.1:5600", "tcp://126.255.255.255:5600"};
    struct lk_error error;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(lkd_endpoint_check(good[i], &error), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(lkd_endpoint_check(remote[i], &error), LK_E_TEXT);
        /* the message says how to correct the configuration */
        assert_non_null(strstr(error.text, "loopback address (127.x.y.z)"));
        assert_non_null(strstr(error.text, "security"));
        assert_non_null(strstr(error.text, "linkagectl keygen"));
        assert_int_equal(lkd_endpoint_check_keyed(remote[i], &error), 0);
    }
}

static void test_addresses_that_are_none(void **state)
{
    static const char *const bad[] = {
        "",
        "tcp://",
        "tcp://*:5600",
        "tcp://localhost:5600",
        "tcp://1:5",
        "tcp://127.0.0.1",
        "tcp://127.0.0.1:",
        "tcp://127.0.0.1:0",
        "ipc://",
        "ipc://*",
        "tcp://127.0.0.1:65536",
        "tcp://127.0.0.1:5600x",
        "udp://1:1",
        "inproc://x",
        "tcp://[::1]:5600",
        "tcp://127.0.0.1:-1",
        "ipc:///tmp",
        "5600",
        "tcp://eth0:5600",
        "tcp://127.0.0.1: 5600",
    };
    struct lk_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(lkd_endpoint_check(bad[i], &error), LK_E_TEXT);
        assert_int_equal(lkd_endpoint_check_keyed(bad[i], &error), LK_E_TEXT);
        assert_int_equal(strncmp(error.text, bad[i], strlen(bad[i])), 0);
    }
}

/* Encryption alone does not permit an open address. */
static void test_listen_refuses_too(void **state)
{
    struct lk_error error;
    int fd = -1;

    (void)state;
    assert_int_equal(lkd_endpoint_listen("tcp://0.0.0.0:15688", false, &fd, &error), LK_E_TEXT);
    assert_int_equal(fd, -1);
}

/* The path of a socket that no process serves is reused; any other existing file is refused. */
static void test_paths(void **state)
{
    char folder[] = "/tmp/linkaged-endpoint-XXXXXX", endpoint[64];
    struct lk_error error;
    int fd, other = -1;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(endpoint, sizeof(endpoint), "ipc://%s/x", folder);
    assert_int_equal(lkd_endpoint_listen(endpoint, false, &fd, &error), 0);
    assert_int_equal(lkd_endpoint_listen(endpoint, false, &other, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "in use"));
    close(fd);
    assert_int_equal(lkd_endpoint_listen(endpoint, false, &fd, &error), 0);
    lkd_endpoint_close(endpoint, fd);
    assert_int_equal(rmdir(folder), 0); /* the folder is empty */
}

/* ---- keys ---- */

struct pair {
    char open[41];
    char secret[41];
};

static struct pair server, friend;

static struct lkd_clients *make_list(void)
{
    struct lkd_clients *clients = calloc(1, sizeof(*clients));

    assert_non_null(clients);
    clients->n = 1;
    memcpy(clients->client[0].key, friend.open, sizeof(friend.open));
    clients->client[0].peer =
        (struct lkd_peer){.role = LINKAGE__V1__ROLE__ROLE_BENCH, .name = "rig"};
    return clients;
}

static void *bind_keyed(void *context, struct lkd_zap *zap, const char *endpoint)
{
    const struct lkd_socket_options options = {.type = ZMQ_ROUTER,
                                               .size_max = 1000,
                                               .queue_in = 10,
                                               .queue_out = 10,
                                               .secret_key = server.secret,
                                               .zap = zap};
    struct lk_error error;
    void *socket = NULL;
    int fd;

    if (lkd_endpoint_listen(endpoint, true, &fd, &error))
        fail_msg("%s", error.text);
    assert_int_equal(lkd_socket_open(context, endpoint, fd, &options, &socket), 0);
    return socket;
}

static void say_nothing(enum lkd_condition_id condition, const char *text)
{
    print_message("%s: %s\n", lkd_condition_info(condition)->id, text);
}

/* Return the sender of a message as the daemon sees it. */
static void peer_of(zmq_msg_t *part, struct lkd_peer *ret_peer)
{
    lkd_peer_of(true, zmq_msg_gets(part, "User-Id"), ret_peer);
}

static void *connect_keyed(void *context, const char *endpoint)
{
    void *socket = zmq_socket(context, ZMQ_DEALER);
    const int zero = 0;

    zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
    zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server.open, 41);
    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, friend.open, 41);
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, friend.secret, 41);
    assert_int_equal(zmq_connect(socket, endpoint), 0);
    return socket;
}

static bool comes(void *socket, int timeout_ms)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};

    return zmq_poll(&item, 1, timeout_ms) == 1;
}

static int make_pairs(void **state)
{
    (void)state;
    return zmq_curve_keypair(server.open, server.secret) ||
           zmq_curve_keypair(friend.open, friend.secret);
}

/* Name and role of the sender are available with each part of a message. */
static void test_peer_of_a_message(void **state)
{
    void *context = zmq_ctx_new(), *socket, *client;
    struct lkd_zap *zap;
    struct lkd_peer peer;
    zmq_msg_t part;

    (void)state;
    assert_int_equal(lkd_zap_new(context, make_list(), say_nothing, &zap), 0);
    socket = bind_keyed(context, zap, "ipc://@linkaged-test-peer");
    assert_int_equal(lkd_zap_start(zap), 0);
    client = connect_keyed(context, "ipc://@linkaged-test-peer");
    zmq_send(client, "x", 1, 0);
    assert_true(comes(socket, PATIENCE_MS));
    zmq_msg_init(&part);
    assert_true(zmq_msg_recv(&part, socket, 0) >= 0); /* identity */
    assert_int_equal(zmq_msg_recv(&part, socket, 0), 1);

    peer_of(&part, &peer);
    assert_int_equal(peer.role, LINKAGE__V1__ROLE__ROLE_BENCH);
    assert_string_equal(peer.name, "rig");
    lkd_peer_of(false, "bench/rig", &peer); /* without keys there is no authentication */
    assert_int_equal(peer.role, LINKAGE__V1__ROLE__ROLE_CONTROL);
    assert_string_equal(peer.name, "");

    zmq_msg_close(&part);
    zmq_close(client);
    zmq_close(socket);
    lkd_zap_stop(zap);
    zmq_ctx_term(context);
}

/* The size limit applies to the message, encrypted or not; one byte more closes the connection. */
static void test_size_with_keys(void **state)
{
    static const char bytes[1001];
    void *context = zmq_ctx_new(), *socket, *client;
    struct lkd_zap *zap;

    (void)state;
    assert_int_equal(lkd_zap_new(context, make_list(), say_nothing, &zap), 0);
    socket = bind_keyed(context, zap, "ipc://@linkaged-test-size");
    assert_int_equal(lkd_zap_start(zap), 0);
    client = connect_keyed(context, "ipc://@linkaged-test-size");
    zmq_send(client, bytes, 1000, 0);
    assert_true(comes(socket, PATIENCE_MS));
    assert_int_equal(zmq_recv(socket, NULL, 0, 0), 5); /* identity */
    assert_int_equal(zmq_recv(socket, NULL, 0, 0), 1000);
    zmq_send(client, bytes, 1001, 0);
    assert_false(comes(socket, 300));
    zmq_close(client);
    zmq_close(socket);
    lkd_zap_stop(zap);
    zmq_ctx_term(context);
}

/* With keys, a message without an authenticated sender has no permissions. */
static void test_peer_of_nobody(void **state)
{
    struct lkd_peer peer;
    zmq_msg_t part;

    (void)state;
    zmq_msg_init(&part);
    peer_of(&part, &peer);
    assert_int_equal(peer.role, LINKAGE__V1__ROLE__ROLE_UNSPECIFIED);
    zmq_msg_close(&part);
}

/* Without a handler every connection is refused, even with a good key. */
static void test_no_judge_no_entry(void **state)
{
    void *context = zmq_ctx_new(), *socket, *client;

    (void)state;
    socket = bind_keyed(context, NULL, "ipc://@linkaged-test-judge");
    client = connect_keyed(context, "ipc://@linkaged-test-judge");
    zmq_send(client, "x", 1, 0);
    assert_false(comes(socket, 500));
    zmq_close(client);
    zmq_close(socket);
    zmq_ctx_term(context);
}

/* ---- a client that writes its own User-Id ----
 * In the handshake a client may send properties of its own, among them one called User-Id. The name
 * that the handler returns must replace it. libzmq treats all mechanisms alike; the test uses NULL
 * because its handshake needs no cryptography. */

static void answer_zap(void *handler)
{
    char part[6][256];
    int size[6];

    assert_true(comes(handler, PATIENCE_MS));
    for (int i = 0; i < 6; i++) {
        size[i] = zmq_recv(handler, part[i], sizeof(part[i]), 0);
        assert_in_range(size[i], 0, 256);
    }
    zmq_send(handler, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(handler, part[1], (size_t)size[1], ZMQ_SNDMORE);
    zmq_send(handler, "200", 3, ZMQ_SNDMORE);
    zmq_send(handler, "OK", 2, ZMQ_SNDMORE);
    zmq_send(handler, "read/eye", 8, ZMQ_SNDMORE);
    zmq_send(handler, "", 0, 0);
}

static void speak_by_hand(int fd)
{
    /* greeting of ZMTP 3.0, mechanism NULL; command READY with two properties */
    static const unsigned char greeting[64] = {0xff, 0,    0, 0, 0,   0,   0,   0,
                                               1,    0x7f, 3, 0, 'N', 'U', 'L', 'L'};
    static const char ready[] = "\x04\x39\x05READY"
                                "\x0bSocket-Type\x00\x00\x00\x06"
                                "DEALER"
                                "\x07User-Id\x00\x00\x00\x0c"
                                "control/evil";
    unsigned char frame[80];
    size_t n = sizeof(ready) - 1;

    assert_int_equal(write(fd, greeting, sizeof(greeting)), 64);
    memcpy(frame, ready, n);
    frame[1] = (unsigned char)(n - 2);
    assert_int_equal(write(fd, frame, n), n);
}

/* Read greeting and READY of the other side; then a message may be sent. */
static void await_ready(int fd)
{
    unsigned char bytes[256];
    size_t n = 0;

    while (n < 66 || n < 66u + bytes[65]) {
        struct pollfd item = {.fd = fd, .events = POLLIN};
        ssize_t got;

        assert_int_equal(poll(&item, 1, PATIENCE_MS), 1);
        got = read(fd, bytes + n, sizeof(bytes) - n);
        assert_true(got > 0);
        n += (size_t)got;
    }
}

static int connect_by_hand(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)address, sizeof(*address)), 0);
    return fd;
}

static void test_user_id_cannot_be_forged(void **state)
{
    void *context = zmq_ctx_new(), *handler = zmq_socket(context, ZMQ_REP),
         *router = zmq_socket(context, ZMQ_ROUTER);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
    struct lkd_peer peer;
    char endpoint[64];
    size_t size = sizeof(endpoint);
    zmq_msg_t part;
    int fd;

    (void)state;
    assert_int_equal(zmq_bind(handler, "inproc://zeromq.zap.01"), 0);
    zmq_setsockopt(router, ZMQ_ZAP_DOMAIN, "test", 4);
    assert_int_equal(zmq_bind(router, "tcp://127.0.0.1:*"), 0);
    zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, endpoint, &size);
    address.sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1));
    fd = connect_by_hand(&address);
    speak_by_hand(fd);
    answer_zap(handler);
    await_ready(fd);
    assert_int_equal(write(fd, "\0\1x", 3), 3);
    assert_true(comes(router, PATIENCE_MS));
    zmq_msg_init(&part);
    assert_true(zmq_msg_recv(&part, router, 0) >= 0);
    assert_int_equal(zmq_msg_recv(&part, router, 0), 1);
    peer_of(&part, &peer);
    assert_int_equal(peer.role, LINKAGE__V1__ROLE__ROLE_READ);
    assert_string_equal(peer.name, "eye");
    zmq_msg_close(&part);
    close(fd);
    zmq_close(router);
    zmq_close(handler);
    zmq_ctx_term(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses_without_keys),
        cmocka_unit_test(test_addresses_that_are_none),
        cmocka_unit_test(test_listen_refuses_too),
        cmocka_unit_test(test_paths),
        cmocka_unit_test_setup(test_peer_of_a_message, make_pairs),
        cmocka_unit_test_setup(test_size_with_keys, make_pairs),
        cmocka_unit_test_setup(test_peer_of_nobody, make_pairs),
        cmocka_unit_test_setup(test_no_judge_no_entry, make_pairs),
        cmocka_unit_test_setup(test_user_id_cannot_be_forged, make_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
