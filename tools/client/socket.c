/* SPDX-License-Identifier: Apache-2.0 */
/* Socket set-up and the one way of receiving. */
#include "socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int refuse(const char *endpoint, int fault, struct lk_error *ret_error)
{
    lk_error_set(ret_error, "cannot connect to '%s': %s; expected an endpoint like %s", endpoint,
                 zmq_strerror(fault), LK_CLIENT_CONTROL);
    return LK_CLIENT_E_ENDPOINT;
}

static void set_int(void *handle, int option, int value)
{
    /* Fails only for an option that this libzmq does not know; each has a harmless default. */
    (void)zmq_setsockopt(handle, option, &value, sizeof(value));
}

int lk_client_socket_open(struct lk_client_socket *ret_socket, void *context, int type,
                          const char *endpoint, struct lk_error *ret_error)
{
    const int64_t message_max = type == ZMQ_DEALER ? LK_WIRE_CONTROL_MAX : LK_WIRE_SAMPLE_MAX;
    void *handle;

    if (strlen(endpoint) >= LK_CLIENT_ENDPOINT_SIZE)
        return refuse(endpoint, ENAMETOOLONG, ret_error);
    handle = zmq_socket(context, type);
    if (handle == NULL) {
        int fault = errno;

        lk_error_set(ret_error, "no socket: %s", zmq_strerror(fault));
        return -fault;
    }
    set_int(handle, ZMQ_LINGER, 0);
    zmq_setsockopt(handle, ZMQ_MAXMSGSIZE, &message_max, sizeof(message_max));
    if (type == ZMQ_SUB)
        zmq_setsockopt(handle, ZMQ_SUBSCRIBE, "", 0);
    if (zmq_connect(handle, endpoint) != 0) {
        int fault = errno;

        zmq_close(handle);
        return refuse(endpoint, fault, ret_error);
    }
    ret_socket->context = context;
    ret_socket->handle = handle;
    snprintf(ret_socket->endpoint, sizeof(ret_socket->endpoint), "%s", endpoint);
    return 0;
}

void lk_client_socket_close(struct lk_client_socket *socket)
{
    zmq_close(socket->handle);
}

static int wait_readable(void *handle, int64_t deadline_ns)
{
    for (;;) {
        int64_t left_ns = deadline_ns - lk_client_now_ns();
        zmq_pollitem_t item = {.socket = handle, .events = ZMQ_POLLIN};
        /* Rounded up: a wait that is cut short would only have to be repeated. */
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
    /* Trying first saves the poll when messages are waiting already. */
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
