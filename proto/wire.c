/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"
#include "names_parts.h"
#include "wire_check.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Alignment of all blocks, sufficient for any scalar type. */
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
    case LK_WIRE_E_TEXT:
        return "a text has a zero byte";
    default:
        return "unknown error";
    }
}

const char *lk_wire_state_name(Linkage__V1__State state)
{
    return lk_names_word(&linkage__v1__state__descriptor, (int)state);
}

static void *arena_alloc(void *data, size_t size)
{
    struct lk_wire_arena *arena = data;
    void *block;

    if (size > arena->size - arena->used)
        return NULL;
    block = arena->memory + arena->used;

    /* The block fits, so rounding up its size cannot overflow. A rest that is too small for the
     * alignment is lost. */
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

int lk_wire_check_values(const double *values, size_t n, size_t expected)
{
    if (n != expected)
        return LK_WIRE_E_LENGTH;
    return lk_wire_all_finite(values, n) ? 0 : LK_WIRE_E_NOT_FINITE;
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
    *ret_sample = sample;
    if (sample->heartbeat || (lk_wire_all_finite(sample->values, sample->n_values) &&
                              lk_wire_all_finite(sample->slopes, sample->n_slopes)))
        return 0;
    return LK_WIRE_E_NOT_FINITE;
}

int lk_wire_decode_output(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__OutputSample **ret_sample)
{
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__output_sample__descriptor, data, size, LK_WIRE_SAMPLE_MAX,
                   &message);

    if (r == 0)
        r = lk_wire_check_output((const Linkage__V1__OutputSample *)message);
    if (r == 0)
        *ret_sample = (const Linkage__V1__OutputSample *)message;
    return r;
}

int lk_wire_decode_stream(struct lk_wire_arena *arena, const void *data, size_t size,
                          const Linkage__V1__StreamSample **ret_sample)
{
    const Linkage__V1__StreamSample *sample;
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__stream_sample__descriptor, data, size, LK_WIRE_SAMPLE_MAX,
                   &message);

    if (r)
        return r;
    sample = (const Linkage__V1__StreamSample *)message;
    if (!sample->sample)
        return LK_WIRE_E_MALFORMED;
    r = lk_wire_check_output(sample->sample);
    if (r == 0)
        *ret_sample = sample;
    return r;
}

int lk_wire_decode_heartbeat(struct lk_wire_arena *arena, const void *data, size_t size,
                             const Linkage__V1__Heartbeat **ret_heartbeat)
{
    const Linkage__V1__Heartbeat *heartbeat;
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__heartbeat__descriptor, data, size, LK_WIRE_SAMPLE_MAX,
                   &message);

    if (r)
        return r;
    heartbeat = (const Linkage__V1__Heartbeat *)message;
    if (!*heartbeat->version || !lk_wire_name_fits(heartbeat->version))
        return LK_WIRE_E_MALFORMED;
    *ret_heartbeat = heartbeat;
    return 0;
}

enum lk_wire_kind lk_wire_kind(const void *data, size_t size)
{
    switch (size > 0 ? *(const unsigned char *)data : LK_WIRE_UNKNOWN) {
    case LK_WIRE_OUTPUT:
        return LK_WIRE_OUTPUT;
    case LK_WIRE_STREAM:
        return LK_WIRE_STREAM;
    case LK_WIRE_HEARTBEAT:
        return LK_WIRE_HEARTBEAT;
    default:
        return LK_WIRE_UNKNOWN;
    }
}

/* Read a varint.
 * Return: position after the varint; NULL: the varint has no end. */
static const uint8_t *take_varint(const uint8_t *at, const uint8_t *end, uint64_t *ret)
{
    *ret = 0;
    for (int shift = 0; at < end && shift < 64; shift += 7, at++) {
        *ret |= (uint64_t)(*at & 0x7f) << shift;
        if (*at < 0x80)
            return at + 1;
    }
    return NULL;
}

/* Return true if no text of a decoded message contains a zero byte, at which it would be
 * truncated. */
static bool texts_are_whole(const ProtobufCMessageDescriptor *descriptor, const uint8_t *at,
                            const uint8_t *end)
{
    while (at != NULL && at < end) {
        const ProtobufCFieldDescriptor *field;
        uint64_t tag, size = 0;

        at = take_varint(at, end, &tag);
        if (at != NULL && (tag & 7) == 0) {
            at = take_varint(at, end, &size);
            continue;
        }
        if (at != NULL && (tag & 7) == 2)
            at = take_varint(at, end, &size);
        else
            size = (tag & 7) == 1 ? 8 : 4;
        if (at == NULL || size > (uint64_t)(end - at))
            return true; /* cannot happen in a message that was decoded */
        field = protobuf_c_message_descriptor_get_field(descriptor, (unsigned int)(tag >> 3));
        if (field != NULL && (tag & 7) == 2 && field->type == PROTOBUF_C_TYPE_STRING &&
            memchr(at, 0, size) != NULL)
            return false;
        if (field != NULL && (tag & 7) == 2 && field->type == PROTOBUF_C_TYPE_MESSAGE &&
            !texts_are_whole(field->descriptor, at, at + size))
            return false;
        at += size;
    }
    return true;
}

int lk_wire_decode_request(struct lk_wire_arena *arena, const void *data, size_t size,
                           const Linkage__V1__ControlRequest **ret_request)
{
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__control_request__descriptor, data, size,
                   LK_WIRE_CONTROL_MAX, &message);

    if (r)
        return r;
    *ret_request = (const Linkage__V1__ControlRequest *)message;
    if (!texts_are_whole(&linkage__v1__control_request__descriptor, data,
                         (const uint8_t *)data + size))
        return LK_WIRE_E_TEXT;
    return lk_wire_check_request(*ret_request);
}

int lk_wire_decode_reply(struct lk_wire_arena *arena, const void *data, size_t size,
                         const Linkage__V1__ControlReply **ret_reply)
{
    ProtobufCMessage *message;
    int r = decode(arena, &linkage__v1__control_reply__descriptor, data, size, LK_WIRE_CONTROL_MAX,
                   &message);

    if (r == 0)
        r = lk_wire_check_reply((const Linkage__V1__ControlReply *)message);
    if (r == 0)
        *ret_reply = (const Linkage__V1__ControlReply *)message;
    return r;
}

size_t lk_wire_encoded_size(const ProtobufCMessage *message)
{
    return protobuf_c_message_get_packed_size(message);
}

int lk_wire_encode(const ProtobufCMessage *message, void *buffer, size_t size, size_t *ret_size)
{
    /* protobuf-c writes beyond the end of a buffer that is too small, so check the size first. */
    if (protobuf_c_message_get_packed_size(message) > size)
        return LK_WIRE_E_TOO_LARGE;
    *ret_size = protobuf_c_message_pack(message, buffer);
    return 0;
}
