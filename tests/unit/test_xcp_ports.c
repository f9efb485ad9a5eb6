/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of linkage-xcp without a daemon, with masters on loopback: a master that falls behind and
 * resets its connection, silent connections, and a long random sequence of actions by masters and
 * other peers. */
#include "cmocka_all.h"
#include "codes.h"
#include "ports.h"

#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND_NS   INT64_C(1000000000)
#define PATIENCE_MS 60000
#define PEERS       6 /* more than XCP_CONNECTIONS */
#define ACTIONS     4000

static struct xcp_image image;
static struct xcp_slave slave;
static struct xcp_ports ports;
static struct sockaddr_in tcp_at, udp_at;
static int64_t now_ns;
static int peer[PEERS];
static int udp;

static int refuse_write(void *context, int place, int n, const double *values)
{
    (void)context;
    (void)place;
    (void)n;
    (void)values;
    return XCP_E_ACCESS_DENIED;
}

static bool send_packet(void *context, const uint8_t *packet, size_t size)
{
    return xcp_ports_send(context, packet, size);
}

static bool fit_packets(void *context, size_t size)
{
    return xcp_ports_fit(context, size);
}

static void make_image(void)
{
    const struct xcp_channel c = {.name = "tip",
                                  .n = 1,
                                  .component = (const char *const[]){""},
                                  .unit = (const char *const[]){"m"},
                                  .says = "",
                                  .low = -INFINITY,
                                  .high = INFINITY};

    xcp_image_begin(&image, "arm", 0.001);
    xcp_image_channel(&image, XCP_OUTPUTS, &c);
    assert_int_equal(xcp_image_end(&image), 0);
    assert_int_equal(xcp_a2l_make(&image, "127.0.0.1", 5555), 0);
}

static struct sockaddr_in address_of(int fd)
{
    struct sockaddr_in at = {0};
    socklen_t size = sizeof(at);

    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    return at;
}

static int set_up(void **state)
{
    const struct in_addr here = {htonl(INADDR_LOOPBACK)};
    const struct xcp_calls calls = {
        .context = &ports, .write = refuse_write, .fits = fit_packets, .send = send_packet};
    struct lk_error error;

    (void)state;
    make_image();
    xcp_slave_init(&slave, &calls);
    slave.image = &image;
    memset(&ports, 0, sizeof(ports));
    ports.slave = &slave;
    assert_int_equal(xcp_ports_open(&ports, here, 0, &error), 0); /* any free port */
    tcp_at = address_of(ports.tcp);
    udp_at = address_of(ports.udp);
    udp = socket(AF_INET, SOCK_DGRAM, 0);
    for (int i = 0; i < PEERS; i++)
        peer[i] = -1;
    now_ns = SECOND_NS;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xcp_ports_close(&ports);
    xcp_image_fini(&image);
    close(udp);
    for (int i = 0; i < PEERS; i++)
        if (peer[i] >= 0)
            close(peer[i]);
    return 0;
}

static void connect_peer(int i)
{
    peer[i] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(peer[i], (const struct sockaddr *)&tcp_at, sizeof(tcp_at)), 0);
}

/* Close a connection with a reset, as the kernel does for a program that ends with unread data. */
static void reset_peer(int i)
{
    const struct linger at_once = {.l_onoff = 1};

    setsockopt(peer[i], SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(peer[i]);
    peer[i] = -1;
}

static void serve(void)
{
    now_ns += 1000000;
    xcp_ports_serve(&ports, now_ns);
}

static size_t frame(uint8_t *to, const uint8_t *packet, size_t size)
{
    xcp_put16(to, (uint16_t)size);
    xcp_put16(to + 2, 0);
    memcpy(to + XCP_FRAME, packet, size);
    return XCP_FRAME + size;
}

static void put(int fd, const uint8_t *packet, size_t size)
{
    uint8_t bytes[XCP_FRAME + XCP_MAX_CTO];

    assert_true(write(fd, bytes, frame(bytes, packet, size)) > 0);
}

/* Serve until @fd has received something.
 * Return: first byte of the packet; -1: the connection is closed */
static int answer(int fd)
{
    uint8_t bytes[XCP_FRAME + XCP_MAX_CTO];
    struct pollfd item = {.fd = fd, .events = POLLIN};

    for (int ms = 0; ms < PATIENCE_MS; ms++) {
        serve();
        if (poll(&item, 1, 1) > 0)
            return read(fd, bytes, sizeof(bytes)) > XCP_FRAME ? bytes[XCP_FRAME] : -1;
    }
    return -2;
}

static const uint8_t connect_command[] = {XCP_CONNECT, 0};

/* Serve and measure until the connection is full. */
static void fill_connection(void)
{
    static const uint8_t measured[XCP_MAX_DTO] = {0};

    for (int i = 0; i < 100000 && xcp_ports_send(&ports, measured, sizeof(measured)); i++)
        xcp_ports_flush(&ports);
    assert_false(xcp_ports_fit(&ports, XCP_FRAME + sizeof(measured)));
}

static void a_master_that_falls_behind_and_closes_ends_its_session(void **state)
{
    (void)state;
    connect_peer(0);
    put(peer[0], connect_command, sizeof(connect_command));
    assert_int_equal(answer(peer[0]), XCP_RESPONSE);
    fill_connection();
    reset_peer(0);
    for (int i = 0; i < PATIENCE_MS && ports.master != XCP_NOBODY; i++) {
        poll(NULL, 0, 1);
        serve();
    }
    assert_int_equal(ports.master, XCP_NOBODY);
    assert_false(slave.connected);
    connect_peer(1); /* the next master is served */
    put(peer[1], connect_command, sizeof(connect_command));
    assert_int_equal(answer(peer[1]), XCP_RESPONSE);
}

/* The daemon's side ends the session: if the model changes, an event is sent to the master, which
 * has already gone. */
static void a_session_ends_for_a_master_that_is_gone(void **state)
{
    (void)state;
    connect_peer(0);
    put(peer[0], connect_command, sizeof(connect_command));
    assert_int_equal(answer(peer[0]), XCP_RESPONSE);
    fill_connection();
    reset_peer(0);
    xcp_ports_end(&ports, true, "the model has changed");
    assert_int_equal(ports.master, XCP_NOBODY);
    serve();
    assert_int_equal(ports.connection[0].fd, -1);
}

static void silent_connections_keep_no_master_out(void **state)
{
    (void)state;
    for (int i = 0; i < PEERS - 1; i++) {
        connect_peer(i);
        serve();
    }
    connect_peer(PEERS - 1);
    put(peer[PEERS - 1], connect_command, sizeof(connect_command));
    assert_int_equal(answer(peer[PEERS - 1]), XCP_RESPONSE);
    assert_int_equal(answer(peer[0]), -1); /* the first was closed to make room */
    close(peer[0]);
    connect_peer(0); /* others connect, the master stays */
    for (int i = 0; i < 2 * XCP_CONNECTIONS; i++) {
        close(peer[0]);
        connect_peer(0);
        serve();
    }
    put(peer[PEERS - 1], connect_command, sizeof(connect_command));
    assert_int_equal(answer(peer[PEERS - 1]), XCP_RESPONSE);
}

/* ---- random actions ---- */

static uint32_t drawn = 1;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * 1664525 + 1013904223;
    return (drawn >> 8) % below;
}

static void put_anything(int fd)
{
    static const uint8_t commands[][8] = {
        {XCP_CONNECT, 0}, {XCP_DISCONNECT}, {XCP_GET_STATUS}, {XCP_UPLOAD, 200}, {XCP_GET_ID, 4}};
    uint8_t bytes[4 * (XCP_FRAME + 8)];
    size_t n = 0;

    for (uint32_t k = draw(4) + 1; k > 0; k--)
        n += frame(bytes + n, commands[draw(5)], 8);
    if (draw(8) == 0)
        bytes[draw((uint32_t)n)] = (uint8_t)draw(256);
    send(fd, bytes, n - (draw(4) == 0 ? draw((uint32_t)n) : 0), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void act_as_peer(int i)
{
    uint8_t ignored[4096];

    if (peer[i] < 0) {
        connect_peer(i);
        return;
    }
    switch (draw(8)) {
    case 0:
        reset_peer(i);
        return;
    case 1:
        shutdown(peer[i], SHUT_WR);
        return;
    case 2:
        close(peer[i]);
        peer[i] = -1;
        return;
    case 3:
        recv(peer[i], ignored, sizeof(ignored), MSG_DONTWAIT);
        return;
    default:
        put_anything(peer[i]);
    }
}

static void check_ports(void)
{
    assert_true(ports.master >= XCP_NOBODY && ports.master < XCP_CONNECTIONS);
    assert_true(slave.connected == (ports.master != XCP_NOBODY));
    assert_true(ports.master < 0 || ports.connection[ports.master].fd >= 0);
    for (int i = 0; i < XCP_CONNECTIONS; i++)
        assert_true(ports.connection[i].n_out <= XCP_BACKLOG &&
                    ports.connection[i].n_in <= sizeof(ports.connection[i].in));
}

static void any_sequence_leaves_a_session_of_a_connection(void **state)
{
    static const uint8_t measured[XCP_MAX_DTO] = {0};

    (void)state;
    connect(udp, (const struct sockaddr *)&udp_at, sizeof(udp_at));
    for (int k = 0; k < ACTIONS; k++) {
        uint32_t what = draw(20);

        if (what == 0)
            xcp_ports_end(&ports, draw(2) == 0, "drawn");
        else if (what == 1)
            now_ns += 61 * SECOND_NS;
        else if (what == 2)
            put_anything(udp);
        else if (what < 6)
            for (int n = 0; n < 60; n++)
                xcp_ports_send(&ports, measured, sizeof(measured));
        else
            act_as_peer((int)draw(PEERS));
        if (draw(2) == 0) {
            serve();
            check_ports();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_master_that_falls_behind_and_closes_ends_its_session,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_session_ends_for_a_master_that_is_gone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(silent_connections_keep_no_master_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_sequence_leaves_a_session_of_a_connection, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
