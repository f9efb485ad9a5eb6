/* SPDX-License-Identifier: Apache-2.0 */
/* Section `line`. */
#include "config_read.h"

#define MEMORY_MIN (64.0 * 1024 * 1024)
#define MEMORY_MAX 1e12

int lkd_config_line(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"memory", NULL};
    double memory = (double)config->line_memory;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "line", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lkd_config_between(node, "memory", MEMORY_MIN, MEMORY_MAX, &memory, error));
    config->line_memory = (uint64_t)memory;
    return r;
}
