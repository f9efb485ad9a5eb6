/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by the schema that is embedded in their file: every number in them is a column. Nothing
 * is known here about who wrote the file. */
#ifndef LK_MCAP_DECODE_H
#define LK_MCAP_DECODE_H

#include "protobuf.h"
#include "read.h"

#define LK_COLUMNS_MAX      65536
#define LK_COLUMN_NAME_SIZE 96

/** struct lk_column - a field that holds a number.
 * @field, @component: their names; @component is "" outside of a message within the message
 * @number, @inner:    of the field, and of that within it, 0 where there is none
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

/** lk_columns_read() - of the message type @name in the FileDescriptorSet @set. Fields that are no
 * number, and numbers deeper than one message within the message, are left out.
 * Return: 0, -ENOENT (no such type), -EINVAL (no such set), -E2BIG, -ENOMEM. */
int lk_columns_read(struct lk_mcap_span set, struct lk_mcap_span name, struct lk_columns *ret);
void lk_columns_fini(struct lk_columns *columns);

/** lk_columns_decode() - the numbers of a message, whole ones as the nearest double; 0 where the
 * message has none. @values: @columns->n.  Return: whether it could be read. */
bool lk_columns_decode(const struct lk_columns *columns, struct lk_mcap_span message,
                       double *values);

#endif
