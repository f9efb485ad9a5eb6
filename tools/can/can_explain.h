/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as text for people: `linkage-can --check`. Thread: any. RT: no. */
#ifndef TOOLS_CAN_CAN_EXPLAIN_H
#define TOOLS_CAN_CAN_EXPLAIN_H

#include "can_plan.h"

#include <stdio.h>

/** can_explain() - each message with its signals, their channels, units and ranges; then warnings,
 * what has no channel, and inputs without a signal. Return: number of warnings. */
int can_explain(const struct can_plan *plan, FILE *to);
/** can_list_unused() - "A.x, A.y": signals without a channel, of messages that are sent
 * (@is_sent) or of all others; cut at @size. Return: how many there are. */
int can_list_unused(const struct can_plan *plan, bool is_sent, char *ret, size_t size);

#endif
