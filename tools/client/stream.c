/* SPDX-License-Identifier: Apache-2.0 */
/* The sample streams: a SUB socket for outputs, an XPUB socket for inputs.
 *
 * An XPUB socket is a PUB socket that reports subscriptions to its owner. For the daemon's SUB
 * socket it looks like a PUB socket. Only these reports prove that the daemon receives samples. */
#include "client.h"
#include "socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lk_client_outputs {
    struct lk_client_socket socket;
    struct lk_wire_arena arena;
};

struct lk_client_inputs {
    struct lk_client_socket socket;
    bool subscribed;
    uint64_t generation;
    uint8_t buffer[LK_WIRE_SAMPLE_MAX];
};

int lk_client_outputs_open(struct lk_client *client, const char *endpoint,
                           struct lk_client_outputs **ret_outputs, struct lk_error *ret_error)
{
    struct lk_client_outputs *outputs = calloc(1, sizeof(*outputs));
    int code;

    if (outputs == NULL || lk_wire_arena_init(&outputs->arena, LK_WIRE_SAMPLE_ARENA) != 0) {
        lk_error_set(ret_error, "no memory for a subscription");
        free(outputs);
        return -ENOMEM;
    }
    code = lk_client_socket_open(&outputs->socket, lk_client_context(client), ZMQ_SUB,
                                 endpoint != NULL ? endpoint : LK_CLIENT_OUTPUTS,
                                 lk_client_keys(client), ret_error);
    if (code != 0) {
        lk_wire_arena_fini(&outputs->arena);
        free(outputs);
        return code;
    }
    lk_client_socket_subscribe(&outputs->socket, (const uint8_t[]){LK_WIRE_OUTPUT}, 1);
    *ret_outputs = outputs;
    return 0;
}

int lk_client_outputs_receive(struct lk_client_outputs *outputs, int timeout_ms,
                              int64_t *ret_received_ns,
                              const Linkage__V1__OutputSample **ret_sample)
{
    int64_t deadline_ns = lk_client_now_ns() + (int64_t)timeout_ms * 1000000;
    zmq_msg_t message;
    int code = lk_client_socket_receive(&outputs->socket, deadline_ns, &message);

    if (code != 0)
        return code;
    if (ret_received_ns != NULL)
        *ret_received_ns = lk_client_now_ns();
    code = lk_wire_decode_output(&outputs->arena, zmq_msg_data(&message), zmq_msg_size(&message),
                                 ret_sample);
    zmq_msg_close(&message);
    return code == 0 ? 0 : LK_CLIENT_E_BAD_ANSWER;
}

void lk_client_outputs_close(struct lk_client_outputs *outputs)
{
    if (outputs == NULL)
        return;
    lk_client_socket_close(&outputs->socket);
    lk_wire_arena_fini(&outputs->arena);
    free(outputs);
}

int lk_client_inputs_open(struct lk_client *client, const char *endpoint,
                          struct lk_client_inputs **ret_inputs, struct lk_error *ret_error)
{
    struct lk_client_inputs *inputs = calloc(1, sizeof(*inputs));
    int code;

    if (inputs == NULL) {
        lk_error_set(ret_error, "no memory for a sender");
        return -ENOMEM;
    }
    code = lk_client_socket_open(&inputs->socket, lk_client_context(client), ZMQ_XPUB,
                                 endpoint != NULL ? endpoint : LK_CLIENT_INPUTS,
                                 lk_client_keys(client), ret_error);
    if (code != 0)
        free(inputs);
    else
        *ret_inputs = inputs;
    return code;
}

/* Read a subscription message of the XPUB socket: the byte 1 and a topic, or the byte 0 and a topic
 * if the last subscriber has left. */
static int take_news(struct lk_client_inputs *inputs, int64_t deadline_ns)
{
    zmq_msg_t message;
    int code = lk_client_socket_receive(&inputs->socket, deadline_ns, &message);

    if (code != 0)
        return code;
    if (zmq_msg_size(&message) > 0) {
        inputs->subscribed = *(const uint8_t *)zmq_msg_data(&message) == 1;
        inputs->generation += inputs->subscribed;
    }
    zmq_msg_close(&message);
    return 0;
}

bool lk_client_inputs_ready(struct lk_client_inputs *inputs)
{
    while (take_news(inputs, 0) == 0)
        continue;
    return inputs->subscribed;
}

uint64_t lk_client_inputs_generation(const struct lk_client_inputs *inputs)
{
    return inputs->generation;
}

int lk_client_inputs_wait(struct lk_client_inputs *inputs, int timeout_ms)
{
    int64_t deadline_ns = lk_client_now_ns() + (int64_t)timeout_ms * 1000000;
    int code = 0;

    while (code == 0 && !lk_client_inputs_ready(inputs))
        code = take_news(inputs, deadline_ns);
    return code;
}

int lk_client_inputs_send(struct lk_client_inputs *inputs, const Linkage__V1__InputSample *sample)
{
    size_t size;

    if (lk_wire_encode(&sample->base, inputs->buffer, sizeof(inputs->buffer), &size) != 0)
        return LK_CLIENT_E_TOO_LARGE;
    return zmq_send(inputs->socket.handle, inputs->buffer, size, ZMQ_DONTWAIT) < 0 ? -errno : 0;
}

void lk_client_inputs_close(struct lk_client_inputs *inputs)
{
    if (inputs == NULL)
        return;
    lk_client_socket_close(&inputs->socket);
    free(inputs);
}
