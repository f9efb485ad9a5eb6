/* SPDX-License-Identifier: Apache-2.0 */
/* Subscribers to a daemon's outputs socket, in addition to that of the harness. Each failure ends
 * the running test. */
#ifndef TEST_SUBSCRIBER_H
#define TEST_SUBSCRIBER_H

#include "harness.h"

/* configuration of tests that are not about real time: low priority, and late cycles are
 * permitted */
#define UNPRIVILEGED                                                                               \
    "realtime: {degraded: allow, priority: 0, core: none, lock_memory: false}\n"                   \
    "overrun: {fault_in_a_row: 0}\n"

/** struct subscriber - a socket, and the last message that it received */
struct subscriber {
    void *socket;
    struct lk_wire_arena arena;
};

/** subscriber_open() - Connect and subscribe to @topic. subscriber_close() - Disconnect. */
void subscriber_open(struct subscriber *s, struct harness *h, const void *topic, size_t size);
void subscriber_close(struct subscriber *s);

/** subscriber_stream(), subscriber_heartbeat(), subscriber_output() - Return the next message,
 * which must be of this kind; NULL if none came in time. It is valid until the next one. */
const Linkage__V1__StreamSample *subscriber_stream(struct subscriber *s, int timeout_ms);
const Linkage__V1__Heartbeat *subscriber_heartbeat(struct subscriber *s, int timeout_ms);
const Linkage__V1__OutputSample *subscriber_output(struct subscriber *s, int timeout_ms);

/** subscriber_ask() - Send a SubscribeRequest. */
const Linkage__V1__ControlReply *subscriber_ask(struct harness *h, const char *const names[],
                                                size_t n, uint32_t divisor);

#endif
