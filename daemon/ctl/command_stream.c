/* SPDX-License-Identifier: Apache-2.0 */
/* A subscriber's own selection of the outputs, or of the poses of bodies. */
#include "commands.h"
#include "identity.h"
#include "linkage/nearest.h"
#include "log.h"
#include "publisher.h"
#include "reply.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Number of names that a refusal suggests. They are the names most similar to the requested
 * name. */
#define SUGGESTIONS 3

/** struct offer - channels that can be selected.
 * @channel: @n available channels
 * @what:    their type in messages, such as "output" */
struct offer {
    const struct lk_channel *channel;
    int n;
    const char *what;
};

/** struct chosen - selected channels.
 * @channel: @n channels in the requested order
 * @taken:   flag for each available channel: it is selected already
 * @from:    output index of each of @n_values values */
struct chosen {
    const struct lk_channel **channel;
    size_t n;
    bool *taken;
    int *from;
    int n_values;
};

/* Return the channel most similar to @name that is not marked in @said. */
static const struct lk_channel *nearest(const char *name, const struct lk_channel *channels, int n,
                                        const bool *said)
{
    const struct lk_channel *best = NULL;
    int least = INT32_MAX;

    for (int i = 0; i < n; i++) {
        int d = said[i] ? INT32_MAX : lk_edit_distance(name, channels[i].name);

        if (d < least) {
            least = d;
            best = &channels[i];
        }
    }
    return best;
}

static int refuse_unknown(struct lkd_call *call, const char *name, const struct offer *offer)
{
    const struct lk_channel *channels = offer->channel;
    int n = offer->n;
    bool *said = lk_wire_arena_take(call->arena, (size_t)n * sizeof(*said));
    char list[SUGGESTIONS * (LK_NAME_SIZE + 2) + 1] = "";

    if (!said)
        return -ENOMEM;
    for (int i = 0; i < SUGGESTIONS && i < n; i++) {
        const struct lk_channel *near = nearest(name, channels, n, said);
        size_t used = strlen(list);

        said[near - channels] = true;
        snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", near->name);
    }
    if (n == 0)
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL,
                       "no %s named '%s', the model has none", offer->what, name);
    else
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_UNKNOWN_CHANNEL,
                       "no %s named '%s'; %s: %s", offer->what, name,
                       n > SUGGESTIONS ? "most like it" : "there are", list);
    return 0;
}

/* Select the channel @name.
 * Return: 0 (a refusal is in the answer), -ENOMEM. */
static int choose_channel(struct lkd_call *call, const char *name, const struct offer *offer,
                          struct chosen *chosen)
{
    int index = lk_channel_index(offer->channel, offer->n, name);
    const struct lk_channel *found;

    if (index < 0)
        return refuse_unknown(call, name, offer);
    found = &offer->channel[index];
    if (chosen->taken[index]) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "%s %s twice, expected each once", offer->what, found->name);
        return 0;
    }
    chosen->taken[index] = true;
    chosen->channel[chosen->n++] = found;
    for (int i = 0; i < found->size; i++)
        chosen->from[chosen->n_values++] = found->offset + i;
    return 0;
}

/* Offer the poses of all bodies as channels. Their values are stored after the outputs. */
static int offer_poses(struct lkd_call *call, struct offer *ret)
{
    static const char *const components[LK_POSE_SIZE] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    const struct lkd_cycle *cycle = call->rig->loaded->cycle;
    int n = cycle->n_poses / LK_POSE_SIZE;
    struct lk_channel *all = lk_wire_arena_take(call->arena, (size_t)n * sizeof(*all));

    if (!all)
        return -ENOMEM;
    for (int b = 0; b < n; b++) {
        struct lk_channel *c = &all[b];

        *c = (struct lk_channel){.type = "body-pose",
                                 .frame = "world",
                                 .size = LK_POSE_SIZE,
                                 .offset = cycle->n_outputs + LK_POSE_SIZE * b,
                                 .low = -INFINITY,
                                 .high = INFINITY,
                                 .rate = INFINITY};
        snprintf(c->name, sizeof(c->name), "%s", lk_system_body_name(cycle->system, b));
        for (int i = 0; i < LK_POSE_SIZE; i++) {
            c->component[i] = components[i];
            c->unit[i] = i < 3 ? "m" : "1";
        }
    }
    *ret = (struct offer){.channel = all, .n = n, .what = "body"};
    return 0;
}

static int make_offer(struct lkd_call *call, bool poses, struct offer *ret)
{
    if (poses)
        return offer_poses(call, ret);
    ret->channel = lk_system_output_channels(call->rig->loaded->system, &ret->n);
    ret->what = "output";
    return 0;
}

/* Choose the requested channels, or all channels.
 * Return: 0 (a refusal is in the answer), -ENOMEM. */
static int choose_all(struct lkd_call *call, const Linkage__V1__SubscribeRequest *request,
                      struct chosen *chosen)
{
    size_t n_names = request->n_channels;
    struct offer offer;
    int n, n_values = 0, r = make_offer(call, request->poses, &offer);

    if (r)
        return r;
    n = offer.n;
    for (int i = 0; i < n; i++)
        n_values += offer.channel[i].size;
    /* Duplicates are refused, so at most all offered channels are selected. */
    chosen->channel = lk_wire_arena_take(call->arena, ((size_t)n + 1) * sizeof(*chosen->channel));
    chosen->from = lk_wire_arena_take(call->arena, ((size_t)n_values + 1) * sizeof(int));
    chosen->taken = lk_wire_arena_take(call->arena, ((size_t)n + 1) * sizeof(*chosen->taken));
    if (!chosen->channel || !chosen->from || !chosen->taken)
        return -ENOMEM;
    for (size_t i = 0; i < (n_names ? n_names : (size_t)n) && r == 0; i++) {
        r = choose_channel(call, n_names ? request->channels[i] : offer.channel[i].name, &offer,
                           chosen);
        if (call->answer->result != LINKAGE__V1__RESULT__RESULT_OK)
            break;
    }
    return r;
}

/* Create the stream.
 * Return: true if the stream exists now; otherwise the refusal is in the answer. */
static bool open_stream(struct lkd_call *call, const struct chosen *chosen, uint32_t divisor,
                        uint64_t *ret_id)
{
    struct lkd_selection selection = {
        .from = chosen->from,
        .n_values = chosen->n_values,
        .divisor = divisor ? divisor : 1,
        .spared = call->peer->role == LINKAGE__V1__ROLE__ROLE_READ ? LKD_STREAMS_SPARED : 0,
    };
    int r;

    for (size_t i = 0; i < chosen->n; i++)
        selection.hash = lkd_stream_hash(selection.hash, chosen->channel[i]->name);
    r = lkd_exchange_subscribe(call->rig->exchange, &selection, ret_id);
    if (r == LKD_STREAM_E_MANY)
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "%d different streams already, expected at most as many%s: subscribe to one "
                       "that there is, or wait until one has no subscriber for %d s",
                       LKD_STREAMS_MAX - selection.spared,
                       selection.spared > 0 ? " for clients of role read" : "",
                       (int)(LKD_STREAM_LINGER_NS / 1000000000));
    else if (r)
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_INTERNAL, "%s", strerror(-r));
    return r == 0;
}

static int describe_channels(struct lkd_call *call, const struct chosen *chosen,
                             Linkage__V1__Stream *stream)
{
    Linkage__V1__ChannelDescription *all;
    uint32_t offset = 0;

    all = lk_wire_arena_take(call->arena, (chosen->n + 1) * sizeof(*all));
    stream->channels = lk_wire_arena_take(call->arena, (chosen->n + 1) * sizeof(*stream->channels));
    if (!all || !stream->channels)
        return -ENOMEM;
    for (size_t i = 0; i < chosen->n; i++) {
        int r = lkd_reply_channel(chosen->channel[i], NULL, call->arena, &all[i]);

        if (r)
            return r;
        all[i].offset = offset; /* offset within the stream */
        offset += (uint32_t)chosen->channel[i]->size;
        stream->channels[i] = &all[i];
    }
    stream->n_channels = chosen->n;
    return 0;
}

static int add_stream(struct lkd_call *call, const struct chosen *chosen, uint64_t id)
{
    Linkage__V1__Stream *stream = lk_wire_arena_take(call->arena, sizeof(*stream));
    uint8_t *topic = lk_wire_arena_take(call->arena, LKD_TOPIC_SIZE);

    if (!stream || !topic)
        return -ENOMEM;
    linkage__v1__stream__init(stream);
    lkd_stream_topic(id, topic);
    stream->topic = (ProtobufCBinaryData){.len = LKD_TOPIC_SIZE, .data = topic};
    stream->stream = id;
    stream->model_id = call->rig->loaded->model_id;
    stream->daemon_id = lkd_daemon_id();
    call->reply->stream = stream;
    return describe_channels(call, chosen, stream);
}

static int subscribe(struct lkd_call *call, const Linkage__V1__SubscribeRequest *request)
{
    struct chosen chosen = {0};
    uint64_t id;
    int r;

    if (!call->rig->loaded) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_WRONG_STATE,
                       "subscribe is not allowed in state EMPTY, load a model first");
        return 0;
    }
    if (request->divisor > LKD_DIVISOR_MAX) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "a divisor of %" PRIu32 ", expected 1 to %d", request->divisor,
                       LKD_DIVISOR_MAX);
        return 0;
    }
    r = choose_all(call, request, &chosen);
    if (r || call->answer->result != LINKAGE__V1__RESULT__RESULT_OK)
        return r;
    if (chosen.n_values > LKD_PUBLISHER_OUTPUTS_MAX) {
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_VALUE,
                       "a stream of %d values, expected at most %d: name fewer, in several streams",
                       chosen.n_values, LKD_PUBLISHER_OUTPUTS_MAX);
        return 0;
    }
    return open_stream(call, &chosen, request->divisor, &id) ? add_stream(call, &chosen, id) : 0;
}

int lkd_command_subscribe(struct lkd_call *call)
{
    int r = subscribe(call, call->request->subscribe);

    if (call->answer->result != LINKAGE__V1__RESULT__RESULT_OK)
        lkd_log(LKD_C_STREAM_REFUSED, "stream refused: %s", call->answer->text);
    return r;
}
