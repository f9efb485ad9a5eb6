/* SPDX-License-Identifier: Apache-2.0 */
/* The message types as descriptors. All fields of the published types are declared, also fields
 * that are never written, because viewers check them. */
#include "foxglove.h"
#include "mcap/descriptor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FILE_DEPENDENCY 3
#define TYPE_BYTES      12
#define VALUES_MAX      6
#define TIME            "google.protobuf.Timestamp"
#define SPAN            "google.protobuf.Duration"

/* struct type - a message type.
 * @fields: fields numbered from 1, in the form "name:type" and separated by blanks. Types are d, u,
 *          b, s, y (double, fixed32, bool, string, bytes), E (the enum of the message, named like
 *          the field with a capital), a message of package foxglove, or a full type name with a
 *          dot. An asterisk after the type means repeated.
 * @values: names of the values of the enum */
struct type {
    const char *name;
    const char *fields;
    const char *values[VALUES_MAX];
};

static const struct type types[] = {
    {"Vector3", "x:d y:d z:d", {NULL}},
    {"Point3", "x:d y:d z:d", {NULL}},
    {"Quaternion", "x:d y:d z:d w:d", {NULL}},
    {"Color", "r:d g:d b:d a:d", {NULL}},
    {"Pose", "position:Vector3 orientation:Quaternion", {NULL}},
    {"KeyValuePair", "key:s value:s", {NULL}},
    {"FrameTransform",
     "timestamp:" TIME " parent_frame_id:s child_frame_id:s translation:Vector3 "
     "rotation:Quaternion",
     {NULL}},
    {"FrameTransforms", "transforms:FrameTransform*", {NULL}},
    {"ArrowPrimitive",
     "pose:Pose shaft_length:d shaft_diameter:d head_length:d head_diameter:d color:Color",
     {NULL}},
    {"CubePrimitive", "pose:Pose size:Vector3 color:Color", {NULL}},
    {"SpherePrimitive", "pose:Pose size:Vector3 color:Color", {NULL}},
    {"CylinderPrimitive", "pose:Pose size:Vector3 bottom_scale:d top_scale:d color:Color", {NULL}},
    {"LinePrimitive",
     "type:E pose:Pose thickness:d scale_invariant:b points:Point3* color:Color colors:Color* "
     "indices:u*",
     {"LINE_STRIP", "LINE_LOOP", "LINE_LIST"}},
    {"TriangleListPrimitive",
     "pose:Pose points:Point3* color:Color colors:Color* indices:u*",
     {NULL}},
    {"TextPrimitive",
     "pose:Pose billboard:b font_size:d scale_invariant:b color:Color text:s",
     {NULL}},
    {"ModelPrimitive",
     "pose:Pose scale:Vector3 color:Color override_color:b url:s media_type:s data:y",
     {NULL}},
    {"SceneEntityDeletion", "timestamp:" TIME " type:E id:s", {"MATCHING_ID", "ALL"}},
    {"SceneEntity",
     "timestamp:" TIME " frame_id:s id:s lifetime:" SPAN " frame_locked:b metadata:KeyValuePair* "
     "arrows:ArrowPrimitive* cubes:CubePrimitive* spheres:SpherePrimitive* "
     "cylinders:CylinderPrimitive* lines:LinePrimitive* triangles:TriangleListPrimitive* "
     "texts:TextPrimitive* models:ModelPrimitive*",
     {NULL}},
    {"SceneUpdate", "deletions:SceneEntityDeletion* entities:SceneEntity*", {NULL}},
    {"Log",
     "timestamp:" TIME " level:E message:s name:s file:s line:u",
     {"UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"}},
};

static enum lk_pb_type type_of(const char *word)
{
    static const struct {
        const char *word;
        int type;
    } scalars[] = {{"d", LK_PB_DOUBLE}, {"u", LK_PB_FIXED32}, {"b", LK_PB_BOOL},
                   {"s", LK_PB_STRING}, {"y", TYPE_BYTES},    {"E", LK_PB_ENUM}};

    for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++)
        if (strcmp(word, scalars[i].word) == 0)
            return (enum lk_pb_type)scalars[i].type;
    return LK_PB_MESSAGE;
}

/* Add a field to a descriptor.
 * @word: "name:type" or "name:type*", of message @owner */
static void put_field(struct lk_mcap_buffer *message, const char *owner, const char *word,
                      uint32_t number)
{
    char name[40], type[40], full[96];
    int is_repeated, end = 0;
    enum lk_pb_type kind;

    if (sscanf(word, "%39[^:]:%39[^ *]%n", name, type, &end) != 2)
        return;
    is_repeated = word[end] == '*';
    kind = type_of(type);
    if (kind == LK_PB_ENUM)
        snprintf(full, sizeof(full), ".foxglove.%s.%c%s", owner, toupper(name[0]), name + 1);
    else
        snprintf(full, sizeof(full), strchr(type, '.') != NULL ? ".%s" : ".foxglove.%s", type);
    lk_descriptor_put_labelled(message, name, number, kind,
                               kind == LK_PB_MESSAGE || kind == LK_PB_ENUM ? full : NULL,
                               is_repeated);
}

static void put_type(struct lk_mcap_buffer *file, const struct type *type)
{
    struct lk_mcap_buffer message = {.grows = true};
    uint32_t number = 1;
    int n = 0;

    lk_descriptor_put_name(&message, type->name);
    for (const char *word = type->fields; word != NULL; number++) {
        put_field(&message, type->name, word, number);
        word = strchr(word, ' ');
        word += word != NULL;
    }
    while (n < VALUES_MAX && type->values[n] != NULL)
        n++;
    if (n > 0) /* the enum belongs to the field of type E */
        lk_descriptor_put_enum(&message, strstr(type->fields, "level:E") ? "Level" : "Type",
                               type->values, n);
    lk_pb_put_message(file, LK_FILE_MESSAGE, &message);
}

/* Write a well-known type of protobuf that consists of seconds and nanoseconds. */
static void put_time(struct lk_mcap_buffer *set, const char *file, const char *name)
{
    struct lk_mcap_buffer message = {.grows = true};

    lk_descriptor_put_name(&message, name);
    lk_descriptor_put_field(&message, "seconds", 1, LK_PB_INT64, NULL);
    lk_descriptor_put_field(&message, "nanos", 2, LK_PB_INT32, NULL);
    lk_descriptor_put_file(set, file, "google.protobuf", &message);
}

void lk_foxglove_schema(struct lk_mcap_buffer *set)
{
    struct lk_mcap_buffer file = {.grows = true};

    put_time(set, "google/protobuf/timestamp.proto", "Timestamp");
    put_time(set, "google/protobuf/duration.proto", "Duration");
    lk_pb_put_text(&file, LK_FILE_NAME, "foxglove/linkage.proto");
    lk_pb_put_text(&file, LK_FILE_PACKAGE, "foxglove");
    lk_pb_put_text(&file, FILE_DEPENDENCY, "google/protobuf/timestamp.proto");
    lk_pb_put_text(&file, FILE_DEPENDENCY, "google/protobuf/duration.proto");
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        put_type(&file, &types[i]);
    lk_pb_put_text(&file, LK_FILE_SYNTAX, "proto3");
    lk_pb_put_message(set, LK_SET_FILE, &file);
}
