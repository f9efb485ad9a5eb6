/* SPDX-License-Identifier: Apache-2.0 */
/* Clients of a later version: fields and commands that the daemon does not know. */
#include "filled.h"
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include <cmocka.h>

static struct harness h;
static struct lk_wire_arena arena;

static int open_daemon(void **state)
{
    (void)state;
    harness_open(&h, "realtime: {degraded: allow, priority: 0, core: none}\n");
    harness_load_model(&h);
    return lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA);
}

static int close_daemon(void **state)
{
    (void)state;
    lk_wire_arena_fini(&arena);
    harness_close(&h);
    return 0;
}

/* Each command with unknown fields at all levels is executed, or refused for its known contents. */
static void test_requests(void **state)
{
    const ProtobufCMessageDescriptor *d = &linkage__v1__control_request__descriptor;

    (void)state;
    for (unsigned int i = 0; i < d->n_fields; i++) {
        const Linkage__V1__ControlReply *reply;
        ProtobufCMessage *request;

        if (!(d->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) || d->fields[i].id == SHUTDOWN)
            continue;
        lk_wire_arena_reset(&arena);
        request = filled_message(&arena, d, d->fields[i].id, true);
        assert_non_null(request);
        reply = harness_ask(&h, (Linkage__V1__ControlRequest *)request);
        if (reply->result == RESULT(BAD_MESSAGE) || reply->result == RESULT(UNSPECIFIED))
            fail_msg("%s: %s", d->fields[i].name, reply->text);
    }
}

/* An unknown command is refused with its own id. */
static void test_unknown_command(void **state)
{
    static uint8_t empty[] = {0};
    ProtobufCMessageUnknownField stranger = {999, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, 1, empty};
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;

    (void)state;
    request.base.unknown_fields = &stranger;
    request.base.n_unknown_fields = 1;
    assert_int_equal(harness_ask(&h, &request)->result, RESULT(BAD_MESSAGE));
    assert_non_null(strstr(h.reply->text, "command"));
}

static void test_sample(void **state)
{
    Linkage__V1__InputSample *sample;
    unsigned char bytes[512];
    size_t size;

    (void)state;
    harness_go(&h);
    lk_wire_arena_reset(&arena);
    sample = (Linkage__V1__InputSample *)filled_message(
        &arena, &linkage__v1__input_sample__descriptor, 0, true);
    assert_non_null(sample);
    sample->token = 0;
    sample->heartbeat = false;
    sample->model_id = 0;
    assert_int_equal(lk_wire_encode(&sample->base, bytes, sizeof(bytes), &size), 0);
    harness_send_bytes(&h, bytes, size, 0);
    harness_await_counts(&h, 1, 0);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_unknown_command),
        cmocka_unit_test(test_requests),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, open_daemon, close_daemon);
}
