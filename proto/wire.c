/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for any scalar type, so that the next block is aligned too. */
#define ALIGNMENT 16u

const char *lk_wire_status_text(int status)
{
    switch (status) {
    case LK_WIRE_OK:
        return "ok";
    case LK_WIRE_E_TOO_LARGE:
        return "too large";
    case LK_WIRE_E_MALFORMED:
        return "not a message of the expected kind";
    case LK_WIRE_E_LENGTH:
        return "wrong number of values";
    case LK_WIRE_E_NOT_FINITE:
        return "a value is not a finite number";
    default:
        return "unknown error";
    }
}

const char *lk_wire_state_name(Linkage__V1__State state)
{
    switch (state) {
    case LINKAGE__V1__STATE__STATE_EMPTY:
        return "empty";
    case LINKAGE__V1__STATE__STATE_READY:
        return "ready";
    case LINKAGE__V1__STATE__STATE_ARMING:
        return "arming";
    case LINKAGE__V1__STATE__STATE_ARMED:
        return "armed";
    case LINKAGE__V1__STATE__STATE_RUNNING:
        return "running";
    case LINKAGE__V1__STATE__STATE_PAUSED:
        return "paused";
    case LINKAGE__V1__STATE__STATE_FAULT:
        return "fault";
    default:
        return "unknown";
    }
}

static void *arena_alloc(void *data, size_t size)
{
    struct lk_wire_arena *arena = data;
    void *block;

    if (size > arena->size - arena->used)
        return NULL;
    block = arena->memory + arena->used;

    /* the block fits, so rounding up its size cannot overflow; the tail may be unusable */
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (size > arena->size - arena->used)
        arena->used = arena->size;
    else
        arena->used += size;
    return block;
}

static void arena_free(void *data, void *block)
{
    (void)data;
    (void)block;
}

int lk_wire_arena_init(struct lk_wire_arena *arena, size_t size)
{
    unsigned char *memory = malloc(size);

    if (!memory)
        return -ENOMEM;
    *arena = (struct lk_wire_arena){
        .memory = memory,
        .size = size,
        .allocator = {.alloc = arena_alloc, .free = arena_free, .allocator_data = arena},
    };
    return 0;
}

void lk_wire_arena_fini(struct lk_wire_arena *arena)
{
    free(arena->memory);
    *arena = (struct lk_wire_arena){0};
}

void lk_wire_arena_reset(struct lk_wire_arena *arena)
{
    arena->used = 0;
}

void *lk_wire_arena_take(struct lk_wire_arena *arena, size_t size)
{
    void *block = arena_alloc(arena, size);

    if (block)
        memset(block, 0, size);
    return block;
}

char *lk_wire_arena_format(struct lk_wire_arena *arena, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        return NULL;

    text = arena_alloc(arena, (size_t)n + 1);
    if (!text)
        return NULL;
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

static bool all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

int lk_wire_check_values(const double *values, size_t n, size_t expected)
{
    if (n != expected)
        return LK_WIRE_E_LENGTH;
    return all_finite(values, n) ? 0 : LK_WIRE_E_NOT_FINITE;
}

static int decode(struct lk_wire_arena *arena, const ProtobufCMessageDescriptor *descriptor,
                  const void *data, size_t size, size_t size_max, ProtobufCMessage **ret_message)
{
    ProtobufCMessage *message;

    lk_wire_arena_reset(arena);
    if (size > size_max)
        return LK_WIRE_E_TOO_LARGE;
    message = protobuf_c_message_unpack(descriptor, &arena->allocator, size, data);
    if (!message)
        return LK_WIRE_E_MALFORMED;
    *ret_message = message;
    return 0;
}

int lk_wire_decode_input(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__InputSample **ret_sample)
{
    const Linkage__V1__InputSample *sample;
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__input_sample__descriptor, data, size, LK_WIRE_SAMPLE_MAX,
                   &message);

    if (r)
        return r;
    sample = (const Linkage__V1__InputSample *)message;
    if (!all_finite(sample->values, sample->n_values))
        return LK_WIRE_E_NOT_FINITE;
    *ret_sample = sample;
    return 0;
}

int lk_wire_decode_output(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__OutputSample **ret_sample)
{
    const Linkage__V1__OutputSample *sample;
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__output_sample__descriptor, data, size, LK_WIRE_SAMPLE_MAX,
                   &message);

    if (r)
        return r;
    sample = (const Linkage__V1__OutputSample *)message;
    if (!all_finite(sample->values, sample->n_values) || !isfinite(sample->time_s))
        return LK_WIRE_E_NOT_FINITE;
    *ret_sample = sample;
    return 0;
}

static bool name_fits(const char *name)
{
    return strnlen(name, LK_WIRE_NAME_MAX + 1) <= LK_WIRE_NAME_MAX;
}

int lk_wire_decode_request(struct lk_wire_arena *arena, const void *data, size_t size,
                           const Linkage__V1__ControlRequest **ret_request)
{
    const Linkage__V1__ControlRequest *request;
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__control_request__descriptor, data, size,
                   LK_WIRE_CONTROL_MAX, &message);

    if (r)
        return r;
    request = (const Linkage__V1__ControlRequest *)message;
    switch (request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND__NOT_SET:
        return LK_WIRE_E_MALFORMED;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD:
        if (!name_fits(request->load->name))
            return LK_WIRE_E_MALFORMED;
        break;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET:
        if (!name_fits(request->set->channel))
            return LK_WIRE_E_MALFORMED;
        break;
    default:
        break;
    }
    *ret_request = request;
    return 0;
}

static bool channels_fit(Linkage__V1__ChannelDescription *const *channels, size_t n)
{
    size_t offset = 0;

    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__ChannelDescription *c = channels[i];

        if (c->offset != offset || c->n_components == 0 || c->n_components != c->n_units)
            return false;
        offset += c->n_components;
    }
    return true;
}

static bool durations_fit(const Linkage__V1__Durations *d)
{
    if (d == NULL)
        return true;
    if (d->n_bucket_upper_ns != d->n_bucket_count || d->n_bucket_count > LK_WIRE_BUCKETS_MAX)
        return false;
    for (size_t i = 1; i < d->n_bucket_count; i++)
        if (d->bucket_upper_ns[i] <= d->bucket_upper_ns[i - 1])
            return false;
    return true;
}

static bool status_fits(const Linkage__V1__Status *s)
{
    return s == NULL || (durations_fit(s->wakeup) && durations_fit(s->compute));
}

static bool evidence_fits(const Linkage__V1__Evidence *e)
{
    if (e == NULL)
        return true;
    return durations_fit(e->wakeup) && durations_fit(e->compute) && durations_fit(e->response) &&
           durations_fit(e->hand_over) && durations_fit(e->input_age) &&
           e->n_worst <= LK_WIRE_CYCLES_MAX && e->n_missed <= LK_WIRE_CYCLES_MAX;
}

static bool description_fits(const Linkage__V1__ModelDescription *d)
{
    return d == NULL ||
           (channels_fit(d->inputs, d->n_inputs) && channels_fit(d->outputs, d->n_outputs));
}

int lk_wire_decode_reply(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__ControlReply **ret_reply)
{
    const Linkage__V1__ControlReply *reply;
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__control_reply__descriptor, data, size, LK_WIRE_CONTROL_MAX,
                   &message);

    if (r)
        return r;
    reply = (const Linkage__V1__ControlReply *)message;
    if (!description_fits(reply->description) || !status_fits(reply->status) ||
        !evidence_fits(reply->evidence))
        return LK_WIRE_E_MALFORMED;
    *ret_reply = reply;
    return 0;
}

size_t lk_wire_encoded_size(const ProtobufCMessage *message)
{
    return protobuf_c_message_get_packed_size(message);
}

int lk_wire_encode(const ProtobufCMessage *message, void *buffer, size_t size, size_t *ret_size)
{
    /* protobuf-c packs without looking at the end of the buffer, so look first */
    if (protobuf_c_message_get_packed_size(message) > size)
        return LK_WIRE_E_TOO_LARGE;
    *ret_size = protobuf_c_message_pack(message, buffer);
    return 0;
}
