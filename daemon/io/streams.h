/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: selections of the outputs, each with its own divisor, sent as StreamSamples on the
 * outputs channel.
 *
 * The number of a stream is a hash of the request. Therefore identical requests share one stream,
 * and a bench that repeats its request after a restart of the daemon gets the same topic. A stream
 * ends with its model, or LKD_STREAM_LINGER_NS after its last subscriber has left. A stream without
 * subscribers is not encoded.
 *
 * Not thread-safe: the exchange's lock guards it. */
#ifndef LKD_IO_STREAMS_H
#define LKD_IO_STREAMS_H

#include "outgoing.h"
#include "pace.h"
#include "port.h"
#include "topics.h"

#define LKD_STREAMS_MAX      64
#define LKD_STREAMS_SPARED   16 /* streams reserved for clients of role bench or control */
#define LKD_STREAM_LINGER_NS INT64_C(5000000000)

/** struct lkd_stream - one stream.
 * @from:     index of each of @n_values values in the array of outputs followed by poses
 * @until_ns: time at which a stream without subscribers ends, CLOCK_MONOTONIC */
struct lkd_stream {
    uint64_t id;
    int n_values;
    int *from;
    struct lkd_pace pace;
    uint64_t sequence;
    bool subscribed;
    int64_t until_ns;
};

struct lkd_segments;

/** struct lkd_streams - all streams.
 * @n:               number of streams
 * @values, @buffer: scratch memory for the sample being encoded */
struct lkd_streams {
    struct lkd_port *port;
    struct lkd_segments *segments;
    int n;
    struct lkd_stream stream[LKD_STREAMS_MAX];
    struct lkd_topics topics;
    double *values;
    unsigned char *buffer;
};

/** enum lkd_stream_status - result of a subscription. @LKD_STREAM_E_MANY: the maximum number of
 * streams exists already */
enum lkd_stream_status { LKD_STREAM_OK = 0, LKD_STREAM_E_MANY = 1 };

/** struct lkd_selection - request of a subscriber.
 * @hash:    hash of the names of the channels, see lkd_stream_hash()
 * @from:    see struct lkd_stream; @n_values at most LKD_PUBLISHER_OUTPUTS_MAX
 * @divisor: 1 to LKD_DIVISOR_MAX
 * @spared:  number of streams that must remain free for other clients, 0 to LKD_STREAMS_MAX */
struct lkd_selection {
    uint64_t hash;
    const int *from;
    int n_values;
    uint64_t divisor;
    int spared;
};

/** lkd_stream_hash() - Extend @hash with a name; @hash is 0 for the first name. Return the new
 * hash. */
uint64_t lkd_stream_hash(uint64_t hash, const char *name);

/** lkd_streams_init() - Initialise @streams without streams.
 * @port:     outputs channel
 * @segments: receives publications, or NULL; both owned by the caller
 * Return: 0, -ENOMEM. */
int lkd_streams_init(struct lkd_streams *streams, struct lkd_port *port,
                     struct lkd_segments *segments);
/** lkd_streams_fini() - Release @streams, which may be zeroed. */
void lkd_streams_fini(struct lkd_streams *streams);

/** lkd_streams_add() - Return the stream for @selection; create it if it does not exist.
 * Return: 0, LKD_STREAM_E_MANY, -ENOMEM. */
int lkd_streams_add(struct lkd_streams *streams, const struct lkd_selection *selection,
                    int64_t now_ns, uint64_t *ret_id);
/** lkd_streams_end() - End all streams, because their model is released. */
void lkd_streams_end(struct lkd_streams *streams);
/** lkd_streams_begin() - Reset all streams when a run begins. */
void lkd_streams_begin(struct lkd_streams *streams);

/** lkd_streams_tick() - Read new subscriptions, and end streams without subscribers. Never
 * blocks. */
void lkd_streams_tick(struct lkd_streams *streams, int64_t now_ns);

/** lkd_streams_ahead() - Return the number of grid points from the record with @figures, which was
 * sent, to the next record that can be due for a stream; UINT64_MAX: there are no streams. */
uint64_t lkd_streams_ahead(const struct lkd_streams *streams, const struct lkd_figures *figures);

/** lkd_streams_send() - Publish the streams that are due and have subscribers; never blocks.
 * @outgoing: all outputs; its sequence number, time and values are overwritten
 * @always:   publish also streams that are not due */
void lkd_streams_send(struct lkd_streams *streams, const struct lkd_output *output,
                      struct lkd_outgoing *outgoing, bool always);

/** lkd_stream_topic() - Write the topic of stream @id, LKD_TOPIC_SIZE bytes. */
void lkd_stream_topic(uint64_t id, unsigned char *ret_topic);

#endif
