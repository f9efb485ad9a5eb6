/* SPDX-License-Identifier: Apache-2.0 */
/* Section `outputs`. */
#include "config_read.h"

int lkd_config_outputs(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"divisor", NULL};
    long divisor = (long)config->outputs_divisor;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "outputs", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lk_node_read_int_or(node, "divisor", 1, LKD_DIVISOR_MAX, &divisor, error));
    config->outputs_divisor = (uint64_t)divisor;
    return r;
}
