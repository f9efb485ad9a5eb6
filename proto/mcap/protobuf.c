/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf.h"

#include <string.h>

void lk_pb_put_varint(struct lk_mcap_buffer *buffer, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        lk_mcap_put_u8(buffer, (uint8_t)(value | 0x80));
    lk_mcap_put_u8(buffer, (uint8_t)value);
}

void lk_pb_put_tag(struct lk_mcap_buffer *buffer, uint32_t number, enum lk_pb_wire wire)
{
    lk_pb_put_varint(buffer, (uint64_t)number << 3 | (unsigned int)wire);
}

void lk_pb_put_number(struct lk_mcap_buffer *buffer, uint32_t number, uint64_t value)
{
    lk_pb_put_tag(buffer, number, LK_PB_VARINT);
    lk_pb_put_varint(buffer, value);
}

static void put_bytes(struct lk_mcap_buffer *buffer, uint32_t number, const void *data, size_t size)
{
    lk_pb_put_tag(buffer, number, LK_PB_BYTES);
    lk_pb_put_varint(buffer, size);
    lk_mcap_put(buffer, data, size);
}

void lk_pb_put_text(struct lk_mcap_buffer *buffer, uint32_t number, const char *text)
{
    put_bytes(buffer, number, text, strlen(text));
}

void lk_pb_put_message(struct lk_mcap_buffer *buffer, uint32_t number,
                       struct lk_mcap_buffer *message)
{
    if (message->full)
        buffer->full = true;
    put_bytes(buffer, number, message->data, message->size);
    lk_mcap_buffer_fini(message);
}

static uint64_t take_varint(struct lk_pb_reader *reader)
{
    uint64_t value = 0;

    for (int shift = 0; shift < 70; shift += 7) {
        unsigned char byte;

        if (reader->left == 0)
            break;
        byte = *reader->at++;
        reader->left--;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->bad = true;
    return 0;
}

static uint64_t take_fixed(struct lk_pb_reader *reader, size_t n)
{
    uint64_t value = 0;

    if (reader->left < n) {
        reader->bad = true;
        return 0;
    }
    for (size_t i = n; i > 0; i--)
        value = value << 8 | reader->at[i - 1];
    reader->at += n;
    reader->left -= n;
    return value;
}

static void take_bytes(struct lk_pb_reader *reader, struct lk_pb_field *field)
{
    uint64_t size = take_varint(reader);

    if (reader->bad || size > reader->left) {
        reader->bad = true;
        return;
    }
    field->data = reader->at;
    field->size = (size_t)size;
    reader->at += size;
    reader->left -= (size_t)size;
}

bool lk_pb_next(struct lk_pb_reader *reader, struct lk_pb_field *ret_field)
{
    uint64_t tag;

    if (reader->left == 0 || reader->bad)
        return false;
    tag = take_varint(reader);
    *ret_field =
        (struct lk_pb_field){.number = (uint32_t)(tag >> 3), .wire = (enum lk_pb_wire)(tag & 7)};
    switch ((int)ret_field->wire) {
    case LK_PB_VARINT:
        ret_field->value = take_varint(reader);
        break;
    case LK_PB_64:
        ret_field->value = take_fixed(reader, 8);
        break;
    case LK_PB_32:
        ret_field->value = take_fixed(reader, 4);
        break;
    case LK_PB_BYTES:
        take_bytes(reader, ret_field);
        break;
    default:
        reader->bad = true;
    }
    if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        reader->bad = true;
    return !reader->bad;
}
