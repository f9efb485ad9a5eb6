/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of requests: decodes a request, executes it and builds the reply. Control thread
 * only. */
#ifndef LKD_CTL_COMMANDS_H
#define LKD_CTL_COMMANDS_H

#include "log.h"
#include "peer.h"
#include "rig.h"

/** struct lkd_later - pending request whose reply is sent later.
 * @waiting: a request is pending
 * @id:      identifier of the request
 * @peer:    sender of the request */
struct lkd_later {
    bool waiting;
    uint64_t id;
    struct lkd_peer peer;
};

/** struct lkd_commands - state of the execution of requests.
 * @request_arena: memory for decoded requests
 * @reply_arena:   memory for replies being built
 * @forbidden:     number of requests that the client's role forbids
 * @later:         the request that waits for the end of a load
 * @shutdown:      a client has requested the end of the daemon */
struct lkd_commands {
    struct lkd_rig *rig;
    struct lk_wire_arena request_arena;
    struct lk_wire_arena reply_arena;
    uint64_t forbidden;
    struct lkd_later later;
    bool shutdown;
};

/** struct lkd_call - one request and its reply.
 * @peer:     sender of the request
 * @arena:    memory for the reply
 * @answer:   RESULT_OK until a command sets another result
 * @reply:    the reply being built. Result and text are copied from @answer at the end; if a
 *            command fills no payload, lkd_commands_handle() adds the status
 * @is_later: the reply is sent later */
struct lkd_call {
    struct lkd_commands *commands;
    struct lkd_rig *rig;
    const struct lkd_peer *peer;
    const Linkage__V1__ControlRequest *request;
    struct lk_wire_arena *arena;
    struct lkd_answer *answer;
    Linkage__V1__ControlReply *reply;
    bool is_later;
};

/** lkd_command - Execute one type of request. The table in commands.c lists the permitted roles.
 * Return: 0 (a refusal is in the answer), -ENOMEM. */
typedef int lkd_command(struct lkd_call *call);

lkd_command lkd_command_snapshot, lkd_command_restore, lkd_command_status, lkd_command_describe,
    lkd_command_evidence, lkd_command_trace, lkd_command_load, lkd_command_arm, lkd_command_start,
    lkd_command_pause, lkd_command_stop, lkd_command_reset, lkd_command_set, lkd_command_shutdown,
    lkd_command_claim, lkd_command_release, lkd_command_inputs, lkd_command_policy,
    lkd_command_platform, lkd_command_inject, lkd_command_subscribe, lkd_command_step,
    lkd_command_record, lkd_command_model;

/** lkd_call_list() - Allocate @n zeroed messages of @size bytes in the reply, and the array of
 * pointers for a repeated field.
 * @ret_list: address of the field, of type Message **.
 * Return: the first message; NULL: the arena is full. */
void *lkd_call_list(struct lkd_call *call, size_t n, size_t size, void *ret_list);

/** lkd_call_add_notes() - Add all errors of the model, or its warnings, to the reply to a load.
 * Return: 0, -ENOMEM. */
int lkd_call_add_notes(struct lkd_call *call);

/** lkd_call_add_status() - Add the status to the reply. Return: 0, -ENOMEM. */
int lkd_call_add_status(struct lkd_call *call, bool with_histograms);

/** lkd_commands_init(), lkd_commands_fini() - Initialise and release @commands. @rig is owned by
 * the caller.
 * Return: 0, -ENOMEM. */
int lkd_commands_init(struct lkd_commands *commands, struct lkd_rig *rig);
void lkd_commands_fini(struct lkd_commands *commands);

/** lkd_commands_handle() - Execute one request. Every request gets a reply, also a malformed one.
 * The reply to a load may be sent later: then @ret_reply is NULL and @commands stores the sender.
 * @peer:      the sender
 * @data:      @size received bytes; NULL if the message has no payload or several
 * @ret_reply: owned by @commands; encode it before the next call
 * Return: 0, -ENOMEM. */
int lkd_commands_handle(struct lkd_commands *commands, const struct lkd_peer *peer,
                        const void *data, size_t size, const Linkage__V1__ControlReply **ret_reply);

/** lkd_commands_later() - Return the postponed reply if it is ready. Call after
 * lkd_rig_follow_load().
 * @ret_reply: as for lkd_commands_handle(); NULL: the reply is not ready yet
 * Return: 0, -ENOMEM. */
int lkd_commands_later(struct lkd_commands *commands, const Linkage__V1__ControlReply **ret_reply);

#endif
