/* SPDX-License-Identifier: Apache-2.0 */
/* Authentication of clients (ZeroMQ Authentication Protocol, RFC 27).
 *
 * ZeroMQ sends a request to this thread for every connection to an endpoint with keys, after the
 * client has proven that it owns the secret key. The thread accepts a key on the list, with the
 * role and name in the list, and refuses any other key. Without this thread all connections are
 * refused. Clients without CURVE (NULL, PLAIN), or with another server's key, never reach this
 * thread: ZeroMQ disconnects them, and the monitors of the sockets report this. Connections that do
 * not use ZeroMQ's protocol are closed without a message and are not counted.
 *
 * A new list applies to later connections; existing connections keep their role. */
#ifndef LKD_LINE_ZAP_H
#define LKD_LINE_ZAP_H

#include "clients.h"
#include "conditions.h"
#include <stdint.h>

/* ZAP domain of every endpoint with keys. */
#define LKD_ZAP_DOMAIN "linkaged"
/* Largest number of sockets that can be monitored. */
#define LKD_ZAP_SOCKETS_MAX 4

struct lkd_zap;

/** lkd_zap_report - Callback for events that an operator should see. Called from the ZAP thread. */
typedef void lkd_zap_report(enum lkd_condition_id condition, const char *text);

/** lkd_zap_new() - Bind the ZAP endpoint. Call before binding any socket of @context.
 * @clients: on the heap; owned by the result from now on, even if this fails
 * Thread: main.
 * Return: 0, negative errno. */
int lkd_zap_new(void *context, struct lkd_clients *clients, lkd_zap_report *report,
                struct lkd_zap **ret_zap);

/** lkd_zap_watch() - Monitor connections to @socket that fail before authentication.
 * @endpoint: address to which @socket will be bound, for the log
 * Thread: main; before lkd_zap_start().
 * Return: 0, negative errno. */
int lkd_zap_watch(struct lkd_zap *zap, void *socket, const char *endpoint);

/** lkd_zap_start() - Start the thread that answers ZeroMQ. Earlier connections wait for its start.
 * Thread: main.
 * Return: 0, negative errno. */
int lkd_zap_start(struct lkd_zap *zap);

/** lkd_zap_replace() - Replace the list of permitted clients by @clients, which the thread owns
 * afterwards.
 * Thread: main. */
void lkd_zap_replace(struct lkd_zap *zap, struct lkd_clients *clients);

/** lkd_zap_turned_away() - Return the number of connections refused so far. Thread: any. */
uint64_t lkd_zap_turned_away(struct lkd_zap *zap);

/** lkd_zap_stop() - Stop the thread and free @zap, which may be NULL. Call before terminating the
 * context. */
void lkd_zap_stop(struct lkd_zap *zap);

#endif
