/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "reply.h"
#include "trace.h"
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

#define TRACE_MAX (LK_WIRE_CONTROL_MAX - 4096) /* bytes, that leave room for the reply around it   \
                                                */

/* Answered by make_reply(), which needs the model; here only whether there is one. */
static void need_model(const struct lkd_rig *rig, const char *command, struct lkd_answer *answer)
{
    if (rig->loaded)
        return;
    answer->result = LINKAGE__V1__RESULT__RESULT_WRONG_STATE;
    snprintf(answer->text, sizeof(answer->text), "%s is not allowed in state %s", command,
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
        need_model(rig, "describe", answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE:
        need_model(rig, "evidence", answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_TRACE:
        need_model(rig, "trace", answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_LOAD:
        lkd_rig_load(rig, request->load->name, (const char *)request->load->text.data,
                     request->load->text.len, answer);
        return;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_ARM:
        lkd_rig_arm(rig, request->arm->allow_degraded, request->arm->steps, answer);
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

static int add_status(struct lkd_commands *commands, bool with_histograms,
                      Linkage__V1__ControlReply *reply)
{
    struct lk_wire_arena *arena = &commands->reply_arena;

    reply->status = lk_wire_arena_take(arena, sizeof(*reply->status));
    return reply->status ? lkd_reply_status(commands->rig, with_histograms, arena, reply->status)
                         : -ENOMEM;
}

/* Return: 0, -ENOMEM, -E2BIG (no text was made). */
static int make_trace(const struct lkd_rig *rig, uint32_t cycles, char **ret_text, size_t *ret_size)
{
    FILE *file = open_memstream(ret_text, ret_size);

    if (!file)
        return -ENOMEM;
    lkd_trace_write(file, rig->loaded->cycle, rig->exchange, cycles);
    if (fclose(file))
        return -ENOMEM;
    if (*ret_size <= TRACE_MAX)
        return 0;
    free(*ret_text);
    *ret_text = NULL;
    return -E2BIG;
}

/* With workers there is more to say about a cycle: then of fewer of them. */
static int add_trace(struct lkd_commands *commands, uint32_t cycles,
                     Linkage__V1__ControlReply *reply)
{
    char *text = NULL;
    size_t size = 0;
    int r = -E2BIG;

    if (cycles == 0 || cycles > LKD_TRACE_CYCLES_MAX)
        cycles = LKD_TRACE_CYCLES_MAX;
    for (; cycles > 0 && r == -E2BIG; cycles /= 2)
        r = make_trace(commands->rig, cycles, &text, &size);
    if (r == 0)
        reply->trace.data = lk_wire_arena_take(&commands->reply_arena, size);
    if (reply->trace.data) {
        memcpy(reply->trace.data, text, size);
        reply->trace.len = size;
    }
    free(text);
    return reply->trace.data ? 0 : -ENOMEM;
}

static int make_reply(struct lkd_commands *commands, const Linkage__V1__ControlRequest *request,
                      const struct lkd_answer *answer, const Linkage__V1__ControlReply **ret_reply)
{
    struct lk_wire_arena *arena = &commands->reply_arena;
    Linkage__V1__ControlReply *reply = lk_wire_arena_take(arena, sizeof(*reply));

    if (!reply)
        return -ENOMEM;
    linkage__v1__control_reply__init(reply);
    reply->id = request ? request->id : 0;
    reply->result = answer->result;
    reply->text = lk_wire_arena_format(arena, "%s", answer->text);
    if (!reply->text)
        return -ENOMEM;
    *ret_reply = reply;

    if (!request || answer->result != LINKAGE__V1__RESULT__RESULT_OK)
        return add_status(commands, false, reply);
    switch (request->command_case) {
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_DESCRIBE:
        reply->description = lk_wire_arena_take(arena, sizeof(*reply->description));
        return reply->description ? lkd_reply_description(commands->rig, arena, reply->description)
                                  : -ENOMEM;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_EVIDENCE:
        reply->evidence = lk_wire_arena_take(arena, sizeof(*reply->evidence));
        return reply->evidence
                   ? lkd_reply_evidence(commands->rig, request->evidence->with_histograms,
                                        request->evidence->with_cycles, arena, reply->evidence)
                   : -ENOMEM;
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_TRACE:
        return add_trace(commands, request->trace->cycles, reply);
    case LINKAGE__V1__CONTROL_REQUEST__COMMAND_STATUS:
        return add_status(commands, request->status->with_histograms, reply);
    default:
        return add_status(commands, false, reply);
    }
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
    r = make_reply(commands, request, &answer, ret_reply);
    if (r == 0)
        return 0;
    /* too much for a reply: no request stays without one */
    lk_wire_arena_reset(&commands->reply_arena);
    answer.result = LINKAGE__V1__RESULT__RESULT_INTERNAL;
    snprintf(answer.text, sizeof(answer.text), "the answer is too large");
    return make_reply(commands, request, &answer, ret_reply);
}
