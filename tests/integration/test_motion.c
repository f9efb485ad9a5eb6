/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams for a motion platform, from a real daemon to a real UDP socket, decoded by separate
 * code after the table in doc/reference/sending.md. */
#include "subscriber.h"
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MISSING (1u << 24)
#define HELD    (1u << 25)
#define EMPTY   (1u << 26)

/** struct packet - a decoded datagram */
struct packet {
    uint16_t format;
    uint32_t counter;
    uint32_t status;
    uint64_t step;
    double time_s;
    uint64_t utc_ns;
    double value[24];
};

/* size of the receive queue [bytes]. It is enough for seconds at 1 kHz, while this process does not
 * run. */
#define QUEUE_BYTES (16 << 20)

/** struct platform - receiver of the datagrams
 * @lossless: true if the receive queue has QUEUE_BYTES
 * @counter:  counter of the last datagram */
struct platform {
    int fd;
    int port;
    bool lossless;
    uint32_t counter;
};

static uint64_t number(const unsigned char *at, int size)
{
    uint64_t value = 0;

    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static double real(const unsigned char *at, int size)
{
    uint64_t bits = number(at, size);
    uint32_t low = (uint32_t)bits;
    double wide;
    float narrow;

    memcpy(&wide, &bits, sizeof(wide));
    memcpy(&narrow, &low, sizeof(narrow));
    return size == 8 ? wide : (double)narrow;
}

static void decode(const unsigned char *bytes, ssize_t n, struct packet *ret)
{
    int size;

    assert_memory_equal(bytes, "LKM1", 4);
    assert_int_equal(number(bytes + 4, 2), 1);
    ret->format = (uint16_t)number(bytes + 6, 2);
    ret->counter = (uint32_t)number(bytes + 8, 4);
    ret->status = (uint32_t)number(bytes + 12, 4);
    ret->step = number(bytes + 16, 8);
    ret->time_s = real(bytes + 24, 8);
    ret->utc_ns = number(bytes + 32, 8);
    size = ret->format & 1 ? 8 : 4;
    assert_int_equal(n, 40 + 24 * size);
    for (int i = 0; i < 24; i++)
        ret->value[i] = real(bytes + 40 + i * size, size);
}

static void open_platform(struct platform *p)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    const int queue = QUEUE_BYTES;

    *p = (struct platform){.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(p->fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(p->fd, (struct sockaddr *)&address, &size), 0);
    p->port = ntohs(address.sin_port);
    /* more than the default limit needs a privilege */
    p->lossless = setsockopt(p->fd, SOL_SOCKET, SO_RCVBUFFORCE, &queue, sizeof(queue)) == 0;
}

/* Return the next datagram. Loopback loses no datagram that fits into the queue, so the counter
 * increases with steps of 1. */
static struct packet next(struct platform *p)
{
    struct pollfd item = {.fd = p->fd, .events = POLLIN};
    unsigned char bytes[512];
    struct packet packet;

    assert_int_equal(poll(&item, 1, PATIENCE_MS), 1);
    decode(bytes, recv(p->fd, bytes, sizeof(bytes), 0), &packet);
    if (p->lossless)
        assert_int_equal(packet.counter, p->counter + 1);
    else
        assert_true(packet.counter > p->counter);
    p->counter = packet.counter;
    return packet;
}

static struct packet await(struct platform *p, Linkage__V1__State state)
{
    struct packet packet;

    do
        packet = next(p);
    while ((packet.status & 0xff) != (uint32_t)state);
    return packet;
}

static void open_with(struct harness *h, struct platform *p, const char *more)
{
    char config[1024];

    open_platform(p);
    snprintf(config, sizeof(config), UNPRIVILEGED "motion:\n  - endpoint: udp://127.0.0.1:%d\n%s",
             p->port, more);
    harness_open(h, config);
}

#define SLOTS                                                                                      \
    "    pose: [{channel: tip, component: x, scale: 1000}, {channel: tip, component: y, scale: "   \
    "-1},"                                                                                         \
    " {}, {channel: coupler_pose, component: roll}, {channel: coupler_pose, component: pitch},"    \
    " {channel: coupler_pose, component: yaw}]\n"                                                  \
    "    velocity: [{channel: crank_rate, offset: 0.5}]\n"

/* Check @n datagrams against the OutputSample of the same step. Scaled values are sent with 64 bits
 * and must be equal. */
static void check_values(struct harness *h, struct platform *p, int n)
{
    struct packet packet = await(p, STATE(RUNNING));

    for (int compared = 0; compared < n;) {
        const Linkage__V1__OutputSample *sample = harness_sample(h, PATIENCE_MS);

        assert_non_null(sample);
        while (packet.step < sample->step)
            packet = next(p);
        if (packet.step != sample->step || sample->state != STATE(RUNNING))
            continue;
        assert_int_equal(packet.status & ~0xff00u, STATE(RUNNING));
        assert_int_equal(packet.status >> 8 & 0xff, sample->flags);
        assert_true(packet.time_s == sample->time_s);
        assert_true(fabs(1e-9 * ((double)packet.utc_ns - (double)sample->utc_ns)) < 60);
        assert_true(packet.value[0] == 1000 * sample->values[17]); /* tip: after 1 1 7 6 2 */
        assert_true(packet.value[1] == -sample->values[18]);
        assert_true(packet.value[2] == 0);
        assert_true(fabs(packet.value[3]) < 1e-9 && fabs(packet.value[4]) < 1e-9); /* planar */
        assert_true(fabs(sin(packet.value[5]) - 2 * sample->values[5] * sample->values[8]) <
                    1e-9); /* qw qz */
        assert_true(packet.value[6] == sample->values[1] + 0.5);
        for (int i = 7; i < 24; i++)
            assert_true(packet.value[i] == 0);
        compared++;
    }
}

static void check_run(const char *more)
{
    struct platform p;
    struct harness h;

    open_with(&h, &p, more);
    harness_load_model(&h);
    harness_go(&h);
    check_values(&h, &p, 100);
    harness_close(&h);
    close(p.fd);
}

static void test_from_the_exchange(void **state)
{
    (void)state;
    check_run("    format: f64\n" SLOTS);
}

static void test_from_the_cycle(void **state)
{
    (void)state;
    check_run("    format: f64\n    send_from: cycle\n" SLOTS);
}

/* With a divisor of 8 one step in 8 gives a datagram. Datagrams that the cycle sends are never
 * skipped. */
static void test_divisor(void **state)
{
    struct platform p;
    struct harness h;
    uint64_t step;

    (void)state;
    open_with(&h, &p, "    send_from: cycle\n    divisor: 8\n" SLOTS);
    harness_load_model(&h);
    harness_go(&h);
    step = await(&p, STATE(RUNNING)).step;
    assert_int_equal(step, 8);
    for (int i = 0; i < 50; i++)
        assert_int_equal(next(&p).step, step += 8);
    harness_close(&h);
    close(p.fd);
}

/* Read twenty datagrams with the same values.
 * Return: the time that the daemon needed for them, according to its own clock [s] */
static double time_of_twenty(struct platform *p, Linkage__V1__State state, uint32_t flags)
{
    struct packet first = await(p, state), packet;

    for (int i = 0; i < 20; i++) {
        packet = next(p);
        assert_int_equal(packet.status & 0xff, state);
        assert_int_equal(packet.status & (HELD | EMPTY), flags);
        assert_int_equal(packet.step, first.step);
        for (int k = 0; k < 24; k++)
            if (packet.value[k] != first.value[k])
                fail_msg("state %d, datagram %d of step %llu: value %d is %.17g, was %.17g",
                         (int)state, i, (unsigned long long)packet.step, k, packet.value[k],
                         first.value[k]);
    }
    return 1e-9 * ((double)packet.utc_ns - (double)first.utc_ns);
}

/* Check that a daemon without steps sends twenty datagrams per second. A busy machine delays the
 * first one, so up to 10 attempts are made. */
static void check_rest(struct platform *p, Linkage__V1__State state, uint32_t flags)
{
    double longest_s = 0;

    for (int i = 0; i < 10 && longest_s < 0.9; i++)
        longest_s = fmax(longest_s, time_of_twenty(p, state, flags));
    assert_true(longest_s >= 0.9);
}

static void check_every_state(const char *more)
{
    const double torque = 1e12;
    struct platform p;
    struct harness h;

    open_with(&h, &p, more);
    check_rest(&p, STATE(EMPTY), HELD | EMPTY);
    harness_load_unlimited(&h);
    check_rest(&p, STATE(READY), HELD | EMPTY);
    harness_go(&h);
    await(&p, STATE(RUNNING));
    harness_expect(&h, PAUSE, RESULT(OK), STATE(PAUSED));
    check_rest(&p, STATE(PAUSED), HELD);
    harness_expect(&h, START, RESULT(OK), STATE(RUNNING));
    assert_int_equal(await(&p, STATE(RUNNING)).status & (HELD | EMPTY), 0);
    harness_expect(&h, STOP, RESULT(OK), STATE(ARMED));
    check_rest(&p, STATE(ARMED), HELD);
    assert_int_equal(harness_set(&h, "motor", &torque, 1)->result, RESULT(OK));
    harness_go(&h);
    check_rest(&p, STATE(FAULT), HELD);
    harness_load_model(&h);
    check_rest(&p, STATE(READY), HELD | EMPTY);
    harness_close(&h);
    close(p.fd);
}

static void test_every_state_from_the_exchange(void **state)
{
    (void)state;
    check_every_state(SLOTS);
}

static void test_every_state_from_the_cycle(void **state)
{
    (void)state;
    check_every_state("    send_from: cycle\n" SLOTS);
}

/* The configuration names outputs that the model lacks. The daemon writes one log line, sets a
 * status bit and sends zeros. A model with these outputs clears the bit. */
static void test_names_that_the_model_lacks(void **state)
{
    struct packet packet;
    struct platform p;
    struct harness h;

    (void)state;
    open_with(&h, &p,
              "    pose: [{channel: tip, component: x}, {channel: seat, component: x, offset: 3}]\n"
              "    angular_rate: [{}, {channel: tip}]\n");
    assert_int_equal(await(&p, STATE(EMPTY)).status & MISSING, 0);
    harness_load_model(&h);
    packet = await(&p, STATE(READY));
    assert_int_equal(packet.status & MISSING, MISSING);
    assert_true(harness_log_has(h.folder, "log",
                                "the model has no such output, 0 is sent instead: pose 2 (seat.x), "
                                "angular_rate 2 (tip)"));
    harness_go(&h);
    packet = await(&p, STATE(RUNNING));
    assert_int_equal(packet.status & MISSING, MISSING);
    assert_true(packet.value[0] != 0);
    assert_true(packet.value[1] == 0);
    harness_close(&h);
    close(p.fd);
}

/* If the platform is switched off, the run continues, with one log line. */
static void test_nobody_listens(void **state)
{
    const Linkage__V1__OutputSample *sample = NULL;
    struct platform p;
    struct harness h;

    (void)state;
    open_with(&h, &p, "    send_from: cycle\n");
    close(p.fd);
    harness_load_model(&h);
    harness_go(&h);
    do
        sample = harness_sample(&h, PATIENCE_MS);
    while (sample && sample->step < 200);
    assert_non_null(sample);
    harness_expect(&h, STATUS, RESULT(OK), STATE(RUNNING));
    harness_await_log(&h, "datagrams not sent: Connection refused", 1);
    harness_close(&h);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from_the_exchange),
        cmocka_unit_test(test_from_the_cycle),
        cmocka_unit_test(test_divisor),
        cmocka_unit_test(test_every_state_from_the_exchange),
        cmocka_unit_test(test_every_state_from_the_cycle),
        cmocka_unit_test(test_names_that_the_model_lacks),
        cmocka_unit_test(test_nobody_listens),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
