/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of masters on Ethernet: one port for UDP and TCP, and one session.
 *
 * A packet is preceded by its length and a counter (ASAM MCD-1 XCP on Ethernet); a datagram
 * contains one or more packets, a TCP connection contains a sequence of packets. No function waits:
 * packets that a master does not read are dropped, and it is notified. Thread: one. */
#ifndef TOOLS_XCP_PORTS_H
#define TOOLS_XCP_PORTS_H

#include "linkage/error.h"
#include "slave.h"
#include <netinet/in.h>
#include <zmq.h>

#define XCP_FRAME    4     /* bytes in front of a packet */
#define XCP_DATAGRAM 1472  /* bytes in a frame of Ethernet, behind the headers of IP and UDP */
#define XCP_BACKLOG  65536 /* bytes that a connection may leave unread */
#define XCP_CONNECTIONS                                                                            \
    4 /* TCP connections: one of the master; among the others the one silent for longest is        \
         evicted */
#define XCP_MASTERS    8  /* addresses on the list of --master */
#define XCP_SILENCE_S  60 /* silence of a master, after which another may take the session */
#define XCP_POLL_ITEMS (2 + XCP_CONNECTIONS)

/** struct xcp_connection - a TCP connection. @fd: -1: none;  @in: @n_in bytes of an incomplete
 * packet
 * @out: @n_out bytes to be sent;  @heard_ns: CLOCK_MONOTONIC of the last bytes received
 */
struct xcp_connection {
    int fd;
    struct sockaddr_in peer;
    int64_t heard_ns;
    size_t n_in;
    size_t n_out;
    uint8_t in[XCP_FRAME + XCP_MAX_CTO];
    uint8_t out[XCP_BACKLOG];
};

/** struct xcp_ports - port and session. @master: owner of the session: index of a connection,
 * XCP_BY_UDP, XCP_NOBODY
 * @peer: address of the owner; @heard_ns: time of its last message @allowed: @n_allowed permitted
 *        addresses of masters; 0: any address
 * @datagram: @n_datagram bytes with @n_packets packets to be sent */
enum { XCP_BY_UDP = -1, XCP_NOBODY = -2 };
struct xcp_ports {
    struct xcp_slave *slave;
    int udp;
    int tcp;
    int master;
    struct sockaddr_in peer;
    int64_t heard_ns;
    uint16_t counter;
    struct in_addr allowed[XCP_MASTERS];
    int n_allowed;
    size_t n_datagram;
    unsigned int n_packets;
    uint8_t datagram[XCP_DATAGRAM];
    struct xcp_connection connection[XCP_CONNECTIONS];
};

/** xcp_ports_open() - Listen on the port. @ports: the caller has set @slave and @allowed. Return:
 * 0, negative errno. */
int xcp_ports_open(struct xcp_ports *ports, struct in_addr address, int port,
                   struct lk_error *ret_error);
void xcp_ports_close(struct xcp_ports *ports);

/** xcp_ports_poll() - Write the items to poll. @items: room for XCP_POLL_ITEMS. Return: their
 * number. */
int xcp_ports_poll(const struct xcp_ports *ports, zmq_pollitem_t *items);
/** xcp_ports_serve() - Process received packets. @now_ns: CLOCK_MONOTONIC. */
void xcp_ports_serve(struct xcp_ports *ports, int64_t now_ns);

/** xcp_ports_fit() - Return true if @size bytes of packets, with their frames, can be queued
 * now. */
bool xcp_ports_fit(const struct xcp_ports *ports, size_t size);
/** xcp_ports_send() - Queue a packet that is no answer; only xcp_ports_flush() may send it. Return:
 * true if the packet is queued. */
bool xcp_ports_send(struct xcp_ports *ports, const uint8_t *packet, size_t size);
void xcp_ports_flush(struct xcp_ports *ports);
/** xcp_ports_end() - End the session, with an event to the master if @tell. @why: reason for the
 * log */
void xcp_ports_end(struct xcp_ports *ports, bool tell, const char *why);

#endif
