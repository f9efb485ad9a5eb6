/* SPDX-License-Identifier: Apache-2.0 */
/* Subscribers to a daemon's outputs socket, in addition to that of the harness. Every failure ends
 * the running test. */
#ifndef TEST_SUBSCRIBER_H
#define TEST_SUBSCRIBER_H

#include "harness.h"

/* Tests that are not about real time run at low priority, and may be late. */
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
 * be of that kind; NULL if none came in time. Valid until the next one. */
const Linkage__V1__StreamSample *subscriber_stream(struct subscriber *s, int timeout_ms);
const Linkage__V1__Heartbeat *subscriber_heartbeat(struct subscriber *s, int timeout_ms);
const Linkage__V1__OutputSample *subscriber_output(struct subscriber *s, int timeout_ms);

/** subscriber_ask() - sends a SubscribeRequest. */
const Linkage__V1__ControlReply *subscriber_ask(struct harness *h, const char *const names[],
                                                size_t n, uint32_t divisor);

#endif
