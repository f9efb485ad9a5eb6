/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that libzmq does not survive end only the line process. The daemon continues to step
 * and starts another line process, and clients reconnect without help. */
#include "../skip.h"
#include "benches.h"
#include "lines.h"
#include "process.h"
#include "vault.h"
#include "zmtp.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

/* identifier of the reason for a restart when libzmq runs out of descriptors. Under a sanitizer the
 * daemon does not receive the message of libzmq, because the thread sanitizer blocks SIGABRT for
 * the handler that reports the cause. The line's own check of its descriptors may run when some are
 * free again. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define RAN_OUT "[LK-9001]"
#else
#define RAN_OUT "[LK-9003]"
#endif

/* limit of the daemon's growth under attack [KiB]. Without the line's limit an attack made it 2
 * GB. */
#define GROWTH_MAX (64 * 1024)
/* bytes of empty parts of one message. The peer sends them until all are sent or the line closes
 * the connection. */
#define PARTS_BYTES ((size_t)60 << 20)

static bool is_alive(const struct harness *h)
{
    return rig_process_lives(h->pid);
}

/* ---- requests to a daemon whose line may be down ---- */

/* Send a status request until an answer comes, because a request may be lost with its line process.
 * @v: vault with the keys of @client, or NULL for a request without keys */
static const Linkage__V1__Status *ask_as(struct harness *h, struct vault *v, int client)
{
    static const unsigned char request[] = {0x08, 0x7f, 0x12, 0x00}; /* id 127, status */

    for (int i = 0; i < 60; i++) {
        void *socket = zmq_socket(h->context, ZMQ_DEALER);
        zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
        const Linkage__V1__ControlReply *reply = NULL;
        zmq_msg_t message;
        const int zero = 0;

        assert_true(is_alive(h));
        assert_non_null(socket);
        zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero));
        if (v)
            vault_set_keys(socket, v->server.open, &v->client[client]);
        assert_int_equal(zmq_connect(socket, h->endpoint[0]), 0);
        assert_true(zmq_send(socket, request, sizeof(request), 0) >= 0);
        zmq_msg_init(&message);
        if (zmq_poll(&item, 1, 1000) == 1 && zmq_msg_recv(&message, socket, 0) >= 0)
            assert_int_equal(lk_wire_decode_reply(&h->arena, zmq_msg_data(&message),
                                                  zmq_msg_size(&message), &reply),
                             0);
        zmq_msg_close(&message);
        zmq_close(socket);
        if (reply)
            return reply->status;
    }
    fail_msg("no answer within a minute");
    return NULL;
}

static const Linkage__V1__Status *ask_status(struct harness *h)
{
    return ask_as(h, NULL, 0);
}

/* ---- a name that libzmq would assign itself ---- */

/* Check names that libzmq would assign itself. Its counter of names starts at the first number of
 * an unseeded rand() in every process. */
static void test_names_of_peers(void **state)
{
    struct harness h;
    int fd[8];

    (void)state;
    harness_open(&h, NULL);
    for (int i = 0; i < 8; i++) {
        const uint32_t name = 0x6b8b4567u + 4 + (uint32_t)i;
        const unsigned char identity[] = {0, (unsigned char)(name >> 24),
                                          (unsigned char)(name >> 16), (unsigned char)(name >> 8),
                                          (unsigned char)name};

        fd[i] = zmtp_connect(h.endpoint[0]);
        zmtp_greet(fd[i], "DEALER", identity, sizeof(identity));
    }
    for (int i = 0; i < 16; i++) /* each gets the next name */
        ask_status(&h);
    assert_true(is_alive(&h));
    assert_int_equal(ask_status(&h)->line_restarts, 0);
    for (int i = 0; i < 8; i++)
        close(fd[i]);
    harness_close(&h);
}

/* ---- messages without end ---- */

static void send_parts(struct harness *h, int endpoint, const char *type)
{
    static unsigned char parts[1 << 16];
    int fd = zmtp_connect(h->endpoint[endpoint]);
    size_t sent = 0;

    for (size_t i = 0; i < sizeof(parts); i += 2)
        parts[i] = 1; /* flag: more parts follow; size: 0 */
    zmtp_greet(fd, type, NULL, 0);
    while (sent < PARTS_BYTES) {
        ssize_t n = send(fd, parts, sizeof(parts), MSG_NOSIGNAL);

        if (n <= 0)
            break;
        sent += (size_t)n;
        sent -= sent % 2;
    }
    close(fd);
}

static void test_endless_parts(void **state)
{
    static const char *const types[] = {"DEALER", "PUB", "SUB"};
    struct harness h;

    (void)state;
    if (SANITIZED)
        skip_because("a sanitizer takes memory beyond any limit: there is none",
                     "see the release build");
    harness_open(&h, "line: {memory: 67108864}\n");
    harness_load_model(&h);
    harness_go(&h);
    for (int endpoint = 0; endpoint < 3; endpoint++) {
        const Linkage__V1__Status *status;
        uint64_t before;
        long rss = rig_process_number(h.pid, "VmRSS:"), grown;

        before = ask_status(&h)->cycles;
        send_parts(&h, endpoint, types[endpoint]);
        status = ask_status(&h);
        grown = rig_process_number(h.pid, "VmRSS:") - rss;
        assert_int_equal(status->state, STATE(RUNNING));
        assert_true(status->cycles > before);
        print_message("%s: %ld KiB more\n", types[endpoint], grown);
        assert_true(grown < GROWTH_MAX);
        /* the line has a memory limit of its own and reports to the daemon that this limit was the
         * reason */
        harness_await_log(&h, "[LK-9001] line restarted (it had used up its memory, 64 MiB",
                          1 + endpoint);
    }
    harness_close(&h);
}

/* ---- messages of the maximum size ---- */

#define SENDERS 8 /* number of clients, and number of requests of each */

/* Wait until the memory of @line no longer grows, which means that @line accepts no more messages.
 * Return: the size [KiB] */
static long await_full(pid_t line)
{
    long data = rig_process_number(line, "VmData:"), before = -1;

    for (int still = 0; still < 20; before = data) {
        benches_nap(50);
        data = rig_process_number(line, "VmData:");
        still = data == before ? still + 1 : 0;
    }
    return data;
}

static void expect_refused(struct harness *h, void *socket)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
    const Linkage__V1__ControlReply *reply;
    zmq_msg_t message;

    assert_int_equal(zmq_poll(&item, 1, PATIENCE_MS), 1);
    zmq_msg_init(&message);
    assert_true(zmq_msg_recv(&message, socket, 0) >= 0);
    assert_int_equal(
        lk_wire_decode_reply(&h->arena, zmq_msg_data(&message), zmq_msg_size(&message), &reply), 0);
    assert_int_equal(reply->result, RESULT(BAD_MESSAGE));
    zmq_msg_close(&message);
}

/* All clients send at once, and the daemon receives nothing for a while. The messages wait at the
 * sender. */
static void test_largest_requests(void **state)
{
    unsigned char *request = malloc(LK_WIRE_CONTROL_MAX);
    void *socket[SENDERS];
    const int zero = 0;
    struct harness h;
    pid_t line;
    long data;

    (void)state;
    assert_non_null(request);
    memset(request, 7, LK_WIRE_CONTROL_MAX); /* wire type 7 does not exist */
    harness_open(&h, NULL);
    ask_status(&h);
    line = harness_line(&h);
    data = rig_process_number(line, "VmData:");
    assert_int_equal(kill(h.pid, SIGSTOP), 0);
    for (int i = 0; i < SENDERS; i++) {
        socket[i] = zmq_socket(h.context, ZMQ_DEALER);
        zmq_setsockopt(socket[i], ZMQ_LINGER, &zero, sizeof(zero));
        assert_int_equal(zmq_connect(socket[i], h.endpoint[0]), 0);
        for (int k = 0; k < SENDERS; k++)
            assert_true(zmq_send(socket[i], request, LK_WIRE_CONTROL_MAX, 0) >= 0);
    }
    print_message("%ld KiB more\n", await_full(line) - data);
    assert_int_equal(kill(h.pid, SIGCONT), 0);
    for (int k = 0; k < SENDERS; k++)
        for (int i = 0; i < SENDERS; i++)
            expect_refused(&h, socket[i]);
    for (int i = 0; i < SENDERS; i++)
        zmq_close(socket[i]);
    assert_int_equal(ask_status(&h)->line_restarts, 0);
    harness_close(&h);
    free(request);
}

/* ---- the end of a line process ---- */

/* Send samples of a bench with a claim until one is accepted. A new line process needs some time
 * before that. */
static void await_accepted(struct bench *b)
{
    const double value = 1;
    uint64_t before = ask_status(b->h)->inputs_accepted;

    for (int i = 0; i < 600; i++) {
        bench_send(b, &value, 1);
        benches_nap(100);
        if (i % 5 == 4 && ask_status(b->h)->inputs_accepted > before)
            return;
    }
    fail_msg("no sample accepted within a minute");
}

/* The line process is killed, aborted and stopped. The run continues, and the claim stays valid. */
static void test_line_ends(void **state)
{
    static const int signals[] = {SIGKILL, SIGABRT, SIGSTOP};
    const Linkage__V1__Status *status;
    struct harness h;
    struct bench b;
    uint64_t cycles;

    (void)state;
    benches_open(&h, "inputs: {lease: 300}\n");
    bench_open(&b, &h);
    bench_claim(&b, "rig", "torque", NULL);
    harness_go(&h);
    await_accepted(&b);
    for (size_t i = 0; i < 3; i++) {
        cycles = ask_status(&h)->cycles;
        line_end(&h, signals[i]);
        status = ask_status(&h);
        assert_int_equal(status->state, STATE(RUNNING));
        assert_true(status->cycles > cycles);
        assert_true(status->line_restarts >= i + 1);
        await_accepted(&b);
        assert_non_null(harness_sample(&h, 60000));
    }
    assert_true(harness_log_has(h.folder, "log", "[LK-9001] line restarted (signal 9"));
    assert_true(harness_log_has(h.folder, "log", "it stood still"));
    bench_close(&b);
    harness_close(&h);
}

/* The line process ends with the daemon, even if the daemon is killed. */
static void test_no_orphan(void **state)
{
    struct harness h;
    pid_t line;

    (void)state;
    harness_open(&h, NULL);
    line = harness_line(&h);
    assert_true(line > 0);
    kill(h.pid, SIGKILL);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 128 + SIGKILL);
    h.pid = 0;
    for (int i = 0; i < 6000 && kill(line, 0) == 0; i++)
        benches_nap(10);
    assert_int_equal(kill(line, 0), -1);
    harness_close(&h);
}

/* ---- connections that are silent, or incomplete ---- */

static bool is_closed(int fd, int timeout_ms)
{
    struct pollfd item = {.fd = fd, .events = POLLIN};
    unsigned char bytes[256];

    while (poll(&item, 1, timeout_ms) == 1)
        if (recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0)
            return true;
    return false;
}

static void test_half_greeting_is_closed(void **state)
{
    static const unsigned char half[] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3};
    struct harness h;

    (void)state;
    harness_open(&h, NULL);
    for (int endpoint = 0; endpoint < 3; endpoint++) {
        int silent = zmtp_connect(h.endpoint[endpoint]), fd = zmtp_connect(h.endpoint[endpoint]);

        assert_int_equal(send(fd, half, sizeof(half), MSG_NOSIGNAL), sizeof(half));
        assert_true(is_closed(fd, 60000));
        assert_true(is_closed(silent, 60000));
        close(fd);
        close(silent);
    }
    harness_close(&h);
}

static int count_descriptors(pid_t pid)
{
    char path[64];
    DIR *folder;
    int n = 0;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

/* Open @n connections. Every second one sends the whole greeting of CURVE and the rest half a
 * greeting, and then nothing follows. */
static void dial(const struct harness *h, int *fd, int n)
{
    static const unsigned char half[] = {0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3};
    static const unsigned char curve[64] = {0xff, 0, 0, 0,   0,   0,   0,   0,  1,
                                            0x7f, 3, 0, 'C', 'U', 'R', 'V', 'E'};

    for (int i = 0; i < n; i++) {
        const bool whole = i % 2;

        fd[i] = zmtp_connect(h->endpoint[i % 3]);
        if (send(fd[i], whole ? curve : half, whole ? sizeof(curve) : sizeof(half), MSG_NOSIGNAL) <
            0)
            continue; /* closed already */
    }
}

static void hang_up(const int *fd, int n)
{
    for (int i = 0; i < n; i++)
        close(fd[i]);
}

static void expect_descriptors(pid_t pid, rlim_t limit)
{
    struct rlimit found;

    assert_int_equal(prlimit(pid, RLIMIT_NOFILE, NULL, &found), 0);
    assert_int_equal(found.rlim_cur, limit);
}

#define MANY 2000

/* Set the initial limit of descriptors to 256.
 * Return: true if the limit can be raised to MANY + 200 */
static bool lower_descriptors(struct rlimit *ret_before)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, ret_before), 0);
    return ret_before->rlim_max >= MANY + 200 &&
           setrlimit(RLIMIT_NOFILE, &(struct rlimit){256, ret_before->rlim_max}) == 0;
}

static void raise_descriptors(const struct rlimit *before)
{
    const struct rlimit all = {before->rlim_max, before->rlim_max};

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
}

/* There are more half-open connections than the initial limit of descriptors. Other clients can
 * connect, and the daemon itself uses no descriptor for the connections. */
static void test_many_half_greetings(void **state)
{
    static int fd[MANY];
    struct rlimit own;
    struct harness h;
    int before, after = 0;

    (void)state;
    if (!lower_descriptors(&own))
        skip_because("too few descriptors", "raise the hard limit: ulimit -Hn 4096");
    harness_open(&h, NOT_REALTIME);
    raise_descriptors(&own);
    expect_descriptors(h.pid, own.rlim_max);
    expect_descriptors(harness_line(&h), own.rlim_max);
    before = count_descriptors(h.pid);
    dial(&h, fd, MANY);
    ask_status(&h);
    /* the daemon sometimes opens descriptors for a moment */
    for (int i = 0; i < 6000 && (after = count_descriptors(h.pid)) > before; i++)
        benches_nap(10);
    assert_true(after <= before);
    hang_up(fd, MANY);
    assert_int_equal(ask_status(&h)->line_restarts, 0);
    setrlimit(RLIMIT_NOFILE, &own);
    harness_close(&h);
}

/* Without descriptors the line reports this state. Afterwards everything works again. */
static void test_descriptors_run_out(void **state)
{
    const struct rlimit few = {80, 80};
    static int fd[200];
    struct harness h;

    (void)state;
    harness_open(&h, NOT_REALTIME);
    assert_int_equal(prlimit(harness_line(&h), RLIMIT_NOFILE, &few, NULL), 0);
    dial(&h, fd, 200);
    harness_await_log(&h, RAN_OUT, 1); /* libzmq 4.3.4 aborts, on ipc */
    hang_up(fd, 200);
    assert_int_equal(ask_status(&h)->state, STATE(EMPTY));
    harness_close(&h);
}

/* Return the number that the next descriptor of process @pid will get. */
static rlim_t free_descriptor(pid_t pid)
{
    char path[64];

    for (rlim_t fd = 0;; fd++) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)pid, (unsigned int)fd);
        if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            return fd;
    }
}

/* Without a free descriptor the line reports this state and continues. */
static void test_no_descriptor_is_left(void **state)
{
    struct rlimit none, before;
    struct harness h;
    pid_t line;

    (void)state;
    harness_start(&h, NOT_REALTIME);
    line = harness_line(&h);
    assert_int_equal(prlimit(line, RLIMIT_NOFILE, NULL, &before), 0);
    none = (struct rlimit){free_descriptor(line), before.rlim_max};
    assert_int_equal(prlimit(line, RLIMIT_NOFILE, &none, NULL), 0);
    harness_await_log(&h, "[LK-9003] all of ", 1);
    assert_int_equal(prlimit(line, RLIMIT_NOFILE, &before, NULL), 0);
    harness_connect(&h);
    assert_int_equal(ask_status(&h)->line_restarts, 0);
    harness_close(&h);
}

/* ---- subscriptions without end ---- */

/* Subscriptions without end delay at most other subscribers. Requests and inputs are still
 * processed. */
static void test_many_subscriptions(void **state)
{
    static unsigned char frames[1000][24];
    const double value = 1;
    struct harness h;
    uint64_t n = 0;
    int fd;

    (void)state;
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    fd = zmtp_connect(h.endpoint[2]);
    zmtp_greet(fd, "SUB", NULL, 0);
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 1000; i++, n++) {
            frames[i][1] = 22;
            frames[i][2] = 1;
            memcpy(frames[i] + 3, &n, sizeof(n));
        }
        if (send(fd, frames, sizeof(frames), MSG_NOSIGNAL) < 0)
            break;
    }
    harness_send(&h, 1, 0, &value, 1);
    harness_await_counts(&h, 1, 0);
    assert_int_equal(ask_status(&h)->state, STATE(RUNNING));
    close(fd);
    harness_close(&h);
}

/* ---- keys ---- */

/* Clients with a key are served while MANY peers without a key have sent half a greeting. */
static void test_keys_and_half_greetings(void **state)
{
    static int fd[MANY];
    struct rlimit own;
    struct vault v;
    int n_open = 0;

    (void)state;
    if (!lower_descriptors(&own))
        skip_because("too few descriptors", "raise the hard limit: ulimit -Hn 4096");
    vault_open(&v);
    raise_descriptors(&own);
    /* half-open connections are closed after a while, and on a busy machine before the request */
    for (int i = 0; i < 10 && n_open < MANY / 2; i++) {
        if (i > 0)
            hang_up(fd, MANY);
        dial(&v.h, fd, MANY);
        assert_int_equal(ask_as(&v.h, &v, CONTROLLER)->role, ROLE(CONTROL));
        n_open = 0;
        for (int k = 0; k < MANY; k++)
            n_open += !is_closed(fd[k], 0);
    }
    assert_true(n_open >= MANY / 2);
    for (int k = 0; k < MANY; k++)
        assert_true(is_closed(fd[k], PATIENCE_MS));
    hang_up(fd, MANY);
    assert_int_equal(ask_as(&v.h, &v, READER)->line_restarts, 0);
    setrlimit(RLIMIT_NOFILE, &own);
    vault_close(&v);
}

/* After a restart of the line the list of clients that was read last applies, not the list of the
 * daemon's start. */
static void test_reload_and_restart(void **state)
{
    struct vault v;
    char text[256];
    uint64_t before;

    (void)state;
    vault_open(&v);
    snprintf(text, sizeof(text), "control desk %s\nread friend %s\n", v.client[CONTROLLER].open,
             v.client[STRANGER].open);
    vault_write(v.clients_path, 0644, text);
    assert_int_equal(kill(v.h.pid, SIGHUP), 0);
    harness_await_log(&v.h, "[LK-6002] 2 clients in ", 1);
    line_end(&v.h, SIGKILL);
    before = ask_as(&v.h, &v, CONTROLLER)->turned_away;
    vault_expect_silence(vault_connect(&v, ZMQ_DEALER, 0, READER));
    assert_true(ask_as(&v.h, &v, CONTROLLER)->turned_away > before);
    assert_int_equal(ask_as(&v.h, &v, STRANGER)->role, ROLE(READ));
    assert_true(ask_as(&v.h, &v, CONTROLLER)->line_restarts >= 1);
    vault_close(&v);
}

/* ---- a peer with heartbeats that dies while its messages are not received ---- */

/* A peer requests heartbeats and dies while its messages are not received. libzmq 4.3.4 with its
 * own heartbeats ends the process ("!_io_error", its issue 4841). */
static void test_heartbeats_of_the_dead(void **state)
{
    /* a command: PING, with a time to live in tenths of a second */
    static const unsigned char ping[] = {4, 7, 4, 'P', 'I', 'N', 'G', 0, 2};
    static unsigned char frames[256][257];
    const Linkage__V1__Status *status;
    struct harness h;
    int fd;

    (void)state;
    for (int i = 0; i < 256; i++)
        frames[i][1] = 255; /* the only part, of 255 bytes */
    harness_open(&h, NULL);
    harness_load_model(&h);
    harness_go(&h);
    for (int endpoint = 0; endpoint < 2; endpoint++) {
        struct pollfd item = {.events = POLLOUT};

        fd = zmtp_connect(h.endpoint[endpoint]);
        zmtp_greet(fd, endpoint ? "PUB" : "DEALER", NULL, 0);
        assert_int_equal(send(fd, ping, sizeof(ping), MSG_NOSIGNAL), sizeof(ping));
        assert_int_equal(kill(h.pid, SIGSTOP), 0); /* nothing is received from here */
        item.fd = fd;
        while (poll(&item, 1, 100) == 1)
            if (send(fd, frames, sizeof(frames), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
                errno != EAGAIN)
                break;
        close(fd);
        benches_nap(1500);
        assert_int_equal(kill(h.pid, SIGCONT), 0);
        status = ask_status(&h);
        assert_int_equal(status->state, STATE(RUNNING));
        assert_int_equal(status->line_restarts, 0);
    }
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_peers),
        cmocka_unit_test(test_endless_parts),
        cmocka_unit_test(test_largest_requests),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_no_orphan),
        cmocka_unit_test(test_half_greeting_is_closed),
        cmocka_unit_test(test_many_half_greetings),
        cmocka_unit_test(test_descriptors_run_out),
        cmocka_unit_test(test_no_descriptor_is_left),
        cmocka_unit_test(test_many_subscriptions),
        cmocka_unit_test(test_keys_and_half_greetings),
        cmocka_unit_test(test_reload_and_restart),
        cmocka_unit_test(test_heartbeats_of_the_dead),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
