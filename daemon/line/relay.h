/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the line process that relay messages between ZeroMQ sockets and channels to the
 * daemon, in both directions and without delay:
 *
 *     ROUTER   <->  control      requests and their replies
 *     SUB       ->  inputs       samples, with the name of their sender
 *     XPUB     <->  outputs      samples out, subscriptions in
 *     SUB, PUB      of a gateway, with inputs and outputs
 *
 * Each relay has a thread and an I/O thread of ZeroMQ of its own, so that a flood of messages on
 * one relay does not delay the others. While a channel towards the daemon is full, its socket is
 * not read, and ZeroMQ's queue fills. The time spent on incoming messages is limited, too: the
 * exchange thread limits the samples that it reads from the channel (exchange.h), the relay limits
 * subscriptions. */
#ifndef LKD_LINE_RELAY_H
#define LKD_LINE_RELAY_H

#include "allowance.h"
#include "conditions.h"
#include "port.h"
#include <pthread.h>
#include <stdatomic.h>

#define LKD_RELAY_ROUTES_MAX 2

/** struct lkd_route - a ZeroMQ socket and its channel.
 * @keyed:   the socket has keys, and the ZAP handler provides the sender of each message
 * @hearing: time allowance for subscriptions
 * @port:    the line process's end of the channel
 * @report:  callback for events that an operator should see */
struct lkd_route {
    enum lkd_channel channel;
    bool keyed;
    uint32_t generation;
    void *socket;
    struct lkd_port port;
    struct lkd_allowance hearing;
    void (*report)(enum lkd_condition_id condition, const char *text);
};

/** struct lkd_relay - a thread that serves @n routes.
 * @turns: loop count of the thread, which shows that it is alive */
struct lkd_relay {
    const char *name;
    int n;
    struct lkd_route *route[LKD_RELAY_ROUTES_MAX];
    bool started;
    pthread_t thread;
    _Atomic uint64_t turns;
};

/** lkd_relay_start() - Create the thread. Return: 0, negative errno. */
int lkd_relay_start(struct lkd_relay *relay);

/** lkd_relay_join() - Wait for the end of the thread. The thread ends when the daemon has closed
 * all its channels and all messages from these channels have been sent. Does nothing if the relay
 * was not started. */
void lkd_relay_join(struct lkd_relay *relay);

#endif
