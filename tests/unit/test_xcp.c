/* SPDX-License-Identifier: Apache-2.0 */
/* The image of a model and the slave without sockets: names, the EPK and its dependencies, times of
 * events, due lists, overload, and the state after a session. Packets are encoded according to the
 * tables of ASAM MCD-1 XCP; tests/integration/test-xcp.py does the same with a daemon and
 * sockets. */
#include "codes.h"
#include "slave.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COMMAND(...) command((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static struct xcp_image image;
static struct xcp_slave slave;
static uint8_t answer[XCP_MAX_CTO];
static uint8_t sent[64][XCP_MAX_DTO]; /* packets that are no answers; @n_sent are valid */
static size_t size_of[64];
static int n_sent;
static size_t room; /* bytes that may be sent, frame headers included */

static bool take_packet(void *context, const uint8_t *packet, size_t size)
{
    (void)context;
    if (XCP_FRAME + size > room)
        return false;
    room -= XCP_FRAME + size;
    memcpy(sent[n_sent], packet, size);
    size_of[n_sent++] = size;
    return true;
}

static bool has_room(void *context, size_t size)
{
    (void)context;
    return size <= room;
}

static int refuse_write(void *context, int place, int n, const double *values)
{
    (void)context;
    (void)place;
    (void)n;
    (void)values;
    return XCP_E_ACCESS_DENIED;
}

/* Execute a command.
 * Return: size of the answer, or minus the error */
static int command(const uint8_t *packet, size_t size)
{
    size_t n = xcp_slave_command(&slave, packet, size, answer);

    return n > 0 && answer[0] == XCP_ERROR ? -answer[1] : (int)n;
}

static void add(struct xcp_image *to, enum xcp_region region, const char *name, const char *unit,
                double high)
{
    const struct xcp_channel c = {.name = name,
                                  .n = 1,
                                  .component = (const char *const[]){""},
                                  .unit = &unit,
                                  .says = "a \"thing\"",
                                  .low = -high,
                                  .high = high};

    xcp_image_channel(to, region, &c);
}

static void make_image(struct xcp_image *to, const char *unit, double high, double step_s)
{
    xcp_image_begin(to, "my-model", step_s);
    add(to, XCP_OUTPUTS, "tip-x", "m", INFINITY);
    add(to, XCP_OUTPUTS, "tip_x", "m", INFINITY);
    add(to, XCP_INPUTS, "motor", unit, high);
    xcp_image_parameter(to, "mass", "kg", "", 0, 1, 0.25);
    xcp_image_parameter(to, "bodies.arm.mass", "", "", 0, 1, 7);
    assert_int_equal(xcp_image_end(to), 0);
}

static int set_up(void **state)
{
    static const struct xcp_calls calls = {
        .write = refuse_write, .fits = has_room, .send = take_packet};

    (void)state;
    make_image(&image, "N m", 10, 0.001);
    assert_int_equal(xcp_a2l_make(&image, "127.0.0.1", 5555), 0);
    xcp_slave_init(&slave, &calls);
    slave.image = &image;
    n_sent = 0;
    room = 10000;
    assert_int_equal(COMMAND(XCP_CONNECT, 0), 8);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xcp_image_fini(&image);
    return 0;
}

/* Characters that A2L does not permit are replaced, and two names stay different. */
static void names_are_identifiers(void **state)
{
    (void)state;
    assert_string_equal(image.title, "my_model");
    assert_string_equal(image.item[5].name, "outputs.tip_x");
    assert_string_equal(image.item[6].name, "outputs.tip_x_2");
    assert_string_equal(image.item[7].name, "acting.motor");
    assert_string_equal(image.item[8].name, "inputs.motor");
    assert_string_equal(image.item[9].name, "parameters.mass");
    assert_int_equal(image.n, 10); /* a number set by path is no parameter */
    assert_true(xcp_image_value(&image, XCP_PARAMETERS, 0) == 0.25);
    assert_non_null(strstr(image.a2l, "a \\\"thing\\\""));
}

static void the_epk_tells_images_apart(void **state)
{
    static const struct {
        const char *unit;
        double high;
        double step_s;
        bool is_same;
    } cases[] = {{"N m", 10, 0.001, true},
                 {"N m", 10, 0.002, true},
                 {"N", 10, 0.001, false},
                 {"N m", 11, 0.001, false}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct xcp_image other = {0};

        make_image(&other, cases[i].unit, cases[i].high, cases[i].step_s);
        assert_true((strcmp(other.epk, image.epk) == 0) == cases[i].is_same);
        xcp_image_fini(&other);
    }
}

static void times_of_events(void **state)
{
    static const struct {
        double step_s;
        uint8_t cycle;
        uint8_t unit;
    } cases[] = {{0.001, 1, 6},  {0.00025, 25, 4},   {0.1, 1, 8},
                 {0.025, 25, 6}, {1.0 / 3000, 0, 0}, {0.000125, 125, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct xcp_image other = {.step_s = cases[i].step_s};
        uint8_t cycle, unit;

        xcp_event_cycle(&other, XCP_EVENT_STEP, &cycle, &unit);
        assert_int_equal(cycle, cases[i].cycle);
        assert_int_equal(unit, cases[i].unit);
    }
}

/* Start a list whose first packet contains the first output, and whose second packet contains the
 * second.
 * @prescaler: prescaler of the list */
static void start_list(uint8_t prescaler)
{
    assert_int_equal(COMMAND(XCP_FREE_DAQ), 1);
    assert_int_equal(COMMAND(XCP_ALLOC_DAQ, 0, 1, 0), 1);
    assert_int_equal(COMMAND(XCP_ALLOC_ODT, 0, 0, 0, 2), 1);
    assert_int_equal(COMMAND(XCP_ALLOC_ODT_ENTRY, 0, 0, 0, 0, 1), 1);
    assert_int_equal(COMMAND(XCP_ALLOC_ODT_ENTRY, 0, 0, 0, 1, 1), 1);
    for (uint8_t k = 0; k < 2; k++) {
        assert_int_equal(COMMAND(XCP_SET_DAQ_PTR, 0, 0, 0, k, 0), 1);
        assert_int_equal(COMMAND(XCP_WRITE_DAQ, 0xff, 8, 0, (uint8_t)(8 * k), 0, 0x10, 0), 1);
    }
    assert_int_equal(COMMAND(XCP_SET_DAQ_LIST_MODE, 0x10, 0, 0, 0, 0, prescaler, 0), 1);
    assert_int_equal(COMMAND(XCP_START_STOP_DAQ_LIST, 1, 0, 0), 2);
}

static void lists_are_due_by_their_prescaler(void **state)
{
    (void)state;
    start_list(3);
    for (int i = 0; i < 7; i++) {
        xcp_image_put(&image, XCP_OUTPUTS, 1, i);
        slave.clock_us = 0xffffffff + (uint64_t)i; /* wraps around */
        xcp_slave_event(&slave, XCP_EVENT_STEP);
        xcp_slave_event(&slave, XCP_EVENT_INPUTS); /* another event */
    }
    assert_int_equal(n_sent, 6);
    for (int i = 0; i < 3; i++) {
        double value;

        assert_int_equal(size_of[2 * i], 2 + 4 + 8);
        assert_int_equal(xcp_get32(sent[2 * i] + 2), 0xffffffff + 3U * (uint32_t)i);
        assert_int_equal(size_of[2 * i + 1], 2 + 8);
        assert_int_equal(xcp_get16(sent[2 * i + 1]), 0x0001); /* ODT 1 of list 0 */
        memcpy(&value, sent[2 * i + 1] + 2, sizeof(value));
        assert_true(value == 3 * i);
    }
}

/* An overload is reported once, before the next packets. A list is sent completely or not at
 * all. */
static void overload_is_said(void **state)
{
    static const uint8_t overload[] = {XCP_EVENT, XCP_EV_DAQ_OVERLOAD};

    (void)state;
    start_list(1);
    room = 5;
    for (int i = 0; i < 5; i++)
        xcp_slave_event(&slave, XCP_EVENT_STEP);
    assert_int_equal(n_sent, 0);
    assert_int_equal(slave.lost, 10);
    room = 6 + 2 * XCP_FRAME + 14 + 10 - 1; /* one byte less than event and list */
    xcp_slave_event(&slave, XCP_EVENT_STEP);
    assert_int_equal(n_sent, 1);
    assert_int_equal(slave.lost, 2);
    n_sent = 0;
    room = 10000;
    xcp_slave_event(&slave, XCP_EVENT_STEP);
    assert_int_equal(n_sent, 3);
    assert_memory_equal(sent[0], overload, sizeof(overload));
    assert_int_equal(sent[1][0], 0);
    slave.lost = 4; /* simulated losses */
    COMMAND(XCP_START_STOP_SYNCH, 0);
    xcp_slave_event(&slave, XCP_EVENT_STEP);
    assert_int_equal(n_sent, 3); /* no measurement, so no overload */
}

/* The receiver of a write may refuse it; limits are checked before. */
static void writes_are_asked_for(void **state)
{
    double value = 3;
    uint8_t packet[10] = {XCP_DOWNLOAD, 8};

    (void)state;
    memcpy(packet + 2, &value, sizeof(value));
    assert_int_equal(COMMAND(XCP_SET_MTA, 0, 0, 0, 0, 0, 0x30, 0), 1);
    assert_int_equal(command(packet, sizeof(packet)), -XCP_E_ACCESS_DENIED);
    value = 11;
    memcpy(packet + 2, &value, sizeof(value));
    assert_int_equal(command(packet, sizeof(packet)), -XCP_E_OUT_OF_RANGE);
    assert_int_equal(command(packet, sizeof(packet) - 1), -XCP_E_SYNTAX);
}

static void a_session_leaves_nothing(void **state)
{
    (void)state;
    start_list(1);
    assert_true(xcp_slave_is_running(&slave));
    assert_int_equal(COMMAND(XCP_DISCONNECT), 1);
    xcp_slave_event(&slave, XCP_EVENT_STEP);
    assert_int_equal(n_sent, 0);
    assert_int_equal(COMMAND(XCP_GET_STATUS), 0); /* no answer without a session */
    assert_int_equal(COMMAND(XCP_CONNECT, 0), 8);
    assert_int_equal(COMMAND(XCP_SET_DAQ_PTR, 0, 0, 0, 0, 0), -XCP_E_OUT_OF_RANGE);
    assert_int_equal(COMMAND(XCP_CONNECT, 1), -XCP_E_MODE_NOT_VALID);
    slave.image = NULL;
    xcp_slave_end(&slave, true);
    assert_int_equal(COMMAND(XCP_CONNECT, 0), -XCP_E_NOT_NOW);
}

static void frames(void **state)
{
    const uint8_t whole[] = {2, 0, 9, 9, 0xff, 0}, none[] = {0, 0, 0, 0},
                  long_one[] = {249, 0, 0, 0};
    size_t size;

    (void)state;
    for (size_t n = 0; n < sizeof(whole); n++)
        assert_int_equal(xcp_frame_take(whole, n, &size), 0);
    assert_int_equal(xcp_frame_take(whole, sizeof(whole), &size), 1);
    assert_int_equal(size, 2);
    assert_int_equal(xcp_frame_take(none, sizeof(none), &size), -1);
    assert_int_equal(xcp_frame_take(long_one, sizeof(long_one), &size), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_are_identifiers),    TEST(the_epk_tells_images_apart),
        TEST(times_of_events),          TEST(lists_are_due_by_their_prescaler),
        TEST(overload_is_said),         TEST(writes_are_asked_for),
        TEST(a_session_leaves_nothing), TEST(frames),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
