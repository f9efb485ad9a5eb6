/* SPDX-License-Identifier: Apache-2.0 */
/* Channels between the daemon and the line process (line.h), and one end of such a channel.
 *
 * A channel is a pair of Unix sockets that keep message boundaries (SOCK_SEQPACKET). A message is
 * one frame or, above LKD_PORT_PIECE bytes, several frames, each with its offset. No function
 * blocks: a full channel returns an error. Received frames are checked as if they came from a
 * network, because the other process may be compromised. Both processes use these functions, each
 * at its end of the channel. A port belongs to one thread at a time. */
#ifndef LKD_LINE_PORT_H
#define LKD_LINE_PORT_H

#include "peer.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum lkd_channel - channels of the line process.
 * CONTROL: requests in, replies out. INPUTS: samples in. OUTPUTS: samples out, subscriptions in.
 * VILLAS_INPUTS, VILLAS_OUTPUTS: samples of a gateway. */
enum lkd_channel {
    LKD_CHANNEL_CONTROL,
    LKD_CHANNEL_INPUTS,
    LKD_CHANNEL_OUTPUTS,
    LKD_CHANNEL_VILLAS_INPUTS,
    LKD_CHANNEL_VILLAS_OUTPUTS,
    LKD_N_CHANNELS
};

/** lkd_channel_size_max() - Return the size [bytes] of the largest message of a channel, in either
 * direction. */
size_t lkd_channel_size_max(enum lkd_channel channel);

#define LKD_PORT_PIECE       ((size_t)64 << 10)
#define LKD_PORT_ADDRESS_MAX 256 /* address of a reply: a routing id and a mark */

/** enum lkd_frame_kind - kind of a frame.
 * OPENED: first frame of a new line process; incomplete messages of the old one will never be
 * completed. MESSAGE: a message. PARTS, LONG: a message had too many parts, or was too long, and
 * was discarded. */
enum lkd_frame_kind {
    LKD_FRAME_OPENED = 1,
    LKD_FRAME_MESSAGE,
    LKD_FRAME_PARTS,
    LKD_FRAME_LONG,
    LKD_FRAME_KINDS,
};

/** struct lkd_message - a message in a channel.
 * @generation: number of the line process that relayed the message
 * @peer:       sender of the message
 * @address:    destination of the reply, @n_address bytes that only the line process interprets
 * @data:       content of @size bytes */
struct lkd_message {
    enum lkd_frame_kind kind;
    uint32_t generation;
    struct lkd_peer peer;
    const unsigned char *address;
    size_t n_address;
    const void *data;
    size_t size;
};

/** struct lkd_port - one end of a channel.
 * @fd:       owned by the caller
 * @size_max: largest size of a message
 * @frame:    buffer of the last received frame
 * @whole:    message received in several frames, @n_whole bytes so far
 * @closed:   the other side has closed the channel, in one of the directions
 * @left:     copy of a message of which @left_sent bytes have been sent, or NULL */
struct lkd_port {
    int fd;
    size_t size_max;
    unsigned char *frame;
    unsigned char *whole;
    size_t n_whole;
    bool closed;
    uint64_t malformed;
    struct lkd_message left;
    void *left_memory;
    size_t left_sent;
};

/** lkd_port_pair() - Create both ends of a channel: [0] is the daemon's.
 * Return: 0, negative errno. */
int lkd_port_pair(int ret_fd[2]);

/** lkd_port_init() - Initialise @port for messages of at most @size_max bytes in either direction.
 * Return: 0, -ENOMEM. */
int lkd_port_init(struct lkd_port *port, int fd, size_t size_max);
/** lkd_port_fini() - Release @port, which may be zeroed. */
void lkd_port_fini(struct lkd_port *port);

/** lkd_port_receive() - Return the next message, valid until the next call. Malformed frames are
 * counted (@malformed) and skipped, a bounded number in one call.
 * Return: true if there was a message. If port->closed is set, there will be no further message,
 * unless the descriptor is replaced by that of a new channel. */
bool lkd_port_receive(struct lkd_port *port, struct lkd_message *ret_message);

/** lkd_port_descriptor() - Return the descriptor to poll: -1 while the channel is closed, because
 * poll() reports a closed channel as always ready. Callers must still call lkd_port_receive() from
 * time to time, because it detects a new channel. */
int lkd_port_descriptor(const struct lkd_port *port);
/** lkd_port_is_shut() - Return true if the socket @fd, of a channel or a listening socket, has been
 * shut down for receiving.
 * Thread: any. */
bool lkd_port_is_shut(int fd);

/** lkd_port_send() - Send @message if the channel has room.
 * @keep: copy a message that does not fit; lkd_port_flush() sends it later. A partly sent message
 *        is copied in any case.
 * Return: true if the message was sent or kept; false while another message is kept. */
bool lkd_port_send(struct lkd_port *port, const struct lkd_message *message, bool keep);
/** lkd_port_send_bytes() - Send @size bytes without address or peer. Bytes that fit into one frame
 * are never kept. */
bool lkd_port_send_bytes(struct lkd_port *port, const void *data, size_t size);

/** lkd_port_flush() - Send the kept message. Return: true if no kept message is left. */
bool lkd_port_flush(struct lkd_port *port);
/** lkd_port_is_kept() - Return true if a message waits for lkd_port_flush(). */
bool lkd_port_is_kept(const struct lkd_port *port);

#endif
