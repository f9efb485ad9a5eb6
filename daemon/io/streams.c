/* SPDX-License-Identifier: Apache-2.0 */
#include "streams.h"
#include "linkage/hash.h"
#include "log.h"
#include "publisher.h"
#include "segments.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limit of subscription messages processed in a row, so that a flood does not delay samples. */
#define BURST 1024

uint64_t lkd_stream_hash(uint64_t hash, const char *name)
{
    /* The terminating zero is included, so that "a", "bc" differs from "ab", "c". */
    return lk_hash(hash ? hash : LK_HASH_BEGIN, name, strlen(name) + 1);
}

void lkd_stream_topic(uint64_t id, unsigned char *ret_topic)
{
    /* The topic is the beginning of an encoded StreamSample: field 1 is a fixed64, encoded as a tag
     * and eight little-endian bytes. */
    ret_topic[0] = LKD_TOPIC_STREAM;
    for (int i = 0; i < 8; i++)
        ret_topic[1 + i] = (unsigned char)(id >> (8 * i));
}

int lkd_streams_init(struct lkd_streams *streams, struct lkd_port *port,
                     struct lkd_segments *segments)
{
    *streams = (struct lkd_streams){
        .port = port,
        .segments = segments,
        .values = calloc(LKD_PUBLISHER_OUTPUTS_MAX, sizeof(double)),
        .buffer = malloc(LK_WIRE_SAMPLE_MAX),
    };
    if (streams->values && streams->buffer)
        return 0;
    lkd_streams_fini(streams);
    return -ENOMEM;
}

void lkd_streams_fini(struct lkd_streams *streams)
{
    lkd_streams_end(streams);
    free(streams->values);
    free(streams->buffer);
    streams->values = NULL;
    streams->buffer = NULL;
}

static bool is_wanted(struct lkd_streams *streams, uint64_t id)
{
    unsigned char topic[LKD_TOPIC_SIZE];

    lkd_stream_topic(id, topic);
    return lkd_topics_wanted(&streams->topics, topic);
}

static struct lkd_stream *find_stream(struct lkd_streams *streams, uint64_t id)
{
    for (int i = 0; i < streams->n; i++)
        if (streams->stream[i].id == id)
            return &streams->stream[i];
    return NULL;
}

static bool is_same(const struct lkd_stream *stream, const struct lkd_selection *selection)
{
    return stream->pace.divisor == selection->divisor && stream->n_values == selection->n_values &&
           memcmp(stream->from, selection->from, (size_t)stream->n_values * sizeof(int)) == 0;
}

/* Find the stream for @selection.
 * Return: the stream, or NULL; @ret_id is the number of the stream, or the number that a new stream
 * would get. */
static struct lkd_stream *look_up(struct lkd_streams *streams,
                                  const struct lkd_selection *selection, uint64_t *ret_id)
{
    uint64_t id = lk_hash(selection->hash, &selection->divisor, sizeof(selection->divisor));
    struct lkd_stream *stream;

    /* On a hash collision take the next number. 0 is skipped, because protobuf does not encode
     * it. */
    for (;; id++) {
        stream = id ? find_stream(streams, id) : NULL;
        if (id && (!stream || is_same(stream, selection)))
            break;
    }
    *ret_id = id;
    return stream;
}

static int make_stream(struct lkd_streams *streams, const struct lkd_selection *selection,
                       uint64_t id)
{
    struct lkd_stream *stream = &streams->stream[streams->n];
    size_t size = (size_t)selection->n_values * sizeof(int);

    if (streams->n + selection->spared >= LKD_STREAMS_MAX)
        return LKD_STREAM_E_MANY;
    *stream = (struct lkd_stream){.id = id, .n_values = selection->n_values};
    stream->from = malloc(size ? size : 1);
    if (!stream->from)
        return -ENOMEM;
    memcpy(stream->from, selection->from, size);
    lkd_pace_begin(&stream->pace, selection->divisor);
    stream->subscribed = is_wanted(streams, id);
    streams->n++;
    lkd_log(LKD_C_STREAM_OPENED, "stream %016" PRIx64 ": %d values, every %" PRIu64 " steps", id,
            stream->n_values, selection->divisor);
    return 0;
}

int lkd_streams_add(struct lkd_streams *streams, const struct lkd_selection *selection,
                    int64_t now_ns, uint64_t *ret_id)
{
    struct lkd_stream *stream;
    uint64_t id;
    int r;

    stream = look_up(streams, selection, &id);
    if (!stream) {
        r = make_stream(streams, selection, id);
        if (r)
            return r;
        stream = &streams->stream[streams->n - 1];
    }
    stream->until_ns = now_ns + LKD_STREAM_LINGER_NS;
    *ret_id = id;
    return 0;
}

void lkd_streams_end(struct lkd_streams *streams)
{
    while (streams->n > 0)
        free(streams->stream[--streams->n].from);
}

void lkd_streams_begin(struct lkd_streams *streams)
{
    for (int i = 0; i < streams->n; i++)
        lkd_pace_begin(&streams->stream[i].pace, streams->stream[i].pace.divisor);
}

/* ---- subscribers ---- */

/* Discard all subscriptions, because a new line process has started; clients subscribe again. */
static void forget_subscribers(struct lkd_streams *streams)
{
    streams->topics = (struct lkd_topics){0};
}

/* Read subscription messages. Return: true if a topic of a stream was added or removed. */
static bool hear_subscriptions(struct lkd_streams *streams)
{
    struct lkd_message message;
    bool changed = false;

    for (int i = 0; i < BURST && lkd_port_receive(streams->port, &message); i++) {
        if (message.kind == LKD_FRAME_OPENED) {
            forget_subscribers(streams);
            changed = true;
        } else if (message.kind == LKD_FRAME_MESSAGE &&
                   lkd_topics_hear(&streams->topics, message.data, message.size)) {
            changed = true;
        }
    }
    return changed;
}

static void look_after_subscribers(struct lkd_streams *streams, int64_t now_ns)
{
    for (int i = 0; i < streams->n; i++) {
        struct lkd_stream *stream = &streams->stream[i];
        bool wanted = is_wanted(streams, stream->id);

        if (stream->subscribed && !wanted)
            stream->until_ns = now_ns + LKD_STREAM_LINGER_NS;
        stream->subscribed = wanted;
    }
}

void lkd_streams_tick(struct lkd_streams *streams, int64_t now_ns)
{
    if (hear_subscriptions(streams))
        look_after_subscribers(streams, now_ns);
    for (int i = streams->n - 1; i >= 0; i--) {
        if (streams->stream[i].subscribed || now_ns < streams->stream[i].until_ns)
            continue;
        lkd_log(LKD_C_STREAM_CLOSED, "stream %016" PRIx64 ": nobody subscribes to it",
                streams->stream[i].id);
        free(streams->stream[i].from);
        streams->stream[i] = streams->stream[--streams->n];
    }
}

/* ---- samples ---- */

static void publish_stream(struct lkd_streams *streams, struct lkd_stream *stream,
                           const struct lkd_output *output, struct lkd_outgoing *outgoing)
{
    Linkage__V1__StreamSample message = LINKAGE__V1__STREAM_SAMPLE__INIT;
    size_t size;

    for (int i = 0; i < stream->n_values; i++)
        streams->values[i] = output->values[stream->from[i]];
    outgoing->sample.values = streams->values;
    outgoing->sample.n_values = (size_t)stream->n_values;
    lkd_outgoing_stamp(outgoing, ++stream->sequence);
    message.stream = stream->id;
    message.sample = &outgoing->sample;
    if (lk_wire_encode(&message.base, streams->buffer, LK_WIRE_SAMPLE_MAX, &size) ||
        !lkd_port_send_bytes(streams->port, streams->buffer, size)) {
        lkd_log(LKD_C_OUTPUT_NOT_SENT, "sample %" PRIu64 " of stream %016" PRIx64 " was not sent",
                stream->sequence, stream->id);
        return;
    }
    lkd_segments_published(streams->segments, output, outgoing->sample.sequence,
                           (int64_t)outgoing->sample.published_ns);
}

uint64_t lkd_streams_ahead(const struct lkd_streams *streams, const struct lkd_figures *figures)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < streams->n; i++) {
        uint64_t ahead = lkd_pace_ahead(&streams->stream[i].pace, figures);

        least = ahead < least ? ahead : least;
    }
    return least;
}

void lkd_streams_send(struct lkd_streams *streams, const struct lkd_output *output,
                      struct lkd_outgoing *outgoing, bool always)
{
    for (int i = 0; i < streams->n; i++) {
        struct lkd_stream *stream = &streams->stream[i];
        bool due = always || lkd_pace_due(&stream->pace, &output->figures);

        if (due && stream->subscribed)
            publish_stream(streams, stream, output, outgoing);
    }
}
