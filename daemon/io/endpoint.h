/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses the daemon may listen on, and sockets bound to them.
 *
 * Three kinds: "tcp://127.x.y.z:port", "ipc://path", and, with keys only, any other
 * "tcp://a.b.c.d:port". Without keys nothing on the line says who may talk, so anything that other
 * machines could reach is refused. A path must be free or hold a socket that nobody listens on any
 * more: ZeroMQ would replace whatever lies there. */
#ifndef LKD_IO_ENDPOINT_H
#define LKD_IO_ENDPOINT_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stddef.h>

struct lkd_zap;

#define LKD_ENDPOINT_SIZE 128 /* bytes with the terminating zero */

/** lkd_endpoint_check() - may the daemon listen on @endpoint? Looks at the text and, for ipc, at
 * what lies at the path; opens nothing.
 * Return: 0, or LK_E_TEXT (@ret_error says what is wrong and what was expected). */
int lkd_endpoint_check(const char *endpoint, struct lk_error *ret_error);
/** lkd_endpoint_check_keyed() - the same where only clients with a key on the list are let in. */
int lkd_endpoint_check_keyed(const char *endpoint, struct lk_error *ret_error);

/** struct lkd_socket_options - of lkd_endpoint_bind().
 * @type:     ZMQ_ROUTER, ZMQ_SUB (subscribed to everything), ZMQ_PUB or ZMQ_XPUB
 * @size_max: longest message taken [bytes]; a peer that sends more is cut off
 * @queue:    messages queued a peer in each direction before new ones are dropped
 * @secret_key, @zap: the server's key (Z85) and who judges clients: CURVE and nothing else; NULL:
 *            no keys
 * @clear_text: without keys and for other machines all the same; somebody asked for it */
struct lkd_socket_options {
    int type;
    size_t size_max;
    int queue;
    const char *secret_key;
    struct lkd_zap *zap;
    bool clear_text;
};

/** lkd_endpoint_bind() - make a socket in ZeroMQ context @context and bind it.
 * Return: 0, or LK_E_TEXT (in use, not allowed; @ret_error says which). Close with zmq_close(). */
int lkd_endpoint_bind(void *context, const char *endpoint, const struct lkd_socket_options *options,
                      void **ret_socket, struct lk_error *ret_error);

#endif
