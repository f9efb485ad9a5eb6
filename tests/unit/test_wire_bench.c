/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of benches: refused claims, injections, streams, heartbeats and reports, and the
 * match between words and numbers of enumerations. */
#include "names.h"
#include "wire.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REQUEST(kind) LINKAGE__V1__CONTROL_REQUEST__COMMAND_##kind
#define N(list)       (sizeof(list) / sizeof((list)[0]))

static struct lk_wire_arena arena;
static unsigned char buffer[1u << 20];
static char long_name[LK_WIRE_NAME_MAX + 2]; /* one byte too many */

static int open_arena(void **state)
{
    (void)state;
    memset(long_name, 'x', sizeof(long_name) - 1);
    return lk_wire_arena_init(&arena, LK_WIRE_CONTROL_ARENA);
}

static int close_arena(void **state)
{
    (void)state;
    lk_wire_arena_fini(&arena);
    return 0;
}

static size_t pack(const ProtobufCMessage *message)
{
    size_t size;

    assert_int_equal(lk_wire_encode(message, buffer, sizeof(buffer), &size), 0);
    return size;
}

static int decode_request(const Linkage__V1__ControlRequest *request)
{
    const Linkage__V1__ControlRequest *decoded = NULL;
    int r = lk_wire_decode_request(&arena, buffer, pack(&request->base), &decoded);

    assert_non_null(decoded); /* so that the reply can contain the id */
    return r;
}

static int decode_reply(const Linkage__V1__ControlReply *reply)
{
    const Linkage__V1__ControlReply *decoded = NULL;
    int r = lk_wire_decode_reply(&arena, buffer, pack(&reply->base), &decoded);

    assert_true(r == 0 ? decoded != NULL : decoded == NULL);
    return r;
}

/* ---- requests ---- */

static void test_claim_request(void **state)
{
    static Linkage__V1__ClaimedChannel *many[LK_WIRE_CHANNELS_MAX + 1];
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__ClaimRequest claim = LINKAGE__V1__CLAIM_REQUEST__INIT;
    Linkage__V1__ClaimedChannel channel = LINKAGE__V1__CLAIMED_CHANNEL__INIT;
    char *units[LK_WIRE_SCALARS_MAX + 1];

    (void)state;
    for (size_t i = 0; i < N(many); i++)
        many[i] = &channel;
    for (size_t i = 0; i < N(units); i++)
        units[i] = (char *)"N m";
    request.command_case = REQUEST(CLAIM);
    request.claim = &claim;
    claim.bench = long_name + 1;
    claim.channels = many;
    claim.n_channels = LK_WIRE_CHANNELS_MAX;
    channel.name = (char *)"motor";
    assert_int_equal(decode_request(&request), 0);
    claim.n_channels++;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
    claim.n_channels = 1;
    channel.units = units;
    channel.n_units = LK_WIRE_SCALARS_MAX;
    assert_int_equal(decode_request(&request), 0);
    channel.n_units++;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
    channel.n_units = 1;
    units[0] = long_name;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
    units[0] = (char *)"1";
    channel.name = long_name;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
    channel.name = (char *)"motor";
    claim.bench = long_name;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
}

static void test_inject_request(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    static Linkage__V1__Injection *many[LK_WIRE_INJECTIONS_MAX + 1];
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__InjectRequest inject = LINKAGE__V1__INJECT_REQUEST__INIT;
    Linkage__V1__Injection one = LINKAGE__V1__INJECTION__INIT;
    double *const numbers[] = {&one.amount, &one.share, &one.every_s, &one.after_s, &one.for_s};

    (void)state;
    for (size_t i = 0; i < N(many); i++)
        many[i] = &one;
    request.command_case = REQUEST(INJECT);
    request.inject = &inject;
    inject.add = many;
    inject.n_add = LK_WIRE_INJECTIONS_MAX;
    assert_int_equal(decode_request(&request), 0);
    for (size_t i = 0; i < N(numbers); i++) {
        for (size_t j = 0; j < N(bad); j++) {
            *numbers[i] = bad[j];
            assert_int_equal(decode_request(&request), LK_WIRE_E_NOT_FINITE);
        }
        *numbers[i] = 0;
    }
    inject.n_add++;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
    inject.n_add = 1;
    one.target = long_name;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
}

static void test_subscribe_and_record_request(void **state)
{
    static char *many[LK_WIRE_CHANNELS_MAX + 1];
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SubscribeRequest subscribe = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;
    Linkage__V1__RecordRequest record = LINKAGE__V1__RECORD_REQUEST__INIT;

    (void)state;
    for (size_t i = 0; i < N(many); i++)
        many[i] = (char *)"tip";
    request.command_case = REQUEST(SUBSCRIBE);
    request.subscribe = &subscribe;
    subscribe.channels = many;
    subscribe.n_channels = LK_WIRE_CHANNELS_MAX;
    assert_int_equal(decode_request(&request), 0);
    subscribe.n_channels++;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
    subscribe.n_channels = 2;
    many[1] = long_name;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);

    request.command_case = REQUEST(RECORD);
    request.record = &record;
    record.name = long_name + 1;
    assert_int_equal(decode_request(&request), 0);
    record.name = long_name;
    assert_int_equal(decode_request(&request), LK_WIRE_E_MALFORMED);
}

/* ---- samples ---- */

static void test_heartbeat_of_a_bench(void **state)
{
    Linkage__V1__InputSample sample = LINKAGE__V1__INPUT_SAMPLE__INIT;
    const Linkage__V1__InputSample *decoded;
    double nan = NAN;

    (void)state;
    sample.token = UINT64_C(0x1234567890abcdef);
    sample.heartbeat = true;
    assert_int_equal(lk_wire_decode_input(&arena, buffer, pack(&sample.base), &decoded), 0);
    assert_true(decoded->heartbeat);
    assert_int_equal(decoded->token, UINT64_C(0x1234567890abcdef));
    assert_int_equal(decoded->n_values, 0);
    /* the values of a heartbeat are ignored */
    sample.values = &nan;
    sample.n_values = 1;
    assert_int_equal(lk_wire_decode_input(&arena, buffer, pack(&sample.base), &decoded), 0);
}

static void test_stream_sample(void **state)
{
    Linkage__V1__StreamSample stream = LINKAGE__V1__STREAM_SAMPLE__INIT;
    Linkage__V1__OutputSample output = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    const Linkage__V1__StreamSample *decoded = NULL;
    double value = 0.25;

    (void)state;
    stream.stream = 77;
    assert_int_equal(lk_wire_decode_stream(&arena, buffer, pack(&stream.base), &decoded),
                     LK_WIRE_E_MALFORMED);
    stream.sample = &output;
    output.sequence = 3;
    output.values = &value;
    output.n_values = 1;
    assert_int_equal(lk_wire_decode_stream(&arena, buffer, pack(&stream.base), &decoded), 0);
    assert_int_equal(decoded->stream, 77);
    assert_true(decoded->sample->values[0] == 0.25);
    decoded = NULL;
    value = INFINITY;
    assert_int_equal(lk_wire_decode_stream(&arena, buffer, pack(&stream.base), &decoded),
                     LK_WIRE_E_NOT_FINITE);
    assert_null(decoded);
    assert_int_equal(lk_wire_decode_stream(&arena, buffer, LK_WIRE_SAMPLE_MAX + 1, &decoded),
                     LK_WIRE_E_TOO_LARGE);
}

static void test_heartbeat_of_the_daemon(void **state)
{
    Linkage__V1__Heartbeat heartbeat = LINKAGE__V1__HEARTBEAT__INIT;
    const Linkage__V1__Heartbeat *decoded = NULL;

    (void)state;
    heartbeat.daemon_id = 5;
    assert_int_equal(lk_wire_decode_heartbeat(&arena, buffer, pack(&heartbeat.base), &decoded),
                     LK_WIRE_E_MALFORMED);
    heartbeat.version = (char *)"1.2";
    assert_int_equal(lk_wire_decode_heartbeat(&arena, buffer, pack(&heartbeat.base), &decoded), 0);
    assert_int_equal(decoded->daemon_id, 5);
    heartbeat.version = long_name;
    assert_int_equal(lk_wire_decode_heartbeat(&arena, buffer, pack(&heartbeat.base), &decoded),
                     LK_WIRE_E_MALFORMED);
}

/* The topics of the contract are the first bytes of encoded messages. */
static void test_topics(void **state)
{
    Linkage__V1__OutputSample output = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    Linkage__V1__StreamSample stream = LINKAGE__V1__STREAM_SAMPLE__INIT;
    Linkage__V1__Heartbeat heartbeat = LINKAGE__V1__HEARTBEAT__INIT;
    const uint64_t id = UINT64_C(0x0102030405060708);

    (void)state;
    output.sequence = 1;
    output.daemon_id = id;
    stream.stream = id;
    stream.sample = &output;
    heartbeat.version = (char *)"1";
    assert_int_equal(lk_wire_kind(buffer, pack(&output.base)), LK_WIRE_OUTPUT);
    assert_int_equal(lk_wire_kind(buffer, pack(&stream.base)), LK_WIRE_STREAM);
    assert_memory_equal(buffer, "\x09\x08\x07\x06\x05\x04\x03\x02\x01", 9);
    assert_int_equal(lk_wire_kind(buffer, pack(&heartbeat.base)), LK_WIRE_HEARTBEAT);
    assert_int_equal(lk_wire_kind("\x12", 1), LK_WIRE_UNKNOWN);
    assert_int_equal(lk_wire_kind(NULL, 0), LK_WIRE_UNKNOWN);
}

/* ---- replies ---- */

static Linkage__V1__ChannelDescription channel;
static Linkage__V1__ChannelDescription *channels[] = {&channel};
static char *texts[LK_WIRE_SCALARS_MAX + 1];

static void describe_channel(void)
{
    linkage__v1__channel_description__init(&channel);
    for (size_t i = 0; i < N(texts); i++)
        texts[i] = (char *)"";
    channel.name = (char *)"motor";
    channel.components = channel.units = texts;
    channel.n_components = channel.n_units = 1;
}

/* Each number of a channel may be infinite, but not NaN. */
static void test_channel_numbers(void **state)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__ModelDescription description = LINKAGE__V1__MODEL_DESCRIPTION__INIT;
    Linkage__V1__FailSafe fail_safe = LINKAGE__V1__FAIL_SAFE__INIT;
    double *const numbers[] = {&channel.low,     &channel.high,    &channel.rate,
                               &channel.initial, &fail_safe.value, &fail_safe.ramp_s};

    (void)state;
    describe_channel();
    channel.fail_safe = &fail_safe;
    description.inputs = channels;
    description.n_inputs = 1;
    reply.description = &description;
    for (size_t i = 0; i < N(numbers); i++) {
        *numbers[i] = i % 2 == 0 ? INFINITY : -INFINITY;
        assert_int_equal(decode_reply(&reply), 0);
    }
    for (size_t i = 0; i < N(numbers); i++) {
        *numbers[i] = NAN;
        assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
        *numbers[i] = 0;
    }
}

static void test_claim_and_stream_reply(void **state)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Claim claim = LINKAGE__V1__CLAIM__INIT;
    Linkage__V1__Stream stream = LINKAGE__V1__STREAM__INIT;
    uint8_t topic[LK_WIRE_TOPIC_MAX + 1] = {9};

    (void)state;
    describe_channel();
    claim.channels = stream.channels = channels;
    claim.n_channels = stream.n_channels = 1;
    stream.topic.data = topic;
    stream.topic.len = LK_WIRE_TOPIC_MAX;
    reply.claim = &claim;
    reply.stream = &stream;
    assert_int_equal(decode_reply(&reply), 0);
    stream.topic.len = 0;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
    stream.topic.len = LK_WIRE_TOPIC_MAX + 1;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
    stream.topic.len = 9;
    channel.offset = 1;
    reply.stream = NULL;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
    reply.claim = NULL;
    reply.stream = &stream;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
    channel.offset = 0;
    channel.n_components = channel.n_units = LK_WIRE_SCALARS_MAX + 1;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
}

static void test_inputs_reply(void **state)
{
    static Linkage__V1__ClaimReport *many[LK_WIRE_CLAIMS_MAX + 1];
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__InputsReport report = LINKAGE__V1__INPUTS_REPORT__INIT;
    Linkage__V1__InputReport input = LINKAGE__V1__INPUT_REPORT__INIT;
    Linkage__V1__ClaimReport claim = LINKAGE__V1__CLAIM_REPORT__INIT;
    Linkage__V1__InputReport *inputs[] = {&input};
    double values[2] = {0};

    (void)state;
    for (size_t i = 0; i < N(many); i++)
        many[i] = &claim;
    reply.inputs = &report;
    report.inputs = inputs;
    report.n_inputs = 1;
    report.claims = many;
    report.n_claims = LK_WIRE_CLAIMS_MAX;
    input.values = input.acting = values;
    input.n_values = input.n_acting = 2;
    assert_int_equal(decode_reply(&reply), 0);
    input.n_acting = 1;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
    input.n_acting = 2;
    report.n_claims++;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
}

/* The outputs in the reply to a StepRequest are checked like samples of the outputs socket. */
static void test_step_reply(void **state)
{
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__OutputSample outputs = LINKAGE__V1__OUTPUT_SAMPLE__INIT;
    double value = 1;

    (void)state;
    reply.outputs = &outputs;
    outputs.values = &value;
    outputs.n_values = 1;
    assert_int_equal(decode_reply(&reply), 0);
    value = NAN;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_NOT_FINITE);
}

static void test_budgets_and_lists_in_replies(void **state)
{
    static Linkage__V1__Injection *injections[LK_WIRE_INJECTIONS_MAX + 1];
    static Linkage__V1__PolicyRow *rows[LK_WIRE_CHANNELS_MAX + 1];
    Linkage__V1__ControlReply reply = LINKAGE__V1__CONTROL_REPLY__INIT;
    Linkage__V1__Evidence evidence = LINKAGE__V1__EVIDENCE__INIT;
    Linkage__V1__LatencyBudget budget = LINKAGE__V1__LATENCY_BUDGET__INIT;
    Linkage__V1__LatencyBudget *budgets[] = {&budget};
    Linkage__V1__Durations good = LINKAGE__V1__DURATIONS__INIT, bad = good;
    Linkage__V1__Durations **const segments[] = {
        &budget.wire, &budget.wire_in, &budget.wire_out,  &budget.wait,
        &budget.step, &budget.publish, &budget.bench_hold};
    Linkage__V1__InjectReport inject = LINKAGE__V1__INJECT_REPORT__INIT;
    Linkage__V1__Injection injection = LINKAGE__V1__INJECTION__INIT;
    Linkage__V1__Policy policy = LINKAGE__V1__POLICY__INIT;
    Linkage__V1__PolicyRow row = LINKAGE__V1__POLICY_ROW__INIT;
    uint64_t upper[] = {2, 1}, count[] = {1, 1};

    (void)state;
    bad.bucket_upper_ns = upper;
    bad.bucket_count = count;
    bad.n_bucket_upper_ns = bad.n_bucket_count = 2;
    evidence.budgets = budgets;
    evidence.n_budgets = 1;
    reply.evidence = &evidence;
    for (size_t i = 0; i < N(segments); i++) {
        *segments[i] = &bad;
        assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
        *segments[i] = &good;
        assert_int_equal(decode_reply(&reply), 0);
    }

    for (size_t i = 0; i < N(injections); i++)
        injections[i] = &injection;
    for (size_t i = 0; i < N(rows); i++)
        rows[i] = &row;
    row.value = NAN; /* a ramp to NaN: to the initial value */
    reply.injections = &inject;
    reply.policy = &policy;
    inject.injections = injections;
    policy.rows = rows;
    inject.n_injections = LK_WIRE_INJECTIONS_MAX;
    policy.n_rows = LK_WIRE_CHANNELS_MAX;
    assert_int_equal(decode_reply(&reply), 0);
    inject.n_injections++;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
    inject.n_injections = 0;
    policy.n_rows++;
    assert_int_equal(decode_reply(&reply), LK_WIRE_E_MALFORMED);
}

/* ---- words ---- */

/* Check that each number of an enumeration has a word derived from its name in linkage.proto. */
static void check_words(const ProtobufCEnumDescriptor *descriptor, const char *(*word)(int),
                        int (*number)(const char *))
{
    size_t prefix = strlen(descriptor->values[0].name) - strlen("UNSPECIFIED");

    assert_string_equal(word(0), "unknown");
    assert_string_equal(word(-1), "unknown");
    assert_string_equal(word(1000), "unknown");
    for (unsigned int i = 1; i < descriptor->n_values; i++) {
        const ProtobufCEnumValue *value = &descriptor->values[i];
        char expected[64];
        size_t j;

        for (j = 0; value->name[prefix + j] != '\0'; j++)
            expected[j] =
                value->name[prefix + j] == '_' ? '-' : (char)(value->name[prefix + j] - 'A' + 'a');
        expected[j] = '\0';
        assert_string_equal(word(value->value), expected);
        if (number != NULL)
            assert_int_equal(number(expected), value->value);
    }
    if (number != NULL)
        assert_int_equal(number("unknown"), 0);
}

#define WORD(name, type)                                                                           \
    static const char *word_##name(int value)                                                      \
    {                                                                                              \
        return lk_names_##name((Linkage__V1__##type)value);                                        \
    }
#define NUMBER(name)                                                                               \
    static int number_##name(const char *word)                                                     \
    {                                                                                              \
        return (int)lk_names_to_##name(word);                                                      \
    }
WORD(result, Result)
WORD(mode, Mode)
WORD(action, Action)
WORD(condition, Condition)
WORD(role, Role)
WORD(injection, InjectionKind)
NUMBER(mode)
NUMBER(injection)

static void test_words(void **state)
{
    (void)state;
    check_words(&linkage__v1__result__descriptor, word_result, NULL);
    check_words(&linkage__v1__mode__descriptor, word_mode, number_mode);
    check_words(&linkage__v1__action__descriptor, word_action, NULL);
    check_words(&linkage__v1__condition__descriptor, word_condition, NULL);
    check_words(&linkage__v1__role__descriptor, word_role, NULL);
    check_words(&linkage__v1__injection_kind__descriptor, word_injection, number_injection);
}

static void test_flags(void **state)
{
    const ProtobufCEnumDescriptor *flags = &linkage__v1__flag__descriptor;
    char text[LK_NAMES_FLAGS_SIZE];
    uint32_t all = 0;

    (void)state;
    for (unsigned int i = 0; i < flags->n_values; i++) {
        Linkage__V1__Flag flag = (Linkage__V1__Flag)flags->values[i].value;

        all |= (uint32_t)flag;
        if (flag != LINKAGE__V1__FLAG__FLAG_NONE)
            assert_string_not_equal(lk_names_flag(flag), "unknown");
    }
    assert_string_equal(lk_names_flags(0, text), "");
    assert_string_equal(lk_names_flags(2 | 8, text), "stale, rate-limited");
    assert_string_equal(lk_names_flags(all, text),
                        "degraded, stale, tripped, rate-limited, injected, lost");
    assert_string_equal(lk_names_flags(1u << 31 | 1u << 30 | 1, text), "degraded, unknown");
    assert_true(strlen(lk_names_flags(UINT32_MAX, text)) < sizeof(text) - 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim_request),
        cmocka_unit_test(test_inject_request),
        cmocka_unit_test(test_subscribe_and_record_request),
        cmocka_unit_test(test_heartbeat_of_a_bench),
        cmocka_unit_test(test_stream_sample),
        cmocka_unit_test(test_heartbeat_of_the_daemon),
        cmocka_unit_test(test_topics),
        cmocka_unit_test(test_channel_numbers),
        cmocka_unit_test(test_claim_and_stream_reply),
        cmocka_unit_test(test_inputs_reply),
        cmocka_unit_test(test_step_reply),
        cmocka_unit_test(test_budgets_and_lists_in_replies),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_flags),
    };

    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
