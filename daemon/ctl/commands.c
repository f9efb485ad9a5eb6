/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "reply.h"
#include <errno.h>
#include <stdio.h>

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

/* Described by the caller, who needs the model; here only whether there is one. */
static void describe(const struct lkd_rig *rig, struct lkd_answer *answer)
{
    if (rig->loaded)
        return;
    answer->result = LINKAGE__V1__RESULT__RESULT_WRONG_STATE;
    snprintf(answer->text, sizeof(answer->text), "describe is not allowed in state %s",
             lkd_rig_state_name(rig->state));
}

static void carry_out(struct lkd_commands *commands, const Linkage__V1__ControlRequest *request,
                      struct lkd_answer *answer)
{
    struct lkd_rig *rig = commands->rig;

    switch (request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS:
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE:
        describe(rig, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD:
        lkd_rig_load(rig, request->load->name, (const char *)request->load->text.data,
                     request->load->text.len, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_START:
        lkd_rig_start(rig, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_PAUSE:
        lkd_rig_pause(rig, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_STOP:
        lkd_rig_stop(rig, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_RESET:
        lkd_rig_reset(rig, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SET:
        lkd_rig_set(rig, request->set->channel, request->set->values, request->set->n_values,
                    answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_SHUTDOWN:
        commands->shutdown = true;
        return;
    default:
        /* a command of a later version of the contract */
        answer->result = LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE;
        snprintf(answer->text, sizeof(answer->text), "unknown command");
        return;
    }
}

static int make_reply(struct lkd_commands *commands, const Linkage__V1__ControlRequest *request,
                      const struct lkd_answer *answer, const Linkage__V1__ControlReply **ret_reply)
{
    struct lk_wire_arena *arena = &commands->reply_arena;
    Linkage__V1__ControlReply *reply = lk_wire_arena_take(arena, sizeof(*reply));
    bool describes, histograms;

    if (!reply)
        return -ENOMEM;
    linkage__v1__control_reply__init(reply);
    reply->id = request ? request->id : 0;
    reply->result = answer->result;
    reply->text = lk_wire_arena_format(arena, "%s", answer->text);
    if (!reply->text)
        return -ENOMEM;
    *ret_reply = reply;

    describes = request && request->command_case == LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE;
    if (describes && answer->result == LINKAGE__V1__RESULT__RESULT_OK) {
        reply->description = lk_wire_arena_take(arena, sizeof(*reply->description));
        return reply->description ? lkd_reply_description(commands->rig, arena, reply->description)
                                  : -ENOMEM;
    }
    histograms = request && request->command_case == LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS &&
                 request->status->with_histograms;
    reply->status = lk_wire_arena_take(arena, sizeof(*reply->status));
    return reply->status ? lkd_reply_status(commands->rig, histograms, arena, reply->status)
                         : -ENOMEM;
}

int lkd_commands_handle(struct lkd_commands *commands, const void *data, size_t size,
                        const Linkage__V1__ControlReply **ret_reply)
{
    struct lkd_answer answer = {.result = LINKAGE__V1__RESULT__RESULT_OK};
    const Linkage__V1__ControlRequest *request = NULL;
    int r = LK_WIRE_E_MALFORMED;

    lk_wire_arena_reset(&commands->reply_arena);
    if (data)
        r = lk_wire_decode_request(&commands->request_arena, data, size, &request);
    lkd_rig_refresh(commands->rig);
    if (r == 0) {
        carry_out(commands, request, &answer);
    } else {
        request = NULL;
        answer.result = LINKAGE__V1__RESULT__RESULT_BAD_MESSAGE;
        snprintf(answer.text, sizeof(answer.text), "%s", lk_wire_status_text(r));
        lkd_log_limited(&commands->limit, lkd_clock_ns(), LKD_LOG_WARNING,
                        "control message refused: %s", answer.text);
    }
    return make_reply(commands, request, &answer, ret_reply);
}
