/* SPDX-License-Identifier: Apache-2.0 */
#include "filled.h"

#include <string.h>

static uint8_t varint[] = {0x96, 0x01}, bytes[] = {3, 'n', 'e', 'w'}, eight[8], four[4];
static ProtobufCMessageUnknownField strangers[] = {
    {1000, PROTOBUF_C_WIRE_TYPE_VARINT, sizeof(varint), varint},
    {1001, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, sizeof(bytes), bytes},
    {1002, PROTOBUF_C_WIRE_TYPE_64BIT, sizeof(eight), eight},
    {536870911, PROTOBUF_C_WIRE_TYPE_32BIT, sizeof(four), four},
};
static uint8_t topic[] = {9};

/** struct filling - parameters that are the same for all levels */
struct filling {
    struct lk_wire_arena *arena;
    unsigned int command;
    bool unknown;
};

static ProtobufCMessage *fill(const struct filling *filling,
                              const ProtobufCMessageDescriptor *descriptor);

static size_t size_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return 8;
    default:
        return 4;
    }
}

/* Set a value.
 * Return: false if the arena is full */
static bool set_value(const struct filling *filling, const ProtobufCFieldDescriptor *field,
                      void *place)
{
    const void *message;

    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        *(char **)place = (char *)"x";
        return true;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)place = (ProtobufCBinaryData){sizeof(topic), topic};
        return true;
    case PROTOBUF_C_TYPE_DOUBLE:
        *(double *)place = 0.5;
        return true;
    case PROTOBUF_C_TYPE_MESSAGE:
        message = fill(filling, field->descriptor);
        *(const void **)place = message;
        return message != NULL;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        *(uint64_t *)place = 1;
        return true;
    default:
        /* 1, but the first channel of a list begins at offset 0 */
        *(uint32_t *)place = strcmp(field->name, "offset") != 0;
        return true;
    }
}

static bool set_field(const struct filling *filling, const ProtobufCFieldDescriptor *field,
                      char *message)
{
    void *place = message + field->offset;

    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        if (field->id != filling->command)
            return true;
        *(uint32_t *)(void *)(message + field->quantifier_offset) = field->id;
    } else if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        void *list = lk_wire_arena_take(filling->arena, size_of(field->type));

        *(size_t *)(void *)(message + field->quantifier_offset) = 1;
        *(void **)place = list;
        place = list;
    }
    return place != NULL && set_value(filling, field, place);
}

static ProtobufCMessage *fill(const struct filling *filling,
                              const ProtobufCMessageDescriptor *descriptor)
{
    ProtobufCMessage *message = lk_wire_arena_take(filling->arena, descriptor->sizeof_message);

    if (message == NULL)
        return NULL;
    descriptor->message_init(message);
    for (unsigned int i = 0; i < descriptor->n_fields; i++)
        if (!set_field(filling, &descriptor->fields[i], (char *)message))
            return NULL;
    if (filling->unknown) {
        message->unknown_fields = strangers;
        message->n_unknown_fields = sizeof(strangers) / sizeof(strangers[0]);
    }
    return message;
}

ProtobufCMessage *filled_message(struct lk_wire_arena *arena,
                                 const ProtobufCMessageDescriptor *descriptor, unsigned int command,
                                 bool unknown)
{
    const struct filling filling = {arena, command, unknown};

    return fill(&filling, descriptor);
}
