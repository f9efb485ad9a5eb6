/* SPDX-License-Identifier: Apache-2.0 */
/* One connected ZeroMQ socket with the options that every client socket has. Internal to the client
 * library. */
#ifndef TOOLS_CLIENT_SOCKET_H
#define TOOLS_CLIENT_SOCKET_H

#include "client.h"
#include <zmq.h>

/** struct lk_client_socket - a socket and where it is connected to.
 * @context:  not owned */
struct lk_client_socket {
    void *context;
    void *handle;
    char endpoint[LK_CLIENT_ENDPOINT_SIZE];
};

/** lk_client_socket_open() - create a socket of @type and connect it.
 * Return: 0, LK_CLIENT_E_ENDPOINT, negative errno; @ret_error says why. */
int lk_client_socket_open(struct lk_client_socket *ret_socket, void *context, int type,
                          const char *endpoint, struct lk_error *ret_error);

/** lk_client_socket_close() - close the socket; what is unsent is dropped. */
void lk_client_socket_close(struct lk_client_socket *socket);

/** lk_client_socket_receive() - wait for a message and take its last frame.
 * @deadline_ns: CLOCK_MONOTONIC; in the past: look once and return
 * @ret_message: to be closed by the caller
 * Return: 0, LK_CLIENT_E_NO_ANSWER, negative errno. */
int lk_client_socket_receive(struct lk_client_socket *socket, int64_t deadline_ns,
                             zmq_msg_t *ret_message);

/** lk_client_context() - the ZeroMQ context that the streams of @client share. */
void *lk_client_context(const struct lk_client *client);

#endif
