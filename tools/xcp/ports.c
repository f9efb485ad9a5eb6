/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"
#include "codes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DATAGRAMS_MAX 64 /* at a time, so that the daemon's samples do not wait */

/* ---- sockets ---- */

static int refuse(int fd, const char *what, struct in_addr address, int port,
                  struct lk_error *ret_error)
{
    int code = -errno;

    lk_error_set(ret_error, "%s %s:%d: %s", what, inet_ntoa(address), port, strerror(-code));
    if (fd >= 0)
        close(fd);
    return code;
}

static int open_socket(int type, struct in_addr address, int port, int *ret_fd,
                       struct lk_error *ret_error)
{
    const struct sockaddr_in here = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = address};
    int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;

    if (fd < 0)
        return refuse(fd, "no socket for", address, port, ret_error);
    if (type == SOCK_STREAM)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    else
        setsockopt(fd, IPPROTO_IP, IP_RECVERR, &yes, sizeof(yes)); /* reports missing masters */
    if (bind(fd, (const struct sockaddr *)&here, sizeof(here)) != 0 ||
        (type == SOCK_STREAM && listen(fd, XCP_CONNECTIONS) != 0))
        return refuse(fd, "cannot listen at", address, port, ret_error);
    *ret_fd = fd;
    return 0;
}

int xcp_ports_open(struct xcp_ports *ports, struct in_addr address, int port,
                   struct lk_error *ret_error)
{
    int code;

    ports->udp = ports->tcp = -1;
    ports->master = XCP_NOBODY;
    for (int i = 0; i < XCP_CONNECTIONS; i++)
        ports->connection[i].fd = -1;
    code = open_socket(SOCK_DGRAM, address, port, &ports->udp, ret_error);
    return code == 0 ? open_socket(SOCK_STREAM, address, port, &ports->tcp, ret_error) : code;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void xcp_ports_close(struct xcp_ports *ports)
{
    xcp_ports_end(ports, true, "this program ends");
    for (int i = 0; i < XCP_CONNECTIONS; i++)
        close_fd(&ports->connection[i].fd);
    close_fd(&ports->udp);
    close_fd(&ports->tcp);
}

int xcp_ports_poll(const struct xcp_ports *ports, zmq_pollitem_t *items)
{
    int n = 0;

    items[n++] = (zmq_pollitem_t){.fd = ports->udp, .events = ZMQ_POLLIN};
    items[n++] = (zmq_pollitem_t){.fd = ports->tcp, .events = ZMQ_POLLIN};
    for (int i = 0; i < XCP_CONNECTIONS; i++) {
        const struct xcp_connection *c = &ports->connection[i];

        if (c->fd >= 0)
            items[n++] = (zmq_pollitem_t){
                .fd = c->fd, .events = (short)(ZMQ_POLLIN | (c->n_out > 0 ? ZMQ_POLLOUT : 0))};
    }
    return n;
}

/* ---- out ---- */

/* Write a packet and the frame before it.
 * @counter: counter of the session; NULL: the receiver has no session */
static void put_frame(uint16_t *counter, uint8_t *to, const uint8_t *packet, size_t size)
{
    xcp_put16(to, (uint16_t)size);
    xcp_put16(to + 2, counter != NULL ? (*counter)++ : 0);
    memcpy(to + XCP_FRAME, packet, size);
}

/* Send as much as the connection accepts now; the rest stays queued. If the connection is broken,
 * discard all bytes. The next recv() then fails and closes the connection, because a send must not
 * end a session. */
static void push(struct xcp_connection *c)
{
    ssize_t n = send(c->fd, c->out, c->n_out, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (n < 0)
        n = errno == EAGAIN || errno == EINTR ? 0 : (ssize_t)c->n_out;
    c->n_out -= (size_t)n;
    memmove(c->out, c->out + n, c->n_out);
}

static bool enqueue(struct xcp_connection *c, uint16_t *counter, const uint8_t *packet, size_t size)
{
    if (c->n_out + XCP_FRAME + size > XCP_BACKLOG)
        return false;
    put_frame(counter, c->out + c->n_out, packet, size);
    c->n_out += XCP_FRAME + size;
    return true;
}

static void send_datagram(struct xcp_ports *ports)
{
    ssize_t n = sendto(ports->udp, ports->datagram, ports->n_datagram, MSG_DONTWAIT,
                       (const struct sockaddr *)&ports->peer, sizeof(ports->peer));

    if (n < 0)
        ports->slave->lost += ports->n_packets;
    ports->n_datagram = 0;
    ports->n_packets = 0;
}

bool xcp_ports_fit(const struct xcp_ports *ports, size_t size)
{
    return ports->master < 0 || ports->connection[ports->master].n_out + size <= XCP_BACKLOG;
}

bool xcp_ports_send(struct xcp_ports *ports, const uint8_t *packet, size_t size)
{
    if (ports->master == XCP_NOBODY)
        return false;
    if (ports->master != XCP_BY_UDP)
        return enqueue(&ports->connection[ports->master], &ports->counter, packet, size);
    if (ports->n_datagram + XCP_FRAME + size > XCP_DATAGRAM)
        send_datagram(ports);
    put_frame(&ports->counter, ports->datagram + ports->n_datagram, packet, size);
    ports->n_datagram += XCP_FRAME + size;
    ports->n_packets++;
    return true;
}

static void drop_connection(struct xcp_ports *ports, int i, const char *why)
{
    if (ports->master == i)
        xcp_ports_end(ports, false, why);
    close_fd(&ports->connection[i].fd);
}

void xcp_ports_flush(struct xcp_ports *ports)
{
    if (ports->n_datagram > 0)
        send_datagram(ports);
    for (int i = 0; i < XCP_CONNECTIONS; i++) {
        struct xcp_connection *c = &ports->connection[i];

        if (c->fd >= 0 && c->n_out > 0)
            push(c);
    }
}

void xcp_ports_end(struct xcp_ports *ports, bool tell, const char *why)
{
    if (ports->master == XCP_NOBODY)
        return;
    xcp_slave_end(ports->slave, tell);
    xcp_ports_flush(ports);
    ports->master = XCP_NOBODY;
    fprintf(stderr, "linkage-xcp: the session of %s is over: %s\n", inet_ntoa(ports->peer.sin_addr),
            why);
}

/* ---- in ---- */

static bool is_allowed(const struct xcp_ports *ports, const struct sockaddr_in *peer)
{
    for (int i = 0; i < ports->n_allowed; i++)
        if (ports->allowed[i].s_addr == peer->sin_addr.s_addr)
            return true;
    return ports->n_allowed == 0;
}

static bool is_master(const struct xcp_ports *ports, int from, const struct sockaddr_in *peer)
{
    return ports->master == from &&
           (from != XCP_BY_UDP || (ports->peer.sin_addr.s_addr == peer->sin_addr.s_addr &&
                                   ports->peer.sin_port == peer->sin_port));
}

/* Send an answer to the sender of a command, which may have no session. */
static void reply(struct xcp_ports *ports, int from, const struct sockaddr_in *peer,
                  const uint8_t *answer, size_t size)
{
    uint16_t *counter = is_master(ports, from, peer) ? &ports->counter : NULL;
    uint8_t frame[XCP_FRAME + XCP_MAX_CTO];

    if (from != XCP_BY_UDP) {
        if (!enqueue(&ports->connection[from], counter, answer, size))
            drop_connection(ports, from, "it asks and does not read");
        return;
    }
    if (ports->n_datagram > 0)
        send_datagram(ports);
    put_frame(counter, frame, answer, size);
    sendto(ports->udp, frame, XCP_FRAME + size, MSG_DONTWAIT, (const struct sockaddr *)peer,
           sizeof(*peer));
}

/* Handle datagrams that could not be delivered: if they were sent to the master, it no longer
 * exists. */
static void take_errors(struct xcp_ports *ports)
{
    struct sockaddr_in to = {0};
    uint8_t ignored[XCP_DATAGRAM], control[512];
    struct iovec part = {.iov_base = ignored, .iov_len = sizeof(ignored)};

    for (int i = 0; i < DATAGRAMS_MAX; i++) {
        struct msghdr message = {.msg_name = &to,
                                 .msg_namelen = sizeof(to),
                                 .msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof(control)};

        if (recvmsg(ports->udp, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
            return;
        if (is_master(ports, XCP_BY_UDP, &to))
            xcp_ports_end(ports, false, "nobody listens there any more");
    }
}

/* Send an event to the present master when another master connects. If the present master no longer
 * exists, its machine reports this, and the session ends. */
static void look_after_master(struct xcp_ports *ports)
{
    static const uint8_t text[] = "\xfc\x01" /* SERV: a text */
                                  "another master asks for the session";

    xcp_ports_send(ports, text, sizeof(text));
    xcp_ports_flush(ports);
    take_errors(ports);
}

/* Permit one session at a time, and refuse a second master.
 * Return: true to process the command. */
static bool admit(struct xcp_ports *ports, int from, const struct sockaddr_in *peer,
                  uint8_t command, int64_t now_ns)
{
    static const uint8_t taken[] = {XCP_ERROR, XCP_E_NOT_NOW};

    if (ports->master == XCP_NOBODY || is_master(ports, from, peer))
        return true;
    if (command != XCP_CONNECT)
        return false;
    if (now_ns - ports->heard_ns > XCP_SILENCE_S * INT64_C(1000000000)) {
        xcp_ports_end(ports, true, "another master asks, and nothing was heard of it for a minute");
        return true;
    }
    look_after_master(ports);
    if (ports->master == XCP_NOBODY)
        return true;
    reply(ports, from, peer, taken, sizeof(taken));
    return false;
}

static void take_packet(struct xcp_ports *ports, int from, const struct sockaddr_in *peer,
                        const uint8_t *packet, size_t size, int64_t now_ns)
{
    uint8_t answer[XCP_MAX_CTO];
    size_t n;

    if (size == 0 || !admit(ports, from, peer, packet[0], now_ns))
        return;
    n = xcp_slave_command(ports->slave, packet, size, answer);
    if (ports->slave->connected && ports->master == XCP_NOBODY) {
        ports->master = from;
        ports->peer = *peer;
        ports->counter = 0;
        fprintf(stderr, "linkage-xcp: a master at %s has the session\n", inet_ntoa(peer->sin_addr));
    }
    ports->heard_ns = now_ns;
    if (n > 0)
        reply(ports, from, peer, answer, n);
    if (!ports->slave->connected && ports->master != XCP_NOBODY)
        xcp_ports_end(ports, false, "it has disconnected");
}

/* Process all packets in a datagram. An invalid length ends the loop. */
static void take_datagram(struct xcp_ports *ports, const struct sockaddr_in *peer,
                          const uint8_t *bytes, size_t size, int64_t now_ns)
{
    size_t n;

    while (xcp_frame_take(bytes, size, &n) == 1) {
        take_packet(ports, XCP_BY_UDP, peer, bytes + XCP_FRAME, n, now_ns);
        bytes += XCP_FRAME + n;
        size -= XCP_FRAME + n;
    }
}

static void serve_udp(struct xcp_ports *ports, int64_t now_ns)
{
    uint8_t bytes[XCP_DATAGRAM];

    take_errors(ports);
    for (int i = 0; i < DATAGRAMS_MAX; i++) {
        struct sockaddr_in peer = {0};
        socklen_t room = sizeof(peer);
        ssize_t n = recvfrom(ports->udp, bytes, sizeof(bytes), MSG_DONTWAIT,
                             (struct sockaddr *)&peer, &room);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n > 0 && is_allowed(ports, &peer))
            take_datagram(ports, &peer, bytes, (size_t)n, now_ns);
    }
}

/* Return a free entry. If there is none, return the connection that has been silent for the longest
 * time, except that of the session. So silent connections cannot block others. */
static int find_place(struct xcp_ports *ports)
{
    int place = ports->master == 0 ? 1 : 0;

    for (int i = 0; i < XCP_CONNECTIONS; i++) {
        const struct xcp_connection *c = &ports->connection[i];

        if (c->fd < 0)
            return i;
        if (i != ports->master && c->heard_ns < ports->connection[place].heard_ns)
            place = i;
    }
    return place;
}

/* Accept a connection. Close it if the address of the master is not permitted. */
static void accept_connection(struct xcp_ports *ports, int64_t now_ns)
{
    struct sockaddr_in peer = {0};
    socklen_t room = sizeof(peer);
    struct xcp_connection *c;
    int fd = accept4(ports->tcp, (struct sockaddr *)&peer, &room, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int yes = 1, every_s = 10, probes = 3, room_out = XCP_BACKLOG;

    if (fd < 0)
        return;
    if (!is_allowed(ports, &peer)) {
        close(fd);
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room_out, sizeof(room_out));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &every_s, sizeof(every_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every_s, sizeof(every_s));
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    c = &ports->connection[find_place(ports)];
    close_fd(&c->fd);
    c->fd = fd;
    c->peer = peer;
    c->heard_ns = now_ns;
    c->n_in = c->n_out = 0;
}

/* Process the complete packets among the received bytes.
 * Return: false: invalid length of a packet. */
static bool take_bytes(struct xcp_ports *ports, int i, int64_t now_ns)
{
    struct xcp_connection *c = &ports->connection[i];
    size_t n;
    int taken;

    while ((taken = xcp_frame_take(c->in, c->n_in, &n)) == 1) {
        take_packet(ports, i, &c->peer, c->in + XCP_FRAME, n, now_ns);
        if (c->fd < 0)
            return true;
        c->n_in -= XCP_FRAME + n;
        memmove(c->in, c->in + XCP_FRAME + n, c->n_in);
    }
    return taken == 0;
}

static void serve_connection(struct xcp_ports *ports, int i, int64_t now_ns)
{
    struct xcp_connection *c = &ports->connection[i];

    for (int k = 0; k < DATAGRAMS_MAX && c->fd >= 0; k++) {
        ssize_t n = recv(c->fd, c->in + c->n_in, sizeof(c->in) - c->n_in, MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n <= 0) {
            drop_connection(ports, i, "its connection has ended");
            return;
        }
        c->n_in += (size_t)n;
        c->heard_ns = now_ns;
        if (!take_bytes(ports, i, now_ns))
            drop_connection(ports, i, "what it sends is no XCP");
    }
}

void xcp_ports_serve(struct xcp_ports *ports, int64_t now_ns)
{
    serve_udp(ports, now_ns);
    accept_connection(ports, now_ns);
    for (int i = 0; i < XCP_CONNECTIONS; i++)
        if (ports->connection[i].fd >= 0)
            serve_connection(ports, i, now_ns);
    xcp_ports_flush(ports);
}
