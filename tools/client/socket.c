/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up of sockets, and the only function that receives messages. */
#include "socket.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int refuse_endpoint(const char *endpoint, int fault, struct lk_error *ret_error)
{
    lk_error_set(ret_error, "cannot connect to '%s': %s; expected an endpoint like %s", endpoint,
                 zmq_strerror(fault), LK_CLIENT_CONTROL);
    return LK_CLIENT_E_ENDPOINT;
}

/* Keep-alive settings. If the kernel of the daemon's host does not answer TCP probes for three
 * seconds, for example because it has no power, the connection is closed. The socket then
 * reconnects, at increasing intervals up to half a second. ZeroMQ's own heartbeats are not used: a
 * heartbeat that is due after the peer has died with a full queue aborts the process, on either
 * side (libzmq issue 4841). */
#define KEEPALIVE_S       1
#define KEEPALIVE_PROBES  3
#define UNACKNOWLEDGED_MS 3000
#define HANDSHAKE_MS      2000
#define RECONNECT_MS      100
#define RECONNECT_MAX_MS  500
#define SENDER_QUEUE      64 /* samples queued for a slow connection */

int lk_client_keys_copy(const struct lk_client_options *options, struct lk_client_keys *ret_keys,
                        struct lk_error *ret_error)
{
    static const struct lk_client_options none;
    const struct lk_client_options *o = options != NULL ? options : &none;
    const char *const given[] = {o->server_key, o->public_key, o->secret_key};
    struct lk_client_keys keys = {0};
    char *const copies[] = {keys.server, keys.public_key, keys.secret};
    uint8_t bytes[32];
    int n = 0;

    for (int i = 0; i < 3; i++) {
        if (given[i] == NULL)
            continue;
        if (strlen(given[i]) != LK_CLIENT_KEY_SIZE - 1 || zmq_z85_decode(bytes, given[i]) == NULL) {
            lk_error_set(ret_error, "a key is not one: expected 40 characters of Z85");
            return LK_CLIENT_E_KEYS;
        }
        memcpy(copies[i], given[i], LK_CLIENT_KEY_SIZE);
        n++;
    }
    if (n != 0 && n != 3) {
        lk_error_set(ret_error,
                     "expected the daemon's public key and both keys of this client, or none");
        return LK_CLIENT_E_KEYS;
    }
    *ret_keys = keys;
    return 0;
}

static void set_int(void *handle, int option, int value)
{
    /* This fails only if this version of libzmq lacks the option. Then the default is
     * acceptable. */
    (void)zmq_setsockopt(handle, option, &value, sizeof(value));
}

static void set_options(void *handle, int type)
{
    const int64_t message_max = type == ZMQ_DEALER ? LK_WIRE_CONTROL_MAX : LK_WIRE_SAMPLE_MAX;

    set_int(handle, ZMQ_LINGER, 0);
    set_int(handle, ZMQ_TCP_KEEPALIVE, 1);
    set_int(handle, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_S);
    set_int(handle, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_S);
    set_int(handle, ZMQ_TCP_KEEPALIVE_CNT, KEEPALIVE_PROBES);
    set_int(handle, ZMQ_TCP_MAXRT, UNACKNOWLEDGED_MS);
    set_int(handle, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    set_int(handle, ZMQ_RECONNECT_IVL, RECONNECT_MS);
    set_int(handle, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
    zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &message_max, sizeof(message_max));
    /* Input samples must never be queued without a daemon. Requests are queued, see client.c. */
    if (type == ZMQ_XPUB) {
        set_int(handle, ZMQ_IMMEDIATE, 1);
        set_int(handle, ZMQ_SNDHWM, SENDER_QUEUE);
    }
}

/* Set the keys of a socket.
 * Return: 0, or an errno. */
static int set_keys(void *handle, const struct lk_client_keys *keys)
{
    if (keys == NULL || keys->server[0] == '\0')
        return 0;
    if (zmq_setsockopt(handle, ZMQ_CURVE_SERVERKEY, keys->server, LK_CLIENT_KEY_SIZE) != 0 ||
        zmq_setsockopt(handle, ZMQ_CURVE_PUBLICKEY, keys->public_key, LK_CLIENT_KEY_SIZE) != 0 ||
        zmq_setsockopt(handle, ZMQ_CURVE_SECRETKEY, keys->secret, LK_CLIENT_KEY_SIZE) != 0)
        return errno;
    return 0;
}

/* Open a socket for the connection events of @handle; NULL if this fails. */
static void *watch_connection(void *context, void *handle)
{
    const int events = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_DISCONNECTED |
                       ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                       ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    char address[64];
    void *monitor;

    snprintf(address, sizeof(address), "inproc://connection-%p", handle);
    if (zmq_socket_monitor(handle, address, events) != 0)
        return NULL;
    monitor = zmq_socket(context, ZMQ_PAIR);
    if (monitor == NULL)
        return NULL;
    set_int(monitor, ZMQ_LINGER, 0);
    if (zmq_connect(monitor, address) != 0) {
        zmq_close(monitor);
        return NULL;
    }
    return monitor;
}

static bool has_keys(void *handle)
{
    int mechanism = ZMQ_NULL;
    size_t size = sizeof(mechanism);

    return zmq_getsockopt(handle, ZMQ_MECHANISM, &mechanism, &size) == 0 && mechanism == ZMQ_CURVE;
}

/* Return the reason of a failed handshake. A peer that requires keys may close the connection
 * before it sends the reason. */
static const char *failure_text(void *handle, uint16_t event, uint32_t value)
{
    switch (event) {
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        return "it refused the key of this client";
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH)
            return "one end of the connection wants keys (CURVE), the other has none";
        return "what is there does not speak ZeroMQ";
    default:
        return has_keys(handle)
                   ? "it ends the connection at once: is the server key the right one?"
                   : "it ends the connection at once, as one that wants keys (CURVE) does";
    }
}

/* Return true if the handshake timed out. This event has no detail either, but the peer has not
 * disconnected. */
static bool is_silence(uint16_t event, uint32_t value)
{
    return event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL && value != EPIPE && value != ECONNRESET;
}

static void take_event(struct lk_client_socket *socket, uint16_t event, uint32_t value)
{
    switch (event) {
    case ZMQ_EVENT_CONNECTED:
        socket->reach = LK_CLIENT_SOMEBODY;
        return;
    case ZMQ_EVENT_DISCONNECTED: /* the event of the failed handshake has already set the reason */
        if (socket->reach == LK_CLIENT_DAEMON)
            socket->reach = LK_CLIENT_NOBODY;
        return;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
        socket->reach = LK_CLIENT_DAEMON;
        socket->trouble = NULL;
        return;
    default:
        socket->reach = is_silence(event, value) ? LK_CLIENT_SOMEBODY : LK_CLIENT_NOBODY;
        if (socket->reach == LK_CLIENT_SOMEBODY)
            return;
        /* Keep the reason of an earlier attempt if the next attempt fails without a reason. */
        if (event != ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL || socket->trouble == NULL)
            socket->trouble = failure_text(socket->handle, event, value);
    }
}

void lk_client_socket_check(struct lk_client_socket *socket)
{
    uint8_t frame[6];

    if (socket->monitor == NULL)
        return;
    /* The first frame contains event and value, the second the address. */
    while (zmq_recv(socket->monitor, frame, sizeof(frame), ZMQ_DONTWAIT) == (int)sizeof(frame)) {
        uint16_t event;
        uint32_t value;

        memcpy(&event, frame, sizeof(event));
        memcpy(&value, frame + sizeof(event), sizeof(value));
        zmq_recv(socket->monitor, NULL, 0, ZMQ_DONTWAIT);
        take_event(socket, event, value);
    }
}

int lk_client_socket_open(struct lk_client_socket *ret_socket, void *context, int type,
                          const char *endpoint, const struct lk_client_keys *keys,
                          struct lk_error *ret_error)
{
    void *handle, *monitor;
    int fault;

    if (strlen(endpoint) >= LK_CLIENT_ENDPOINT_SIZE)
        return refuse_endpoint(endpoint, ENAMETOOLONG, ret_error);
    handle = zmq_socket(context, type);
    if (handle == NULL) {
        fault = errno;
        lk_error_set(ret_error, "no socket: %s", zmq_strerror(fault));
        return -fault;
    }
    set_options(handle, type);
    fault = set_keys(handle, keys);
    monitor = type == ZMQ_DEALER ? watch_connection(context, handle) : NULL;
    if (fault == 0 && zmq_connect(handle, endpoint) != 0)
        fault = errno;
    if (fault != 0) {
        if (monitor != NULL)
            zmq_close(monitor);
        zmq_close(handle);
        return refuse_endpoint(endpoint, fault, ret_error);
    }
    *ret_socket =
        (struct lk_client_socket){.context = context, .handle = handle, .monitor = monitor};
    snprintf(ret_socket->endpoint, sizeof(ret_socket->endpoint), "%s", endpoint);
    return 0;
}

void lk_client_socket_subscribe(struct lk_client_socket *socket, const void *topic, size_t size)
{
    /* This cannot fail, because the SUB socket is open. */
    (void)zmq_setsockopt(socket->handle, ZMQ_SUBSCRIBE, topic, size);
}

void lk_client_socket_close(struct lk_client_socket *socket)
{
    if (socket->monitor != NULL) {
        /* Stop the events first: the memory of an event for a closed monitor would leak. */
        zmq_socket_monitor(socket->handle, NULL, 0);
        zmq_close(socket->monitor);
    }
    zmq_close(socket->handle);
}

static int wait_readable(void *handle, int64_t deadline_ns)
{
    for (;;) {
        int64_t left_ns = deadline_ns - lk_client_now_ns();
        zmq_pollitem_t item = {.socket = handle, .events = ZMQ_POLLIN};
        /* Round up, because a wait that ends too early would only be repeated. */
        int n = zmq_poll(&item, 1, left_ns > 0 ? (long)((left_ns + 999999) / 1000000) : 0);

        if (n > 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        if (left_ns <= 0)
            return LK_CLIENT_E_NO_ANSWER;
    }
}

int lk_client_socket_receive(struct lk_client_socket *socket, int64_t deadline_ns,
                             zmq_msg_t *ret_message)
{
    int code;

    zmq_msg_init(ret_message);
    /* Try to receive first, which saves the poll if a message is already there. */
    while (zmq_msg_recv(ret_message, socket->handle, ZMQ_DONTWAIT) < 0) {
        code = errno == EAGAIN  ? wait_readable(socket->handle, deadline_ns)
               : errno == EINTR ? 0
                                : -errno;
        if (code != 0) {
            zmq_msg_close(ret_message);
            return code;
        }
    }
    while (zmq_msg_more(ret_message)) {
        if (zmq_msg_recv(ret_message, socket->handle, 0) < 0) {
            code = -errno;
            zmq_msg_close(ret_message);
            return code;
        }
    }
    return 0;
}
