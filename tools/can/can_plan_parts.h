/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to the plan: state of its construction, and grouping of received messages to claims. */
#ifndef TOOLS_CAN_CAN_PLAN_PARTS_H
#define TOOLS_CAN_CAN_PLAN_PARTS_H

#include "can_plan.h"

#include <stdarg.h>

/** struct named - a scalar and the name of the signal that matches it. */
struct named {
    char name[2 * CAN_CHANNEL_SIZE + 2];
    int scalar;
};

/** struct maker - construction of a plan.
 * @us:               name of the node that this process represents, or NULL
 * @message:          index of the present message
 * @signal_entry, @message_entry: map entry of each signal and of each message, or NULL
 * @outputs, @inputs: scalars sorted by name
 * @result:           error code of the first refusal */
struct maker {
    struct can_plan *plan;
    const char *us;
    int message;
    const struct can_map_signal **signal_entry;
    const struct can_map_message **message_entry;
    struct named *outputs;
    struct named *inputs;
    struct lk_error *error;
    int result;
};

/** can_refuse() - Report an error at a position of the DBC file. Return: false. */
bool can_refuse(struct maker *k, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** can_match() - Find the channel of a signal by its name; -1: none.
 * Return: false after a refusal. */
bool can_match(struct maker *k, const struct can_side *side, struct can_item *item);

/** can_group_claims() - Create one claim for each received message; messages that share a channel
 * have a common claim.
 * Return: false after a refusal. */
bool can_group_claims(struct maker *k);

#endif
