/* SPDX-License-Identifier: Apache-2.0 */
#include "port.h"
#include "keys.h"
#include "villas_wire.h"
#include "wire.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Size of the socket's buffers. A frame with its head must fit. The kernel doubles this size, up to
 * its limit. */
#define BUFFER_SIZE ((int)(2 * LKD_PORT_PIECE))

/* Number of frames read in one call: more than a channel can contain, unless it is refilled
 * meanwhile. */
#define FRAMES_MAX 256

/** struct head - head of a frame. It is followed by @n_address bytes of an address and a fragment
 * of a message. The fragment begins at @offset of the @size bytes of the message. */
struct head {
    uint32_t kind;
    uint32_t generation;
    uint32_t size;
    uint32_t offset;
    uint32_t n_address;
    uint32_t role;
    char name[LKD_PEER_NAME_SIZE];
};

#define FRAME_MAX (sizeof(struct head) + LKD_PORT_ADDRESS_MAX + LKD_PORT_PIECE)

size_t lkd_channel_size_max(enum lkd_channel channel)
{
    static const size_t sizes[LKD_N_CHANNELS] = {
        [LKD_CHANNEL_CONTROL] = LK_WIRE_CONTROL_MAX,
        [LKD_CHANNEL_INPUTS] = LK_WIRE_SAMPLE_MAX,
        [LKD_CHANNEL_OUTPUTS] = LK_WIRE_SAMPLE_MAX,
        [LKD_CHANNEL_VILLAS_INPUTS] = LK_VILLAS_MESSAGE_MAX,
        [LKD_CHANNEL_VILLAS_OUTPUTS] = LK_VILLAS_MESSAGE_MAX,
    };

    return sizes[channel];
}

int lkd_port_pair(int ret_fd[2])
{
    const int size = BUFFER_SIZE;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ret_fd))
        return -errno;
    for (int i = 0; i < 2; i++)
        setsockopt(ret_fd[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    return 0;
}

int lkd_port_init(struct lkd_port *port, int fd, size_t size_max)
{
    *port = (struct lkd_port){.fd = fd, .size_max = size_max};
    port->frame = malloc(FRAME_MAX);
    if (port->frame && size_max > LKD_PORT_PIECE)
        port->whole = malloc(size_max);
    if (port->frame && (port->whole || size_max <= LKD_PORT_PIECE))
        return 0;
    lkd_port_fini(port);
    return -ENOMEM;
}

void lkd_port_fini(struct lkd_port *port)
{
    free(port->frame);
    free(port->whole);
    free(port->left_memory);
    *port = (struct lkd_port){.fd = -1};
}

/* ---- receive ---- */

static bool is_name(const char *name, size_t size)
{
    size_t n = strnlen(name, size);

    return n == 0 || (n < size && lk_key_name_is_valid(name, n));
}

/* Return true if the frame of @n bytes is valid. */
static bool is_sound(const struct lkd_port *port, const struct head *head, size_t n)
{
    size_t piece;

    if (n < sizeof(*head) + head->n_address || head->n_address > LKD_PORT_ADDRESS_MAX)
        return false;
    piece = n - sizeof(*head) - head->n_address;
    return head->kind >= LKD_FRAME_OPENED && head->kind < LKD_FRAME_KINDS &&
           head->size <= port->size_max && head->offset <= head->size &&
           piece <= head->size - head->offset && piece <= LKD_PORT_PIECE &&
           (piece > 0 || head->size == 0) && head->role <= LINKAGE__V1__ROLE__ROLE_CONTROL &&
           is_name(head->name, sizeof(head->name));
}

static void describe_message(const struct lkd_port *port, const struct head *head,
                             struct lkd_message *ret_message)
{
    *ret_message = (struct lkd_message){
        .kind = (enum lkd_frame_kind)head->kind,
        .generation = head->generation,
        .peer.role = (Linkage__V1__Role)head->role,
        .address = port->frame + sizeof(*head),
        .n_address = head->n_address,
        .data = port->frame + sizeof(*head) + head->n_address,
        .size = head->size,
    };
    memcpy(ret_message->peer.name, head->name, sizeof(head->name));
}

/* Append a fragment to its message. Return: true if the message is complete. */
static bool join_piece(struct lkd_port *port, const struct head *head, size_t n,
                       struct lkd_message *message)
{
    size_t piece = n - sizeof(*head) - head->n_address;

    if (head->offset == 0)
        port->n_whole = 0;
    if (piece == head->size)
        return true;
    if (!port->whole || head->offset != port->n_whole) { /* the process with its begin died */
        port->malformed++;
        port->n_whole = 0;
        return false;
    }
    memcpy(port->whole + head->offset, message->data, piece);
    port->n_whole += piece;
    message->data = port->whole;
    return port->n_whole == head->size;
}

/* Return true if there is nothing to read, and set @closed at the end of the channel. recv()
 * returns 0 both for an empty frame and at the end.
 * @n: result of recv() */
static bool is_over(struct lkd_port *port, ssize_t n)
{
    if (n < 0)
        port->closed = errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
    else
        port->closed = n == 0 && lkd_port_is_shut(port->fd);
    return n < 0 || port->closed;
}

bool lkd_port_receive(struct lkd_port *port, struct lkd_message *ret_message)
{
    for (int i = 0; i < FRAMES_MAX; i++) {
        ssize_t n = recv(port->fd, port->frame, FRAME_MAX, MSG_DONTWAIT | MSG_TRUNC);
        struct head head;

        if (is_over(port, n))
            return false;
        if ((size_t)n >= sizeof(head))
            memcpy(&head, port->frame, sizeof(head));
        if ((size_t)n < sizeof(head) || (size_t)n > FRAME_MAX ||
            !is_sound(port, &head, (size_t)n)) {
            port->malformed++;
            continue;
        }
        describe_message(port, &head, ret_message);
        if (join_piece(port, &head, (size_t)n, ret_message))
            return true;
    }
    return false;
}

int lkd_port_descriptor(const struct lkd_port *port)
{
    return port->closed ? -1 : port->fd;
}

bool lkd_port_is_shut(int fd)
{
    struct pollfd item = {.fd = fd, .events = POLLRDHUP};

    return poll(&item, 1, 0) == 1;
}

/* ---- send ---- */

/* Send one frame.
 * Return: true if the frame was sent. */
static bool send_piece(struct lkd_port *port, const struct lkd_message *message, size_t offset,
                       size_t piece)
{
    struct head head = {
        .kind = message->kind,
        .generation = message->generation,
        .size = (uint32_t)message->size,
        .offset = (uint32_t)offset,
        .n_address = (uint32_t)message->n_address,
        .role = message->peer.role,
    };
    struct iovec parts[] = {
        {&head, sizeof(head)},
        {(void *)message->address, message->n_address},
        {(unsigned char *)message->data + offset, piece},
    };
    struct msghdr header = {.msg_iov = parts, .msg_iovlen = piece > 0 ? 3 : 2};
    ssize_t n;

    memcpy(head.name, message->peer.name, sizeof(head.name));
    do
        n = sendmsg(port->fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    if (n >= 0 || errno == EPIPE)
        port->closed = n < 0;
    return n >= 0;
}

/* Send the message from byte @sent on, as far as the channel has room.
 * Return: number of bytes sent so far; SIZE_MAX if an empty message was not sent. */
static size_t send_from(struct lkd_port *port, const struct lkd_message *message, size_t sent)
{
    if (message->size == 0)
        return send_piece(port, message, 0, 0) ? 0 : SIZE_MAX;
    while (sent < message->size) {
        size_t piece = message->size - sent;

        if (piece > LKD_PORT_PIECE)
            piece = LKD_PORT_PIECE;
        if (!send_piece(port, message, sent, piece))
            break;
        sent += piece;
    }
    return sent;
}

static bool keep_left(struct lkd_port *port, const struct lkd_message *message, size_t sent)
{
    unsigned char *memory = malloc(message->size + message->n_address + 1);

    if (!memory)
        return false;
    port->left = *message;
    port->left.address = memory;
    port->left.data = memory + message->n_address;
    if (message->n_address > 0)
        memcpy(memory, message->address, message->n_address);
    if (message->size > 0)
        memcpy(memory + message->n_address, message->data, message->size);
    port->left_memory = memory;
    port->left_sent = sent;
    return true;
}

bool lkd_port_send(struct lkd_port *port, const struct lkd_message *message, bool keep)
{
    size_t sent;

    if (port->left_memory || message->size > port->size_max ||
        message->n_address > LKD_PORT_ADDRESS_MAX)
        return false;
    sent = send_from(port, message, 0);
    if (sent == message->size)
        return true;
    if (sent == SIZE_MAX)
        sent = 0;
    return (keep || sent > 0) && keep_left(port, message, sent);
}

bool lkd_port_send_bytes(struct lkd_port *port, const void *data, size_t size)
{
    return lkd_port_send(
        port, &(struct lkd_message){.kind = LKD_FRAME_MESSAGE, .data = data, .size = size}, false);
}

bool lkd_port_flush(struct lkd_port *port)
{
    size_t sent;

    if (!port->left_memory)
        return true;
    sent = send_from(port, &port->left, port->left_sent);
    if (sent != port->left.size && !port->closed) {
        port->left_sent = sent == SIZE_MAX ? 0 : sent;
        return false;
    }
    free(port->left_memory);
    port->left_memory = NULL;
    return true;
}

bool lkd_port_is_kept(const struct lkd_port *port)
{
    return port->left_memory != NULL;
}
