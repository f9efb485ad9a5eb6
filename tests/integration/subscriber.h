/* SPDX-License-Identifier: Apache-2.0 */
/* Subscribers to a daemon's outputs socket, beside the one that the harness has. Every failure ends
 * the running test. */
#ifndef TEST_SUBSCRIBER_H
#define TEST_SUBSCRIBER_H

#include "harness.h"

/* Tests that are not about real time leave the machine to those that are, and are late at will. */
#define UNPRIVILEGED                                                                               \
    "realtime: {degraded: allow, priority: 0, core: none, lock_memory: false}\n"                   \
    "overrun: {fault_in_a_row: 0}\n"

/** struct subscriber - a socket and the last message on it. */
struct subscriber {
    void *socket;
    struct lk_wire_arena arena;
};

/** subscriber_open() - connect and subscribe to @topic;  subscriber_close(). */
void subscriber_open(struct subscriber *s, struct harness *h, const void *topic, size_t size);
void subscriber_close(struct subscriber *s);

/** subscriber_stream(), subscriber_heartbeat(), subscriber_output() - the next message, which must
 * be one of that kind; NULL when none came in time. Valid until the next one. */
const Linkage__V1__StreamSample *subscriber_stream(struct subscriber *s, int timeout_ms);
const Linkage__V1__Heartbeat *subscriber_heartbeat(struct subscriber *s, int timeout_ms);
const Linkage__V1__OutputSample *subscriber_output(struct subscriber *s, int timeout_ms);

/** subscriber_ask() - a SubscribeRequest. */
const Linkage__V1__ControlReply *subscriber_ask(struct harness *h, const char *const names[],
                                                size_t n, uint32_t divisor);

#endif
