/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that carries out what the operator at the page asks for, one command after the other, on
 * a connection of its own: a model that takes long to load holds nothing else up. */
#include "draft.h"
#include "gateway.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *text_of(const json_t *command, const char *key)
{
    const char *text = json_string_value(json_object_get(command, key));

    return text != NULL ? text : "";
}

/* ---- requests ---- */

/* struct asked - a request with what its arguments need */
struct asked {
    Linkage__V1__ControlRequest request;
    union {
        Linkage__V1__ArmRequest arm;
        Linkage__V1__StartRequest start;
        Linkage__V1__PauseRequest pause;
        Linkage__V1__StopRequest stop;
        Linkage__V1__ResetRequest reset;
        Linkage__V1__SnapshotRequest snapshot;
        Linkage__V1__RecordRequest record;
        Linkage__V1__SetRequest set;
    } of;
    double values[LK_COMPONENTS_MAX];
};

static void ask_arm(struct asked *asked, const json_t *command)
{
    linkage__v1__arm_request__init(&asked->of.arm);
    asked->of.arm.allow_degraded = json_is_true(json_object_get(command, "allow_degraded"));
    asked->request.arm = &asked->of.arm;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM;
}

static void ask_start(struct asked *asked, const json_t *command)
{
    (void)command;
    linkage__v1__start_request__init(&asked->of.start);
    asked->request.start = &asked->of.start;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_START;
}

static void ask_pause(struct asked *asked, const json_t *command)
{
    (void)command;
    linkage__v1__pause_request__init(&asked->of.pause);
    asked->request.pause = &asked->of.pause;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_PAUSE;
}

static void ask_stop(struct asked *asked, const json_t *command)
{
    (void)command;
    linkage__v1__stop_request__init(&asked->of.stop);
    asked->request.stop = &asked->of.stop;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP;
}

static void ask_reset(struct asked *asked, const json_t *command)
{
    (void)command;
    linkage__v1__reset_request__init(&asked->of.reset);
    asked->request.reset = &asked->of.reset;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESET;
}

static void ask_snapshot(struct asked *asked, const json_t *command)
{
    linkage__v1__snapshot_request__init(&asked->of.snapshot);
    asked->of.snapshot.name = (char *)text_of(command, "name");
    asked->request.snapshot = &asked->of.snapshot;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SNAPSHOT;
}

static void ask_record(struct asked *asked, const json_t *command)
{
    linkage__v1__record_request__init(&asked->of.record);
    asked->of.record.stop = json_is_true(json_object_get(command, "stop"));
    asked->of.record.name = (char *)text_of(command, "name");
    asked->request.record = &asked->of.record;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RECORD;
}

static void ask_set(struct asked *asked, const json_t *command)
{
    const json_t *values = json_object_get(command, "values");
    size_t n = json_array_size(values) < LK_COMPONENTS_MAX ? json_array_size(values) : 0;

    linkage__v1__set_request__init(&asked->of.set);
    for (size_t i = 0; i < n; i++)
        asked->values[i] = json_number_value(json_array_get(values, i));
    asked->of.set.channel = (char *)text_of(command, "channel");
    asked->of.set.values = asked->values;
    asked->of.set.n_values = n;
    asked->request.set = &asked->of.set;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET;
}

static const struct {
    const char *op;
    void (*fill)(struct asked *asked, const json_t *command);
} ops[] = {
    {"arm", ask_arm},     {"start", ask_start},       {"pause", ask_pause},   {"stop", ask_stop},
    {"reset", ask_reset}, {"snapshot", ask_snapshot}, {"record", ask_record}, {"set", ask_set},
};

#define N_OPS (sizeof(ops) / sizeof(*ops))

bool gate_operator_knows(const char *op)
{
    for (size_t i = 0; i < N_OPS; i++)
        if (strcmp(ops[i].op, op) == 0)
            return true;
    return strcmp(op, "load") == 0;
}

static int carry_out(struct lk_client *client, const json_t *command,
                     const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;
    struct asked asked = {.request = LINKAGE__V1__CONTROL_REQUEST__INIT};
    const json_t *text = json_object_get(command, "text");
    const char *op = text_of(command, "op");

    for (size_t i = 0; i < N_OPS; i++)
        if (strcmp(ops[i].op, op) == 0) {
            ops[i].fill(&asked, command);
            return lk_client_call(client, &asked.request, ret_reply, error);
        }
    load.name = (char *)text_of(command, "name");
    load.text.data = (uint8_t *)text_of(command, "text");
    load.text.len = json_string_length(text);
    return lk_client_load(client, &load, ret_reply, error);
}

/* ---- answers ---- */

/* @reply: NULL: @error says why there is none */
static void post_answer(struct gate_hub *hub, const json_t *command,
                        const Linkage__V1__ControlReply *reply, const struct lk_error *error)
{
    struct draft draft;
    struct lk_json *json = &draft.json;

    if (!draft_begin(&draft, "answer"))
        return;
    lk_json_text(json, "to", text_of(command, "op"));
    lk_json_bool(json, "ok", reply != NULL && reply->result == LINKAGE__V1__RESULT__RESULT_OK);
    lk_json_text(json, "text",
                 reply == NULL          ? error->text
                 : *reply->text != '\0' ? reply->text
                                        : lk_names_result(reply->result));
    lk_json_text(json, "id", reply != NULL ? reply->id_of_error : "");
    lk_json_open(json, "errors", '[');
    for (size_t i = 0; reply != NULL && i < reply->n_errors; i++)
        lk_json_text(json, NULL, reply->errors[i]);
    lk_json_close(json, ']');
    if (draft_end(&draft))
        gate_hub_post(hub, gate_parcel_new(GATE_ANSWER, 0, gate_now_ns(), draft.text, draft.size));
    free(draft.text);
}

/* ---- the queue ---- */

int gate_operator_ask(struct gate_hub *hub, json_t *command)
{
    int r = -1;

    pthread_mutex_lock(&hub->lock);
    if (hub->n_commands < GATE_COMMANDS) {
        hub->command[hub->n_commands++] = json_incref(command);
        pthread_cond_signal(&hub->asked);
        r = 0;
    }
    pthread_mutex_unlock(&hub->lock);
    return r;
}

/* Return: the next command, to be released; NULL: none came for a while. */
static json_t *await_command(struct gate_hub *hub)
{
    struct timespec until;
    json_t *command = NULL;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&hub->lock);
    if (hub->n_commands == 0)
        pthread_cond_timedwait(&hub->asked, &hub->lock, &until);
    if (hub->n_commands > 0) {
        command = hub->command[0];
        hub->n_commands--;
        memmove(hub->command, hub->command + 1, (size_t)hub->n_commands * sizeof(command));
    }
    pthread_mutex_unlock(&hub->lock);
    return command;
}

void *gate_operate(void *arg)
{
    struct gate_line *line = arg;

    while (!line->hub->stop) {
        const Linkage__V1__ControlReply *reply = NULL;
        json_t *command = await_command(line->hub);
        struct lk_error error;

        if (command == NULL)
            continue;
        if (carry_out(line->operator, command, &reply, &error) != 0)
            reply = NULL;
        post_answer(line->hub, command, reply, &error);
        json_decref(command);
    }
    return NULL;
}
