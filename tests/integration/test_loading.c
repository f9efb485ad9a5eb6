/* SPDX-License-Identifier: Apache-2.0 */
/* A model with a long compilation time: the daemon continues to serve and cancels the compilation
 * on request.
 *
 * The model is a net of revolute bodies between two points of the ground that are too far apart.
 * The daemon refuses it only after a hundred iterations of assembly, each of which is a
 * factorisation of some 1e8 operations. Every test here cancels the compilation long before. */
#include "harness.h"
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

/* number of bodies per side. With the thread sanitizer a factorisation needs fifty times as
 * long. */
#if defined(__SANITIZE_THREAD__)
#define NET 20
#else
#define NET 40
#endif

static void print_hinge(FILE *f, const char *name, int i, int k, int to_i, int to_k)
{
    fprintf(f,
            "  %s%d_%d: {type: revolute, bodies: [b%d_%d, b%d_%d], point: [%.1f, %.1f, 0], "
            "axis: [0, 0, 1]}\n",
            name, i, k, i, k, to_i, to_k, 0.5 * (i + to_i), 0.5 * (k + to_k));
}

/* Return the text of the slow model. The caller frees it. */
static char *slow_model(void)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    fprintf(f, "linkage: 1\nname: slow\nbodies:\n");
    for (int i = 0; i < NET; i++)
        for (int k = 0; k < NET; k++)
            fprintf(f, "  b%d_%d: {mass: 1, inertia: [1, 1, 1], position: [%d, %d, 0]}\n", i, k, i,
                    k);
    fprintf(f,
            "joints:\n"
            "  here: {type: spherical, bodies: [ground, b0_0], point: [0, 0, 0]}\n"
            "  there: {type: spherical, bodies: [ground, b%d_%d], points: [[%d, 0, 0], [0, 0, "
            "0]]}\n",
            NET - 1, NET - 1, 4 * NET);
    for (int i = 0; i < NET; i++)
        for (int k = 0; k < NET; k++) {
            if (i + 1 < NET)
                print_hinge(f, "x", i, k, i + 1, k);
            if (k + 1 < NET)
                print_hinge(f, "y", i, k, i, k + 1);
        }
    assert_int_equal(fclose(f), 0);
    return text;
}

/* Request the slow model with another client, and do not wait for the reply. */
static void *send_slow_load(const struct harness *h)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    void *socket = zmq_socket(h->context, ZMQ_DEALER);
    int linger_ms = 0, patience_ms = PATIENCE_MS;
    char *text = slow_model();
    size_t size;
    void *bytes;

    assert_non_null(socket);
    zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms));
    zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience_ms, sizeof(patience_ms));
    assert_int_equal(zmq_connect(socket, h->endpoint[0]), 0);
    load.name = (char *)"slow.yaml";
    load.text.data = (uint8_t *)text;
    load.text.len = strlen(text);
    request.id = 4711;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = &load;
    size = lk_wire_encoded_size(&request.base);
    bytes = malloc(size);
    assert_non_null(bytes);
    lk_wire_encode(&request.base, bytes, size, &size);
    assert_int_equal(zmq_send(socket, bytes, size, 0), size);
    free(bytes);
    free(text);
    return socket;
}

static const Linkage__V1__Status *await_loading(struct harness *h)
{
    time_t begin = time(NULL);

    for (;;) {
        const Linkage__V1__ControlReply *reply = harness_command(h, STATUS);

        assert_int_equal(reply->result, RESULT(OK));
        if (reply->status->state == STATE(LOADING))
            return reply->status;
        if (time(NULL) - begin > PATIENCE_MS / 1000)
            fail_msg("a load never shows");
        usleep(1000);
    }
}

static void expect_refusal_of_load(void *socket)
{
    const Linkage__V1__ControlReply *reply;
    struct lk_wire_arena arena;
    char bytes[8192];
    int size = zmq_recv(socket, bytes, sizeof(bytes), 0);

    assert_in_range(size, 1, sizeof(bytes));
    assert_int_equal(lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA), 0);
    assert_int_equal(lk_wire_decode_reply(&arena, bytes, (size_t)size, &reply), 0);
    assert_int_equal(reply->id, 4711);
    assert_int_equal(reply->result, RESULT(WRONG_STATE));
    assert_non_null(strstr(reply->text, "stopped while it was compiled"));
    assert_int_equal(reply->status->state, STATE(READY));
    lk_wire_arena_fini(&arena);
    zmq_close(socket);
}

static void test_the_daemon_goes_on(void **state)
{
    const Linkage__V1__Status *status;
    const Linkage__V1__ControlReply *reply;
    char *text = harness_model_text();
    uint64_t model_id;
    struct harness h;
    void *other;

    (void)state;
    setenv("WATCHDOG_USEC", "400000", 1);
    harness_open(&h, NULL);
    unsetenv("WATCHDOG_USEC");
    model_id = harness_load_model(&h);
    other = send_slow_load(&h);

    /* the previous model stays loaded, and the reply names it */
    status = await_loading(&h);
    assert_int_equal(status->model_id, model_id);
    assert_non_null(status->loading);
    assert_string_equal(status->loading->name, "slow.yaml");
    assert_int_equal(status->loading->state, STATE(READY));
    assert_true(status->loading->elapsed_s >= 0);
    harness_notice(&h, "STATUS=LOADING, model four-bar");
    harness_notice(&h, "WATCHDOG=1");
    harness_notice(&h, "WATCHDOG=1");

    /* the daemon compiles one model at a time */
    reply = harness_load(&h, "second.yaml", text);
    assert_int_equal(reply->result, RESULT(WRONG_STATE));
    assert_non_null(strstr(reply->text, "LOADING: the model slow.yaml is being compiled"));
    reply = harness_ask_arm(&h, true, 0);
    assert_int_equal(reply->result, RESULT(WRONG_STATE));

    harness_command(&h, STOP);
    assert_int_equal(h.reply->result, RESULT(OK));
    expect_refusal_of_load(other);
    status = harness_expect(&h, STATUS, RESULT(OK), STATE(READY));
    assert_int_equal(status->model_id, model_id);
    assert_null(status->loading);
    harness_go(&h);
    free(text);
    harness_close(&h);
}

static void test_a_signal_ends_it(void **state)
{
    struct harness h;
    void *other;
    pid_t pid;

    (void)state;
    harness_open(&h, NULL);
    other = send_slow_load(&h);
    assert_int_equal(await_loading(&h)->loading->state, STATE(EMPTY));
    pid = h.pid;
    h.pid = 0;
    kill(pid, SIGTERM);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);
    harness_notice(&h, "STOPPING=1");
    /* the client did not wait: the daemon refused nothing */
    assert_false(harness_log_has(h.folder, "log", "model refused"));
    zmq_close(other);
    harness_close(&h);
}

/* A signal ends the compilation of the configured model, which is loaded before READY. */
static void test_a_signal_ends_a_start(void **state)
{
    char model[128], config[128], lines[160];
    char *text = slow_model();
    struct harness h;
    FILE *f;
    pid_t pid;

    (void)state;
    harness_open(&h, NULL);
    pid = h.pid;
    h.pid = 0;
    kill(pid, SIGTERM);
    assert_int_equal(harness_wait(pid, PATIENCE_MS), 0);

    snprintf(model, sizeof(model), "%s/slow.yaml", h.folder);
    snprintf(config, sizeof(config), "%s/slow-config.yaml", h.folder);
    snprintf(lines, sizeof(lines), "model: %s\n", model);
    f = fopen(model, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(text);
    harness_write_config(&h, config, lines);
    snprintf(lines, sizeof(lines), "%s/log", h.folder);
    /* on a busy machine the model may be refused before the signal comes */
    for (int status = 1, i = 0; status != 0; i++) {
        assert_true(i < 20);
        unlink(lines);
        pid = harness_spawn((const char *const[]){"-c", config, NULL}, lines, h.notify_fd);
        harness_await_log(&h, "slow.yaml is being compiled", 1);
        kill(pid, SIGTERM);
        status = harness_wait(pid, PATIENCE_MS);
        assert_int_equal(harness_log_count(&h, "model refused") > 0, status != 0);
    }
    unlink(model);
    unlink(config);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_daemon_goes_on),
        cmocka_unit_test(test_a_signal_ends_it),
        cmocka_unit_test(test_a_signal_ends_a_start),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
