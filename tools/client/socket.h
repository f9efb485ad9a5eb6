/* SPDX-License-Identifier: Apache-2.0 */
/* A connected ZeroMQ socket with the options common to all client sockets. Used by the client
 * library, and by programs of this repository that poll several sockets at once. */
#ifndef TOOLS_CLIENT_SOCKET_H
#define TOOLS_CLIENT_SOCKET_H

#include "bench.h"
#include <zmq.h>

/** struct lk_client_keys - a copy of struct lk_client_options; "" for none. */
struct lk_client_keys {
    char server[LK_CLIENT_KEY_SIZE];
    char public_key[LK_CLIENT_KEY_SIZE];
    char secret[LK_CLIENT_KEY_SIZE];
};

/** lk_client_keys_copy() - Check and copy keys. @options: NULL: no keys
 * Return: 0, LK_CLIENT_E_KEYS. */
int lk_client_keys_copy(const struct lk_client_options *options, struct lk_client_keys *ret_keys,
                        struct lk_error *ret_error);

/** enum lk_client_reach - progress of a connection. LK_CLIENT_NOBODY: not accepted.
 * LK_CLIENT_SOMEBODY: accepted, but the handshake is not complete. LK_CLIENT_DAEMON: complete. */
enum lk_client_reach { LK_CLIENT_NOBODY, LK_CLIENT_SOMEBODY, LK_CLIENT_DAEMON };

/** struct lk_client_socket - a socket and its endpoint.
 * @context: not owned
 * @monitor: for a DEALER socket, its connection events, see lk_client_socket_check()
 * @reach:   result of the last check
 * @trouble: reason why the last handshake failed, static text, or NULL */
struct lk_client_socket {
    void *context;
    void *handle;
    void *monitor;
    enum lk_client_reach reach;
    const char *trouble;
    char endpoint[LK_CLIENT_ENDPOINT_SIZE];
};

/** lk_client_socket_open() - Create a socket of @type and connect it. A SUB socket has no
 * subscription yet.
 * Return: 0, LK_CLIENT_E_ENDPOINT, negative errno; @ret_error gives the reason. */
int lk_client_socket_open(struct lk_client_socket *ret_socket, void *context, int type,
                          const char *endpoint, const struct lk_client_keys *keys,
                          struct lk_error *ret_error);

/** lk_client_socket_subscribe() - Subscribe to messages that begin with the @size bytes of
 * @topic. */
void lk_client_socket_subscribe(struct lk_client_socket *socket, const void *topic, size_t size);

/** lk_client_socket_check() - Update @reach and @trouble of @socket. */
void lk_client_socket_check(struct lk_client_socket *socket);

/** lk_client_socket_close() - Close the socket. Unsent messages are dropped. */
void lk_client_socket_close(struct lk_client_socket *socket);

/** lk_client_socket_receive() - Wait for a message and return its last frame.
 * @deadline_ns: CLOCK_MONOTONIC; if it is in the past, the function does not wait
 * @ret_message: to be closed by the caller
 * Return: 0, LK_CLIENT_E_NO_ANSWER, negative errno. */
int lk_client_socket_receive(struct lk_client_socket *socket, int64_t deadline_ns,
                             zmq_msg_t *ret_message);

/** lk_client_context(), lk_client_keys() - Return the ZeroMQ context, and the keys, that the
 * streams of @client share. */
void *lk_client_context(const struct lk_client *client);
const struct lk_client_keys *lk_client_keys(const struct lk_client *client);

/** lk_client_post() - Send a request without waiting, the first half of lk_client_call().
 * Return: as lk_client_call(). */
int lk_client_post(struct lk_client *client, Linkage__V1__ControlRequest *request,
                   struct lk_error *ret_error);

/** lk_client_collect() - Receive the reply to the last request that was posted, the second half of
 * lk_client_call().
 * @deadline_ns: CLOCK_MONOTONIC; if it is in the past, the function does not wait
 * Return: as lk_client_call(); LK_CLIENT_E_NO_ANSWER if no reply arrived by @deadline_ns; the
 * request stays pending. */
int lk_client_collect(struct lk_client *client, int64_t deadline_ns,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *ret_error);

/** lk_client_forget() - Cancel a request without an answer, so that the next daemon does not
 * execute it.
 * @ret_error: reason: no daemon, no reply, or a refused connection
 * Return: LK_CLIENT_E_NO_ANSWER, LK_CLIENT_E_SILENT. */
int lk_client_forget(struct lk_client *client, struct lk_error *ret_error);

/** lk_client_inputs_generation() - Return the number of times that a daemon has subscribed. It
 * changes with each reconnection, possibly to another daemon. */
uint64_t lk_client_inputs_generation(const struct lk_client_inputs *inputs);

/** lk_client_bench_poll() - Return the poll items of a bench, at most 2, for an owner that polls
 * other sockets as well. The owner must also call lk_bench_drive() about 20 times a second.
 * Return: number of items. */
int lk_client_bench_poll(const struct lk_client_bench *bench, zmq_pollitem_t *items);

/** lk_client_socket_of() - Return the socket to poll for replies; lk_client_forget() replaces
 * it. */
struct lk_client_socket *lk_client_socket_of(struct lk_client *client);

#endif
