/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from a later version of the other side: each message with unknown fields at each level
 * is decoded, and its known fields are correct. */
#include "filled.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct lk_wire_arena arena, own;
static unsigned char buffer[64u << 10];

static int open_arenas(void **state)
{
    (void)state;
    return lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA) ||
           lk_wire_arena_init(&own, LK_WIRE_CONTROL_ARENA);
}

static int close_arenas(void **state)
{
    (void)state;
    lk_wire_arena_fini(&arena);
    lk_wire_arena_fini(&own);
    return 0;
}

static size_t pack(const ProtobufCMessageDescriptor *descriptor, unsigned int command, bool unknown)
{
    ProtobufCMessage *message;
    size_t size;

    lk_wire_arena_reset(&own);
    message = filled_message(&own, descriptor, command, unknown);
    assert_non_null(message);
    assert_int_equal(lk_wire_encode(message, buffer, sizeof(buffer), &size), 0);
    return size;
}

/* Check that the decoded message is complete: protobuf-c keeps unknown fields, so encoding it again
 * gives the same bytes. */
static void compare(const ProtobufCMessageDescriptor *descriptor, unsigned int command,
                    const ProtobufCMessage *decoded)
{
    static unsigned char again[sizeof(buffer)];
    size_t size, size_again;

    size = pack(descriptor, command, true);
    assert_int_equal(lk_wire_encode(decoded, again, sizeof(again), &size_again), 0);
    assert_int_equal(size, size_again);
    assert_memory_equal(buffer, again, size);
}

static void test_requests(void **state)
{
    const ProtobufCMessageDescriptor *d = &linkage__v1__control_request__descriptor;
    const Linkage__V1__ControlRequest *request;
    int n = 0;

    (void)state;
    for (unsigned int i = 0; i < d->n_fields; i++) {
        unsigned int command = d->fields[i].id;

        if (!(d->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
            continue;
        assert_int_equal(lk_wire_decode_request(&arena, buffer, pack(d, command, true), &request),
                         0);
        assert_int_equal(request->command_case, command);
        compare(d, command, &request->base);
        n++;
    }
    assert_true(n >= 20);
}

/* An unknown command is not executed, but answered. */
static void test_unknown_command(void **state)
{
    static const unsigned char message[] = {0x08, 0x2a, 0xba, 0x3e, 0x02, 0x08, 0x01};
    const Linkage__V1__ControlRequest *request;

    (void)state;
    assert_int_equal(lk_wire_decode_request(&arena, message, sizeof(message), &request), 0);
    assert_int_equal(request->id, 42);
    assert_int_equal(request->command_case, LINKAGE__V1__CONTROL_REQUEST__COMMAND__NOT_SET);
}

static void test_reply(void **state)
{
    const ProtobufCMessageDescriptor *d = &linkage__v1__control_reply__descriptor;
    const Linkage__V1__ControlReply *reply;

    (void)state;
    assert_int_equal(lk_wire_decode_reply(&arena, buffer, pack(d, 0, true), &reply), 0);
    assert_string_equal(reply->claim->channels[0]->name, "x");
    assert_int_equal(reply->evidence->budgets[0]->wire->bucket_count[0], 1);
    compare(d, 0, &reply->base);
}

static void test_samples(void **state)
{
    const Linkage__V1__InputSample *input;
    const Linkage__V1__OutputSample *output;
    const Linkage__V1__StreamSample *stream;
    const Linkage__V1__Heartbeat *heartbeat;
    size_t size;

    (void)state;
    size = pack(&linkage__v1__input_sample__descriptor, 0, true);
    assert_int_equal(lk_wire_decode_input(&arena, buffer, size, &input), 0);
    compare(&linkage__v1__input_sample__descriptor, 0, &input->base);
    size = pack(&linkage__v1__output_sample__descriptor, 0, true);
    assert_int_equal(lk_wire_kind(buffer, size), LK_WIRE_OUTPUT);
    assert_int_equal(lk_wire_decode_output(&arena, buffer, size, &output), 0);
    compare(&linkage__v1__output_sample__descriptor, 0, &output->base);
    size = pack(&linkage__v1__stream_sample__descriptor, 0, true);
    assert_int_equal(lk_wire_kind(buffer, size), LK_WIRE_STREAM);
    assert_int_equal(lk_wire_decode_stream(&arena, buffer, size, &stream), 0);
    compare(&linkage__v1__stream_sample__descriptor, 0, &stream->base);
    size = pack(&linkage__v1__heartbeat__descriptor, 0, true);
    assert_int_equal(lk_wire_kind(buffer, size), LK_WIRE_HEARTBEAT);
    assert_int_equal(lk_wire_decode_heartbeat(&arena, buffer, size, &heartbeat), 0);
    compare(&linkage__v1__heartbeat__descriptor, 0, &heartbeat->base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_unknown_command),
        cmocka_unit_test(test_reply),
        cmocka_unit_test(test_samples),
    };

    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
