/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder of descriptors of protobuf message types (descriptor.proto). */
#ifndef LK_MCAP_DESCRIPTOR_H
#define LK_MCAP_DESCRIPTOR_H

#include "protobuf.h"

/** enum lk_descriptor_number - field numbers in descriptor.proto. */
enum lk_descriptor_number {
    LK_SET_FILE = 1,
    LK_FILE_NAME = 1,
    LK_FILE_PACKAGE = 2,
    LK_FILE_MESSAGE = 4,
    LK_FILE_SYNTAX = 12,
    LK_MESSAGE_NAME = 1,
    LK_MESSAGE_FIELD = 2,
    LK_MESSAGE_NESTED = 3,
    LK_MESSAGE_ENUM = 4,
    LK_FIELD_NAME = 1,
    LK_FIELD_NUMBER = 3,
    LK_FIELD_LABEL = 4,
    LK_FIELD_TYPE = 5,
    LK_FIELD_TYPE_NAME = 6,
};

/** lk_descriptor_put_name() - Write the name of a message type. Call it before adding fields. */
void lk_descriptor_put_name(struct lk_mcap_buffer *message, const char *name);
/** lk_descriptor_put_field() - Add a field. @type_name: ".package.Message.Type" of a message or an
 * enum, otherwise NULL */
void lk_descriptor_put_field(struct lk_mcap_buffer *message, const char *name, uint32_t number,
                             enum lk_pb_type type, const char *type_name);
/** lk_descriptor_put_labelled() - Add a field that may be a repeated field. */
void lk_descriptor_put_labelled(struct lk_mcap_buffer *message, const char *name, uint32_t number,
                                enum lk_pb_type type, const char *type_name, bool is_repeated);
/** lk_descriptor_put_nested() - Add a nested message type, and release @nested. */
void lk_descriptor_put_nested(struct lk_mcap_buffer *message, struct lk_mcap_buffer *nested);
/** lk_descriptor_put_enum() - Add a nested enum with values 0 to @n - 1. */
void lk_descriptor_put_enum(struct lk_mcap_buffer *message, const char *name,
                            const char *const values[], int n);
/** lk_descriptor_put_file() - Write a FileDescriptorSet of one file with one message type; release
 * @message. */
void lk_descriptor_put_file(struct lk_mcap_buffer *set, const char *name, const char *package,
                            struct lk_mcap_buffer *message);

#endif
