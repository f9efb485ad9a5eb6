/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding within limits: which messages are refused, and that decoding does not use the heap. */
#include "wire.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct lk_wire_arena arena;

static int open_arena(void **state)
{
    (void)state;
    return lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA);
}

static int close_arena(void **state)
{
    (void)state;
    lk_wire_arena_fini(&arena);
    return 0;
}

static size_t pack_input(double *values, size_t n, unsigned char *buffer, size_t size)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    size_t used;

    sample.sequence = 42;
    sample.origin_ns = 1234567890123;
    sample.model_id = 7;
    sample.values = values;
    sample.n_values = n;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, size, &used), 0);
    return used;
}

static void test_input_there_and_back(void **state)
{
    double values[] = {1.5, -2.25, 0};
    unsigned char buffer[256];
    const Linkage__V1__InputSample *sample;
    size_t size = pack_input(values, 3, buffer, sizeof(buffer));

    (void)state;
    assert_int_equal(lk_wire_decode_input(&arena, buffer, size, &sample), 0);
    assert_int_equal(sample->sequence, 42);
    assert_int_equal(sample->origin_ns, 1234567890123);
    assert_int_equal(sample->n_values, 3);
    assert_memory_equal(sample->values, values, sizeof(values));
    assert_int_equal(lk_wire_check_values(sample->values, sample->n_values, 3), 0);
    assert_int_equal(lk_wire_check_values(sample->values, sample->n_values, 2), LK_WIRE_E_LENGTH);
}

static void test_slopes(void **state)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    double values[] = {1, 2}, slopes[] = {3, INFINITY};
    const Linkage__V1__InputSample *decoded;
    unsigned char buffer[256];
    size_t size;

    (void)state;
    sample.values = values;
    sample.slopes = slopes;
    sample.n_values = sample.n_slopes = 2;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_input(&arena, buffer, size, &decoded), LK_WIRE_E_NOT_FINITE);
    slopes[1] = -4;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_input(&arena, buffer, size, &decoded), 0);
    assert_int_equal(decoded->n_slopes, 2);
    assert_memory_equal(decoded->slopes, slopes, sizeof(slopes));
}

static void test_not_finite(void **state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    unsigned char buffer[256];
    const Linkage__V1__InputSample *sample = NULL;

    (void)state;
    for (int i = 0; i < 3; i++) {
        double values[] = {0, bad[i]};
        size_t size = pack_input(values, 2, buffer, sizeof(buffer));

        sample = NULL;
        assert_int_equal(lk_wire_decode_input(&arena, buffer, size, &sample), LK_WIRE_E_NOT_FINITE);
        /* the message is decoded nevertheless, so its sender can be named */
        assert_non_null(sample);
        assert_int_equal(sample->sequence, 42);
        assert_int_equal(lk_wire_check_values(values, 2, 2), LK_WIRE_E_NOT_FINITE);
    }
}

/* Every truncation of a valid message is either refused or a valid shorter message. */
static void test_truncated(void **state)
{
    double values[] = {1, 2, 3, 4};
    unsigned char buffer[256];
    const Linkage__V1__InputSample *sample;
    size_t size = pack_input(values, 4, buffer, sizeof(buffer));

    (void)state;
    for (size_t n = 0; n < size; n++) {
        int r = lk_wire_decode_input(&arena, buffer, n, &sample);

        assert_true(r == 0 || r == LK_WIRE_E_MALFORMED);
        if (r == 0)
            assert_true(sample->n_values == 0 || sample->n_values == 4);
    }
}

static void test_too_large(void **state)
{
    unsigned char *buffer = calloc(1, LK_WIRE_CONTROL_MAX + 1);
    const Linkage__V1__InputSample *sample;
    const Linkage__V1__ControlRequest *request;

    (void)state;
    assert_non_null(buffer);
    assert_int_equal(lk_wire_decode_input(&arena, buffer, LK_WIRE_SAMPLE_MAX + 1, &sample),
                     LK_WIRE_E_TOO_LARGE);
    assert_int_equal(lk_wire_decode_request(&arena, buffer, LK_WIRE_CONTROL_MAX + 1, &request),
                     LK_WIRE_E_TOO_LARGE);
    free(buffer);
}

static void test_encode_into_too_little(void **state)
{
    double values[] = {1, 2, 3};
    unsigned char buffer[8] = {0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55};
    unsigned char before[8];
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    size_t size;

    (void)state;
    memcpy(before, buffer, sizeof(before));
    sample.values = values;
    sample.n_values = 3;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size),
                     LK_WIRE_E_TOO_LARGE);
    assert_memory_equal(buffer, before, sizeof(buffer));
}

static int decode_filled(const char *pattern, size_t n_pattern, size_t size)
{
    const Linkage__V1__ControlRequest *request;
    unsigned char *buffer = malloc(size);
    int r;

    assert_non_null(buffer);
    for (size_t i = 0; i < size; i++)
        buffer[i] = (unsigned char)pattern[i % n_pattern];
    r = lk_wire_decode_request(&arena, buffer, size, &request);
    free(buffer);
    return r;
}

/* Messages that expand to many times their size are limited by the arena and do not use the
 * heap. */
static void test_amplification(void **state)
{
    (void)state;
    /* two million empty start requests, unknown fields, and load requests in turn */
    assert_int_equal(decode_filled("\x2a\x00", 2, LK_WIRE_CONTROL_MAX), LK_WIRE_E_MALFORMED);
    assert_int_equal(decode_filled("\x98\x06\x00", 3, LK_WIRE_CONTROL_MAX / 3 * 3),
                     LK_WIRE_E_MALFORMED);
    assert_int_equal(decode_filled("\x22\x00\x2a\x00", 4, LK_WIRE_CONTROL_MAX),
                     LK_WIRE_E_MALFORMED);
    assert_true(arena.used <= arena.size);
}

static size_t pack_request(Linkage__V1__ControlRequest *request, unsigned char *buffer, size_t size)
{
    size_t used;

    assert_int_equal(lk_wire_encode(&request->base, buffer, size, &used), 0);
    return used;
}

static void test_request(void **state)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    char name[LK_WIRE_NAME_MAX + 2];
    unsigned char buffer[1024];
    const Linkage__V1__ControlRequest *decoded;
    size_t size;

    (void)state;
    /* an unknown command is decoded, so its sender can be named */
    request.id = 5;
    size = pack_request(&request, buffer, sizeof(buffer));
    assert_int_equal(lk_wire_decode_request(&arena, buffer, size, &decoded), 0);
    assert_int_equal(decoded->id, 5);
    assert_int_equal(decoded->command_case, LINKAGE__V1__CONTROL_REQUEST__COMMAND__NOT_SET);

    /* a name of the largest length, and one byte more */
    memset(name, 'x', sizeof(name));
    name[LK_WIRE_NAME_MAX] = '\0';
    load.name = name;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = &load;
    size = pack_request(&request, buffer, sizeof(buffer));
    assert_int_equal(lk_wire_decode_request(&arena, buffer, size, &decoded), 0);
    assert_int_equal(decoded->id, 5);
    assert_string_equal(decoded->load->name, name);
    name[LK_WIRE_NAME_MAX] = 'x';
    name[LK_WIRE_NAME_MAX + 1] = '\0';
    size = pack_request(&request, buffer, sizeof(buffer));
    decoded = NULL;
    assert_int_equal(lk_wire_decode_request(&arena, buffer, size, &decoded), LK_WIRE_E_MALFORMED);
    assert_int_equal(decoded->id, 5); /* its sender can be named, too */
}

/* A text that would be cut at a zero byte is refused at any depth of nesting. Fields of type bytes
 * may contain zero bytes. */
static void test_zero_bytes(void **state)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    Linkage__V1__ClaimedChannel channel = LINKAGE__V1__CLAIMED_CHANNEL__INIT, *list = &channel;
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    const Linkage__V1__ControlRequest *decoded = NULL;
    unsigned char buffer[1024], *at;
    size_t size;

    (void)state;
    request.id = 300;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_CLAIM;
    request.claim = &claim;
    claim.bench = (char *)"rig";
    claim.channels = &list;
    claim.n_channels = 1;
    channel.name = (char *)"motorX";
    size = pack_request(&request, buffer, sizeof(buffer));
    assert_int_equal(lk_wire_decode_request(&arena, buffer, size, &decoded), 0);
    at = memchr(buffer, 'X', size);
    *at = '\0';
    assert_int_equal(lk_wire_decode_request(&arena, buffer, size, &decoded), LK_WIRE_E_TEXT);
    assert_int_equal(decoded->id, 300);
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD;
    request.load = &load;
    load.name = (char *)"m";
    load.text.data = (uint8_t *)"a\0b";
    load.text.len = 3;
    size = pack_request(&request, buffer, sizeof(buffer));
    assert_int_equal(lk_wire_decode_request(&arena, buffer, size, &decoded), 0);
    assert_int_equal(decoded->load->text.len, 3);
}

static void test_reply_with_bad_description(void **state)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__ModelDescription description = LINKAGE__V1__MODEL_DESCRIPTION__INIT;
    Linkage__V1__ChannelDescription channel = LINKAGE__V1__CHANNEL_DESCRIPTION__INIT;
    Linkage__V1__ChannelDescription *channels[] = {&channel};
    char *texts[] = {(char *)"x", (char *)"y"};
    unsigned char buffer[512];
    const Linkage__V1__ControlReply *decoded;
    size_t size;

    (void)state;
    channel.components = channel.units = texts;
    channel.n_components = channel.n_units = 2;
    description.outputs = channels;
    description.n_outputs = 1;
    reply.description = &description;
    assert_int_equal(lk_wire_encode(&reply.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_reply(&arena, buffer, size, &decoded), 0);

    channel.n_units = 1;
    assert_int_equal(lk_wire_encode(&reply.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_reply(&arena, buffer, size, &decoded), LK_WIRE_E_MALFORMED);

    channel.n_units = 2;
    channel.offset = 1;
    assert_int_equal(lk_wire_encode(&reply.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_reply(&arena, buffer, size, &decoded), LK_WIRE_E_MALFORMED);
}

static int decode_again(const Linkage__V1__ControlReply *reply,
                        const Linkage__V1__ControlReply **ret_reply)
{
    static unsigned char buffer[1u << 20];
    size_t size;

    assert_int_equal(lk_wire_encode(&reply->base, buffer, sizeof(buffer), &size), 0);
    return lk_wire_decode_reply(&arena, buffer, size, ret_reply);
}

/* Buckets must be pairs of bound and count, in ascending order and limited in number. Checked in a
 * status and in evidence. */
static void test_reply_with_bad_durations(void **state)
{
    static uint64_t upper[LK_WIRE_BUCKETS_MAX + 1], count[LK_WIRE_BUCKETS_MAX + 1];
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Status status = LINKAGE__V1__STATUS__INIT;
    Linkage__V1__Evidence evidence = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__Durations d = LINKAGE__V1__DURATIONS__INIT;
    Linkage__V1__Durations **const places[] = {
        &status.wakeup,     &status.compute,     &evidence.wakeup,   &evidence.compute,
        &evidence.response, &evidence.hand_over, &evidence.input_age};
    const Linkage__V1__ControlReply *decoded;

    (void)state;
    reply.status = &status;
    reply.evidence = &evidence;
    for (size_t i = 0; i <= LK_WIRE_BUCKETS_MAX; i++)
        upper[i] = 7 * i;
    d.bucket_upper_ns = upper;
    d.bucket_count = count;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        *places[i] = &d;
        d.n_bucket_upper_ns = d.n_bucket_count = LK_WIRE_BUCKETS_MAX;
        assert_int_equal(decode_again(&reply, &decoded), 0);
        d.n_bucket_upper_ns = d.n_bucket_count = LK_WIRE_BUCKETS_MAX + 1;
        assert_int_equal(decode_again(&reply, &decoded), LK_WIRE_E_MALFORMED);
        d.n_bucket_upper_ns = 3;
        d.n_bucket_count = 2;
        assert_int_equal(decode_again(&reply, &decoded), LK_WIRE_E_MALFORMED);
        d.n_bucket_count = 3;
        upper[2] = upper[1];
        assert_int_equal(decode_again(&reply, &decoded), LK_WIRE_E_MALFORMED);
        upper[2] = 14;
        assert_int_equal(decode_again(&reply, &decoded), 0);
        *places[i] = NULL;
    }
}

static void test_reply_with_too_many_cycles(void **state)
{
    static Linkage__V1__CycleRecord *cycles[LK_WIRE_CYCLES_MAX + 1];
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Evidence evidence = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__CycleRecord cycle = LINKAGE__V1__CYCLE_RECORD__INIT;
    const Linkage__V1__ControlReply *decoded;

    (void)state;
    reply.evidence = &evidence;
    for (size_t i = 0; i <= LK_WIRE_CYCLES_MAX; i++)
        cycles[i] = &cycle;
    cycle.ended_ns = -5;
    evidence.worst = evidence.missed = cycles;
    evidence.n_worst = evidence.n_missed = LK_WIRE_CYCLES_MAX;
    assert_int_equal(decode_again(&reply, &decoded), 0);
    assert_int_equal(decoded->evidence->missed[LK_WIRE_CYCLES_MAX - 1]->ended_ns, -5);
    evidence.n_worst++;
    assert_int_equal(decode_again(&reply, &decoded), LK_WIRE_E_MALFORMED);
    evidence.n_worst = 0;
    evidence.n_missed++;
    assert_int_equal(decode_again(&reply, &decoded), LK_WIRE_E_MALFORMED);
}

/* A trace of the largest size that fits a reply is decoded. */
static void test_largest_trace(void **state)
{
    static unsigned char buffer[LK_WIRE_CONTROL_MAX], data[LK_WIRE_CONTROL_MAX];
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    const Linkage__V1__ControlReply *decoded;
    size_t size;

    (void)state;
    reply.result = LINKAGE__V1__RESULT__RESULT_OK;
    reply.trace.data = data;
    reply.trace.len = sizeof(data) - 16;
    data[reply.trace.len - 1] = '}';
    assert_int_equal(lk_wire_encode(&reply.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_reply(&arena, buffer, size, &decoded), 0);
    assert_int_equal(decoded->trace.len, reply.trace.len);
    assert_int_equal(decoded->trace.data[decoded->trace.len - 1], '}');
}

static void test_state_names(void **state)
{
    (void)state;
    assert_string_equal(lk_wire_state_name(LINKAGE__V1__STATE__STATE_ARMED), "armed");
    assert_string_equal(lk_wire_state_name(LINKAGE__V1__STATE__STATE_ARMING), "arming");
    assert_string_equal(lk_wire_state_name((Linkage__V1__State)99), "unknown");
}

static void test_output_there_and_back(void **state)
{
    Linkage__V1__OutputSample sample = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    const Linkage__V1__OutputSample *decoded;
    double values[] = {3, 4};
    unsigned char buffer[256];
    size_t size;

    (void)state;
    sample.step = 9;
    sample.state = LINKAGE__V1__STATE__STATE_PAUSED;
    sample.values = values;
    sample.n_values = 2;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_encoded_size(&sample.base), size);
    assert_int_equal(lk_wire_decode_output(&arena, buffer, size, &decoded), 0);
    assert_int_equal(decoded->step, 9);
    assert_int_equal(decoded->state, LINKAGE__V1__STATE__STATE_PAUSED);

    sample.time_s = NAN;
    assert_int_equal(lk_wire_encode(&sample.base, buffer, sizeof(buffer), &size), 0);
    assert_int_equal(lk_wire_decode_output(&arena, buffer, size, &decoded), LK_WIRE_E_NOT_FINITE);
}

static void test_arena(void **state)
{
    struct lk_wire_arena small;
    unsigned char *block;

    (void)state;
    assert_int_equal(lk_wire_arena_init(&small, 64), 0);
    block = lk_wire_arena_take(&small, 20);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 16, 0);
    for (int i = 0; i < 20; i++)
        assert_int_equal(block[i], 0);
    assert_non_null(lk_wire_arena_take(&small, 32));
    assert_null(lk_wire_arena_take(&small, 1));
    assert_null(lk_wire_arena_take(&small, SIZE_MAX));
    assert_null(lk_wire_arena_format(&small, "%d", 1));

    lk_wire_arena_reset(&small);
    assert_string_equal(lk_wire_arena_format(&small, "%s-%d", "a", 1), "a-1");
    /* a block whose rounded size exceeds the rest still fits with its exact size */
    lk_wire_arena_reset(&small);
    assert_non_null(lk_wire_arena_take(&small, 63));
    assert_null(lk_wire_arena_take(&small, 1));
    lk_wire_arena_fini(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_there_and_back),
        cmocka_unit_test(test_slopes),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_encode_into_too_little),
        cmocka_unit_test(test_amplification),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_zero_bytes),
        cmocka_unit_test(test_reply_with_bad_description),
        cmocka_unit_test(test_reply_with_bad_durations),
        cmocka_unit_test(test_reply_with_too_many_cycles),
        cmocka_unit_test(test_largest_trace),
        cmocka_unit_test(test_state_names),
        cmocka_unit_test(test_output_there_and_back),
        cmocka_unit_test(test_arena),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
