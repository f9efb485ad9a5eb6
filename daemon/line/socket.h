/* SPDX-License-Identifier: Apache-2.0 */
/* ZeroMQ sockets on listening sockets that the daemon has opened. */
#ifndef LKD_LINE_SOCKET_H
#define LKD_LINE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

struct lkd_zap;

/** struct lkd_socket_options - options of lkd_socket_open().
 * @type:             ZMQ_ROUTER, ZMQ_SUB (subscribed to everything), ZMQ_PUB or ZMQ_XPUB
 * @size_max:         longest accepted message [bytes]; a peer that sends more is disconnected
 * @queue_in, @queue_out: limits of queued messages per peer. Beyond @queue_in no messages are read
 *                    from the peer; beyond @queue_out new messages to the peer are dropped.
 * @io_thread:        I/O thread of the context, from 0 on, that serves the connections
 * @secret_key, @zap: the server's key (Z85) and the authenticator of clients; then only CURVE is
 *                    accepted. NULL: no keys. */
struct lkd_socket_options {
    int type;
    size_t size_max;
    int queue_in;
    int queue_out;
    int io_thread;
    const char *secret_key;
    struct lkd_zap *zap;
};

/** lkd_socket_open() - Open a socket in ZeroMQ context @context that serves connections to
 * @listener and takes ownership of it.
 * @endpoint: address to which @listener is bound
 * Return: 0, negative errno (@listener remains owned by the caller). Close with zmq_close(). */
int lkd_socket_open(void *context, const char *endpoint, int listener,
                    const struct lkd_socket_options *options, void **ret_socket);

#endif
