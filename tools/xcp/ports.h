/* SPDX-License-Identifier: Apache-2.0 */
/* Masters on Ethernet: one port, for UDP and for TCP, and one session.
 *
 * A packet is behind its length and a number (ASAM MCD-1 XCP on Ethernet): a datagram has one or
 * more of them, a connection one after another. Nothing here waits: what a master does not read is
 * dropped, and it is told. Thread: one. */
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
    4 /* of TCP: one is the master's; of the others the most silent one makes room */
#define XCP_MASTERS    8  /* addresses on the list of --master */
#define XCP_SILENCE_S  60 /* of a master, then another one may have the session */
#define XCP_POLL_ITEMS (2 + XCP_CONNECTIONS)

/** struct xcp_connection - of TCP. @fd: -1: none;  @in: @n_in bytes of a packet that has begun
 * @out: @n_out bytes that wait to be sent;  @heard_ns: CLOCK_MONOTONIC of the last bytes received
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

/** struct xcp_ports - @master: who has the session: index of a connection, XCP_BY_UDP, XCP_NOBODY
 * @peer: its address;  @heard_ns: of it
 * @allowed: masters at these addresses only, @n_allowed of them; 0: at any
 * @datagram: @n_datagram bytes with @n_packets packets that are about to be sent */
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

/** xcp_ports_open() - listen. @ports: with @slave and @allowed set. Return: 0, negative errno. */
int xcp_ports_open(struct xcp_ports *ports, struct in_addr address, int port,
                   struct lk_error *ret_error);
void xcp_ports_close(struct xcp_ports *ports);

/** xcp_ports_poll() - what to wait for. @items: XCP_POLL_ITEMS of them. Return: how many. */
int xcp_ports_poll(const struct xcp_ports *ports, zmq_pollitem_t *items);
/** xcp_ports_serve() - whatever has come. @now_ns: CLOCK_MONOTONIC. */
void xcp_ports_serve(struct xcp_ports *ports, int64_t now_ns);

/** xcp_ports_fit() - whether so many bytes of packets, with their frames, can be taken now. */
bool xcp_ports_fit(const struct xcp_ports *ports, size_t size);
/** xcp_ports_send() - a packet that is no answer; may wait for others until xcp_ports_flush().
 * Return: whether it will be sent. */
bool xcp_ports_send(struct xcp_ports *ports, const uint8_t *packet, size_t size);
void xcp_ports_flush(struct xcp_ports *ports);
/** xcp_ports_end() - the session, with an event for the master if @tell. @why: for the log */
void xcp_ports_end(struct xcp_ports *ports, bool tell, const char *why);

#endif
