/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a request to the bytes of its reply. Control thread only. */
#ifndef LKD_CTL_COMMANDS_H
#define LKD_CTL_COMMANDS_H

#include "log.h"
#include "rig.h"

/** struct lkd_commands - @request_arena: decoded requests;  @reply_arena: replies being built
 * @shutdown: a client has asked the daemon to end */
struct lkd_commands {
    struct lkd_rig *rig;
    struct lk_wire_arena request_arena;
    struct lk_wire_arena reply_arena;
    struct lkd_log_limit limit;
    bool shutdown;
};

/** lkd_commands_init(), lkd_commands_fini() - @rig stays the caller's. Return: 0, -ENOMEM. */
int lkd_commands_init(struct lkd_commands *commands, struct lkd_rig *rig);
void lkd_commands_fini(struct lkd_commands *commands);

/** lkd_commands_handle() - carry out one request; every request has a reply, whatever it holds.
 * @data:      @size bytes as received; NULL for a message that has no single payload
 * @ret_reply: to be encoded before the next call; lives in @commands
 * Return: 0, -ENOMEM. */
int lkd_commands_handle(struct lkd_commands *commands, const void *data, size_t size,
                        const Linkage__V1__ControlReply **ret_reply);

#endif
