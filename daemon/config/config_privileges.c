/* SPDX-License-Identifier: Apache-2.0 */
#include "config_read.h"

int lkd_config_privileges(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"user", NULL};
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "privileges", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    return lk_also(r,
                   lk_node_read_text_or(node, "user", sizeof(config->user), config->user, error));
}
