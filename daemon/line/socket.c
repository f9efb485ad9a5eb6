/* SPDX-License-Identifier: Apache-2.0 */
#include "socket.h"
#include "zap.h"
#include <errno.h>
#include <string.h>
#include <zmq.h>

/* TCP keep-alive: a silent peer is probed after a second; without an answer for three seconds the
 * connection is closed. ZeroMQ's own heartbeats are not used. With them libzmq 4.3.4 aborts the
 * process if a heartbeat is due on a connection whose peer has died while its message queue was
 * full ("Assertion failed: !_io_error", issue 4841 of libzmq). A bench that floods and is then
 * killed would end all connections. */
#define KEEPALIVE_S       1
#define KEEPALIVE_PROBES  3
#define UNACKNOWLEDGED_MS 3000
/* Growth of a message by encryption [bytes]: ZeroMQ checks the size of the encrypted message. */
#define CURVE_OVERHEAD 33
/* Time limit of the handshake of a new connection. */
#define HANDSHAKE_MS 2000

/* With this option a connection is refused if the ZAP handler does not answer. libzmq 4.3 has the
 * option, but some versions of its header lack the constant. */
#ifndef ZMQ_ZAP_ENFORCE_DOMAIN
#define ZMQ_ZAP_ENFORCE_DOMAIN 93
#endif

static void set_int(void *socket, int option, int value)
{
    zmq_setsockopt(socket, option, &value, sizeof(value));
}

static void *make_socket(void *context, const struct lkd_socket_options *options)
{
    int64_t size_max = (int64_t)options->size_max + (options->secret_key ? CURVE_OVERHEAD : 0);
    uint64_t affinity = UINT64_C(1) << options->io_thread;
    void *socket = zmq_socket(context, options->type);

    if (!socket)
        return NULL;
    zmq_setsockopt(socket, ZMQ_AFFINITY, &affinity, sizeof(affinity));
    zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &size_max, sizeof(size_max));
    set_int(socket, ZMQ_LINGER, 0);
    set_int(socket, ZMQ_SNDHWM, options->queue_out);
    set_int(socket, ZMQ_RCVHWM, options->queue_in);
    set_int(socket, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
    set_int(socket, ZMQ_TCP_KEEPALIVE, 1);
    set_int(socket, ZMQ_TCP_KEEPALIVE_IDLE, KEEPALIVE_S);
    set_int(socket, ZMQ_TCP_KEEPALIVE_INTVL, KEEPALIVE_S);
    set_int(socket, ZMQ_TCP_KEEPALIVE_CNT, KEEPALIVE_PROBES);
    set_int(socket, ZMQ_TCP_MAXRT, UNACKNOWLEDGED_MS);
    if (options->type == ZMQ_ROUTER)
        set_int(socket, ZMQ_ROUTER_MANDATORY, 1);
    if (options->type == ZMQ_SUB)
        zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    return socket;
}

/* Set the keys of a socket.
 * Return: 0, or nonzero with errno set. */
static int set_keys(void *socket, const char *endpoint, const struct lkd_socket_options *options)
{
    const int on = 1;
    int r;

    if (!options->secret_key)
        return 0;
    /* All of these options are needed: a socket with only some of them would accept everybody. */
    if (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &on, sizeof(on)) ||
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, options->secret_key,
                       strlen(options->secret_key) + 1) ||
        zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, LKD_ZAP_DOMAIN, strlen(LKD_ZAP_DOMAIN)) ||
        zmq_setsockopt(socket, ZMQ_ZAP_ENFORCE_DOMAIN, &on, sizeof(on)))
        return -1;
    r = options->zap ? lkd_zap_watch(options->zap, socket, endpoint) : 0;
    errno = -r;
    return r;
}

int lkd_socket_open(void *context, const char *endpoint, int listener,
                    const struct lkd_socket_options *options, void **ret_socket)
{
    void *socket = make_socket(context, options);

    if (!socket)
        return -errno;
    if (set_keys(socket, endpoint, options) ||
        zmq_setsockopt(socket, ZMQ_USE_FD, &listener, sizeof(listener)) ||
        zmq_bind(socket, endpoint)) {
        int r = errno > 0 ? -errno : -EINVAL;

        zmq_close(socket);
        return r;
    }
    *ret_socket = socket;
    return 0;
}
