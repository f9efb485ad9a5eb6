/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "descriptor.h"
#include "linkage/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct field - a field in a descriptor. */
struct field {
    struct lk_mcap_span name;
    struct lk_mcap_span type_name;
    uint32_t number;
    int type;
};

static struct lk_mcap_span span_of(const struct lk_pb_field *field)
{
    return (struct lk_mcap_span){field->data, field->wire == LK_PB_BYTES ? field->size : 0};
}

static bool same(struct lk_mcap_span a, struct lk_mcap_span b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Find the first field @number of a message, as bytes. */
static struct lk_mcap_span get(struct lk_mcap_span message, uint32_t number)
{
    struct lk_pb_reader reader = {.at = message.data, .left = message.size};
    struct lk_pb_field field;

    while (lk_pb_next(&reader, &field))
        if (field.number == number)
            return span_of(&field);
    return (struct lk_mcap_span){0};
}

/* Return the last part of a name "package.Message.Type". */
static struct lk_mcap_span last_part(struct lk_mcap_span name)
{
    for (size_t i = name.size; i > 0; i--)
        if (name.data[i - 1] == '.')
            return (struct lk_mcap_span){name.data + i, name.size - i};
    return name;
}

/* Find a type within @parent (field @number of @parent) by its short name. */
static bool find_type(struct lk_mcap_span parent, uint32_t number, struct lk_mcap_span name,
                      struct lk_mcap_span *ret)
{
    struct lk_pb_reader reader = {.at = parent.data, .left = parent.size};
    struct lk_pb_field field;

    while (lk_pb_next(&reader, &field)) {
        if (field.number != number)
            continue;
        *ret = span_of(&field);
        if (same(get(*ret, LK_MESSAGE_NAME), name))
            return true;
    }
    return false;
}

static bool parse_field(struct lk_mcap_span text, struct field *ret)
{
    struct lk_pb_reader reader = {.at = text.data, .left = text.size};
    struct lk_pb_field field;

    *ret = (struct field){0};
    while (lk_pb_next(&reader, &field)) {
        if (field.number == LK_FIELD_NAME)
            ret->name = span_of(&field);
        else if (field.number == LK_FIELD_TYPE_NAME)
            ret->type_name = span_of(&field);
        else if (field.number == LK_FIELD_NUMBER)
            ret->number = (uint32_t)field.value;
        else if (field.number == LK_FIELD_TYPE)
            ret->type = (int)(field.value & 0xff);
    }
    return !reader.bad && ret->number > 0;
}

static bool is_number(int type)
{
    return type > 0 && type != LK_PB_STRING && type != LK_PB_MESSAGE && type != 10 && type != 12 &&
           type <= 18;
}

static void copy_name(struct lk_mcap_span name, char *to)
{
    int n = (int)(name.size < LK_COLUMN_NAME_SIZE ? name.size : LK_COLUMN_NAME_SIZE - 1);

    snprintf(to, LK_COLUMN_NAME_SIZE, "%.*s", n, n > 0 ? (const char *)name.data : "");
    lk_text_clean(to);
}

static int add_column(struct lk_columns *columns, const struct field *outer,
                      const struct field *inner)
{
    struct lk_column *c;

    if (columns->n == LK_COLUMNS_MAX)
        return -E2BIG;
    if (columns->n == columns->capacity) {
        size_t capacity = columns->capacity ? 2 * columns->capacity : 64;

        c = realloc(columns->column, capacity * sizeof(*c));
        if (!c)
            return -ENOMEM;
        columns->column = c;
        columns->capacity = capacity;
    }
    c = &columns->column[columns->n++];
    *c = (struct lk_column){.number = outer->number,
                            .inner = inner ? inner->number : 0,
                            .type = inner ? inner->type : outer->type};
    copy_name(outer->name, c->field);
    if (inner)
        copy_name(inner->name, c->component);
    return 0;
}

/* List the fields of @message; with @outer, the fields of a message within a message. */
static int add_fields(struct lk_columns *columns, struct lk_mcap_span message,
                      const struct field *outer)
{
    struct lk_pb_reader reader = {.at = message.data, .left = message.size};
    struct lk_pb_field part;
    int r = 0;

    while (r == 0 && lk_pb_next(&reader, &part)) {
        struct lk_mcap_span nested;
        struct field field;

        if (part.number != LK_MESSAGE_FIELD)
            continue;
        if (!parse_field(span_of(&part), &field))
            return -EINVAL;
        if (is_number(field.type))
            r = add_column(columns, outer ? outer : &field, outer ? &field : NULL);
        else if (!outer && field.type == LK_PB_MESSAGE &&
                 find_type(message, LK_MESSAGE_NESTED, last_part(field.type_name), &nested))
            r = add_fields(columns, nested, &field);
    }
    return r ? r : reader.bad ? -EINVAL : 0;
}

/* Return true if the type @name is in the package of this file. */
static bool is_of(struct lk_mcap_span file, struct lk_mcap_span name)
{
    struct lk_mcap_span package = get(file, LK_FILE_PACKAGE), own = last_part(name);
    size_t n = name.size - own.size;

    return n == 0 ? package.size == 0 : same(package, (struct lk_mcap_span){name.data, n - 1});
}

int lk_columns_read(struct lk_mcap_span set, struct lk_mcap_span name, struct lk_columns *ret)
{
    struct lk_pb_reader reader = {.at = set.data, .left = set.size};
    struct lk_columns columns = {0};
    struct lk_mcap_span message;
    struct lk_pb_field file;
    int r = -ENOENT;

    while (lk_pb_next(&reader, &file)) {
        if (file.number != LK_SET_FILE || !is_of(span_of(&file), name) ||
            !find_type(span_of(&file), LK_FILE_MESSAGE, last_part(name), &message))
            continue;
        r = add_fields(&columns, message, NULL);
        break;
    }
    if (reader.bad)
        r = -EINVAL;
    if (r)
        lk_columns_fini(&columns);
    else
        *ret = columns;
    return r;
}

void lk_columns_fini(struct lk_columns *columns)
{
    free(columns->column);
    *columns = (struct lk_columns){0};
}

/* Convert a value to double. The wire format does not contain the type, so the type of the
 * descriptor is used. */
static double number(int type, const struct lk_pb_field *field)
{
    uint32_t low = (uint32_t)field->value;
    double value;
    float single;

    switch (type) {
    case LK_PB_DOUBLE:
        memcpy(&value, &field->value, sizeof(value));
        return field->wire == LK_PB_64 ? value : 0;
    case LK_PB_FLOAT:
        memcpy(&single, &low, sizeof(single));
        return field->wire == LK_PB_32 ? (double)single : 0;
    case LK_PB_INT64:
    case LK_PB_INT32:
    case LK_PB_ENUM:
    case LK_PB_SFIXED64:
        return (double)(int64_t)field->value;
    case 15: /* sfixed32 */
        return (double)(int32_t)low;
    case 17: /* sint32, sint64 */
    case 18:
        return (double)(int64_t)(field->value >> 1 ^ (0 - (field->value & 1)));
    default:
        return (double)field->value;
    }
}

/* Store a value in its column. The columns of a message have the order of its fields, and usually
 * the encoded fields have the same order. So the search continues where the last one ended. */
static void put_value(const struct lk_columns *columns, uint32_t outer, uint32_t inner,
                      const struct lk_pb_field *field, double *values, size_t *hint)
{
    for (size_t k = 0; k < columns->n; k++) {
        size_t i = *hint + k < columns->n ? *hint + k : *hint + k - columns->n;
        const struct lk_column *c = &columns->column[i];

        if (c->number != outer || c->inner != inner)
            continue;
        values[i] = number(c->type, field);
        *hint = i;
        return;
    }
}

static bool decode(const struct lk_columns *columns, struct lk_mcap_span message, uint32_t outer,
                   double *values, size_t *hint)
{
    struct lk_pb_reader reader = {.at = message.data, .left = message.size};
    struct lk_pb_field field;

    while (lk_pb_next(&reader, &field)) {
        if (field.wire != LK_PB_BYTES) {
            put_value(columns, outer ? outer : field.number, outer ? field.number : 0, &field,
                      values, hint);
            continue;
        }
        for (size_t i = 0; !outer && i < columns->n; i++) {
            size_t k = (*hint + i) % columns->n;

            if (columns->column[k].number != field.number || columns->column[k].inner == 0)
                continue;
            *hint = k;
            if (!decode(columns, span_of(&field), field.number, values, hint))
                return false;
            break;
        }
    }
    return !reader.bad;
}

bool lk_columns_decode(const struct lk_columns *columns, struct lk_mcap_span message,
                       double *values)
{
    size_t hint = 0;

    memset(values, 0, columns->n * sizeof(*values));
    return decode(columns, message, 0, values, &hint);
}
