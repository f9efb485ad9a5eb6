/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON message under construction: {"op": ..., further members}. */
#ifndef TOOLS_GATEWAY_DRAFT_H
#define TOOLS_GATEWAY_DRAFT_H

#include "linkage/json.h"
#include <stdbool.h>
#include <stddef.h>

/** struct draft - a JSON message.
 * @text, @size: the complete message after draft_end(); free @text */
struct draft {
    char *text;
    size_t size;
    struct lk_json json;
};

/** draft_begin() - Begin a message with the member "op".
 * Return: false if memory is exhausted. */
bool draft_begin(struct draft *draft, const char *op);
/** draft_end() - End the message. Return: true if @draft->text is complete. */
bool draft_end(struct draft *draft);

#endif
