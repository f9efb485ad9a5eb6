/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "reply.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lkd_commands_init(struct lkd_commands *commands, struct lkd_rig *rig)
{
    int r;

    *commands = (struct lkd_commands){.rig = rig};
    r = lk_wire_arena_init(&commands->request_arena, LK_WIRE_CONTROL_ARENA);
    if (r)
        return r;
    r = lk_wire_arena_init(&commands->reply_arena, LK_WIRE_CONTROL_MAX);
    if (r)
        lk_wire_arena_fini(&commands->request_arena);
    return r;
}

void lkd_commands_fini(struct lkd_commands *commands)
{
    lk_wire_arena_fini(&commands->request_arena);
    lk_wire_arena_fini(&commands->reply_arena);
}

void *lkd_call_list(struct lkd_call *call, size_t n, size_t size, void *ret_list)
{
    unsigned char *all = lk_wire_arena_take(call->arena, n * size);
    void **list = lk_wire_arena_take(call->arena, n * sizeof(void *));

    if (!all || !list)
        return NULL;
    for (size_t i = 0; i < n; i++)
        list[i] = all + i * size;
    memcpy(ret_list, &list, sizeof(list));
    return all;
}

static int fill_gateway(const struct lkd_call *call, Linkage__V1__Gateway **ret)
{
    struct lkd_villas_counts c;

    if (!lkd_exchange_gateway(call->rig->exchange, &c))
        return 0;
    *ret = lk_wire_arena_take(call->arena, sizeof(**ret));
    if (!*ret)
        return -ENOMEM;
    linkage__v1__gateway__init(*ret);
    (*ret)->accepted = c.accepted;
    (*ret)->refused = c.refused_values;
    (*ret)->undecodable = c.undecodable;
    (*ret)->older = c.older;
    (*ret)->without_data = c.ignored;
    (*ret)->sent = c.sent;
    (*ret)->unsent = c.unsent;
    return 0;
}

int lkd_call_add_status(struct lkd_call *call, bool with_histograms)
{
    Linkage__V1__Status *status = lk_wire_arena_take(call->arena, sizeof(*status));
    int r;

    if (!status)
        return -ENOMEM;
    call->reply->status = status;
    r = lkd_reply_status(call->rig, with_histograms, call->arena, status);
    status->role = call->peer->role;
    status->forbidden = call->commands->forbidden + lkd_exchange_forbidden(call->rig->exchange);
    r = r ? r : lkd_ptp_watch_fill(&call->rig->ptp, lkd_clock_ns(), call->arena, &status->ptp);
    r = r ? r : fill_gateway(call, &status->gateway);
    status->turned_away = lkd_line_turned_away(call->rig->line);
    status->line_restarts = lkd_line_restarts(call->rig->line);
    status->exchange_priority = (uint32_t)lkd_exchange_priority(call->rig->exchange);
    if (call->rig->exchange_normal)
        status->exchange_normal = (char *)call->rig->exchange_normal;
    return r;
}

/* Table of commands: name in messages, required role, and function. */
#define COMMAND(NAME, name, ROLE)                                                                  \
    [LINKAGE__V1__CONTROL_REQUEST__COMMAND_##                                                      \
        NAME] = {#name, LINKAGE__V1__ROLE__ROLE_##ROLE, lkd_command_##name}

static const struct {
    const char *name;
    Linkage__V1__Role role;
    lkd_command *carry_out;
} commands_table[] = {
    COMMAND(STATUS, status, READ),        COMMAND(DESCRIBE, describe, READ),
    COMMAND(EVIDENCE, evidence, READ),    COMMAND(TRACE, trace, READ),
    COMMAND(LOAD, load, CONTROL),         COMMAND(ARM, arm, CONTROL),
    COMMAND(START, start, CONTROL),       COMMAND(PAUSE, pause, CONTROL),
    COMMAND(STOP, stop, CONTROL),         COMMAND(RESET, reset, CONTROL),
    COMMAND(CLAIM, claim, BENCH),         COMMAND(RELEASE, release, BENCH),
    COMMAND(INPUTS, inputs, READ),        COMMAND(POLICY, policy, READ),
    COMMAND(INJECT, inject, CONTROL),     COMMAND(RECORD, record, CONTROL),
    COMMAND(SET, set, CONTROL),           COMMAND(SHUTDOWN, shutdown, CONTROL),
    COMMAND(STEP, step, BENCH),           COMMAND(SUBSCRIBE, subscribe, READ),
    COMMAND(PLATFORM, platform, CONTROL), COMMAND(SNAPSHOT, snapshot, CONTROL),
    COMMAND(RESTORE, restore, CONTROL),   COMMAND(MODEL, model, READ),
};

#define N_COMMANDS (sizeof(commands_table) / sizeof(commands_table[0]))

static int carry_out(struct lkd_call *call)
{
    size_t command = (size_t)call->request->command_case;

    if (command >= N_COMMANDS || !commands_table[command].carry_out) {
        /* the command belongs to a later version of linkage.proto */
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE, "unknown command");
        return 0;
    }
    if (call->peer->role < commands_table[command].role) {
        call->commands->forbidden++;
        lkd_log(LKD_C_FORBIDDEN, "%s from '%s' refused: beyond its role",
                commands_table[command].name, call->peer->name);
        lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_FORBIDDEN,
                       "%s is beyond the role of this client", commands_table[command].name);
        return 0;
    }
    return commands_table[command].carry_out(call);
}

/* Return true if a command has filled its payload of the reply. Otherwise the reply gets the
 * status. */
static bool has_answer(const Linkage__V1__ControlReply *reply)
{
    return reply->status || reply->description || reply->evidence || reply->trace.data ||
           reply->claim || reply->inputs || reply->stream || reply->outputs || reply->injections ||
           reply->policy || reply->platform || reply->model;
}

static void refuse_message(struct lkd_call *call, int code)
{
    lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE, "%s",
                   lk_wire_status_text(code));
    lkd_log(LKD_C_REQUEST_REFUSED, "control message refused: %s", call->answer->text);
}

/* Create an empty reply in the reset arena. Return: 0, -ENOMEM. */
static int begin_reply(struct lkd_call *call)
{
    lk_wire_arena_reset(call->arena);
    call->reply = lk_wire_arena_take(call->arena, sizeof(*call->reply));
    if (!call->reply)
        return -ENOMEM;
    linkage__v1__control_reply__init(call->reply);
    call->reply->id = call->request ? call->request->id : 0;
    return 0;
}

static int finish_reply(struct lkd_call *call)
{
    call->reply->result = call->answer->result;
    call->reply->id_of_error = (char *)lkd_condition_of_result(call->answer->result);
    call->reply->text = lk_wire_arena_format(call->arena, "%s", call->answer->text);
    if (!call->reply->text)
        return -ENOMEM;
    return has_answer(call->reply) ? 0 : lkd_call_add_status(call, false);
}

/* Replace a reply that is too large by a refusal, because every request gets a reply. */
static int answer_anyway(struct lkd_call *call)
{
    int r = begin_reply(call);

    lkd_rig_answer(call->answer, LINKAGE__V1__RESULT__RESULT_INTERNAL, "the answer is too large");
    return r ? r : finish_reply(call);
}

int lkd_commands_handle(struct lkd_commands *commands, const struct lkd_peer *peer,
                        const void *data, size_t size, const Linkage__V1__ControlReply **ret_reply)
{
    struct lkd_answer answer = {.result = LINKAGE__V1__RESULT__RESULT_OK};
    struct lkd_call call = {
        .commands = commands,
        .rig = commands->rig,
        .peer = peer,
        .arena = &commands->reply_arena,
        .answer = &answer,
    };
    int decoded = LK_WIRE_E_MALFORMED, r;
    uint64_t id = 0;

    if (data)
        decoded = lk_wire_decode_request(&commands->request_arena, data, size, &call.request);
    if (decoded) {
        id = call.request ? call.request->id : 0;
        call.request = NULL;
    }
    lkd_rig_refresh(commands->rig);
    r = begin_reply(&call);
    if (r)
        return r;
    if (decoded) {
        call.reply->id = id;
        refuse_message(&call, decoded);
    } else {
        r = carry_out(&call);
    }
    if (call.is_later) {
        commands->later = (struct lkd_later){true, call.request->id, *peer};
        *ret_reply = NULL;
        return 0;
    }
    if (r == 0)
        r = finish_reply(&call);
    if (r)
        r = answer_anyway(&call);
    *ret_reply = call.reply;
    return r;
}

int lkd_commands_later(struct lkd_commands *commands, const Linkage__V1__ControlReply **ret_reply)
{
    struct lkd_answer answer;
    struct lkd_call call = {
        .commands = commands,
        .rig = commands->rig,
        .peer = &commands->later.peer,
        .arena = &commands->reply_arena,
        .answer = &answer,
    };
    int r;

    *ret_reply = NULL;
    if (!commands->later.waiting || !lkd_rig_load_outcome(commands->rig, &answer))
        return 0;
    commands->later.waiting = false;
    r = begin_reply(&call);
    if (r)
        return r;
    call.reply->id = commands->later.id;
    r = lkd_call_add_notes(&call);
    if (r == 0)
        r = finish_reply(&call);
    *ret_reply = call.reply;
    return r;
}
