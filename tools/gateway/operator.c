/* SPDX-License-Identifier: Apache-2.0 */
/* Thread that executes the commands of the operator's page one by one. It has its own connection,
 * so that a slow load of a model blocks nothing else. */
#include "draft.h"
#include "gateway.h"
#include "hold.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define IDLE_MS 500

static const char *text_of(const json_t *command, const char *key)
{
    const char *text = json_string_value(json_object_get(command, key));

    return text != NULL ? text : "";
}

/* ---- requests ---- */

/* struct asked - a request, with memory for its arguments. */
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
        Linkage__V1__RestoreRequest restore;
        Linkage__V1__InjectRequest inject;
        Linkage__V1__PlatformRequest platform;
    } of;
    Linkage__V1__Injection fault;
    Linkage__V1__Injection *faults[1];
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

static void ask_restore(struct asked *asked, const json_t *command)
{
    linkage__v1__restore_request__init(&asked->of.restore);
    asked->of.restore.name = (char *)text_of(command, "name");
    asked->request.restore = &asked->of.restore;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESTORE;
}

static double number_of(const json_t *command, const char *key)
{
    return json_number_value(json_object_get(command, key)); /* 0 if the number is missing */
}

/* Make a request that injects one fault, or that ends all faults ("clear"). */
static void ask_inject(struct asked *asked, const json_t *command)
{
    linkage__v1__inject_request__init(&asked->of.inject);
    linkage__v1__injection__init(&asked->fault);
    asked->of.inject.clear = json_is_true(json_object_get(command, "clear"));
    asked->fault.kind = lk_names_to_injection(text_of(command, "kind"));
    asked->fault.target = (char *)text_of(command, "target");
    asked->fault.amount = number_of(command, "amount");
    asked->fault.share = number_of(command, "share");
    asked->fault.every_s = number_of(command, "every_s");
    asked->fault.after_s = number_of(command, "after_s");
    asked->fault.for_s = number_of(command, "for_s");
    asked->faults[0] = &asked->fault;
    asked->of.inject.add = asked->faults;
    asked->of.inject.n_add = asked->of.inject.clear ? 0 : 1;
    asked->request.inject = &asked->of.inject;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_INJECT;
}

static void ask_platform(struct asked *asked, const json_t *command)
{
    static const char *const orders[] = {"show", "engage", "park", "emergency", "release"};

    linkage__v1__platform_request__init(&asked->of.platform);
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (strcmp(orders[i], text_of(command, "order")) == 0)
            asked->of.platform.order = (Linkage__V1__PlatformOrder)i;
    asked->request.platform = &asked->of.platform;
    asked->request.command_case = LINKAGE__V1__CONTROL_REQUEST__COMMAND_PLATFORM;
}

static const struct {
    const char *op;
    void (*fill)(struct asked *asked, const json_t *command);
} ops[] = {
    {"arm", ask_arm},           {"start", ask_start},   {"pause", ask_pause},
    {"stop", ask_stop},         {"reset", ask_reset},   {"snapshot", ask_snapshot},
    {"restore", ask_restore},   {"record", ask_record}, {"inject", ask_inject},
    {"platform", ask_platform},
};

#define N_OPS (sizeof(ops) / sizeof(*ops))

bool gate_operator_knows(const char *op)
{
    for (size_t i = 0; i < N_OPS; i++)
        if (strcmp(ops[i].op, op) == 0)
            return true;
    return strcmp(op, "load") == 0 || strcmp(op, "set") == 0 || strcmp(op, "claim") == 0 ||
           strcmp(op, "release") == 0;
}

static int load_model(struct lk_client *client, const json_t *command,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    Linkage__V1__LoadRequest load = LINKAGE__V1__LOAD_REQUEST__INIT;

    load.name = (char *)text_of(command, "name");
    load.text.data = (uint8_t *)text_of(command, "text");
    load.text.len = json_string_length(json_object_get(command, "text"));
    return lk_client_load(client, &load, ret_reply, error);
}

static int set_values(struct hold *hold, const json_t *command, struct lk_error *error)
{
    const json_t *list = json_object_get(command, "values");
    double values[LK_COMPONENTS_MAX];
    size_t n = json_array_size(list) < LK_COMPONENTS_MAX ? json_array_size(list) : 0;

    for (size_t i = 0; i < n; i++)
        values[i] = json_is_number(json_array_get(list, i))
                        ? json_number_value(json_array_get(list, i))
                        : NAN;
    return hold_set(hold, text_of(command, "channel"), values, n, error);
}

/* Execute a command.
 * @ret_reply: reply of the daemon; NULL: none, and after a failure the reason is in @error
 * Return: true on success. */
static bool carry_out(struct hold *hold, const json_t *command,
                      const Linkage__V1__ControlReply **ret_reply, struct lk_error *error)
{
    struct lk_client *client = hold->line->operator;
    struct asked asked = {.request = LINKAGE__V1__CONTROL_REQUEST__INIT};
    const char *op = text_of(command, "op");
    int code = 0;

    if (strcmp(op, "set") == 0)
        return set_values(hold, command, error) == 0;
    if (strcmp(op, "claim") == 0)
        return hold_claim(hold, text_of(command, "channel"), ret_reply, error) == 0;
    if (strcmp(op, "release") == 0)
        return hold_release(hold, text_of(command, "channel"), ret_reply, error) == 0;
    if (strcmp(op, "load") == 0)
        code = load_model(client, command, ret_reply, error);
    for (size_t i = 0; i < N_OPS; i++)
        if (strcmp(ops[i].op, op) == 0) {
            ops[i].fill(&asked, command);
            code = lk_client_call(client, &asked.request, ret_reply, error);
        }
    if (code != 0)
        *ret_reply = NULL;
    return code == 0 && (*ret_reply)->result == LINKAGE__V1__RESULT__RESULT_OK;
}

/* ---- answers ---- */

/* Post the answer to a command.
 * @reply: reply of the daemon, or NULL
 * @error: reason of a failure, used without a reply */
static void post_answer(struct gate_hub *hub, const json_t *command, bool ok,
                        const Linkage__V1__ControlReply *reply, const struct lk_error *error)
{
    struct draft draft;
    struct lk_json *json = &draft.json;

    if (!draft_begin(&draft, "answer"))
        return;
    lk_json_text(json, "to", text_of(command, "op"));
    lk_json_bool(json, "ok", ok);
    if (reply == NULL)
        lk_json_text(json, "text", ok ? "done" : error->text);
    else
        lk_json_text(json, "text",
                     *reply->text != '\0' ? reply->text : lk_names_result(reply->result));
    lk_json_text(json, "id", reply != NULL ? reply->id_of_error : "");
    lk_json_open(json, "errors", '[');
    for (size_t i = 0; reply != NULL && i < reply->n_errors; i++)
        lk_json_text(json, NULL, reply->errors[i]);
    lk_json_close(json, ']');
    gate_hub_post(hub, gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft));
}

/* ---- the queue ---- */

/* Return whether a command goes before all that wait: Stop, and the emergency of a platform. */
static bool is_urgent(const json_t *command)
{
    const char *op = text_of(command, "op");

    return strcmp(op, "stop") == 0 ||
           (strcmp(op, "platform") == 0 && strcmp(text_of(command, "order"), "emergency") == 0);
}

/* Take out the waiting commands that would start something after an urgent one, and the last one if
 * there is no room. Return: their number. */
static int drop_before(struct gate_hub *hub, json_t *ret_dropped[GATE_COMMANDS])
{
    static const char *const starters[] = {"load", "restore", "arm", "start"};
    int n = 0, kept = 0;

    for (int i = 0; i < hub->n_commands; i++) {
        bool starts = i == GATE_COMMANDS - 1;

        for (size_t k = 0; k < sizeof(starters) / sizeof(starters[0]); k++)
            starts |= strcmp(text_of(hub->command[i], "op"), starters[k]) == 0;
        if (starts)
            ret_dropped[n++] = hub->command[i];
        else
            hub->command[kept++] = hub->command[i];
    }
    hub->n_commands = kept;
    return n;
}

int gate_operator_ask(struct gate_hub *hub, json_t *command)
{
    static const struct lk_error why = {.text = "not done: what is more urgent came after it"};
    json_t *dropped[GATE_COMMANDS];
    int n_dropped = 0, r = -1;

    pthread_mutex_lock(&hub->lock);
    if (is_urgent(command)) {
        n_dropped = drop_before(hub, dropped);
        memmove(hub->command + 1, hub->command, (size_t)hub->n_commands * sizeof(command));
        hub->command[0] = json_incref(command);
        hub->n_commands++;
        r = 0;
    } else if (hub->n_commands < GATE_COMMANDS) {
        hub->command[hub->n_commands++] = json_incref(command);
        r = 0;
    }
    if (r == 0)
        pthread_cond_signal(&hub->asked);
    pthread_mutex_unlock(&hub->lock);
    for (int i = 0; i < n_dropped; i++) {
        post_answer(hub, dropped[i], false, NULL, &why);
        json_decref(dropped[i]);
    }
    return r;
}

/* Wait up to @ms for a command.
 * Return: the next command, which the caller releases; NULL: none arrived. */
static json_t *await_command(struct gate_hub *hub, int ms)
{
    struct timespec until;
    json_t *command = NULL;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
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
    struct hold hold = {.line = line};

    while (!line->hub->stop) {
        const Linkage__V1__ControlReply *reply = NULL;
        json_t *command = await_command(line->hub, hold.n > 0 ? HOLD_EVERY_MS : IDLE_MS);
        struct lk_error error = {0};
        bool ok;

        if (command != NULL) {
            ok = carry_out(&hold, command, &reply, &error);
            post_answer(line->hub, command, ok, reply, &error);
            json_decref(command);
        }
        hold_feed(&hold);
    }
    hold_close(&hold);
    return NULL;
}
