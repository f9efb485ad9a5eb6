/* SPDX-License-Identifier: Apache-2.0 */
/* A stream: a selection of the outputs that the daemon publishes on request. Heartbeats on the same
 * socket reveal a change of model or daemon, which ends the stream. */
#include "client.h"
#include "socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The description of the stream has its own arena, because it must remain valid after the client's
 * next reply and sample. */
#define MEANING_ARENA (1u << 20)
/* If not even a heartbeat arrives for this time, the daemon may have dropped the stream [ns]. */
#define SILENCE_NS INT64_C(3000000000)

struct lk_client_stream {
    struct lk_client_socket socket;
    struct lk_wire_arena samples;
    struct lk_wire_arena meanings;
    const Linkage__V1__Stream *meaning;
    int64_t heard_ns;
};

static void release_stream(struct lk_client_stream *stream)
{
    lk_wire_arena_fini(&stream->samples);
    lk_wire_arena_fini(&stream->meanings);
    free(stream);
}

/* Request the stream from the daemon. */
static int request_stream(struct lk_client *client, Linkage__V1__SubscribeRequest *subscribe,
                          const Linkage__V1__Stream **ret_stream, struct lk_error *ret_error)
{
    Linkage__V1__ControlRequest request = LINKAGE__V1__CONTROL_REQUEST__INIT;
    const Linkage__V1__ControlReply *reply;
    int code;

    request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SUBSCRIBE;
    request.subscribe = subscribe;
    code = lk_client_call(client, &request, &reply, ret_error);
    if (code != 0)
        return code;
    if (reply->result != LINKAGE__V1__RESULT__RESULT_OK || reply->stream == NULL) {
        lk_error_set(ret_error, "%s",
                     reply->text[0] != '\0' ? reply->text : lk_names_result(reply->result));
        return LK_CLIENT_E_REFUSED;
    }
    *ret_stream = reply->stream;
    return 0;
}

/* Copy @meaning by encoding and decoding it, because the client's next call overwrites its
 * reply. */
static int keep_meaning(struct lk_client_stream *stream, const Linkage__V1__Stream *meaning,
                        struct lk_error *ret_error)
{
    size_t size = lk_wire_encoded_size(&meaning->base);
    uint8_t *bytes = malloc(size + 1);

    if (bytes != NULL && lk_wire_encode(&meaning->base, bytes, size, &size) == 0)
        stream->meaning = linkage__v1__stream__unpack(&stream->meanings.allocator, size, bytes);
    free(bytes);
    if (stream->meaning != NULL)
        return 0;
    lk_error_set(ret_error, "no memory for a stream");
    return -ENOMEM;
}

static int open_stream(struct lk_client *client, const char *endpoint,
                       Linkage__V1__SubscribeRequest *subscribe,
                       struct lk_client_stream **ret_stream, struct lk_error *ret_error)
{
    struct lk_client_stream *stream = calloc(1, sizeof(*stream));
    const Linkage__V1__Stream *meaning;
    int code;

    if (stream == NULL || lk_wire_arena_init(&stream->samples, LK_WIRE_SAMPLE_ARENA) != 0 ||
        lk_wire_arena_init(&stream->meanings, MEANING_ARENA) != 0) {
        lk_error_set(ret_error, "no memory for a stream");
        if (stream != NULL)
            release_stream(stream);
        return -ENOMEM;
    }
    code = request_stream(client, subscribe, &meaning, ret_error);
    if (code == 0)
        code = keep_meaning(stream, meaning, ret_error);
    if (code == 0)
        code = lk_client_socket_open(&stream->socket, lk_client_context(client), ZMQ_SUB,
                                     endpoint != NULL ? endpoint : LK_CLIENT_OUTPUTS,
                                     lk_client_keys(client), ret_error);
    if (code != 0) {
        release_stream(stream);
        return code;
    }
    lk_client_socket_subscribe(&stream->socket, stream->meaning->topic.data,
                               stream->meaning->topic.len);
    lk_client_socket_subscribe(&stream->socket, (const uint8_t[]){LK_WIRE_HEARTBEAT}, 1);
    stream->heard_ns = lk_client_now_ns();
    *ret_stream = stream;
    return 0;
}

int lk_client_stream_open(struct lk_client *client, const char *endpoint, char *const *channels,
                          size_t n, uint32_t divisor, struct lk_client_stream **ret_stream,
                          struct lk_error *ret_error)
{
    Linkage__V1__SubscribeRequest subscribe = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;

    subscribe.channels = (char **)channels;
    subscribe.n_channels = n;
    subscribe.divisor = divisor;
    return open_stream(client, endpoint, &subscribe, ret_stream, ret_error);
}

int lk_client_poses_open(struct lk_client *client, const char *endpoint, char *const *bodies,
                         size_t n, uint32_t divisor, struct lk_client_stream **ret_stream,
                         struct lk_error *ret_error)
{
    Linkage__V1__SubscribeRequest subscribe = LINKAGE__V1__SUBSCRIBE_REQUEST__INIT;

    subscribe.channels = (char **)bodies;
    subscribe.n_channels = n;
    subscribe.divisor = divisor;
    subscribe.poses = true;
    return open_stream(client, endpoint, &subscribe, ret_stream, ret_error);
}

const Linkage__V1__Stream *lk_client_stream_meaning(const struct lk_client_stream *stream)
{
    return stream->meaning;
}

static int take_heartbeat(struct lk_client_stream *stream, const void *data, size_t size)
{
    const Linkage__V1__Heartbeat *heartbeat;

    if (lk_wire_decode_heartbeat(&stream->samples, data, size, &heartbeat) != 0)
        return LK_CLIENT_E_BAD_ANSWER;
    if (heartbeat->daemon_id != stream->meaning->daemon_id ||
        heartbeat->model_id != stream->meaning->model_id)
        return LK_CLIENT_E_CHANGED;
    return 0;
}

/* Decode a message.
 * @ret_sample: the sample, or NULL for other messages
 * Return: 0, or a code of the client library. */
static int receive_message(struct lk_client_stream *stream, const void *data, size_t size,
                           const Linkage__V1__OutputSample **ret_sample)
{
    const Linkage__V1__StreamSample *sample;

    *ret_sample = NULL;
    switch (lk_wire_kind(data, size)) {
    case LK_WIRE_HEARTBEAT:
        return take_heartbeat(stream, data, size);
    case LK_WIRE_STREAM:
        if (lk_wire_decode_stream(&stream->samples, data, size, &sample) != 0)
            return LK_CLIENT_E_BAD_ANSWER;
        if (sample->stream != stream->meaning->stream)
            return 0;
        if (sample->sample->model_id != stream->meaning->model_id)
            return LK_CLIENT_E_CHANGED;
        *ret_sample = sample->sample;
        return 0;
    default:
        return 0;
    }
}

int lk_client_stream_receive(struct lk_client_stream *stream, int timeout_ms,
                             int64_t *ret_received_ns, const Linkage__V1__OutputSample **ret_sample)
{
    int64_t deadline_ns = lk_client_now_ns() + (int64_t)timeout_ms * 1000000;
    const Linkage__V1__OutputSample *sample = NULL;
    int code = 0;

    while (code == 0 && sample == NULL) {
        int64_t before_ns = stream->heard_ns;
        zmq_msg_t message;

        code = lk_client_socket_receive(&stream->socket, deadline_ns, &message);
        if (code != 0)
            return code;
        stream->heard_ns = lk_client_now_ns();
        if (ret_received_ns != NULL)
            *ret_received_ns = stream->heard_ns;
        if (stream->heard_ns - before_ns > SILENCE_NS)
            code = LK_CLIENT_E_CHANGED;
        else
            code = receive_message(stream, zmq_msg_data(&message), zmq_msg_size(&message), &sample);
        zmq_msg_close(&message);
    }
    if (code == 0)
        *ret_sample = sample;
    return code;
}

void lk_client_stream_close(struct lk_client_stream *stream)
{
    if (stream == NULL)
        return;
    lk_client_socket_close(&stream->socket);
    release_stream(stream);
}
