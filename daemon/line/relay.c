/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"
#include "wait.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

/* Messages relayed in a row before the next route is served. */
#define BURST 32
/* Processing of subscriptions may use a twentieth of each span. */
#define SPAN_NS    INT64_C(10000000)
#define HEARING_NS (SPAN_NS / 20)
/* Longest wait of an idle thread before its loop counts again, which proves that the thread is
 * alive [ms]. */
#define TURN_MS 200
/* Largest number of parts of a message from a ROUTER: routing id, an empty part (from REQ sockets
 * only), the payload. */
#define PARTS_MAX 3
/* First byte of an address, before the routing id: whether the request had an empty part before the
 * payload. */
enum { ADDRESS_PLAIN, ADDRESS_REQ };

/** struct incoming - a message from a socket.
 * @n: number of parts that arrived; the first @n_kept of them are stored in @part */
struct incoming {
    zmq_msg_t part[PARTS_MAX];
    int n_kept;
    int n;
};

static void close_incoming(struct incoming *in)
{
    for (int i = 0; i < in->n_kept; i++)
        zmq_msg_close(&in->part[i]);
}

/* Receive a message.
 * Return: true if there was a message. */
static bool receive_message(void *socket, struct incoming *in)
{
    bool more = true;

    in->n_kept = in->n = 0;
    while (more) {
        zmq_msg_t part;

        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&part);
            close_incoming(in);
            return false;
        }
        more = zmq_msg_more(&part);
        in->n++;
        if (in->n_kept < PARTS_MAX) {
            zmq_msg_init(&in->part[in->n_kept]);
            zmq_msg_move(&in->part[in->n_kept++], &part);
        }
        zmq_msg_close(&part);
    }
    return true;
}

/* ---- towards the daemon ---- */

/* Return the index of the part with the payload, or -1. */
static int find_payload(struct incoming *in)
{
    if (in->n == 2)
        return 1;
    if (in->n == 3 && zmq_msg_size(&in->part[1]) == 0)
        return 2;
    return -1;
}

/* Set the content of @message, unless it is too long. */
static void take_content(const struct lkd_route *route, zmq_msg_t *part,
                         struct lkd_message *message)
{
    size_t size = zmq_msg_size(part);

    if (size > lkd_channel_size_max(route->channel)) {
        message->kind = LKD_FRAME_LONG;
        return;
    }
    message->data = zmq_msg_data(part);
    message->size = size;
}

/* Pass a request to the daemon. A malformed message is passed without content, so that the daemon
 * refuses it. */
static void hand_in_request(struct lkd_route *route, struct incoming *in,
                            struct lkd_message *message)
{
    unsigned char address[LKD_PORT_ADDRESS_MAX];
    int payload = find_payload(in);
    size_t n = zmq_msg_size(&in->part[0]);

    if (n >= sizeof(address)) /* routing ids have at most 255 bytes */
        return;
    address[0] = payload == 2 ? ADDRESS_REQ : ADDRESS_PLAIN;
    memcpy(address + 1, zmq_msg_data(&in->part[0]), n);
    message->address = address;
    message->n_address = n + 1;
    if (payload > 0)
        take_content(route, &in->part[payload], message);
    lkd_port_send(&route->port, message, true);
}

static void hand_in_sample(struct lkd_route *route, struct incoming *in,
                           struct lkd_message *message)
{
    if (in->n > 1)
        message->kind = LKD_FRAME_PARTS;
    else
        take_content(route, &in->part[0], message);
    lkd_port_send(&route->port, message, true);
}

static void hand_in(struct lkd_route *route, struct incoming *in)
{
    struct lkd_message message = {.kind = LKD_FRAME_MESSAGE, .generation = route->generation};

    lkd_peer_of(route->keyed, zmq_msg_gets(&in->part[in->n_kept - 1], "User-Id"), &message.peer);
    if (route->channel == LKD_CHANNEL_CONTROL)
        hand_in_request(route, in, &message);
    else
        hand_in_sample(route, in, &message);
}

/* Return the end of the pause in reading the socket [ns], 0: no pause. */
static int64_t rests_until(struct lkd_route *route)
{
    return route->channel == LKD_CHANNEL_OUTPUTS
               ? lkd_allowance_rest(&route->hearing, lkd_clock_ns())
               : 0;
}

static void relay_inward(struct lkd_route *route)
{
    int64_t begin_ns = lkd_clock_ns();

    for (int i = 0; i < BURST && !lkd_port_is_kept(&route->port); i++) {
        struct incoming in;

        if (!receive_message(route->socket, &in))
            break;
        hand_in(route, &in);
        close_incoming(&in);
    }
    lkd_allowance_use(&route->hearing, lkd_clock_ns() - begin_ns);
}

/* ---- from the daemon ---- */

static bool send_part(struct lkd_route *route, const void *data, size_t size, int flags)
{
    return zmq_send(route->socket, data, size, ZMQ_DONTWAIT | flags) >= 0;
}

static void send_reply(struct lkd_route *route, const struct lkd_message *message)
{
    char text[128];

    /* The routing ids of an earlier line process are invalid now, or belong to another client. */
    if (message->generation != route->generation || message->n_address < 1)
        return;
    if (send_part(route, message->address + 1, message->n_address - 1, ZMQ_SNDMORE) &&
        (message->address[0] == ADDRESS_PLAIN || send_part(route, "", 0, ZMQ_SNDMORE)) &&
        send_part(route, message->data, message->size, 0))
        return;
    snprintf(text, sizeof(text), "reply not sent: %s", zmq_strerror(errno));
    route->report(LKD_C_REPLY_NOT_SENT, text);
}

/* Send messages of the daemon to clients. For slow subscribers ZeroMQ drops samples, which causes a
 * gap in the sequence numbers. */
static void relay_outward(struct lkd_route *route)
{
    struct lkd_message message;

    for (int i = 0; i < BURST && lkd_port_receive(&route->port, &message); i++) {
        if (route->channel == LKD_CHANNEL_CONTROL)
            send_reply(route, &message);
        else
            send_part(route, message.data, message.size, 0);
    }
}

/* ---- thread ---- */

static short port_events(const struct lkd_route *route)
{
    return (short)(ZMQ_POLLIN | (lkd_port_is_kept(&route->port) ? ZMQ_POLLOUT : 0));
}

/* Return the events to poll at the socket. A PUB socket has nothing to read. */
static short socket_events(const struct lkd_route *route, int64_t rest_ns)
{
    bool reads = route->channel != LKD_CHANNEL_VILLAS_OUTPUTS && rest_ns == 0;

    return reads && !lkd_port_is_kept(&route->port) ? ZMQ_POLLIN : 0;
}

/* Write the items to poll.
 * @ret_ms: longest time to wait for the items
 * Return: number of items, two for each open route. */
static int fill_items(const struct lkd_relay *relay, zmq_pollitem_t *items, long *ret_ms)
{
    int n = 0;

    *ret_ms = TURN_MS;
    for (int i = 0; i < relay->n; i++) {
        struct lkd_route *route = relay->route[i];
        int64_t rest_ns = rests_until(route);

        if (rest_ns)
            *ret_ms = SPAN_NS / 1000000;
        items[n++] = (zmq_pollitem_t){.fd = route->port.fd, .events = port_events(route)};
        items[n++] =
            (zmq_pollitem_t){.socket = route->socket, .events = socket_events(route, rest_ns)};
    }
    return n;
}

/* Wait for events once, and relay messages in both directions.
 * Return: true if a channel of the daemon is still open. */
static bool relay_turn(struct lkd_relay *relay)
{
    zmq_pollitem_t items[2 * LKD_RELAY_ROUTES_MAX];
    long wait_ms;
    int n = fill_items(relay, items, &wait_ms);
    bool open = false;

    if (zmq_poll(items, n, wait_ms) < 0 && errno != EINTR)
        return false;
    for (int i = 0; i < relay->n; i++) {
        struct lkd_route *route = relay->route[i];

        if (items[2 * i].revents)
            relay_outward(route);
        if (items[2 * i].revents & ZMQ_POLLOUT)
            lkd_port_flush(&route->port);
        if (items[2 * i + 1].revents & ZMQ_POLLIN)
            relay_inward(route);
        open = open || !route->port.closed;
    }
    return open;
}

static void *run_relay(void *data)
{
    struct lkd_relay *relay = data;

    while (relay_turn(relay))
        atomic_fetch_add_explicit(&relay->turns, 1, memory_order_relaxed);
    return NULL;
}

int lkd_relay_start(struct lkd_relay *relay)
{
    int r;

    for (int i = 0; i < relay->n; i++)
        relay->route[i]->hearing =
            (struct lkd_allowance){.span_ns = SPAN_NS, .most_ns = HEARING_NS};
    r = -pthread_create(&relay->thread, NULL, run_relay, relay);
    relay->started = r == 0;
    if (r == 0) /* set by this thread, so that the name exists when threads are searched by name */
        pthread_setname_np(relay->thread, relay->name);
    return r;
}

void lkd_relay_join(struct lkd_relay *relay)
{
    if (relay->started)
        pthread_join(relay->thread, NULL);
    relay->started = false;
}
