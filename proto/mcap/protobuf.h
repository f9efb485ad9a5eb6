/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a protobuf message, written one after the other, and read without trusting a length.
 * What is needed here is less than a page; types are not known before a model is. */
#ifndef LK_MCAP_PROTOBUF_H
#define LK_MCAP_PROTOBUF_H

#include "write.h"

/** enum lk_pb_wire - how a field travels. */
enum lk_pb_wire { LK_PB_VARINT = 0, LK_PB_64 = 1, LK_PB_BYTES = 2, LK_PB_32 = 5 };

/** enum lk_pb_type - of a field, as a descriptor numbers them; those that are used. */
enum lk_pb_type {
    LK_PB_DOUBLE = 1,
    LK_PB_FLOAT = 2,
    LK_PB_INT64 = 3,
    LK_PB_UINT64 = 4,
    LK_PB_INT32 = 5,
    LK_PB_FIXED64 = 6,
    LK_PB_FIXED32 = 7,
    LK_PB_BOOL = 8,
    LK_PB_STRING = 9,
    LK_PB_MESSAGE = 11,
    LK_PB_UINT32 = 13,
    LK_PB_ENUM = 14,
    LK_PB_SFIXED64 = 16,
};

void lk_pb_put_varint(struct lk_mcap_buffer *buffer, uint64_t value);
void lk_pb_put_tag(struct lk_mcap_buffer *buffer, uint32_t number, enum lk_pb_wire wire);
/** lk_pb_put_number() - a varint field;  lk_pb_put_text();  lk_pb_put_message() - @message: encoded
 * before, released here */
void lk_pb_put_number(struct lk_mcap_buffer *buffer, uint32_t number, uint64_t value);
void lk_pb_put_text(struct lk_mcap_buffer *buffer, uint32_t number, const char *text);
void lk_pb_put_message(struct lk_mcap_buffer *buffer, uint32_t number,
                       struct lk_mcap_buffer *message);

/** struct lk_pb_reader - @at: next byte;  @left: bytes;  @bad: something made no sense */
struct lk_pb_reader {
    const unsigned char *at;
    size_t left;
    bool bad;
};

/** struct lk_pb_field - @value: of a number;  @data, @size: of bytes, within the message */
struct lk_pb_field {
    uint32_t number;
    enum lk_pb_wire wire;
    uint64_t value;
    const unsigned char *data;
    size_t size;
};

/** lk_pb_next() - the next field. Return: false at the end, or when @reader->bad. */
bool lk_pb_next(struct lk_pb_reader *reader, struct lk_pb_field *ret_field);

#endif
