/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"
#include "descriptor.h"

#include <stdio.h>
#include <string.h>

#define PACKAGE "linkage.recording"

const char *lk_recording_topic(enum lk_recording_channel channel)
{
    static const char *const topics[] = {NULL,      "/cycle",    "/inputs",         "/outputs",
                                         "/events", "/platform", "/platform_state", "/tf",
                                         "/scene",  "/log"};

    return topics[channel];
}

/* Fields of a Cycle, in the order of struct lk_recording_cycle; field numbers count from 1. All
 * types have a fixed length, so that the length of the message never changes. Small numbers are
 * varints of one byte. */
static const struct {
    const char *name;
    enum lk_pb_type type;
    const char *unit;
} fields[] = {
    {"cycle", LK_PB_FIXED64, "1"},
    {"step", LK_PB_FIXED64, "1"},
    {"time", LK_PB_DOUBLE, "s"},
    {"deadline_ns", LK_PB_FIXED64, "ns"},
    {"woken_ns", LK_PB_SFIXED64, "ns"},
    {"latched_ns", LK_PB_SFIXED64, "ns"},
    {"stepped_ns", LK_PB_SFIXED64, "ns"},
    {"computed_ns", LK_PB_SFIXED64, "ns"},
    {"state", LK_PB_ENUM, "1"},
    {"fault", LK_PB_UINT32, "1"},
    {"stepped", LK_PB_BOOL, "1"},
    {"flags", LK_PB_FIXED32, "1"},
    {"overruns", LK_PB_FIXED64, "1"},
    {"skipped", LK_PB_FIXED64, "1"},
    {"input_claim", LK_PB_FIXED32, "1"},
    {"input_sequence", LK_PB_FIXED64, "1"},
    {"input_age_ns", LK_PB_SFIXED64, "ns"},
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

_Static_assert(sizeof(struct lk_recording_cycle) == N_FIELDS * 8, "a field for each member");

void lk_recording_cycle_schema(struct lk_mcap_buffer *set)
{
    static const char *const states[] = {"STATE_UNSPECIFIED", "STATE_EMPTY",  "STATE_READY",
                                         "STATE_RUNNING",     "STATE_PAUSED", "STATE_FAULT"};
    struct lk_mcap_buffer message = {.grows = true};

    lk_descriptor_put_name(&message, "Cycle");
    for (size_t i = 0; i < N_FIELDS; i++)
        lk_descriptor_put_field(&message, fields[i].name, (uint32_t)i + 1, fields[i].type,
                                fields[i].type == LK_PB_ENUM ? "." PACKAGE ".Cycle.StateOfCycle"
                                                             : NULL);
    lk_descriptor_put_enum(&message, "StateOfCycle", states, 6);
    lk_descriptor_put_file(set, "linkage/recording/cycle.proto", PACKAGE, &message);
}

const struct lk_mcap_pair *lk_recording_cycle_units(size_t *ret_n)
{
    static struct lk_mcap_pair pairs[N_FIELDS];

    for (size_t i = 0; i < N_FIELDS; i++)
        pairs[i] = (struct lk_mcap_pair){fields[i].name, fields[i].unit};
    *ret_n = N_FIELDS;
    return pairs;
}

static size_t width(enum lk_pb_type type, enum lk_pb_wire *ret_wire)
{
    switch ((int)type) {
    case LK_PB_ENUM:
    case LK_PB_BOOL:
    case LK_PB_UINT32:
        *ret_wire = LK_PB_VARINT;
        return 1;
    case LK_PB_FIXED32:
        *ret_wire = LK_PB_32;
        return 4;
    default:
        *ret_wire = LK_PB_64;
        return 8;
    }
}

/* Write the tag of field @i: one byte for numbers up to 15, otherwise two.
 * Return: size of the tag. */
static size_t make_tag(size_t i, enum lk_pb_wire wire, unsigned char tag[2])
{
    unsigned int value = (unsigned int)(i + 1) << 3 | (unsigned int)wire;

    tag[0] = (unsigned char)(value < 0x80 ? value : (value & 0x7f) | 0x80);
    tag[1] = (unsigned char)(value >> 7);
    return value < 0x80 ? 1 : 2;
}

void lk_recording_cycle_fill(const struct lk_recording_cycle *cycle, unsigned char *to)
{
    for (size_t i = 0; i < N_FIELDS; i++) {
        unsigned char tag[2];
        enum lk_pb_wire wire;
        size_t n = width(fields[i].type, &wire), n_tag = make_tag(i, wire, tag);
        uint64_t bits;

        memcpy(&bits, (const unsigned char *)cycle + 8 * i, 8);
        memcpy(to, tag, n_tag);
        to += n_tag;
        if (n == 1)
            *to = (unsigned char)(bits & 0x7f);
        else if (n == 4)
            lk_mcap_store_u32(to, (uint32_t)bits);
        else
            lk_mcap_store_u64(to, bits);
        to += n;
    }
}

bool lk_recording_cycle_take(const void *data, size_t size, struct lk_recording_cycle *ret_cycle)
{
    const unsigned char *from = data;

    if (size != LK_RECORDING_CYCLE_SIZE)
        return false;
    for (size_t i = 0; i < N_FIELDS; i++) {
        unsigned char tag[2];
        enum lk_pb_wire wire;
        size_t n = width(fields[i].type, &wire), n_tag = make_tag(i, wire, tag);
        uint64_t bits = 0;

        if (memcmp(from, tag, n_tag) != 0)
            return false;
        from += n_tag;
        for (size_t k = n; k > 0; k--)
            bits = bits << 8 | from[k - 1];
        memcpy((unsigned char *)ret_cycle + 8 * i, &bits, 8);
        from += n;
    }
    return true;
}

void lk_recording_event_schema(struct lk_mcap_buffer *set)
{
    struct lk_mcap_buffer message = {.grows = true};

    lk_descriptor_put_name(&message, "Event");
    lk_descriptor_put_field(&message, "id", 1, LK_PB_STRING, NULL);
    lk_descriptor_put_field(&message, "text", 2, LK_PB_STRING, NULL);
    lk_descriptor_put_field(&message, "step", 3, LK_PB_UINT64, NULL);
    lk_descriptor_put_file(set, "linkage/recording/event.proto", PACKAGE, &message);
}

void lk_recording_event_put(struct lk_mcap_buffer *buffer, const struct lk_recording_event *event)
{
    lk_pb_put_text(buffer, 1, event->id);
    lk_pb_put_text(buffer, 2, event->text);
    lk_pb_put_number(buffer, 3, event->step);
}

static void copy_text(const struct lk_pb_field *field, char *to, size_t size)
{
    if (field->wire == LK_PB_BYTES)
        snprintf(to, size, "%.*s", (int)(field->size < size ? field->size : size - 1),
                 (const char *)field->data);
}

bool lk_recording_event_take(const void *data, size_t size, struct lk_recording_event *ret_event)
{
    struct lk_pb_reader reader = {.at = data, .left = size};
    struct lk_pb_field field;

    *ret_event = (struct lk_recording_event){0};
    while (lk_pb_next(&reader, &field)) {
        if (field.number == 1)
            copy_text(&field, ret_event->id, sizeof(ret_event->id));
        else if (field.number == 2)
            copy_text(&field, ret_event->text, sizeof(ret_event->text));
        else if (field.number == 3)
            ret_event->step = field.value;
    }
    return !reader.bad;
}
