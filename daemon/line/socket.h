/* SPDX-License-Identifier: Apache-2.0 */
/* ZeroMQ sockets on listening sockets that the daemon has opened. */
#ifndef LKD_LINE_SOCKET_H
#define LKD_LINE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

struct lkd_zap;

/** struct lkd_socket_options - of lkd_socket_open().
 * @type:     ZMQ_ROUTER, ZMQ_SUB (subscribed to everything), ZMQ_PUB or ZMQ_XPUB
 * @size_max: longest message taken [bytes]; a peer that sends more is cut off
 * @queue_in, @queue_out: messages queued a peer before no more is taken from it, or new ones to it
 *            are dropped
 * @io_thread: of the context, from 0 on, that serves its connections
 * @secret_key, @zap: the server's key (Z85) and who judges clients: CURVE and nothing else; NULL:
 *            no keys */
struct lkd_socket_options {
    int type;
    size_t size_max;
    int queue_in;
    int queue_out;
    int io_thread;
    const char *secret_key;
    struct lkd_zap *zap;
};

/** lkd_socket_open() - a socket in ZeroMQ context @context that serves those who connect to
 * @listener, which belongs to it from then on.
 * @endpoint: what @listener is bound to
 * Return: 0, negative errno (@listener stays the caller's). Close with zmq_close(). */
int lkd_socket_open(void *context, const char *endpoint, int listener,
                    const struct lkd_socket_options *options, void **ret_socket);

#endif
