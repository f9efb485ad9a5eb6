/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of the web server that have no login yet: in the TLS handshake, in a request, or a
 * page that has not sent its token. Their number is limited to PEERS_WAITING. A further connection
 * replaces the oldest waiting connection from the address that has most of them. Therefore neither
 * silent connections nor a flood from one address can block others.
 * Thread: web. */
#ifndef TOOLS_GATEWAY_PEERS_H
#define TOOLS_GATEWAY_PEERS_H

#include <libwebsockets.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define PEERS_WAITING 64  /* connections without a login */
#define PEERS_MAX     192 /* connections of all kinds, including those about to be closed */

/** enum peer_state - state of a connection.
 * PEER_SETTLED: a viewer, a page with its login, or a download with a ticket. PEER_ENDING: evicted,
 * and closed as soon as the library permits. */
enum peer_state { PEER_NONE, PEER_WAITING, PEER_SETTLED, PEER_ENDING };

/** struct peer - a connection.
 * @wsi:    handle of the library; NULL between peers_admit() and peers_add()
 * @number: consecutive number of the connection */
struct peer {
    enum peer_state state;
    struct lws *wsi;
    struct in6_addr address;
    uint64_t number;
};

/** struct peers - all connections; initialise with {0}.
 * @n_ever:  number of connections so far
 * @n_ended: evictions since the last log line, which was written at @said_ns of CLOCK_MONOTONIC */
struct peers {
    struct peer peer[PEERS_MAX];
    uint64_t n_ever;
    uint64_t n_ended;
    uint64_t said_ns;
};

/** peers_admit() - Reserve an entry for the connection @fd, which was just accepted.
 * Return: false: close the connection.
 * peers_add() - Set @wsi of the reserved entry.
 * peers_remove() - Remove a closed connection. */
bool peers_admit(struct peers *peers, int fd);
void peers_add(struct peers *peers, struct lws *wsi);
void peers_remove(struct peers *peers, const struct lws *wsi);

/** peers_settle() - Protect a connection against eviction.
 * Return: false: the connection is already being closed. */
bool peers_settle(struct peers *peers, const struct lws *wsi);

#endif
