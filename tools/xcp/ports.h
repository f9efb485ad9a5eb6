/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of masters on Ethernet: one port for UDP and TCP, and one session.
 *
 * Each packet is preceded by its length and a counter (ASAM MCD-1 XCP on Ethernet). A datagram
 * contains one or more packets, a TCP connection transmits a sequence of packets. No function
 * waits. If a master does not read its packets, further packets are dropped and the master is
 * notified.
 * Thread: one. */
#ifndef TOOLS_XCP_PORTS_H
#define TOOLS_XCP_PORTS_H

#include "linkage/error.h"
#include "slave.h"
#include <netinet/in.h>
#include <zmq.h>

#define XCP_FRAME    4     /* bytes before a packet: its length and a counter */
#define XCP_DATAGRAM 1472  /* bytes in an Ethernet frame after the headers of IP and UDP */
#define XCP_BACKLOG  65536 /* largest number of unread bytes of a connection */
#define XCP_CONNECTIONS                                                                            \
    4 /* TCP connections: one of the master; among the others the one silent for longest is        \
         evicted */
#define XCP_MASTERS    8  /* largest number of --master options */
#define XCP_SILENCE_S  60 /* silence [s] after which another master may replace this one */
#define XCP_POLL_ITEMS (2 + XCP_CONNECTIONS)

/** struct xcp_connection - a TCP connection.
 * @fd:       descriptor, -1: none
 * @heard_ns: time of the last received bytes, CLOCK_MONOTONIC
 * @in:       @n_in bytes of an incomplete packet
 * @out:      @n_out bytes to be sent */
struct xcp_connection {
    int fd;
    struct sockaddr_in peer;
    int64_t heard_ns;
    size_t n_in;
    size_t n_out;
    uint8_t in[XCP_FRAME + XCP_MAX_CTO];
    uint8_t out[XCP_BACKLOG];
};

/** struct xcp_ports - port and session.
 * @master:   owner of the session: index of a connection, XCP_BY_UDP, or XCP_NOBODY
 * @peer:     address of the owner
 * @heard_ns: time of the owner's last message
 * @counter:  counter of packets sent in the session
 * @allowed:  @n_allowed permitted addresses of masters; if @n_allowed is 0, every address is
 *            permitted
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

/** xcp_ports_open() - Listen on the port.
 * @ports: the caller has set @slave and @allowed
 * Return: 0, negative errno. */
int xcp_ports_open(struct xcp_ports *ports, struct in_addr address, int port,
                   struct lk_error *ret_error);
void xcp_ports_close(struct xcp_ports *ports);

/** xcp_ports_poll() - Write the sockets to be polled to @items.
 * @items: room for XCP_POLL_ITEMS items
 * Return: number of items. */
int xcp_ports_poll(const struct xcp_ports *ports, zmq_pollitem_t *items);
/** xcp_ports_serve() - Process received packets.
 * @now_ns: CLOCK_MONOTONIC */
void xcp_ports_serve(struct xcp_ports *ports, int64_t now_ns);

/** xcp_ports_fit() - Return true if packets of @size bytes in total, including frames, can be
 * queued now. */
bool xcp_ports_fit(const struct xcp_ports *ports, size_t size);
/** xcp_ports_send() - Queue a packet that is not an answer. It may be sent only by
 * xcp_ports_flush().
 * Return: true if the packet was queued. */
bool xcp_ports_send(struct xcp_ports *ports, const uint8_t *packet, size_t size);
void xcp_ports_flush(struct xcp_ports *ports);
/** xcp_ports_end() - End the session.
 * @tell: send an event to the master
 * @why:  reason for the log */
void xcp_ports_end(struct xcp_ports *ports, bool tell, const char *why);

#endif
