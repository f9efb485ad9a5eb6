/* SPDX-License-Identifier: Apache-2.0 */
/* Decoder of messages that uses the schema embedded in their file: every numeric field becomes a
 * column. The file may come from any program. */
#ifndef LK_MCAP_DECODE_H
#define LK_MCAP_DECODE_H

#include "protobuf.h"
#include "read.h"

#define LK_COLUMNS_MAX      65536
#define LK_COLUMN_NAME_SIZE 96

/** struct lk_column - a numeric field.
 * @field, @component: names of the field and of its inner field; @component is "" if the field is
 *                     no message
 * @number, @inner:    numbers of these two fields; @inner is 0 if the field is no message
 * @type:              enum lk_pb_type */
struct lk_column {
    char field[LK_COLUMN_NAME_SIZE];
    char component[LK_COLUMN_NAME_SIZE];
    uint32_t number;
    uint32_t inner;
    int type;
};

struct lk_columns {
    struct lk_column *column;
    size_t n;
    size_t capacity;
};

/** lk_columns_read() - List the columns of the message type @name in the FileDescriptorSet @set.
 * Fields that are not numeric or are nested deeper than one level are omitted.
 * Return: 0, -ENOENT (no such type), -EINVAL (@set is malformed), -E2BIG, -ENOMEM. */
int lk_columns_read(struct lk_mcap_span set, struct lk_mcap_span name, struct lk_columns *ret);
void lk_columns_fini(struct lk_columns *columns);

/** lk_columns_decode() - Decode a message. Integers become the nearest double, absent fields 0.
 * @values: array of @columns->n numbers
 * Return: true if the message is well formed. */
bool lk_columns_decode(const struct lk_columns *columns, struct lk_mcap_span message,
                       double *values);

#endif
