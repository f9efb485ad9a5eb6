/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the JSON messages of the Foxglove websocket protocol. */
#include "draft.h"
#include "foxglove/foxglove.h"
#include "ros2.h"
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct viewer_text *finish(struct draft *draft)
{
    struct viewer_text *text = NULL;

    if (draft_end(draft))
        text = malloc(sizeof(*text) + draft->size);
    if (text != NULL) {
        text->size = draft->size;
        memcpy(text->data, draft->text, draft->size);
    }
    free(draft->text);
    return text;
}

struct viewer_text *viewer_text_info(const struct gate_web *web)
{
    static const char *const capabilities[] = {"time", "parameters", "parametersSubscribe"};
    struct draft draft;

    if (!draft_begin(&draft, "serverInfo"))
        return NULL;
    lk_json_text(&draft.json, "name", "linkage-gateway");
    lk_json_texts(&draft.json, "capabilities", capabilities, 3);
    lk_json_texts(&draft.json, "supportedEncodings", NULL, 0);
    lk_json_open(&draft.json, "metadata", '{');
    lk_json_text(&draft.json, "line", web->options->endpoint);
    lk_json_close(&draft.json, '}');
    lk_json_text(&draft.json, "sessionId", web->session);
    return finish(&draft);
}

/* ---- channels ---- */

static const char status_schema[] =
    "{\"title\":\"linkage.Status\",\"type\":\"object\",\"properties\":{"
    "\"state\":{\"type\":\"string\"},\"fault\":{\"type\":\"string\"},"
    "\"flags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"degraded\":{\"type\":"
    "\"array\",\"items\":{\"type\":"
    "\"string\"}},\"model\":{\"type\":\"string\"},\"mode\":{\"type\":\"string\"},"
    "\"step\":{\"type\":\"integer\"},\"time_s\":{\"type\":\"number\"},"
    "\"period_ns\":{\"type\":\"number\"},\"cycles\":{\"type\":\"integer\"},"
    "\"overruns\":{\"type\":\"integer\"},\"late_wakeups\":{\"type\":\"integer\"},"
    "\"long_computations\":{\"type\":\"integer\"},\"skipped\":{\"type\":\"integer\"},"
    "\"wakeup\":{\"type\":\"object\",\"properties\":{\"p50_ns\":{\"type\":\"number\"},\"p99_ns\":"
    "{\"type\":\"number\"},\"max_ns\":{\"type\":\"number\"}}},"
    "\"compute\":{\"type\":\"object\",\"properties\":{\"p50_ns\":{\"type\":\"number\"},\"p99_ns\":"
    "{\"type\":\"number\"},\"max_ns\":{\"type\":\"number\"}}},"
    "\"inputs_accepted\":{\"type\":\"integer\"},\"inputs_refused\":{\"type\":\"integer\"},"
    "\"residual_position\":{\"type\":\"number\"},\"kinetic_J\":{\"type\":\"number\"},\"potential_"
    "J\":{\"type\":\"number\"},"
    "\"claims\":{\"type\":\"integer\"},\"trips\":{\"type\":\"integer\"}}}";

static void put_schema(struct lk_json *json, const struct lk_mcap_buffer *set)
{
    int size = (int)(set->size / 3 + 1) * 4 + 8; /* the library requires more room than it uses */
    char *text = set->full ? NULL : malloc((size_t)size);

    if (text != NULL &&
        lws_b64_encode_string((const char *)set->data, (int)set->size, text, size) >= 0)
        lk_json_text(json, "schema", text);
    free(text);
}

static void put_place(const struct gate_web *web, struct lk_json *json, enum gate_topic topic)
{
    static const char *const topics[] = {"/tf",     "/scene", "/outputs",      "/inputs",
                                         "/status", "/log",   "/ros2/outputs", "/ros2/inputs"};
    uint32_t model = web->meaning != NULL ? web->meaning->number : 0;

    lk_json_count(json, "id", (uint64_t)model * VIEWER_NUMBERS + topic);
    lk_json_text(json, "topic", topics[topic]);
}

/* Write a channel of a viewer.
 * @type: name of the protobuf type; NULL: the channel is JSON */
static void put_channel(const struct gate_web *web, struct lk_json *json, enum gate_topic topic,
                        const char *type, const struct lk_mcap_buffer *set)
{
    put_place(web, json, topic);
    lk_json_text(json, "encoding", type != NULL ? "protobuf" : "json");
    lk_json_text(json, "schemaName", type != NULL ? type : "linkage.Status");
    lk_json_text(json, "schemaEncoding", type != NULL ? "protobuf" : "jsonschema");
    if (type != NULL)
        put_schema(json, set);
    else
        lk_json_text(json, "schema", status_schema);
}

static void put_fixed(const struct gate_web *web, struct lk_json *json, enum gate_topic topic,
                      const char *type, const struct lk_mcap_buffer *set)
{
    if (!viewer_is_advertised(web, topic))
        return;
    lk_json_open(json, NULL, '{');
    put_channel(web, json, topic, type, set);
    lk_json_close(json, '}');
}

/* Write the units, with the same keys as in a recording: "motor" or "pose.x", with value "N m". */
static void put_units(struct lk_json *json, const struct lk_mcap_type *type)
{
    lk_json_open(json, "metadata", '{');
    for (size_t i = 0; i < type->n_units; i++)
        lk_json_text(json, type->unit[i].key, type->unit[i].value);
    lk_json_close(json, '}');
}

static void put_ros2(const struct gate_web *web, struct lk_json *json, enum gate_topic topic,
                     const struct lk_mcap_type *type)
{
    struct lk_mcap_buffer schema = {.grows = true};
    char name[sizeof(type->name) + 8];

    ros2_name(type, name, sizeof(name));
    ros2_schema(&schema, type);
    lk_mcap_put_u8(&schema, '\0');
    lk_json_open(json, NULL, '{');
    put_place(web, json, topic);
    lk_json_text(json, "encoding", "cdr");
    lk_json_text(json, "schemaName", name);
    lk_json_text(json, "schemaEncoding", "ros2msg");
    if (!schema.full)
        lk_json_text(json, "schema", (const char *)schema.data);
    put_units(json, type);
    lk_json_close(json, '}');
    lk_mcap_buffer_fini(&schema);
}

/* Write two channels with the same values in different formats.
 * @topic: channel in protobuf
 * @ros2:  channel in the format of ROS 2 */
static void put_samples(const struct gate_web *web, struct lk_json *json, enum gate_topic topic,
                        enum gate_topic ros2, const struct lk_mcap_type *type)
{
    if (!viewer_is_advertised(web, topic))
        return;
    lk_json_open(json, NULL, '{');
    put_channel(web, json, topic, type->name, &type->descriptor);
    put_units(json, type);
    lk_json_close(json, '}');
    put_ros2(web, json, ros2, type);
}

bool viewer_is_advertised(const struct gate_web *web, enum gate_topic topic)
{
    const struct gate_meaning *meaning = web->meaning;

    switch (topic) {
    case GATE_TF:
    case GATE_SCENE:
        return meaning != NULL && meaning->scene != NULL;
    case GATE_OUTPUTS:
    case GATE_ROS2_OUTPUTS:
        return meaning != NULL && meaning->n_outputs > 0;
    case GATE_INPUTS:
    case GATE_ROS2_INPUTS:
        return meaning != NULL && meaning->n_inputs > 0;
    default:
        return true;
    }
}

struct viewer_text *viewer_text_advertise(const struct gate_web *web)
{
    struct lk_mcap_buffer set = {.grows = true};
    struct draft draft;

    if (!draft_begin(&draft, "advertise"))
        return NULL;
    lk_foxglove_schema(&set);
    lk_json_open(&draft.json, "channels", '[');
    put_fixed(web, &draft.json, GATE_TF, LK_FOXGLOVE_TRANSFORMS, &set);
    put_fixed(web, &draft.json, GATE_SCENE, LK_FOXGLOVE_SCENE, &set);
    if (web->meaning != NULL) {
        put_samples(web, &draft.json, GATE_OUTPUTS, GATE_ROS2_OUTPUTS, &web->meaning->outputs);
        put_samples(web, &draft.json, GATE_INPUTS, GATE_ROS2_INPUTS, &web->meaning->inputs);
    }
    put_fixed(web, &draft.json, GATE_STATUS, NULL, NULL);
    put_fixed(web, &draft.json, GATE_EVENTS, LK_FOXGLOVE_LOG, &set);
    lk_json_close(&draft.json, ']');
    lk_mcap_buffer_fini(&set);
    return finish(&draft);
}

struct viewer_text *viewer_text_unadvertise(const struct viewer *viewer)
{
    struct draft draft;

    if (!draft_begin(&draft, "unadvertise"))
        return NULL;
    lk_json_open(&draft.json, "channelIds", '[');
    for (int i = 0; i < GATE_CHANNELS; i++)
        if (viewer->advertised[i])
            lk_json_count(&draft.json, NULL,
                          (uint64_t)viewer->meaning * VIEWER_NUMBERS + (uint64_t)i);
    lk_json_close(&draft.json, ']');
    return finish(&draft);
}

/* ---- status, parameters ---- */

struct viewer_text *viewer_text_status(enum viewer_level level, const char *id, const char *text)
{
    struct draft draft;

    if (!draft_begin(&draft, "status"))
        return NULL;
    lk_json_count(&draft.json, "level", level);
    lk_json_text(&draft.json, "message", text);
    if (id != NULL)
        lk_json_text(&draft.json, "id", id);
    return finish(&draft);
}

static bool is_wanted(const json_t *names, const char *name)
{
    size_t n = json_array_size(names);

    for (size_t i = 0; i < n; i++) {
        const char *wanted = json_string_value(json_array_get(names, i));

        if (wanted != NULL && strcmp(wanted, name) == 0)
            return true;
    }
    return n == 0;
}

struct viewer_text *viewer_text_parameters(const struct gate_web *web, const json_t *names,
                                           const char *id)
{
    const struct gate_meaning *meaning = web->meaning;
    const struct gate_parcel *values = web->latest[GATE_PARAMETERS];
    size_t n = meaning != NULL ? meaning->model->n_parameters : 0;
    struct draft draft;

    if (!draft_begin(&draft, "parameterValues"))
        return NULL;
    lk_json_open(&draft.json, "parameters", '[');
    for (size_t i = 0; i < n; i++) {
        const Linkage__V1__ParameterDescription *parameter = meaning->model->parameters[i];
        double value = parameter->value;

        if (!is_wanted(names, parameter->name))
            continue;
        if (values != NULL && values->size == n * sizeof(value))
            memcpy(&value, values->data + i * sizeof(value), sizeof(value));
        lk_json_open(&draft.json, NULL, '{');
        lk_json_text(&draft.json, "name", parameter->name);
        lk_json_number(&draft.json, "value", value);
        lk_json_text(&draft.json, "type", "float64");
        lk_json_close(&draft.json, '}');
    }
    lk_json_close(&draft.json, ']');
    if (id != NULL)
        lk_json_text(&draft.json, "id", id);
    return finish(&draft);
}
