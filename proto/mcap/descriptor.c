/* SPDX-License-Identifier: Apache-2.0 */
#include "descriptor.h"

#define LABEL_OPTIONAL 1
#define LABEL_REPEATED 3

void lk_descriptor_put_name(struct lk_mcap_buffer *message, const char *name)
{
    lk_pb_put_text(message, LK_MESSAGE_NAME, name);
}

void lk_descriptor_put_field(struct lk_mcap_buffer *message, const char *name, uint32_t number,
                             enum lk_pb_type type, const char *type_name)
{
    lk_descriptor_put_labelled(message, name, number, type, type_name, false);
}

void lk_descriptor_put_labelled(struct lk_mcap_buffer *message, const char *name, uint32_t number,
                                enum lk_pb_type type, const char *type_name, bool is_repeated)
{
    struct lk_mcap_buffer field = {.grows = true};

    lk_pb_put_text(&field, LK_FIELD_NAME, name);
    lk_pb_put_number(&field, LK_FIELD_NUMBER, number);
    lk_pb_put_number(&field, LK_FIELD_LABEL, is_repeated ? LABEL_REPEATED : LABEL_OPTIONAL);
    lk_pb_put_number(&field, LK_FIELD_TYPE, (uint64_t)type);
    if (type_name)
        lk_pb_put_text(&field, LK_FIELD_TYPE_NAME, type_name);
    lk_pb_put_message(message, LK_MESSAGE_FIELD, &field);
}

void lk_descriptor_put_nested(struct lk_mcap_buffer *message, struct lk_mcap_buffer *nested)
{
    lk_pb_put_message(message, LK_MESSAGE_NESTED, nested);
}

void lk_descriptor_put_enum(struct lk_mcap_buffer *message, const char *name,
                            const char *const values[], int n)
{
    struct lk_mcap_buffer body = {.grows = true};

    lk_pb_put_text(&body, 1, name);
    for (int i = 0; i < n; i++) {
        struct lk_mcap_buffer value = {.grows = true};

        lk_pb_put_text(&value, 1, values[i]);
        lk_pb_put_number(&value, 2, (uint64_t)i);
        lk_pb_put_message(&body, 2, &value);
    }
    lk_pb_put_message(message, LK_MESSAGE_ENUM, &body);
}

void lk_descriptor_put_file(struct lk_mcap_buffer *set, const char *name, const char *package,
                            struct lk_mcap_buffer *message)
{
    struct lk_mcap_buffer file = {.grows = true};

    lk_pb_put_text(&file, LK_FILE_NAME, name);
    lk_pb_put_text(&file, LK_FILE_PACKAGE, package);
    lk_pb_put_message(&file, LK_FILE_MESSAGE, message);
    lk_pb_put_text(&file, LK_FILE_SYNTAX, "proto3");
    lk_pb_put_message(set, LK_SET_FILE, &file);
}
