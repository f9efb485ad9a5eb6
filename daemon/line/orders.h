/* SPDX-License-Identifier: Apache-2.0 */
/* Orders and reports between daemon and line process, over a socket of their own (SOCK_SEQPACKET):
 * one struct per message, each beginning with its kind. Both sides are the same program, so they
 * share the layout. Nevertheless the daemon checks all received messages, because the line process
 * may be compromised. */
#ifndef LKD_LINE_ORDERS_H
#define LKD_LINE_ORDERS_H

#include "clients.h"
#include "endpoint.h"
#include "port.h"
#include "realtime.h"

/* Descriptor number of the line process's end of the socket. The process inherits no other
 * descriptor besides the standard ones. */
#define LKD_LINE_FD 3
/* The hidden argument that makes the program a line process. */
#define LKD_LINE_ARGUMENT "--line"
/* Exit status of a line process that has run out of memory or descriptors. */
#define LKD_LINE_EXIT_MEMORY      12
#define LKD_LINE_EXIT_DESCRIPTORS 13

enum lkd_order {
    LKD_ORDER_SETUP = 1, /* the first order; with descriptors */
    LKD_ORDER_CLIENTS,   /* list of clients, active from now on; with keys, sent before any
                          * connection is accepted */
    LKD_ORDER_ASK,       /* liveness query */
};

/** struct lkd_order_setup - @memory: limit of its data memory beyond that at its start [bytes]
 * @keyed: control, inputs and outputs need keys;  @secret: the server's key, Z85
 * @samples: priority and core of the threads that relay samples; the process inherits the priority,
 * because it must not set one itself
 * @socket: @n_sockets sockets; the message has two descriptors for each: the listening socket, and
 * the line's end of the channel */
struct lkd_order_setup {
    uint32_t kind;
    uint32_t generation;
    uint64_t memory;
    bool keyed;
    char secret[LK_KEY_SIZE];
    struct lkd_thread_wish samples;
    uint32_t n_sockets;
    struct lkd_order_socket {
        enum lkd_channel channel;
        char endpoint[LKD_ENDPOINT_SIZE];
    } socket[LKD_N_CHANNELS];
};

/** struct lkd_order_clients - @number: number of the list, counted from 1 */
struct lkd_order_clients {
    uint32_t kind;
    uint32_t number;
    struct lkd_clients clients;
};

enum lkd_answer_kind {
    LKD_ANSWER_READY = 1, /* everything is open */
    LKD_ANSWER_FAILED,    /* the process could not open a resource, see @text, and ends */
    LKD_ANSWER_HERE,      /* answer to LKD_ORDER_ASK */
    LKD_ANSWER_CLIENTS,   /* a new list is active */
    LKD_ANSWER_REPORT,    /* @condition has happened: @text */
};

#define LKD_ANSWER_TEXT_SIZE 512
#define LKD_LINE_RELAYS      3 /* threads that relay */

/** struct lkd_line_answer - @condition: enum lkd_condition_id;  @turned_away: connections refused
 * so far
 * @clients: number of the active list
 * @turns: loop count of each relaying thread; constant if the thread hangs */
struct lkd_line_answer {
    uint32_t kind;
    uint32_t condition;
    uint32_t clients;
    uint64_t turned_away;
    uint64_t turns[LKD_LINE_RELAYS];
    char text[LKD_ANSWER_TEXT_SIZE];
};

#endif
