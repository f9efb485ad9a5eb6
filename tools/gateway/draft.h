/* SPDX-License-Identifier: Apache-2.0 */
/* A message of JSON while it is written: {"op": ..., what else belongs to it}. */
#ifndef TOOLS_GATEWAY_DRAFT_H
#define TOOLS_GATEWAY_DRAFT_H

#include "linkage/json.h"
#include <stdbool.h>
#include <stddef.h>

/** struct draft - @text, @size: all of it once it has ended; to be freed */
struct draft {
    char *text;
    size_t size;
    struct lk_json json;
};

/** draft_begin() - with its first member. Return: whether there is memory for it. */
bool draft_begin(struct draft *draft, const char *op);
/** draft_end() - Return: whether @draft->text is whole. */
bool draft_end(struct draft *draft);

#endif
