/* SPDX-License-Identifier: Apache-2.0 */
#include "villas_wire.h"
#include <errno.h>
#include <stdlib.h>

#define NS_PER_S UINT64_C(1000000000)

const char *lk_villas_status_text(int status)
{
    static const char *const texts[LK_VILLAS_STATUSES] = {
        [LK_VILLAS_OK] = "ok",
        [LK_VILLAS_E_TOO_LARGE] = "too large",
        [LK_VILLAS_E_MALFORMED] = "not a message of VILLASnode's format protobuf",
        [LK_VILLAS_E_NO_DATA] = "no data in it",
        [LK_VILLAS_E_KIND] = "a sample of an unknown type",
        [LK_VILLAS_E_SEQUENCE] = "a sample without a sequence number",
        [LK_VILLAS_E_TIME] = "a time stamp with more than a second of nanoseconds",
        [LK_VILLAS_E_VALUE] = "a value that is not a real number",
    };

    return status >= 0 && status < LK_VILLAS_STATUSES ? texts[status] : "unknown error";
}

/* ---- decode ---- */

/* Choose the newest DATA sample of a message. */
static int choose_sample(const Linkage__Villas__Message *message,
                         const Linkage__Villas__Sample **ret, struct lk_villas_sample *counts)
{
    const Linkage__Villas__Sample *newest = NULL;

    for (size_t i = 0; i < message->n_samples; i++) {
        const Linkage__Villas__Sample *sample = message->samples[i];

        if (sample->type == LINKAGE__VILLAS__SAMPLE__TYPE__START ||
            sample->type == LINKAGE__VILLAS__SAMPLE__TYPE__STOP) {
            counts->ignored++;
            continue;
        }
        if (sample->type != LINKAGE__VILLAS__SAMPLE__TYPE__DATA)
            return LK_VILLAS_E_KIND;
        if (!sample->has_sequence)
            return LK_VILLAS_E_SEQUENCE;
        counts->older += newest != NULL;
        if (!newest || sample->sequence > newest->sequence)
            newest = sample;
    }
    *ret = newest;
    return newest ? 0 : LK_VILLAS_E_NO_DATA;
}

static int read_value(const Linkage__Villas__Value *value, double *ret)
{
    switch (value->value_case) {
    case LINKAGE__VILLAS__VALUE__VALUE_F:
        *ret = value->f;
        return 0;
    case LINKAGE__VILLAS__VALUE__VALUE_I:
        *ret = (double)value->i;
        return 0;
    case LINKAGE__VILLAS__VALUE__VALUE_B:
        *ret = value->b ? 1 : 0;
        return 0;
    default:
        return LK_VILLAS_E_VALUE;
    }
}

static int read_sample(struct lk_wire_arena *arena, const Linkage__Villas__Sample *sample,
                       struct lk_villas_sample *found)
{
    const Linkage__Villas__Timestamp *origin = sample->ts_origin;
    double *values = lk_wire_arena_take(arena, (sample->n_values + 1) * sizeof(double));
    int r = 0;

    if (!values)
        return LK_VILLAS_E_MALFORMED;
    if (origin && origin->nsec >= NS_PER_S)
        return LK_VILLAS_E_TIME;
    for (size_t i = 0; i < sample->n_values && r == 0; i++)
        r = read_value(sample->values[i], &values[i]);
    found->sequence = sample->sequence;
    found->origin_ns = origin ? origin->sec * NS_PER_S + origin->nsec : 0;
    found->values = values;
    found->n_values = sample->n_values;
    return r;
}

int lk_villas_decode(struct lk_wire_arena *arena, const void *data, size_t size,
                     struct lk_villas_sample *ret_sample)
{
    const Linkage__Villas__Message *message;
    const Linkage__Villas__Sample *newest;
    struct lk_villas_sample found = {0};
    int r;

    lk_wire_arena_reset(arena);
    if (size > LK_VILLAS_MESSAGE_MAX)
        return LK_VILLAS_E_TOO_LARGE;
    message = linkage__villas__message__unpack(&arena->allocator, size, data);
    if (!message)
        return LK_VILLAS_E_MALFORMED;
    r = choose_sample(message, &newest, &found);
    if (r == 0)
        r = read_sample(arena, newest, &found);
    if (r == 0 || r == LK_VILLAS_E_NO_DATA)
        *ret_sample = found;
    return r;
}

/* ---- encode ---- */

int lk_villas_frame_init(struct lk_villas_frame *frame, size_t n)
{
    *frame = (struct lk_villas_frame){
        .message = LINKAGE__VILLAS__MESSAGE__INIT,
        .sample = LINKAGE__VILLAS__SAMPLE__INIT,
        .origin = LINKAGE__VILLAS__TIMESTAMP__INIT,
        .value = calloc(n + 1, sizeof(*frame->value)),
        .list = calloc(n + 1, sizeof(*frame->list)),
    };
    if (!frame->value || !frame->list) {
        lk_villas_frame_fini(frame);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        linkage__villas__value__init(&frame->value[i]);
        frame->value[i].value_case = LINKAGE__VILLAS__VALUE__VALUE_F;
        frame->list[i] = &frame->value[i];
    }
    frame->samples[0] = &frame->sample;
    frame->message.samples = frame->samples;
    frame->message.n_samples = 1;
    frame->sample.has_sequence = 1;
    frame->sample.ts_origin = &frame->origin;
    frame->sample.values = frame->list;
    frame->sample.n_values = n;
    return 0;
}

void lk_villas_frame_fini(struct lk_villas_frame *frame)
{
    free(frame->value);
    free(frame->list);
    frame->value = NULL;
    frame->list = NULL;
}

int lk_villas_encode(struct lk_villas_frame *frame, uint64_t sequence, uint64_t origin_ns,
                     void *buffer, size_t size, size_t *ret_size)
{
    frame->sample.type = LINKAGE__VILLAS__SAMPLE__TYPE__DATA;
    frame->sample.sequence = sequence;
    frame->origin.sec = (uint32_t)(origin_ns / NS_PER_S);
    frame->origin.nsec = (uint32_t)(origin_ns % NS_PER_S);
    return lk_wire_encode(&frame->message.base, buffer, size, ret_size) ? LK_VILLAS_E_TOO_LARGE : 0;
}
