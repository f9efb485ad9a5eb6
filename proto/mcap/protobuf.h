/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder and decoder of single protobuf fields; the decoder accepts untrusted data. Generated code
 * is not used, because the message types depend on the model. */
#ifndef LK_MCAP_PROTOBUF_H
#define LK_MCAP_PROTOBUF_H

#include "write.h"

/** enum lk_pb_wire - wire types. */
enum lk_pb_wire { LK_PB_VARINT = 0, LK_PB_64 = 1, LK_PB_BYTES = 2, LK_PB_32 = 5 };

/** enum lk_pb_type - field types used here, with the numbers of descriptor.proto. */
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
/** lk_pb_put_number(), lk_pb_put_text() - Write a varint field or a string field.
 * lk_pb_put_message() - Write a field with an encoded message, and release @message. */
void lk_pb_put_number(struct lk_mcap_buffer *buffer, uint32_t number, uint64_t value);
void lk_pb_put_text(struct lk_mcap_buffer *buffer, uint32_t number, const char *text);
void lk_pb_put_message(struct lk_mcap_buffer *buffer, uint32_t number,
                       struct lk_mcap_buffer *message);

/** struct lk_pb_reader - position in a message.
 * @at:   next byte
 * @left: number of bytes left
 * @bad:  the message is malformed */
struct lk_pb_reader {
    const unsigned char *at;
    size_t left;
    bool bad;
};

/** struct lk_pb_field - a field that was read.
 * @value:       value of a numeric field
 * @data, @size: bytes of a field of type LK_PB_BYTES, within the message */
struct lk_pb_field {
    uint32_t number;
    enum lk_pb_wire wire;
    uint64_t value;
    const unsigned char *data;
    size_t size;
};

/** lk_pb_next() - Read the next field.
 * Return: false at the end of the message, or if @reader->bad is set. */
bool lk_pb_next(struct lk_pb_reader *reader, struct lk_pb_field *ret_field);

#endif
