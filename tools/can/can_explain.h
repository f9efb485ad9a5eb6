/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a plan as text: `linkage-can --check`.
 * Thread: any.  RT: no. */
#ifndef TOOLS_CAN_CAN_EXPLAIN_H
#define TOOLS_CAN_CAN_EXPLAIN_H

#include "can_plan.h"

#include <stdio.h>

/** can_explain() - Print each message with its signals, their channels, units and ranges; then
 * warnings, signals without a channel, and inputs without a signal.
 * Return: number of warnings. */
int can_explain(const struct can_plan *plan, FILE *to);
/** can_list_unused() - List signals without a channel as "A.x, A.y", for sent messages (@is_sent)
 * or for all others. The text is truncated to @size.
 * Return: number of these signals. */
int can_list_unused(const struct can_plan *plan, bool is_sent, char *ret, size_t size);

#endif
