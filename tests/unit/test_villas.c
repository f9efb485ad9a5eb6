/* SPDX-License-Identifier: Apache-2.0 */
/* VILLASnode's sample format, with bytes encoded by hand from its description, and the mapping of
 * its positions to channels of a model. */
#include "villas_map.h"
#include "villas_wire.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- bytes ---- */

#define BYTES_MAX (70u << 10)

/** struct bytes - a message to which bytes are appended */
struct bytes {
    uint8_t data[BYTES_MAX];
    size_t n;
};

static struct lk_wire_arena arena;
static struct bytes message, sample, part;

static void put(struct bytes *b, uint8_t byte)
{
    assert_true(b->n < BYTES_MAX);
    b->data[b->n++] = byte;
}

static void put_varint(struct bytes *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        put(b, (uint8_t)(value | 0x80));
    put(b, (uint8_t)value);
}

static void put_bytes(struct bytes *b, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(b, ((const uint8_t *)data)[i]);
}

/* Append field @number with a length-delimited content. */
static void put_field(struct bytes *b, unsigned number, const struct bytes *content)
{
    put_varint(b, number << 3 | 2);
    put_varint(b, content->n);
    put_bytes(b, content->data, content->n);
}

/* Append a value, field 100 of a sample. Within it, f is field 1 (double), i is 2 and b is 3
 * (varints), z is 4. */
static void put_f(double value)
{
    part.n = 0;
    put(&part, 1 << 3 | 1);
    put_bytes(&part, &value, sizeof(value)); /* little endian, as on the wire */
    put_field(&sample, 100, &part);
}

static void put_number(unsigned field, uint64_t value)
{
    part.n = 0;
    put_varint(&part, field << 3);
    put_varint(&part, value);
    put_field(&sample, 100, &part);
}

static void put_z(void)
{
    const uint8_t z[] = {4 << 3 | 2, 10, 1 << 3 | 5, 0, 0, 0, 0, 2 << 3 | 5, 0, 0, 0, 0};

    part.n = 0;
    put_bytes(&part, z, sizeof(z));
    put_field(&sample, 100, &part);
}

/* Append a timestamp, whose fields are sec (1) and nsec (2). */
static void put_time(unsigned field, uint32_t sec, uint32_t nsec)
{
    part.n = 0;
    put_varint(&part, 1 << 3);
    put_varint(&part, sec);
    put_varint(&part, 2 << 3);
    put_varint(&part, nsec);
    put_field(&sample, field, &part);
}

/* Begin a sample.
 * @type: 0: without type;  @sequence: negative: without sequence number */
static void begin_sample(unsigned type, int64_t sequence)
{
    sample.n = 0;
    if (type) {
        put_varint(&sample, 1 << 3);
        put_varint(&sample, type);
    }
    if (sequence >= 0) {
        put_varint(&sample, 2 << 3);
        put_varint(&sample, (uint64_t)sequence);
    }
}

static void end_sample(void)
{
    put_field(&message, 1, &sample);
}

static int decode(struct lk_villas_sample *ret)
{
    return lk_villas_decode(&arena, message.data, message.n, ret);
}

static int make(void **state)
{
    (void)state;
    message.n = 0;
    return lk_wire_arena_init(&arena, LK_VILLAS_ARENA);
}

static int drop(void **state)
{
    (void)state;
    lk_wire_arena_fini(&arena);
    return 0;
}

/* ---- decode ---- */

static void test_all_fields(void **state)
{
    struct lk_villas_sample found;

    (void)state;
    begin_sample(1, 300);
    put_time(3, 1700000000, 999999999);
    put_time(4, 1700000001, 5);
    put_varint(&sample, 5 << 3); /* new_frame */
    put(&sample, 1);
    put_f(-2.5);
    put_number(2, 1000000);
    put_number(2, (uint64_t)-3);
    put_number(3, 1);
    put_number(3, 0);
    put_varint(&sample, 77 << 3); /* field of a later version */
    put(&sample, 9);
    end_sample();
    assert_int_equal(decode(&found), 0);
    assert_int_equal(found.sequence, 300);
    assert_int_equal(found.origin_ns, 1700000000999999999);
    assert_int_equal(found.n_values, 5);
    assert_true(found.values[0] == -2.5 && found.values[1] == 1e6 && found.values[2] == -3);
    assert_true(found.values[3] == 1 && found.values[4] == 0);
    assert_int_equal(found.older + found.ignored, 0);
}

static void test_several(void **state)
{
    struct lk_villas_sample found;

    (void)state;
    begin_sample(2, 0);
    end_sample();
    for (int i = 0; i < 3; i++) {
        begin_sample(1, (int64_t[]){6, 9, 8}[i]);
        put_f(i);
        end_sample();
    }
    begin_sample(3, 99);
    end_sample();
    assert_int_equal(decode(&found), 0);
    assert_int_equal(found.sequence, 9);
    assert_int_equal(found.n_values, 1);
    assert_true(found.values[0] == 1);
    assert_int_equal(found.older, 2);
    assert_int_equal(found.ignored, 2);
    assert_int_equal(found.origin_ns, 0);
}

static void test_no_data(void **state)
{
    struct lk_villas_sample found;

    (void)state;
    assert_int_equal(decode(&found), LK_VILLAS_E_NO_DATA);
    assert_int_equal(found.ignored, 0);
    begin_sample(2, -1);
    end_sample();
    begin_sample(3, 7);
    put_z();
    end_sample();
    assert_int_equal(decode(&found), LK_VILLAS_E_NO_DATA);
    assert_int_equal(found.ignored, 2);
}

static void check_refused(int code)
{
    struct lk_villas_sample found, before;

    memset(&found, 0x5a, sizeof(found));
    before = found;
    assert_int_equal(decode(&found), code);
    assert_memory_equal(&found, &before, sizeof(found));
    assert_string_not_equal(lk_villas_status_text(code), "unknown error");
    message.n = 0;
}

static void test_refused(void **state)
{
    (void)state;
    begin_sample(1, -1);
    put_f(1);
    end_sample();
    check_refused(LK_VILLAS_E_SEQUENCE);
    begin_sample(4, 1);
    end_sample();
    check_refused(LK_VILLAS_E_KIND);
    begin_sample(0, 1); /* the type is required */
    end_sample();
    check_refused(LK_VILLAS_E_MALFORMED);
    begin_sample(1, 1);
    put_f(1);
    put_z();
    end_sample();
    check_refused(LK_VILLAS_E_VALUE);
    begin_sample(1, 1);
    part.n = 0;
    put_field(&sample, 100, &part); /* a value without content */
    end_sample();
    check_refused(LK_VILLAS_E_VALUE);
    begin_sample(1, 1);
    put_time(3, 1, 1000000000);
    end_sample();
    check_refused(LK_VILLAS_E_TIME);
    message.n = 0;
    put_bytes(&message, "not a message at all", 20);
    check_refused(LK_VILLAS_E_MALFORMED);
    message.n = LK_VILLAS_MESSAGE_MAX + 1;
    check_refused(LK_VILLAS_E_TOO_LARGE);
}

/* A truncated message is refused. */
static void test_cut(void **state)
{
    struct lk_villas_sample found;
    size_t n;

    (void)state;
    begin_sample(1, 300);
    put_time(3, 5, 6);
    put_f(-2.5);
    end_sample();
    for (n = message.n - 1; n > 0; n--)
        assert_int_equal(lk_villas_decode(&arena, message.data, n, &found), LK_VILLAS_E_MALFORMED);
}

/* Small messages that would expand to large ones are limited by the arena. */
static void test_amplified(void **state)
{
    struct lk_villas_sample found;

    (void)state;
    begin_sample(1, 1);
    part.n = 0;
    while (sample.n < 60000)
        put_field(&sample, 100, &part);
    end_sample();
    assert_int_equal(decode(&found), LK_VILLAS_E_MALFORMED);
    assert_true(arena.used <= arena.size);

    /* the largest number of real values that fits a message is accepted */
    message.n = 0;
    begin_sample(1, 1);
    for (int i = 0; i < 5400; i++)
        put_f(i);
    end_sample();
    assert_int_equal(decode(&found), 0);
    assert_int_equal(found.n_values, 5400);
    assert_true(found.values[5399] == 5399);
}

/* The decoder accepts NaN and infinity, because the input table counts them for their channel. */
static void test_not_finite(void **state)
{
    struct lk_villas_sample found;

    (void)state;
    begin_sample(1, 1);
    put_f(NAN);
    put_f(-INFINITY);
    end_sample();
    assert_int_equal(decode(&found), 0);
    assert_true(isnan(found.values[0]) && isinf(found.values[1]));
}

/* ---- encode ---- */

static void test_encode(void **state)
{
    struct lk_villas_frame frame;
    uint8_t buffer[64];
    size_t size = 0;

    (void)state;
    assert_int_equal(lk_villas_frame_init(&frame, 2), 0);
    frame.value[0].f = 0.5;
    frame.value[1].f = -4;
    assert_int_equal(lk_villas_encode(&frame, 300, 5000000007, buffer, sizeof(buffer), &size), 0);
    begin_sample(1, 300);
    put_time(3, 5, 7);
    put_f(0.5);
    put_f(-4);
    end_sample();
    assert_int_equal(size, message.n);
    assert_memory_equal(buffer, message.data, size);
    assert_int_equal(lk_villas_encode(&frame, 300, 5000000007, buffer, size - 1, &size),
                     LK_VILLAS_E_TOO_LARGE);
    lk_villas_frame_fini(&frame);
}

/* ---- positions ---- */

static const struct lk_channel channels[] = {
    {.name = "motor", .size = 1, .offset = 0, .component = {""}},
    {.name = "force", .size = 3, .offset = 1, .component = {"x", "y", "z"}},
    {.name = "forces", .size = 1, .offset = 4, .component = {""}},
};

static struct lkd_villas_map map;
static struct lk_error error;

static struct lkd_villas_names *names_of(const char *const *list)
{
    static struct lkd_villas_names names;

    for (names.n = 0; list[names.n]; names.n++)
        strcpy(names.name[names.n], list[names.n]);
    return &names;
}

#define NAMES(...) names_of((const char *const[]){__VA_ARGS__, NULL})

static void check_map(int n, const int *index)
{
    assert_int_equal(map.n, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(map.index[i], index[i]);
}

static void test_outputs(void **state)
{
    (void)state;
    assert_int_equal(lkd_villas_map_outputs(NAMES("forces", "force.z", "force", "force.z", "motor"),
                                            channels, 3, &map, &error),
                     0);
    check_map(7, (const int[]){4, 3, 1, 2, 3, 3, 0});
}

static void refuse_output(const char *name, const char *text)
{
    assert_int_equal(lkd_villas_map_outputs(NAMES("motor", name), channels, 3, &map, &error),
                     LK_E_TEXT);
    assert_string_equal(error.text, text);
}

static void test_unknown(void **state)
{
    (void)state;
    refuse_output("forc", "the model has no output 'forc'");
    refuse_output("force.w", "the model has no output 'force.w': its components are x, y, z");
    refuse_output("force.xx", "the model has no output 'force.xx': its components are x, y, z");
    refuse_output("motor.", "the model has no output 'motor.'");
    assert_int_equal(lkd_villas_map_inputs(NAMES("engine"), channels, 3, &map, &error), LK_E_TEXT);
    assert_string_equal(error.text, "the model has no input 'engine'");
}

/* Positions of inputs are mapped to values of the claim, which consists of complete channels. */
static void test_inputs(void **state)
{
    (void)state;
    assert_int_equal(
        lkd_villas_map_inputs(NAMES("forces", "force.y", "force.z", "motor", "force.x"), channels,
                              3, &map, &error),
        0);
    check_map(5, (const int[]){0, 2, 3, 4, 1});
    assert_int_equal(map.n_channels, 3);
    assert_int_equal(map.channel[0], 2);
    assert_int_equal(map.channel[1], 1);
    assert_int_equal(map.channel[2], 0);
}

static void test_parts(void **state)
{
    (void)state;
    assert_int_equal(
        lkd_villas_map_inputs(NAMES("force.x", "motor", "force.z"), channels, 3, &map, &error),
        LK_E_TEXT);
    assert_string_equal(error.text, "input 'force' is mapped in part, expected all its components: "
                                    "a claim is of whole channels");
    assert_int_equal(lkd_villas_map_inputs(NAMES("force", "force.z"), channels, 3, &map, &error),
                     LK_E_TEXT);
    assert_string_equal(error.text, "input 'force' is mapped to two positions, expected one");
}

#define WIRE_TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WIRE_TEST(test_all_fields),
        WIRE_TEST(test_several),
        WIRE_TEST(test_no_data),
        WIRE_TEST(test_refused),
        WIRE_TEST(test_cut),
        WIRE_TEST(test_amplified),
        WIRE_TEST(test_not_finite),
        WIRE_TEST(test_encode),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
