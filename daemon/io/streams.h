/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: selections of the outputs, each at a divisor of its own, as StreamSamples on the outputs
 * channel.
 *
 * The number of a stream is a hash of what was asked for, so that two subscribers that ask for the
 * same share one stream, and a bench that asks anew after a restart of the daemon gets the topic it
 * had. A stream lives as long as somebody subscribes to its topic and LKD_STREAM_LINGER_NS beyond,
 * and ends with its model. A stream without subscribers is not encoded.
 *
 * Not thread-safe: the exchange's lock guards it. */
#ifndef LKD_IO_STREAMS_H
#define LKD_IO_STREAMS_H

#include "outgoing.h"
#include "pace.h"
#include "port.h"
#include "topics.h"

#define LKD_STREAMS_MAX      64
#define LKD_STREAMS_SPARED   16 /* of these, for clients of role bench or control */
#define LKD_STREAM_LINGER_NS INT64_C(5000000000)

/** struct lkd_stream - @from: index of each of @n_values values among the outputs and the poses
 * behind them
 * @until_ns: how long it lives without a subscriber, CLOCK_MONOTONIC */
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

/** struct lkd_streams - @n of them;  @values, @buffer: of the sample being made */
struct lkd_streams {
    struct lkd_port *port;
    struct lkd_segments *segments;
    int n;
    struct lkd_stream stream[LKD_STREAMS_MAX];
    struct lkd_topics topics;
    double *values;
    unsigned char *buffer;
};

/** enum lkd_stream_status - @LKD_STREAM_E_MANY: there are as many of them already as may be */
enum lkd_stream_status { LKD_STREAM_OK = 0, LKD_STREAM_E_MANY = 1 };

/** struct lkd_selection - what a subscriber asks for.
 * @hash:    of the names of the channels, see lkd_stream_hash()
 * @from:    see struct lkd_stream; @n_values at most LKD_PUBLISHER_OUTPUTS_MAX
 * @divisor: 1 to LKD_DIVISOR_MAX
 * @spared:  streams that a new one leaves free for others, 0 to LKD_STREAMS_MAX */
struct lkd_selection {
    uint64_t hash;
    const int *from;
    int n_values;
    uint64_t divisor;
    int spared;
};

/** lkd_stream_hash() - @hash so far (0 at first) and one more name. */
uint64_t lkd_stream_hash(uint64_t hash, const char *name);

/** lkd_streams_init() - none.
 * @port: outputs;  @segments: gets publications, or NULL; both owned by the caller
 * Return: 0, -ENOMEM. */
int lkd_streams_init(struct lkd_streams *streams, struct lkd_port *port,
                     struct lkd_segments *segments);
/** lkd_streams_fini() - release; zeroed streams are allowed. */
void lkd_streams_fini(struct lkd_streams *streams);

/** lkd_streams_add() - the stream for @selection, a new one where there is none.
 * Return: 0, LKD_STREAM_E_MANY, -ENOMEM. */
int lkd_streams_add(struct lkd_streams *streams, const struct lkd_selection *selection,
                    int64_t now_ns, uint64_t *ret_id);
/** lkd_streams_end() - all of them end: their model does. */
void lkd_streams_end(struct lkd_streams *streams);
/** lkd_streams_begin() - a run begins. */
void lkd_streams_begin(struct lkd_streams *streams);

/** lkd_streams_tick() - hear who subscribes, and end streams that nobody wants. Never blocks. */
void lkd_streams_tick(struct lkd_streams *streams, int64_t now_ns);

/** lkd_streams_ahead() - how many grid points after that of the record with @figures, which was
 * sent, a stream can be due; UINT64_MAX: there is none. */
uint64_t lkd_streams_ahead(const struct lkd_streams *streams, const struct lkd_figures *figures);

/** lkd_streams_send() - publish the streams that somebody wants and that are due; never blocks.
 * @outgoing: all outputs; its sequence, time and values are left changed
 * @always:   those that are not due, too */
void lkd_streams_send(struct lkd_streams *streams, const struct lkd_output *output,
                      struct lkd_outgoing *outgoing, bool always);

/** lkd_stream_topic() - LKD_TOPIC_SIZE bytes. */
void lkd_stream_topic(uint64_t id, unsigned char *ret_topic);

#endif
