/* SPDX-License-Identifier: Apache-2.0 */
/* The CAN socket, with this test as its peer: sent and received frames with the kernel's stamps,
 * packets that are no frames, bus-off and restart, and an interface that disappears and returns. */
#include "can_bus.h"
#include "can_log.h"
#include "cmocka_all.h"

#include <linux/can/error.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

static char folder[32];
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct can_bus bus;
static int listener, peer;

static void listen_here(void)
{
    listener = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 1), 0);
}

static int set_up(void **state)
{
    char name[128];

    (void)state;
    strcpy(folder, "/tmp/test-can-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/bus", folder);
    snprintf(name, sizeof(name), "unix:%s/bus", folder);
    listen_here();
    assert_int_equal(can_bus_init(&bus, name), 0);
    assert_int_equal(can_bus_follow(&bus, NULL), 0);
    can_bus_tend(&bus, 0);
    peer = accept(listener, NULL, NULL);
    return peer < 0;
}

static int tear_down(void **state)
{
    (void)state;
    can_bus_fini(&bus);
    close(peer);
    close(listener);
    unlink(address.sun_path);
    return rmdir(folder);
}

static void put(uint32_t id, int len, size_t size)
{
    const struct canfd_frame frame = {.can_id = id, .len = (uint8_t)len, .data = {1, 2, 3}};

    assert_int_equal(write(peer, &frame, size), size);
}

/* Up to CAN_LOG_LINES lines may be printed at once, then one in three seconds. The number of
 * omitted lines is reported. */
static void log_is_bounded(void **state)
{
    struct can_log log = {0};
    uint64_t left_out, n = 0;

    (void)state;
    for (int i = 0; i < 1000; i++)
        n += can_log_take(&log, SECOND_NS, &left_out);
    assert_int_equal(n, CAN_LOG_LINES);
    assert_false(can_log_take(&log, SECOND_NS + CAN_LOG_EVERY_NS - 1, &left_out));
    assert_true(can_log_take(&log, SECOND_NS + CAN_LOG_EVERY_NS, &left_out));
    assert_int_equal(left_out, 1000 - CAN_LOG_LINES + 1);
    assert_false(can_log_take(&log, SECOND_NS + CAN_LOG_EVERY_NS, &left_out));
    n = 0;
    for (int i = 0; i < 3600; i++) /* an hour of ten lines a second */
        for (int k = 0; k < 10; k++)
            n += can_log_take(&log, (100 + i) * SECOND_NS, &left_out);
    assert_in_range(n, 1200, 1200 + CAN_LOG_LINES);
}

static void frames_go_out(void **state)
{
    const uint8_t data[64] = {9, 8, 7};
    struct canfd_frame frame;

    (void)state;
    can_bus_send(&bus, &(const struct dbc_message){.id = 0x123, .bytes = 3}, data, 3);
    assert_int_equal(read(peer, &frame, sizeof(frame)), CAN_MTU);
    assert_true(frame.can_id == 0x123 && frame.len == 3 && memcmp(frame.data, data, 3) == 0);
    can_bus_send(&bus, &(const struct dbc_message){.id = 0x123, .is_extended = true, .is_fd = true},
                 data, 64);
    assert_int_equal(read(peer, &frame, sizeof(frame)), CANFD_MTU);
    assert_true(frame.can_id == (0x123 | CAN_EFF_FLAG) && frame.len == 64);
    assert_int_equal(bus.sent, 2);
}

/* The age of a frame includes the time that it waited in the socket. */
static void frames_come_with_their_age(void **state)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    struct canfd_frame frame;
    int64_t age_ns = -1;

    (void)state;
    assert_false(can_bus_receive(&bus, &frame, &age_ns));
    put(7, 3, CAN_MTU);
    nanosleep(&pause, NULL);
    assert_true(can_bus_receive(&bus, &frame, &age_ns));
    assert_true(frame.can_id == 7 && frame.len == 3 && frame.data[2] == 3);
    assert_true(age_ns >= pause.tv_nsec && age_ns <= SECOND_NS);
    assert_false(can_bus_receive(&bus, &frame, &age_ns));
}

static void what_is_no_frame_is_passed_over(void **state)
{
    struct canfd_frame frame;
    uint8_t bytes[200] = {0};
    int64_t age_ns;

    (void)state;
    assert_int_equal(write(peer, bytes, 5), 5);
    assert_int_equal(write(peer, bytes, sizeof(bytes)), sizeof(bytes));
    put(7, 9, CAN_MTU);    /* longer than a classic frame */
    put(7, 65, CANFD_MTU); /* longer than an FD frame */
    put(7 | CAN_RTR_FLAG, 3, CAN_MTU);
    put(8, 64, CANFD_MTU);
    assert_true(can_bus_receive(&bus, &frame, &age_ns));
    assert_int_equal(frame.can_id, 8);
    assert_int_equal(bus.received, 1);
}

static void bus_off_and_restart(void **state)
{
    const uint8_t data[8] = {0};
    struct canfd_frame frame;
    int64_t age_ns;

    (void)state;
    put(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, CAN_MTU);
    assert_false(can_bus_receive(&bus, &frame, &age_ns));
    assert_false(can_bus_is_up(&bus));
    assert_int_equal(bus.times_down, 1);
    can_bus_send(&bus, &(const struct dbc_message){.id = 1}, data, 8);
    assert_int_equal(bus.sent, 0);
    put(CAN_ERR_FLAG | CAN_ERR_RESTARTED, 8, CAN_MTU);
    assert_false(can_bus_receive(&bus, &frame, &age_ns));
    assert_true(can_bus_is_up(&bus));
    put(CAN_ERR_FLAG | CAN_ERR_BUSOFF, 8, CAN_MTU);
    put(7, 3, CAN_MTU);
    assert_true(can_bus_receive(&bus, &frame, &age_ns));
    assert_true(can_bus_is_up(&bus));
}

static void a_bus_comes_and_goes(void **state)
{
    struct canfd_frame frame;
    int64_t age_ns;

    (void)state;
    close(peer);
    close(listener);
    unlink(address.sun_path);
    assert_false(can_bus_receive(&bus, &frame, &age_ns));
    assert_true(bus.fd < 0 && bus.times_down == 1);
    can_bus_tend(&bus, 10 * SECOND_NS);
    assert_true(bus.fd < 0);
    listen_here();
    can_bus_tend(&bus, 10 * SECOND_NS + 1); /* no second restart at once */
    assert_true(bus.fd < 0);
    can_bus_tend(&bus, 11 * SECOND_NS);
    assert_true(can_bus_is_up(&bus));
    peer = accept(listener, NULL, NULL);
    put(7, 3, CAN_MTU);
    assert_true(can_bus_receive(&bus, &frame, &age_ns));
}

/* If the peer does not read, frames are lost and counted, and sending does not block. */
static void no_room(void **state)
{
    const uint8_t data[8] = {0};

    (void)state;
    for (int i = 0; i < 100000 && bus.not_sent == 0; i++)
        can_bus_send(&bus, &(const struct dbc_message){.id = 1}, data, 8);
    assert_true(bus.not_sent == 1 && bus.sent > 0);
    assert_true(can_bus_is_up(&bus));
}

static uint32_t drawn = 1;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525 + 1013904223;
    return (drawn >> 8) % below;
}

/* Send a packet of any bytes with any flags, often with the size of a frame. */
static void put_anything(void)
{
    static const size_t sizes[] = {CAN_MTU, CANFD_MTU,     CAN_MTU,       1,
                                   8,       CANFD_MTU - 1, CANFD_MTU + 40};
    uint8_t bytes[CANFD_MTU + 40];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(draw(3) == 0 ? draw(256) : 0);
    (void)!send(peer, bytes, sizes[draw(7)], MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Whatever packets the peer sends, and in whatever order it closes and reopens, only valid data
 * frames are received. */
static void any_packets_are_frames_or_nothing(void **state)
{
    const uint8_t data[64] = {0};
    struct canfd_frame frame;
    int64_t age_ns, now_ns = 0;
    uint64_t n = 0;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        uint32_t what = draw(100);

        now_ns += SECOND_NS;
        if (what == 0 && peer >= 0) {
            close(peer);
            peer = -1;
        } else if (what < 10) {
            can_bus_tend(&bus, now_ns);
        } else if (what < 20) {
            can_bus_send(&bus, &(const struct dbc_message){.id = k & 0x7ff, .bytes = 8}, data, 8);
        } else if (peer >= 0) {
            put_anything();
        }
        if (peer < 0 && poll(&(struct pollfd){.fd = listener, .events = POLLIN}, 1, 0) > 0)
            peer = accept(listener, NULL, NULL);
        while (can_bus_receive(&bus, &frame, &age_ns)) {
            assert_true(frame.len <= CANFD_MAX_DLEN && age_ns >= 0);
            assert_true((frame.can_id & (CAN_ERR_FLAG | CAN_RTR_FLAG)) == 0);
            n++;
        }
        assert_true(bus.received == n);
        while (peer >= 0 && recv(peer, &frame, sizeof(frame), MSG_DONTWAIT) > 0)
            continue;
    }
    assert_true(n > 100);
    if (peer < 0)
        peer = dup(listener); /* end() closes it */
}

static void names(void **state)
{
    struct can_bus other;
    char path[300];

    (void)state;
    assert_int_equal(can_bus_init(&other, "can0"), 0);
    assert_int_equal(can_bus_init(&other, "sixteen-letters."), 1);
    assert_int_equal(can_bus_init(&other, ""), 1);
    memset(path, 'x', sizeof(path));
    memcpy(path, "unix:/", 6);
    path[5 + 107] = '\0';
    assert_int_equal(can_bus_init(&other, path), 0);
    path[5 + 107] = 'x';
    path[5 + 108] = '\0';
    assert_int_equal(can_bus_init(&other, path), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(log_is_bounded),
        TEST(frames_go_out),
        TEST(frames_come_with_their_age),
        TEST(what_is_no_frame_is_passed_over),
        TEST(bus_off_and_restart),
        TEST(a_bus_comes_and_goes),
        TEST(no_room),
        TEST(any_packets_are_frames_or_nothing),
        cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
