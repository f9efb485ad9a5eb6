/* SPDX-License-Identifier: Apache-2.0 */
/* A viewer: a connection with the Foxglove websocket protocol, subprotocols foxglove.sdk.v1 and
 * foxglove.websocket.v1. The messages used here are identical in both. A viewer only reads. web.c
 * passes parcels from the line to the viewer, and calls it when the connection is writable.
 *
 * The resources of a viewer are limited: messages of VIEWER_MESSAGE_MAX bytes, one subscription per
 * channel, a queue of samples that drops the oldest first, and VIEWER_TEXTS pending answers. If
 * there are more answers, the connection ends.
 * Thread: web. */
#ifndef TOOLS_GATEWAY_VIEWER_H
#define TOOLS_GATEWAY_VIEWER_H

#include "gateway.h"
#include "page.h"
#include "peers.h"
#include <libwebsockets.h>

#define VIEWER_MESSAGE_MAX (64u << 10) /* largest message of a client [bytes] */
#define VIEWER_TEXTS       64          /* largest number of pending answers */
#define VIEWER_NUMBERS     8           /* channel numbers per model, at least GATE_CHANNELS */

enum gate_refusal { GATE_OTHER_SITE, GATE_NO_PLACE, GATE_REFUSALS };

/** struct gate_web - state of the web thread.
 * @meaning:    the present model, or NULL
 * @latest:     newest parcel of each topic, for later subscribers
 * @session:    identifier, different at each start of the program
 * @viewers:    list of @n_viewers viewers
 * @pages:      list of @n_pages pages
 * @peers:      connections without a login
 * @refused_ns: time of the last log line about a refused page of another site, and about too many
 *              connections; CLOCK_MONOTONIC
 * @events:     the last events
 * @look_token, @operate_token: tokens of the login to view and to operate
 * @ticket:     tickets of downloads
 * @n_tickets:  number of tickets issued so far */
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

/** struct viewer_text - a JSON message.
 * @room: free space before the message, which libwebsockets requires */
struct viewer_text {
    size_t size;
    unsigned char room[LWS_PRE];
    char data[];
};

/** struct viewer - state of a viewer's connection; zero when the connection begins.
 * @failed:             the connection must be closed
 * @meaning:            number of the model of the advertised channels
 * @advertised:         advertised channels
 * @subscribed:         subscribed channels; @id is the client's number of the subscription
 * @follows_parameters: the client wants changes of parameters
 * @shapes:             the shapes must be sent
 * @time_ns:            UTC of the newest sample [ns]
 * @told_ns:            the last time that was sent to the viewer [ns]
 * @event:              number of the newest sent event
 * @dropped:            parcels dropped since the last report, which was sent at @dropped_ns of
 *                      CLOCK_MONOTONIC
 * @queue:              samples to be sent
 * @text:               the @n_texts answers to be sent
 * @in:                 @n_in bytes of an incomplete message */
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

/** viewer_open(), viewer_close() - Begin and end a connection. */
void viewer_open(struct viewer *viewer, struct gate_web *web, struct lws *wsi);
void viewer_close(struct viewer *viewer);
/** viewer_receive() - Process a fragment of a message. Return: 0, -1: close the connection. */
int viewer_receive(struct viewer *viewer, const char *data, size_t size);
/** viewer_write() - Write the next message. Call it when the connection is writable.
 * Return: 0; -1: close the connection. */
int viewer_write(struct viewer *viewer);
/** viewer_take() - Queue a parcel from the line, if the viewer has subscribed to it. */
void viewer_take(struct viewer *viewer, struct gate_parcel *parcel);
/** viewer_change() - Withdraw the channels of the previous model, and advertise those of the
 * present model. */
void viewer_change(struct viewer *viewer);
/** viewer_parameters() - Send changed values of parameters. */
void viewer_parameters(struct viewer *viewer);

/* The functions below make messages (viewer_text.c). They return NULL if memory is exhausted. */

/** enum viewer_level - level of a status message. */
enum viewer_level { VIEWER_INFO, VIEWER_WARNING, VIEWER_ERROR };

struct viewer_text *viewer_text_info(const struct gate_web *web);
struct viewer_text *viewer_text_advertise(const struct gate_web *web);
/** viewer_text_unadvertise() - Withdraw the channels advertised to @viewer. */
struct viewer_text *viewer_text_unadvertise(const struct viewer *viewer);
/** viewer_text_status() - Make a status message. @id: replaces an earlier status message with the
 * same identifier; NULL: none */
struct viewer_text *viewer_text_status(enum viewer_level level, const char *id, const char *text);
/** viewer_text_parameters() - Make a message with the parameters in the list @names, or with all
 * parameters if the list is empty or NULL. @id: identifier of the request, NULL: none */
struct viewer_text *viewer_text_parameters(const struct gate_web *web, const json_t *names,
                                           const char *id);
/** viewer_is_advertised() - Return true if the present model has a channel of @topic. */
bool viewer_is_advertised(const struct gate_web *web, enum gate_topic topic);

#endif
