/* SPDX-License-Identifier: Apache-2.0 */
/* Section `outputs`. */
#include "config_read.h"

int lkd_config_outputs(struct lk_node root, struct lkd_config *config, struct lk_error *error)
{
    static const char *const keys[] = {"divisor", "late", NULL};
    static const char *const lates[] = {"every", "newest", NULL};
    long divisor = (long)config->outputs_divisor;
    int late = config->newest_only;
    struct lk_node node;
    int r;

    r = lkd_config_section(root, "outputs", keys, &node, error);
    if (lk_node_kind(node) != LK_NODE_MAP)
        return r;
    r = lk_also(r, lk_node_read_int_or(node, "divisor", 1, LKD_DIVISOR_MAX, &divisor, error));
    r = lk_also(r, lkd_config_choice_or(node, "late", lates, &late, error));
    config->outputs_divisor = (uint64_t)divisor;
    config->newest_only = late != 0;
    return r;
}
