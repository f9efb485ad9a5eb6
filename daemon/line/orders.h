/* SPDX-License-Identifier: Apache-2.0 */
/* Orders to the line process and its reports, over a separate socket (SOCK_SEQPACKET). A message is
 * one struct that begins with its kind. Both sides are the same program, so they share the layout.
 * Nevertheless the daemon checks all received messages, because the line process may be
 * compromised. */
#ifndef LKD_LINE_ORDERS_H
#define LKD_LINE_ORDERS_H

#include "clients.h"
#include "endpoint.h"
#include "port.h"
#include "realtime.h"

/* Descriptor number of the line process's end of the socket. Besides the standard descriptors, the
 * process inherits only this one. */
#define LKD_LINE_FD 3
/* The hidden argument that makes the program a line process. */
#define LKD_LINE_ARGUMENT "--line"
/* Exit status of a line process that has run out of memory or descriptors. */
#define LKD_LINE_EXIT_MEMORY      12
#define LKD_LINE_EXIT_DESCRIPTORS 13

enum lkd_order {
    LKD_ORDER_SETUP = 1, /* the first order; the message contains descriptors */
    LKD_ORDER_CLIENTS,   /* list of clients, active from now on; with keys, sent before any
                          * connection is accepted */
    LKD_ORDER_ASK,       /* liveness query */
};

/** struct lkd_order_setup - set-up of a line process.
 * @memory:  limit of the data memory, in addition to that in use at the start [bytes]
 * @keyed:   control, inputs and outputs need keys
 * @secret:  the server's key, Z85
 * @samples: priority and core of the threads that relay samples; the process inherits the priority,
 *           because it must not set one itself
 * @socket:  @n_sockets sockets; the message has two descriptors for each: the listening socket, and
 *           the line process's end of the channel */
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

/** struct lkd_order_clients - a new list of permitted clients.
 * @number: number of the list, counted from 1 */
struct lkd_order_clients {
    uint32_t kind;
    uint32_t number;
    struct lkd_clients clients;
};

enum lkd_answer_kind {
    LKD_ANSWER_READY = 1, /* all endpoints are open */
    LKD_ANSWER_FAILED,    /* the process could not open a resource, see @text, and ends */
    LKD_ANSWER_HERE,      /* answer to LKD_ORDER_ASK */
    LKD_ANSWER_CLIENTS,   /* a new list is active */
    LKD_ANSWER_REPORT,    /* @condition has happened: @text */
};

#define LKD_ANSWER_TEXT_SIZE 512
#define LKD_LINE_RELAYS      3 /* threads that relay messages */

/** struct lkd_line_answer - a report of the line process.
 * @condition:   enum lkd_condition_id
 * @turned_away: connections refused so far
 * @clients:     number of the active list
 * @turns:       loop count of each relaying thread; it stays constant if the thread hangs */
struct lkd_line_answer {
    uint32_t kind;
    uint32_t condition;
    uint32_t clients;
    uint64_t turned_away;
    uint64_t turns[LKD_LINE_RELAYS];
    char text[LKD_ANSWER_TEXT_SIZE];
};

#endif
