/* SPDX-License-Identifier: Apache-2.0 */
#include "subscriber.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <zmq.h>

#include <cmocka.h>

void subscriber_open(struct subscriber *s, struct harness *h, const void *topic, size_t size)
{
    int zero = 0;

    s->socket = zmq_socket(h->context, ZMQ_SUB);
    assert_non_null(s->socket);
    zmq_setsockopt(s->socket, ZMQ_LINGER, &zero, sizeof(zero));
    zmq_setsockopt(s->socket, ZMQ_SUBSCRIBE, topic, size);
    assert_int_equal(zmq_connect(s->socket, h->endpoint[2]), 0);
    assert_int_equal(lk_wire_arena_init(&s->arena, LK_WIRE_SAMPLE_ARENA), 0);
}

void subscriber_close(struct subscriber *s)
{
    zmq_close(s->socket);
    lk_wire_arena_fini(&s->arena);
}

static bool receive(struct subscriber *s, zmq_msg_t *message, int timeout_ms)
{
    zmq_pollitem_t item = {.socket = s->socket, .events = ZMQ_POLLIN};

    if (zmq_poll(&item, 1, timeout_ms) != 1)
        return false;
    zmq_msg_init(message);
    assert_true(zmq_msg_recv(message, s->socket, 0) >= 0);
    assert_false(zmq_msg_more(message));
    return true;
}

const Linkage__V1__StreamSample *subscriber_stream(struct subscriber *s, int timeout_ms)
{
    const Linkage__V1__StreamSample *sample;
    zmq_msg_t message;

    if (!receive(s, &message, timeout_ms))
        return NULL;
    assert_int_equal(
        lk_wire_decode_stream(&s->arena, zmq_msg_data(&message), zmq_msg_size(&message), &sample),
        0);
    zmq_msg_close(&message);
    return sample;
}

const Linkage__V1__Heartbeat *subscriber_heartbeat(struct subscriber *s, int timeout_ms)
{
    const Linkage__V1__Heartbeat *heartbeat;
    zmq_msg_t message;

    if (!receive(s, &message, timeout_ms))
        return NULL;
    assert_int_equal(lk_wire_decode_heartbeat(&s->arena, zmq_msg_data(&message),
                                              zmq_msg_size(&message), &heartbeat),
                     0);
    zmq_msg_close(&message);
    return heartbeat;
}

const Linkage__V1__OutputSample *subscriber_output(struct subscriber *s, int timeout_ms)
{
    const Linkage__V1__OutputSample *sample;
    zmq_msg_t message;

    if (!receive(s, &message, timeout_ms))
        return NULL;
    assert_int_equal(
        lk_wire_decode_output(&s->arena, zmq_msg_data(&message), zmq_msg_size(&message), &sample),
        0);
    zmq_msg_close(&message);
    return sample;
}

const Linkage__V1__ControlReply *subscriber_ask(struct harness *h, const char *const names[],
                                                size_t n, uint32_t divisor)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    Linkage__V1__SubscribeRequest subscribe = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;

    subscribe.channels = (char **)names;
    subscribe.n_channels = n;
    subscribe.divisor = divisor;
    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SUBSCRIBE;
    request.subscribe = &subscribe;
    return harness_ask(h, &request);
}
