/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"
#include "gateway.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define SAY_NS UINT64_C(10000000000)

static bool is_from(const struct peer *peer, const struct in6_addr *address)
{
    return memcmp(&peer->address, address, sizeof(*address)) == 0;
}

static int count_waiting(const struct peers *peers, const struct in6_addr *address)
{
    int n = 0;

    for (int i = 0; i < PEERS_MAX; i++)
        n += peers->peer[i].state == PEER_WAITING &&
             (address == NULL || is_from(&peers->peer[i], address));
    return n;
}

/* Return the connection to be evicted: from the address with most waiting connections, the oldest
 * of them. */
static struct peer *find_oldest(struct peers *peers)
{
    struct peer *found = NULL;
    int most = 0;

    for (int i = 0; i < PEERS_MAX; i++) {
        struct peer *peer = &peers->peer[i];
        int n = peer->state == PEER_WAITING && peer->wsi != NULL
                    ? count_waiting(peers, &peer->address)
                    : 0;

        if (n > most || (n > 0 && n == most && peer->number < found->number)) {
            found = peer;
            most = n;
        }
    }
    return found;
}

/* Log evictions, at most every ten seconds. */
static void say_ended(struct peers *peers, const struct peer *last)
{
    uint64_t now_ns = gate_clock_ns();
    char address[INET6_ADDRSTRLEN];

    peers->n_ended++;
    if (peers->said_ns > 0 && now_ns < peers->said_ns + SAY_NS)
        return;
    inet_ntop(AF_INET6, &last->address, address, sizeof(address));
    fprintf(stderr,
            "linkage-gateway: %" PRIu64 " connection%s without a login made room for others, the "
            "last one from %s\n",
            peers->n_ended, peers->n_ended == 1 ? "" : "s",
            IN6_IS_ADDR_V4MAPPED(&last->address) ? strrchr(address, ':') + 1 : address);
    peers->n_ended = 0;
    peers->said_ns = now_ns;
}

/* Return a free entry, if necessary after evicting another connection; NULL: there is none. */
static struct peer *find_place(struct peers *peers, const struct in6_addr *address)
{
    struct peer *oldest = count_waiting(peers, NULL) >= PEERS_WAITING ? find_oldest(peers) : NULL;

    if (oldest != NULL) {
        oldest->state = PEER_ENDING;
        say_ended(peers, oldest);
        lws_set_timeout(oldest->wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
    }
    for (int i = 0; i < PEERS_MAX; i++)
        if (peers->peer[i].state == PEER_NONE) {
            peers->peer[i] = (struct peer){
                .state = PEER_WAITING, .address = *address, .number = ++peers->n_ever};
            return &peers->peer[i];
        }
    return NULL;
}

/* Read the address of the peer.
 * Return: true if it is an IP address. */
static bool read_address(int fd, struct in6_addr *ret)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } at;
    socklen_t size = sizeof(at);

    memset(&at, 0, sizeof(at));
    if (getpeername(fd, &at.any, &size) != 0)
        return false;
    if (at.any.sa_family == AF_INET6) {
        *ret = at.six.sin6_addr;
        return true;
    }
    memset(ret, 0, sizeof(*ret));
    memset(ret->s6_addr + 10, 0xff, 2);
    memcpy(ret->s6_addr + 12, &at.four.sin_addr, sizeof(at.four.sin_addr));
    return at.any.sa_family == AF_INET;
}

bool peers_admit(struct peers *peers, int fd)
{
    struct in6_addr address;

    peers_remove(peers, NULL); /* remove an entry whose connection could not be created */
    return read_address(fd, &address) && find_place(peers, &address) != NULL;
}

static struct peer *find(struct peers *peers, const struct lws *wsi)
{
    for (int i = 0; i < PEERS_MAX; i++)
        if (peers->peer[i].state != PEER_NONE && peers->peer[i].wsi == wsi)
            return &peers->peer[i];
    return NULL;
}

void peers_add(struct peers *peers, struct lws *wsi)
{
    struct peer *peer = find(peers, NULL);

    if (peer != NULL) /* NULL for connections that the library creates for itself */
        peer->wsi = wsi;
}

void peers_remove(struct peers *peers, const struct lws *wsi)
{
    struct peer *peer = find(peers, wsi);

    if (peer != NULL)
        *peer = (struct peer){0};
}

bool peers_settle(struct peers *peers, const struct lws *wsi)
{
    struct peer *peer = find(peers, wsi);

    if (peer == NULL || peer->state == PEER_ENDING)
        return false;
    peer->state = PEER_SETTLED;
    return true;
}
