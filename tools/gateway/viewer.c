/* SPDX-License-Identifier: Apache-2.0 */
#include "viewer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SAY_DROPPED_NS 1000000000
#define BURST          16         /* largest number of messages sent in one turn */
#define HEAD           13         /* size of the header: opcode, subscription, time */
#define SEND_BYTES     (64 << 10) /* kernel's buffer: small, because its content is never dropped */

/* ---- texts ---- */

/* Queue @text and take ownership of it. Disconnect a client that does not read its answers. */
static void send_text(struct viewer *viewer, struct viewer_text *text)
{
    if (text == NULL || viewer->n_texts == VIEWER_TEXTS) {
        free(text);
        viewer->failed = true;
    } else {
        viewer->text[viewer->n_texts++] = text;
    }
    lws_callback_on_writable(viewer->wsi);
}

static void send_status(struct viewer *viewer, enum viewer_level level, const char *id,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));

static void send_status(struct viewer *viewer, enum viewer_level level, const char *id,
                        const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    send_text(viewer, viewer_text_status(level, id, text));
}

/* ---- begin and end of a connection, change of the model ---- */

static void advertise(struct viewer *viewer)
{
    const struct gate_meaning *meaning = viewer->web->meaning;

    viewer->meaning = meaning != NULL ? meaning->number : 0;
    for (int i = 0; i < GATE_CHANNELS; i++)
        viewer->advertised[i] = viewer_is_advertised(viewer->web, (enum gate_topic)i);
    send_text(viewer, viewer_text_advertise(viewer->web));
    if (meaning != NULL && meaning->scene == NULL)
        send_status(viewer, VIEWER_WARNING, "scene", "no picture of '%.60s': %.150s",
                    meaning->model->name, meaning->no_scene);
}

void viewer_open(struct viewer *viewer, struct gate_web *web, struct lws *wsi)
{
    const int room = SEND_BYTES;

    *viewer = (struct viewer){.web = web, .wsi = wsi, .next = web->viewers, .is_open = true};
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    web->viewers = viewer;
    web->n_viewers++;
    send_text(viewer, viewer_text_info(web));
    advertise(viewer);
}

void viewer_close(struct viewer *viewer)
{
    struct viewer **place = &viewer->web->viewers;

    while (*place != viewer)
        place = &(*place)->next;
    *place = viewer->next;
    viewer->web->n_viewers--;
    gate_queue_clear(&viewer->queue);
    for (int i = 0; i < viewer->n_texts; i++)
        free(viewer->text[i]);
    free(viewer->in);
    viewer->is_open = false;
}

void viewer_change(struct viewer *viewer)
{
    send_text(viewer, viewer_text_unadvertise(viewer));
    gate_queue_clear(&viewer->queue);
    memset(viewer->subscribed, 0, sizeof(viewer->subscribed));
    viewer->shapes = false;
    advertise(viewer);
    viewer_parameters(viewer);
}

void viewer_parameters(struct viewer *viewer)
{
    if (viewer->follows_parameters)
        send_text(viewer, viewer_text_parameters(viewer->web, NULL, NULL));
}

/* ---- messages of the client ---- */

/* Return the topic of an advertised channel; GATE_CHANNELS: there is none. */
static enum gate_topic find_topic(const struct viewer *viewer, json_int_t channel)
{
    json_int_t first = (json_int_t)viewer->meaning * VIEWER_NUMBERS;

    if (channel < first || channel >= first + GATE_CHANNELS || !viewer->advertised[channel - first])
        return GATE_CHANNELS;
    return (enum gate_topic)(channel - first);
}

/* Queue the newest parcel of a topic. For events, queue all stored events that the viewer has not
 * received yet. */
static void catch_up(struct viewer *viewer, enum gate_topic topic)
{
    struct gate_parcel *event;
    size_t place = 0;

    viewer->shapes |= topic == GATE_SCENE;
    if (topic != GATE_EVENTS && viewer->web->latest[topic] != NULL)
        viewer_take(viewer, viewer->web->latest[topic]);
    while (topic == GATE_EVENTS &&
           (event = gate_queue_next(&viewer->web->events, topic, &place)) != NULL)
        if (event->number > viewer->event)
            viewer_take(viewer, event);
}

static void subscribe_one(struct viewer *viewer, const json_t *entry)
{
    const json_t *id = json_object_get(entry, "id"), *channel = json_object_get(entry, "channelId");
    enum gate_topic topic;

    if (!json_is_integer(id) || !json_is_integer(channel) || json_integer_value(id) < 0 ||
        json_integer_value(id) > UINT32_MAX) {
        send_status(viewer, VIEWER_ERROR, NULL, "subscribe: expected numbers id and channelId");
        return;
    }
    topic = find_topic(viewer, json_integer_value(channel));
    if (topic == GATE_CHANNELS || viewer->subscribed[topic]) {
        send_status(viewer, VIEWER_WARNING, NULL, "subscribe: channel %lld is %s",
                    (long long)json_integer_value(channel),
                    topic == GATE_CHANNELS ? "not advertised" : "subscribed already");
        return;
    }
    viewer->subscribed[topic] = true;
    viewer->id[topic] = (uint32_t)json_integer_value(id);
    catch_up(viewer, topic);
    lws_callback_on_writable(viewer->wsi);
}

static void on_subscribe(struct viewer *viewer, const json_t *message)
{
    const json_t *list = json_object_get(message, "subscriptions");

    for (size_t i = 0; i < json_array_size(list) && !viewer->failed; i++)
        subscribe_one(viewer, json_array_get(list, i));
}

static void forget(struct viewer *viewer, enum gate_topic topic)
{
    viewer->subscribed[topic] = false;
    if (topic == GATE_EVENTS)
        viewer->event = 0;
}

static void on_unsubscribe(struct viewer *viewer, const json_t *message)
{
    const json_t *list = json_object_get(message, "subscriptionIds");

    for (size_t i = 0; i < json_array_size(list); i++)
        for (int topic = 0; topic < GATE_CHANNELS; topic++)
            if (viewer->subscribed[topic] &&
                json_integer_value(json_array_get(list, i)) == viewer->id[topic])
                forget(viewer, (enum gate_topic)topic);
}

static void on_get_parameters(struct viewer *viewer, const json_t *message)
{
    send_text(viewer,
              viewer_text_parameters(viewer->web, json_object_get(message, "parameterNames"),
                                     json_string_value(json_object_get(message, "id"))));
}

static void on_set_parameters(struct viewer *viewer, const json_t *message)
{
    send_status(viewer, VIEWER_WARNING, "read-only",
                "viewers look and change nothing; to set a parameter: linkagectl param");
    on_get_parameters(viewer, message); /* answer with the unchanged values */
}

static void on_follow_parameters(struct viewer *viewer, const json_t *message)
{
    (void)message;
    viewer->follows_parameters = true;
}

static void on_forget_parameters(struct viewer *viewer, const json_t *message)
{
    (void)message;
    viewer->follows_parameters = false;
}

static void on_message(struct viewer *viewer, const json_t *message)
{
    static const struct {
        const char *op;
        void (*act)(struct viewer *viewer, const json_t *message);
    } ops[] = {
        {"subscribe", on_subscribe},
        {"unsubscribe", on_unsubscribe},
        {"getParameters", on_get_parameters},
        {"setParameters", on_set_parameters},
        {"subscribeParameterUpdates", on_follow_parameters},
        {"unsubscribeParameterUpdates", on_forget_parameters},
    };
    const char *op = json_string_value(json_object_get(message, "op"));

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops) && op != NULL; i++)
        if (strcmp(ops[i].op, op) == 0) {
            ops[i].act(viewer, message);
            return;
        }
    send_status(viewer, VIEWER_WARNING, NULL, "op '%.40s' is not offered here",
                op != NULL ? op : "(none)");
}

static void on_text(struct viewer *viewer)
{
    json_error_t error;
    json_t *message = json_loadb(viewer->in, viewer->n_in, 0, &error);

    if (message != NULL)
        on_message(viewer, message);
    else
        send_status(viewer, VIEWER_ERROR, NULL, "not JSON: %.120s", error.text);
    json_decref(message);
}

int viewer_receive(struct viewer *viewer, const char *data, size_t size)
{
    char *grown;

    if (viewer->n_in + size > VIEWER_MESSAGE_MAX) {
        lws_close_reason(viewer->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, NULL, 0);
        return -1;
    }
    grown = realloc(viewer->in, viewer->n_in + size + 1);
    if (grown == NULL)
        return -1;
    viewer->in = grown;
    memcpy(viewer->in + viewer->n_in, data, size);
    viewer->n_in += size;
    if (lws_remaining_packet_payload(viewer->wsi) > 0 || !lws_is_final_fragment(viewer->wsi))
        return 0;
    if (lws_frame_is_binary(viewer->wsi))
        send_status(viewer, VIEWER_WARNING, NULL, "viewers look: what they send is not taken");
    else
        on_text(viewer);
    viewer->n_in = 0;
    return viewer->failed ? -1 : 0;
}

/* ---- messages to the client ---- */

void viewer_take(struct viewer *viewer, struct gate_parcel *parcel)
{
    bool is_mine = parcel->meaning == 0 || parcel->meaning == viewer->meaning;

    if (!is_mine)
        return;
    if (parcel->ns > viewer->time_ns)
        viewer->time_ns = parcel->ns;
    if (parcel->topic < GATE_CHANNELS && viewer->subscribed[parcel->topic])
        viewer->dropped += gate_queue_put(&viewer->queue, gate_parcel_hold(parcel));
    lws_callback_on_writable(viewer->wsi);
}

static int write_data(struct viewer *viewer, enum gate_topic topic, uint64_t ns, const void *data,
                      size_t size)
{
    unsigned char *room = malloc(LWS_PRE + HEAD + size), *to = room + LWS_PRE;
    int r = -1;

    if (room == NULL)
        return -1;
    to[0] = 1;
    lk_mcap_store_u32(to + 1, viewer->id[topic]);
    lk_mcap_store_u64(to + 5, ns);
    memcpy(to + HEAD, data, size);
    if (lws_write(viewer->wsi, to, HEAD + size, LWS_WRITE_BINARY) >= 0)
        r = 0;
    free(room);
    return r;
}

static int write_time(struct viewer *viewer)
{
    unsigned char room[LWS_PRE + 9], *to = room + LWS_PRE;

    to[0] = 2;
    lk_mcap_store_u64(to + 1, viewer->time_ns);
    viewer->told_ns = viewer->time_ns;
    return lws_write(viewer->wsi, to, 9, LWS_WRITE_BINARY) < 0 ? -1 : 0;
}

static int write_text(struct viewer *viewer)
{
    struct viewer_text *text = viewer->text[0];
    int r = lws_write(viewer->wsi, (unsigned char *)text->data, text->size, LWS_WRITE_TEXT);

    free(text);
    viewer->n_texts--;
    memmove(viewer->text, viewer->text + 1, (size_t)viewer->n_texts * sizeof(*viewer->text));
    return r < 0 ? -1 : 0;
}

static void say_dropped(struct viewer *viewer)
{
    uint64_t now_ns = gate_clock_ns();

    if (viewer->dropped == 0 || now_ns < viewer->dropped_ns + SAY_DROPPED_NS)
        return;
    send_status(viewer, VIEWER_WARNING, "slow",
                "%llu messages dropped, oldest first: this connection is slower than the line",
                (unsigned long long)viewer->dropped);
    viewer->dropped = 0;
    viewer->dropped_ns = now_ns;
}

/* Write the next message.
 * Return: 1: a message was written; 0: there is none; -1: failure. */
static int write_next(struct viewer *viewer)
{
    struct gate_parcel *parcel;
    int r;

    if (viewer->n_texts > 0)
        return write_text(viewer) == 0 ? 1 : -1;
    if (viewer->shapes) {
        const struct lk_mcap_buffer *shapes = &viewer->web->meaning->shapes;

        viewer->shapes = false;
        return write_data(viewer, GATE_SCENE, gate_utc_ns(), shapes->data, shapes->size) ? -1 : 1;
    }
    parcel = gate_queue_take(&viewer->queue);
    if (parcel == NULL)
        return viewer->time_ns > viewer->told_ns ? (write_time(viewer) ? -1 : 1) : 0;
    if (parcel->topic == GATE_EVENTS)
        viewer->event = parcel->number;
    r = viewer->subscribed[parcel->topic]
            ? write_data(viewer, parcel->topic, parcel->ns, parcel->data, parcel->size)
            : 0;
    gate_parcel_drop(parcel);
    return r == 0 ? 1 : -1;
}

int viewer_write(struct viewer *viewer)
{
    int r = 1;

    say_dropped(viewer);
    for (int i = 0; i < BURST && r > 0; i++) {
        r = write_next(viewer);
        if (r > 0 && lws_send_pipe_choked(viewer->wsi))
            break;
    }
    if (r > 0)
        lws_callback_on_writable(viewer->wsi);
    return r < 0 || viewer->failed ? -1 : 0;
}
