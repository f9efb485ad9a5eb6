/* SPDX-License-Identifier: Apache-2.0 */
/* Access to a real daemon: keys, roles, refusals and a changing list of clients. */
#include "subscriber.h"
#include "vault.h"
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

/* ---- keys ---- */

static void test_key_on_the_list(void **state)
{
    static const Linkage__V1__Role roles[] = {ROLE(READ), ROLE(BENCH), ROLE(CONTROL)};
    struct vault v;
    uint64_t before;

    (void)state;
    vault_open(&v);
    before = vault_turned_away(&v);
    for (int i = READER; i <= CONTROLLER; i++) {
        vault_become(&v, i);
        assert_int_equal(harness_command(&v.h, STATUS)->status->role, roles[i]);
        assert_int_equal(v.h.reply->result, RESULT(OK));
        assert_string_equal(v.h.reply->id_of_error, "");
    }
    assert_int_equal(vault_turned_away(&v), before);
    vault_close(&v);
}

static void test_key_not_on_the_list(void **state)
{
    struct vault v;
    uint64_t before;

    (void)state;
    vault_open(&v);
    for (int i = 0; i < 3; i++) {
        before = vault_turned_away(&v);
        vault_expect_silence(vault_connect(&v,
                                           i == 0   ? ZMQ_DEALER
                                           : i == 1 ? ZMQ_PUB
                                                    : ZMQ_SUB,
                                           i, STRANGER));
        vault_await_turned_away(&v, before + 1);
    }
    assert_true(harness_log_has(v.h.folder, "log", v.client[STRANGER].open));
    assert_true(harness_log_has(v.h.folder, "log", "[LK-6004] turned away"));
    vault_close(&v);
}

static int connect_by_hand(const struct vault *v, int endpoint)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", v->h.endpoint[endpoint] + 6);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

/* Peers without CURVE are refused and counted. Nine peers by hand wait after the greeting, so each
 * counts exactly once. libzmq clients come last: either side may close first and the client then
 * tries again, so their number of refusals is unknown. */
static void test_no_curve_at_all(void **state)
{
    static const char *const mechanisms[] = {"NULL", "PLAIN", "GSSAPI"};
    unsigned char greeting[64] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 0};
    struct vault v;
    void *plain;

    (void)state;
    vault_open(&v);
    for (int i = 0; i < 9; i++) {
        uint64_t before = vault_turned_away(&v);
        int fd = connect_by_hand(&v, i % 3);

        memset(greeting + 12, 0, 20);
        memcpy(greeting + 12, mechanisms[i / 3], strlen(mechanisms[i / 3]));
        assert_int_equal(write(fd, greeting, sizeof(greeting)), sizeof(greeting));
        vault_await_turned_away(&v, before + 1);
        assert_int_equal(vault_turned_away(&v), before + 1);
        close(fd);
    }
    assert_true(harness_log_has(v.h.folder, "log", "does not speak CURVE"));
    plain = vault_socket(&v, ZMQ_DEALER);
    assert_int_equal(zmq_connect(plain, v.h.endpoint[0]), 0);
    vault_expect_silence(plain);
    plain = vault_socket(&v, ZMQ_DEALER);
    zmq_setsockopt(plain, ZMQ_PLAIN_USERNAME, "desk", 4);
    zmq_setsockopt(plain, ZMQ_PLAIN_PASSWORD, "desk", 4);
    assert_int_equal(zmq_connect(plain, v.h.endpoint[0]), 0);
    vault_expect_silence(plain);
    vault_close(&v);
}

/* Half a greeting, nothing at all, or garbage does no harm. A peer that only closes the connection
 * does not count as refused. */
static void test_half_a_hello(void **state)
{
    static const char *const texts[] = {"", "\xff", "GET / HTTP/1.1\r\n\r\n", "\x01\x02\x03"};
    struct vault v;
    uint64_t before;

    (void)state;
    vault_open(&v);
    before = vault_turned_away(&v);
    for (int i = 0; i < 40; i++) {
        const char *text = texts[i % 4];
        int fd = connect_by_hand(&v, i % 3);

        assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
        close(fd);
    }
    poll(NULL, 0, 300); /* for a message that must not come */
    assert_int_equal(vault_turned_away(&v), before);
    vault_become(&v, CONTROLLER);
    assert_int_equal(harness_command(&v.h, STATUS)->result, RESULT(OK));
    vault_close(&v);
}

/* An impostor in place of the daemon receives no data, and the client accepts none from it. */
static void test_key_of_another_server(void **state)
{
    struct pair other;
    struct vault v;
    void *socket;

    (void)state;
    vault_open(&v);
    assert_int_equal(zmq_curve_keypair(other.open, other.secret), 0);
    socket = vault_socket(&v, ZMQ_DEALER);
    vault_set_keys(socket, other.open, &v.client[CONTROLLER]);
    assert_int_equal(zmq_connect(socket, v.h.endpoint[0]), 0);
    vault_expect_silence(socket);
    vault_close(&v);
}

/* A public key is not secret: the secret half is needed to connect. */
static void test_public_key_of_somebody_else(void **state)
{
    struct vault v;
    struct pair forged;
    void *socket;

    (void)state;
    vault_open(&v);
    forged = v.client[CONTROLLER];
    memcpy(forged.secret, v.client[STRANGER].secret, sizeof(forged.secret));
    socket = vault_socket(&v, ZMQ_DEALER);
    vault_set_keys(socket, v.server.open, &forged);
    assert_int_equal(zmq_connect(socket, v.h.endpoint[0]), 0);
    vault_expect_silence(socket);
    vault_close(&v);
}

/* ---- roles ---- */

static void expect_forbidden(struct vault *v, Linkage__V1__ControlRequest__CommandCase command)
{
    const Linkage__V1__ControlReply *reply = harness_command(&v->h, command);

    assert_int_equal(reply->result, RESULT(FORBIDDEN));
    assert_string_equal(reply->id_of_error, "LK-8013");
    assert_non_null(strstr(reply->text, "role"));
}

/* Request a snapshot of the run (@keep), or request to restore it. */
static const Linkage__V1__ControlReply *ask_state(struct harness *h, bool keep)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SnapshotRequest snapshot = LINKAGE__V1__SNAPSHOT_REQUEST__INIT;
    Linkage__V1__RestoreRequest restore = LINKAGE__V1__RESTORE_REQUEST__INIT;

    snapshot.name = restore.name = (char *)"own";
    request.command_case = keep ? LINKAGE__V1__CONTROL_REQUEST__COMMAND_SNAPSHOT
                                : LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESTORE;
    if (keep)
        request.snapshot = &snapshot;
    else
        request.restore = &restore;
    return harness_ask(h, &request);
}

static void test_roles_on_control(void **state)
{
    const double value = 1;
    struct vault v;

    (void)state;
    vault_open(&v);
    harness_load_model(&v.h);
    for (int i = READER; i <= BENCH; i++) {
        vault_become(&v, i);
        expect_forbidden(&v, START);
        expect_forbidden(&v, STOP);
        expect_forbidden(&v, RESET);
        expect_forbidden(&v, SHUTDOWN);
        assert_int_equal(harness_load(&v.h, "x", "linkage: 1")->result, RESULT(FORBIDDEN));
        assert_int_equal(harness_set(&v.h, "crank_torque", &value, 1)->result, RESULT(FORBIDDEN));
        assert_int_equal(harness_ask_arm(&v.h, true, 1000)->result, RESULT(FORBIDDEN));
        assert_int_equal(ask_state(&v.h, true)->result, RESULT(FORBIDDEN));
        assert_int_equal(ask_state(&v.h, false)->result, RESULT(FORBIDDEN));
        assert_int_equal(harness_command(&v.h, DESCRIBE)->result, RESULT(OK));
    }
    vault_become(&v, CONTROLLER);
    assert_int_equal(harness_command(&v.h, STATUS)->status->forbidden, 18);
    assert_int_equal(v.h.reply->status->state, STATE(READY));
    /* allowed, and refused for another reason: no folder is configured for snapshots */
    assert_int_equal(ask_state(&v.h, true)->result, RESULT(NO_SNAPSHOT));
    assert_int_equal(ask_state(&v.h, false)->result, RESULT(NO_SNAPSHOT));
    assert_true(harness_log_has(v.h.folder, "log", "[LK-6005] start from 'reader' refused"));
    vault_close(&v);
}

static void test_roles_on_inputs(void **state)
{
    const double value = 1;
    struct vault v;

    (void)state;
    vault_open(&v);
    harness_load_model(&v.h);
    vault_become(&v, READER);
    harness_send(&v.h, 1, 0, &value, 1);
    harness_await_counts(&v.h, 0, 1);
    assert_int_equal(v.h.reply->status->forbidden, 1);
    harness_send_bytes(&v.h, "\xff\xff", 2, ZMQ_SNDMORE); /* bytes that are no message */
    harness_send_bytes(&v.h, "x", 1, 0);
    harness_await_counts(&v.h, 0, 2);
    vault_become(&v, BENCH);
    harness_send(&v.h, 2, 0, &value, 1);
    harness_await_counts(&v.h, 1, 2);
    vault_become(&v, CONTROLLER);
    harness_send(&v.h, 3, 0, &value, 1);
    harness_await_counts(&v.h, 2, 2);
    assert_int_equal(v.h.reply->status->forbidden, 2);
    vault_close(&v);
}

/* Clients of the role read can request at most 48 of the 64 streams. */
static void test_streams_for_all_roles(void **state)
{
    struct vault v;

    (void)state;
    vault_open(&v);
    harness_load_model(&v.h);
    vault_become(&v, READER);
    for (uint32_t divisor = 1; divisor <= 48; divisor++)
        assert_int_equal(subscriber_ask(&v.h, NULL, 0, divisor)->result, RESULT(OK));
    assert_int_equal(subscriber_ask(&v.h, NULL, 0, 49)->result, RESULT(BAD_VALUE));
    assert_non_null(strstr(v.h.reply->text, "48 different streams already"));
    assert_int_equal(subscriber_ask(&v.h, NULL, 0, 48)->result, RESULT(OK)); /* exists */
    vault_become(&v, BENCH);
    assert_int_equal(subscriber_ask(&v.h, NULL, 0, 49)->result, RESULT(OK));
    vault_become(&v, CONTROLLER);
    for (uint32_t divisor = 50; divisor <= 64; divisor++)
        assert_int_equal(subscriber_ask(&v.h, NULL, 0, divisor)->result, RESULT(OK));
    assert_int_equal(subscriber_ask(&v.h, NULL, 0, 65)->result, RESULT(BAD_VALUE));
    vault_become(&v, READER);
    assert_int_equal(subscriber_ask(&v.h, NULL, 0, 60)->result, RESULT(OK)); /* shared */
    vault_close(&v);
}

static void test_outputs_for_any_key(void **state)
{
    struct vault v;

    (void)state;
    vault_open(&v);
    harness_load_model(&v.h);
    harness_go(&v.h);
    for (int i = READER; i <= CONTROLLER; i++) {
        vault_become(&v, i);
        assert_non_null(harness_sample(&v.h, PATIENCE_MS));
    }
    vault_become(&v, STRANGER);
    assert_null(harness_sample(&v.h, NO_ANSWER_MS));
    vault_become(&v, CONTROLLER);
    harness_expect(&v.h, STOP, RESULT(OK), STATE(ARMED));
    vault_close(&v);
}

/* ---- reloading ---- */

/* Make the daemon read its list again, and await the log line @words. */
static void reload(struct vault *v, const char *words)
{
    int n = harness_log_count(&v->h, words);

    assert_int_equal(kill(v->h.pid, SIGHUP), 0);
    harness_await_log(&v->h, words, n + 1);
}

static void test_reload(void **state)
{
    char line[128];
    struct vault v;
    void *old;

    (void)state;
    vault_open(&v);
    vault_expect_silence(vault_connect(&v, ZMQ_DEALER, 0, STRANGER));
    snprintf(line, sizeof(line), "read friend %s\n", v.client[STRANGER].open);
    vault_write_clients(&v, line);
    reload(&v, "[LK-6002] 4 clients in ");
    vault_become(&v, STRANGER);
    assert_int_equal(harness_command(&v.h, STATUS)->status->role, ROLE(READ));

    /* removed from the list: an existing connection continues, a new one is refused */
    vault_write_clients(&v, "");
    reload(&v, "[LK-6002] 3 clients in ");
    assert_int_equal(harness_command(&v.h, STATUS)->result, RESULT(OK));
    old = v.h.control;
    vault_expect_silence(vault_connect(&v, ZMQ_DEALER, 0, STRANGER));
    v.h.control = old;
    vault_become(&v, CONTROLLER);
    assert_int_equal(harness_command(&v.h, STATUS)->result, RESULT(OK));
    vault_close(&v);
}

static void test_reload_refused(void **state)
{
    char words[160];
    struct vault v;

    (void)state;
    vault_open(&v);
    vault_write_clients(&v, "boss me here\n");
    snprintf(words, sizeof(words), "[LK-6003] the old list of clients stays: %s:6: unknown role",
             v.clients_path);
    reload(&v, words);
    /* a temporarily incomplete file of an editor, or one cut by a full disk, excludes no client */
    assert_int_equal(truncate(v.clients_path, 0), 0);
    snprintf(words, sizeof(words), "[LK-6003] the old list of clients stays: %s: names no client",
             v.clients_path);
    reload(&v, words);
    chmod(v.clients_path, 0666);
    reload(&v, "others can write to this file");
    vault_become(&v, READER);
    assert_int_equal(harness_command(&v.h, STATUS)->status->role, ROLE(READ));
    vault_close(&v);
}

static void test_hangup_without_keys(void **state)
{
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    assert_int_equal(kill(h.pid, SIGHUP), 0);
    harness_await_log(&h, "[LK-6003] nothing to read again", 1);
    assert_int_equal(harness_command(&h, STATUS)->status->role, ROLE(CONTROL));
    assert_int_equal(h.reply->status->turned_away, 0);
    harness_close(&h);
}

/* ---- refusals in number ---- */

/* Many strangers at once: all are counted, few are logged, and known clients are served
 * meanwhile. */
static void test_flood_of_strangers(void **state)
{
    enum { N = 200 };
    void *socket[N];
    struct vault v;
    time_t begin;
    uint64_t before;

    (void)state;
    vault_open(&v);
    before = vault_turned_away(&v);
    begin = time(NULL);
    for (int i = 0; i < N; i++)
        socket[i] = vault_connect(&v, ZMQ_DEALER, 0, STRANGER);
    vault_await_turned_away(&v, before + N);
    for (int i = 0; i < N; i++)
        zmq_close(socket[i]);
    /* ten at once and one per second */
    assert_in_range(harness_log_count(&v.h, "[LK-6004]"), 1, 10 + 1 + time(NULL) - begin);
    vault_close(&v);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_on_the_list),
        cmocka_unit_test(test_key_not_on_the_list),
        cmocka_unit_test(test_no_curve_at_all),
        cmocka_unit_test(test_half_a_hello),
        cmocka_unit_test(test_key_of_another_server),
        cmocka_unit_test(test_public_key_of_somebody_else),
        cmocka_unit_test(test_roles_on_control),
        cmocka_unit_test(test_roles_on_inputs),
        cmocka_unit_test(test_outputs_for_any_key),
        cmocka_unit_test(test_streams_for_all_roles),
        cmocka_unit_test(test_reload),
        cmocka_unit_test(test_reload_refused),
        cmocka_unit_test(test_hangup_without_keys),
        cmocka_unit_test(test_flood_of_strangers),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
