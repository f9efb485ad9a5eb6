/* SPDX-License-Identifier: Apache-2.0 */
/* A viewer: a connection by the Foxglove websocket protocol, subprotocols foxglove.sdk.v1 and
 * foxglove.websocket.v1, which are the same on the wire as far as they are used here. It looks, and
 * changes nothing. web.c gives it what comes from the line, and writes what it has to say.
 *
 * What it may take is bounded: a message of VIEWER_MESSAGE_MAX bytes, one subscription a channel, a
 * queue of samples whose oldest go first, and VIEWER_TEXTS answers, beyond which the connection
 * ends. Thread: web. */
#ifndef TOOLS_GATEWAY_VIEWER_H
#define TOOLS_GATEWAY_VIEWER_H

#include "gateway.h"
#include "page.h"
#include "peers.h"
#include <libwebsockets.h>

#define VIEWER_MESSAGE_MAX (64u << 10) /* bytes of a message of a client */
#define VIEWER_TEXTS       64          /* answers that wait */
#define VIEWER_NUMBERS     8           /* of channels of a model; at least GATE_CHANNELS */

enum gate_refusal { GATE_OTHER_SITE, GATE_NO_PLACE, GATE_REFUSALS };

/** struct gate_web - @meaning: the present model or NULL;  @latest: of each topic, for whoever
 * subscribes later, but for @events: the last ones;  @session: differs with every start;  @viewers,
 * @pages: lists,
 * of @n_viewers and @n_pages;  @peers: who has no login yet;  @refused_ns: of CLOCK_MONOTONIC: when
 * it was said last that a page of another site was refused, and that there was no place
 * @ticket: of downloads, @n_tickets ever */
struct gate_web {
    const struct gate_options *options;
    struct gate_hub *hub;
    struct lws_context *context;
    struct gate_meaning *meaning;
    struct gate_parcel *latest[GATE_TOPICS];
    char session[40];
    struct viewer *viewers;
    struct page *pages;
    int n_viewers;
    int n_pages;
    struct peers peers;
    uint64_t refused_ns[GATE_REFUSALS];
    struct gate_queue events;
    char look_token[PAGE_TOKEN_SIZE];
    char operate_token[PAGE_TOKEN_SIZE];
    struct page_ticket ticket[PAGE_TICKETS];
    unsigned int n_tickets;
};

/** struct viewer_text - a message as JSON, behind the room that the library wants. */
struct viewer_text {
    size_t size;
    unsigned char room[LWS_PRE];
    char data[];
};

/** struct viewer - memory of a connection, zero at first.
 * @meaning:    number of the model that its channels are of;  @advertised: which of them
 * @subscribed: and with which number of the client's, @id
 * @shapes:     wait to be sent;  @time_ns, @told_ns: UTC of the newest sample, and as it was told
 * @event:      number of the newest event that it was sent
 * @dropped:    parcels since that was said, at @dropped_ns of CLOCK_MONOTONIC */
struct viewer {
    struct gate_web *web;
    struct lws *wsi;
    struct viewer *next;
    bool is_open;
    bool failed;
    uint32_t meaning;
    bool advertised[GATE_CHANNELS];
    bool subscribed[GATE_CHANNELS];
    uint32_t id[GATE_CHANNELS];
    bool follows_parameters;
    bool shapes;
    uint64_t time_ns;
    uint64_t told_ns;
    uint64_t event;
    uint64_t dropped;
    uint64_t dropped_ns;
    struct gate_queue queue;
    struct viewer_text *text[VIEWER_TEXTS];
    int n_texts;
    char *in;
    size_t n_in;
};

/** viewer_open(), viewer_close() - of a connection that is there, or no longer. */
void viewer_open(struct viewer *viewer, struct gate_web *web, struct lws *wsi);
void viewer_close(struct viewer *viewer);
/** viewer_receive() - a part of a message. Return: 0, -1: close the connection. */
int viewer_receive(struct viewer *viewer, const char *data, size_t size);
/** viewer_write() - the next message, when the connection takes one. Return: 0, -1: close it. */
int viewer_write(struct viewer *viewer);
/** viewer_take() - what came from the line: kept, if the viewer wants it. */
void viewer_take(struct viewer *viewer, struct gate_parcel *parcel);
/** viewer_change() - another model: the channels of the one before end. */
void viewer_change(struct viewer *viewer);
/** viewer_parameters() - values of parameters have changed. */
void viewer_parameters(struct viewer *viewer);

/* Messages, made by viewer_text.c; NULL: no memory. */

/** enum viewer_level - of a status message. */
enum viewer_level { VIEWER_INFO, VIEWER_WARNING, VIEWER_ERROR };

struct viewer_text *viewer_text_info(const struct gate_web *web);
struct viewer_text *viewer_text_advertise(const struct gate_web *web);
/** viewer_text_unadvertise() - those that @viewer was told of. */
struct viewer_text *viewer_text_unadvertise(const struct viewer *viewer);
/** viewer_text_status() - @id: replaces an earlier one with it; NULL: none */
struct viewer_text *viewer_text_status(enum viewer_level level, const char *id, const char *text);
/** viewer_text_parameters() - those of the list @names, of all where it is empty or NULL.
 * @id: of the request, NULL: none */
struct viewer_text *viewer_text_parameters(const struct gate_web *web, const json_t *names,
                                           const char *id);
/** viewer_is_advertised() - whether there is a channel of @topic now. */
bool viewer_is_advertised(const struct gate_web *web, enum gate_topic topic);

#endif
