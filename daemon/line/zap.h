/* SPDX-License-Identifier: Apache-2.0 */
/* Who may connect (ZeroMQ Authentication Protocol, RFC 27).
 *
 * ZeroMQ asks this thread about every connection to an endpoint with keys, after the client has
 * proven that it has the secret half of its key. The thread accepts a key on the list, with the
 * role and name that the list gives it, and refuses any other; without this thread all are refused.
 * Clients that speak no CURVE (NULL, PLAIN), or use another server's key, never reach this thread:
 * ZeroMQ disconnects them, and the monitors of the sockets report it. Connections that do not speak
 * ZeroMQ's protocol at all are closed without a message or a count.
 *
 * A new list applies to later connections; existing ones keep their role. */
#ifndef LKD_LINE_ZAP_H
#define LKD_LINE_ZAP_H

#include "clients.h"
#include "conditions.h"
#include <stdint.h>

/* Of every endpoint with keys. */
#define LKD_ZAP_DOMAIN "linkaged"
/* Sockets that can be watched. */
#define LKD_ZAP_SOCKETS_MAX 4

struct lkd_zap;

/** lkd_zap_report - hears what an operator should hear; from the thread. */
typedef void lkd_zap_report(enum lkd_condition_id condition, const char *text);

/** lkd_zap_new() - be there for questions; before any socket of @context is bound.
 * @clients: on the heap; belongs to the result from now on, also when this fails
 * Thread: the first.
 * Return: 0, negative errno. */
int lkd_zap_new(void *context, struct lkd_clients *clients, lkd_zap_report *report,
                struct lkd_zap **ret_zap);

/** lkd_zap_watch() - hear of connections to @socket that fail before they can be judged.
 * @endpoint: where it is going to be bound, for the log
 * Thread: the first; before the start.
 * Return: 0, negative errno. */
int lkd_zap_watch(struct lkd_zap *zap, void *socket, const char *endpoint);

/** lkd_zap_start() - make the thread, which answers; connections made before have waited for it.
 * Thread: the first.
 * Return: 0, negative errno. */
int lkd_zap_start(struct lkd_zap *zap);

/** lkd_zap_replace() - judge by another list from now on; @clients belongs to the thread.
 * Thread: the first. */
void lkd_zap_replace(struct lkd_zap *zap, struct lkd_clients *clients);

/** lkd_zap_turned_away() - connections so far. Thread: any. */
uint64_t lkd_zap_turned_away(struct lkd_zap *zap);

/** lkd_zap_stop() - end the thread and release; before the context is. NULL is allowed. */
void lkd_zap_stop(struct lkd_zap *zap);

#endif
