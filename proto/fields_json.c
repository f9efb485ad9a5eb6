/* SPDX-License-Identifier: Apache-2.0 */
#include "fields_json.h"
#include "names_parts.h"

#include <math.h>
#include <string.h>

#define WORD_SIZE 40 /* longer than any name of a field or key */

/* struct item - an item of the list of fields.
 * @list: list of the fields of a message, followed by its closing bracket and the remaining
 *        items */
struct item {
    char name[WORD_SIZE];
    char key[WORD_SIZE];
    bool may_be_unknown;
    const char *list;
};

/* Copy the word at @at.
 * Return: the character after the word. */
static const char *take_word(const char *at, char ret_word[WORD_SIZE])
{
    int n = (int)strcspn(at, " >?()");

    snprintf(ret_word, WORD_SIZE, "%.*s", n, at);
    return at + n;
}

/* Skip a list of fields.
 * Return: the character after its closing bracket. */
static const char *skip_list(const char *at)
{
    for (int depth = 1; depth > 0 && *at != '\0'; at++)
        depth += (*at == '(') - (*at == ')');
    return at;
}

/* Parse one item.
 * Return: the next item, or the end of the list. */
static const char *take_item(const char *at, struct item *ret)
{
    at = take_word(at, ret->name);
    memcpy(ret->key, ret->name, sizeof(ret->key));
    if (*at == '>')
        at = take_word(at + 1, ret->key);
    ret->may_be_unknown = *at == '?';
    ret->list = *at == '(' ? at + 1 : "";
    if (*at == '(')
        at = skip_list(at + 1);
    else if (*at == '?')
        at++;
    return at + strspn(at, " ");
}

/* Write a signed integer. The daemon sends no large negative integers, which would lose digits
 * here. */
static void put_signed(struct lk_json *json, const char *key, int64_t value)
{
    if (value >= 0)
        lk_json_count(json, key, (uint64_t)value);
    else
        lk_json_number(json, key, (double)value);
}

static void put_message(struct lk_json *json, const char *key, const ProtobufCMessage *message,
                        const char *list)
{
    if (message == NULL)
        return;
    lk_json_open(json, key, '{');
    lk_fields_json(json, message, list);
    lk_json_close(json, '}');
}

/* Write the value of a field.
 * Return: size of the value in memory; 0: values of this type are not written. */
static size_t put_value(struct lk_json *json, const char *key, const struct item *item,
                        const ProtobufCFieldDescriptor *field, const void *at)
{
    const double *number = at;
    const int *choice = at;

    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT32:
        lk_json_count(json, key, *(const uint32_t *)at);
        return sizeof(uint32_t);
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        lk_json_count(json, key, *(const uint64_t *)at);
        return sizeof(uint64_t);
    case PROTOBUF_C_TYPE_SFIXED64:
        put_signed(json, key, *(const int64_t *)at);
        return sizeof(int64_t);
    case PROTOBUF_C_TYPE_DOUBLE:
        lk_json_number(json, key, item->may_be_unknown && *number < 0 ? NAN : *number);
        return sizeof(double);
    case PROTOBUF_C_TYPE_BOOL:
        lk_json_bool(json, key, *(const protobuf_c_boolean *)at);
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
        lk_json_text(json, key, *(const char *const *)at);
        return sizeof(char *);
    case PROTOBUF_C_TYPE_ENUM:
        lk_json_text(
            json, key,
            item->may_be_unknown && *choice == 0 ? "" : lk_names_word(field->descriptor, *choice));
        return sizeof(int);
    case PROTOBUF_C_TYPE_MESSAGE:
        put_message(json, key, *(const ProtobufCMessage *const *)at, item->list);
        return sizeof(ProtobufCMessage *);
    default:
        lk_json_null(json, key);
        return 0;
    }
}

static void put_field(struct lk_json *json, const ProtobufCMessage *message,
                      const struct item *item)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(message->descriptor, item->name);
    const char *memory = (const char *)message, *at;
    size_t n;

    if (field == NULL) {
        lk_json_null(json, item->key);
        return;
    }
    if (field->label != PROTOBUF_C_LABEL_REPEATED) {
        put_value(json, item->key, item, field, memory + field->offset);
        return;
    }
    memcpy(&n, memory + field->quantifier_offset, sizeof(n));
    memcpy(&at, memory + field->offset, sizeof(at));
    lk_json_open(json, item->key, '[');
    for (size_t i = 0; i < n; i++)
        at += put_value(json, NULL, item, field, at);
    lk_json_close(json, ']');
}

void lk_fields_json(struct lk_json *json, const ProtobufCMessage *message, const char *list)
{
    struct item item;

    while (*list != '\0' && *list != ')') {
        list = take_item(list, &item);
        put_field(json, message, &item);
    }
}
